"""The structs of the family `dlpack` in Python: laid out as in C, and codes of later versions survive."""

import ctypes
import struct

from wirecontract.contracts import dlpack


def test_structs_have_the_sizes_of_this_machine() -> None:
    wide = ctypes.sizeof(ctypes.c_void_p) == 8
    assert ctypes.sizeof(dlpack.DLTensor) == (48 if wide else 36)
    assert ctypes.sizeof(dlpack.DLManagedTensorVersioned) == (80 if wide else 60)
    assert ctypes.sizeof(dlpack.DLPackExchangeApi) == (56 if wide else 32)


def test_codes_of_a_later_minor_version_survive() -> None:
    device = dlpack.DLDevice.from_buffer_copy(struct.pack("=ii", 99, 1))
    assert (device.device_type, device.device_id) == (99, 1)
    assert bytes(device) == struct.pack("=ii", 99, 1)
    dtype = dlpack.DLDataType.from_buffer_copy(struct.pack("=BBH", 200, 4, 1))
    assert (dtype.code, dtype.bits, dtype.lanes) == (200, 4, 1)
    assert dlpack.DLDataTypeCode(2) is dlpack.DLDataTypeCode.FLOAT


def test_a_tensor_is_deleted_by_the_function_that_made_it() -> None:
    deleted: list[int] = []

    def delete(tensor: "ctypes._Pointer[dlpack.DLManagedTensorVersioned]") -> None:
        deleted.append(tensor.contents.dl_tensor.ndim)

    shape = (ctypes.c_int64 * 2)(3, 4)
    managed = dlpack.DLManagedTensorVersioned()
    managed.dl_tensor.ndim = 2
    managed.dl_tensor.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
    managed.deleter = dlpack.DLManagedTensorVersioned_deleter(delete)
    managed.deleter(ctypes.pointer(managed))
    assert deleted == [2]
    assert list(managed.dl_tensor.shape[:2]) == [3, 4]
