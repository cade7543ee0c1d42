"""Memory of devices: what is said of it arrives, or is refused in words, and nobody needs a GPU for that."""

import ctypes
import sys

import pytest
from attempts import Raised, attempt, differs
from layouts import Layout, compact
from libraries import LIBRARIES, Library, Tvm, TvmByCapsule
from ours import Ours, left_behind
from outcomes import CUDA, CUDA_HOST, CUDA_MANAGED, DEVICES, REFUSED_DEVICES, ROCM, UNKNOWN

# Where nothing is.
POINTER = 0x7F00_0000_0000
COLUMNS = Layout("columns", (2, 3), (1, 2))
BACKWARDS = Layout("backwards", (4,), (-1,), offset=3)
HOST = (ctypes.c_float * 6)(*range(6))


@pytest.mark.parametrize("device", [(2, 0), CUDA, (2, 7), CUDA_MANAGED, CUDA_HOST, ROCM])
@pytest.mark.parametrize("library", [Tvm(), TvmByCapsule()], ids=lambda library: library.name)
@pytest.mark.parametrize("dtype", ["float32", "uint8", "bfloat16", "float8_e4m3fn", "complex64"])
@pytest.mark.parametrize(
    "layout", [Layout("a row", (6,), (1,)), COLUMNS, BACKWARDS], ids=lambda layout: layout.name
)
def test_all_that_is_said_of_a_device_s_memory_arrives(
    ours: Ours, library: Library, device: tuple[int, int], dtype: str, layout: Layout
) -> None:
    tensor = ours.elsewhere(dtype, layout, device, POINTER)
    count, before = sys.getrefcount(tensor), ours.counts()
    array = library.take(tensor)
    assert (array.__dlpack_device__(), array.shape, array.strides) == (device, layout.shape, layout.strides)
    assert library.address(array) == ours.address(tensor)
    # And back.
    taken = ours.take(array)
    assert (taken.device, taken.dtype, taken.address) == (device, dtype, ours.address(tensor))
    assert (taken.shape, taken.strides, taken.read_only) == (layout.shape, layout.strides, False)
    del array
    assert sys.getrefcount(tensor) == count + 1
    del taken
    assert (left_behind(ours, before), sys.getrefcount(tensor)) == (None, count)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_memory_of_a_device_is_taken_or_refused(
    ours: Ours, library: Library, device: tuple[int, int]
) -> None:
    rows = [row for row in REFUSED_DEVICES if row.library == library.name and device in row.devices]
    # Memory of the host, for those that take it for that.
    tensor = ours.elsewhere("float32", Layout("", (6,), compact((6,))), device, ctypes.addressof(HOST))
    count, before = sys.getrefcount(tensor), ours.counts()
    array = attempt(library.take, tensor)
    assert differs(rows[0].refused if rows else None, array) is None
    if not isinstance(array, Raised):
        assert library.address(array) == ctypes.addressof(HOST)
        assert array.__dlpack_device__() == device if device != UNKNOWN else True
    del array
    assert (left_behind(ours, before), sys.getrefcount(tensor)) == (None, count)
