//! The family `dlpack` in Rust: what a later minor version brings is kept, and zero is a value of everything.

use wirecontract::{AbiStruct as _, DataModel, Flags, Open};
use wirecontract_gpu::dlpack::{
    DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLManagedTensorVersioned, DLPackExchangeApi,
    DLPackFlags, DLPackVersion,
};

#[test]
fn codes_of_a_later_minor_version_survive() {
    let device = DLDevice { device_type: Open::from_raw(99), device_id: 3 };
    assert_eq!(device.device_type.raw(), 99);
    assert_eq!(device.device_type.known(), None);
    let dtype = DLDataType { code: Open::from_raw(200), bits: 4, lanes: 1 };
    assert_eq!((dtype.code.raw(), dtype.code.known()), (200, None));
    assert_eq!(Open::<DLDeviceType>::from_raw(18).known(), Some(DLDeviceType::Trn));
    assert_eq!(Open::<DLDataTypeCode>::from_raw(17).known(), Some(DLDataTypeCode::Float4E2m1fn));
    let flags = Flags::<DLPackFlags>::from_bits(1 << 63 | 1).expect("flags of later versions are kept");
    assert_eq!(flags.bits(), 1 << 63 | 1);
}

#[test]
fn zero_is_a_tensor_of_nothing_that_nobody_deletes() {
    let tensor = DLManagedTensorVersioned::ZERO;
    assert!(tensor.deleter.is_none() && tensor.manager_ctx.is_null() && tensor.dl_tensor.data.is_null());
    assert_eq!((tensor.dl_tensor.ndim, tensor.flags.bits()), (0, 0));
    assert!(DLPackExchangeApi::ZERO.current_work_stream.is_none());
    assert_eq!(DLPackVersion::CURRENT, DLPackVersion { major: 1, minor: 3 });
}

#[test]
fn layouts_are_those_that_dlpack_has_on_every_machine() {
    let sizes = DataModel::ALL.map(|model| DLManagedTensorVersioned::LAYOUT.size(model));
    assert_eq!(sizes, [80, 80, 60, 64]);
}
