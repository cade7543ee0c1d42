//! Why a handoff was refused: what was expected, what came, what to do.

use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use wirecontract::hello::NegotiationError;
use wirecontract::{Code, Enumeration as _};

use super::words::{carry, counted, counted_out, process, slow, unread_text, yama_text};
use super::{Address, Peers};

/// Why a message, a peer or an address was refused.
///
/// [`code`](Self::code) is the number that every language of a contract knows; the text says what was expected, what
/// came and what to do. Whatever file descriptors had come with what was refused are closed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Another number of file descriptors came with a message than the receiver expects.
    #[error("fd_count: expected {} with the message, found {found}: {}", counted(expected), counted_out(expected, *found))]
    FdCount {
        /// How many may come.
        expected: RangeInclusive<usize>,
        /// How many had come when the message was refused.
        found: usize,
    },
    /// File descriptors rode on another `sendmsg` than the one that holds the first byte of the body.
    #[error(
        "fd_count: {} came {at}: send them by the sendmsg that holds the first byte of the body",
        counted(&(*found..=*found))
    )]
    FdsMisplaced {
        /// How many rode there.
        found: usize,
        /// Where.
        at: Misplaced,
    },
    /// Two file descriptors of a message are one open file. The channel goes on with the next message.
    #[error(
        "fd_count: file descriptors {first} and {second} of the message are one open file: send each once, or expect it \
         more than once (Expected::repeated)"
    )]
    FdsRepeated {
        /// The place of the one, counted from 0.
        first: usize,
        /// The place of the other.
        second: usize,
    },
    /// The kernel could not hand over all file descriptors of a message: the limit on open files is reached, or a
    /// security policy holds them back.
    #[error(
        "fd_count: file descriptors of a message were lost, those that came ({came}) are closed: raise this process's \
         limit on open files (RLIMIT_NOFILE), or close some, before the peer sends them again"
    )]
    FdsLost {
        /// How many came before the rest was lost.
        came: usize,
    },
    /// More file descriptors than one message can carry.
    #[error(
        "too_many: one message carries at most {most} file descriptors, found {found}: send the rest in another"
    )]
    TooManyFds {
        /// The kernel's limit for one message.
        most: usize,
        /// How many were given.
        found: usize,
    },
    /// This user has more file descriptors on their way than the kernel lets be. Where the length went before
    /// ([`Prefix::Apart`](super::Prefix::Apart)), the channel is out of step.
    #[error(
        "too_many: too many file descriptors are in flight: wait until peers have received theirs, or raise the limit \
         on open files (RLIMIT_NOFILE)"
    )]
    FdsInFlight,
    /// A message is longer than the receiver lets it be. Nothing was allocated for it.
    #[error(
        "too_large: expected a message of at most {most} bytes, found {found}: send less, or raise the bound"
    )]
    TooLarge {
        /// The most bytes of a body.
        most: u64,
        /// The bytes that were announced or came.
        found: u64,
    },
    /// A message is longer than the channel can carry. Nothing was sent of it.
    #[error("too_large: this channel carries at most {most} bytes in a message, found {found}: {}", carry(*packet))]
    TooLargeToSend {
        /// The most bytes of a body.
        most: u64,
        /// The bytes that were given.
        found: u64,
        /// Whether it was to be one packet, which the socket's send buffer bounds.
        packet: bool,
    },
    /// A packet without a byte and without a file descriptor, which a receiver cannot tell from the end.
    #[error(
        "too_short: expected at least one byte or one file descriptor in a packet, found none: a receiver cannot tell \
         such a packet from the end; use stream framing for empty messages"
    )]
    EmptyPacket,
    /// Not in time.
    #[error("timeout: {doing} took longer than {after:?}, {crossed} bytes of the message had crossed: {}", slow(*doing))]
    Timeout {
        /// What took that long.
        doing: Doing,
        /// The limit.
        after: Duration,
        /// The bytes of the message that had crossed, its length prefix among them.
        crossed: u64,
    },
    /// The peer closed the channel between two messages.
    #[error("peer_closed: the peer closed the channel{}", unread_text(*unread))]
    PeerClosed {
        /// Whether it is known that the peer had not received all that was sent to it.
        unread: bool,
    },
    /// The peer closed the channel in the middle of a message.
    #[error(
        "peer_closed: the peer closed the channel in the middle of a message: {crossed} bytes had crossed, at least \
         {missing} are missing"
    )]
    ClosedInMessage {
        /// The bytes that had crossed, the length prefix among them.
        crossed: u64,
        /// The bytes that are missing: of the length prefix where that is not whole, else of the body.
        missing: u64,
    },
    /// An earlier failure left this direction of the channel in the middle of a message. It was shut down then, and
    /// stays so.
    #[error(
        "refused: this channel can {direction} no more, since {} left it in the middle of a message: open another one",
        because.name()
    )]
    OutOfStep {
        /// The direction.
        direction: Direction,
        /// The code of the failure.
        because: Code,
    },
    /// The peer speaks something else, by its hello, or says none. Every later call on the channel says so.
    #[error("{0}")]
    Hello(Box<NegotiationError>),
    /// Somebody listens at the address.
    #[error("busy: somebody listens at {address}: stop that process, or choose another address")]
    InUse {
        /// The address.
        address: Address,
    },
    /// Another process holds the lock of a socket file, and goes on doing so.
    #[error("busy: another process holds a lock on {}: stop that process, or choose another path", path.display())]
    Locked {
        /// The lock.
        path: PathBuf,
    },
    /// What is at the path is no socket file of this user's, and is left alone.
    #[error("refused: expected nothing or a socket of this user's at {}, found {found}: choose another path", path.display())]
    NotOurs {
        /// The path.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// A path or name that a socket address has no room for.
    #[error("too_large: a socket address holds at most {most} bytes, found {found}: use a shorter path")]
    AddressTooLong {
        /// The most bytes.
        most: usize,
        /// The bytes of the path or name.
        found: usize,
    },
    /// A path or name that is no socket address.
    #[error("bad_text: {found:?} names no socket: {why}")]
    BadAddress {
        /// The path or name.
        found: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The peer belongs to a user that is not let in.
    #[error("refused: expected a peer of {expected}, found user {uid}{}: run it as that user, or let it in", process(*pid))]
    PeerUser {
        /// Who is let in.
        expected: Peers,
        /// Whose the peer is.
        uid: u32,
        /// The peer's process, where this one can see it.
        pid: Option<u32>,
    },
    /// The peer belongs to a user that this process's user namespace does not have: whoever it is has one number with all
    /// others of them.
    #[error(
        "refused: expected a peer of a user of this user namespace, found user {uid}, which stands for all others{}: map \
         the user, or let in anyone (Peers::Anyone)",
        process(*pid)
    )]
    PeerUnmapped {
        /// The number that stands for all such users.
        uid: u32,
        /// The peer's process, where this one can see it.
        pid: Option<u32>,
    },
    /// A file descriptor of another kind than was asked for.
    #[error("fd_kind: expected {expected}, found {found}: hand over the right file descriptor")]
    FdKind {
        /// What it has to be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// What another process made, of which this one is a fork. Nothing was done: two processes that go on from one state
    /// would take each other's messages, and end what is the other's.
    #[error(
        "refused: process {maker} made this {what}, and this process is a fork of it: make one of the socket here \
         (from_fd)"
    )]
    Forked {
        /// What it is.
        what: &'static str,
        /// The process that made it.
        maker: u32,
    },
    /// The process has ended.
    #[error("peer_closed: the process has ended: take nothing more from it")]
    ProcessEnded,
    /// The kernel gives no file descriptor of the peer's process.
    #[error(
        "refused: the kernel gives no pidfd of a peer, which needs Linux 6.5: know it by its credentials alone"
    )]
    NoPidFd,
    /// This process may not take file descriptors of the other one.
    #[error(
        "refused: this process may not take file descriptor {number} of the other one ({}): run both as one user and \
         let the other call prctl(PR_SET_PTRACER) or keep it dumpable, give this one CAP_SYS_PTRACE, or have the file \
         descriptor sent in a message",
        yama_text(*yama)
    )]
    FetchRefused {
        /// The number in the other process.
        number: i32,
        /// What `/proc/sys/kernel/yama/ptrace_scope` says, where it is.
        yama: Option<u8>,
    },
    /// The other process has no open file of that number.
    #[error(
        "bad_handle: the process has no open file descriptor {number}: let it keep the file open until it is taken"
    )]
    NoSuchFd {
        /// The number in the other process.
        number: i32,
    },
    /// The operating system refused.
    #[error("io: {doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// What the system said.
        source: io::Error,
    },
}

