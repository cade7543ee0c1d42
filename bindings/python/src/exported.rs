//! Buffers that other objects of Python's export.

use std::ffi::c_int;
use std::ops::Deref;
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// Whether one thread alone runs code of Python's: objects have no locks of their own, which would stand in their heads.
pub(crate) const HAS_GIL: bool = size_of::<ffi::PyObject>() == 2 * size_of::<usize>();

/// The bytes of a `bytearray`, which are there until code of Python's runs, in this thread or in another one: a buffer that
/// it exports takes longer than most that is done with it. None of other objects, and where other threads always run.
#[inline]
pub(crate) fn in_place(object: &Bound<'_, PyAny>) -> Option<*mut [u8]> {
    let array = object.cast_exact::<PyByteArray>().ok().filter(|_| HAS_GIL)?;
    Some(ptr::slice_from_raw_parts_mut(array.data(), array.len()))
}

/// A buffer that another object exports, until this goes.
pub(crate) struct Exported {
    // In a box: the object may have kept the address of it.
    view: Box<ffi::Py_buffer>,
}

// SAFETY: it is let go of by a thread that is attached, whichever that is; what it says does not change.
unsafe impl Send for Exported {}
// SAFETY: as above.
unsafe impl Sync for Exported {}

impl Exported {
    /// The buffer of an object, as the flags ask for it.
    ///
    /// # Errors
    /// `TypeError` for an object without one, and what the object raised.
    pub(crate) fn of(object: &Bound<'_, PyAny>, flags: c_int) -> PyResult<Exported> {
        // Not all zeros: those glibc's `calloc` is asked for, which has no quick way.
        let mut view = Box::new(ffi::Py_buffer { readonly: 1, ..ffi::Py_buffer::new() });
        // SAFETY: an object that lives, and a place that does not move.
        match unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, flags) } {
            0 => Ok(Exported { view }),
            _ => Err(PyErr::fetch(object.py())),
        }
    }

    /// How many bytes there are.
    pub(crate) fn length(&self) -> usize {
        // No object exports fewer than none.
        usize::try_from(self.view.len).unwrap_or(0)
    }
}

impl Deref for Exported {
    type Target = ffi::Py_buffer;

    fn deref(&self) -> &ffi::Py_buffer {
        &self.view
    }
}

impl Drop for Exported {
    fn drop(&mut self) {
        // Whoever drops it is attached, so that this attaches nothing; where Python is gone it is nobody's.
        Python::try_attach(|_| {
            // SAFETY: filled in by the object's own function, and given back once.
            unsafe { ffi::PyBuffer_Release(&raw mut *self.view) };
        });
    }
}
