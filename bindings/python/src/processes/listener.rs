//! `wirecontract.Listener`: a socket at which peers connect.

use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rustix::event::{EventfdFlags, PollFlags, eventfd};
use rustix::io::{fcntl_dupfd_cloexec, write};
use wirecontract_runtime::handoff::{self, Doing, Error};

use super::channel::Channel;
use super::fd::Fd;
use super::given::{address, seconds};
use super::made::Made;
use super::options::{Both, options};
use super::waiting::{Moment, Polled, polled, until};
use super::{errors, fd};

/// A socket at which peers connect, and the file by which they find it.
///
/// `close`, the end of a `with` or dropping it removes that file, where it is still its own, and ends connections that
/// nobody accepted; channels that were accepted stay. A call that waits in another thread is woken (`ChannelClosed`).
///
/// >>> import os, tempfile
/// >>> import wirecontract
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     path = os.path.join(folder, "camera.sock")
/// ...     with wirecontract.listen(path) as listener:
/// ...         with wirecontract.connect(path) as client, listener.accept() as service:
/// ...             client.send(b"hello")
/// ...             message = service.recv(64)
/// ...     message.body, os.path.exists(path)
/// (b'hello', False)
#[pyclass(frozen, module = "wirecontract", weakref)]
pub(crate) struct Listener {
    open: Mutex<Option<Arc<Open>>>,
    options: Py<PyAny>,
}

/// What there is until it is closed, and the last call that has it is over.
struct Open {
    listener: handoff::Listener,
    /// Readable when it is to be closed.
    closing: OwnedFd,
    /// Whose calls hear of that: a fork has the same event.
    made: Made,
}

impl Listener {
    fn of(listener: handoff::Listener, pure: Py<PyAny>, python: Python<'_>) -> PyResult<Listener> {
        let closing = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|error| errors::system(python, "making an eventfd", error))?;
        let open = Open { listener, closing, made: Made::here() };
        Ok(Listener { open: Mutex::new(Some(Arc::new(open))), options: pure })
    }

    fn open(&self, python: Python<'_>) -> PyResult<Arc<Open>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or_else(|| errors::closed(python))
    }

    fn accepted(&self, python: Python<'_>, channel: handoff::Channel) -> Channel {
        Channel::of(channel, self.options.clone_ref(python))
    }
}

/// How a wait for a peer ended.
enum Ended {
    Closed,
    Late,
    Refused(Error),
}

#[pymethods]
impl Listener {
    /// Listens at an address; see `wirecontract.listen`.
    #[staticmethod]
    #[pyo3(signature = (address, options=None))]
    fn bind(address: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyAny>>) -> PyResult<Listener> {
        listen(address, options)
    }

