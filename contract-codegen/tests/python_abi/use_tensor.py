"""What a user writes: the type checker takes it, and a test runs it."""

import ctypes

from wirecontract.contracts import tensor


def rows(shape: tuple[int, ...]) -> list[int]:
    """A tensor's shape, through the pointer and back."""
    items = (ctypes.c_int64 * len(shape))(*shape)
    value = tensor.DLTensor()
    value.ndim = len(shape)
    value.shape = ctypes.cast(items, ctypes.POINTER(ctypes.c_int64))
    value.device.device_type = tensor.DeviceType.CUDA
    value.device.device_id = 3
    value.data = None
    found: int = value.shape[0]
    assert found == shape[0]
    return [value.shape[index] for index in range(value.ndim)]


def deleted(count: int) -> list[int]:
    """What a deleter is called with, through the function pointer."""
    seen: list[int] = []

    def deleter(it: "ctypes._Pointer[tensor.DLManagedTensor]") -> None:
        seen.append(it.contents.dl_tensor.ndim)

    managed = tensor.DLManagedTensor()
    managed.dl_tensor.ndim = 5
    assert not managed.deleter
    managed.deleter = tensor.DLManagedTensor_deleter(deleter)
    for _ in range(count):
        managed.deleter(ctypes.pointer(managed))
    return seen


def release() -> str:
    """A schema that points to itself."""
    schema = tensor.ArrowSchema()
    text = ctypes.create_string_buffer(b"+s")
    schema.format = ctypes.cast(text, ctypes.POINTER(ctypes.c_char))
    children = (ctypes.POINTER(tensor.ArrowSchema) * 1)(ctypes.pointer(schema))
    schema.children = ctypes.cast(children, ctypes.POINTER(ctypes.POINTER(tensor.ArrowSchema)))
    schema.n_children = 1
    same = schema.children[0].contents
    return ctypes.string_at(same.format).decode()
