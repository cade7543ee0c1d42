//! `wirecontract.Channel`: a connected socket on which whole messages go.

mod calls;

use std::io::ErrorKind;
use std::os::fd::{AsRawFd as _, RawFd};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wirecontract_runtime::handoff::{self, Doing, Error};
use wirecontract_runtime::lease;

use super::fd::{self, Fd};
use super::gate::Gate;
use super::given::{self, address, seconds};
use super::message::{Message, Received};
use super::options::{Both, options};
use super::waiting::{Moment, pause};
use super::{errors, pure};

/// How long until a listener whose queue was full is asked again: the kernel tells nobody when it has room.
const AGAIN: Duration = Duration::from_millis(5);

/// A connected Unix socket on which whole messages go, each with 0 to 253 file descriptors.
///
/// It is made by `connect`, by `Listener.accept`, as a `pair`, or `from_fd`, and is the caller's until it is closed, by
/// `close`, at the end of a `with`, or when it is dropped. What it receives is the receiver's: the bytes of a message, and
/// its file descriptors as objects that own them. What is sent stays the sender's; the peer gets duplicates.
///
/// Threads may share a channel: in each direction one call at a time has it. A call that waits lets other threads run, and
/// is ended by Ctrl-C. What a call leaves unfinished the channel keeps, and the next call goes on with it: of a message that
/// was coming what came, and of one that was half sent the rest, which goes before the next one.
///
/// A direction that fails in the middle of a message is out of step: it is shut down, and each later call on it is refused
/// (`OutOfStep`). Refusals are the exceptions of `wirecontract.handoff`, with their codes and words; an `AsyncChannel` of
/// that module has tasks of an event loop wait for this channel.
///
/// >>> from wirecontract import Channel
/// >>> producer, consumer = Channel.pair()
/// >>> with open("/proc/self/comm", "rb") as file:
/// ...     producer.send(b"a file", [file])
/// >>> with consumer.recv(64, fds=1) as message:
/// ...     message.body, len(message.fds)
/// (b'a file', 1)
/// >>> producer.close(); consumer.close()
#[pyclass(frozen, module = "wirecontract", weakref)]
pub(crate) struct Channel {
    /// Looked at by calls that do not wait for as long as they take, and changed where the channel leaves.
    open: Gate<State>,
    peer: handoff::Peer,
    /// Whether this side closes it, of which calls that wait are woken.
    closing: AtomicBool,
    options: Py<PyAny>,
}

/// Who has the socket.
enum State {
    Open(Arc<handoff::Channel>),
    /// A side of leases, which this closes.
    Taken(&'static str, Box<dyn Fn() + Send + Sync>),
    Closed,
}

impl Channel {
    pub(super) fn of(channel: handoff::Channel, pure: Py<PyAny>) -> Channel {
        let peer = channel.peer();
        let open = Gate::new(State::Open(Arc::new(channel)));
        Channel { open, peer, closing: AtomicBool::new(false), options: pure }
    }

    /// The channel, for a call that may wait: it lives until the call is over.
    pub(super) fn open(&self, python: Python<'_>) -> PyResult<Arc<handoff::Channel>> {
        self.at_once(python, Arc::clone)
    }

    /// Makes a call that does not wait.
    fn at_once<T: Send>(
        &self,
        python: Python<'_>,
        call: impl FnOnce(&Arc<handoff::Channel>) -> T + Send,
    ) -> PyResult<T> {
        let made = self.open.look(python, |state| match state {
            State::Open(channel) => Ok(call(channel)),
            State::Taken(side, _) => Err(Some(*side)),
            State::Closed => Err(None),
        });
        made.map_err(|side| side.map_or_else(|| errors::closed(python), |side| errors::taken(python, side)))
    }

    /// Gives the channel to a side of leases: none where another call has it now.
    pub(super) fn give<T>(
        &self,
        python: Python<'_>,
        side: &'static str,
        make: impl FnOnce(handoff::Channel) -> Result<(T, Box<dyn Fn() + Send + Sync>), lease::Error> + Send,
    ) -> PyResult<Option<Result<T, lease::Error>>> {
        self.open(python)?;
        Ok(self.open.change(python, |state| {
            let State::Open(channel) = std::mem::replace(state, State::Closed) else { return None };
            match Arc::try_unwrap(channel) {
                Err(shared) => {
                    *state = State::Open(shared);
                    None
                }
                Ok(channel) => Some(make(channel).map(|(made, close)| {
                    *state = State::Taken(side, close);
                    made
                })),
            }
        }))
    }

