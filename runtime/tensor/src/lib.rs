//! Tensors to and from Python, for any crate, with any `PyO3` or none: `DLPack` and the CUDA Array Interface over
//! `CPython`'s own objects.
#![cfg(unix)]

mod copy;
mod cuda_array;
mod driver;
pub mod element;
mod exchange;
mod export;
mod import;
mod managed;
mod memory;
pub mod python;
mod request;
mod tensor;
mod view;

pub use copy::{AlignedBytes, host_copy};
pub use cuda_array::{CudaArray, CudaArrayError, Expected, cuda_array_interface};
pub use driver::{Driver, DriverError, NoDriver};
pub use exchange::{Exchange, exchange_capsule, table};
pub use export::{ExportError, dlpack, dlpack_device};
pub use import::{Import, ImportError, import, import_capsule};
pub use managed::{Form, Legacy, Managed, Unsayable, Versioned};
pub use memory::{Memory, Shaped, Typed};
pub use python::Python;
pub use request::{Arguments, ConsumerStream, Request, RequestError};
pub use tensor::{Tensor, TensorError};
pub use view::{CPU, MAX_RANK, Pending, View, ViewError, device, is_host};
pub use wirecontract_gpu::dlpack::{
    DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLManagedTensor, DLManagedTensorVersioned,
    DLPackFlags, DLPackVersion, DLTensor,
};
