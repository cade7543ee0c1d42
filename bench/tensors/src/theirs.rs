//! The side that stands on dlpark, with the owner that costs it least.

use std::ffi::c_void;
use std::sync::Arc;

use dlpark::ffi::{DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLTensor};
use dlpark::metadata::Dynamic;
use dlpark::python::{
    DlpackExchangeProducer, DlpackExporter, ExportRequest, ImportedDlpack, export_dlpack, from_dlpack,
};
use dlpark::{DlpackFlags, Managed, ManagedTensorBase};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use super::{SHAPE, Seen, numbers, timed};

/// A tensor, as a class of a user's own is one.
#[pyclass(frozen)]
pub(crate) struct Theirs {
    numbers: Arc<Vec<f32>>,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

impl Theirs {
    fn tensor<M: ManagedTensorBase>(&self) -> PyResult<Managed<M>> {
        let data = self.numbers.as_ptr().cast_mut().cast::<c_void>();
        let prepared = Dynamic::new(&self.shape[..], &self.strides[..]).prepare_as::<M>();
        let prepared = prepared.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let mut tensor = prepared.initialize(Arc::clone(&self.numbers));
        tensor.set_data(data).set_dtype(DLDataType::F32).set_device(DLDevice::CPU);
        // SAFETY: the numbers are those of the memory, which the context keeps.
        Ok(unsafe { tensor.finish() })
    }
}

impl DlpackExporter for Theirs {
    fn device(&self) -> DLDevice {
        DLDevice::CPU
    }

    fn flags(&self) -> DlpackFlags {
        DlpackFlags::empty()
    }

    fn prepare_export(&self, _python: Python<'_>, _request: &ExportRequest<'_>) -> PyResult<()> {
        Ok(())
    }

    fn export_legacy(&self, _python: Python<'_>) -> PyResult<Managed<DLManagedTensor>> {
        self.tensor()
    }

    fn export_versioned(&self, _python: Python<'_>) -> PyResult<Managed<DLManagedTensorVersioned>> {
        self.tensor()
    }
}

// SAFETY: an object is frozen, and each tensor's context keeps the memory.
unsafe impl DlpackExchangeProducer for Theirs {
    const HAS_DLTENSOR_VIEW: bool = true;

    fn managed_tensor_no_sync(&self, _python: Python<'_>) -> PyResult<Managed<DLManagedTensorVersioned>> {
        self.tensor()
    }

    fn tensor_view_no_sync(&self, _python: Python<'_>) -> PyResult<DLTensor> {
        Ok(DLTensor {
            data: self.numbers.as_ptr().cast_mut().cast(),
            device: DLDevice::CPU,
            ndim: 3,
            dtype: DLDataType::F32,
            shape: self.shape.as_ptr().cast_mut(),
            strides: self.strides.as_ptr().cast_mut(),
            byte_offset: 0,
        })
    }

    fn current_work_stream(_python: Python<'_>, _device: DLDevice) -> PyResult<*mut c_void> {
        Ok(std::ptr::null_mut())
    }
}

#[pymethods]
impl Theirs {
    #[new]
    fn new() -> Theirs {
        Theirs { numbers: Arc::new(numbers()), shape: SHAPE.to_vec(), strides: vec![30, 6, 1] }
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        python: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(u32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Py<PyAny>> {
        // What dlpark leaves to the class.
        if stream.is_some() {
            return Err(PyRuntimeError::new_err("expected stream=None of host memory"));
        }
        export_dlpack(self, python, ExportRequest::parse(stream, max_version, dl_device, copy)?)
    }

    #[expect(clippy::unused_self, reason = "a method of the protocol")]
    fn __dlpack_device__(&self) -> (u32, i32) {
        (1, 0)
    }
}

/// Nanoseconds in which a tensor is taken and let go of.
#[pyfunction]
pub(crate) fn import_theirs(object: &Bound<'_, PyAny>, times: u32) -> PyResult<f64> {
    timed(times, || {
        from_dlpack(object.as_borrowed(), None, None).map(|tensor| drop(std::hint::black_box(tensor)))
    })
}

/// What is taken.
#[pyfunction]
pub(crate) fn see_theirs(object: &Bound<'_, PyAny>) -> PyResult<Seen> {
    fn seen<M: ManagedTensorBase>(tensor: &Managed<M>) -> PyResult<Seen> {
        let tensor = tensor.validate().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let strides =
            tensor.strides_or_compact().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let DLDataType { code, bits, lanes } = tensor.dtype();
        Ok((tensor.data_ptr() as usize, tensor.shape().to_vec(), strides.to_vec(), (code.0, bits, lanes)))
    }
    match from_dlpack(object.as_borrowed(), None, None)? {
        ImportedDlpack::Versioned(tensor) => seen(&tensor),
        ImportedDlpack::Legacy(tensor) => seen(&tensor),
    }
}
