//! File descriptors that a message owns by their numbers, as the pure classes do: what a caller says a number is, and whether
//! anybody else closes it meanwhile, nobody knows.

use std::os::fd::RawFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyResourceWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyInt, PyList, PyString, PyTuple};

use super::pure::pure;

/// File descriptors that are closed with it, until somebody takes them.
pub(crate) struct Owned {
    class: &'static str,
    /// None where it was closed, or gave them away.
    held: Mutex<Option<Vec<RawFd>>>,
}

impl Owned {
    /// Owns these.
    pub(crate) fn new(class: &'static str, fds: Vec<RawFd>) -> Owned {
        Owned { class, held: Mutex::new(Some(fds)) }
    }

    /// Nothing of Python's is called while it is locked.
    fn held(&self) -> MutexGuard<'_, Option<Vec<RawFd>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it was closed, or gave them away.
    pub(crate) fn is_closed(&self) -> bool {
        self.held().is_none()
    }

    /// The numbers, which stay its own.
    ///
    /// # Errors
    /// `ValueError` where it is closed.
    pub(crate) fn numbers(&self) -> PyResult<Vec<RawFd>> {
        let held = self.held().clone();
        held.ok_or_else(|| PyValueError::new_err("expected an open message, found one that is closed"))
    }

    /// The numbers, which are the caller's from then on; none where it is closed.
    pub(crate) fn take(&self) -> Vec<RawFd> {
        self.held().take().unwrap_or_default()
    }

    /// Closes all of them.
    pub(crate) fn close(&self, py: Python<'_>) -> PyResult<()> {
        close_all(py, self.take())
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let fds = self.take();
        if fds.is_empty() {
            return;
        }
        let class = self.class;
        Python::attach(|py| {
            // Whoever drops it may be about to raise something.
            let raised = PyErr::take(py);
            let text = format!("unclosed message {class}\0");
            let text = std::ffi::CStr::from_bytes_until_nul(text.as_bytes()).unwrap_or_default();
            // A filter may make an exception of it.
            let warned = PyErr::warn(py, &py.get_type::<PyResourceWarning>(), text, 1);
            for error in [warned, close_all(py, fds)].into_iter().filter_map(Result::err) {
                error.write_unraisable(py, None);
            }
            if let Some(raised) = raised {
                raised.restore(py);
            }
        });
    }
}

/// Closes each, all of them although closing one may fail: the first failure is raised at the end.
pub(crate) fn close_all(py: Python<'_>, fds: Vec<RawFd>) -> PyResult<()> {
    let close = pure(py)?.close.bind(py);
    let mut first = Ok(());
    for fd in fds {
        let closed = close.call1((fd,)).map(drop);
        first = first.and(closed);
    }
    first
}

/// The number of each, where all are plain numbers that file descriptors have, and each is there once. What else is given
/// the pure class takes or refuses.
pub(crate) fn plain<'py>(items: impl Iterator<Item = Bound<'py, PyAny>>) -> Option<Vec<RawFd>> {
    let numbers =
        items.map(|it| it.cast_exact::<PyInt>().ok()?.extract::<RawFd>().ok().filter(|it| *it >= 0));
    numbers.collect::<Option<Vec<_>>>().filter(|numbers| is_each_once(numbers))
}

/// Whether no number is there twice.
pub(super) fn is_each_once(numbers: &[RawFd]) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

/// What came beside a message, or what was given for a group, looked at once.
pub(crate) enum Several<'py> {
    /// The items.
    Items(Bound<'py, PyAny>),
    /// What the pure class says something of.
    Other(Bound<'py, PyAny>),
}

impl<'py> Several<'py> {
    /// The items of whatever has some.
    ///
    /// # Errors
    /// What raised while they were looked at; those that had come are closed where that is said.
    pub(crate) fn of(
        given: Option<&Bound<'py, PyAny>>,
        py: Python<'py>,
        close: bool,
    ) -> PyResult<Several<'py>> {
        let Some(given) = given else { return Ok(Several::Items(PyTuple::empty(py).into_any())) };
        if given.is_exact_instance_of::<PyTuple>() || given.is_exact_instance_of::<PyList>() {
            return Ok(Several::Items(given.clone()));
        }
        if is_unfit(given) {
            return Ok(Several::Other(given.clone()));
        }
        let items = PyList::empty(py);
        if let Err(error) = items.call_method1("extend", (given,)) {
            if close {
                let numbers = items.iter().filter(|it| !it.is_instance_of::<pyo3::types::PyBool>());
                let mut numbers: Vec<RawFd> = numbers.filter_map(|it| it.extract().ok()).collect();
                numbers.sort_unstable();
                numbers.dedup();
                numbers.retain(|number| *number >= 0);
                // What the caller has to know is what raised.
                let _ = close_all(py, numbers);
            }
            return Err(error);
        }
        Ok(Several::Items(items.into_any()))
    }

    /// The same of a group, which may be one file descriptor, or none.
    pub(crate) fn of_group(given: Option<&Bound<'py, PyAny>>, py: Python<'py>) -> PyResult<Several<'py>> {
        match given {
            Some(given) if given.is_none() => Ok(Several::Items(PyTuple::empty(py).into_any())),
            Some(given) if given.is_exact_instance_of::<PyInt>() => {
                Ok(Several::Items(PyTuple::new(py, [given])?.into_any()))
            }
            Some(given) if given.hasattr("__index__")? || !given.hasattr("__iter__")? => {
                Ok(Several::Other(given.clone()))
            }
            given => Several::of(given, py, false),
        }
    }

    /// The numbers, where they are plain.
    pub(crate) fn numbers(&self) -> Option<Vec<RawFd>> {
        match self {
            Several::Items(items) => match items.cast_exact::<PyTuple>() {
                Ok(items) => plain(items.iter()),
                Err(_) => plain(items.cast_exact::<PyList>().ok()?.iter()),
            },
            Several::Other(_) => None,
        }
    }

    /// The same for the pure class.
    pub(crate) fn for_pure(self) -> Bound<'py, PyAny> {
        match self {
            Several::Items(items) | Several::Other(items) => items,
        }
    }
}

/// What has items that would pass for numbers, or none.
fn is_unfit(given: &Bound<'_, PyAny>) -> bool {
    given.is_instance_of::<PyString>()
        || given.is_instance_of::<PyBytes>()
        || given.is_instance_of::<PyByteArray>()
}