    /// A listener of a socket that was made elsewhere and handed over. The file descriptor, by its number as well, is this
    /// call's to close, also where it is refused (`FdKind`). Its file is whoever's it was.
    #[staticmethod]
    #[pyo3(signature = (fd, options=None))]
    fn from_fd(
        python: Python<'_>,
        fd: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Listener> {
        let fd = fd::given(fd)?;
        let Both { pure, options } = self::options(python, options)?;
        let listener = handoff::Listener::from_fd(fd, &options);
        Listener::of(listener.map_err(|error| errors::handoff(python, &error))?, pure, python)
    }

    /// Waits for a peer to connect, no longer than `within` seconds (`HandoffTimeout`). The channel is the caller's.
    ///
    /// A peer that is not let in is disconnected and refused by name (`PeerUser`), which says nothing of the next one.
    #[pyo3(signature = (within=None))]
    fn accept(&self, python: Python<'_>, within: Option<&Bound<'_, PyAny>>) -> PyResult<Channel> {
        let open = self.open(python)?;
        let time = seconds(within)?;
        let moment = Moment::after(time);
        let accept = || {
            if let Some(channel) = open.listener.try_accept().map_err(Ended::Refused)? {
                return Ok(Some(channel));
            }
            let closing = [(open.closing.as_fd(), PollFlags::IN)];
            if polled(&closing, Moment::after(Some(Duration::ZERO))) == Ok(Polled::Ready) {
                return Err(Ended::Closed);
            }
            match polled(&[(open.listener.as_fd(), PollFlags::IN), closing[0]], moment) {
                Ok(Polled::Over) => Err(Ended::Late),
                Ok(Polled::Ready | Polled::Signal) => Ok(None),
                Err(_) => Err(Ended::Closed),
            }
        };
        let failed = |ended| match ended {
            Ended::Closed => errors::closed(python),
            Ended::Late => {
                errors::late(python, Doing::Accepting, time.unwrap_or(Duration::MAX).as_secs_f64())
            }
            Ended::Refused(error) => errors::handoff(python, &error),
        };
        until(python, accept, failed).map(|channel| self.accepted(python, channel))
    }

    /// A peer that has connected, if there is one.
    fn try_accept(&self, python: Python<'_>) -> PyResult<Option<Channel>> {
        let came = self.open(python)?.listener.try_accept();
        let came = came.map_err(|error| errors::handoff(python, &error))?;
        Ok(came.map(|channel| self.accepted(python, channel)))
    }

    /// Two file descriptors that are the caller's, for an event loop: the first can be read when a peer has connected, the
    /// second from when this listener is closed. Their numbers are nobody else's, whoever closes the listener.
    fn watched(&self, python: Python<'_>) -> PyResult<(Fd, Fd)> {
        let open = self.open(python)?;
        let duplicate = |fd: BorrowedFd<'_>| {
            let copy = fcntl_dupfd_cloexec(fd, 0);
            copy.map(Fd::of).map_err(|error| errors::system(python, "watching a listener", error))
        };
        Ok((duplicate(open.listener.as_fd())?, duplicate(open.closing.as_fd())?))
    }

    /// Removes the file, and closes the socket, when no call that waits has it any more: such a call is woken. In a forked
    /// child it closes the socket alone.
    fn close(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(open) = open.filter(|open| open.made.is_here()) {
            // A number that is full is read as well as one more.
            let _ = write(&open.closing, &1u64.to_ne_bytes());
        }
    }

    /// Whether this side closed it.
    #[getter]
    fn closed(&self) -> bool {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// What channels that are accepted are opened with: a `handoff.Options`.
    #[getter]
    fn options(&self, python: Python<'_>) -> Py<PyAny> {
        self.options.clone_ref(python)
    }

    /// The socket's number, to poll it; `ChannelClosed` where it is closed.
    fn fileno(&self, python: Python<'_>) -> PyResult<RawFd> {
        Ok(self.open(python)?.listener.as_raw_fd())
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception: "object"))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    fn __repr__(&self, python: Python<'_>) -> PyResult<String> {
        let number = self.open(python).map_or(-1, |open| open.listener.as_raw_fd());
        let framing = self.options.bind(python).getattr("framing")?.str()?;
        Ok(format!("<Listener fd={number} {framing}>"))
    }
}

/// Listens at an address: the path of a socket file, or a NUL and a name in the abstract namespace.
///
/// `options` is a `wirecontract.handoff.Options`: framing, times, whose processes are let in (those of this user unless
/// said), and the permissions of the file, of which it never has more. A path at which somebody listens is refused
/// (`InUse`), as is one at which there is anything but a socket file of this user's (`NotOurs`); a socket file that a
/// process left which is gone is replaced. `Locked`, `AddressTooLong`, `BadAddress`, `HandoffOSError`.
///
/// The listener is the caller's, until it is closed, or the end of a `with`.
#[pyfunction]
#[pyo3(signature = (address, options=None))]
pub(crate) fn listen(address: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyAny>>) -> PyResult<Listener> {
    let python = address.py();
    let Both { pure, options } = self::options(python, options)?;
    let at = self::address(address)?;
    // Another listener's lock is waited for.
    let listener = python.detach(|| handoff::Listener::bind(at, &options));
    Listener::of(listener.map_err(|error| errors::handoff(python, &error))?, pure, python)
}
