//! A connected socket on which whole messages go, with their file descriptors.

use std::fmt;
use std::io::IoSlice;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::net::{Shutdown, shutdown};

use super::dest::Dest;
use super::greeting::Greeting;
use super::options::Limits;
use super::outgoing::Outgoing;
use super::patience::Patience;
use super::receiving::Receiving;
use super::sending::Sending;
use super::turn::{Taken, Turn};
use super::wait::{Limit, is_ready, wait_for};
use super::{Doing, Error, Expected, Framing, Message, Options, Peer, PidFd, Received, Sent};
use crate::maker::Maker;

/// A connected Unix socket on which whole messages go, each with 0 to 253 file descriptors.
///
/// Threads may share a channel: in each direction one call at a time has it, and a message is never mixed with
/// another. Sending raises no SIGPIPE. What a call leaves unfinished, because it does not wait or because its time is
/// over, the channel keeps, and the next call goes on with it.
///
/// A direction that fails in the middle of a message is out of step: it is shut down, and each later call on it is
/// refused with [`Error::OutOfStep`], since nothing behind can be told from the message's rest. The other direction
/// stays, so that a peer can be told why it was refused. Packets ([`Framing::SeqPacket`]) cannot get out of step. Behind a
/// refusal [`can_receive`](Self::can_receive) and [`can_send`](Self::can_send) say whether the channel goes on; what a call
/// says of a direction that is over is an end ([`Error::is_end`]), so that a loop which stops there does stop.
///
/// A channel is the process's that made it. In a fork of that process what sends, receives or ends is refused
/// ([`Error::Forked`]), and dropping it closes the fork's file descriptor and ends nothing; who wants to use it there makes
/// a channel of its own ([`into_fd`](Self::into_fd), [`from_fd`](Self::from_fd)).
///
/// ```
/// use std::fs::File;
/// use std::io::Read as _;
/// use std::os::fd::AsFd as _;
/// use wirecontract_runtime::handoff::{Channel, Expected, Options};
///
/// let (producer, consumer) = Channel::pair(&Options::default())?;
/// let file = File::open("/proc/self/comm")?;
/// producer.send(b"a file", &[file.as_fd()])?;
///
/// let message = consumer.recv(&Expected::bytes(64).fds(1..=1))?;
/// assert_eq!(message.body, b"a file");
/// let mut text = String::new();
/// File::from(message.fds.into_iter().next().expect("one came")).read_to_string(&mut text)?;
/// assert!(text.ends_with('\n'));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Channel {
    socket: OwnedFd,
    maker: Maker,
    pub(super) framing: Framing,
    pub(super) limits: Limits,
    peer: Peer,
    origin: Origin,
    pub(super) greeting: Option<Greeting>,
    pub(super) sending: Turn<Sending>,
    pub(super) receiving: Turn<Receiving>,
}

/// How a channel came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The peer connected to this side: the process that did is at the other end.
    Accepted,
    /// This side connected: the process that began to listen is at the other end, or has left that to another one.
    Connected,
    /// A pair, or a socket that was handed over: of some process that made it, whoever has the other end by now.
    Given,
}

/// What to wait for before the next call that does not wait, in the words of `poll`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest {
    /// For the channel to be readable: always, since a message or the end may come.
    pub readable: bool,
    /// For the channel to be writable: where a message that was begun is still to be sent.
    pub writable: bool,
}

impl Channel {
    /// A channel of a socket that is known to be a connected one of the framing's kind.
    pub(crate) fn of(socket: OwnedFd, options: &Options, origin: Origin) -> Result<Channel, Error> {
        let peer = Peer::of(socket.as_fd())?;
        options.peers.admit(peer)?;
        if let Some(bytes) = options.send_buffer {
            rustix::net::sockopt::set_socket_send_buffer_size(&socket, bytes)
                .map_err(|error| Error::io("setting the size of a send buffer", error))?;
        }
        let (greeting, sending) = match &options.speaks {
            None => (None, Sending::default()),
            Some(speaks) => {
                let document = speaks.document()?;
                let parts = [IoSlice::new(&document)];
                let message = Outgoing::new(options.framing, &parts, &[])?;
                let sending = Sending::with_hello(&message, options.limits.message)?;
                (Some(Greeting::new(Arc::clone(speaks), options.limits.hello)), sending)
            }
        };
        let channel = Channel {
            socket,
            maker: Maker::this(),
            framing: options.framing,
            limits: options.limits,
            peer,
            origin,
            greeting,
            sending: Turn::new(sending),
            receiving: Turn::new(Receiving::default()),
        };
        channel.say_hello()?;
        Ok(channel)
    }

