"""What a constructor takes, what it makes of it, and what it says of the rest."""

import dataclasses
import enum
import math
import struct
from typing import Any

import pytest
from conftest import Sink
from wirecontract.contracts import WireError

LITTLE: dict[str, Any] = {
    "bool": True,
    "u8": 1,
    "i8": -1,
    "u16": 2,
    "i16": -2,
    "u32": 3,
    "i32": -3,
    "u64": 4,
    "i64": -4,
    "f32": 0.5,
    "f64": 0.1,
}


def refused(make: Any, **arguments: object) -> str:
    with pytest.raises(WireError) as raised:
        make(**arguments)
    return str(raised.value)


@pytest.mark.parametrize(
    ("field", "at", "low", "high"),
    [
        ("u8", 1, 0, 2**8 - 1),
        ("i8", 2, -(2**7), 2**7 - 1),
        ("u16", 3, 0, 2**16 - 1),
        ("i16", 5, -(2**15), 2**15 - 1),
        ("u32", 7, 0, 2**32 - 1),
        ("i32", 11, -(2**31), 2**31 - 1),
        ("u64", 15, 0, 2**64 - 1),
        ("i64", 23, -(2**63), 2**63 - 1),
    ],
)
def test_integers_have_their_range(sink: Sink, field: str, at: int, low: int, high: int) -> None:
    make = sink("shapes.Little")
    for number in (low, high):
        value = make(**{**LITTLE, field: number})
        assert getattr(value, field) == number
        assert make.from_bytes(value.to_bytes()) == value
    for number in (low - 1, high + 1):
        message = refused(make, **{**LITTLE, field: number})
        assert (
            message == f"Little.{field} at byte {at}: out_of_range: expected {low} to {high}, found {number}"
        )


class Index:
    def __index__(self) -> int:
        return 7


class Number(enum.IntEnum):
    SEVEN = 7


def test_integers_are_kept_as_plain_integers(sink: Sink) -> None:
    for given in (7, Number.SEVEN, Index()):
        value = sink("shapes.Little")(**{**LITTLE, "u8": given})
        assert type(value.u8) is int
        assert value.u8 == 7


def test_an_integer_too_long_to_write_is_refused_all_the_same(sink: Sink) -> None:
    message = refused(sink("shapes.Little"), **{**LITTLE, "u8": 1 << 50_000})
    assert message.endswith("found an integer of 50001 bits")
    for field in ("closed", "open", "access", "loose", "full", "wide", "most"):
        message = refused(sink("shapes.Kinds"), **kinds(sink, **{field: 1 << 50_000}))
        assert message.endswith("found an integer of 50001 bits"), field
    message = refused(sink("shapes.Header"), kind=1, label="", revision=1 << 50_000)
    assert message.endswith("found an integer of 50001 bits")


@pytest.mark.parametrize(
    ("field", "wrong", "expected"),
    [
        ("u8", True, "an integer, found bool"),
        ("u8", 1.0, "an integer, found float"),
        ("u8", "1", "an integer, found str"),
        ("u8", None, "an integer, found NoneType"),
        ("bool", 1, "a bool, found int"),
        ("bool", None, "a bool, found NoneType"),
        ("f32", True, "a float, found bool"),
        ("f64", "1", "a float, found str"),
        ("f64", 1j, "a float, found complex"),
    ],
)
def test_other_types_are_refused(sink: Sink, field: str, wrong: object, expected: str) -> None:
    message = refused(sink("shapes.Little"), **{**LITTLE, field: wrong})
    assert message.startswith(f"Little.{field} at byte ")
    assert message.endswith(f": wrong_type: expected {expected}")


def test_floats_take_integers_that_they_hold(sink: Sink) -> None:
    make = sink("shapes.Little")
    value = make(**{**LITTLE, "f32": 2**24, "f64": 2**53})
    assert (value.f32, value.f64) == (16777216.0, 9007199254740992.0)
    assert type(value.f32) is float
    assert refused(make, **{**LITTLE, "f64": 2**53 + 1}) == (
        "Little.f64 at byte 35: out_of_range: expected an integer that f64 holds, found 9007199254740993"
    )
    assert "expected an integer that f32 holds, found 16777217" in refused(
        make, **{**LITTLE, "f32": 2**24 + 1}
    )
    assert "an integer that f64 holds, found an integer of 2001 bits" in refused(
        make, **{**LITTLE, "f64": 1 << 2000}
    )


