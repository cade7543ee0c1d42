"""What the array-API standard asks of whoever gives a tensor, by sentences: `array_api` has the list."""

import ctypes
import enum
import gc
import sys
from typing import Any

import numpy
import pytest
from layouts import LAYOUTS, Layout, compact
from ours import POINTER, Ours, left_behind
from producer import DLTENSOR, VERSIONED, name_of, raw, seen
from wirecontract.contracts.dlpack import DLDeviceType

READ_ONLY, IS_COPIED = 1, 2
CUDA, ROCM, PINNED = (2, 1), (10, 0), (3, 0)
ROWS = Layout("rows", (2, 3), (3, 1))
FROZEN = Layout("read-only", (2, 3), (3, 1), read_only=True)
STRIDED = Layout("columns", (3, 2), (1, 3))
HOST = (ctypes.c_float * 6)(*range(6))


def tensor(ours: Ours, layout: Layout = ROWS) -> Any:
    """One in host memory."""
    return ours.tensor("float32", layout)


def elsewhere(ours: Ours, device: tuple[int, int]) -> Any:
    """One in the memory of a device, of which nothing is pending."""
    return ours.elsewhere("float32", ROWS, device, POINTER)


def pinned(ours: Ours) -> Any:
    """One in memory of the host that a device reads as well."""
    return ours.elsewhere("float32", ROWS, PINNED, ctypes.addressof(HOST))


ARGUMENTS = {"stream": None, "max_version": None, "dl_device": None, "copy": None}


def test_all_parameters_are_keywords_and_none_where_they_are_not_given(ours: Ours) -> None:
    one = tensor(ours)
    assert seen(one.__dlpack__()) == seen(one.__dlpack__(**ARGUMENTS))
    for name in ARGUMENTS:
        assert seen(one.__dlpack__(**{name: None})) == seen(one.__dlpack__())
    with pytest.raises(TypeError):
        one.__dlpack__(None)
    with pytest.raises(TypeError):
        one.__dlpack__(streams=None)


def test_of_cuda_and_rocm_a_stream_is_a_number(ours: Ours) -> None:
    for device in (CUDA, ROCM):
        one = elsewhere(ours, device)
        assert seen(one.__dlpack__(stream=0x5555_0000, max_version=(1, 0))).device == device
        for stream in ("1", 1.0, (1,)):
            with pytest.raises(TypeError):
                one.__dlpack__(stream=stream)


def test_what_is_done_on_the_consumer_s_stream_is_safe_or_refused(ours: Ours) -> None:
    one = ours.pending(77)
    # The same stream does one thing behind the other.
    assert seen(one.__dlpack__(stream=77)).data == POINTER
    for stream in (None, 1, 2, 78):
        with pytest.raises(BufferError):
            one.__dlpack__(stream=stream)


def test_a_stream_below_minus_one_is_none(ours: Ours) -> None:
    for one in (elsewhere(ours, CUDA), elsewhere(ours, ROCM)):
        for stream in (-2, -(2**40)):
            with pytest.raises(ValueError, match="-"):
                one.__dlpack__(stream=stream)


def test_minus_one_asks_for_no_synchronization(ours: Ours) -> None:
    assert seen(ours.pending(77).__dlpack__(stream=-1)).data == POINTER


def test_on_the_host_none_is_the_only_stream(ours: Ours) -> None:
    for one in (tensor(ours), pinned(ours)):
        one.__dlpack__(stream=None)
        for stream in (-1, 1, 2, 12345):
            with pytest.raises(RuntimeError):
                one.__dlpack__(stream=stream, dl_device=(1, 0))


def test_cuda_s_none_and_one_are_the_legacy_default_stream(ours: Ours) -> None:
    one = ours.pending(1)
    for stream in (None, 1):
        assert seen(one.__dlpack__(stream=stream)).data == POINTER
    with pytest.raises(BufferError):
        one.__dlpack__(stream=2)


