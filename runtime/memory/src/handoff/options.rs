//! How a channel frames its messages, how long it waits, and whom it lets in.

use std::sync::Arc;
use std::time::Duration;

use wirecontract::Contract;
use wirecontract::hello::Hello;

use super::Peers;
use super::greeting::Speaks;

/// How messages are told apart.
///
/// Both sides agree on it; but for [`Prefix`], which is the sender's alone, since receivers read both forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// A stream socket: a length of four bytes, then the body.
    Stream {
        /// The order of the length's bytes.
        length: ByteOrder,
        /// How the length is sent.
        prefix: Prefix,
    },
    /// A socket of packets: a message is a packet, which the socket's send buffer bounds
    /// ([`Options::send_buffer`]). One system call on each side, and a refused message leaves the channel as it was.
    SeqPacket,
}

/// A big-endian length, sent apart from a body that has file descriptors.
impl Default for Framing {
    fn default() -> Framing {
        Framing::Stream { length: ByteOrder::Big, prefix: Prefix::Apart }
    }
}

/// The order of the bytes of a length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteOrder {
    /// The highest byte first.
    #[default]
    Big,
    /// The lowest byte first.
    Little,
}

/// How the length prefix of a message with file descriptors is sent. Without file descriptors it is always one
/// `sendmsg` with the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prefix {
    /// By a `sendmsg` of its own, before the one with the body and the file descriptors. It suits readers that read
    /// the length by a plain `read`, which would lose file descriptors that come with it.
    #[default]
    Apart,
    /// By the body's `sendmsg`: one system call, for readers that take file descriptors with every read, as those of
    /// this module do.
    Joined,
}

/// How a channel frames, waits and admits; [`Options::default`] and the methods below.
///
/// ```
/// use std::time::Duration;
/// use wirecontract_runtime::handoff::{Framing, Options, Peers};
///
/// let options = Options::default()
///     .framing(Framing::SeqPacket)
///     .message_timeout(Duration::from_secs(2))
///     .peers(Peers::users([0, 1000]));
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) framing: Framing,
    pub(crate) limits: Limits,
    pub(crate) peers: Peers,
    pub(crate) speaks: Option<Arc<Speaks>>,
    pub(crate) send_buffer: Option<usize>,
    pub(crate) mode: u32,
    pub(crate) backlog: u16,
}

/// How long is waited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// For the first byte of a message.
    pub(crate) idle: Option<Duration>,
    /// For a whole message, once it has begun.
    pub(crate) message: Option<Duration>,
    /// For the peer's hello, from when the channel is there.
    pub(crate) hello: Option<Duration>,
}

/// Stream framing with a big-endian length; ten seconds for a message that has begun and for a hello, and for ever for
/// the beginning of any other message; peers of this process's user, and no hello; a socket file of mode 0600; 128 connections that wait to be accepted.
impl Default for Options {
    fn default() -> Options {
        let seconds = Some(Duration::from_secs(10));
        Options {
            framing: Framing::default(),
            limits: Limits { idle: None, message: seconds, hello: seconds },
            peers: Peers::SameUser,
            speaks: None,
            send_buffer: None,
            mode: 0o600,
            backlog: 128,
        }
    }
}

impl Options {
    /// How messages are told apart.
    #[must_use]
    pub fn framing(mut self, framing: Framing) -> Options {
        self.framing = framing;
        self
    }

    /// How long a message may take from its first byte to its last, in either direction, and how long connecting
    /// may take; `None` is for ever. A message that takes longer leaves the channel out of step.
    #[must_use]
    pub fn message_timeout(mut self, limit: impl Into<Option<Duration>>) -> Options {
        self.limits.message = limit.into();
        self
    }

    /// How long a receiver waits for the first byte of a message; `None`, as unless said, is for ever: a service that
    /// hears one peer at a time says how long. The channel is as good afterwards as it was before.
    #[must_use]
    pub fn idle_timeout(mut self, limit: impl Into<Option<Duration>>) -> Options {
        self.limits.idle = limit.into();
        self
    }

    /// How long the peer may take for its hello, from when the channel is there; `None` is for ever. Calls that find it
    /// late are refused ([`Error::Timeout`](super::Error::Timeout)), and go on where it has come after all.
    #[must_use]
    pub fn hello_timeout(mut self, limit: impl Into<Option<Duration>>) -> Options {
        self.limits.hello = limit.into();
        self
    }

    /// Whose processes are let in, on either side.
    #[must_use]
    pub fn peers(mut self, peers: Peers) -> Options {
        self.peers = peers;
        self
    }

    /// Says hello, and that this side speaks a contract, as the peer has to: at its version, or at an earlier one that
    /// either declares. What was agreed on says [`Channel::agreed`](super::Channel::agreed).
    #[must_use]
    pub fn speaks<T: Contract>(mut self) -> Options {
        Arc::make_mut(self.speaks.get_or_insert_default()).add::<T>();
        self
    }

    /// The same of a contract that the peer need not speak: then [`Channel::agreed`](super::Channel::agreed) refuses it.
    #[must_use]
    pub fn may_speak<T: Contract>(mut self) -> Options {
        Arc::make_mut(self.speaks.get_or_insert_default()).add_optional::<T>();
        self
    }

    /// Says that hello, each contract of which the peer has to speak, in place of what was said until now; `None` for
    /// no hello.
    #[must_use]
    pub fn hello(mut self, hello: impl Into<Option<Hello>>) -> Options {
        self.speaks = hello.into().map(|hello| Arc::new(Speaks::all(hello)));
        self
    }

    /// Says that hello as well, no contract of which the peer need speak; what was said until now stays as it is.
    #[must_use]
    pub fn may_hello(mut self, hello: Hello) -> Options {
        Arc::make_mut(self.speaks.get_or_insert_default()).add_hello(hello);
        self
    }

    /// The bytes of the socket's send buffer, which the kernel doubles and bounds by `net.core.wmem_max`. With
    /// packets it says how long one may be.
    #[must_use]
    pub fn send_buffer(mut self, bytes: usize) -> Options {
        self.send_buffer = Some(bytes);
        self
    }

    /// The permissions of a listener's socket file; whoever may write to it may connect. At no moment has the file
    /// more than these.
    #[must_use]
    pub fn mode(mut self, mode: u32) -> Options {
        self.mode = mode & 0o777;
        self
    }

    /// How many connections may wait to be accepted.
    #[must_use]
    pub fn backlog(mut self, connections: u16) -> Options {
        self.backlog = connections;
        self
    }
}
