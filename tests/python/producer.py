"""A producer of DLPack that is told what to say, right or wrong, and counts what is ended."""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import CapsuleType
from wirecontract.contracts import dlpack

_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype = ctypes.c_char_p
_name.argtypes = [ctypes.py_object]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]

DLTENSOR = b"dltensor"
VERSIONED = b"dltensor_versioned"
# A capsule keeps the address of its name and no copy of it.
_NAMES: list[bytes] = []


def name_of(capsule: CapsuleType) -> bytes:
    """What a capsule is called."""
    found: bytes = _name(capsule)
    return found


@dataclass(frozen=True)
class Seen:
    """What a capsule says, copied: it ends with the capsule."""

    version: tuple[int, int] | None
    flags: int
    data: int | None
    device: tuple[int, int]
    dtype: tuple[int, int, int]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    byte_offset: int


def raw(capsule: CapsuleType) -> Any:
    """The struct in a capsule, which is there as long as the capsule."""
    name = name_of(capsule)
    of = dlpack.DLManagedTensorVersioned if name.endswith(b"_versioned") else dlpack.DLManagedTensor
    address = _pointer(capsule, name)
    assert address is not None
    return of.from_address(address)


def seen(capsule: CapsuleType) -> Seen:
    """What a capsule says."""
    managed = raw(capsule)
    tensor = managed.dl_tensor
    is_versioned = isinstance(managed, dlpack.DLManagedTensorVersioned)
    return Seen(
        (managed.version.major, managed.version.minor) if is_versioned else None,
        managed.flags if is_versioned else 0,
        tensor.data,
        (tensor.device.device_type, tensor.device.device_id),
        (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes),
        tuple(tensor.shape[: tensor.ndim]) if tensor.ndim else (),
        tuple(tensor.strides[: tensor.ndim]) if tensor.ndim else (),
        tensor.byte_offset,
    )


def capsule(address: int | None, name: bytes) -> CapsuleType:
    """A capsule that ends nothing."""
    _NAMES.append(name)
    made: CapsuleType = _new(address, name, None)
    return made


@dataclass
class Producer:
    """Offers one tensor. Whatever it says of it, the memory is 4096 bytes."""

    shape: Sequence[int] | None = (2, 3)
    strides: Sequence[int] | None = (3, 1)
    code: int = 2
    bits: int = 32
    lanes: int = 1
    device: tuple[int, int] = (1, 0)
    ndim: int | None = None
    data: int | None = None
    byte_offset: int = 0
    versioned: bool = True
    version: tuple[int, int] = (1, 3)
    flags: int = 0
    name: bytes | None = None
    no_deleter: bool = False
    asked: list[dict[str, object]] = field(default_factory=list)
    deleted: int = 0

    def __post_init__(self) -> None:
        self._memory = (ctypes.c_uint8 * 4096)(*range(256))
        self._kept: list[object] = []

    @property
    def address(self) -> int:
        """Where its memory is."""
        return ctypes.addressof(self._memory)

    def _fill(self, tensor: dlpack.DLTensor) -> None:
        def numbers(of: Sequence[int] | None) -> Any:
            if of is None:
                return None
            array = (ctypes.c_int64 * max(len(of), 1))(*of)
            self._kept.append(array)
            return ctypes.cast(array, ctypes.POINTER(ctypes.c_int64))

        tensor.data = self.address if self.data is None else self.data
        tensor.device.device_type, tensor.device.device_id = self.device
        tensor.ndim = len(self.shape or ()) if self.ndim is None else self.ndim
        tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = self.code, self.bits, self.lanes
        shape, strides = numbers(self.shape), numbers(self.strides)
        if shape is not None:
            tensor.shape = shape
        if strides is not None:
            tensor.strides = strides
        tensor.byte_offset = self.byte_offset

    def capsule(self) -> CapsuleType:
        """A capsule, whose tensor the consumer has to end."""

        def delete(_: object) -> None:
            self.deleted += 1

        managed: Any
        if self.versioned:
            managed = dlpack.DLManagedTensorVersioned()
            managed.version.major, managed.version.minor = self.version
            managed.flags = self.flags
            deleter: Any = dlpack.DLManagedTensorVersioned_deleter(delete)
        else:
            managed = dlpack.DLManagedTensor()
            deleter = dlpack.DLManagedTensor_deleter(delete)
        if not self.no_deleter:
            managed.deleter = deleter
        self._fill(managed.dl_tensor)
        self._kept += [managed, deleter]
        name = self.name or (VERSIONED if self.versioned else DLTENSOR)
        return capsule(ctypes.addressof(managed), name)

    def __dlpack__(self, **asked: object) -> CapsuleType:
        self.asked.append(asked)
        return self.capsule()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


@dataclass
class Answers:
    """An object whose `__dlpack__` does what it is told."""

    answer: Callable[..., object]

    def __dlpack__(self, *arguments: object, **named: object) -> object:
        return self.answer(*arguments, **named)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)