/// What took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doing {
    /// Connecting to a listener.
    Connecting,
    /// Waiting for a peer to connect.
    Accepting,
    /// Waiting for the peer's hello.
    Hello,
    /// Sending a message.
    Sending,
    /// Waiting for a message, of which nothing has come.
    Waiting,
    /// Receiving a message that has begun.
    Receiving,
    /// Waiting for another thread's call on the same channel to end.
    Turn,
}

/// Where file descriptors came that ride on the wrong `sendmsg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misplaced {
    /// On a `sendmsg` that held nothing but bytes of the length prefix.
    Prefix,
    /// On one that began behind the first byte of the body.
    Later,
}

/// A direction of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From this side to the peer.
    Send,
    /// From the peer to this side.
    Receive,
}

impl Error {
    /// The code that says the same in every language.
    pub fn code(&self) -> Code {
        match self {
            Error::FdCount { .. }
            | Error::FdsMisplaced { .. }
            | Error::FdsRepeated { .. }
            | Error::FdsLost { .. } => Code::FdCount,
            Error::TooManyFds { .. } | Error::FdsInFlight => Code::TooMany,
            Error::TooLarge { .. } | Error::TooLargeToSend { .. } | Error::AddressTooLong { .. } => {
                Code::TooLarge
            }
            Error::EmptyPacket => Code::TooShort,
            Error::Hello(error) => error.code(),
            Error::Timeout { .. } => Code::Timeout,
            Error::PeerClosed { .. } | Error::ClosedInMessage { .. } | Error::ProcessEnded => {
                Code::PeerClosed
            }
            Error::InUse { .. } | Error::Locked { .. } => Code::Busy,
            Error::OutOfStep { .. }
            | Error::NotOurs { .. }
            | Error::PeerUser { .. }
            | Error::PeerUnmapped { .. }
            | Error::Forked { .. }
            | Error::NoPidFd
            | Error::FetchRefused { .. } => Code::Refused,
            Error::BadAddress { .. } => Code::BadText,
            Error::FdKind { .. } => Code::FdKind,
            Error::NoSuchFd { .. } => Code::BadHandle,
            Error::Io { .. } => Code::Io,
        }
    }

