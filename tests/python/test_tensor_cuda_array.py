"""The CUDA Array Interface: dictionaries that are made, and dictionaries that are taken, right and wrong."""

import re
import sys
from dataclasses import dataclass

import pytest
from producer import seen
from wirecontract_tensors import Tensor, owners, read_cuda_array, share_cuda_array

POINTER = 0x7F00_0000_0000
CUDA = {"device": (2, 0), "address": POINTER}


@dataclass
class Array:
    """An object with an interface."""

    __cuda_array_interface__: object


def interface(**changed: object) -> dict[str, object]:
    said: dict[str, object] = {
        "shape": (2, 3),
        "typestr": "<f4",
        "data": (POINTER, False),
        "version": 3,
        "strides": None,
        "stream": None,
    }
    return {key: value for key, value in (said | changed).items() if value != "absent"}


def test_an_array_of_a_device_is_described() -> None:
    tensor = Tensor("float32", [2, 3], **CUDA)  # type: ignore[arg-type]
    assert tensor.__cuda_array_interface__ == interface()
    strided = Tensor("uint16", [2, 3], [8, 1], read_only=True, pending=2, **CUDA)  # type: ignore[arg-type]
    assert strided.__cuda_array_interface__ == {
        "shape": (2, 3),
        "typestr": "<u2" if sys.byteorder == "little" else ">u2",
        "data": (POINTER, True),
        "version": 3,
        "strides": (16, 2),
        "stream": 2,
    }
    empty = Tensor("float32", [0, 3], **CUDA)  # type: ignore[arg-type]
    assert empty.__cuda_array_interface__["data"] == (0, False)
    assert Tensor("float32", [], device=(13, 0), address=8).__cuda_array_interface__["shape"] == ()


@pytest.mark.parametrize("device", [(1, 0), (3, 0), (4, 0), (7, 0), (10, 0)])
def test_what_is_in_no_cuda_memory_has_no_interface(device: tuple[int, int]) -> None:
    tensor = Tensor("float32", [2], device=device, address=POINTER)
    assert not hasattr(tensor, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="use __dlpack__"):
        tensor.__cuda_array_interface__  # noqa: B018


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float4_e2m1fn"])
def test_a_type_without_a_word_is_refused(dtype: str) -> None:
    tensor = Tensor(dtype, [2], **CUDA)  # type: ignore[arg-type]
    with pytest.raises(BufferError, match=f"found {dtype}: use __dlpack__"):
        tensor.__cuda_array_interface__  # noqa: B018


def test_an_array_is_read() -> None:
    assert read_cuda_array(Array(interface())) == (POINTER, [2, 3], [12, 4], "float32", False, None)
    said = interface(strides=(64, 4), data=(POINTER, True), stream=7)
    assert read_cuda_array(Array(said)) == (POINTER, [2, 3], [64, 4], "float32", True, 7)
    # torch says version 2, which has no stream.
    assert read_cuda_array(Array(interface(version=2, stream="absent")))[5] is None
    assert read_cuda_array(Array(interface(shape=(0, 3), data=(0, False))))[0] == 0
    assert read_cuda_array(Array(interface(strides="absent", stream="absent")))[2] == [12, 4]
    assert read_cuda_array(Tensor("uint8", [5, 7], **CUDA))[1] == [5, 7]  # type: ignore[arg-type]


