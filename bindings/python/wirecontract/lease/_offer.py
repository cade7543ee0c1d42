"""Offers, and the buffers in them: what rules and geometry say of one."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from wirecontract.contracts import Code
from wirecontract.contracts.buffer import BufferKind, MemoryAfter, Offer, SharedBuffer
from wirecontract.host import UNTYPED
from wirecontract.lease._errors import FdCount, GeometryError


def offer_of(lease: int, buffer: SharedBuffer) -> Offer:
    """The offer of a buffer, with as many file descriptors as its kind has; refused where no importer may use
    it.
    """
    check_buffer(buffer)
    return Offer(lease_id=lease, buffer=buffer.to_bytes(), fds=buffer.kind.fds)


def buffer_of(offer: Offer, came: int) -> SharedBuffer:
    """The buffer that is offered, as an importer may use it: its rules hold, and of a tensor every element is
    within it. So many file descriptors came with the offer.
    """
    if offer.fds != came:
        raise FdCount(offer.fds, came)
    buffer = SharedBuffer.from_bytes(offer.buffer)
    check_buffer(buffer)
    if offer.fds != buffer.kind.fds:
        raise FdCount(buffer.kind.fds, offer.fds)
    return buffer


def check_buffer(buffer: SharedBuffer) -> None:
    """Refuses a buffer that no importer may use."""
    buffer.validate_import()
    if buffer.element != UNTYPED:
        check_tensor(buffer)


def memory_after(kind: BufferKind) -> MemoryAfter:
    """What may be done with memory of that kind when its exporter is gone and said nothing."""
    return MemoryAfter.STAYS if kind.outlives_exporter else MemoryAfter.GONE


def check_tensor(buffer: SharedBuffer) -> None:
    """Refuses a tensor of which an element is not within its buffer. The rules know of no strides."""
    shape = buffer.shape
    elements = prod(shape)
    # What 64 bits cannot count is refused in every language, though here nothing wraps.
    if elements >= 1 << 64:
        raise overflow()
    strides: Sequence[int] = buffer.strides or _row_major(shape, elements)
    steps = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)] if elements else []
    low = sum(step for step in steps if step < 0)
    high = sum(step for step in steps if step > 0) + bool(elements)
    if low < -_MOST or high > _MOST:
        raise overflow()
    width = buffer.element.bits * buffer.element.lanes // 8
    begin, end = buffer.byte_offset + low * width, buffer.byte_offset + high * width
    if begin < 0 or end > buffer.size:
        raise outside(begin, end, buffer.size)


_MOST = (1 << 127) - 1


def _row_major(shape: Sequence[int], elements: int) -> list[int]:
    """The strides of a shape in row-major order without gaps."""
    strides = [prod(shape[axis + 1 :]) for axis in range(len(shape))] if elements else [0] * len(shape)
    if any(stride >= 1 << 63 for stride in strides):
        raise overflow()
    return strides


def outside(begin: int, end: int, size: int) -> GeometryError:
    """Elements that are not in the buffer, by the bytes of it from the lowest to the highest."""
    return GeometryError(
        Code.RULE_VIOLATED,
        f"expected elements within the {size} bytes of the buffer, found bytes {begin} to {end}",
        expected=f"elements within {size} bytes",
        found=f"bytes {begin} to {end}",
        remedy="`byte_offset` is where the element of index 0 begins, and strides count elements",
    )


def overflow() -> GeometryError:
    """Numbers whose product no 64 bits hold."""
    return GeometryError(
        Code.OUT_OF_RANGE,
        "expected a tensor that 64 bits can count, found one beyond",
        expected="a tensor that 64 bits can count",
        remedy="no memory holds it",
    )
