//! One plane, wherever it is from: what it is, and how it is handed over.

use core::ffi::c_void;
use core::fmt;
use std::sync::Arc;

use wirecontract_gpu::dlpack::{DLDataType, DLDevice};
use wirecontract_gpu::video;

use crate::cuda_array::Interface;
use crate::driver::Driver;
use crate::export::{self, ExportError};
use crate::python::{Object, PyException, Python};
use crate::request::Request;
use crate::view::{Pending, View};

/// What keeps a plane's memory until the last of its planes and of their exports is dropped.
pub(super) type Owner = Arc<dyn Send + Sync>;

/// A plane of a frame, in memory that is kept for as long as the plane or an export of it is there. A clone is the same
/// plane.
#[derive(Clone)]
pub struct Plane {
    pub(super) described: video::Plane,
    pub(super) data: *mut c_void,
    pub(super) device: DLDevice,
    pub(super) is_read_only: bool,
    pub(super) cuda_context: usize,
    pub(super) pending: Pending,
    pub(super) owner: Owner,
}

// SAFETY: the memory may be used and let go of by any thread, as `Memory` and `DLPack` ask; by reference nothing is changed.
unsafe impl Send for Plane {}
// SAFETY: as above.
unsafe impl Sync for Plane {}

impl fmt::Debug for Plane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plane")
            .field("described", &self.described)
            .field("data", &self.data)
            .field("device", &self.device)
            .field("is_read_only", &self.is_read_only)
            .field("cuda_context", &self.cuda_context)
            .field("pending", &self.pending)
            .finish_non_exhaustive()
    }
}

impl Plane {
    /// Where the first sample is.
    pub fn data(&self) -> *mut c_void {
        self.data
    }

    /// Where the memory is: the number is this process's, whatever one the frame came with.
    pub fn device(&self) -> DLDevice {
        self.device
    }

    /// Samples in each dimension: rows, places in a row, and samples of a place where it has several.
    pub fn shape(&self) -> &[i64] {
        self.described.shape()
    }

    /// Bytes from one index to the next in each dimension, the pitch first.
    pub fn byte_strides(&self) -> &[i64] {
        self.described.byte_strides()
    }

    /// The type of a sample.
    pub fn element(&self) -> DLDataType {
        self.described.element()
    }

    /// The type of a sample in the array interface, its byte order included.
    pub fn typestr(&self) -> &'static str {
        self.described.typestr()
    }

    /// Whether it must not be written to: always of a frame that was made here.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// The `CUcontext` in which the address is valid, which neither protocol says; 0 where nobody said it.
    pub fn cuda_context(&self) -> usize {
        self.cuda_context
    }

    /// What is to be done before the samples are there.
    pub fn pending(&self) -> Pending {
        self.pending
    }

    /// The plane as a tensor, whose strides count samples.
    ///
    /// # Errors
    /// Rows that are no whole number of samples apart, samples in another byte order than the machine's, and numbers that
    /// no address space holds.
    pub fn view(&self) -> Result<View<'_>, ExportError> {
        let strides = self.described.element_strides()?;
        let view = View::new(self.data, self.device, self.element(), self.shape())?;
        let view = view.with_strides(strides)?.pending(self.pending);
        Ok(if self.is_read_only { view.read_only() } else { view })
    }

    /// Answers `__dlpack__`. The capsule keeps the memory, and no object of Python's.
    ///
    /// # Errors
    /// What [`Plane::view`] refuses, and all that cannot be as the consumer asks: of a read-only plane the legacy capsule.
    pub fn dlpack<'py>(
        &self,
        python: Python<'py>,
        request: &Request,
        driver: &dyn Driver,
    ) -> Result<Object<'py>, ExportError> {
        let view = self.view()?;
        // SAFETY: the owner keeps the memory, which nobody writes to while it is copied: of `Frame` nobody does at all, and
        // of `TakenFrame` its maker promised it.
        unsafe { export::dlpack(python, &view, request, driver, || self.owner.clone()) }
    }

    /// Answers `__dlpack_device__`, also where rows are no whole number of samples apart.
    ///
    /// # Errors
    /// What Python raised.
    pub fn dlpack_device<'py>(&self, python: Python<'py>) -> Result<Object<'py>, PyException> {
        export::device_object(python, self.device)
    }

    /// Answers `__cuda_array_interface__`, with the strides always said. The dictionary holds nothing: the object that it
    /// is an attribute of keeps the plane.
    ///
    /// # Errors
    /// Memory of no CUDA device, which is an `AttributeError`; a stream of 0, which may mean two; and what Python raised.
    pub fn cuda_array_interface<'py>(&self, python: Python<'py>) -> Result<Object<'py>, ExportError> {
        let said = Interface {
            device: self.device,
            data: self.data as usize,
            typestr: self.typestr(),
            shape: self.shape(),
            byte_strides: Some(self.byte_strides()),
            is_read_only: self.is_read_only,
            pending: self.pending,
        };
        said.dictionary(python)
    }
}
