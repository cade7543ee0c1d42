//! Between `PyO3`'s words and those of `wirecontract-tensor`, which knows no `PyO3`.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use wirecontract_tensor::python::{self, Object};
use wirecontract_tensor::{CudaArrayError, ExportError, ImportError};

/// The thread's word that it is attached.
pub(crate) fn attached(_python: Python<'_>) -> PyResult<python::Python<'_>> {
    // SAFETY: `PyO3`'s own token says so.
    unsafe { python::Python::assume_attached() }.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// The object, as `PyO3` has it.
pub(crate) fn bound<'py>(python: Python<'py>, object: Object<'py>) -> Bound<'py, PyAny> {
    // SAFETY: a strong reference, which moves.
    unsafe { Bound::from_owned_ptr(python, object.into_ptr().cast()) }
}

/// An error that knows how Python is told it.
pub(crate) trait Raise {
    fn raise(self, python: python::Python<'_>);
}

macro_rules! raise {
    ($($error:ident)*) => {$(
        impl Raise for $error {
            fn raise(self, python: python::Python<'_>) {
                $error::raise(self, python);
            }
        }
    )*};
}

raise! { ExportError ImportError CudaArrayError }

/// The error as an exception of Python's.
pub(crate) fn raised(attached: python::Python<'_>, error: impl Raise, python: Python<'_>) -> PyErr {
    error.raise(attached);
    PyErr::fetch(python)
}
