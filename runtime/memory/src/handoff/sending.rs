//! The sending side of a channel: what is left of a message that was begun.

use std::io::IoSlice;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{Shutdown, shutdown, sockopt};
use wirecontract::Code;

use super::outgoing::Outgoing;
use super::turn::Ends;
use super::wait::{LazyLimit, Limit, Signals, wait};
use super::{Direction, Doing, Error, Sent};

/// What a channel keeps for sending.
#[derive(Default)]
pub(crate) struct Sending {
    rest: Option<Rest>,
    /// Whether the peer receives nothing more.
    ended: bool,
    broken: Option<Code>,
}

/// What is left of a message whose beginning the kernel took.
struct Rest {
    bytes: Vec<u8>,
    fds: Vec<OwnedFd>,
    fds_at: usize,
    progress: Progress,
    limit: Option<Limit>,
}

/// How much of a message was sent.
#[derive(Default)]
struct Progress {
    /// Of the bytes at hand.
    sent: usize,
    /// Before these.
    before: usize,
}

impl Ends for Sending {
    fn has_ended(&self) -> bool {
        self.ended || self.broken.is_some()
    }
}

impl Sending {
    /// With a hello that goes before everything else.
    pub(crate) fn with_hello(message: &Outgoing<'_>, limit: Option<Duration>) -> Result<Sending, Error> {
        Ok(Sending { rest: Some(Rest::of(message, 0, limit)?), ..Sending::default() })
    }

    /// Whether a message waits for the channel to be writable.
    pub(crate) fn has_rest(&self) -> bool {
        self.rest.is_some()
    }

    /// Until when the rest has to be sent.
    pub(crate) fn limit(&self) -> Option<Limit> {
        self.rest.as_ref()?.limit
    }

    /// Sends a message, waiting as long as it may take.
    pub(crate) fn send(
        &mut self,
        socket: BorrowedFd<'_>,
        message: &Outgoing<'_>,
        limit: Option<Duration>,
    ) -> Result<(), Error> {
        self.flush(socket, true)?;
        let mut progress = Progress::default();
        match progress.write(socket, message, Some((&mut LazyLimit::Ahead(limit), Signals::PassedOver))) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.fail(socket, error, progress.sent)),
        }
    }

    /// The same until a signal comes: how far it is then. What is left of a message that was begun is kept.
    pub(crate) fn send_until_signal(
        &mut self,
        socket: BorrowedFd<'_>,
        message: &Outgoing<'_>,
        limit: &mut LazyLimit,
    ) -> Result<Sent, Error> {
        if !self.flush_until_signal(socket)? {
            return Ok(Sent::NotYet);
        }
        let mut progress = Progress::default();
        let rest = match progress.write(socket, message, Some((limit, Signals::Heeded))) {
            Ok(_) => return Ok(Sent::Whole),
            Err(error) if !error.is_interrupted() => Err(error),
            Err(_) if progress.sent == 0 => return Ok(Sent::NotYet),
            Err(_) => Rest::of(message, progress.sent, None),
        };
        match rest {
            Ok(rest) => {
                self.rest = Some(Rest { limit: limit.get(), ..rest });
                Ok(Sent::Begun)
            }
            Err(error) => Err(self.fail(socket, error, progress.sent)),
        }
    }

    /// Sends what is left of a message that was begun until a signal comes; whether all of it is sent.
    pub(crate) fn flush_until_signal(&mut self, socket: BorrowedFd<'_>) -> Result<bool, Error> {
        match self.flush_with(socket, Some(Signals::Heeded)) {
            Err(error) if error.is_interrupted() => Ok(false),
            flushed => flushed,
        }
    }

    /// Sends what can be sent of a message without waiting, and keeps what is left of one that was begun.
    pub(crate) fn try_send(
        &mut self,
        socket: BorrowedFd<'_>,
        message: &Outgoing<'_>,
        limit: Option<Duration>,
    ) -> Result<Sent, Error> {
        if !self.flush(socket, false)? {
            return Ok(Sent::NotYet);
        }
        let mut progress = Progress::default();
        let rest = match progress.write(socket, message, None) {
            Ok(true) => return Ok(Sent::Whole),
            Ok(false) if progress.sent == 0 => return Ok(Sent::NotYet),
            Ok(false) => Rest::of(message, progress.sent, limit),
            Err(error) => Err(error),
        };
        match rest {
            Ok(rest) => {
                self.rest = Some(rest);
                Ok(Sent::Begun)
            }
            Err(error) => Err(self.fail(socket, error, progress.sent)),
        }
    }

    /// Sends what is left of a message that was begun; whether all of it is sent.
    pub(crate) fn flush(&mut self, socket: BorrowedFd<'_>, wait: bool) -> Result<bool, Error> {
        self.flush_with(socket, wait.then_some(Signals::PassedOver))
    }

    fn flush_with(&mut self, socket: BorrowedFd<'_>, waits: Option<Signals>) -> Result<bool, Error> {
        if let Some(because) = self.broken {
            return Err(Error::OutOfStep { direction: Direction::Send, because });
        }
        let Some(mut rest) = self.rest.take() else { return Ok(true) };
        match rest.send(socket, waits) {
            Ok(true) => Ok(true),
            Ok(false) => {
                self.rest = Some(rest);
                Ok(false)
            }
            Err(error) if error.is_interrupted() => {
                self.rest = Some(rest);
                Err(error)
            }
            Err(error) => {
                let sent = rest.progress.sent_in_all();
                // A hello of which nothing went still goes before everything else.
                self.rest = Some(rest);
                Err(self.fail(socket, error, sent))
            }
        }
    }

    /// What failed, with the direction shut down where a part of a message was sent: the peer sees where it ends.
    fn fail(&mut self, socket: BorrowedFd<'_>, error: Error, sent: usize) -> Error {
        if sent > 0 {
            self.rest = None;
            self.broken = Some(error.code());
            // It fails where the connection is gone, which is the same.
            let _ = shutdown(socket, Shutdown::Write);
        }
        self.ended |= error.code() == Code::PeerClosed;
        error
    }
}