def test_cuda_s_two_is_another_stream_than_one(ours: Ours) -> None:
    one = ours.pending(2)
    assert seen(one.__dlpack__(stream=2)).data == POINTER
    for stream in (None, 1, 3):
        with pytest.raises(BufferError):
            one.__dlpack__(stream=stream)


def test_cuda_s_zero_is_not_allowed(ours: Ours) -> None:
    for one in (elsewhere(ours, CUDA), ours.pending(1)):
        with pytest.raises(ValueError, match="0"):
            one.__dlpack__(stream=0)


def test_rocm_s_zero_is_its_default_stream(ours: Ours) -> None:
    one = elsewhere(ours, ROCM)
    for stream in (None, -1, 0, 3, 0x5555_0000):
        assert seen(one.__dlpack__(stream=stream)).device == ROCM


def test_rocm_s_one_and_two_are_not_allowed(ours: Ours) -> None:
    one = elsewhere(ours, ROCM)
    for stream in (1, 2):
        with pytest.raises(ValueError, match=str(stream)):
            one.__dlpack__(stream=stream)


def test_with_a_device_the_stream_is_one_of_that_device(ours: Ours) -> None:
    # To the host there is no stream, whatever the tensor's own device has.
    one = pinned(ours)
    with pytest.raises(RuntimeError):
        one.__dlpack__(dl_device=(1, 0), stream=1)
    assert seen(one.__dlpack__(dl_device=(1, 0), stream=None)).device == (1, 0)
    assert seen(elsewhere(ours, CUDA).__dlpack__(dl_device=CUDA, stream=1)).device == CUDA


def test_the_version_is_a_pair_of_numbers(ours: Ours) -> None:
    one = tensor(ours)
    assert name_of(one.__dlpack__(max_version=(1, 0))) == VERSIONED
    for version in (1, "1.0", (1,), (1, 0, 0), ("1", 0), [1, 0]):
        with pytest.raises(TypeError):
            one.__dlpack__(max_version=version)


def test_without_a_device_the_capsule_is_on_the_tensor_s_own(ours: Ours) -> None:
    for one in (tensor(ours), pinned(ours), elsewhere(ours, CUDA), elsewhere(ours, ROCM)):
        assert seen(one.__dlpack__()).device == tuple(one.__dlpack_device__())


def test_a_device_is_said_as_dlpack_device_says_it(ours: Ours) -> None:
    for one in (tensor(ours), pinned(ours), elsewhere(ours, CUDA)):
        said = one.__dlpack_device__()
        assert seen(one.__dlpack__(dl_device=said)).device == tuple(said)
        for strange in (1, "cpu", (1,), (1, 0, 0), (1, None)):
            with pytest.raises(TypeError):
                one.__dlpack__(dl_device=strange)


def test_a_device_that_cannot_be_reached_is_a_buffer_error(ours: Ours) -> None:
    for device in ((2, 0), (8, 0), (10, 0), (9999, 1)):
        for copy in (None, True, False):
            with pytest.raises(BufferError):
                tensor(ours).__dlpack__(dl_device=device, copy=copy)


def test_host_memory_is_had_by_asking_for_it(ours: Ours) -> None:
    assert seen(tensor(ours).__dlpack__(dl_device=(1, 0))).device == (1, 0)
    made = seen(pinned(ours).__dlpack__(dl_device=(1, 0), copy=False))
    assert (made.device, made.data) == ((1, 0), ctypes.addressof(HOST))
    # Of a device it takes a copy, and so a driver, which is not here.
    one = elsewhere(ours, CUDA)
    with pytest.raises(BufferError, match="driver"):
        one.__dlpack__(dl_device=(1, 0))


def test_a_copy_to_the_host_that_must_not_be_is_a_buffer_error(ours: Ours) -> None:
    one = elsewhere(ours, CUDA)
    with pytest.raises(BufferError, match="copy=False"):
        one.__dlpack__(dl_device=(1, 0), copy=False)