    /// Sends a message, and returns when all of it is with the kernel.
    ///
    /// The file descriptors stay the caller's; the peer gets duplicates. [`Error::TooManyFds`],
    /// [`Error::TooLargeToSend`] and [`Error::EmptyPacket`] before anything is sent; [`Error::Timeout`],
    /// [`Error::PeerClosed`], [`Error::ClosedInMessage`], [`Error::FdsInFlight`]; [`Error::Hello`] where the peer's hello
    /// has come, and was refused.
    pub fn send(&self, body: &[u8], fds: &[BorrowedFd<'_>]) -> Result<(), Error> {
        self.send_vectored(&[IoSlice::new(body)], fds)
    }

    /// Sends a message whose body is these parts behind each other; they are not copied, but where a packet has more
    /// than 1023 of them.
    pub fn send_vectored(&self, body: &[IoSlice<'_>], fds: &[BorrowedFd<'_>]) -> Result<(), Error> {
        self.is_ours()?;
        self.is_welcome()?;
        let message = Outgoing::new(self.framing, body, fds)?;
        self.sending()?.send(self.as_fd(), &message, self.limits.message)
    }

    /// Sends what the kernel takes of a message without waiting, and says how far it is. Bytes that are still to go
    /// are copied; a message that was begun has the time of [`Options::message_timeout`] from then on.
    pub fn try_send(&self, body: &[u8], fds: &[BorrowedFd<'_>]) -> Result<Sent, Error> {
        self.try_send_vectored(&[IoSlice::new(body)], fds)
    }

    /// The same with a body of several parts.
    pub fn try_send_vectored(&self, body: &[IoSlice<'_>], fds: &[BorrowedFd<'_>]) -> Result<Sent, Error> {
        self.is_ours()?;
        self.is_welcome()?;
        let message = Outgoing::new(self.framing, body, fds)?;
        match self.sending.try_take() {
            Some(mut sending) => sending.try_send(self.as_fd(), &message, self.limits.message),
            None => Ok(Sent::NotYet),
        }
    }

    /// Sends the rest of a message that was begun by [`try_send`](Self::try_send), as long as that may take.
    pub fn flush(&self) -> Result<(), Error> {
        self.is_ours()?;
        self.sending()?.flush(self.as_fd(), true).map(drop)
    }

    /// Sends of that rest what the kernel takes without waiting; whether nothing is left.
    pub fn try_flush(&self) -> Result<bool, Error> {
        self.is_ours()?;
        match self.sending.try_take() {
            Some(mut sending) => sending.flush(self.as_fd(), false),
            None => Ok(false),
        }
    }

    /// Receives a message, as long as the channel's options let that take.
    ///
    /// [`Error::PeerClosed`] where the peer closed between two messages ([`Error::is_end`]), and
    /// [`Error::ClosedInMessage`] where it did so in the middle of one. [`Error::Timeout`],
    /// [`Error::TooLarge`], [`Error::FdCount`], [`Error::FdsMisplaced`], [`Error::FdsLost`], [`Error::Hello`]. Whatever file descriptors
    /// had come with what is refused are closed.
    ///
    /// No more than 64 KiB is allocated for bytes that have not come, or as much again as has.
    pub fn recv(&self, expected: &Expected) -> Result<Message, Error> {
        self.recv_message(expected, None)
    }

    /// Receives a message, and waits no longer than that in all. Where the time is over, what came of the message
    /// stays, and a later call goes on with it.
    pub fn recv_within(&self, expected: &Expected, within: Duration) -> Result<Message, Error> {
        self.recv_message(expected, Some(within))
    }

    /// Receives a message, its body to the beginning of a buffer, which bounds it beside `expected`. Nothing is
    /// allocated but for file descriptors. What is in the buffer behind the body, or after a refusal, is anything.
    pub fn recv_into(&self, buffer: &mut [u8], expected: &Expected) -> Result<Received, Error> {
        self.recv_lent(buffer, expected, None)
    }

    /// The same, and waits no longer than that in all. Where the time is over, what came of the message stays in the
    /// channel, and a later call goes on with it, in whatever buffer.
    pub fn recv_into_within(
        &self,
        buffer: &mut [u8],
        expected: &Expected,
        within: Duration,
    ) -> Result<Received, Error> {
        self.recv_lent(buffer, expected, Some(within))
    }

    /// Receives a message if it is there; none where it is not, or not whole: what came of it stays. A message that
    /// has begun has the time of [`Options::message_timeout`] from the first call on that found it unfinished.
    pub fn try_recv(&self, expected: &Expected) -> Result<Option<Message>, Error> {
        self.is_ours()?;
        self.receiving.try_take().map_or(Ok(None), |receiving| self.attempt(receiving, expected))
    }

    /// The same, its body to the beginning of a buffer as [`recv_into`](Self::recv_into) does.
    pub fn try_recv_into(&self, buffer: &mut [u8], expected: &Expected) -> Result<Option<Received>, Error> {
        self.is_ours()?;
        self.receiving.try_take().map_or(Ok(None), |receiving| self.attempt_into(receiving, buffer, expected))
    }

    /// What to wait for before the next call that does not wait.
    pub fn interest(&self) -> Interest {
        let writable = self.sending.try_take().is_some_and(|sending| sending.has_rest());
        Interest { readable: true, writable }
    }

    /// Whether a message may still be received, as the calls that are over left it: not where one of them received the end,
    /// or left the direction in the middle of a message; not where the peer's hello was refused, [`close`](Self::close) was
    /// called, or this is a fork of the process that made the channel. What the peer does meanwhile, the next call says.
    pub fn can_receive(&self) -> bool {
        self.is_open() && !self.receiving.has_ended()
    }

    /// Whether a message may still be sent, likewise: not where a call found that the peer receives nothing more, or left
    /// the direction in the middle of a message, and not behind [`finish`](Self::finish).
    pub fn can_send(&self) -> bool {
        self.is_open() && !self.sending.has_ended()
    }

    fn is_open(&self) -> bool {
        self.is_ours().and_then(|()| self.is_welcome()).is_ok()
    }

    /// Whether the peer will send nothing more: it closed the channel, [finished](Self::finish), or is dead. Messages
    /// that it sent before may still be there.
    pub fn is_closed(&self) -> Result<bool, Error> {
        is_ready(self.as_fd(), PollFlags::RDHUP)
    }

    /// Waits until the peer will send nothing more, whatever is there to be received; `false` where it may still,
    /// after that time. `None` waits for ever.
    pub fn wait_closed(&self, within: impl Into<Option<Duration>>) -> Result<bool, Error> {
        wait_for(self.as_fd(), PollFlags::RDHUP, Limit::of(within.into()))
    }

    /// Says that nothing more will be sent: the peer receives what was sent, and then the end. Receiving goes on.
    pub fn finish(&self) -> Result<(), Error> {
        self.flush()?;
        self.end_sending()
    }

    pub(super) fn end_sending(&self) -> Result<(), Error> {
        shutdown(&self.socket, Shutdown::Write)
            .map_err(|error| Error::io("shutting down a channel's sending side", error))?;
        self.sending.end();
        Ok(())
    }

    /// Ends both directions. A call that waits on this channel in another thread ends as if the peer had closed it.
    pub fn close(&self) -> Result<(), Error> {
        self.is_ours()?;
        self.sending.end();
        self.receiving.end();
        shutdown(&self.socket, Shutdown::Both).map_err(|error| Error::io("shutting down a channel", error))
    }

    /// Who is at the other end, as the kernel noted it.
    pub fn peer(&self) -> Peer {
        self.peer
    }

    /// How it came to be, which says whom [`peer`](Self::peer) is.
    #[cfg(feature = "lease")]
    pub(crate) fn origin(&self) -> Origin {
        self.origin
    }

    /// The process at the other end, by a handle that stays its own. [`Error::NoPidFd`] before Linux 6.5, and
    /// [`Error::ProcessEnded`] where the kernel makes no handle of a process that has.
    pub fn peer_process(&self) -> Result<PidFd, Error> {
        PidFd::of(self.as_fd())
    }

    /// How messages are told apart.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// The socket, where no message is unfinished in either direction, and no hello; the channel where one is.
    pub fn into_fd(self) -> Result<OwnedFd, Box<Channel>> {
        let between = |channel: &Channel| {
            Some(!channel.sending.try_take()?.has_rest() && !channel.receiving.try_take()?.has_begun())
        };
        if self.has_greeted() && between(&self) == Some(true) { Ok(self.socket) } else { Err(Box::new(self)) }
    }

    fn recv_message(&self, expected: &Expected, within: Option<Duration>) -> Result<Message, Error> {
        let mut dest = Dest::own();
        let came = self.receive(&mut dest, *expected, Patience::within(self.limits, within))?;
        let (_, fds) = came.ok_or_else(|| taken_all_the_time(within.or(self.limits.idle)))?;
        Ok(Message { body: dest.into_body(), fds })
    }

    fn recv_lent(
        &self,
        buffer: &mut [u8],
        expected: &Expected,
        within: Option<Duration>,
    ) -> Result<Received, Error> {
        let expected = expected.within(buffer.len());
        let came = self.receive(&mut Dest::lent(buffer), expected, Patience::within(self.limits, within))?;
        let (bytes, fds) = came.ok_or_else(|| taken_all_the_time(within.or(self.limits.idle)))?;
        Ok(Received { bytes, fds })
    }

    /// Receives as long as the call may; none where another call had the channel all the time.
    fn receive(
        &self,
        dest: &mut Dest<'_>,
        expected: Expected,
        mut patience: Patience,
    ) -> Result<Option<(usize, Vec<OwnedFd>)>, Error> {
        self.is_ours()?;
        let Some(mut receiving) = self.receiving.take(|| patience.turn()) else { return Ok(None) };
        self.greet(&mut receiving, &mut patience, true)?;
        receiving.receive(self.as_fd(), self.framing, dest, expected, &mut patience)
    }

    pub(super) fn attempt(
        &self,
        mut receiving: Taken<'_, Receiving>,
        expected: &Expected,
    ) -> Result<Option<Message>, Error> {
        let (mut dest, mut patience) = (Dest::own(), Patience::none(self.limits));
        if !self.greet(&mut receiving, &mut patience, false)? {
            return Ok(None);
        }
        let came = receiving.receive(self.as_fd(), self.framing, &mut dest, *expected, &mut patience)?;
        Ok(came.map(|(_, fds)| Message { body: dest.into_body(), fds }))
    }

    pub(super) fn attempt_into(
        &self,
        mut receiving: Taken<'_, Receiving>,
        buffer: &mut [u8],
        expected: &Expected,
    ) -> Result<Option<Received>, Error> {
        let expected = expected.within(buffer.len());
        let (mut dest, mut patience) = (Dest::lent(buffer), Patience::none(self.limits));
        if !self.greet(&mut receiving, &mut patience, false)? {
            return Ok(None);
        }
        let came = receiving.receive(self.as_fd(), self.framing, &mut dest, expected, &mut patience)?;
        Ok(came.map(|(bytes, fds)| Received { bytes, fds }))
    }

    /// Refuses a fork of the process that made this.
    pub(crate) fn is_ours(&self) -> Result<(), Error> {
        is_made_here(self.maker, "channel")
    }

    fn sending(&self) -> Result<Taken<'_, Sending>, Error> {
        let limit = self.limits.message;
        self.sending.take(|| Limit::of(limit)).ok_or_else(|| taken_all_the_time(limit))
    }
}

/// Refuses a fork of the process that made something.
pub(crate) fn is_made_here(maker: Maker, what: &'static str) -> Result<(), Error> {
    if maker.is_this() { Ok(()) } else { Err(Error::Forked { what, maker: maker.number() }) }
}

/// Another call had the channel for so long.
fn taken_all_the_time(after: Option<Duration>) -> Error {
    Error::Timeout { doing: Doing::Turn, after: after.unwrap_or(Duration::MAX), crossed: 0 }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl AsRawFd for Channel {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel")
            .field("socket", &self.socket)
            .field("framing", &self.framing)
            .field("peer", &self.peer)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}
