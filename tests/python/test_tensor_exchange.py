"""The exchange table of a type, called as C calls it."""

import ctypes
import gc
import sys
from collections.abc import Callable, Iterator

import pytest
from producer import Producer, raw
from wirecontract.contracts import dlpack
from wirecontract_tensors import Taken, Tensor, held, owners

_table = ctypes.pythonapi.PyCapsule_GetPointer
_table.restype = ctypes.c_void_p
_table.argtypes = [ctypes.py_object, ctypes.c_char_p]
_at = _table(Tensor.__dlpack_c_exchange_api__, b"dlpack_exchange_api")
assert _at is not None
TABLE = ctypes.cast(_at, ctypes.POINTER(ctypes.c_void_p))
# With the GIL, since they take and give objects, and set exceptions. The header is two words long.
FROM_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(TABLE[3])
TO_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.py_object))(TABLE[4])
BORROW = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(TABLE[5])
STREAM = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p)(TABLE[6])
SET_ERROR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, SET_ERROR)(
    TABLE[2]
)


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    before = held(), owners()
    yield
    gc.collect()
    assert (held(), owners()) == before


def managed(at: ctypes.c_void_p) -> dlpack.DLManagedTensorVersioned:
    assert at.value is not None
    return dlpack.DLManagedTensorVersioned.from_address(at.value)


def end(at: ctypes.c_void_p) -> None:
    deleter = ctypes.cast(managed(at).deleter, ctypes.c_void_p).value
    assert deleter is not None
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(at)


def test_an_object_is_exported_and_held() -> None:
    tensor = Tensor("int16", [2, 3], [1, 2], read_only=True)
    count = sys.getrefcount(tensor)
    made = ctypes.c_void_p()
    assert FROM_OBJECT(tensor, ctypes.byref(made)) == 0
    assert sys.getrefcount(tensor) == count + 1
    assert (managed(made).dl_tensor.data, managed(made).flags) == (tensor.address, 1)
    end(made)
    assert sys.getrefcount(tensor) == count


def test_an_object_is_lent_and_not_held() -> None:
    tensor = Tensor("int16", [2, 3], [1, 2])
    count = sys.getrefcount(tensor)
    lent = dlpack.DLTensor()
    assert BORROW(tensor, ctypes.byref(lent)) == 0
    assert (lent.data, lent.ndim, lent.dtype.bits) == (tensor.address, 2, 16)
    assert (list(lent.shape[:2]), list(lent.strides[:2])) == ([2, 3], [1, 2])
    assert sys.getrefcount(tensor) == count


def test_a_tensor_becomes_an_object_which_ends_it() -> None:
    producer = Producer(flags=1)
    capsule = producer.capsule()
    out = ctypes.py_object()
    assert TO_OBJECT(ctypes.addressof(raw(capsule)), ctypes.byref(out)) == 0
    made = out.value
    assert isinstance(made, Taken)
    assert (made.address, made.read_only, producer.deleted) == (producer.address, True, 0)
    # The place holds a reference of its own, which is C's to give back.
    ctypes.pythonapi.Py_DecRef(out)
    del out, made
    gc.collect()
    assert producer.deleted == 1


def test_a_tensor_that_is_none_is_ended_and_refused() -> None:
    producer = Producer(shape=(2, -3))
    capsule = producer.capsule()
    with pytest.raises(BufferError, match="expected 0 elements or more in dimension 1"):
        TO_OBJECT(ctypes.addressof(raw(capsule)), ctypes.byref(ctypes.py_object()))
    assert producer.deleted == 1
    with pytest.raises(BufferError, match="found NULL"):
        TO_OBJECT(None, ctypes.byref(ctypes.py_object()))


def prototype(device: tuple[int, int], shape: list[int]) -> dlpack.DLTensor:
    tensor = dlpack.DLTensor()
    tensor.device.device_type, tensor.device.device_id = device
    tensor.ndim = len(shape)
    tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = 2, 64, 1
    tensor.shape = ctypes.cast((ctypes.c_int64 * len(shape))(*shape), ctypes.POINTER(ctypes.c_int64))
    return tensor


def test_memory_is_allocated_for_a_prototype() -> None:
    made = ctypes.c_void_p()
    said = prototype((1, 0), [3, 5])
    assert ALLOCATE(ctypes.byref(said), ctypes.byref(made), None, SET_ERROR()) == 0
    tensor = managed(made).dl_tensor
    assert (list(tensor.shape[:2]), list(tensor.strides[:2]), tensor.device.device_type) == (
        [3, 5],
        [5, 1],
        1,
    )
    assert tensor.data is not None
    assert ctypes.string_at(tensor.data, 120) == bytes(120)
    end(made)


@pytest.mark.parametrize(
    ("device", "shape", "kind", "text"),
    [
        ((2, 0), [3], b"BufferError", b"Cuda 0"),
        ((3, 0), [3], b"BufferError", b"CudaHost 0"),
        ((1, 0), [-3], b"BufferError", b"found -3"),
        ((1, 0), [1] * 65, b"BufferError", b"at most 64 dimensions, found 65"),
        ((1, 0), [2**59], b"MemoryError", b"4611686018427387904 bytes of memory"),
    ],
)
def test_what_cannot_be_allocated_is_told_to_the_caller(
    device: tuple[int, int], shape: list[int], kind: bytes, text: bytes
) -> None:
    told: list[tuple[int | None, bytes, bytes]] = []

    def tell(context: int | None, kind: bytes, text: bytes) -> None:
        told.append((context, kind, text))

    made = ctypes.c_void_p()
    said = prototype(device, shape)
    assert ALLOCATE(ctypes.byref(said), ctypes.byref(made), 77, SET_ERROR(tell)) == -1
    assert made.value is None
    [(context, found, words)] = told
    assert (context, found) == (77, kind)
    assert text in words, words


def test_host_memory_has_no_stream_and_other_devices_are_not_worked_on() -> None:
    stream = ctypes.c_void_p(7)
    assert STREAM(1, 0, ctypes.byref(stream)) == 0
    assert stream.value is None
    with pytest.raises(BufferError, match="Cuda 1"):
        STREAM(2, 1, ctypes.byref(stream))


@pytest.mark.parametrize("function", [FROM_OBJECT, BORROW])
def test_an_object_of_another_type_is_refused(function: Callable[[object, object], int]) -> None:
    made = ctypes.c_void_p()
    lent = dlpack.DLTensor()
    for other in (object(), b"no tensor", None, Taken):
        with pytest.raises(
            TypeError, match="expected an object of the type whose exchange table this is, found"
        ):
            function(other, ctypes.byref(made if function is FROM_OBJECT else lent))
    assert made.value is None
