"""Reading and writing descriptors of every shape."""

import json
import os
import struct
import subprocess
import sys
from typing import Any

import pytest
from conftest import Sink
from wirecontract.contracts import WireError

SIGNALLING_F32 = [0x7F80_0001, 0x7FA0_0000, 0xFF80_0001, 0xFFBF_FFFF]
QUIET_F32 = [0x7FC0_0000, 0xFFC0_1234, 0x7FFF_FFFF]
SIGNALLING_F64 = [0x7FF0_0000_0000_0001, 0xFFF7_FFFF_FFFF_FFFF]
FORMATS = {"Little": "<?BbHhIiQqfd", "Big": ">?BbHhIiQqfd", "Native": "=?BbHhIiQqfd"}
NUMBERS = (
    True,
    200,
    -100,
    60_000,
    -30_000,
    4_000_000_000,
    -2_000_000_000,
    2**63 + 1,
    -(2**62),
    0.15625,
    1e300,
)


def refusal(cls: Any, data: bytes) -> str:
    with pytest.raises(WireError) as raised:
        cls.from_bytes(data)
    return str(raised.value)


@pytest.mark.parametrize("name", FORMATS)
def test_scalars_in_each_byte_order(sink: Sink, name: str) -> None:
    cls = sink(f"shapes.{name}")
    wire = struct.pack(FORMATS[name], *NUMBERS)
    value = cls.from_bytes(wire)
    assert tuple(getattr(value, field) for field in cls.__match_args__) == NUMBERS
    assert value.to_bytes() == wire
    assert refusal(cls, b"\2" + wire[1:]) == f"{name}.bool at byte 0: unknown_value: expected 0 or 1, found 2"


def test_byte_orders_mix_in_one_descriptor(sink: Sink) -> None:
    cls = sink("shapes.Mixed")
    formats = ["<?", "<B", "<b", "<H", ">h", "=I", "<i", ">Q", "=q", "<f", ">d"]
    wire = b"".join(struct.pack(form, number) for form, number in zip(formats, NUMBERS, strict=True))
    value = cls.from_bytes(wire)
    assert tuple(getattr(value, field) for field in cls.__match_args__) == NUMBERS
    assert value.to_bytes() == wire


@pytest.mark.parametrize("order", ["little", "big"])
def test_native_order_is_the_machines(order: str) -> None:
    """A process that is told the other order when the module is imported."""
    script = f"""
import json, sys
sys.byteorder = {order!r}
from sink_contracts import shapes
value = shapes.Native.from_bytes(bytes([1, *range(1, 43)]))
mixed = shapes.Mixed.from_bytes(bytes([1, *range(1, 43)]))
assert value.to_bytes() == mixed.to_bytes() == bytes([1, *range(1, 43)])
deep = shapes.Arrays.from_bytes(bytes(17) + bytes(range(32)) + bytes(24 + 4 * 13))
print(json.dumps([value.u16, value.i64, value.f64, mixed.f, mixed.i, deep.deep[1][0][1][1]]))
"""
    out = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, env=os.environ
    ).stdout
    data = bytes([1, *range(1, 43)])
    sign = "<" if order == "little" else ">"
    expected = [
        struct.unpack_from(sign + form, data, at)[0]
        for form, at in [("H", 3), ("q", 23), ("d", 35), ("I", 7), ("q", 23)]
    ]
    expected.append(int.from_bytes(bytes([28, 29, 30, 31]), "little" if order == "little" else "big"))
    assert json.loads(out) == expected


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("bits", SIGNALLING_F32 + QUIET_F32)
def test_the_bits_of_an_f32_nan_are_kept(sink: Sink, name: str, bits: int) -> None:
    cls = sink(f"shapes.{name}")
    wire = bytearray(struct.pack(FORMATS[name], *NUMBERS))
    struct.pack_into(FORMATS[name][0] + "I", wire, 31, bits)
    value = cls.from_bytes(wire)
    assert value.to_bytes() == wire
    again = cls(**{field: getattr(value, field) for field in cls.__match_args__})
    assert again.to_bytes() == wire


@pytest.mark.parametrize("bits", SIGNALLING_F32 + QUIET_F32)
def test_the_bits_of_nans_are_kept_in_arrays_and_nested(sink: Sink, bits: int) -> None:
    cls = sink("shapes.Arrays")
    wire = bytearray(struct.pack("<17x32x2I2Q", 0x3F80_0000, bits, 0, 0) + b"\2" + bytes(12) + b"\2")
    wire += bytes(12) + b"\2" + bytes(12) + b"\2" + bytes(12)
    struct.pack_into(">Q", wire, 17 + 32 + 8, SIGNALLING_F64[bits & 1])
    struct.pack_into("<I", wire, 17 + 32 + 24 + 1, bits)
    assert cls.from_bytes(wire).to_bytes() == wire
    mixed = sink("shapes.Mixed")
    data = bytearray(43)
    struct.pack_into("<I", data, 31, bits)
    assert mixed.from_bytes(data).to_bytes() == data
    outer = sink("shapes.Outer")
    data = bytearray(OUTER)
    struct.pack_into("<I", data, 53 + 13 + 31, bits)
    struct.pack_into("<I", data, 53 + 1, bits)
    assert outer.from_bytes(data).to_bytes() == data


