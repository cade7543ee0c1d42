//! `wirecontract.Fd`: a file descriptor that an object owns.

use std::os::fd::{BorrowedFd, FromRawFd as _, IntoRawFd as _, OwnedFd, RawFd};
use std::sync::atomic::{AtomicI32, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};
use smallvec::SmallVec;

use super::errors;
use super::pure::{Pure, named};

/// A file descriptor that this object owns: closed by `close`, at the end of a `with`, or when it is dropped.
///
/// What a channel receives is owned so from the moment at which it is there, whatever comes between; `detach` gives the
/// number away, whose closing is then the caller's.
///
/// >>> import os
/// >>> from wirecontract import Fd
/// >>> with Fd(os.open("/proc/self/comm", os.O_RDONLY)) as file:
/// ...     text = os.read(file.fileno(), 64)
/// >>> text.endswith(b"\n"), file
/// (True, Fd(closed))
#[pyclass(frozen, module = "wirecontract", weakref)]
pub(crate) struct Fd {
    /// -1 where it was closed or given away.
    number: AtomicI32,
}

const GONE: RawFd = -1;

impl Fd {
    /// The object that owns it.
    pub(super) fn of(fd: OwnedFd) -> Fd {
        Fd { number: AtomicI32::new(fd.into_raw_fd()) }
    }

    /// The file descriptor, which this object has no more; none where it had none.
    fn release(&self) -> Option<OwnedFd> {
        // SAFETY: this object owned it, and has it no more: nobody is given the number twice.
        unsafe { owned(self.number.swap(GONE, Ordering::AcqRel)) }
    }

    /// The number, which stays this object's.
    pub(super) fn number(&self) -> PyResult<RawFd> {
        match self.number.load(Ordering::Acquire) {
            GONE => Err(gone()),
            number => Ok(number),
        }
    }
}

impl Drop for Fd {
    fn drop(&mut self) {
        // SAFETY: nobody else has this object any more.
        drop(unsafe { owned(*self.number.get_mut()) });
    }
}

/// The file descriptor of a number, where it is one.
///
/// # Safety
/// It is nobody else's from then on.
unsafe fn owned(number: RawFd) -> Option<OwnedFd> {
    // SAFETY: as the caller says.
    (number != GONE).then(|| unsafe { OwnedFd::from_raw_fd(number) })
}

#[cold]
fn gone() -> PyErr {
    PyValueError::new_err("expected an open file descriptor, found one that was closed or given away")
}

#[pymethods]
impl Fd {
    /// Takes a number that nobody else will close; what is none is refused (`TypeError`, `ValueError`).
    #[new]
    #[pyo3(signature = (number: "int"))]
    fn new(number: &Bound<'_, PyAny>) -> PyResult<Fd> {
        // SAFETY: whoever says the number gives it away.
        Ok(Fd::of(unsafe { OwnedFd::from_raw_fd(whole(number)?) }))
    }

    /// Another file descriptor of the same file, closed on exec.
    #[staticmethod]
    #[pyo3(signature = (fd: "wirecontract.handoff.FileDescriptor"))]
    fn duplicate(fd: &Bound<'_, PyAny>) -> PyResult<Fd> {
        let number = number_of(fd)?;
        // SAFETY: no negative number, which is open for as long as its owner lives; the kernel says where it is not.
        let copy = unsafe { BorrowedFd::borrow_raw(number) }.try_clone_to_owned();
        copy.map(Fd::of).map_err(PyErr::from)
    }

    /// The number, which stays this object's; `ValueError` where it was closed or given away.
    fn fileno(&self) -> PyResult<RawFd> {
        self.number()
    }

    /// The number, which is the caller's to close from then on.
    fn detach(&self) -> PyResult<RawFd> {
        self.release().map(OwnedFd::into_raw_fd).ok_or_else(gone)
    }

    /// Another object that owns it; this one has it no more.
    fn take(&self) -> PyResult<Fd> {
        self.release().map(Fd::of).ok_or_else(gone)
    }

    /// Closes it, where that was not done.
    fn close(&self) {
        drop(self.release());
    }

    /// Whether it was closed or given away.
    #[getter]
    fn closed(&self) -> bool {
        self.number.load(Ordering::Acquire) == GONE
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception: "object"))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    fn __repr__(&self) -> String {
        match self.number.load(Ordering::Acquire) {
            GONE => "Fd(closed)".to_owned(),
            number => format!("Fd({number})"),
        }
    }
}

