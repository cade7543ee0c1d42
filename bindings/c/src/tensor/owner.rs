//! What keeps the memory of a tensor that C exports.

use core::ffi::c_void;

use wirecontract_tensor::Python;
use wirecontract_tensor::python::{Held, Object};

use super::TensorExport;

/// An object of Python's, and a function that is called when this goes: both, one, or, of memory that stays, neither.
pub(super) struct Owner {
    object: Option<Held>,
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    context: *mut c_void,
}

// SAFETY: C is told that any thread calls the function.
unsafe impl Send for Owner {}

impl Owner {
    /// Takes over the function of an export, and no object yet.
    pub(super) fn of(export: &TensorExport) -> Owner {
        Owner { object: None, destroy: export.destroy, context: export.context }
    }

    /// Holds an object as well, where it is not NULL.
    ///
    /// # Safety
    /// The object lives.
    pub(super) unsafe fn holding(mut self, python: Python<'_>, object: *mut c_void) -> Owner {
        // SAFETY: as the caller says.
        self.object =
            (!object.is_null()).then(|| unsafe { Object::from_borrowed(python, object.cast()) }.into());
        self
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: C's function with its context, which was handed over for one call.
            unsafe { destroy(self.context) };
        }
    }
}
