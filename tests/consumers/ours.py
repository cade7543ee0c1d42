"""What the tests ask of this project's tensors, whichever module they are a class of."""

import ctypes
import gc
import time
import weakref
from dataclasses import dataclass
from typing import Any, Protocol

import elements
import wirecontract
import wirecontract_tensors
from layouts import Layout
from producer import Producer, seen

# Where nothing is: the address of memory that nobody touches.
POINTER = 0x7F00_0000_0000


@dataclass
class Taken:
    """A tensor of another library's, and where it is."""

    tensor: Any
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    device: tuple[int, int]
    read_only: bool


class Ours(Protocol):
    """One implementation."""

    name: str

    def tensor(self, dtype: str, layout: Layout, data: bytes | None = None) -> Any:
        """A tensor in host memory of its own, at a multiple of 64 bytes, with data or `elements.memory`."""

    def elsewhere(self, dtype: str, layout: Layout, device: tuple[int, int], address: int) -> Any:
        """A tensor in the memory of a device, which nobody touches; its first byte is at the address."""

    def pending(self, stream: int) -> Any:
        """A tensor of a CUDA device on which a stream has still something to do."""

    def address(self, tensor: Any) -> int:
        """Where the element of index 0 is, of a tensor that has one."""

    def take(self, theirs: Any, **asked: Any) -> Taken:
        """Another library's tensor."""

    def counts(self) -> tuple[int, int]:
        """How many exports of ours, and how many tensors of others', are not ended."""


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

    def pending(self, stream: int) -> Any:
        return wirecontract_tensors.Tensor("float32", [4], device=(2, 1), address=POINTER, pending=stream)

    def address(self, tensor: Any) -> int:
        address: int = tensor.address
        return address

    def take(self, theirs: Any, **asked: Any) -> Taken:
        taken = wirecontract_tensors.take(theirs, **asked)
        return Taken(
            taken, taken.address, taken.shape, taken.strides, taken.dtype, taken.device, taken.read_only
        )

    def counts(self) -> tuple[int, int]:
        return wirecontract_tensors.owners(), wirecontract_tensors.held()


class Package:
    """`wirecontract.Tensor`. It counts nothing: what is not ended is a tensor that is still there."""

    name = "wirecontract"

    def __init__(self) -> None:
        self._made: weakref.WeakSet[wirecontract.Tensor] = weakref.WeakSet()
        self._taken: weakref.WeakSet[wirecontract.Tensor] = weakref.WeakSet()

    def tensor(self, dtype: str, layout: Layout, data: bytes | None = None) -> Any:
        data = elements.memory(dtype, layout.count) if data is None else data
        memory = wirecontract.Tensor.zeros([len(data)], "uint8")
        memoryview(memory)[:] = data
        tensor = wirecontract.Tensor(
            memory,
            shape=list(layout.shape),
            dtype=dtype,
            strides=list(layout.strides),
            offset=layout.offset * elements.size(dtype) if layout.offset else 0,
            readonly=layout.read_only,
        )
        self._made.add(tensor)
        return tensor

    def elsewhere(self, dtype: str, layout: Layout, device: tuple[int, int], address: int) -> Any:
        # It makes none itself, and hands on what it was given. Nobody is to wait for it.
        said = producer_of(dtype, layout, device=device, data=address)
        tensor = wirecontract.Tensor.from_dlpack(said, stream=-1)
        self._made.add(tensor)
        return tensor

    def pending(self, stream: int) -> Any:
        return wirecontract.Tensor.from_cuda_array(Array(stream), 1)

    def address(self, tensor: Any) -> int:
        address: int = tensor.data_ptr
        return address

    def take(self, theirs: Any, **asked: Any) -> Taken:
        taken = wirecontract.Tensor.from_dlpack(theirs, **asked)
        self._taken.add(taken)
        return Taken(
            taken, taken.data_ptr, taken.shape, taken.strides, taken.dtype, taken.device, taken.readonly
        )

    def counts(self) -> tuple[int, int]:
        return len(self._made), len(self._taken)


class Array:
    """A CUDA array on which a stream works."""

    def __init__(self, stream: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (4,),
            "typestr": "<f4",
            "data": (POINTER, False),
            "version": 3,
            "stream": stream,
        }


IMPLEMENTATIONS: list[Ours] = [Module(), Package()]

# What a tensor is made of ends behind it, in a function of Python's.
_PRODUCERS: list[Producer] = []


def producer_of(dtype: str, layout: Layout, **more: Any) -> Producer:
    """A producer of tests/python, of a layout at the beginning of its memory."""
    said = seen(wirecontract_tensors.Tensor(dtype, [1]).__dlpack__())
    made = Producer(
        shape=layout.shape,
        strides=layout.strides,
        code=said.dtype[0],
        bits=said.dtype[1],
        byte_offset=layout.offset * elements.size(dtype),
        flags=1 if layout.read_only else 0,
        **more,
    )
    _PRODUCERS.append(made)
    return made


# How many seconds to wait for what goes on another thread: long, until something has stayed.
_PATIENCE = [1.0, 60.0]


def left_behind(ours: Ours, before: tuple[int, int]) -> str | None:
    """What is there that was not, once nothing more goes: a library may let go on a thread of its own."""
    deadline = time.monotonic() + _PATIENCE[-1]
    # What a test that failed kept may go meanwhile.
    while any(count > earlier for count, earlier in zip(ours.counts(), before, strict=True)):
        if time.monotonic() > deadline:
            del _PATIENCE[1:]
            return f"left {ours.counts()} of (exported, taken), before it {before}"
        gc.collect()
        time.sleep(0.001)
    return None