    /// What a call failed with. What it finds while this side closes the channel is this side's doing.
    pub(super) fn failed(&self, python: Python<'_>, error: &Error) -> PyErr {
        let is_ours = matches!(
            error,
            Error::PeerClosed { .. } | Error::ClosedInMessage { .. } | Error::OutOfStep { .. }
        );
        if is_ours && self.closing.load(Ordering::Acquire) {
            return errors::closed(python);
        }
        errors::handoff(python, error)
    }

    fn attempt<T: Send>(
        &self,
        python: Python<'_>,
        call: impl FnOnce(&handoff::Channel) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        self.at_once(python, |channel| call(channel))?.map_err(|error| self.failed(python, &error))
    }
}

#[pymethods]
impl Channel {
    /// Two channels that are connected with each other, whose peer is the process that makes them.
    #[staticmethod]
    #[pyo3(signature = (options=None))]
    fn pair(python: Python<'_>, options: Option<&Bound<'_, PyAny>>) -> PyResult<(Channel, Channel)> {
        let Both { pure, options } = self::options(python, options)?;
        let (one, other) =
            handoff::Channel::pair(&options).map_err(|error| errors::handoff(python, &error))?;
        Ok((Channel::of(one, pure.clone_ref(python)), Channel::of(other, pure)))
    }

    /// Connects to a listener; see `wirecontract.connect`.
    #[staticmethod]
    #[pyo3(signature = (address, options=None))]
    fn connect(address: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyAny>>) -> PyResult<Channel> {
        connect(address, options)
    }

    /// Connects where the listener's queue is not full, and never waits.
    #[staticmethod]
    #[pyo3(signature = (address, options=None))]
    fn try_connect(
        address: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Channel>> {
        let python = address.py();
        let Both { pure, options } = self::options(python, options)?;
        let at = self::address(address)?;
        let channel = handoff::Channel::try_connect(&at, &options);
        Ok(channel
            .map_err(|error| errors::handoff(python, &error))?
            .map(|channel| Channel::of(channel, pure)))
    }

    /// A channel of a socket that was made elsewhere and handed over: inherited, or received. The file descriptor, by its
    /// number as well, is this call's to close, also where it is refused (`FdKind`, `PeerUser`), and where the options are.
    #[staticmethod]
    #[pyo3(signature = (fd, options=None))]
    fn from_fd(
        python: Python<'_>,
        fd: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Channel> {
        let fd = fd::given(fd)?;
        let Both { pure, options } = self::options(python, options)?;
        let channel = handoff::Channel::from_fd(fd, &options);
        Ok(Channel::of(channel.map_err(|error| errors::handoff(python, &error))?, pure))
    }

    /// Sends a message, and returns when all of it is with the kernel. The body is bytes or whatever exports a buffer
    /// without gaps, and stays as it is until then; the file descriptors, numbers or objects with `fileno`, stay the
    /// caller's, and the peer gets duplicates.
    ///
    /// `TooManyFds`, `TooLargeToSend` and `EmptyPacket` before anything is sent; `HandoffTimeout`, `PeerClosed`,
    /// `ClosedInMessage`, `FdsInFlight`; `HelloRefused` where the peer's hello has come, and was refused. Where Ctrl-C ends
    /// it none of the message went, or its rest is kept and goes with the next message or `flush`.
    #[pyo3(signature = (
        body, fds: "collections.abc.Sequence[wirecontract.handoff.FileDescriptor] | None" = None
    ))]
    fn send(&self, body: &Bound<'_, PyAny>, fds: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        calls::send(self, body, fds)
    }