def test_copy_true_always_copies(ours: Ours) -> None:
    one = tensor(ours, STRIDED)
    for version in (None, (1, 0)):
        for device in (None, (1, 0)):
            capsule = one.__dlpack__(copy=True, max_version=version, dl_device=device)
            made = seen(capsule)
            assert made.data not in (None, ours.address(one))
            assert (made.shape, made.strides) == (STRIDED.shape, compact(STRIDED.shape))
            taken = numpy.from_dlpack(Given(capsule))
            assert taken.tolist() == numpy.from_dlpack(one).tolist()


class Given:
    """An object that gives one capsule."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_: object) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def test_copy_false_never_copies(ours: Ours) -> None:
    for layout in (ROWS, STRIDED):
        one = tensor(ours, layout)
        assert seen(one.__dlpack__(copy=False)).data == ours.address(one)


def test_copy_none_reuses_the_memory(ours: Ours) -> None:
    for layout in LAYOUTS:
        if layout.places and not layout.read_only:
            one = tensor(ours, layout)
            assert seen(one.__dlpack__(copy=None)).data == ours.address(one)


def test_a_copy_is_said_to_be_one(ours: Ours) -> None:
    for layout in (ROWS, FROZEN):
        one = tensor(ours, layout)
        assert seen(one.__dlpack__(copy=True, max_version=(1, 0))).flags == IS_COPIED
    assert seen(tensor(ours).__dlpack__(copy=False, max_version=(1, 0))).flags == 0


def test_what_is_given_is_a_capsule(ours: Ours) -> None:
    for version in (None, (1, 0)):
        capsule = tensor(ours).__dlpack__(max_version=version)
        assert type(capsule).__name__ == "PyCapsule"


def test_what_cannot_be_exported_is_a_buffer_error(ours: Ours) -> None:
    # A legacy capsule has no word for read-only.
    with pytest.raises(BufferError):
        tensor(ours, FROZEN).__dlpack__()
    assert seen(tensor(ours, FROZEN).__dlpack__(max_version=(1, 0))).flags == READ_ONLY


def test_other_failures_are_other_errors(ours: Ours) -> None:
    failures: list[tuple[dict[str, object], type[Exception]]] = [
        ({"max_version": "1"}, TypeError),
        ({"dl_device": 1}, TypeError),
        ({"copy": 1}, ValueError),
        ({"copy": "always"}, ValueError),
        ({"stream": "1"}, TypeError),
        ({"stream": 0}, ValueError),
        ({"stream": 1}, RuntimeError),
    ]
    for arguments, error in failures:
        with pytest.raises(error) as caught:
            tensor(ours).__dlpack__(**arguments)
        assert not isinstance(caught.value, BufferError)


@pytest.mark.parametrize("version", [None, (0, 0), (0, 8), (0, 99)])
def test_who_says_no_version_or_an_older_one_gets_the_older_struct(
    ours: Ours, version: tuple[int, int] | None
) -> None:
    capsule = tensor(ours).__dlpack__(max_version=version)
    assert (name_of(capsule), seen(capsule).version) == (DLTENSOR, None)


@pytest.mark.parametrize("version", [(1, 0), (1, 2), (1, 3), (1, 99), (2, 0), (7, 1)])
def test_who_knows_our_major_version_or_newer_ones_gets_our_own(ours: Ours, version: tuple[int, int]) -> None:
    capsule = tensor(ours).__dlpack__(max_version=version)
    assert (name_of(capsule), seen(capsule).version) == (VERSIONED, (1, 3))


def test_the_device_s_type_is_one_of_the_enumeration(ours: Ours) -> None:
    class Standard(enum.IntEnum):
        CPU = 1
        CUDA = 2
        CPU_PINNED = 3
        ROCM = 10

    named = {
        "CPU": tensor(ours),
        "CUDA": elsewhere(ours, CUDA),
        "CPU_PINNED": pinned(ours),
        "ROCM": elsewhere(ours, ROCM),
    }
    for name, one in named.items():
        kind, number = one.__dlpack_device__()
        assert Standard(kind) is Standard[name]
        assert DLDeviceType(kind).value == Standard[name]
        assert type(number) is int


def test_a_versioned_capsule_has_its_own_name(ours: Ours) -> None:
    assert name_of(tensor(ours).__dlpack__(max_version=(1, 3))) == b"dltensor_versioned"
    assert name_of(tensor(ours).__dlpack__()) == b"dltensor"


def test_nothing_is_copied_where_that_can_be(ours: Ours) -> None:
    one = tensor(ours, STRIDED)
    made = seen(one.__dlpack__(max_version=(1, 3)))
    assert (made.data, made.byte_offset, made.strides) == (ours.address(one), 0, STRIDED.strides)


def test_both_arrays_stay_of_use(ours: Ours) -> None:
    one = tensor(ours)
    first, second = numpy.from_dlpack(one), numpy.from_dlpack(one)
    first[1, 2] = 99
    assert second[1, 2] == 99
    assert ours.take(one).address == first.ctypes.data
    del one, first
    gc.collect()
    assert second.tolist() == [[1, 2, 3], [4, 5, 99]]


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_capsule_that_nobody_takes_ends_its_tensor(ours: Ours, version: tuple[int, int] | None) -> None:
    one = tensor(ours)
    count, before = sys.getrefcount(one), ours.counts()
    capsule = one.__dlpack__(max_version=version)
    assert sys.getrefcount(one) == count + 1
    del capsule
    assert (sys.getrefcount(one), left_behind(ours, before)) == (count, None)


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_capsule_that_was_taken_ends_nothing(ours: Ours, version: tuple[int, int] | None) -> None:
    one = tensor(ours)
    count, before = sys.getrefcount(one), ours.counts()
    capsule = one.__dlpack__(max_version=version)
    array = numpy.from_dlpack(Given(capsule))
    del capsule
    assert sys.getrefcount(one) == count + 1
    del array
    assert (sys.getrefcount(one), left_behind(ours, before)) == (count, None)


NAME_AT = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_name_is_there_as_long_as_the_process(ours: Ours, version: tuple[int, int] | None) -> None:
    places = {NAME_AT(tensor(ours).__dlpack__(max_version=version)) for _ in range(3)}
    (place,) = places
    gc.collect()
    assert ctypes.string_at(place) == (DLTENSOR if version is None else VERSIONED)


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_an_exception_survives_the_end_of_a_capsule(ours: Ours, version: tuple[int, int] | None) -> None:
    def fails() -> object:
        raise KeyError("on its way")

    with pytest.raises(KeyError, match="on its way"):
        assert [tensor(ours).__dlpack__(max_version=version), fails()]


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_deleter_takes_the_lock_itself(ours: Ours, version: tuple[int, int] | None) -> None:
    one = tensor(ours)
    count = sys.getrefcount(one)
    capsule = one.__dlpack__(max_version=version)
    managed = raw(capsule)
    used = b"used_" + name_of(capsule)
    ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(capsule), used)
    deleter = ctypes.cast(managed.deleter, ctypes.c_void_p).value
    assert deleter is not None
    # ctypes gives the lock back before it calls.
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(ctypes.addressof(managed))
    assert sys.getrefcount(one) == count


def test_strides_are_always_said(ours: Ours) -> None:
    for layout in LAYOUTS:
        one = tensor(ours, layout)
        for version in ((1, 0),) if layout.read_only else (None, (1, 0)):
            made = raw(one.__dlpack__(max_version=version))
            assert layout.shape == () or bool(made.dl_tensor.strides)


def test_without_elements_there_is_no_memory(ours: Ours) -> None:
    for layout in LAYOUTS:
        made = seen(tensor(ours, layout).__dlpack__(max_version=(1, 0)))
        assert (made.data is None) == (not layout.places)