@pytest.mark.parametrize("bits", SIGNALLING_F64)
@pytest.mark.parametrize("name", FORMATS)
def test_the_bits_of_an_f64_nan_are_kept(sink: Sink, name: str, bits: int) -> None:
    cls = sink(f"shapes.{name}")
    wire = bytearray(struct.pack(FORMATS[name], *NUMBERS))
    struct.pack_into(FORMATS[name][0] + "Q", wire, 35, bits)
    assert cls.from_bytes(wire).to_bytes() == wire


HEADER = (
    b'"\\'
    + b"\0\3"
    + b"\1\0\0\0"
    + b"twenty bytes of magi"
    + b"\1"
    + bytes(12)
    + b"\0\0\0\0"
    + b"caf\xc3\xa9\0\0\0"
)


OUTER = HEADER + b"\2" + bytes(12) + bytes(43) + 2 * bytes(415) + b"\7"


def put(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


@pytest.mark.parametrize(
    ("at", "new", "message"),
    [
        (0, b"x", "first at byte 0: bad_magic: expected bytes 225c, found bytes 785c"),
        (
            8,
            b"T",
            "second at byte 8: bad_magic: expected bytes 7477656e7479206279746573206f66206d616769, "
            "found bytes 5477656e7479206279746573206f6620",
        ),
        (2, b"\0\0", "revision at byte 2: unsupported_version: expected 1 to 3, found 0"),
        (2, b"\1\3", "revision at byte 2: unsupported_version: expected 1 to 3, found 259"),
        (28, b"\2", "minor at byte 28: unsupported_version: expected 1, found 2"),
        (4, b"\3", "kind at byte 4: unknown_value: expected a value of SampleFormat, found 3"),
        (4, b"\xfd\xff\xff\xff", "kind at byte 4: unknown_value: expected a value of SampleFormat, found -3"),
        (35, b"\x2a", "zero at byte 29: reserved_not_zero: expected zero, found 42"),
        (45, b"12345678", "label at byte 45: bad_text: expected UTF-8 text ended by NUL"),
        (45, b"\xff", "label at byte 45: bad_text: expected UTF-8 text ended by NUL"),
        (45, b"\xed\xa0\x80", "label at byte 45: bad_text: expected UTF-8 text ended by NUL"),
        (45, b"\xc0\x80", "label at byte 45: bad_text: expected UTF-8 text ended by NUL"),
        (45, b"a\0b\0\0\0\0\0", "label at byte 45: bad_text: expected UTF-8 text ended by NUL"),
        (52, b"\1", "label at byte 45: bad_text: expected UTF-8 text ended by NUL"),
    ],
)
def test_header_faults(sink: Sink, at: int, new: bytes, message: str) -> None:
    cls = sink("shapes.Header")
    value = cls.from_bytes(HEADER)
    assert (value.revision, value.minor, value.label, value.kind.name) == (3, 1, "café", "U8")
    assert value.to_bytes() == HEADER
    assert refusal(cls, put(HEADER, at, new)) == f"Header.{message}"


def test_an_older_version_and_ignored_bytes_are_read(sink: Sink) -> None:
    cls = sink("shapes.Header")
    value = cls.from_bytes(put(put(HEADER, 2, b"\0\1"), 41, b"\xff\xff\xff\xff"))
    assert value.revision == 1
    assert value.to_bytes() == HEADER


def test_magic_and_version_come_before_fields_of_lower_offset(sink: Sink) -> None:
    cls = sink("shapes.Header")
    broken = put(put(put(HEADER, 4, b"\3"), 28, b"\2"), 8, b"T")
    assert "Header.second at byte 8" in refusal(cls, broken)
    broken = put(broken, 8, b"t")
    assert "Header.minor at byte 28" in refusal(cls, broken)


@pytest.mark.parametrize(
    ("at", "new", "message"),
    [
        (0, b"x", "Header.first at byte 0: bad_magic"),
        (45, b"\xff", "Header.label at byte 45: bad_text"),
        (53, b"\3", "Point.unit at byte 53: unknown_value: expected a value of Unit, found 3"),
        (66, b"\2", "Mixed.a at byte 66: unknown_value: expected 0 or 1, found 2"),
        (109 + 8, b"\5", "Counted.n at byte 117: length_exceeds: expected at most 4, found 5"),
        (
            109 + 33,
            b"\1",
            "Counted.rows_len at byte 142: length_exceeds: expected at most 3, found 72057594037927936",
        ),
        (109 + 82, b"\1", "Point.unit at byte 191: unknown_value: expected a value of Unit, found 1"),
        (109 + 95, b"\4", "Counted.flags_len at byte 204: length_exceeds: expected at most 3, found 4"),
        (109 + 103, b"\4", "Counted.flags at byte 212: unknown_bits: expected bits within 0x33, found 4"),
        (109 + 107, b"\xff", "Counted.yes at byte 216: unknown_value: expected 0 or 1, found 255"),
        (109 + 415 + 8, b"\5", "Counted.n at byte 532: length_exceeds: expected at most 4, found 5"),
        (109 + 415 + 82, b"\1", "Point.unit at byte 606: unknown_value: expected a value of Unit, found 1"),
    ],
)
def test_faults_of_nested_descriptors_have_their_place_in_the_whole(
    sink: Sink, at: int, new: bytes, message: str
) -> None:
    cls = sink("shapes.Outer")
    assert cls.from_bytes(OUTER).to_bytes() == OUTER
    assert refusal(cls, put(OUTER, at, new)).startswith(message)


def test_faults_of_several_fields_come_by_offset(sink: Sink) -> None:
    cls = sink("shapes.Outer")
    broken = put(put(put(OUTER, 109 + 415 + 8, b"\5"), 66, b"\2"), 109 + 107, b"\xff")
    assert "Mixed.a at byte 66" in refusal(cls, broken)
    broken = put(broken, 66, b"\0")
    assert "Counted.yes at byte 216" in refusal(cls, broken)
    assert "Counted.n at byte 532" in refusal(cls, put(broken, 109 + 107, b"\0"))


def test_kinds_are_read_element_by_element(sink: Sink) -> None:
    cls = sink("shapes.Kinds")
    wire = bytearray(75)
    wire[0] = 1
    wire[60] = wire[59] = 0
    struct.pack_into("<q", wire, 53, -(2**63))
    struct.pack_into("=Q", wire, 61, 2**64 - 1)
    valid = bytes(wire)
    value = cls.from_bytes(valid)
    assert value.to_bytes() == valid
    faults = {
        (9, b"\1"): "Kinds.access at byte 8: unknown_bits: expected bits within 0x33, found 256",
        (23, b"\x0a"): "Kinds.closed_many at byte 23: unknown_value: expected a value of Odd, found 10",
        (35, b"\x04"): "Kinds.access_many at byte 35: unknown_bits: expected bits within 0x33, found 4",
        (
            53,
            b"\1",
        ): "Kinds.wide at byte 53: unknown_value: expected a value of Wide, found -9223372036854775807",
        (61, b"\0"): "Kinds.most at byte 61: unknown_value: expected a value of Most, found "
        f"{int.from_bytes(bytes(1) + bytes([255] * 7), sys.byteorder)}",
        (72, b"\3"): "Kinds.yes at byte 72: unknown_value: expected 0 or 1, found 3",
    }
    for (at, new), message in faults.items():
        assert refusal(cls, put(valid, at, new)) == message
    lax = put(put(put(valid, 4, b"\7\7\7\7"), 10, b"\xff" * 9), 25, b"\xff" * 8)
    value = cls.from_bytes(lax)
    assert value.open == 0x0707_0707
    assert value.to_bytes() == lax


def test_open_flags_with_unknown_bits_do_not_pile_up(sink: Sink) -> None:
    cls, loose = sink("shapes.Kinds"), sink("kinds.Loose")
    before = len(loose._value2member_map_)
    wire = bytearray(75)
    wire[0] = 1
    struct.pack_into("<q", wire, 53, -(2**63))
    struct.pack_into("=Q", wire, 61, 2**64 - 1)
    for number in range(2000):
        struct.pack_into(">Q", wire, 10, number << 20 | 1)
        value = cls.from_bytes(wire)
        assert value.loose == number << 20 | 1
    assert len(loose._value2member_map_) == before
    assert loose.READ in value.loose
    assert isinstance(value.loose, loose)
    assert value.loose & loose.READ is loose.READ
    assert repr(value.loose) == f"<Loose.READ|{1999 << 20:#x}: {1999 << 20 | 1}>"


def test_extremes_of_size(sink: Sink) -> None:
    many = sink("shapes.Fields300")
    wire = bytes(at * 7 & 0xFF for at in range(many.WIRE_SIZE))
    value = many.from_bytes(wire)
    assert value.to_bytes() == wire
    assert many(**{name: getattr(value, name) for name in many.__match_args__}) == value
    holder = sink("shapes.Holder")
    assert holder.from_bytes(wire).big == value
    assert holder(big=value).to_bytes() == wire
    only = sink("shapes.OnlyMagic")
    assert only().to_bytes() == b'\0\n"\xff'
    assert only.from_bytes(b'\0\n"\xff') == only()
    assert refusal(only, b"abcd").startswith("OnlyMagic.magic at byte 0: bad_magic")
    pad = sink("shapes.OnlyReserved")
    assert pad.from_bytes(b"abcd").to_bytes() == bytes(4)
    pair = sink("shapes.Pair")(nothing=[only(), only()], less=pad())
    assert pair.to_bytes() == b'\0\n"\xff\0\n"\xff\0\0\0\0'
    assert sink("shapes.Pair").from_bytes(pair.to_bytes()) == pair


def test_families_may_nest_each_others_contracts(sink: Sink) -> None:
    whole = sink("left.Whole").from_bytes(b"\1\2")
    assert whole.middle.inner[1].x == 2
    assert whole.to_bytes() == b"\1\2"
    assert sink("right.Inner").from_bytes(b"\1").y is True
