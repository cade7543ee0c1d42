//! References that outlive the thread's being attached.

use core::fmt;
use core::ptr::NonNull;

use super::{Object, PyObject, Python};

/// A strong reference that any thread may hold and let go of, attached or not.
///
/// Letting go attaches the thread where it is not. Where Python is ending or gone the object is leaked: its memory is the
/// process's last concern then, and touching it would be a crash.
pub struct Held(NonNull<PyObject>);

// SAFETY: the object is touched only by a thread that is attached, whoever holds the pointer.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

impl Held {
    /// The pointer, as long as this is there; whoever looks into it is attached.
    pub fn as_ptr(&self) -> *mut PyObject {
        self.0.as_ptr()
    }

    /// Another reference to it, for a thread that is attached.
    #[inline]
    pub fn object<'py>(&self, python: Python<'py>) -> Object<'py> {
        // SAFETY: this holds the object.
        unsafe { Object::from_borrowed(python, self.0.as_ptr()) }
    }
}

impl From<Object<'_>> for Held {
    #[inline]
    fn from(object: Object<'_>) -> Held {
        // Never NULL, since it was a reference.
        Held(NonNull::new(object.into_ptr()).expect("an object"))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // Of another interpreter, or without Python, nothing can be done for it.
        let _ = Python::attach(|python| {
            // SAFETY: this is the reference that is given back, and the thread is attached.
            unsafe { (python.functions().Py_DecRef)(self.0.as_ptr()) }
        });
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Held({:p})", self.0)
    }
}
