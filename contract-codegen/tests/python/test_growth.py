"""Descriptors that grow: every version is read and written, whatever their fields are."""

import dataclasses
import importlib
import math
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from conftest import FORMS
from hypothesis import given
from hypothesis import strategies as st

Get = Callable[[str], Any]

FIRST = b"GROW\x01\0\x80\x02\xe0\x01\0\0\xff\xff\xff\xff"


@pytest.fixture(params=FORMS)
def growth(request: pytest.FixtureRequest) -> Get:
    """The contracts that grow, by name, and what a standalone file calls otherwise."""
    return load(request.param)


def load(form: str) -> Get:
    name = {"package": "growth_contracts.growing", "standalone": "standalone.growth"}[form]
    module: ModuleType = importlib.import_module(name)
    renamed = {"int": "Growingint"} if form == "standalone" else {}

    def get(name: str) -> Any:
        return getattr(module, renamed.get(name, name))

    return get


def refusal(read: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises(ValueError, match=" at byte ") as caught:
        read(*arguments)
    return str(caught.value)


def newest(growth: Get) -> Any:
    return growth("Frame")(version=1, width=640, height=480)


def test_an_older_version_is_read_with_the_defaults_of_what_it_has_not(growth: Get) -> None:
    frame = growth("Frame")
    value = frame.from_bytes(FIRST)
    assert value == newest(growth)
    assert (frame.WIRE_SIZE, frame.WIRE_SIZES) == (44, (16, 44, 44))
    assert frame.version_of(FIRST) == 1
    assert (value.version, value.crop, value.gain, value.bias) == (1, 0, 100, -7)
    assert (value.levels, value.scale, value.name, value.is_hot) == (b"\1\2", 1.5, "lwir", True)
    assert value.region == growth("Region")(x=0, y=0)
    for data in (bytearray(FIRST), memoryview(FIRST)):
        assert frame.from_bytes(data) == value
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.gain = 5


def test_what_was_reserved_is_not_looked_at_in_versions_that_had_it_reserved(growth: Get) -> None:
    frame = growth("Frame")
    data = bytearray(newest(growth).to_bytes())
    assert data[4] == 3, "the newest version is written"
    data[12:16] = (77).to_bytes(4, "little")
    assert frame.from_bytes(data).crop == 77
    data[4] = 2
    value = frame.from_bytes(bytes(data))
    assert (value.version, value.crop, value.gain) == (2, 0, 100)


def test_the_order_of_faults_is_least_length_magic_version_length_of_that_version(
    growth: Get,
) -> None:
    frame = growth("Frame")

    def said(*changes: tuple[int, int], length: int = 16) -> str:
        data = bytearray(FIRST)
        for at, byte in changes:
            data[at] = byte
        data = (data + bytes(44))[:length]
        texts = {
            refusal(read, kind(data))
            for kind in (bytes, bytearray)
            for read in (frame.from_bytes, frame.version_of)
        }
        assert len(texts) == 1
        return texts.pop()

    wrong = (0, ord("g"))
    assert said(wrong, (4, 9), length=15) == ("Frame at byte 15: too_short: expected 16 bytes, found 15")
    assert said(wrong, (4, 9), length=17) == (
        "Frame.magic at byte 0: bad_magic: expected bytes 47524f57, found bytes 67524f57"
    )
    assert said((4, 4), length=17) == (
        "Frame.version at byte 4: unsupported_version: expected 1 to 3, found 4"
    )
    assert said((4, 0)) == "Frame.version at byte 4: unsupported_version: expected 1 to 3, found 0"
    assert said((4, 2)) == "Frame at byte 16: too_short: expected 44 bytes, found 16"
    assert said(length=44) == "Frame at byte 16: trailing_bytes: expected 16 bytes, found 44"
    assert said((4, 3), length=45) == "Frame at byte 44: trailing_bytes: expected 44 bytes, found 45"
    # Behind all these, the fields of the version that it is.
    data = bytearray(newest(growth).to_bytes())
    data[4], data[40] = 2, 7
    text = "Frame.is_hot at byte 40: unknown_value: expected 0 or 1, found 7"
    assert refusal(frame.from_bytes, bytes(data)) == refusal(frame.from_bytes, data) == text
    assert frame.version_of(data) == 2


def test_a_newer_version_is_read_only_where_that_is_asked_for(growth: Get) -> None:
    frame = growth("Frame")
    data = bytearray(newest(growth).to_bytes() + b"\1\2\3")
    data[4] = 4
    assert "unsupported_version" in refusal(frame.from_bytes, data)
    for kind in (bytes, bytearray, memoryview):
        value = frame.from_bytes_or_newer(kind(data))
        assert value == dataclasses.replace(newest(growth), version=3), "the newest that is known"
    # Those that are known stay exact.
    assert frame.from_bytes_or_newer(FIRST) == newest(growth)
    data[4] = 0
    assert "expected 1 to 3, found 0" in refusal(frame.from_bytes_or_newer, data[:44])
    data[4] = 3
    assert "trailing_bytes" in refusal(frame.from_bytes_or_newer, data)
    data[4] = 4
    assert refusal(frame.from_bytes_or_newer, data[:40]) == (
        "Frame at byte 40: too_short: expected 44 bytes, found 40"
    )
    data[40] = 9
    assert "Frame.is_hot" in refusal(frame.from_bytes_or_newer, data)


def test_without_a_version_field_the_length_says_the_version(growth: Get) -> None:
    tail = growth("Tail")
    value = tail.from_bytes(b"\1\0\2\0")
    assert value == tail(kind=1, id=2, weight=9, items=[5])
    assert value == tail(kind=1, id=2)
    assert (tail.version_of(bytes(4)), tail.version_of(bytes(10))) == (1, 2)
    assert not hasattr(tail, "read_prefix"), "only the length says where it ends"
    assert refusal(tail.from_bytes, bytes(3)) == ("Tail at byte 3: too_short: expected 4 bytes, found 3")
    assert refusal(tail.from_bytes, bytes(5)) == ("Tail at byte 5: too_short: expected 10 bytes, found 5")
    assert refusal(tail.from_bytes, bytes(11)) == (
        "Tail at byte 10: trailing_bytes: expected 10 bytes, found 11"
    )
    assert tail.from_bytes_or_newer(bytes(11)).weight == 0
    assert value.to_bytes(1) == b"\1\0\2\0"


def test_what_stands_last_grows_with_what_holds_it(growth: Get) -> None:
    message, tail = growth("Message"), growth("Tail")
    data = b"MESG\1\0\7\0\1\0\2\0"
    value = message.from_bytes(data)
    assert value == message(version=1, sequence=7, tail=tail(kind=1, id=2))
    assert value.to_bytes(1) == data
    other = dataclasses.replace(value, tail=tail(kind=1, id=2, weight=8))
    assert refusal(other.to_bytes, 1) == (
        "Tail.weight at byte 12: unsupported_version: expected its default, before version 2"
    )
    assert len(other.to_bytes(2)) == 18


def test_a_value_is_written_as_an_older_version_has_it_or_refused(growth: Get) -> None:
    frame, value = growth("Frame"), newest(growth)
    assert value.to_bytes(version=1) == FIRST[:12] + bytes(4), "what is reserved there is zero"
    assert frame.from_bytes(value.to_bytes(2)) == dataclasses.replace(value, version=2)
    assert value.to_bytes(3) == value.to_bytes(None) == value.to_bytes()
    where = "Frame at byte 0: unsupported_version: expected 1 to 3, found"
    for version in (0, 4, -1):
        assert refusal(value.to_bytes, version) == f"{where} {version}"
    assert refusal(value.to_bytes, 1 << 20_000) == f"{where} an integer of 20001 bits"
    assert "wrong_type" in refusal(value.to_bytes, "1")
    cropped = dataclasses.replace(value, crop=1)
    assert refusal(cropped.to_bytes, 2) == (
        "Frame.crop at byte 12: unsupported_version: expected its default, before version 3"
    )
    assert len(cropped.to_bytes(3)) == 44
    named = dataclasses.replace(value, name="", is_hot=False)
    assert refusal(named.to_bytes, 1).startswith("Frame.name at byte 32: unsupported_version")
    # A sign and the bits of a NaN are part of a value.
    for scale in (-1.5, math.nan):
        other = dataclasses.replace(value, scale=scale)
        assert refusal(other.to_bytes, 1).startswith("Frame.scale at byte 24: unsupported_version")


def test_a_prefix_ends_where_its_version_field_says(growth: Get) -> None:
    frame = growth("Frame")
    data = bytearray(FIRST + bytes([9]) * 40)
    value, rest = frame.read_prefix(data)
    assert (value, bytes(rest)) == (newest(growth), bytes([9]) * 40)
    data[4] = 2
    assert refusal(frame.read_prefix, data[:40]) == (
        "Frame at byte 40: too_short: expected 44 bytes, found 40"
    )
    data[4] = 4
    assert refusal(frame.read_prefix, data).startswith("Frame.version at byte 4")


def test_native_order_is_that_of_the_machine(growth: Get) -> None:
    native = growth("Native")
    number = {"little": b"\5\0\0\0", "big": b"\0\0\0\5"}[sys.byteorder]
    value = native.from_bytes(number + number)
    assert value == native(major=5, minor=5)
    assert (value.time_gran, value.max_pages, value.map_alignment) == (1, 32, 0)
    assert value.to_bytes(1) == number + number


def test_a_constructor_has_the_defaults_of_what_older_versions_have_not(growth: Get) -> None:
    everything = growth("Everything")
    value = everything(tuple=1, map=2)
    first = value.to_bytes(1)
    assert first == b"EV" + (1).to_bytes(8, "big") + b"\1\0\0\2"
    read = everything.from_bytes(first)
    assert (read.revision, value.revision) == (1, 4)
    assert read.to_bytes() == value.to_bytes()
    for one in (read, value):
        assert one.packing is growth("Packing").ROWS
        assert (one.next, one.level, one.level.name) == (9, -2, "LOW")
        assert one.ability == growth("Ability").MAP | growth("Ability").FENCE
        assert (one.loose, one.digest, one.note) == (0x80, b"\xab" * 64, "über")
        assert one.title == 'a "quoted" \\ title of more than forty bytes'
        assert one.matrix == ((1, -1), (3, 4))
        assert {round(weight, 6) for weight in one.weights} == {0.1}
        assert len(one.weights) == 12
        assert one.far == math.inf
        assert math.isnan(one.none)
        assert math.copysign(1, one.small) == -1
        assert one.from_bytes_or_newer_ == 1e-300
        assert (one.is_hot, one.are_hot) == ((True, False, True), (True,) * 20)
        region = growth("Region")
        assert one.regions == (region(x=1, y=2), region(x=3, y=4))
        assert one.grid == ((region(x=0, y=0),), (region(x=0, y=0),))
        assert (one.from_, one.range, one.count) == (7, 0, 2)
        assert (one.WIRE_SIZES_, one.pairs) == (b"\5\6", ((1, 2), (3, 4)))
        assert one.many == (9,) * 40
        assert one.version_of_ == -(2**63)


def test_each_version_takes_what_the_ones_before_refuse(growth: Get) -> None:
    everything = growth("Everything")
    changes = {"range": 3, "loose": 2, "matrix": 2, "grid": 3, "WIRE_SIZES_": 3, "version_of_": 4}
    values = {
        "range": 1,
        "loose": 1,
        "matrix": [[1, -1], [3, 5]],
        "grid": [[growth("Region")(x=0, y=1)], [growth("Region")(x=0, y=0)]],
        "WIRE_SIZES_": b"\5\7",
        "version_of_": 0,
    }
    for name, since in changes.items():
        value = everything(tuple=1, map=2, **{name: values[name]})
        for version in range(1, 5):
            if version < since:
                text = f"Everything.{name.rstrip('_')} at byte"
                assert refusal(value.to_bytes, version).startswith(text)
                continue
            data = value.to_bytes(version)
            assert len(data) == everything.WIRE_SIZES[version - 1]
            assert everything.version_of(data) == version
            assert everything.from_bytes(data).to_bytes() == value.to_bytes()


@pytest.mark.parametrize("name", ["value", "image", "size", "int"])
def test_a_class_may_be_called_like_a_variable(growth: Get, name: str) -> None:
    kind = growth(name)
    value = kind.from_bytes(b"\1")
    assert (value.version, value.data) == (1, 0x0102)
    assert kind.from_bytes_or_newer(b"\3\0\7more") == kind(version=2, data=7)
    (prefix, rest), version = kind.read_prefix(b"\1\2"), kind.version_of(b"\1")
    assert (prefix, bytes(rest), version) == (value, b"\2", 1)
    assert value.to_bytes(1) == b"\1"


def test_one_that_has_not_grown_yet_is_read_as_far_as_it_is_known(growth: Get) -> None:
    young = growth("Young")
    assert young.WIRE_SIZES == (1,)
    assert young.from_bytes(b"\5") == young.from_bytes_or_newer(b"\5\6") == young(a=5)
    assert "trailing_bytes" in refusal(young.from_bytes, b"\5\6")
    assert young(a=5).to_bytes(1) == b"\5"
    assert "expected 1, found 2" in refusal(young(a=5).to_bytes, 2)


@pytest.mark.parametrize("form", FORMS)
@given(data=st.binary(max_size=50), version=st.integers(0, 5))
def test_what_is_read_is_written_back_in_its_version(form: str, data: bytes, version: int) -> None:
    frame = load(form)("Frame")
    data = b"GROW" + bytes([version, 0]) + data
    for size in (16, 44, len(data)):
        exact = data.ljust(size, b"\0")[:size]
        try:
            value = frame.from_bytes(exact)
        except ValueError:
            copied = refusal(frame.from_bytes, bytearray(exact))
            assert copied == refusal(frame.from_bytes, exact)
            continue
        assert frame.version_of(exact) == value.version
        assert frame.from_bytes_or_newer(exact).to_bytes() == value.to_bytes()
        written = value.to_bytes(value.version)
        # Reserved bytes are written as zero.
        assert (written[:12], written[16:]) == (exact[:12], exact[16:])
        assert frame.from_bytes(value.to_bytes()).to_bytes(value.version) == written
