"""What the tests ask of this project's tensors, whichever module they are a class of."""

import ctypes
import gc
import time
from typing import Any, Protocol

import elements
import wirecontract_tensors
from layouts import Layout


class Taken(Protocol):
    """A tensor of another library's, of which this project knows where it is."""

    @property
    def address(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def device(self) -> tuple[int, int]: ...
    @property
    def read_only(self) -> bool: ...


class Ours(Protocol):
    """One implementation."""

    name: str

    def tensor(self, dtype: str, layout: Layout, data: bytes | None = None) -> Any:
        """A tensor in host memory of its own, at a multiple of 64 bytes, with data or `elements.memory`."""

    def elsewhere(self, dtype: str, layout: Layout, device: tuple[int, int], address: int) -> Any:
        """A tensor in the memory of a device, which nobody touches; its first byte is at the address."""

    def address(self, tensor: Any) -> int:
        """Where the element of index 0 is."""

    def take(self, theirs: object, **asked: Any) -> Taken:
        """Another library's tensor."""

    def counts(self) -> tuple[int, int]:
        """How many exports of ours are not ended, and how many tensors of others' are held."""


class Module:
    """The classes of tests/tensors, which count."""

    name = "tests/tensors"

    def tensor(self, dtype: str, layout: Layout, data: bytes | None = None) -> Any:
        data = elements.memory(dtype, layout.count) if data is None else data
        before = layout.offset * elements.size(dtype) if layout.offset else 0
        tensor = wirecontract_tensors.Tensor(
            dtype,
            layout.shape,
            layout.strides,
            size=len(data),
            offset=before,
            read_only=layout.read_only,
        )
        ctypes.memmove(tensor.address - before, data, len(data))
        return tensor

    def elsewhere(self, dtype: str, layout: Layout, device: tuple[int, int], address: int) -> Any:
        return wirecontract_tensors.Tensor(
            dtype,
            layout.shape,
            layout.strides,
            device=device,
            address=address + layout.offset * elements.size(dtype),
            read_only=layout.read_only,
        )

    def address(self, tensor: Any) -> int:
        address: int = tensor.address
        return address

    def take(self, theirs: object, **asked: Any) -> Taken:
        return wirecontract_tensors.take(theirs, **asked)

    def counts(self) -> tuple[int, int]:
        return wirecontract_tensors.owners(), wirecontract_tensors.held()


IMPLEMENTATIONS: list[Ours] = [Module()]


def left_behind(ours: Ours, before: tuple[int, int]) -> str | None:
    """What is there that was not, once nothing more goes: a library may let go on a thread of its own."""
    deadline = time.monotonic() + 60
    while ours.counts() != before:
        if time.monotonic() > deadline:
            return f"left {ours.counts()} of (exported, taken), before it {before}"
        gc.collect()
        time.sleep(0.001)
    return None
