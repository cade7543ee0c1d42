"""numpy's own tests of DLPack, pointed at our tensors."""

import numpy
import numpys_own
import pytest
from layouts import Layout
from numpys_own import NOT_POINTED, POINTED
from ours import IMPLEMENTATIONS, Ours

# A class of tests for each implementation, which pytest finds by its name.
for _number, _ours in enumerate(IMPLEMENTATIONS):
    globals()[f"TestNumpysOwn{_number}"] = numpys_own.pointed(_ours)


def test_each_test_of_numpy_s_file_is_pointed_or_has_a_reason_not_to_be() -> None:
    assert not POINTED & set(NOT_POINTED)
    assert numpys_own.tests_of_the_file() == POINTED | set(NOT_POINTED)
    for ours in IMPLEMENTATIONS:
        tests = {name for name in dir(numpys_own.pointed(ours)) if name.startswith("test")}
        assert tests == POINTED


def test_an_array_there_is_ours(ours: Ours) -> None:
    np = numpys_own.Numpy(ours)
    array = np.arange(6).reshape(2, 3)
    taken = numpy.from_dlpack(array)
    assert (taken.ctypes.data, taken.tolist()) == (ours.address(array.tensor), [[0, 1, 2], [3, 4, 5]])
    assert ours.address(array[1].tensor) != ours.address(array.tensor)
    array.flags.writeable = False
    assert not numpy.from_dlpack(array).flags.writeable


@pytest.mark.parametrize("dtype", ["datetime64", "object", ">i8", "float128"])
def test_what_no_tensor_can_be_is_refused_where_it_is_made(ours: Ours, dtype: str) -> None:
    with pytest.raises(ValueError, match=dtype):
        ours.tensor(dtype, Layout("", (2,), (1,)), bytes(64))
