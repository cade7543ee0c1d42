"""The libraries: how each takes a tensor, what it says of it, and how it makes one of its own."""

import ctypes
import os
from collections.abc import Sequence
from typing import Any, Protocol

import elements
import jax
import jax.numpy
import ml_dtypes
import mlx.core
import numpy
import pyarrow
import tvm_ffi
from layouts import Layout, compact
from producer import Producer, seen
from wirecontract_tensors import Tensor

TEST_ALL = bool(os.environ.get("WIRECONTRACT_TEST_ALL"))


class Unmade(Exception):
    """A library has no such array, and so none to give."""


class Library(Protocol):
    """One of them."""

    name: str
    # Whether it never writes, whatever our tensor says.
    immutable: bool

    def take(self, ours: Any) -> Any:
        """Its array of our tensor."""

    def address(self, array: Any) -> int:
        """Where the element of index 0 is."""

    def shape(self, array: Any) -> tuple[int, ...]: ...

    def strides(self, array: Any) -> tuple[int, ...] | None:
        """In elements; None where the library has none."""

    def read_only(self, array: Any) -> bool | None:
        """Whether it may not be written to; None where the library has no word for it."""

    def read(self, array: Any, dtype: str) -> bytes:
        """The elements, in the order of rows."""

    def make(self, dtype: str, layout: Layout) -> Any:
        """An array that holds `elements.memory` in a layout."""


def numpy_dtype(dtype: str) -> Any:
    """numpy's type of elements, which ml_dtypes adds to."""
    if dtype == "bfloat16" or dtype in elements.FLOATS_OF_8_BITS:
        return numpy.dtype(getattr(ml_dtypes, dtype))
    return numpy.dtype(dtype)


def memory_at(address: int, layout_shape: Sequence[int], strides: Sequence[int], size: int) -> bytes:
    """The elements of host memory, in the order of rows; strides in elements."""
    layout = Layout("", tuple(layout_shape), tuple(strides))
    return b"".join(ctypes.string_at(address + place * size, size) for place in layout.places)


