//! The side that lends.

use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wirecontract_gpu::buffer::{EndReason, Ping};
use wirecontract_runtime::lease::{self, Error, Lend};

use super::super::channel::peer_of;
use super::super::fd::{Fd, number_of};
use super::super::host::{HostBuffer, shared_buffer};
use super::super::pure::{Pure, named};
use super::lent::Lease;
use super::{Made, interest, options, said, side_of, wait, waited, watched};

/// Lends buffers to one consumer, over one channel, which it has from then on (`handoff.ChannelTaken`). Threads may share
/// it. It is ended by `close` or the end of a `with`, and with it all leases on it (`REVOKED`).
///
/// `options` is a `wirecontract.lease.Options`. What is lent stays as it is for as long as its lease lasts: that nobody
/// writes the memory meanwhile is its owner's to see to. Refusals are those of `wirecontract.lease`; what waits lets other
/// threads run, and Ctrl-C ends it.
///
/// >>> import threading
/// >>> from wirecontract import Channel, Consumer, HostBuffer, Producer
/// >>> ours, theirs = Channel.pair()
/// >>> def read():  # in another process
/// ...     with Consumer(theirs) as consumer, consumer.next(10) as held:
/// ...         print(held.tensor().tobytes())
/// >>> other = threading.Thread(target=read)
/// >>> other.start()
/// >>> with Producer(ours) as producer, HostBuffer(6) as buffer:
/// ...     with buffer.view() as view:
/// ...         view[:] = b"pixels"
/// ...     lease = producer.offer(buffer)
/// ...     lease.wait_released(10).reason.name
/// ...     other.join()
/// b'pixels'
/// 'RELEASED'
#[pyclass(frozen, module = "wirecontract", weakref)]
pub(crate) struct Producer {
    side: lease::Producer,
    answer: Option<std::time::Duration>,
    made: Made,
}

#[pymethods]
impl Producer {
    #[new]
    #[pyo3(signature = (channel, options: "wirecontract.lease.Options | None" = None))]
    fn new(channel: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyAny>>) -> PyResult<Producer> {
        let (options, answer) = self::options(channel.py(), options)?;
        let new = |channel| lease::Producer::new(channel, &options);
        let side = side_of(channel, "Producer", new, lease::Producer::close)?;
        Ok(Producer { side, answer, made: Made::here() })
    }

    /// Lends a buffer, and waits until it is taken: a `HostBuffer`, or what the pure package lends. A consumer that does not
    /// answer in time (`Options.answer_timeout`) has its lease ended (`TIMED_OUT`). Where Ctrl-C ends the waiting, the offer
    /// is taken back (`REVOKED`). `Refused`, `LeaseTimeout`, `Lost`.
    fn offer(&self, lend: &Bound<'_, PyAny>) -> PyResult<Lease> {
        let python = lend.py();
        let lease = self.offered(lend)?;
        let taken = match wait(python, self.answer, |step| lease.wait_taken(step)) {
            Ok(taken) => taken,
            Err(interrupted) => {
                let _ = python.detach(|| lease.end(EndReason::Revoked));
                return Err(interrupted);
            }
        };
        taken.map_err(|error| {
            if matches!(error, Error::Timeout { .. }) {
                // Where it has answered meanwhile, it is over all the same.
                let _ = python.detach(|| lease.end(EndReason::TimedOut));
            }
            said::raised(python, &error)
        })?;
        Ok(Lease::of(lease))
    }

    /// Lends a buffer, and does not wait for an answer. What the kernel does not take at once, and whatever is lent before
    /// the consumer's hello has come, is sent by the next calls (`poll` is one). `TooMany`, `Lost`; `WireError`,
    /// `GeometryError` for a buffer that no importer may use.
    fn offer_without_waiting(&self, lend: &Bound<'_, PyAny>) -> PyResult<Lease> {
        self.offered(lend).map(Lease::of)
    }

    /// The leases that are not over: a list of `lease.Outstanding`.
    #[pyo3(signature = () -> "list[wirecontract.lease.Outstanding]")]
    fn outstanding<'py>(&self, python: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let class = named(python, "wirecontract.lease", "Outstanding")?;
        let all = python.detach(|| self.side.outstanding());
        let each = all.iter().map(|one| {
            let (peer, state) = (peer_of(python, one.consumer)?, said::state(python, one.state)?);
            class.call1((one.lease, peer, one.age.as_secs_f64(), state, one.size))
        });
        each.collect()
    }

    /// Takes what came, without waiting; what is not sent yet is.
    fn poll(&self, python: Python<'_>) -> PyResult<()> {
        self.made.check(python)?;
        let _ = python.detach(|| self.side.poll());
        Ok(())
    }

    /// Asks whether the consumer is there, and waits for its answer, no longer than so many seconds. `LeaseTimeout`, `Lost`.
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

    /// Asks whether the consumer is there, and does not wait: the number of the question.
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

    /// Ends the channel, and all leases on it: the consumer finds that it was closed. The socket is shut down at once; its
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

impl Producer {
    fn offered(&self, lend: &Bound<'_, PyAny>) -> PyResult<lease::Lease> {
        let python = lend.py();
        let lend = lend_of(lend)?;
        let offered = python.detach(|| self.side.offer_without_waiting(&lend));
        offered.map_err(|error| said::raised(python, &error))
    }
}

/// What is kept for as long as a lease lasts.
struct Kept(#[expect(dead_code, reason = "it is there to be dropped")] Py<PyAny>);

/// A buffer to be lent; what is none is refused as the pure package does.
fn lend_of(lend: &Bound<'_, PyAny>) -> PyResult<Lend> {
    static LEND_OF: Pure = Pure::new("wirecontract.lease._producer", &["lend_of"]);
    let python = lend.py();
    let made = if lend.is_instance_of::<HostBuffer>() {
        let fd = lend.call_method0("consumer_fd")?;
        let fd = super::super::fd::given(&fd)?;
        Lend::shared(shared_buffer(&lend.call_method0("shared")?)?, vec![fd])
    } else {
        let pure = LEND_OF.get(python)?.call1((lend,))?;
        let fds = pure.getattr("fds")?.try_iter()?.map(|fd| {
            // SAFETY: no negative number, of an object that is held here.
            let fd = unsafe { BorrowedFd::borrow_raw(number_of(&fd?)?) };
            Ok(fd.try_clone_to_owned()?)
        });
        let fds = fds.collect::<PyResult<Vec<OwnedFd>>>()?;
        let kept = Kept(pure.getattr("keep")?.unbind());
        Lend::shared(shared_buffer(&pure.getattr("buffer")?)?, fds).map(|lend| lend.owner(kept))
    };
    made.map_err(|error| said::raised(python, &error))
}
