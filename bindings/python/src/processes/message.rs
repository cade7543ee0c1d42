//! `wirecontract.Message` and `wirecontract.Received`: what came, and its file descriptors.

use std::os::fd::OwnedFd;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use wirecontract_runtime::handoff;

use super::fd::Fd;

/// A message that came. Its file descriptors are the receiver's: closed with them, or at the end of a `with`.
#[pyclass(frozen, module = "wirecontract")]
pub(crate) struct Message {
    /// The bytes, without the length.
    #[pyo3(get)]
    body: Py<PyBytes>,
    /// The file descriptors in the order in which they were sent, closed on exec: a list of `Fd`.
    #[pyo3(get)]
    fds: Py<PyList>,
}

impl Message {
    pub(super) fn of(python: Python<'_>, message: handoff::Message) -> PyResult<Message> {
        let fds = owned(python, message.fds)?;
        Ok(Message { body: PyBytes::new(python, &message.body).unbind(), fds })
    }
}

#[pymethods]
impl Message {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str) {
        ("body", "fds")
    }

    /// Closes what was not closed or given away.
    fn close(&self, python: Python<'_>) -> PyResult<()> {
        close(python, &self.fds)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception: "object"))]
    fn __exit__(&self, python: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        close(python, &self.fds)
    }

    fn __repr__(&self, python: Python<'_>) -> PyResult<String> {
        Ok(format!("Message(body={}, fds={})", self.body.bind(python).repr()?, self.fds.bind(python).repr()?))
    }
}

/// A message that came, its body in a buffer of the caller's. Its file descriptors are the receiver's: closed with them, or
/// at the end of a `with`.
#[pyclass(frozen, module = "wirecontract")]
pub(crate) struct Received {
    /// The bytes of the body at the buffer's beginning.
    #[pyo3(get)]
    size: usize,
    /// The file descriptors in the order in which they were sent, closed on exec: a list of `Fd`.
    #[pyo3(get)]
    fds: Py<PyList>,
}

impl Received {
    pub(super) fn of(python: Python<'_>, received: handoff::Received) -> PyResult<Received> {
        Ok(Received { size: received.bytes, fds: owned(python, received.fds)? })
    }
}

#[pymethods]
impl Received {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str) {
        ("size", "fds")
    }

    /// Closes what was not closed or given away.
    fn close(&self, python: Python<'_>) -> PyResult<()> {
        close(python, &self.fds)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception: "object"))]
    fn __exit__(&self, python: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        close(python, &self.fds)
    }

    fn __repr__(&self, python: Python<'_>) -> PyResult<String> {
        Ok(format!("Received(size={}, fds={})", self.size, self.fds.bind(python).repr()?))
    }
}

/// Objects that own them: each is one or the other's at any time.
fn owned(python: Python<'_>, fds: Vec<OwnedFd>) -> PyResult<Py<PyList>> {
    Ok(PyList::new(python, fds.into_iter().map(Fd::of))?.unbind())
}

fn close(python: Python<'_>, fds: &Py<PyList>) -> PyResult<()> {
    fds.bind(python).iter().try_for_each(|fd| fd.call_method0("close").map(drop))
}
