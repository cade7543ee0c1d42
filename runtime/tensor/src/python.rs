//! `CPython`'s objects by raw pointers, so that every version of `PyO3`, cffi and plain C can use this crate.
//!
//! [`Python`] says that the thread is attached to the interpreter (that it holds the GIL, where there is one). It is made
//! of nothing but a promise ([`Python::assume_attached`]) or by attaching ([`Python::attach`]); all else takes it.

mod exception;
mod functions;
mod held;
mod object;

use core::fmt;
use core::marker::PhantomData;
use std::sync::Mutex;

pub use exception::{ExceptionKind, PyException};
pub(crate) use functions::Functions;
pub use functions::NotPython;
pub use held::Held;
pub(crate) use object::Name;
pub use object::Object;

/// An object of Python's, which only `CPython`'s functions look into: `pyo3::ffi::PyObject` under another name.
#[repr(C)]
pub struct PyObject {
    opaque: [u8; 0],
    not_send: PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// This thread is attached to the main interpreter, as long as `'py` lasts.
#[derive(Clone, Copy)]
pub struct Python<'py> {
    functions: &'static Functions,
    not_send: PhantomData<(*mut u8, &'py ())>,
}

impl fmt::Debug for Python<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Python")
    }
}

/// Why a thread cannot touch objects of Python's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AttachError {
    /// No Python runs in this process.
    NotPython(NotPython),
    /// Python is ending, or has ended: what attaches then hangs or is ended with it.
    Finalizing,
    /// The thread is attached to a subinterpreter, whose objects are not those of the main one.
    Subinterpreter,
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttachError::NotPython(error) => error.fmt(f),
            AttachError::Finalizing => {
                f.write_str("expected a Python that runs, found one that is ending or has ended: do this before")
            }
            AttachError::Subinterpreter => f.write_str(
                "expected the main interpreter, found a subinterpreter: tensors are handed over in the main one",
            ),
        }
    }
}

impl std::error::Error for AttachError {}

impl From<NotPython> for AttachError {
    fn from(error: NotPython) -> AttachError {
        AttachError::NotPython(error)
    }
}

impl AttachError {
    /// Sets it as the thread's exception, a `RuntimeError`, whichever interpreter the thread is attached to. Nothing
    /// where there is no Python.
    ///
    /// # Safety
    /// The thread is attached to an interpreter.
    pub unsafe fn raise(self) {
        if let Ok(functions) = Functions::get() {
            // The class and the text are of any interpreter, and the token goes with the line.
            ExceptionKind::RuntimeError.raise(Python { functions, not_send: PhantomData }, &self.to_string());
        }
    }
}

impl<'py> Python<'py> {
    /// Takes the caller's word that this thread is attached.
    ///
    /// # Errors
    /// No Python in this process, or a subinterpreter.
    ///
    /// # Safety
    /// The thread is attached to an interpreter for all of `'py`: inside a function that Python called, or with
    /// `pyo3::Python` at hand.
    #[inline]
    pub unsafe fn assume_attached() -> Result<Python<'py>, AttachError> {
        let functions = Functions::get()?;
        // SAFETY: the thread is attached.
        if !unsafe { functions.is_in_main() } {
            return Err(AttachError::Subinterpreter);
        }
        Ok(Python { functions, not_send: PhantomData })
    }

    /// Attaches this thread for as long as the function runs; a thread that is attached stays so.
    ///
    /// # Errors
    /// No Python in this process, one that is ending, or a thread of a subinterpreter.
    pub fn attach<R>(function: impl FnOnce(Python<'_>) -> R) -> Result<R, AttachError> {
        let functions = Functions::get()?;
        if functions.is_attached() {
            // SAFETY: it was just asked, and nothing in between detaches it.
            return Ok(function(unsafe { Python::assume_attached() }?));
        }
        let _attached = Attached::new(functions)?;
        // SAFETY: attached until `_attached` goes.
        Ok(function(unsafe { Python::assume_attached() }?))
    }

    /// Runs what may call Python's code, and keeps the exception that is on its way from it: letting go of another
    /// library's tensor calls a deleter, which may be a function of Python's.
    pub fn undisturbed<R>(self, function: impl FnOnce() -> R) -> R {
        self.functions.undisturbed(function)
    }

    #[inline]
    pub(crate) fn functions(self) -> &'static Functions {
        self.functions
    }

    /// `None`.
    #[inline]
    pub fn none(self) -> *mut PyObject {
        self.functions.none
    }

    /// Does what two threads must not do with one capsule at once, where no GIL keeps them apart.
    pub(crate) fn one_at_a_time<R>(function: impl FnOnce() -> R) -> R {
        static LOCK: Mutex<()> = Mutex::new(());
        // Held for two calls that neither run Python code nor let go of a GIL.
        let _locked = LOCK.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        function()
    }
}

/// A thread that attached itself, and leaves when this goes.
struct Attached {
    functions: &'static Functions,
    state: core::ffi::c_int,
}

impl Attached {
    fn new(functions: &'static Functions) -> Result<Attached, AttachError> {
        if functions.is_gone() {
            return Err(AttachError::Finalizing);
        }
        let too_late = Park;
        // SAFETY: Python runs. One that begins to end right here keeps the thread waiting for ever, or ends it, which
        // `too_late` turns into waiting: what is further up the stack is not made to be unwound by C.
        let state = unsafe { (functions.ensure_attached)() };
        core::mem::forget(too_late);
        Ok(Attached { functions, state })
    }
}

/// Waits for ever where it is dropped.
struct Park;

impl Drop for Park {
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        // SAFETY: of the same thread, since `Python` cannot leave it and neither can this.
        unsafe { (self.functions.PyGILState_Release)(self.state) };
    }
}
