//! Waiting for a file descriptor, never longer than to a moment.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::Error;

/// A moment, and how long before it the waiting began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    at: Instant,
    pub(crate) after: Duration,
}

impl Limit {
    /// So long from now; none where that is for ever, or beyond what the clock can say.
    pub(crate) fn of(after: Option<Duration>) -> Option<Limit> {
        let after = after?;
        Some(Limit { at: Instant::now().checked_add(after)?, after })
    }

    /// The moment.
    #[cfg(any(feature = "lease", feature = "tokio"))]
    pub(crate) fn at(self) -> Instant {
        self.at
    }

    /// What is left of it.
    pub(crate) fn left(self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }

    /// Whether the moment is over.
    pub(crate) fn is_over(self) -> bool {
        self.left().is_zero()
    }

    /// Whichever comes first.
    pub(crate) fn first(one: Option<Limit>, other: Option<Limit>) -> Option<Limit> {
        match (one, other) {
            (Some(one), Some(other)) => Some(if other.at < one.at { other } else { one }),
            _ => one.or(other),
        }
    }
}

/// A limit that begins when it is first asked for: as long as nothing has to be waited for, nobody looks at the clock.
/// None is for ever.
#[derive(Debug)]
pub(crate) enum LazyLimit {
    /// So long from when it is asked for.
    Ahead(Option<Duration>),
    /// It has begun.
    Begun(Option<Limit>),
}

impl LazyLimit {
    /// The limit, which begins if it has not.
    pub(crate) fn get(&mut self) -> Option<Limit> {
        match *self {
            LazyLimit::Begun(limit) => limit,
            LazyLimit::Ahead(after) => {
                let limit = Limit::of(after);
                *self = LazyLimit::Begun(limit);
                limit
            }
        }
    }

    /// Whether it is for ever, and nobody has to look at the clock.
    pub(crate) fn is_for_ever(&self) -> bool {
        matches!(self, LazyLimit::Ahead(None) | LazyLimit::Begun(None))
    }
}

/// Waits for one of the events, or for the end of the connection; `false` when the moment is over.
pub(crate) fn wait_for(fd: BorrowedFd<'_>, events: PollFlags, limit: Option<Limit>) -> Result<bool, Error> {
    wait(fd, events, limit, Signals::PassedOver)
}

/// What becomes of a wait when a signal comes that this thread handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signals {
    /// It goes on.
    PassedOver,
    /// It ends ([`Error::interrupted`]).
    Heeded,
}

/// The same, where a signal may end it.
pub(crate) fn wait(
    fd: BorrowedFd<'_>,
    events: PollFlags,
    limit: Option<Limit>,
    signals: Signals,
) -> Result<bool, Error> {
    loop {
        let left = match limit.map(|limit| Timespec::try_from(limit.left())) {
            Some(Ok(left)) => Some(left),
            // Longer than the kernel can be told: for ever.
            Some(Err(_)) | None => None,
        };
        match poll(&mut [PollFd::from_borrowed_fd(fd, events)], left.as_ref()) {
            Ok(0) => return Ok(false),
            Ok(_) => return Ok(true),
            Err(Errno::INTR) if signals == Signals::PassedOver => {}
            Err(Errno::INTR) => return Err(Error::interrupted()),
            Err(error) => return Err(Error::io("polling a file descriptor", error)),
        }
    }
}

/// Whether one of the events is there now.
pub(crate) fn is_ready(fd: BorrowedFd<'_>, events: PollFlags) -> Result<bool, Error> {
    wait_for(fd, events, Limit::of(Some(Duration::ZERO)))
}