FORM = "expected `{}` in __cuda_array_interface__ to be "
MISSING: list[tuple[dict[str, object], type[Exception], str]] = [
    ({key: "absent"}, ValueError, f"expected the key `{key}`")
    for key in ("shape", "typestr", "data", "version")
]
REFUSED: list[tuple[dict[str, object], type[Exception], str]] = [
    *MISSING,
    ({"version": 1}, TypeError, FORM.format("version") + "2 or 3, found 1"),
    ({"version": 4}, TypeError, FORM.format("version") + "2 or 3, found 4"),
    ({"version": "3"}, TypeError, FORM.format("version") + "2 or 3, found an object of type str"),
    (
        {"shape": [2, 3]},
        TypeError,
        FORM.format("shape") + "a tuple of integers, found an object of",
    ),
    (
        {"shape": (2, "3")},
        TypeError,
        FORM.format("shape") + "a tuple of integers",
    ),
    ({"shape": (2, -3)}, ValueError, "expected 0 elements or more in dimension 1, found -3"),
    ({"shape": (2**40, 2**40)}, ValueError, "64 bits can count"),
    ({"shape": (2**62, 1)}, ValueError, "address space"),
    ({"shape": (1,) * 65}, ValueError, "at most 64 dimensions, found 65"),
    ({"typestr": "<f3"}, ValueError, 'found "<f3"'),
    ({"typestr": ">f4"}, ValueError, "this machine's byte order"),
    ({"typestr": 4}, TypeError, FORM.format("typestr") + "text, found an object of type int"),
    ({"data": POINTER}, TypeError, FORM.format("data") + "a tuple of a pointer"),
    ({"data": (POINTER,)}, TypeError, FORM.format("data")),
    ({"data": (POINTER, 0)}, TypeError, FORM.format("data")),
    ({"data": (None, False)}, TypeError, FORM.format("data")),
    ({"data": (-1, False)}, TypeError, FORM.format("data")),
    ({"data": (2**64, False)}, TypeError, FORM.format("data")),
    ({"data": (0, False)}, ValueError, "found the pointer 0"),
    ({"data": (2**64 - 8, False)}, ValueError, "address space"),
    ({"strides": (12,)}, ValueError, "expected a stride for each of the 2 dimensions, found 1"),
    ({"strides": "12"}, TypeError, FORM.format("strides") + "a tuple of integers"),
    ({"strides": (-(2**63), 4)}, ValueError, "address space"),
    ({"stream": 0}, TypeError, FORM.format("stream") + "None, 1, 2 or a cudaStream_t, found 0"),
    ({"stream": -1}, TypeError, "found -1"),
    ({"stream": 2**63}, TypeError, "found 2**63 - 1 or more"),
    ({"stream": 2**70}, TypeError, "found 2**63 - 1 or more"),
    ({"stream": "1"}, TypeError, "found an object of type str"),
    ({"mask": Array(None)}, ValueError, "found one with a mask"),
]


@pytest.mark.parametrize(("changed", "kind", "text"), REFUSED)
def test_a_dictionary_that_is_none_is_refused(
    changed: dict[str, object], kind: type[Exception], text: str
) -> None:
    array = Array(interface(**changed))
    count = sys.getrefcount(array)
    with pytest.raises(kind, match=re.escape(text)):
        read_cuda_array(array)
    assert sys.getrefcount(array) == count


def test_an_object_without_an_interface_is_refused() -> None:
    with pytest.raises(TypeError, match=r"expected an object with __cuda_array_interface__, .* list"):
        read_cuda_array([])
    with pytest.raises(TypeError, match="a dictionary, found an object of type tuple"):
        read_cuda_array(Array((1, 2)))


def test_expectations_say_what_came() -> None:
    array = Array(interface(strides=(64, 4)))
    read_cuda_array(array, shape=[2, 3], typestr="<f4", packed_rows=True, max_pitch=64)
    with pytest.raises(ValueError, match=re.escape("expected the shape [3, 2], found [2, 3]")):
        read_cuda_array(array, shape=[3, 2])
    with pytest.raises(ValueError, match=re.escape("expected elements of type |u1, found <f4")):
        read_cuda_array(array, typestr="|u1")
    with pytest.raises(ValueError, match="expected rows 12 to 63 bytes apart, found 64"):
        read_cuda_array(array, packed_rows=True, max_pitch=63)
    with pytest.raises(ValueError, match=r"expected rows 12 to .* bytes apart, found 8"):
        read_cuda_array(Array(interface(strides=(8, 4))), packed_rows=True)
    with pytest.raises(ValueError, match="4 bytes apart in dimension 1, found 8"):
        read_cuda_array(Array(interface(strides=(64, 8))), packed_rows=True)


def test_an_array_is_handed_on_as_a_tensor_of_its_device() -> None:
    array = Array(interface(strides=(64, 4)))
    count = sys.getrefcount(array)
    made = share_cuda_array(array, 5)
    assert sys.getrefcount(array) == count + 1
    said = seen(made)
    assert (said.device, said.data, said.shape, said.strides) == ((2, 5), POINTER, (2, 3), (16, 1))
    del made
    assert (sys.getrefcount(array), owners()) == (count, 0)
    # One row has no next one, and its pitch may be any.
    assert seen(share_cuda_array(Array(interface(shape=(1, 3), strides=(7, 4))), 0)).shape == (1, 3)
    with pytest.raises(
        ValueError, match="4 bytes a whole number of them apart in dimension 0, found 66 bytes"
    ):
        share_cuda_array(Array(interface(strides=(66, 4))), 0)
    with pytest.raises(BufferError, match="that lets one stream wait"):
        share_cuda_array(Array(interface(stream=7)), 0)
    with pytest.raises(BufferError, match="a legacy capsule cannot say so"):
        share_cuda_array(Array(interface(data=(POINTER, True))), 0)
