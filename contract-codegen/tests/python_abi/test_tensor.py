"""The generated structs, in both forms, against what gcc makes of the generated header."""

import ctypes
import importlib
import os
from pathlib import Path
from types import ModuleType

import pytest

FORMS = ["wirecontract.contracts.tensor", "standalone.wirecontract_gpu"]


@pytest.fixture(params=FORMS)
def tensor(request: pytest.FixtureRequest) -> ModuleType:
    """The module."""
    return importlib.import_module(request.param)


def attribute(struct: type, field: str) -> str:
    """The field under the name that it has in Python."""
    return field if hasattr(struct, field) and not callable(getattr(struct, field)) else f"{field}_"


def test_structs_are_laid_out_as_gcc_does(tensor: ModuleType) -> None:
    lines = Path(os.environ["PYTHONPATH"], "../layout.txt").read_text("utf-8").splitlines()
    struct: type[ctypes.Structure] | None = None
    seen = 0
    for line in lines:
        name, first, second = line.split()
        if isinstance(getattr(tensor, name, None), type) and name[0].isupper() and name != "DLTensor_":
            struct = getattr(tensor, name)
            assert (ctypes.sizeof(struct), ctypes.alignment(struct)) == (int(first), int(second)), name
            continue
        assert struct is not None
        field = getattr(struct, attribute(struct, name))
        assert (field.offset, field.size) == (int(first), int(second)), f"{struct.__name__}.{name}"
        seen += 1
    assert seen == sum(len(getattr(tensor, name)._fields_) for name in structs(tensor))
    assert seen > 90


def structs(tensor: ModuleType) -> list[str]:
    """The names of all structs."""
    classes = {name: getattr(tensor, name) for name in tensor.__all__}
    return [name for name, it in classes.items() if isinstance(it, type) and issubclass(it, ctypes.Structure)]


def test_all_that_a_user_needs_is_public(tensor: ModuleType) -> None:
    names = set(tensor.__all__)
    assert {"DLManagedTensor", "DLManagedTensor_deleter", "ArrowArrayStream_get_next", "DeviceType"} <= names
    assert tensor.DLTensor.WIRE_ID != tensor.DLManagedTensor.WIRE_ID
    assert ctypes.sizeof(tensor.DLTensor) == 48


def test_function_types_are_those_declared(tensor: ModuleType) -> None:
    stream = tensor.ArrowArrayStream
    prototype = tensor.ArrowArrayStream_get_schema
    assert prototype._restype_ is ctypes.c_int
    assert prototype._argtypes_ == (ctypes.POINTER(stream), ctypes.POINTER(tensor.ArrowSchema))
    assert tensor.Everything_handler._restype_ is None
    assert tensor.Everything_handler._argtypes_ == ()
    assert dict(stream._fields_)["get_schema"] is prototype


def test_a_user_shares_structs() -> None:
    use = importlib.import_module("use_tensor")
    assert use.rows((3, 4)) == [3, 4]
    assert use.deleted(2) == [5, 5]
    assert use.release() == "+s"
