//! The side that stands on `wirecontract-tensor`.

use std::sync::Arc;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use wirecontract_tensor::python::{self, Object, PyException, PyObject};
use wirecontract_tensor::{
    Arguments, CPU, DLDataTypeCode, Exchange, ExportError, Import, ImportError, NoDriver, Request, Tensor,
    View, dlpack, element, exchange_capsule, import,
};

use super::{SHAPE, Seen, numbers, timed};

/// A tensor, as a class of a user's own is one.
#[pyclass(frozen)]
pub(crate) struct Ours {
    numbers: Arc<Vec<f32>>,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

impl Ours {
    fn view(&self) -> Result<View<'_>, ExportError> {
        let data = self.numbers.as_ptr().cast_mut().cast();
        Ok(View::strided(data, CPU, element::of(DLDataTypeCode::Float, 32), &self.shape, &self.strides)?)
    }
}

fn attached(_python: Python<'_>) -> PyResult<python::Python<'_>> {
    // SAFETY: `PyO3`'s own token says so.
    unsafe { python::Python::assume_attached() }.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

#[pymethods]
impl Ours {
    #[new]
    fn new() -> Ours {
        Ours { numbers: Arc::new(numbers()), shape: SHAPE.to_vec(), strides: vec![30, 6, 1] }
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<&Bound<'py, PyAny>>,
        copy: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = slf.py();
        let attached = attached(python)?;
        let pointer = |argument: Option<&Bound<'py, PyAny>>| {
            argument.map_or(std::ptr::null_mut(), |argument| argument.as_ptr().cast::<PyObject>())
        };
        let arguments = Arguments {
            stream: pointer(stream),
            max_version: pointer(max_version),
            dl_device: pointer(dl_device),
            copy: pointer(copy),
        };
        let capsule = || -> Result<Object<'py>, ExportError> {
            // SAFETY: the arguments live, and the owner keeps the memory.
            unsafe {
                let request = Request::read(attached, &arguments)?;
                dlpack(attached, &slf.get().view()?, &request, &NoDriver, || Arc::clone(&slf.get().numbers))
            }
        };
        match capsule() {
            // SAFETY: a strong reference, which moves.
            Ok(capsule) => Ok(unsafe { Bound::from_owned_ptr(python, capsule.into_ptr().cast()) }),
            Err(error) => {
                error.raise(attached);
                Err(PyErr::fetch(python))
            }
        }
    }

    #[expect(clippy::unused_self, reason = "a method of the protocol")]
    fn __dlpack_device__(&self) -> (i32, i32) {
        (1, 0)
    }
}

// SAFETY: an object is frozen, and keeps its memory and its numbers.
unsafe impl Exchange for Ours {
    fn is(object: &Object<'_>) -> bool {
        // SAFETY: the thread is attached, and the object lives.
        unsafe {
            let python = Python::assume_attached();
            Bound::from_borrowed_ptr(python, object.as_ptr().cast()).is_instance_of::<Ours>()
        }
    }

    unsafe fn view<'a>(_python: python::Python<'_>, object: *mut PyObject) -> Result<View<'a>, ExportError> {
        // SAFETY: the thread is attached, and the object lives and is of the type.
        let ours: &'a Ours = unsafe {
            let object = Bound::from_borrowed_ptr(Python::assume_attached(), object.cast());
            &*std::ptr::from_ref(object.cast_unchecked::<Ours>().get())
        };
        ours.view()
    }

    fn object(attached: python::Python<'_>, tensor: Tensor) -> Result<Object<'_>, ImportError> {
        drop(tensor);
        // What is measured is the way out.
        let none = attached.none();
        // SAFETY: `None` lives.
        Ok(unsafe { Object::from_borrowed(attached, none) })
    }
}

/// The table becomes an attribute of the type.
pub(crate) fn install(python: Python<'_>) -> PyResult<()> {
    let token = attached(python)?;
    let capsule = exchange_capsule::<Ours>(token).map_err(|error: PyException| {
        error.restore(token);
        PyErr::fetch(python)
    })?;
    // SAFETY: a strong reference, which moves.
    let capsule = unsafe { Bound::from_owned_ptr(python, capsule.into_ptr().cast()) };
    PyType::new::<Ours>(python).setattr("__dlpack_c_exchange_api__", capsule)
}

fn take(object: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let token = attached(object.py())?;
    // SAFETY: an object that lives, whose class keeps to the protocol.
    unsafe { import(token, object.as_ptr().cast(), &Import::default()) }.map_err(|error| {
        error.raise(token);
        PyErr::fetch(object.py())
    })
}

/// Nanoseconds in which a tensor is taken and let go of.
#[pyfunction]
pub(crate) fn import_ours(object: &Bound<'_, PyAny>, times: u32) -> PyResult<f64> {
    timed(times, || take(object).map(|tensor| drop(std::hint::black_box(tensor))))
}

/// What is taken.
#[pyfunction]
pub(crate) fn see_ours(object: &Bound<'_, PyAny>) -> PyResult<Seen> {
    let tensor = take(object)?;
    let element = tensor.element();
    let word = (element.code.raw(), element.bits, element.lanes);
    Ok((tensor.data() as usize, tensor.shape().to_vec(), tensor.strides().to_vec(), word))
}