    /// Sends a message whose body is these parts behind each other.
    #[pyo3(signature = (
        body: "collections.abc.Iterable[typing_extensions.Buffer]",
        fds: "collections.abc.Sequence[wirecontract.handoff.FileDescriptor] | None" = None
    ))]
    fn send_vectored(
        &self,
        python: Python<'_>,
        body: &Bound<'_, PyAny>,
        fds: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let body = body.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        calls::send_vectored(self, python, &body, fds)
    }

    /// Sends what the kernel takes of a message without waiting, and says how far it is, as `handoff.Sent`. Bytes that are
    /// still to go are copied.
    #[pyo3(signature = (
        body, fds: "collections.abc.Sequence[wirecontract.handoff.FileDescriptor] | None" = None
    ) -> "wirecontract.handoff.Sent")]
    fn try_send<'py>(
        &self,
        python: Python<'py>,
        body: &Bound<'py, PyAny>,
        fds: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        calls::try_send(self, python, slice::from_ref(body), fds)
    }

    /// The same with a body of several parts.
    #[pyo3(signature = (
        body: "collections.abc.Iterable[typing_extensions.Buffer]",
        fds: "collections.abc.Sequence[wirecontract.handoff.FileDescriptor] | None" = None
    ) -> "wirecontract.handoff.Sent")]
    fn try_send_vectored<'py>(
        &self,
        python: Python<'py>,
        body: &Bound<'py, PyAny>,
        fds: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let body = body.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        calls::try_send(self, python, &body, fds)
    }

    /// Sends the rest of a message that was begun, as long as that may take.
    fn flush(&self, python: Python<'_>) -> PyResult<()> {
        calls::flush_from(self, python)
    }

    /// Sends of that rest what the kernel takes without waiting; whether nothing is left.
    fn try_flush(&self, python: Python<'_>) -> PyResult<bool> {
        self.attempt(python, handoff::Channel::try_flush)
    }

    /// Receives a message: as a `handoff.Expected` says, or of at most so many bytes, and with `fds` file descriptors, a
    /// number or a pair of the least and the most; `repeated` lets one open file come more than once. It waits as long as
    /// the channel's options let that take, and no longer than `within` seconds in all. Where only that time is over, or
    /// Ctrl-C ends it, what came of the message stays, and a later call goes on with it.
    ///
    /// The message and its file descriptors are the caller's: closed with it, at the end of a `with`, or when they are
    /// dropped. `PeerClosed` where the peer closed between two messages, and `ClosedInMessage` where it did so in the middle
    /// of one. `HandoffTimeout`, `TooLarge`, `FdCount`, `FdsMisplaced`, `FdsRepeated`, `FdsLost`, `HelloRefused`: what had
    /// come with what is refused is closed. No more than 64 KiB is allocated for bytes that have not come, or as much again
    /// as has.
    #[pyo3(signature = (
        expected: "wirecontract.handoff.Expected | int", within=None, *,
        fds: "int | tuple[int, int] | range | None" = None, repeated=false
    ))]
    fn recv(
        &self,
        python: Python<'_>,
        expected: &Bound<'_, PyAny>,
        within: Option<&Bound<'_, PyAny>>,
        fds: Option<&Bound<'_, PyAny>>,
        repeated: bool,
    ) -> PyResult<Message> {
        calls::recv(self, python, &given::expected(expected, fds, repeated)?, within)
    }

    /// Receives a message, its body to the beginning of a buffer, which bounds it beside `expected`; otherwise as `recv`.
    /// What is in the buffer behind the body, or after a refusal, is anything.
    #[pyo3(signature = (
        buffer: "typing_extensions.Buffer", expected: "wirecontract.handoff.Expected | int | None" = None,
        within=None, *, fds: "int | tuple[int, int] | range | None" = None, repeated=false
    ))]
    fn recv_into(
        &self,
        python: Python<'_>,
        buffer: &Bound<'_, PyAny>,
        expected: Option<&Bound<'_, PyAny>>,
        within: Option<&Bound<'_, PyAny>>,
        fds: Option<&Bound<'_, PyAny>>,
        repeated: bool,
    ) -> PyResult<Received> {
        let expected = calls::expected_of(python, expected, fds, repeated)?;
        calls::recv_into(self, python, buffer, &expected, within)
    }

    /// Receives a message if it is there; None where it is not, or not whole: what came of it stays.
    #[pyo3(signature = (
        expected: "wirecontract.handoff.Expected | int", *,
        fds: "int | tuple[int, int] | range | None" = None, repeated=false
    ))]
    fn try_recv(
        &self,
        python: Python<'_>,
        expected: &Bound<'_, PyAny>,
        fds: Option<&Bound<'_, PyAny>>,
        repeated: bool,
    ) -> PyResult<Option<Message>> {
        let expected = given::expected(expected, fds, repeated)?;
        let came = self.attempt(python, |channel| channel.try_recv(&expected))?;
        came.map(|message| Message::of(python, message)).transpose()
    }

    /// The same, its body to the beginning of a buffer.
    #[pyo3(signature = (
        buffer: "typing_extensions.Buffer", expected: "wirecontract.handoff.Expected | int | None" = None, *,
        fds: "int | tuple[int, int] | range | None" = None, repeated=false
    ))]
    fn try_recv_into(
        &self,
        python: Python<'_>,
        buffer: &Bound<'_, PyAny>,
        expected: Option<&Bound<'_, PyAny>>,
        fds: Option<&Bound<'_, PyAny>>,
        repeated: bool,
    ) -> PyResult<Option<Received>> {
        let expected = calls::expected_of(python, expected, fds, repeated)?;
        let mut buffer = super::bytes::Buffer::writable(buffer)?;
        let came = self.attempt(python, |channel| channel.try_recv_into(buffer.as_mut_slice(), &expected))?;
        came.map(|received| Received::of(python, received)).transpose()
    }

    /// The version of a contract that both sides speak, by their hellos (`negotiate.Agreed`): the highest that both list
    /// with the same wire id. The contract is a class, or the name that hellos have for it. It waits for the peer's hello,
    /// no longer than `within` seconds. `HelloRefused` where the peer does not speak it, or this side does not say so.
    #[pyo3(signature = (contract: "type | str", within=None) -> "wirecontract.contracts.negotiate.Agreed")]
    fn agreed<'py>(
        &self,
        contract: &Bound<'py, PyAny>,
        within: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        calls::agreed(self, contract, seconds(within)?)
    }

    /// The same where the peer's hello is there; None where it has not come.
    #[pyo3(signature = (contract: "type | str") -> "wirecontract.contracts.negotiate.Agreed | None")]
    fn try_agreed<'py>(&self, contract: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        calls::try_agreed(self, contract)
    }

    /// Whether a message has begun to come, and until when it has to be whole; for event loops.
    #[pyo3(signature = () -> "tuple[bool, wirecontract.handoff.Limit | None]")]
    fn recv_limit<'py>(&self, python: Python<'py>) -> PyResult<(bool, Option<Bound<'py, PyAny>>)> {
        let (begun, deadline) = self.open(python)?.recv_deadline();
        Ok((begun, calls::limit(python, deadline)?))
    }

    /// Whether a message that was begun is still to be sent, for which the channel has to be writable, and until when.
    #[pyo3(signature = () -> "tuple[bool, wirecontract.handoff.Limit | None]")]
    fn send_limit<'py>(&self, python: Python<'py>) -> PyResult<(bool, Option<Bound<'py, PyAny>>)> {
        let (has_rest, deadline) = self.open(python)?.send_deadline();
        Ok((has_rest, calls::limit(python, deadline)?))
    }

    /// Until when the peer's hello has to come, where it has not.
    #[pyo3(signature = () -> "wirecontract.handoff.Limit | None")]
    fn hello_limit<'py>(&self, python: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        calls::limit(python, self.open(python)?.hello_deadline())
    }

    /// Whether the peer's hello has not come, and ours is not sent, for which the channel has to be writable.
    #[getter]
    fn owes_hello(&self, python: Python<'_>) -> PyResult<bool> {
        Ok(self.open(python)?.owes_hello())
    }

    /// Whether a message may still be received, as the calls that are over left it: not where one of them received the end,
    /// or left the direction in the middle of a message; not where the peer's hello was refused, this side closed the
    /// channel or shut it down, or this is a fork of the process that made it.
    #[getter]
    fn can_receive(&self, python: Python<'_>) -> bool {
        self.open(python).is_ok_and(|channel| channel.can_receive())
    }

    /// Whether a message may still be sent, likewise; not behind `finish`.
    #[getter]
    fn can_send(&self, python: Python<'_>) -> bool {
        self.open(python).is_ok_and(|channel| channel.can_send())
    }

    /// Whether the peer will send nothing more. Messages that it sent before may still be there.
    fn is_closed(&self, python: Python<'_>) -> PyResult<bool> {
        self.attempt(python, handoff::Channel::is_closed)
    }

    /// Waits until the peer will send nothing more, whatever is there to be received; False where it may still, after so
    /// many seconds.
    #[pyo3(signature = (within=None))]
    fn wait_closed(&self, python: Python<'_>, within: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        calls::wait_closed(self, python, seconds(within)?)
    }

    /// Says that nothing more will be sent: the peer receives what was sent, and then the end. Receiving goes on.
    fn finish(&self, python: Python<'_>) -> PyResult<()> {
        self.flush(python)?;
        self.attempt(python, handoff::Channel::finish)
    }

    /// The same where nothing is left to be sent, or the kernel takes it without waiting; whether it was said.
    fn try_finish(&self, python: Python<'_>) -> PyResult<bool> {
        if !self.try_flush(python)? {
            return Ok(false);
        }
        self.attempt(python, handoff::Channel::finish).map(|()| true)
    }

    /// Ends both directions. A call that waits on this channel in another thread ends as if the peer had closed it.
    fn shutdown(&self, python: Python<'_>) -> PyResult<()> {
        self.attempt(python, |channel| ended(channel.close()))
    }

    /// Ends both directions, and closes the socket when no other thread's call has it any more: such a call, woken, finds
    /// that this side closed it (`ChannelClosed`). In a forked child it only closes the socket: the parent's channel goes
    /// on.
    fn close(&self, python: Python<'_>) -> PyResult<()> {
        self.closing.store(true, Ordering::Release);
        let state = self.open.change(python, |state| std::mem::replace(state, State::Closed));
        let ended = match state {
            State::Open(channel) => ended(channel.close()),
            State::Taken(_, close) => {
                python.detach(close);
                Ok(())
            }
            State::Closed => Ok(()),
        };
        match ended {
            Err(Error::Forked { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(errors::handoff(python, &error)),
        }
    }

    /// The socket, where no message is unfinished in either direction; the channel is closed then.
    fn detach(&self, python: Python<'_>) -> PyResult<Fd> {
        calls::detach(self, python)
    }

    /// Whether this side closed it.
    #[getter]
    fn closed(&self, python: Python<'_>) -> bool {
        self.open.look(python, |state| matches!(state, State::Closed))
    }

    /// Who is at the other end, as the kernel noted it: a `handoff.Peer`.
    #[getter]
    fn peer<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        peer_of(python, self.peer)
    }

    /// The process at the other end, by a handle that stays its own: a `handoff.PidFd`, which is the caller's. `NoPidFd`
    /// before Linux 6.5, and `ProcessEnded` where the kernel makes no handle of a process that has.
    #[pyo3(signature = () -> "wirecontract.handoff.PidFd")]
    fn peer_process<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let process = self.attempt(python, handoff::Channel::peer_process)?;
        let process = Bound::new(python, Fd::of(process.into()))?;
        pure::named(python, "wirecontract.handoff", "PidFd")?.call_method1("adopt", (process,))
    }

    /// How it frames and waits: a `handoff.Options`.
    #[getter]
    pub(super) fn options(&self, python: Python<'_>) -> Py<PyAny> {
        self.options.clone_ref(python)
    }

    /// The socket's number, to poll it; `ChannelClosed` where it is closed.
    fn fileno(&self, python: Python<'_>) -> PyResult<RawFd> {
        Ok(self.open(python)?.as_raw_fd())
    }

    /// Sends a message of a contract: its bytes, and beside them its file descriptors, which stay the message's.
    /// `WireError` before anything is sent; what `send` refuses.
    #[pyo3(signature = (message) -> "None")]
    fn send_declared<'py>(
        slf: &Bound<'py, Self>,
        message: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        calls::declared(slf, "send_declared", &[Some(message)], None)
    }

    /// The same without waiting; see `try_send`.
    #[pyo3(signature = (message) -> "wirecontract.handoff.Sent")]
    fn try_send_declared<'py>(
        slf: &Bound<'py, Self>,
        message: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        calls::declared(slf, "try_send_declared", &[Some(message)], None)
    }

    /// Receives a message of a contract, with as many bytes and file descriptors as it may have, which it owns. What `recv`
    /// refuses, and `WireError`, which leaves the channel as it is.
    #[pyo3(signature = (
        contract: "wirecontract.handoff.DeclaredType[_M]", within=None, *, repeated=false
    ) -> "_M")]
    fn recv_declared<'py>(
        slf: &Bound<'py, Self>,
        contract: &Bound<'py, PyAny>,
        within: Option<&Bound<'py, PyAny>>,
        repeated: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        calls::declared(slf, "recv_declared", &[Some(contract), within], Some(repeated))
    }

    /// The same where the message is there; None where it is not, or not whole.
    #[pyo3(signature = (contract: "wirecontract.handoff.DeclaredType[_M]", *, repeated=false) -> "_M | None")]
    fn try_recv_declared<'py>(
        slf: &Bound<'py, Self>,
        contract: &Bound<'py, PyAny>,
        repeated: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        calls::declared(slf, "try_recv_declared", &[Some(contract)], Some(repeated))
    }

    /// The same as `send_declared`, with the contract's wire id before the bytes: eight bytes, little-endian.
    #[pyo3(signature = (message) -> "None")]
    fn send_framed<'py>(slf: &Bound<'py, Self>, message: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        calls::declared(slf, "send_framed", &[Some(message)], None)
    }

    /// The same without waiting; see `try_send`.
    #[pyo3(signature = (message) -> "wirecontract.handoff.Sent")]
    fn try_send_framed<'py>(
        slf: &Bound<'py, Self>,
        message: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        calls::declared(slf, "try_send_framed", &[Some(message)], None)
    }

    /// Receives a message that begins with its contract's wire id, and is one of that contract. As `recv_declared`;
    /// `IdMismatch`, `NoWireId`.
    #[pyo3(signature = (
        contract: "wirecontract.handoff.DeclaredType[_M]", within=None, *, repeated=false
    ) -> "_M")]
    fn recv_framed<'py>(
        slf: &Bound<'py, Self>,
        contract: &Bound<'py, PyAny>,
        within: Option<&Bound<'py, PyAny>>,
        repeated: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        calls::declared(slf, "recv_framed", &[Some(contract), within], Some(repeated))
    }

    /// The same where the message is there; None where it is not, or not whole.
    #[pyo3(signature = (contract: "wirecontract.handoff.DeclaredType[_M]", *, repeated=false) -> "_M | None")]
    fn try_recv_framed<'py>(
        slf: &Bound<'py, Self>,
        contract: &Bound<'py, PyAny>,
        repeated: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        calls::declared(slf, "try_recv_framed", &[Some(contract)], Some(repeated))
    }

    /// Receives a message that begins with the wire id of some contract (`handoff.Frame`); the `handoff.Expected` says what
    /// may come behind the id. As `recv`; `NoWireId`.
    #[pyo3(signature = (expected, within=None) -> "wirecontract.handoff.Frame")]
    fn recv_frame<'py>(
        slf: &Bound<'py, Self>,
        expected: &Bound<'py, PyAny>,
        within: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        calls::declared(slf, "recv_frame", &[Some(expected), within], None)
    }

    /// The same where the message is there; None where it is not, or not whole.
    #[pyo3(signature = (expected) -> "wirecontract.handoff.Frame | None")]
    fn try_recv_frame<'py>(
        slf: &Bound<'py, Self>,
        expected: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        calls::declared(slf, "try_recv_frame", &[Some(expected)], None)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception: "object"))]
    fn __exit__(&self, python: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(python)
    }

    fn __repr__(&self, python: Python<'_>) -> PyResult<String> {
        let number = self.open(python).map_or(-1, |channel| channel.as_raw_fd());
        let framing = self.options.bind(python).getattr("framing")?.str()?;
        Ok(format!("<Channel fd={number} {framing}>"))
    }
}

