//! The exchange table of `Tensor`.

use std::ffi::c_void;
use std::ptr;

use pyo3::prelude::*;
use wirecontract_tensor::python::{self, Object, PyException, PyObject};
use wirecontract_tensor::{
    CPU, DLDevice, DLDeviceType, Exchange, ExportError, ImportError, Tensor as Imported, View,
    exchange_capsule,
};

use super::Tensor;
use crate::attached::{attached, bound};

// SAFETY: a tensor is frozen, and keeps its memory and its numbers.
unsafe impl Exchange for Tensor {
    fn is(object: &Object<'_>) -> bool {
        // SAFETY: the thread is attached, and the object lives.
        unsafe {
            let python = Python::assume_attached();
            Bound::from_borrowed_ptr(python, object.as_ptr().cast()).is_instance_of::<Tensor>()
        }
    }

    unsafe fn view<'a>(_python: python::Python<'_>, object: *mut PyObject) -> Result<View<'a>, ExportError> {
        // SAFETY: the thread is attached, and the object lives and is a tensor, as the caller says.
        let tensor: &'a Tensor = unsafe {
            let python = Python::assume_attached();
            let object = Bound::from_borrowed_ptr(python, object.cast());
            &*std::ptr::from_ref(object.cast_unchecked::<Tensor>().get())
        };
        Ok(tensor.view()?)
    }

    /// It does no work of its own: what was taken without a stream is there for the default one.
    fn current_work_stream(device: DLDevice) -> Result<*mut c_void, ExportError> {
        match device.device_type.known() {
            Some(
                DLDeviceType::Cpu
                | DLDeviceType::CudaHost
                | DLDeviceType::RocmHost
                | DLDeviceType::Cuda
                | DLDeviceType::CudaManaged
                | DLDeviceType::Rocm,
            ) => Ok(ptr::null_mut()),
            _ => Err(ExportError::Device { device: CPU, asked: device }),
        }
    }

    fn object(attached: python::Python<'_>, tensor: Imported) -> Result<Object<'_>, ImportError> {
        // SAFETY: the thread is attached, as the token says.
        let python = unsafe { Python::assume_attached() };
        let made = Tensor::of_imported(tensor).map_err(|error| ImportError::Tensor(error.into()))?;
        match Bound::new(python, made) {
            // SAFETY: a strong reference, which moves.
            Ok(made) => Ok(unsafe { Object::from_owned(attached, made.into_ptr().cast()) }?),
            Err(error) => {
                error.restore(python);
                Err(PyException::take(attached).into())
            }
        }
    }
}

/// The capsule of the table.
pub(super) fn capsule(python: Python<'_>) -> PyResult<Py<PyAny>> {
    let token = attached(python)?;
    match exchange_capsule::<Tensor>(token) {
        Ok(capsule) => Ok(bound(python, capsule).unbind()),
        Err(error) => {
            error.restore(token);
            Err(PyErr::fetch(python))
        }
    }
}
