"""Tensors of a module in plain C, through libwirecontract: exported, taken, and ended once."""

import ctypes
import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import wirecontract_c_tensors
import wirecontract_tensors as rust
from producer import Answers, Producer, capsule, name_of, raw, seen
from wirecontract.contracts import Code
from wirecontract_c_tensors import Tensor, counts, hollow_table, take, take_cuda_array, take_null

READ_ONLY, IS_COPIED, PADDED = 1, 2, 4
CUDA = {"device": (2, 3), "address": 0x7F00_0000_0000}


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    gc.collect()
    before = counts()[2], rust.held(), rust.owners()
    yield
    gc.collect()
    given, destroyed, held, disturbed = counts()
    assert given == destroyed
    # Whoever is called then may call Python.
    assert disturbed == 0
    assert (held, rust.held(), rust.owners()) == before


def left() -> int:
    """Contexts that are not ended."""
    given, destroyed, _, _ = counts()
    return given - destroyed


def test_who_knows_no_version_gets_the_legacy_capsule() -> None:
    tensor = Tensor([2, 3])
    for asked in (None, (0, 8)):
        made = tensor.__dlpack__(max_version=asked)
        assert name_of(made) == b"dltensor"
        found = seen(made)
        assert (found.data, found.shape, found.strides) == (tensor.address, (2, 3), (3, 1))
    assert name_of(tensor.__dlpack__()) == b"dltensor"


def test_who_knows_versions_gets_ours() -> None:
    tensor = Tensor([2, 3], [6, -1], code=0, offset=8)
    made = tensor.__dlpack__(max_version=(1, 0))
    assert name_of(made) == b"dltensor_versioned"
    found = seen(made)
    assert (found.version, found.flags, found.data) == ((1, 3), 0, tensor.address + 8)
    assert (found.shape, found.strides, found.dtype, found.byte_offset) == ((2, 3), (6, -1), (0, 32, 1), 0)
    assert found.device == (1, 0)


@pytest.mark.parametrize("by_context", [False, True])
def test_an_importer_takes_it(by_context: bool) -> None:
    tensor = Tensor([2, 3], bits=8, code=1, by_context=by_context)
    for offered in (tensor, tensor.__dlpack__(), tensor.__dlpack__(max_version=(1, 3))):
        taken = rust.take(offered)
        assert (taken.address, taken.shape, taken.to_bytes()) == (tensor.address, (2, 3), bytes(range(6)))


def test_a_copy_has_the_elements_in_order_and_holds_nothing() -> None:
    tensor = Tensor([2, 3], [1, 2], code=1, bits=8, by_context=True)
    count = sys.getrefcount(tensor)
    made = tensor.__dlpack__(max_version=(1, 0), copy=True)
    assert (left(), sys.getrefcount(tensor)) == (0, count)
    assert seen(made).flags == IS_COPIED
    taken = rust.take_capsule(made)
    assert (taken.address != tensor.address, taken.to_bytes()) == (True, bytes([0, 2, 4, 1, 3, 5]))
    shared = tensor.__dlpack__(copy=False)
    assert seen(shared).data == tensor.address


def test_a_device_is_asked_for() -> None:
    host, device = Tensor([2]), Tensor([2], **CUDA)  # type: ignore[arg-type]
    assert (host.__dlpack_device__(), device.__dlpack_device__()) == ((1, 0), (2, 3))
    assert seen(host.__dlpack__(dl_device=(1, 0))).device == (1, 0)
    assert seen(device.__dlpack__(dl_device=(2, 3))).device == (2, 3)
    with pytest.raises(BufferError, match="expected the device of the tensor, Cpu 0"):
        host.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="copies to the host"):
        device.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match="expected copy=None or copy=True, found copy=False"):
        device.__dlpack__(dl_device=(1, 0), copy=False)


def test_read_only_is_said_or_refused() -> None:
    tensor = Tensor([4], flags=READ_ONLY, by_context=True)
    assert seen(tensor.__dlpack__(max_version=(1, 0))).flags == READ_ONLY
    with pytest.raises(BufferError, match="a legacy capsule cannot say so"):
        tensor.__dlpack__()
    assert rust.take(tensor).read_only


def test_padded_elements_are_said() -> None:
    assert seen(Tensor([4], code=15, bits=6, flags=PADDED).__dlpack__(max_version=(1, 3))).flags == PADDED