    /// Whether nothing more crosses in that direction of the channel, and each later call on it says the same: the peer
    /// ended it between two messages ([`PeerClosed`](Error::PeerClosed)), an earlier call left it in the middle of one, the
    /// peer's hello was refused, or the channel is another process's. What left it in the middle of a message is none yet:
    /// it says why, once.
    pub fn is_end(&self) -> bool {
        matches!(
            self,
            Error::PeerClosed { .. } | Error::OutOfStep { .. } | Error::Hello(_) | Error::Forked { .. }
        )
    }

    /// A signal ended a wait that signals end. What has crossed of a message stays.
    pub(super) fn interrupted() -> Error {
        Error::io("waiting for a channel", rustix::io::Errno::INTR)
    }

    /// Whether it is that.
    pub(super) fn is_interrupted(&self) -> bool {
        matches!(self, Error::Io { source, .. } if source.kind() == io::ErrorKind::Interrupted)
    }

    /// What the operating system said while that was being done.
    pub(crate) fn io(doing: impl Into<String>, source: impl Into<io::Error>) -> Error {
        Error::Io { doing: doing.into(), source: source.into() }
    }
}

impl From<NegotiationError> for Error {
    fn from(error: NegotiationError) -> Error {
        Error::Hello(Box::new(error))
    }
}
