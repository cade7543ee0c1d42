//! Which interpreter this is. Types and cached objects are of one interpreter, and nothing but this check keeps a second
//! one from using them: `CPython` before 3.12 does not ask, and later versions ask of some subinterpreters only.

use pyo3::exceptions::PyImportError;
use pyo3::{PyResult, Python, ffi};

/// # Errors
/// `ImportError` in a subinterpreter.
pub(crate) fn refuse_others_than_the_main_one(_attached: Python<'_>) -> PyResult<()> {
    // SAFETY: an attached thread has an interpreter, which lives while it is attached.
    let id = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    match id {
        0 => Ok(()),
        id => Err(PyImportError::new_err(format!(
            "expected the main interpreter, found subinterpreter {id}: import wirecontract's native names where the \
             program began, and hand values over as bytes; the pure modules of wirecontract.contracts work here"
        ))),
    }
}