def test_f32_is_rounded_where_it_is_taken(sink: Sink) -> None:
    make = sink("shapes.Little")
    value = make(**{**LITTLE, "f32": 0.1})
    assert value.f32 == struct.unpack("<f", struct.pack("<f", 0.1))[0]
    assert make.from_bytes(value.to_bytes()) == value
    assert refused(make, **{**LITTLE, "f32": 3.5e38}) == (
        "Little.f32 at byte 31: out_of_range: expected a number in f32, found 3.5e+38"
    )
    assert make(**{**LITTLE, "f32": -math.inf}).f32 == -math.inf
    assert math.isnan(make(**{**LITTLE, "f32": math.nan}).f32)


HEADER: dict[str, Any] = {"kind": 1, "label": "café"}


def test_text_has_to_fit_with_its_end(sink: Sink) -> None:
    make = sink("shapes.Header")
    assert make.from_bytes(make(kind=1, label="1234567").to_bytes()).label == "1234567"
    assert make.from_bytes(make(kind=1, label="").to_bytes()).label == ""
    said = "Header.label at byte 45: bad_text: expected UTF-8 text ended by NUL"
    for text in ("a\0b", "\0", "\ud800"):
        assert refused(make, kind=1, label=text) == said
    # As Rust's setter: the bytes count, and the length comes first.
    for text, length in (("12345678", 8), ("ééééé", 10), ("1234567\0", 8)):
        said = f"Header.label at byte 45: length_exceeds: expected at most 7, found {length}"
        assert refused(make, kind=1, label=text) == said
    assert refused(make, kind=1, label=b"x").endswith("wrong_type: expected a str, found bytes")


def test_a_version_is_one_that_a_reader_takes(sink: Sink) -> None:
    make = sink("shapes.Header")
    value = make(**HEADER)
    assert (value.revision, value.minor) == (3, 1)
    assert make(**HEADER, revision=2).revision == 2
    # What is written is the version that the declaration knows.
    assert make(**HEADER, revision=2).to_bytes() == value.to_bytes()
    for number in (0, 4):
        assert refused(make, kind=99, label="", revision=number) == (
            f"Header.revision at byte 2: unsupported_version: expected 1 to 3, found {number}"
        )
    assert "out_of_range" in refused(make, **HEADER, revision=70000)
    with pytest.raises(TypeError):
        make(**HEADER, zero=(0, 0, 0))
    with pytest.raises(TypeError):
        make(**HEADER, first=b"")


def kinds(sink: Sink, **changes: object) -> dict[str, Any]:
    values: dict[str, Any] = {
        "closed": 1,
        "open": 77,
        "access": 3,
        "loose": 1 << 63,
        "full": 255,
        "closed_many": (0, 1, 7),
        "open_many": ((0, 9), (1, 2)),
        "access_many": [0, 0x30],
        "loose_many": [0, 2**64 - 1],
        "wide": -(2**63),
        "most": 2**64 - 1,
        "yes": [[True, False, True], (False, False, True)],
    }
    return {**values, **changes}


def test_enumerations_and_flags_are_taken_by_number_too(sink: Sink) -> None:
    make = sink("shapes.Kinds")
    value = make(**kinds(sink))
    formats, odd, access, loose = (
        sink(f"kinds.{name}") for name in ("SampleFormat", "Odd", "Access", "Loose")
    )
    assert value.closed is formats.U8
    assert (value.open, type(value.open)) == (77, int)
    assert value.closed_many == (odd.NAME, odd.VALUE, odd.SELF_)
    assert value.open_many == ((odd.NAME, 9), (odd.VALUE, odd.MRO))
    assert isinstance(value.open_many[0][0], odd)
    assert value.access == access.READ | access.WRITE
    assert isinstance(value.access, access)
    assert isinstance(value.loose, loose)
    assert value.access_many == (access(0), access.MASK)
    assert value.yes == ((True, False, True), (False, False, True))
    assert make.from_bytes(value.to_bytes()) == value
    assert make(**kinds(sink, closed=formats.U8, access=access.READ)).access is access.READ


