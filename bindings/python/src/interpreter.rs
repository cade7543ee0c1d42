//! Which interpreter this is. Types and cached objects are of one interpreter, and nothing but this check keeps a second
//! one from using them: `CPython` before 3.12 does not ask, and later versions ask of some subinterpreters only.

use std::ffi::CString;

use pyo3::ffi;

unsafe extern "C" {
    /// What `PyO3` makes of the module `_library`.
    fn PyInit__library() -> *mut ffi::PyObject;
}

/// Python's entry to `wirecontract._native`: the definition of the module, or `ImportError` in a subinterpreter.
///
/// It stands before all that `PyO3` does, which remembers the first interpreter that it sees, and would refuse the main one
/// after another that is refused here.
///
/// # Safety
/// Called by Python, of a thread that is attached.
#[unsafe(no_mangle)]
unsafe extern "C" fn PyInit__native() -> *mut ffi::PyObject {
    // SAFETY: an attached thread has an interpreter, which lives while it is attached; the message is a C string.
    unsafe {
        let id = ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get());
        if id == 0 {
            return PyInit__library();
        }
        let text = format!(
            "expected the main interpreter, found subinterpreter {id}: import wirecontract's native names where the \
             program began, and hand values over as bytes; the pure modules of wirecontract.contracts work here"
        );
        let text = CString::new(text).expect("a number and words without NUL");
        ffi::PyErr_SetString(ffi::PyExc_ImportError, text.as_ptr());
        std::ptr::null_mut()
    }
}