/// Who is at the other end, in the pure package's word.
pub(super) fn peer_of(python: Python<'_>, peer: handoff::Peer) -> PyResult<Bound<'_, PyAny>> {
    pure::named(python, "wirecontract.handoff", "Peer")?.call1((peer.pid, peer.uid, peer.gid))
}

/// What ending a channel came to: one that has no connection any more is ended.
fn ended(closed: Result<(), Error>) -> Result<(), Error> {
    match closed {
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotConnected => Ok(()),
        closed => closed,
    }
}

/// Connects to a listener: at the path of its socket file, or at a NUL and a name in the abstract namespace.
///
/// `options` is a `wirecontract.handoff.Options`: framing, times, and to whose processes this connects (those of this user
/// unless said: `PeerUser`). Where the listener's queue is full, it waits for `Options.message_timeout`
/// (`HandoffTimeout`), and Ctrl-C ends it. `AddressTooLong`, `BadAddress`, and `HandoffOSError` where nobody listens
/// (`ConnectionRefusedError`) or nothing is there (`FileNotFoundError`).
///
/// The channel is the caller's, until it is closed, or the end of a `with`.
#[pyfunction]
#[pyo3(signature = (address, options=None))]
pub(crate) fn connect(address: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyAny>>) -> PyResult<Channel> {
    let python = address.py();
    let Both { pure, options } = self::options(python, options)?;
    let at = self::address(address)?;
    let time = seconds(Some(&pure.bind(python).getattr("message_timeout")?).filter(|time| !time.is_none()))?;
    let limit = Moment::after(time);
    loop {
        let channel = handoff::Channel::try_connect(&at, &options);
        if let Some(channel) = channel.map_err(|error| errors::handoff(python, &error))? {
            return Ok(Channel::of(channel, pure));
        }
        if limit.is_over() {
            return Err(errors::late(python, Doing::Connecting, time.unwrap_or_default().as_secs_f64()));
        }
        python.detach(|| pause(AGAIN));
        python.check_signals()?;
    }
}