def test_a_stream_is_waited_for_by_nobody() -> None:
    pending = Tensor([2], stream=0x5555, **CUDA)  # type: ignore[arg-type]
    assert seen(pending.__dlpack__(stream=0x5555)).device == (2, 3)
    with pytest.raises(BufferError, match="lets one stream wait for another"):
        pending.__dlpack__(stream=1)
    with pytest.raises(RuntimeError, match="expected stream=None of host memory"):
        Tensor([2]).__dlpack__(stream=1)


@pytest.mark.parametrize(
    ("argument", "value", "error"),
    [
        ("stream", "1", TypeError),
        ("stream", 0, ValueError),
        ("max_version", 1, TypeError),
        ("dl_device", (1, None), TypeError),
        ("dl_device", (2**40, 0), ValueError),
        ("copy", 1, ValueError),
    ],
)
def test_arguments_of_no_meaning_are_refused(argument: str, value: object, error: type[Exception]) -> None:
    tensor = Tensor([2], by_context=True)
    count = sys.getrefcount(tensor)
    with pytest.raises(error, match="expected"):
        tensor.__dlpack__(**{argument: value})
    assert (left(), sys.getrefcount(tensor)) == (0, count)


def test_what_an_argument_raises_comes_through() -> None:
    class Odd:
        def __index__(self) -> int:
            raise ZeroDivisionError("in the index")

    with pytest.raises(ZeroDivisionError, match="in the index"):
        Tensor([2]).__dlpack__(max_version=(Odd(), 0))


@pytest.mark.parametrize(
    ("tensor", "error", "text"),
    [
        (Tensor([-1]), BufferError, "expected 0 elements or more in dimension 0, found -1"),
        (Tensor([2**40, 2**40]), BufferError, "expected a tensor that 64 bits can count"),
        (Tensor([2], ndim=-1), BufferError, "expected ndim of 0 to 64, found -1"),
        (Tensor([2], ndim=65), BufferError, "expected ndim of 0 to 64, found 65"),
        (Tensor([2], flags=READ_ONLY | 2), ValueError, "found 0x2 as well"),
        (Tensor([2], flags=1 << 40), ValueError, "found 0x10000000000 as well"),
        (
            Tensor([2], offset=2**63),
            BufferError,
            "expected byte_offset within an address space, found 9223372036854775808",
        ),
    ],
)
def test_what_is_no_tensor_is_refused(tensor: Tensor, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        tensor.__dlpack__(max_version=(1, 0))
    with pytest.raises(error, match=text):
        rust.take(tensor)


def test_an_array_of_cuda_s_is_said() -> None:
    tensor = Tensor([2, 3], [6, 2], flags=READ_ONLY, stream=0x77, by_context=True, **CUDA)  # type: ignore[arg-type]
    assert tensor.__cuda_array_interface__ == {
        "shape": (2, 3),
        "typestr": "<f4",
        "data": (CUDA["address"], True),
        "version": 3,
        "strides": (24, 8),
        "stream": 0x77,
    }
    assert not hasattr(Tensor([2]), "__cuda_array_interface__")
    with pytest.raises(BufferError, match="use __dlpack__"):
        _ = Tensor([2], code=4, bits=16, **CUDA).__cuda_array_interface__  # type: ignore[arg-type]


def test_an_array_of_cuda_s_is_taken_and_held() -> None:
    tensor = Tensor([2, 3], [6, 2], flags=READ_ONLY, stream=0x77, **CUDA)  # type: ignore[arg-type]
    count = sys.getrefcount(tensor)
    taken, stream = take_cuda_array(tensor, 5)
    assert stream == 0x77
    assert sys.getrefcount(tensor) == count + 1
    address, shape, strides, dtype, device, flags, version, offset = taken.said()
    assert (address, shape, strides, dtype) == (CUDA["address"], (2, 3), (6, 2), (2, 32, 1))
    assert (device, flags, version, offset) == ((2, 5), READ_ONLY, (1, 3), 0)
    del taken
    assert sys.getrefcount(tensor) == count
    with pytest.raises(
        TypeError, match="expected an object with __cuda_array_interface__, found one of type object"
    ):
        take_cuda_array(object(), 0)


@pytest.mark.parametrize("arguments", [{}, {"max_version": (1, 0)}])
def test_a_capsule_is_ended_once(arguments: dict[str, object]) -> None:
    tensor = Tensor([2], by_context=True)
    count = sys.getrefcount(tensor)
    made = tensor.__dlpack__(**arguments)
    assert (left(), sys.getrefcount(tensor)) == (1, count + 1)
    del made  # nobody took it
    assert (left(), sys.getrefcount(tensor)) == (0, count)
    made = tensor.__dlpack__(**arguments)
    taken = take(made)
    with pytest.raises(ValueError, match="found a used one"):
        take(made)
    with pytest.raises(ValueError, match="found a used one"):
        rust.take(made)
    del made
    assert left() == 1
    del taken
    assert (left(), sys.getrefcount(tensor)) == (0, count)


def test_tensors_are_ended_by_another_thread() -> None:
    tensor = Tensor([2], by_context=True)
    count = sys.getrefcount(tensor)
    things = [[take(tensor), tensor.__dlpack__(), rust.take(tensor)] for _ in range(64)]
    assert left() == 192
    thread = threading.Thread(target=things.clear)
    thread.start()
    thread.join()
    assert (left(), sys.getrefcount(tensor)) == (0, count)


def test_a_deleter_is_called_without_the_lock() -> None:
    tensor = Tensor([2], by_context=True)
    count = sys.getrefcount(tensor)
    made = tensor.__dlpack__(max_version=(1, 0))
    managed = raw(made)
    address = ctypes.addressof(managed)
    ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(made), b"used_dltensor_versioned")
    deleter = ctypes.cast(managed.deleter, ctypes.c_void_p).value
    assert deleter is not None
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(address)
    assert (left(), sys.getrefcount(tensor)) == (0, count)