@pytest.mark.parametrize(
    ("field", "wrong", "message"),
    [
        ("closed", 2, "closed at byte 0: unknown_value: expected a value of SampleFormat, found 2"),
        ("closed", True, "closed at byte 0: wrong_type: expected SampleFormat, found bool"),
        ("closed", "U8", "closed at byte 0: wrong_type: expected SampleFormat, found str"),
        ("open", 2**31, "open at byte 4: out_of_range: expected -2147483648 to 2147483647, found 2147483648"),
        ("access", 4, "access at byte 8: unknown_bits: expected bits within 0x33, found 4"),
        ("access", -1, "access at byte 8: out_of_range: expected 0 to 65535, found -1"),
        ("loose", 2**64, f"loose at byte 10: out_of_range: expected 0 to {2**64 - 1}, found {2**64}"),
        ("full", 256, "full at byte 18: out_of_range: expected 0 to 255, found 256"),
        ("closed_many", (0, 8, 9), "closed_many at byte 21: unknown_value: expected a value of Odd, found 8"),
        ("closed_many", (0, 1), "closed_many at byte 19: wrong_type: expected 3 elements, found 2 elements"),
        ("open_many", ((0, 1), (0, -1)), "open_many at byte 31: out_of_range: expected 0 to 65535, found -1"),
        (
            "open_many",
            ((0, 1), (0,)),
            "open_many at byte 29: wrong_type: expected 2 elements, found 1 elements",
        ),
        ("open_many", (0, 1), "open_many at byte 25: wrong_type: expected a sequence, found int"),
        ("access_many", (0, 4), "access_many at byte 35: unknown_bits: expected bits within 0x33, found 4"),
        ("yes", ((True,) * 3, (True, 0, True)), "yes at byte 73: wrong_type: expected a bool, found int"),
        ("yes", "yes", "yes at byte 69: wrong_type: expected a sequence, found str"),
        ("yes", {1: 2}, "yes at byte 69: wrong_type: expected a sequence, found dict"),
    ],
)
def test_a_wrong_element_is_refused_at_its_own_byte(
    sink: Sink, field: str, wrong: object, message: str
) -> None:
    assert refused(sink("shapes.Kinds"), **kinds(sink, **{field: wrong})) == f"Kinds.{message}"


def test_another_enumerations_member_is_of_a_wrong_type(sink: Sink) -> None:
    odd = sink("kinds.Odd")
    for field, expected in (("closed", "SampleFormat"), ("open", "SampleFormat"), ("access", "Access")):
        message = refused(sink("shapes.Kinds"), **kinds(sink, **{field: odd.VALUE}))
        assert message.endswith(f"wrong_type: expected {expected}, found Odd")


def counted(sink: Sink, **changes: object) -> dict[str, Any]:
    point = sink("other.Point")(unit=2, x=1.5, y=-2.25)
    values: dict[str, Any] = {
        "words": [1, 2],
        "singles": [0.5, 0.25],
        "rows": [[1, 2]],
        "points": [point],
        "flags": [1],
        "yes": [True],
        "open": [700],
        "long": b"abc",
    }
    return {**values, **changes}


def test_counted_arrays_are_as_long_as_their_count_says(sink: Sink) -> None:
    make = sink("shapes.Counted")
    value = make(**counted(sink))
    assert (value.n, value.rows_len, value.points_len, value.flags_len, value.long_len) == (2, 1, 1, 1, 3)
    wire = value.to_bytes()
    assert len(wire) == 415
    assert wire[:9] == b"\1\0\2\0\0\0\0\0\2"
    assert make.from_bytes(wire) == value
    empty = make(words=[], singles=[], rows=[], points=[], flags=[], yes=[], open=[], long=b"")
    assert empty.to_bytes() == bytes(415)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"words": [0] * 5, "singles": [0.0] * 5},
            "n at byte 8: length_exceeds: expected at most 4, found 5",
        ),
        (
            {"words": [0] * 4, "singles": [0.0] * 6},
            "n at byte 8: length_exceeds: expected 4 elements, found 6",
        ),
        ({"words": [0]}, "n at byte 8: length_exceeds: expected 1 elements, found 2"),
        ({"rows": [[0, 0]] * 4}, "rows_len at byte 33: length_exceeds: expected at most 3, found 4"),
        ({"rows": [[0, 0, 0]]}, "rows at byte 41: wrong_type: expected 2 elements, found 3 elements"),
        (
            {"rows": [[0, 2**31]]},
            "rows at byte 45: out_of_range: expected -2147483648 to 2147483647, found 2147483648",
        ),
        ({"open": []}, "flags_len at byte 95: length_exceeds: expected 1 elements, found 0"),
        ({"points": [None]}, "points at byte 69: wrong_type: expected Point, found NoneType"),
        ({"words": range(9)}, "n at byte 8: length_exceeds: expected 9 elements, found 2"),
        ({"words": 9, "singles": range(5)}, "n at byte 8: length_exceeds: expected at most 4, found 5"),
        ({"words": iter([1, 2])}, "words at byte 0: wrong_type: expected a sequence, found list_iterator"),
        # The array has room for 300, the u8 that counts has not.
        ({"long": bytes(256)}, "long_len at byte 114: length_exceeds: expected at most 255, found 256"),
        # What counts of a view are its bytes.
        (
            {"long": memoryview(bytes(512)).cast("I")},
            "long_len at byte 114: length_exceeds: expected at most 255, found 512",
        ),
        ({"long": "text" * 100}, "long at byte 115: wrong_type: expected bytes, found str"),
    ],
)
def test_counted_arrays_are_refused_with_a_readers_code(
    sink: Sink, changes: dict[str, Any], message: str
) -> None:
    assert refused(sink("shapes.Counted"), **counted(sink, **changes)) == f"Counted.{message}"


