//! The side that is lent to.

use std::os::fd::{AsFd as _, AsRawFd as _, RawFd};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wirecontract_gpu::buffer::Ping;
use wirecontract_runtime::lease;

use super::super::channel::peer_of;
use super::super::fd::Fd;
use super::held::Held;
use super::{Made, interest, options, said, side_of, waited, watched};

/// Is lent buffers by one producer, over one channel, which it has from then on (`handoff.ChannelTaken`). Threads may share
/// it. It is ended by `close` or the end of a `with`; what is held stays mapped, and is to be released.
///
/// Each call first takes what came. A side that nobody calls says nothing, so that who holds buffers calls `poll` now and
/// then, or polls the file descriptor. `options` is a `wirecontract.lease.Options`; refusals are those of that module. What
/// waits lets other threads run, and Ctrl-C ends it.
#[pyclass(frozen, module = "wirecontract", weakref)]
pub(crate) struct Consumer {
    side: lease::Consumer,
    made: Made,
}

#[pymethods]
impl Consumer {
    #[new]
    #[pyo3(signature = (channel, options: "wirecontract.lease.Options | None" = None))]
    fn new(channel: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyAny>>) -> PyResult<Consumer> {
        let (options, _) = self::options(channel.py(), options)?;
        let new = |channel| lease::Consumer::new(channel, &options);
        Ok(Consumer { side: side_of(channel, "Consumer", new, lease::Consumer::close)?, made: Made::here() })
    }

    /// The next buffer that is offered, which is the caller's to give back: host memory is mapped and taken; of other kinds
    /// the descriptor and the file descriptors are given, and `Held.take` says that they are imported.
    ///
    /// `Unusable` for an offer that was refused: the producer was told the code, and the next call goes on. `LeaseTimeout`
    /// behind `within` seconds; `Lost`, whose `reason` says whether the producer closed the channel.
    #[pyo3(signature = (within=None))]
    fn next(&self, python: Python<'_>, within: Option<&Bound<'_, PyAny>>) -> PyResult<Held> {
        waited(python, within, |step| self.side.next(step)).map(Held::of)
    }

    /// The next buffer, if one is offered.
    fn try_next(&self, python: Python<'_>) -> PyResult<Option<Held>> {
        let next = python.detach(|| self.side.try_next());
        Ok(next.map_err(|error| said::raised(python, &error))?.map(Held::of))
    }

    /// What happened to buffers that are held, since this was asked last: a list of `lease.Revoked` and `lease.Ended`. What
    /// is given back is forgotten.
    #[pyo3(signature = () -> "list[wirecontract.lease.Event]")]
    fn events<'py>(&self, python: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.made.check(python)?;
        python.detach(|| self.side.events()).iter().map(|event| said::event(python, event)).collect()
    }

    /// Waits until something has happened to a buffer that is held. `LeaseTimeout`, `Lost`.
    #[pyo3(signature = (within=None) -> "wirecontract.lease.Event")]
    fn next_event<'py>(
        &self,
        python: Python<'py>,
        within: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        said::event(python, &waited(python, within, |step| self.side.next_event(step))?)
    }

    /// Waits until there is an offer or an event. `LeaseTimeout`, `Lost`.
    #[pyo3(signature = (within=None))]
    fn wait(&self, python: Python<'_>, within: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        waited(python, within, |step| self.side.wait(step))
    }

    /// Takes what came, without waiting; what is not sent yet is.
    fn poll(&self, python: Python<'_>) -> PyResult<()> {
        self.made.check(python)?;
        python.detach(|| drop(self.side.lost()));
        Ok(())
    }

    /// Asks whether the producer is there, and waits for its answer, no longer than so many seconds. `LeaseTimeout`, `Lost`.
    #[pyo3(signature = (within=None))]
    fn ping(&self, python: Python<'_>, within: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let ping = python.detach(|| self.side.say_ping()).map_err(|error| said::raised(python, &error))?;
        waited(python, within, |step| self.side.wait_pong(ping, step))
    }

    /// Waits until the channel ends, no longer than so many seconds, and says how (`lease.Lost`). `LeaseTimeout`.
    #[pyo3(signature = (within=None) -> "wirecontract.lease.Lost")]
    fn wait_closed<'py>(
        &self,
        python: Python<'py>,
        within: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        said::lost(python, &waited(python, within, |step| self.side.wait_closed(step))?)
    }

    /// How the channel has ended, if it has: a `lease.Lost`.
    #[getter]
    fn lost<'py>(&self, python: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        python.detach(|| self.side.lost()).map(|lost| said::lost(python, &lost)).transpose()
    }

    /// Who is at the other end, as the kernel noted it: a `handoff.Peer`.
    #[getter]
    fn peer<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        peer_of(python, self.side.peer())
    }

    /// The channel's number, to poll it for what `interest` says: `poll` has something to do then.
    fn fileno(&self) -> RawFd {
        self.side.as_fd().as_raw_fd()
    }

    /// What the file descriptor is to be polled for, as `selectors` has it. Each call may change it.
    fn interest(&self) -> i32 {
        interest(self.side.interest())
    }

    /// The seconds until `poll` has something to do though the file descriptor is not ready; None where nothing is waited
    /// for.
    #[getter]
    fn deadline(&self) -> Option<f64> {
        self.side.deadline().map(|left| left.as_secs_f64())
    }

    /// Asks whether the producer is there, and does not wait: the number of the question.
    fn _say_ping(&self, python: Python<'_>) -> PyResult<u64> {
        let ping = python.detach(|| self.side.say_ping()).map_err(|error| said::raised(python, &error))?;
        Ok(ping.sequence)
    }

    /// Waits for the answer to that question. `LeaseTimeout`, `Lost`.
    #[pyo3(signature = (sequence, within=None))]
    fn _wait_pong(
        &self,
        python: Python<'_>,
        sequence: u64,
        within: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        waited(python, within, |step| self.side.wait_pong(Ping { sequence }, step))
    }

    /// Has an event of an event loop's be written to whenever something has changed, and gives what it watches beside it:
    /// duplicates of the channel's socket, and of what is readable when the process at the other end has ended.
    #[pyo3(signature = (event: "wirecontract.handoff.FileDescriptor"))]
    fn _watch(&self, event: &Bound<'_, PyAny>) -> PyResult<Vec<Fd>> {
        watched(event, self.side.as_fd(), self.side.process(), |event| self.side.wake_by(event))
    }

    /// Ends the channel, and all leases on it: the producer finds that it was closed. The socket is shut down at once; its
    /// file descriptor is closed when this object and its leases are gone.
    fn close(&self, python: Python<'_>) {
        python.detach(|| self.side.close());
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception: "object"))]
    fn __exit__(&self, python: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(python);
    }
}
