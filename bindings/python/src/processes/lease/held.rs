//! A buffer that is held.

use std::ffi::c_int;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi::Py_buffer;
use pyo3::prelude::*;
use wirecontract::Enumeration as _;
use wirecontract_gpu::buffer::{BufferKind, SharedBuffer};
use wirecontract_runtime::lease;

use super::super::fd::Fd;
use super::super::host::{Lent, Memory, tensor_of};
use super::super::pure::named;
use super::said;
use crate::tensor::Tensor;

/// A buffer that a producer lends: what was imported, until it is given back by `release`, at the end of a `with`, or by being
/// dropped.
///
/// Giving it back unmaps it first, and so it is refused (`wirecontract.host.Busy`, a `BufferError`) while some of it is lent:
/// a tensor, a memoryview, an array that is made of one. Where an exception ends the `with`, it is given back with the last
/// of them. It never waits.
#[pyclass(frozen, module = "wirecontract", weakref)]
pub(crate) struct Held {
    lent: Lent<lease::Held>,
    lease: u64,
    buffer: Box<SharedBuffer>,
}

impl Memory for lease::Held {
    fn pages(&mut self) -> (*mut u8, u64, bool) {
        match self.writer() {
            // Of other kinds none is lent.
            None => (std::ptr::dangling_mut(), 0, false),
            Some(_) => match self.host() {
                Some(mapping) => {
                    let is_writable =
                        mapping.describe().access == wirecontract_runtime::host::Access::ReadWrite;
                    (mapping.as_ptr().cast_mut(), mapping.size(), is_writable)
                }
                None => (std::ptr::dangling_mut(), 0, false),
            },
        }
    }
}

impl Held {
    pub(super) fn of(held: lease::Held) -> Held {
        let (lease, buffer) = (held.lease(), Box::new(held.buffer().clone()));
        Held { lent: Lent::of(held), lease, buffer }
    }

    /// Acts on what is held; `GivenBack` behind `release`.
    fn with<T>(&self, python: Python<'_>, act: impl FnOnce(&mut lease::Held) -> T) -> PyResult<T> {
        if self.lent.is_closed() {
            return Err(said::given_back(python, self.lease));
        }
        self.lent.with(python, |held, _| act(held))
    }

    /// Refuses what is no host memory.
    fn host(&self, python: Python<'_>) -> PyResult<()> {
        self.with(python, |_| ())?;
        if self.buffer.kind == BufferKind::HostMemfd {
            return Ok(());
        }
        let kind = self.buffer.kind.name();
        Err(PyTypeError::new_err(format!("expected host memory that is held, found {kind} or none")))
    }
}

#[pymethods]
#[allow(clippy::needless_pass_by_value, reason = "the form of a method of Python's")]
impl Held {
    /// The number of the lease.
    #[getter]
    fn lease(&self) -> u64 {
        self.lease
    }

    /// The buffer, as the producer described it (`contracts.buffer.SharedBuffer`): its rules hold, and a tensor is within it.
    #[getter]
    fn buffer<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        said::buffer(python, &self.buffer)
    }

    /// The bytes of host memory as a memoryview, read-only or writable as the producer lends it. `GivenBack` behind `release`,
    /// `TypeError` of memory of another kind.
    #[pyo3(signature = () -> "memoryview")]
    fn view<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().host(slf.py())?;
        named(slf.py(), "builtins", "memoryview")?.call1((slf,))
    }

    /// The tensor that the producer described, in the memory that is held, without a copy: of its element type, shape and
    /// strides, or of bytes where it says none. What `view` refuses.
    fn tensor(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        slf.get().host(slf.py())?;
        tensor_of(slf.as_any(), &slf.get().buffer)
    }

    /// The file descriptors of memory of another kind, which are the caller's from then on; none a second time.
    fn take_fds(&self, python: Python<'_>) -> PyResult<Vec<Fd>> {
        Ok(self.with(python, lease::Held::take_fds)?.into_iter().map(Fd::of).collect())
    }

    /// Says that the memory is imported, of a kind that the caller imports; host memory is taken already. `Over` where the
    /// producer ended the lease meanwhile, `Answered`, `Lost`.
    fn take(&self, python: Python<'_>) -> PyResult<()> {
        self.with(python, lease::Held::take)?.map_err(|error| said::raised(python, &error))
    }

    /// Says that the memory cannot be imported, of a kind that the caller imports: with the number of a code, such as
    /// `Code.REFUSED`, and the reason, of which 1024 bytes are said. What came is closed.
    fn refuse(&self, python: Python<'_>, code: i32, reason: &str) -> PyResult<()> {
        self.with(python, |_| ())?;
        let held = self.lent.take(python)?;
        held.map_or(Ok(()), |held| held.refuse(code, reason)).map_err(|error| said::raised(python, &error))
    }

    /// How the lease is over, if the producer ended it, closed the channel or died (a `lease.End`): `End.memory` says whether
    /// the memory may still be touched.
    #[pyo3(signature = () -> "wirecontract.lease.End | None")]
    fn is_over<'py>(&self, python: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let over = self.with(python, |held| held.is_over())?;
        over.map(|end| said::end(python, &end)).transpose()
    }

    /// Whether the producer wants it back.
    fn is_revoked(&self, python: Python<'_>) -> PyResult<bool> {
        self.with(python, |held| held.is_revoked())
    }

    /// Unmaps it and gives it back; `Busy` while some of it is lent, and nothing has changed then.
    fn release(&self, python: Python<'_>) -> PyResult<()> {
        self.lent.close(python)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (
        _kind: "type[BaseException] | None", error: "BaseException | None",
        _traceback: "types.TracebackType | None", /
    ))]
    fn __exit__(
        &self,
        python: Python<'_>,
        _kind: Option<&Bound<'_, PyAny>>,
        error: Option<&Bound<'_, PyAny>>,
        _traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.lent.leave(python, error.is_some())
    }

    fn __repr__(&self) -> String {
        let closed = if self.lent.is_closed() { ", given back" } else { "" };
        format!("<Held lease={}{closed}>", self.lease)
    }

    // SAFETY: `host::Lent` says what it fills in.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut Py_buffer, flags: c_int) -> PyResult<()> {
        slf.get().host(slf.py())?;
        // SAFETY: Python called with a place for the answer, and the object is the one whose memory it is.
        unsafe { slf.get().lent.fill(slf.as_any(), view, flags) }
    }

    // SAFETY: Python calls it once for what `__getbuffer__` filled in.
    unsafe fn __releasebuffer__(&self, _view: *mut Py_buffer) {
        self.lent.give_back();
    }
}