def arrays(sink: Sink, **changes: object) -> dict[str, Any]:
    points = [sink("other.Point")(unit=unit, x=unit, y=0) for unit in (0, 2)]
    values: dict[str, Any] = {
        "bytes": b"12345",
        "grid": [[1, 2, 3], b"456"],
        "words": [-1, 0, 1],
        "deep": [[[[1, 2], [3, 4]]], [[[5, 6], [7, 8]]]],
        "singles": [0.5, 1],
        "doubles": [0.1, -0.0],
        "points": points,
        "table": [[points[1]], [points[0]]],
    }
    return {**values, **changes}


def test_arrays_of_any_rank_come_back_as_tuples(sink: Sink) -> None:
    make = sink("shapes.Arrays")
    value = make(**arrays(sink))
    assert value.grid == ((1, 2, 3), (52, 53, 54))
    assert value.deep == ((((1, 2), (3, 4)),), (((5, 6), (7, 8)),))
    assert type(value.bytes) is bytes
    assert value.table[0][0].unit is sink("other.Unit").FOOT
    wire = value.to_bytes()
    assert len(wire) == make.WIRE_SIZE
    assert wire[11:17] == b"\xff\xff\0\0\0\1"
    assert make.from_bytes(wire) == value
    assert hash(value) == hash(make.from_bytes(wire))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bytes": b"1234"}, "bytes at byte 0: wrong_type: expected 5 bytes, found 4 bytes"),
        ({"bytes": [1, 2, 3, 4, 5]}, "bytes at byte 0: wrong_type: expected bytes, found list"),
        ({"grid": [[1, 2, 3], [4, 5, 256]]}, "grid at byte 10: out_of_range: expected 0 to 255, found 256"),
        (
            {"deep": [[[[1, 2], [3, 4]]], [[[5, 6], [7, -1]]]]},
            "deep at byte 45: out_of_range: expected 0 to 4294967295, found -1",
        ),
    ],
)
def test_array_faults_have_their_elements_place(sink: Sink, changes: dict[str, Any], message: str) -> None:
    assert refused(sink("shapes.Arrays"), **arrays(sink, **changes)) == f"Arrays.{message}"


def test_mutable_input_is_copied(sink: Sink) -> None:
    buffer, words = bytearray(b"12345"), [1, 2, 3]
    value = sink("shapes.Arrays")(**arrays(sink, bytes=buffer, words=words))
    buffer[0] = 0
    words[0] = 9
    assert (value.bytes, value.words) == (b"12345", (1, 2, 3))


def test_clashing_names_get_an_underscore_and_still_work(sink: Sink) -> None:
    make = sink("import_.Code")
    names = [field.name for field in dataclasses.fields(make)]
    for name in (
        "from_",
        "class_",
        "self_",
        "to_bytes_",
        "WIRE_SIZE_",
        "__init___",
        "__private___",
        "bytes",
        "int_",
        "match",
    ):
        assert name in names
    arguments: dict[str, Any] = {name: at for at, name in enumerate(names)}
    arguments.update(tuple_=[1, 0], super=9, list="ok")
    value = make(**arguments)
    assert make.from_bytes(value.to_bytes()) == value
    assert dataclasses.replace(value, self_=200).self_ == 200
    assert make.WIRE_SIZE == 46
    outer = sink("import_.WireError")(code=value, bytes=b"xy", int_=[1, 2], any=1)
    assert (outer.property, outer.len) == (1, 2)
    assert sink("import_.WireError").from_bytes(outer.to_bytes()) == outer
    assert refused(make, **{**arguments, "from_": 256}).startswith("Code.from at byte 0: out_of_range")


def test_enumerations_keep_to_names_that_enum_has_free(sink: Sink) -> None:
    odd = sink("kinds.Odd")
    assert [member.name for member in odd] == [
        "NAME",
        "VALUE",
        "MRO",
        "_X__",
        "__PRIVATE___",
        "WIRE_ID_",
        "NONE",
        "SELF_",
    ]
    assert odd.VALUE.name == "VALUE"
    assert odd.WIRE_ID == 0xFEED_0000_0000_0004


def test_data_of_a_value_is_its_members(sink: Sink) -> None:
    formats = sink("kinds.SampleFormat")
    assert formats.MONO8 is formats.U8 is formats._8_BIT
    assert len(formats) == 2
    assert (formats.F32.sample_bytes, formats.F32.typestr, formats.F32.signed) == (4, '<f"4"', True)
    assert formats.F32.name == "F32"
    assert formats.F32.name_ == 2**64 - 1