@pytest.mark.parametrize("versioned", [True, False])
def test_another_s_tensor_is_taken_and_said_anew(versioned: bool) -> None:
    producer = Producer(
        strides=None, versioned=versioned, version=(1, 0), flags=READ_ONLY if versioned else 0, byte_offset=16
    )
    taken = take(producer)
    address, shape, strides, dtype, device, flags, version, offset = taken.said()
    assert (address, shape, strides, dtype) == (producer.address + 16, (2, 3), (3, 1), (2, 32, 1))
    assert (device, flags, version, offset) == ((1, 0), READ_ONLY if versioned else 0, (1, 3), 0)
    assert producer.deleted == 0
    del taken
    assert producer.deleted == 1


def test_a_copy_stays_one() -> None:
    assert take(Producer(flags=IS_COPIED)).said()[5] == IS_COPIED


def test_what_is_asked_is_said_to_the_producer() -> None:
    producer = Producer()
    with pytest.raises(BufferError, match="expected a tensor of Cuda 1"):
        take(producer, device=(2, 1), copy=2, stream=7)
    take(producer, copy=1)
    assert producer.asked == [
        {"max_version": (1, 3), "stream": 7, "dl_device": (2, 1), "copy": True},
        {"max_version": (1, 3), "copy": False},
    ]
    assert producer.deleted == 2
    with pytest.raises(ValueError, match="expected copy to be 0, 1 or 2, found 3"):
        take(producer, copy=3)


def raises(*_: object, **__: object) -> object:
    raise LookupError("of its own")


@pytest.mark.parametrize(
    ("offered", "error", "text"),
    [
        (object(), AttributeError, "found one of type object"),
        (
            Answers(lambda **_: 1),
            TypeError,
            "expected __dlpack__ to give a capsule, found an object of type int",
        ),
        (Answers(raises), LookupError, "of its own"),
        (capsule(1, b"other"), ValueError, "found `other`"),
    ],
)
def test_what_offers_no_tensor_is_refused(offered: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        take(offered)


def test_a_panic_is_a_runtime_error_with_its_words() -> None:
    beside = Path(wirecontract_c_tensors.__file__)
    library = ctypes.PyDLL(str(beside.with_name("libwirecontract_c_panics.so")))
    status = ctypes.c_int32()
    with pytest.raises(RuntimeError, match="panicked: rank 3 has no name"):
        library.wirecontract_c_panics(ctypes.byref(status))
    assert status.value == Code.PANIC


def test_no_object_is_refused() -> None:
    with pytest.raises(TypeError, match="expected an object, found NULL"):
        take_null()


@pytest.mark.parametrize(
    "wrong", [{"version": (2, 0)}, {"ndim": -1}, {"shape": None, "ndim": 1}, {"shape": (2, -3)}, {"data": 0}]
)
def test_what_is_refused_is_ended(wrong: dict[str, object]) -> None:
    producer = Producer(**wrong)  # type: ignore[arg-type]
    with pytest.raises(BufferError, match="expected"):
        take(producer)
    assert producer.deleted == 1


_table = ctypes.pythonapi.PyCapsule_GetPointer
_table.restype = ctypes.c_void_p
_table.argtypes = [ctypes.py_object, ctypes.c_char_p]
_at = _table(Tensor.__dlpack_c_exchange_api__, b"dlpack_exchange_api")
assert _at is not None
TABLE = ctypes.cast(_at, ctypes.POINTER(ctypes.c_void_p))
SET_ERROR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, SET_ERROR)(
    TABLE[2]
)
TO_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.py_object))(TABLE[4])
LEND = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(TABLE[5])


