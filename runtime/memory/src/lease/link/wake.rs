//! Waiting for a channel, and what ends it from another thread.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;

use crate::handoff::{self, Limit};
use crate::lease::Error;

/// An event of this process's own.
pub(in crate::lease) struct Wake(OwnedFd);

impl Wake {
    pub(in crate::lease) fn new() -> Result<Wake, Error> {
        let made = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK);
        Ok(Wake(made.map_err(|error| handoff::Error::io("making an event of this process's own", error))?))
    }

    /// One that somebody else waits for.
    pub(super) fn of(event: OwnedFd) -> Wake {
        Wake(event)
    }

    /// Ends the waiting, this one or the next.
    pub(in crate::lease) fn wake(&self) {
        // It fails where the event has happened more often than it counts.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }

    /// Has the next waiting wait.
    pub(in crate::lease) fn clear(&self) {
        // It fails where nothing has happened.
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }

    /// Waits for the channel to be readable, or writable where that is asked for; for the other side's process to end; for
    /// the event; or until the moment is over.
    pub(super) fn wait(
        &self,
        channel: BorrowedFd<'_>,
        process: Option<BorrowedFd<'_>>,
        writable: bool,
        until: Option<Limit>,
    ) -> Result<(), Error> {
        let events = if writable { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let mut fds = [
            PollFd::from_borrowed_fd(channel, events),
            PollFd::from_borrowed_fd(self.0.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(process.unwrap_or(self.0.as_fd()), PollFlags::IN),
        ];
        // A time that the kernel cannot be told is for ever.
        let left = until.and_then(|until| Timespec::try_from(until.left()).ok());
        match poll(&mut fds, left.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(handoff::Error::io("waiting for a channel", error).into()),
        }
    }
}

impl AsFd for Wake {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
