"""Each number type in each place, and names that only Python makes hard."""

import array
import ctypes
import math
import os
from pathlib import Path
from typing import Any

import pytest
from form_contracts import Code, WireError, library, sensor

library.load(Path(os.environ["PYTHONPATH"]).parent / "libforms.so")

INTEGERS: dict[str, Any] = {
    "u8": ctypes.c_uint8,
    "i8": ctypes.c_int8,
    "u16": ctypes.c_uint16,
    "i16": ctypes.c_int16,
    "u32": ctypes.c_uint32,
    "i32": ctypes.c_int32,
    "u64": ctypes.c_uint64,
    "i64": ctypes.c_int64,
    "schar": ctypes.c_byte,
    "uchar": ctypes.c_ubyte,
    "short": ctypes.c_short,
    "ushort": ctypes.c_ushort,
    "int": ctypes.c_int,
    "uint": ctypes.c_uint,
    "long": ctypes.c_long,
    "ulong": ctypes.c_ulong,
    "longlong": ctypes.c_longlong,
    "ulonglong": ctypes.c_ulonglong,
    "size": ctypes.c_size_t,
    "ptrdiff": ctypes.c_ssize_t,
}
OTHERS: dict[str, tuple[Any, list[Any]]] = {
    "bool": (ctypes.c_bool, [True, False]),
    "f32": (ctypes.c_float, [0.5, -math.inf, 3.4028234663852886e38]),
    "f64": (ctypes.c_double, [0.1, 5e-324, math.inf, 1e308]),
    "char": (ctypes.c_char, [b"a", b"\xff", b"\0"]),
}


def limits(ctype: Any) -> tuple[int, int]:
    """The least and the most."""
    bits = 8 * ctypes.sizeof(ctype)
    return (0, 2**bits - 1) if ctype(-1).value > 0 else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


CASES = [(name, ctype, [1, *limits(ctype)]) for name, ctype in INTEGERS.items()]
CASES += [(name, ctype, values) for name, (ctype, values) in OTHERS.items()]


@pytest.mark.parametrize(("name", "ctype", "values"), CASES)
def test_each_number_crosses_in_each_place(name: str, ctype: Any, values: list[Any]) -> None:
    echo = getattr(library, f"echo_{name}")
    none = (ctype * 0)()
    for value in values:
        assert echo(value, None, none, None, none) == value
        assert type(echo(value, None, none, None, none)) is type(value)
        written, filled = ctype(), (ctype * 2)()
        assert echo(values[0], value, (), written, filled) == value
        assert echo(values[0], ctype(value), [], None, none) == value
        assert (written.value, list(filled)) == (values[0], [values[0]] * 2)
        assert echo(values[0], None, [values[0], value], None, none) == value
        assert echo(values[0], None, (ctype * 2)(values[0], value), None, none) == value
        frozen = memoryview((ctype * 2)(values[0], value)).toreadonly()
        assert echo(values[0], None, frozen, None, none) == value


@pytest.mark.parametrize(("name", "ctype", "values"), CASES)
def test_each_number_is_told_in_each_place(name: str, ctype: Any, values: list[Any]) -> None:
    for value in values:
        told: list[tuple[Any, ...]] = []
        getattr(library, f"tell_{name}")(value, lambda *them, told=told: told.append(them))
        assert [(it[0], it[1], it[2].tolist(), it[3]) for it in told] == [
            (value, value, [value, value], "text"),
            (value, None, [], None),
        ]
        assert told[0][2].itemsize == ctypes.sizeof(ctype)