def test_the_table_exports_without_a_call_of_python() -> None:
    tensor = Tensor([2, 3], [3, 1], flags=READ_ONLY, by_context=True)
    count = sys.getrefcount(tensor)
    taken = rust.take(tensor)  # asks the table first
    assert (taken.address, taken.read_only, sys.getrefcount(tensor), left()) == (
        tensor.address,
        True,
        count + 1,
        1,
    )
    del taken
    assert (left(), sys.getrefcount(tensor)) == (0, count)


def test_the_table_lends_numbers_that_stay_in_place() -> None:
    from wirecontract.contracts import dlpack

    tensor = Tensor([2, 3], [3, 1], offset=4, by_context=True)
    count = sys.getrefcount(tensor)
    lent = dlpack.DLTensor()
    assert LEND(tensor, ctypes.byref(lent)) == 0
    assert (lent.data, lent.byte_offset) == (tensor.address + 4, 0)
    assert (list(lent.shape[:2]), list(lent.strides[:2])) == ([2, 3], [3, 1])
    assert (left(), sys.getrefcount(tensor)) == (0, count)
    with pytest.raises(BufferError, match="expected 1 strides in the object, found none"):
        LEND(Tensor([2]), ctypes.byref(lent))
    with pytest.raises(TypeError, match="expected a Tensor, found an object of another type"):
        LEND(b"no tensor", ctypes.byref(lent))


def test_the_table_refuses_what_a_stream_has_still_to_make() -> None:
    from wirecontract.contracts import dlpack

    pending = Tensor([2], [1], stream=0x5555, by_context=True, **CUDA)  # type: ignore[arg-type]
    count = sys.getrefcount(pending)
    for refused in (lambda: LEND(pending, ctypes.byref(dlpack.DLTensor())), lambda: rust.take(pending)):
        with pytest.raises(BufferError, match="stream 21845 has still to make them"):
            refused()
    assert (left(), sys.getrefcount(pending)) == (0, count)


def test_the_table_makes_objects_and_ends_what_is_none() -> None:
    producer = Producer(flags=READ_ONLY)
    out = ctypes.py_object()
    assert TO_OBJECT(ctypes.addressof(raw(producer.capsule())), ctypes.byref(out)) == 0
    assert out.value.said()[0] == producer.address
    ctypes.pythonapi.Py_DecRef(out)
    del out
    gc.collect()
    assert producer.deleted == 1
    wrong = Producer(shape=(2, -3))
    with pytest.raises(BufferError, match="expected 0 elements or more in dimension 1"):
        TO_OBJECT(ctypes.addressof(raw(wrong.capsule())), ctypes.byref(ctypes.py_object()))
    assert wrong.deleted == 1
    with pytest.raises(BufferError, match="found NULL"):
        TO_OBJECT(None, ctypes.byref(ctypes.py_object()))


@pytest.mark.parametrize(
    ("shape", "kind", "text"),
    [([-3], b"BufferError", b"found -3"), ([2**59], b"MemoryError", b"4611686018427387904 bytes of memory")],
)
def test_the_table_tells_why_nothing_is_allocated(shape: list[int], kind: bytes, text: bytes) -> None:
    from wirecontract.contracts import dlpack

    told: list[tuple[bytes, bytes]] = []

    def tell(_: int | None, kind: bytes, text: bytes) -> None:
        told.append((kind, text))

    asked = dlpack.DLTensor()
    asked.device.device_type, asked.ndim = 1, len(shape)
    asked.dtype.code, asked.dtype.bits, asked.dtype.lanes = 2, 64, 1
    asked.shape = ctypes.cast((ctypes.c_int64 * len(shape))(*shape), ctypes.POINTER(ctypes.c_int64))
    made = ctypes.c_void_p()
    assert ALLOCATE(ctypes.byref(asked), ctypes.byref(made), None, SET_ERROR(tell)) == -1
    [(found, words)] = told
    assert (made.value, found) == (None, kind)
    assert text in words, words


def test_a_table_that_nobody_could_use_is_refused() -> None:
    with pytest.raises(
        ValueError, match="expected managed_tensor_allocator in the exchange table, found NULL"
    ):
        hollow_table(1)
    with pytest.raises(ValueError, match=r"expected an exchange table of DLPack 1\.x, found one of 2\.0"):
        hollow_table(2)
