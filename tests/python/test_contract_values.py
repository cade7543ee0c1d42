"""What every value of a generated class is: made whole or not at all, copied, pickled, replaced, matched."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from wirecontract import Code, WireError
from wirecontract.contracts._wire import Json
from wirecontract.contracts.buffer import ConsumerMessage, ConsumerMessageTaken, LeaseName
from wirecontract.contracts.texture import ResourceKindOther
from wirecontract.contracts.video import (
    ColorPrimaries,
    MatrixCoefficients,
    PixelFormat,
    PlaneLayout,
    TransferCharacteristics,
    VideoFrame,
    VideoRange,
)


def frame() -> VideoFrame:
    return VideoFrame(
        format=PixelFormat.NV12,
        plane_count=2,
        width=64,
        height=4,
        size=384,
        plane0=PlaneLayout(offset=0, pitch=64),
        plane1=PlaneLayout(offset=256, pitch=64),
        plane2=PlaneLayout(offset=0, pitch=0),
        device_ordinal=-1,
        matrix=MatrixCoefficients.BT709,
        primaries=ColorPrimaries.BT709,
        transfer=TransferCharacteristics.BT709,
        range=VideoRange.LIMITED,
    )


def values() -> list[Any]:
    return [
        PlaneLayout(offset=7, pitch=2**32 - 1),
        frame(),
        LeaseName(lease_id=3),
        ConsumerMessageTaken(LeaseName(lease_id=3)),
        ResourceKindOther("x", Json('{"more":[1]}')),
    ]


def name(value: object) -> str:
    return type(value).__name__


@pytest.mark.parametrize("value", values(), ids=name)
def test_a_copy_and_a_pickle_are_the_same_value(value: Any) -> None:
    again = [pickle.loads(pickle.dumps(value, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    for other in [*again, copy.copy(value), copy.deepcopy(value)]:
        assert type(other) is type(value)
        assert other == value
        assert hash(other) == hash(value)
        assert repr(other) == repr(value)
        assert other is not value


@pytest.mark.parametrize("value", values(), ids=name)
def test_nothing_is_made_without_its_fields(value: Any) -> None:
    cls: Any = type(value)
    with pytest.raises(TypeError):
        cls.__new__(cls)


def test_the_base_of_a_union_is_no_value() -> None:
    with pytest.raises(TypeError, match="ConsumerMessage is one of its variants"):
        ConsumerMessage()


def test_a_replaced_field_is_checked_as_a_given_one() -> None:
    plane = PlaneLayout(offset=7, pitch=8)
    assert plane.__replace__(pitch=9) == PlaneLayout(offset=7, pitch=9)
    assert plane.__replace__() == plane
    with pytest.raises(WireError) as caught:
        plane.__replace__(pitch=2**32)
    assert (caught.value.code, caught.value.field, caught.value.offset) == (Code.OUT_OF_RANGE, "pitch", 8)
    with pytest.raises(TypeError):
        plane.__replace__(length=1)
    assert LeaseName(lease_id=3).__replace__(lease_id=4) == LeaseName(lease_id=4)
    taken = ConsumerMessageTaken(LeaseName(lease_id=3))
    assert taken.__replace__(value=LeaseName(lease_id=5)).value == LeaseName(lease_id=5)


def test_fields_match_by_position_in_the_order_of_the_declaration() -> None:
    assert VideoFrame.__match_args__[:3] == ("version", "format", "plane_count")
    match ConsumerMessageTaken(LeaseName(lease_id=3)):
        case ConsumerMessageTaken(LeaseName(lease_id)):
            assert lease_id == 3
        case _:
            pytest.fail("it is that variant")
    match PlaneLayout(offset=7, pitch=8):
        case PlaneLayout(offset, pitch):
            assert (offset, pitch) == (7, 8)
        case _:
            pytest.fail("it is a plane")


@pytest.mark.parametrize("value", values(), ids=name)
def test_a_value_stays_as_it_was_made(value: Any) -> None:
    for field in type(value).__match_args__:
        with pytest.raises(AttributeError):
            setattr(value, field, 1)
    # Which of both, differs between versions of Python.
    with pytest.raises((AttributeError, TypeError)):
        value.another = 1
    assert not hasattr(value, "another")
