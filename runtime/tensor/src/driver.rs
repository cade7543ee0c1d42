//! What only a device's driver can do, for tensors whose memory it is.

use core::ffi::c_void;
use core::fmt;

use wirecontract_gpu::dlpack::DLDevice;

use crate::view::{Pending, View};

/// Waits and copies on a device.
///
/// Without one ([`NoDriver`]) a tensor of a device is handed over where nothing is pending, and where the consumer does
/// not ask for a copy; all else is refused, and never taken for done.
pub trait Driver {
    /// Makes what a consumer does next on its stream come after what is pending. Streams are numbered as
    /// [`ConsumerStream::of`](crate::ConsumerStream::of) has them.
    ///
    /// # Errors
    /// What the driver said.
    fn wait(&self, device: DLDevice, pending: Pending, consumer: usize) -> Result<(), DriverError>;

    /// Copies the elements of a device's tensor into host memory, in row-major order without gaps, when what is pending
    /// on them is done.
    ///
    /// # Errors
    /// What the driver said.
    fn copy_to_host(&self, view: &View<'_>, to: &mut [u8]) -> Result<(), DriverError>;

    /// The device whose memory is at an address, which the CUDA Array Interface does not say.
    ///
    /// # Errors
    /// What the driver said, and that it cannot tell.
    fn device_at(&self, _address: *const c_void) -> Result<DLDevice, DriverError> {
        Err(DriverError::Missing)
    }
}

/// Why a driver did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DriverError {
    /// There is none here.
    Missing,
    /// What it said.
    Failed {
        /// Its words.
        text: String,
    },
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DriverError::Missing => f.write_str("this build has no driver of that device"),
            DriverError::Failed { text } => f.write_str(text),
        }
    }
}

impl std::error::Error for DriverError {}

/// No driver: everything is refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDriver;

impl Driver for NoDriver {
    fn wait(&self, _device: DLDevice, _pending: Pending, _consumer: usize) -> Result<(), DriverError> {
        Err(DriverError::Missing)
    }

    fn copy_to_host(&self, _view: &View<'_>, _to: &mut [u8]) -> Result<(), DriverError> {
        Err(DriverError::Missing)
    }
}