/// The number of a file descriptor, as the pure package has it.
fn whole(number: &Bound<'_, PyAny>) -> PyResult<RawFd> {
    if let Some(number) = plain(number) {
        return Ok(number);
    }
    let whole = named(number.py(), "wirecontract.handoff._arguments", "whole")?;
    whole.call1(("the number of a file descriptor", number, 0, RawFd::MAX))?.extract()
}

/// A number that is nothing else.
fn plain(number: &Bound<'_, PyAny>) -> Option<RawFd> {
    let number = number.cast_exact::<PyInt>().ok()?.extract::<RawFd>().ok()?;
    (number >= 0).then_some(number)
}

/// The number of a file descriptor that stays its owner's: of an object that has one, or a number.
pub(super) fn number_of(fd: &Bound<'_, PyAny>) -> PyResult<RawFd> {
    static NUMBER_OF: Pure = Pure::new("wirecontract.handoff._fd", &["number_of"]);
    if let Ok(fd) = fd.cast_exact::<Fd>() {
        return fd.get().number();
    }
    if let Some(number) = plain(fd) {
        return Ok(number);
    }
    NUMBER_OF.get(fd.py())?.call1((fd,))?.extract()
}

/// The file descriptor of an object, or by its number, which is this process's own from then on.
pub(super) fn given(fd: &Bound<'_, PyAny>) -> PyResult<OwnedFd> {
    static PURE: Pure = Pure::new("wirecontract.handoff", &["Fd"]);
    let python = fd.py();
    if let Ok(fd) = fd.cast::<Fd>() {
        return fd.get().release().ok_or_else(gone);
    }
    let number = if fd.is_instance(PURE.get(python)?)? {
        fd.call_method0("fileno")?;
        // The number leaves its owner and comes here, with nothing between.
        fd.getattr("held")?.call_method0("pop")?.extract()?
    } else {
        whole(fd)?
    };
    // SAFETY: it left its owner, or whoever says the number gives it away.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// As many as most messages have, without an allocation.
pub(super) type Few<T> = SmallVec<[T; 4]>;

/// File descriptors that are lent for the time of a call, and their owners.
pub(super) struct Lent<'py> {
    fds: Few<BorrowedFd<'py>>,
    /// Held, so that none is dropped meanwhile.
    _owners: Few<Bound<'py, PyAny>>,
}

impl<'py> Lent<'py> {
    /// Those of a sequence; what is none is refused as the pure package does.
    pub(super) fn of(fds: Option<&Bound<'py, PyAny>>) -> PyResult<Lent<'py>> {
        let Some(fds) = fds else { return Ok(Lent { fds: Few::new(), _owners: Few::new() }) };
        let owners: Few<Bound<'py, PyAny>> = if let Ok(fds) = fds.cast_exact::<PyTuple>() {
            fds.iter().collect()
        } else if let Ok(fds) = fds.cast_exact::<PyList>() {
            fds.iter().collect()
        } else {
            let sending = named(fds.py(), "wirecontract.handoff._sending", "check_fds")?;
            sending.call1((fds,))?;
            fds.try_iter()?.collect::<PyResult<_>>()?
        };
        // SAFETY: no negative numbers, of objects that are held here; a number that its owner closes meanwhile is one that
        // the kernel refuses, or another file of this process's.
        let lent = |owner| number_of_open(owner).map(|number| unsafe { BorrowedFd::borrow_raw(number) });
        Ok(Lent { fds: owners.iter().map(lent).collect::<PyResult<_>>()?, _owners: owners })
    }

    /// What a call of the kernel's takes.
    pub(super) fn borrowed(&self) -> &[BorrowedFd<'_>] {
        &self.fds
    }
}

/// The number of one that is open: the length of a message may go ahead of what is refused with its file descriptors.
fn number_of_open(owner: &Bound<'_, PyAny>) -> PyResult<RawFd> {
    if let Ok(fd) = owner.cast_exact::<Fd>() {
        return fd.get().number();
    }
    let number = number_of(owner)?;
    // SAFETY: no negative number; the kernel says whether it is open.
    let fd = unsafe { BorrowedFd::borrow_raw(number) };
    match rustix::io::fcntl_getfd(fd) {
        Ok(_) => Ok(number),
        Err(error) => Err(errors::system(owner.py(), "sending a message", error)),
    }
}
