//! Exceptions of Python's: those that its code raised, and those that are raised here.

use core::fmt;
use core::ptr;
use std::ffi::CString;

use super::{Held, Object, PyObject, Python};

/// A class of exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is Python's class of that name")]
pub enum ExceptionKind {
    AttributeError,
    BufferError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
}

impl ExceptionKind {
    fn class(self, python: Python<'_>) -> *mut PyObject {
        let functions = python.functions();
        let class = match self {
            ExceptionKind::AttributeError => functions.PyExc_AttributeError,
            ExceptionKind::BufferError => functions.PyExc_BufferError,
            ExceptionKind::MemoryError => functions.PyExc_MemoryError,
            ExceptionKind::RuntimeError => functions.PyExc_RuntimeError,
            ExceptionKind::TypeError => functions.PyExc_TypeError,
            ExceptionKind::ValueError => functions.PyExc_ValueError,
        };
        // SAFETY: a variable of CPython's that holds the class as long as Python runs.
        unsafe { *class }
    }

    /// Sets an exception of this class with a text, in place of one that is set.
    pub fn raise(self, python: Python<'_>, text: &str) {
        // A NUL ends a text of C's, so that it is shown as what it is.
        let text = CString::new(text.replace('\0', "\\0")).unwrap_or_default();
        // SAFETY: a class, a C string, and the thread is attached.
        unsafe { (python.functions().PyErr_SetString)(self.class(python), text.as_ptr()) };
    }
}

/// An exception that Python's code raised, taken from the thread: it is set again by [`PyException::restore`], or gone.
#[derive(Debug)]
pub struct PyException {
    /// None where `CPython` failed and set nothing.
    value: Option<Held>,
    text: String,
}

impl PyException {
    /// Takes the exception that is set.
    #[cold]
    pub fn take(python: Python<'_>) -> PyException {
        let Some(value) = PyException::fetch(python) else {
            return PyException { value: None, text: "a call failed and raised nothing".to_owned() };
        };
        // An exception that raises another one in place of its words, and so on, has none.
        let text = match value.words() {
            Some(text) if !text.is_empty() => format!("{}: {text}", value.class_name()),
            _ => value.class_name(),
        };
        PyException { value: Some(value.into()), text }
    }

    /// Takes the exception that is set, and asks it nothing.
    #[cold]
    pub(super) fn fetch(python: Python<'_>) -> Option<Object<'_>> {
        let functions = python.functions();
        let (mut class, mut value, mut traceback) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: three places, and the thread is attached. Normalizing makes the value one of the class.
        unsafe {
            (functions.PyErr_Fetch)(&raw mut class, &raw mut value, &raw mut traceback);
            (functions.PyErr_NormalizeException)(&raw mut class, &raw mut value, &raw mut traceback);
            if !traceback.is_null() && !value.is_null() {
                (functions.PyException_SetTraceback)(value, traceback);
            }
            for given in [class, traceback] {
                if !given.is_null() {
                    (functions.Py_DecRef)(given);
                }
            }
            (!value.is_null()).then(|| Object::from_owned(python, value)).and_then(Result::ok)
        }
    }

    /// Whether it is of a class, or of one that is derived from it.
    pub fn is(&self, python: Python<'_>, kind: ExceptionKind) -> bool {
        let Some(value) = &self.value else { return false };
        // SAFETY: an exception and a class, which both live; the thread is attached.
        unsafe { (python.functions().PyErr_GivenExceptionMatches)(value.as_ptr(), kind.class(python)) != 0 }
    }

    /// Sets it again, so that a function of C's can answer NULL.
    pub fn restore(self, python: Python<'_>) {
        let Some(value) = &self.value else {
            ExceptionKind::RuntimeError.raise(python, &self.text);
            return;
        };
        let value = value.object(python);
        match value.class() {
            // SAFETY: a class, a value of it and its traceback or NULL, whose references move; the thread is attached.
            Ok(class) => unsafe {
                let traceback = (python.functions().PyException_GetTraceback)(value.as_ptr());
                (python.functions().PyErr_Restore)(class.into_ptr(), value.into_ptr(), traceback);
            },
            Err(_) => ExceptionKind::RuntimeError.raise(python, &self.text),
        }
    }
}

impl fmt::Display for PyException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for PyException {}