class Numpy:
    name = "numpy"
    immutable = False

    def take(self, ours: Any) -> Any:
        return numpy.from_dlpack(ours)

    def address(self, array: Any) -> int:
        address: int = array.ctypes.data
        return address

    def shape(self, array: Any) -> tuple[int, ...]:
        return tuple(array.shape)

    def strides(self, array: Any) -> tuple[int, ...]:
        return tuple(stride // array.itemsize for stride in array.strides)

    def read_only(self, array: Any) -> bool:
        return not array.flags.writeable

    def read(self, array: Any, dtype: str) -> bytes:
        read: bytes = array.tobytes()
        return read

    def make(self, dtype: str, layout: Layout) -> Any:
        of = numpy_dtype(dtype)
        array: Any = numpy.ndarray(
            layout.shape,
            of,
            bytearray(elements.memory(dtype, layout.count)),
            layout.offset * of.itemsize,
            [stride * of.itemsize for stride in layout.strides],
        )
        array.flags.writeable = not layout.read_only
        return array


class Torch:
    name = "torch"
    immutable = False

    def __init__(self) -> None:
        import torch

        self.torch = torch

    def take(self, ours: Any) -> Any:
        return self.torch.from_dlpack(ours)

    def address(self, array: Any) -> int:
        address: int = array.data_ptr()
        return address

    def shape(self, array: Any) -> tuple[int, ...]:
        return tuple(array.shape)

    def strides(self, array: Any) -> tuple[int, ...]:
        return tuple(array.stride())

    def read_only(self, array: Any) -> None:
        return None

    def read(self, array: Any, dtype: str) -> bytes:
        read: bytes = array.contiguous().reshape(-1).view(self.torch.uint8).numpy().tobytes()
        return read

    def make(self, dtype: str, layout: Layout) -> Any:
        if not hasattr(self.torch, dtype):
            raise Unmade(f"torch has no {dtype}")
        if layout.read_only:
            raise Unmade("torch has no read-only tensors")
        if min(layout.strides, default=0) < 0:
            raise Unmade("torch has no negative strides")
        data = bytearray(elements.memory(dtype, layout.count))
        memory = self.torch.frombuffer(data, dtype=self.torch.uint8).view(getattr(self.torch, dtype))
        return self.torch.as_strided(memory, layout.shape, layout.strides, layout.offset)


class Jax:
    name = "jax"
    immutable = False

    def take(self, ours: Any) -> Any:
        return jax.dlpack.from_dlpack(ours)

    def address(self, array: Any) -> int:
        address: int = array.unsafe_buffer_pointer()
        return address

    def shape(self, array: Any) -> tuple[int, ...]:
        return tuple(array.shape)

    def strides(self, array: Any) -> None:
        return None

    def read_only(self, array: Any) -> None:
        return None

    def read(self, array: Any, dtype: str) -> bytes:
        read: bytes = numpy.asarray(array).tobytes()
        return read

    def make(self, dtype: str, layout: Layout) -> Any:
        if layout.strides != compact(layout.shape) or layout.offset or layout.read_only:
            raise Unmade("jax has rows one behind the other, and nothing else")
        return jax.numpy.array(Numpy().make(dtype, layout))


class Tvm:
    """It asks the exchange table of our type."""

    name = "tvm_ffi"
    immutable = False

    def take(self, ours: Any) -> Any:
        return tvm_ffi.from_dlpack(ours)

    def address(self, array: Any) -> int:
        address: int = array.data_ptr()
        return address

    def shape(self, array: Any) -> tuple[int, ...]:
        return tuple(array.shape)

    def strides(self, array: Any) -> tuple[int, ...]:
        return tuple(array.strides)

    def read_only(self, array: Any) -> None:
        return None

    def read(self, array: Any, dtype: str) -> bytes:
        # It does no arithmetic: whoever has its tensor reads the memory.
        return memory_at(self.address(array), array.shape, array.strides, elements.size(dtype))

    def make(self, dtype: str, layout: Layout) -> Any:
        if layout.read_only:
            raise Unmade("tvm_ffi has no read-only tensors")
        # It allocates nothing itself: its tensors are others' that it holds.
        return tvm_ffi.from_dlpack(producer_of(dtype, layout))


class Capsule:
    """An object without an exchange table, which gives what another gives."""

    def __init__(self, ours: Any) -> None:
        self.ours = ours

    def __dlpack__(self, **asked: Any) -> Any:
        return self.ours.__dlpack__(**asked)

    def __dlpack_device__(self) -> Any:
        return self.ours.__dlpack_device__()


class TvmByCapsule(Tvm):
    """The same library, of an object that has no exchange table."""

    name = "tvm_ffi by capsule"

    def take(self, ours: Any) -> Any:
        return tvm_ffi.from_dlpack(Capsule(ours))


class Arrow:
    name = "pyarrow"
    immutable = False

    def take(self, ours: Any) -> Any:
        return pyarrow.Tensor.from_dlpack(ours)

    def address(self, array: Any) -> int:
        address: int = array.to_numpy().ctypes.data
        return address

    def shape(self, array: Any) -> tuple[int, ...]:
        return tuple(array.shape)

    def strides(self, array: Any) -> tuple[int, ...]:
        return tuple(stride // (array.type.bit_width // 8) for stride in array.strides)

    def read_only(self, array: Any) -> bool:
        return not array.is_mutable

    def read(self, array: Any, dtype: str) -> bytes:
        read: bytes = array.to_numpy().tobytes()
        return read

    def make(self, dtype: str, layout: Layout) -> Any:
        try:
            return pyarrow.Tensor.from_numpy(Numpy().make(dtype, layout))
        except pyarrow.ArrowException as error:
            raise Unmade(str(error)) from error


class ArrowArray(Arrow):
    """The same library's arrays, which have one dimension."""

    name = "pyarrow arrays"
    immutable = True

    def take(self, ours: Any) -> Any:
        return pyarrow.Array.from_dlpack(ours)

    def address(self, array: Any) -> int:
        address: int = array.buffers()[1].address + array.offset * (array.type.bit_width // 8)
        return address

    def shape(self, array: Any) -> tuple[int, ...]:
        return (len(array),)

    def strides(self, array: Any) -> tuple[int, ...]:
        return (1,)

    def read_only(self, array: Any) -> bool:
        return True

    def read(self, array: Any, dtype: str) -> bytes:
        read: bytes = array.to_numpy(zero_copy_only=False).tobytes()
        return read

    def make(self, dtype: str, layout: Layout) -> Any:
        if len(layout.shape) != 1 or layout.strides != (1,) or not hasattr(pyarrow, dtype):
            raise Unmade("pyarrow's arrays are rows of its types")
        memory = numpy.frombuffer(elements.memory(dtype, layout.count), dtype)
        return pyarrow.array(memory)[layout.offset : layout.offset + layout.shape[0]]


class Mlx:
    name = "mlx"
    immutable = False

    def take(self, ours: Any) -> Any:
        return mlx.core.from_dlpack(ours)

    def address(self, array: Any) -> int:
        made = seen(array.__dlpack__())
        return (made.data or 0) + made.byte_offset

    def shape(self, array: Any) -> tuple[int, ...]:
        return tuple(array.shape)

    def strides(self, array: Any) -> None:
        return None

    def read_only(self, array: Any) -> None:
        return None

    def read(self, array: Any, dtype: str) -> bytes:
        flat = mlx.core.contiguous(array).reshape(-1)
        if array.size == 0:
            return b""
        read: bytes = numpy.array(mlx.core.view(flat, mlx.core.uint8)).tobytes()
        return read

    def make(self, dtype: str, layout: Layout) -> Any:
        of = getattr(mlx.core, {"bool": "bool_"}.get(dtype, dtype), None)
        if of is None:
            raise Unmade(f"mlx has no {dtype}")
        if layout.read_only:
            raise Unmade("mlx says of nothing that it is read-only")
        raw = mlx.core.array(numpy.frombuffer(elements.memory(dtype, layout.count), numpy.uint8))
        array = mlx.core.as_strided(mlx.core.view(raw, of), layout.shape, layout.strides, layout.offset)
        mlx.core.eval(array)
        return array


# What a tensor of theirs is made of ends behind it, in a function of Python's.
_PRODUCERS: list[Producer] = []


def producer_of(dtype: str, layout: Layout) -> Producer:
    """A producer of tests/python that offers a legacy capsule."""
    said = seen(Tensor(dtype, [1]).__dlpack__())
    made = Producer(
        shape=layout.shape,
        strides=layout.strides,
        code=said.dtype[0],
        bits=said.dtype[1],
        versioned=False,
        byte_offset=layout.offset * elements.size(dtype),
    )
    data = elements.memory(dtype, layout.count)
    ctypes.memmove(made.address, data, len(data))
    _PRODUCERS.append(made)
    return made


LIBRARIES: list[Library] = [Numpy(), Jax(), Tvm(), TvmByCapsule(), Arrow(), ArrowArray(), Mlx()]
if TEST_ALL:
    LIBRARIES.append(Torch())
# What a library gives does not depend on how it takes.
GIVING = [library for library in LIBRARIES if not isinstance(library, TvmByCapsule)]
