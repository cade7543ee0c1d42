//! Tensors to and from Python, for any crate, with any `PyO3` or none: `DLPack` and the CUDA Array Interface over
//! `CPython`'s own objects.
//!
//! Memory of Rust's becomes a struct of `DLPack` without a line of unsafe code ([`Shaped`]); a class of one's own answers
//! `__dlpack__` by [`dlpack`], and has an exchange table where its type implements [`Exchange`]. [`import`] takes the
//! tensor of any object, and [`CudaArray`] reads a CUDA Array Interface. Frames of video are handed over and taken plane by
//! plane ([`planes`]). The guide is `docs/tensors.md` of the repository.
//!
//! ```
//! use wirecontract_tensor::{Shaped, Tensor};
//!
//! let made = Shaped::new(vec![1.0f32; 6], &[2, 3])?.into_versioned();
//! // SAFETY: made by a producer that keeps to the protocol.
//! let tensor = unsafe { Tensor::from_versioned(made) }?;
//! assert_eq!((tensor.shape(), tensor.strides()), (&[2, 3][..], &[3, 1][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg(unix)]

#[macro_use]
mod conversions;
mod copy;
mod cuda_array;
mod driver;
pub mod element;
mod exchange;
mod export;
mod import;
mod managed;
mod memory;
pub mod planes;
pub mod python;
mod request;
mod tensor;
mod view;

pub use copy::{AlignedBytes, host_copy};
pub use cuda_array::{CudaArray, CudaArrayError, Expected, cuda_array_interface};
pub use driver::{Driver, DriverError, NoDriver};
pub use exchange::{Exchange, capsule_of_table, exchange_capsule, table};
pub use export::{ExportError, dlpack, dlpack_device};
pub use import::{Import, ImportError, import, import_capsule};
pub use managed::{Form, Legacy, Managed, Unsayable, Versioned};
pub use memory::{Memory, Shaped, Typed};
pub use python::Python;
pub use request::{Arguments, ConsumerStream, Request, RequestError};
pub use tensor::{Owner, Tensor, TensorError};
pub use view::{CPU, MAX_RANK, Pending, View, ViewError, device, is_host};
pub use wirecontract_gpu::dlpack::{
    DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLManagedTensor, DLManagedTensorVersioned,
    DLPackFlags, DLPackVersion, DLTensor,
};
