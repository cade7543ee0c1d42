//! How errors read, and what `std` calls them.

use std::fmt;
use std::io;
use std::ops::RangeInclusive;

use super::{Direction, Doing, Error, Misplaced};

/// A number of file descriptors that may come.
pub(crate) fn counted(expected: &RangeInclusive<usize>) -> String {
    let (least, most) = (expected.start(), expected.end());
    match (least, most) {
        (0, 0) => "no file descriptor".to_owned(),
        (1, 1) => "one file descriptor".to_owned(),
        _ if least == most => format!("{least} file descriptors"),
        (0, 1) => "at most one file descriptor".to_owned(),
        (0, _) => format!("at most {most} file descriptors"),
        _ => format!("{least} to {most} file descriptors"),
    }
}

/// What to do about another number.
pub(crate) fn counted_out(expected: &RangeInclusive<usize>, found: usize) -> &'static str {
    if found > *expected.end() {
        "send no more than the message says"
    } else {
        "send them by the sendmsg that holds the first byte of the body"
    }
}

/// What bounds a message that is to be sent.
pub(crate) fn carry(packet: bool) -> &'static str {
    if packet {
        "raise the socket's send buffer, or use stream framing"
    } else {
        "send memory by a file descriptor"
    }
}

/// What to do about what takes long.
pub(crate) fn slow(doing: Doing) -> &'static str {
    match doing {
        Doing::Receiving | Doing::Sending => "close the channel to a peer that slow, or raise the limit",
        Doing::Waiting => "ask again, or close the channel to a peer that says nothing",
        Doing::Connecting => "the listener accepts nobody: look after it, or raise the limit",
        Doing::Hello => "have the peer say hello, or speak to it without",
        Doing::Accepting => "ask again",
        Doing::Turn => "give each thread a channel of its own, or raise the limit",
    }
}

/// What is known of what the peer left unread.
pub(crate) fn unread_text(unread: bool) -> &'static str {
    if unread { ", and had not received all that was sent to it" } else { "" }
}

/// The peer's process, where it is known.
pub(crate) fn process(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" (process {pid})"))
}

/// What Yama says of it.
pub(crate) fn yama_text(yama: Option<u8>) -> String {
    yama.map_or_else(|| "no Yama here".to_owned(), |scope| format!("kernel.yama.ptrace_scope is {scope}"))
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Doing::Connecting => "connecting",
            Doing::Accepting => "waiting for a peer to connect",
            Doing::Hello => "waiting for the peer's hello",
            Doing::Sending => "sending a message",
            Doing::Waiting => "waiting for a message",
            Doing::Receiving => "receiving a message",
            Doing::Turn => "waiting for another call on the same channel",
        })
    }
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Misplaced::Prefix => "with the length prefix alone",
            Misplaced::Later => "behind the first byte of the body",
        })
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::Send => "send",
            Direction::Receive => "receive",
        })
    }
}

/// The kind is the nearest that `std` has; the error itself is inside.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        let kind = match &error {
            Error::Io { source, .. } => source.kind(),
            Error::Timeout { .. } => io::ErrorKind::TimedOut,
            Error::PeerClosed { .. } | Error::ClosedInMessage { .. } => io::ErrorKind::UnexpectedEof,
            Error::InUse { .. } => io::ErrorKind::AddrInUse,
            Error::Locked { .. } => io::ErrorKind::ResourceBusy,
            Error::OutOfStep { .. } => io::ErrorKind::BrokenPipe,
            Error::PeerUser { .. } | Error::PeerUnmapped { .. } | Error::FetchRefused { .. } => {
                io::ErrorKind::PermissionDenied
            }
            Error::NotOurs { .. } => io::ErrorKind::AlreadyExists,
            Error::NoPidFd | Error::Forked { .. } => io::ErrorKind::Unsupported,
            Error::ProcessEnded | Error::NoSuchFd { .. } => io::ErrorKind::NotFound,
            Error::TooManyFds { .. }
            | Error::TooLargeToSend { .. }
            | Error::EmptyPacket
            | Error::AddressTooLong { .. }
            | Error::BadAddress { .. }
            | Error::FdKind { .. } => io::ErrorKind::InvalidInput,
            Error::FdsInFlight | Error::FdsLost { .. } => io::ErrorKind::QuotaExceeded,
            Error::Hello(_)
            | Error::FdsRepeated { .. }
            | Error::FdCount { .. }
            | Error::FdsMisplaced { .. }
            | Error::TooLarge { .. } => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wirecontract::{Code, Enumeration as _};

    use super::*;
    use crate::handoff::Peers;

    #[test]
    fn an_error_says_what_was_expected_what_came_and_what_to_do() {
        let after = Duration::from_secs(10);
        let timeout = Error::Timeout { doing: Doing::Receiving, after, crossed: 7 };
        for (error, text) in [
            (
                Error::FdCount { expected: 1..=6, found: 0 },
                "fd_count: expected 1 to 6 file descriptors with the message, found 0: send them by the sendmsg that \
                 holds the first byte of the body",
            ),
            (
                Error::FdCount { expected: 0..=1, found: 2 },
                "fd_count: expected at most one file descriptor with the message, found 2: send no more than the message says",
            ),
            (
                Error::FdCount { expected: 0..=6, found: 7 },
                "fd_count: expected at most 6 file descriptors with the message, found 7: send no more than the message says",
            ),
            (
                Error::FdsMisplaced { found: 1, at: Misplaced::Later },
                "fd_count: one file descriptor came behind the first byte of the body: send them by the sendmsg that holds \
                 the first byte of the body",
            ),
            (
                Error::FdCount { expected: 0..=0, found: 2 },
                "fd_count: expected no file descriptor with the message, found 2: send no more than the message says",
            ),
            (
                Error::FdsMisplaced { found: 2, at: Misplaced::Prefix },
                "fd_count: 2 file descriptors came with the length prefix alone: send them by the sendmsg that holds \
                 the first byte of the body",
            ),
            (
                Error::TooLarge { most: 100, found: 101 },
                "too_large: expected a message of at most 100 bytes, found 101: send less, or raise the bound",
            ),
            (
                timeout,
                "timeout: receiving a message took longer than 10s, 7 bytes of the message had crossed: close the \
                 channel to a peer that slow, or raise the limit",
            ),
            (
                Error::PeerClosed { unread: true },
                "peer_closed: the peer closed the channel, and had not received all that was sent to it",
            ),
            (
                Error::OutOfStep { direction: Direction::Receive, because: Code::TooLarge },
                "refused: this channel can receive no more, since too_large left it in the middle of a message: open \
                 another one",
            ),
            (
                Error::PeerUser { expected: Peers::users([0, 7]), uid: 8, pid: Some(9) },
                "refused: expected a peer of user 0 or user 7, found user 8 (process 9): run it as that user, or let \
                 it in",
            ),
        ] {
            assert_eq!(error.to_string(), text);
            assert!(text.starts_with(error.code().name()), "{text}");
        }
    }

    #[test]
    fn what_std_makes_of_an_error_keeps_it() {
        let error = io::Error::from(Error::ClosedInMessage { crossed: 4, missing: 9 });
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        let inside = error.get_ref().and_then(|inside| inside.downcast_ref::<Error>());
        assert!(matches!(inside, Some(Error::ClosedInMessage { crossed: 4, missing: 9 })));
        let error = Error::io("connecting", io::Error::from(io::ErrorKind::NotFound));
        assert_eq!(io::Error::from(error).kind(), io::ErrorKind::NotFound);
    }
}