@pytest.mark.parametrize("name", INTEGERS)
def test_an_integer_out_of_range_is_refused_in_each_place(name: str) -> None:
    ctype = INTEGERS[name]
    echo = getattr(library, f"echo_{name}")
    none = (ctype * 0)()
    least, most = limits(ctype)
    for wrong in (least - 1, most + 1, 10**5000):
        for arguments, field in [
            ((wrong, None, (), None, none), "value"),
            ((0, wrong, (), None, none), "lent"),
            ((0, None, [0, wrong], None, none), "items"),
        ]:
            with pytest.raises(WireError) as caught:
                echo(*arguments)
            error = caught.value
            assert (error.code, error.contract, error.field) == (Code.OUT_OF_RANGE, f"wc_echo_{name}", field)
            assert error.offset == (ctypes.sizeof(ctype) if field == "items" else 0)
    others: list[Any] = [1.0, "1", None, True, b"1"]
    for other in others:
        for value, items in [(other, ()), (0, [0, other])]:
            with pytest.raises(WireError) as caught:
                echo(value, None, items, None, none)
            assert caught.value.code == Code.WRONG_TYPE


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("bool", 1), ("bool", None), ("char", b""), ("char", b"ab"), ("char", 1), ("f64", "1"), ("f64", None)],
)
def test_what_is_no_such_value_is_refused_in_each_place(name: str, wrong: object) -> None:
    ctype, (right, *_) = OTHERS[name]
    echo = getattr(library, f"echo_{name}")
    none = (ctype * 0)()
    for arguments in [(wrong, None, ()), (right, None, [right, wrong])]:
        with pytest.raises(WireError) as caught:
            echo(*arguments, None, none)
        assert caught.value.code == Code.WRONG_TYPE


def test_the_same_format_has_several_names() -> None:
    for code in "lq":
        items = array.array(code, [5, 6])
        echo = library.echo_i64 if items.itemsize == 8 else library.echo_i32
        assert echo(0, None, items, None, memoryview(items)) == 6
        assert items.tolist() == [0, 0]


def test_structs_cross_in_each_place() -> None:
    extent = sensor.Extent
    one, two = extent(1, 2), extent(3, 4)

    def pair(it: sensor.Extent) -> tuple[int, int]:
        return it.width, it.height

    none = (extent * 0)()
    written, filled = extent(), (extent * 2)()
    assert pair(library.echo_extent(one, None, (), written, filled)) == (1, 2)
    assert [pair(it) for it in (written, *filled)] == [(1, 2)] * 3
    assert pair(library.echo_extent(one, two, (), None, none)) == (3, 4)
    assert pair(library.echo_extent(one, None, [one, two], None, none)) == (3, 4)
    assert pair(library.echo_extent(one, None, (extent * 2)(one, two), None, none)) == (3, 4)
    wrong: Any = (3, 4)
    with pytest.raises(WireError) as caught:
        library.echo_extent(one, None, [one, wrong], None, none)
    assert (caught.value.code, caught.value.offset) == (Code.WRONG_TYPE, 8)
    with pytest.raises(TypeError, match="C-contiguous buffer of Extent"):
        library.echo_extent(one, None, (ctypes.c_uint64 * 2)(), None, none)
    told: list[tuple[Any, ...]] = []
    library.tell_extent(one, lambda *them: told.append(them))
    by_value, by_pointer, items = told[0][:3]
    assert (pair(by_value), pair(by_pointer), [pair(it) for it in items]) == ((1, 2), (1, 2), [(1, 2)] * 2)
    assert told[1][1:] == (None, (), None)
    assert type(told[0][2][0]) is extent


def test_names_that_a_body_uses_are_found_under_theirs() -> None:
    settings = sensor.Settings(is_live=True)
    names = ["from_", "type", "int", "len", "bytes", "wire", "status", "out", "cls"]
    numbers = dict(zip(names, range(1, 10), strict=True))
    expected = (15, 30, len(settings.to_json()), ord("{"), sensor.Calibration.from_bytes(bytes(8)))
    for function in (library.load_, library.len, library.type, library.hidden):
        assert function(**numbers, settings=settings) == expected
    with library.Camera.bytes() as camera:
        for method in (camera.int, camera.staticmethod):
            assert method(**numbers, settings=settings) == expected
    with pytest.raises(WireError) as caught:
        library.len(**{**numbers, "from_": 256}, settings=settings)
    assert (caught.value.code, caught.value.field) == (Code.OUT_OF_RANGE, "from")
