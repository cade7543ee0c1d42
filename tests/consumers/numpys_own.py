"""numpy's own test file, in which arrays are ours.

Its source is compiled with another `np`: what makes an array there gives an `Array`, which has a tensor of
ours, and numpy's `from_dlpack` takes that. What it asks of the array beside, the tensor's memory answers.
"""

import ast
import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import elements
import numpy
from layouts import Layout
from ours import Ours

SOURCE = Path(numpy.__file__).parent / "_core" / "tests" / "test_dlpack.py"
CLASS = "TestDLPack"

# Tests of that file that ask something of our tensors.
POINTED = {
    "test_copy",
    "test_device",
    "test_dlpack_destructor_exception",
    "test_dlpack_device",
    "test_dtype_passthrough",
    "test_dunder_dlpack_copy",
    "test_dunder_dlpack_refcount",
    "test_dunder_dlpack_stream",
    "test_from_dlpack_refcount",
    "test_higher_dims",
    "test_ndim0",
    "test_non_contiguous",
    "test_readonly",
    "test_size1dims_arrays",
    "test_writeable",
}
# Tests that need an array that no tensor can be, and why.
NOT_POINTED = {
    "test_invalid_byte_swapping": "a tensor has this machine's byte order: there is no word for another",
    "test_invalid_dtype": "a tensor of datetime64 is refused where it is made",
    "test_strides_not_multiple_of_itemsize": "strides count elements: there is no word for 5 bytes",
}


def tests_of_the_file() -> set[str]:
    """The names of all tests in numpy's file, wherever in it they are."""
    tree = ast.parse(SOURCE.read_text())
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {node.name for node in functions if node.name.startswith("test")}


def pointed(ours: Ours) -> type:
    """numpy's class of tests, over one implementation."""
    tree = ast.parse(SOURCE.read_text(), str(SOURCE))
    imports = {"import numpy as np", "import sys"}
    left_out = [node for node in tree.body if ast.unparse(node) in imports]
    if len(left_out) != len(imports):
        raise AssertionError(f"expected {imports} at the top of {SOURCE}, found {left_out}: look at it anew")
    tree.body = [node for node in tree.body if node not in left_out]
    names: dict[str, Any] = {"__name__": "numpys_own", "np": Numpy(ours), "sys": System()}
    exec(compile(tree, str(SOURCE), "exec"), names)
    tests: type = names[CLASS]
    for name in NOT_POINTED:
        delattr(tests, name)
    return tests


class Array:
    """An array whose memory is a tensor of ours. numpy's file makes classes of it."""

    ours: Ours

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._point(numpy.ndarray(*arguments, **named))

    @classmethod
    def of(cls, array: Any) -> Any:
        """One with the values and the strides of an array of numpy's."""
        made = cls.__new__(cls)
        made._point(array)
        return made

    def _point(self, array: Any) -> None:
        strides = tuple(stride // array.itemsize for stride in array.strides)
        before = sum(
            -stride * (extent - 1) for stride, extent in zip(strides, array.shape, strict=True) if stride < 0
        )
        layout = Layout("", array.shape, strides, before, read_only=not array.flags.writeable)
        size = elements.size(array.dtype.name)
        self.tensor = self.ours.tensor(array.dtype.name, layout, bytes(layout.count * size))
        first = self.ours.address(self.tensor) - before * size
        memory = (ctypes.c_uint8 * (layout.count * size)).from_address(first)
        self.array: Any = numpy.ndarray(array.shape, array.dtype, memory, before * size, array.strides)
        self.array[...] = array

    def __dlpack__(self, **asked: Any) -> Any:
        return self.tensor.__dlpack__(**asked)

    def __dlpack_device__(self) -> Any:
        return self.tensor.__dlpack_device__()

    def __array__(self, *_: Any, **__: Any) -> Any:
        return self.array

    def __getattr__(self, name: str) -> Any:
        return getattr(self.array, name)

    def __getitem__(self, index: Any) -> Any:
        return type(self).of(self.array[index])

    def copy(self) -> Any:
        return type(self).of(self.array.copy())

    def astype(self, dtype: Any) -> Any:
        return type(self).of(self.array.astype(dtype))

    def reshape(self, *shape: Any) -> Any:
        return type(self).of(self.array.reshape(*shape))

    def view(self, kind: Any) -> Any:
        """As numpy's where it is given a class."""
        made = kind.__new__(kind)
        made.__dict__ = self.__dict__
        return made

    @property
    def flags(self) -> "Flags":
        return Flags(self)


class Flags:
    """Those of an array, of which one can be set."""

    def __init__(self, array: Array) -> None:
        self.array = array

    @property
    def writeable(self) -> bool:
        return bool(self.array.array.flags.writeable)

    @writeable.setter
    def writeable(self, value: bool) -> None:
        numbers = self.array.array.copy()
        numbers.flags.writeable = value
        self.array._point(numbers)


class Numpy:
    """numpy, with arrays of ours."""

    def __init__(self, ours: Ours) -> None:
        self.ndarray = type("Array", (Array,), {"ours": ours})

    def __getattr__(self, name: str) -> Any:
        return getattr(numpy, name)

    def _made(self, make: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return self.ndarray.of(make(*arguments, **named))  # type: ignore[attr-defined]

    def arange(self, *arguments: Any, **named: Any) -> Any:
        return self._made(numpy.arange, *arguments, **named)

    def array(self, *arguments: Any, **named: Any) -> Any:
        return self._made(numpy.array, *arguments, **named)

    def ones(self, *arguments: Any, **named: Any) -> Any:
        # It is the memory of another array.
        return numpy.ones(*arguments, **named)

    def zeros(self, *arguments: Any, **named: Any) -> Any:
        return self._made(numpy.zeros, *arguments, **named)

    def diagonal(self, array: Array) -> Any:
        return self._made(numpy.diagonal, array.array)

    def may_share_memory(self, array: Array, other: Any) -> bool:
        return bool(numpy.may_share_memory(array.array, other))


class System:
    """`sys`, which counts the references to a tensor where it is asked of its array."""

    @staticmethod
    def getrefcount(counted: Any) -> int:
        return sys.getrefcount(counted.tensor if isinstance(counted, Array) else counted)