impl Rest {
    fn of(message: &Outgoing<'_>, sent: usize, limit: Option<Duration>) -> Result<Rest, Error> {
        let (fds, fds_at) = message.fds_after(sent);
        let fds = fds.iter().map(BorrowedFd::try_clone_to_owned).collect::<Result<Vec<_>, _>>();
        Ok(Rest {
            bytes: message.bytes_from(sent),
            fds: fds
                .map_err(|error| Error::io("keeping file descriptors that are still to be sent", error))?,
            fds_at,
            progress: Progress { sent: 0, before: sent },
            limit: Limit::of(limit),
        })
    }

    fn send(&mut self, socket: BorrowedFd<'_>, waits: Option<Signals>) -> Result<bool, Error> {
        let parts = [IoSlice::new(&self.bytes)];
        let fds: Vec<_> = self.fds.iter().map(OwnedFd::as_fd).collect();
        let message = Outgoing::rest(&parts, &fds, self.fds_at);
        let mut limit = LazyLimit::Begun(self.limit);
        if self.progress.write(socket, &message, waits.map(|signals| (&mut limit, signals)))? {
            return Ok(true);
        }
        if self.limit.is_some_and(Limit::is_over) {
            return Err(self.progress.late(self.limit));
        }
        Ok(false)
    }
}

impl Progress {
    /// Sends from where it is on, and waits where there is a limit to wait until; whether all is sent.
    fn write(
        &mut self,
        socket: BorrowedFd<'_>,
        message: &Outgoing<'_>,
        mut waits: Option<(&mut LazyLimit, Signals)>,
    ) -> Result<bool, Error> {
        loop {
            match (message.send(socket, self.sent), &mut waits) {
                (Ok(bytes), _) => {
                    self.sent += bytes;
                    // A packet of file descriptors alone has no byte.
                    if self.sent == message.whole() {
                        return Ok(true);
                    }
                }
                (Err(Errno::INTR), _) => {}
                (Err(Errno::AGAIN), None) => return Ok(false),
                (Err(Errno::AGAIN), Some((limit, signals))) => {
                    let limit = limit.get();
                    if !wait(socket, PollFlags::OUT, limit, *signals)? {
                        return Err(self.late(limit));
                    }
                }
                (Err(error), _) => return Err(self.refused(socket, error, message)),
            }
        }
    }

    fn sent_in_all(&self) -> usize {
        self.before + self.sent
    }

    /// A message that took longer than it may.
    fn late(&self, limit: Option<Limit>) -> Error {
        let after = limit.map_or(Duration::MAX, |limit| limit.after);
        Error::Timeout { doing: Doing::Sending, after, crossed: self.sent_in_all() as u64 }
    }

    /// What the kernel's refusal means.
    fn refused(&self, socket: BorrowedFd<'_>, error: Errno, message: &Outgoing<'_>) -> Error {
        let crossed = self.sent_in_all() as u64;
        match error {
            Errno::PIPE | Errno::CONNRESET if crossed == 0 => {
                Error::PeerClosed { unread: error == Errno::CONNRESET }
            }
            Errno::PIPE | Errno::CONNRESET => {
                Error::ClosedInMessage { crossed, missing: (message.whole() - self.sent) as u64 }
            }
            Errno::TOOMANYREFS => Error::FdsInFlight,
            Errno::MSGSIZE => {
                // What the kernel keeps of the buffer for itself.
                let most = sockopt::socket_send_buffer_size(socket).unwrap_or(0).saturating_sub(32) as u64;
                Error::TooLargeToSend { most, found: message.body() as u64, packet: true }
            }
            _ => Error::io("sending a message", error),
        }
    }
}
