//! Waiting while other threads of Python's run, until a signal comes: its handler runs before the wait goes on.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Calls what waits until it has something: none where a signal ended it. A handler that raises ends the call.
///
/// # Errors
/// What `failed` makes of an error, and what a signal's handler raised.
pub(super) fn until<T: Send, E: Send>(
    python: Python<'_>,
    mut wait: impl FnMut() -> Result<Option<T>, E> + Send,
    failed: impl FnOnce(E) -> PyErr,
) -> PyResult<T> {
    loop {
        match python.detach(&mut wait) {
            Ok(Some(value)) => return Ok(value),
            Ok(None) => python.check_signals()?,
            Err(error) => return Err(failed(error)),
        }
    }
}

/// A moment.
#[derive(Clone, Copy)]
pub(super) struct Moment(Option<Instant>);

impl Moment {
    /// So long from now; none is for ever.
    pub(super) fn after(time: Option<Duration>) -> Moment {
        Moment(time.and_then(|time| Instant::now().checked_add(time)))
    }

    /// What is left until then.
    pub(super) fn left(self) -> Option<Duration> {
        self.0.map(|at| at.saturating_duration_since(Instant::now()))
    }

    pub(super) fn is_over(self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }
}

/// What a wait for file descriptors came to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Polled {
    Ready,
    Over,
    Signal,
}

/// Waits for one of these to be ready, until the moment, or a signal.
pub(super) fn polled(fds: &[(BorrowedFd<'_>, PollFlags)], until: Moment) -> Result<Polled, Errno> {
    let mut fds: Vec<_> = fds.iter().map(|(fd, events)| PollFd::from_borrowed_fd(*fd, *events)).collect();
    // Longer than the kernel can be told is for ever.
    let left = until.left().and_then(|left| Timespec::try_from(left).ok());
    match poll(&mut fds, left.as_ref()) {
        Ok(0) => Ok(Polled::Over),
        Ok(_) => Ok(Polled::Ready),
        Err(Errno::INTR) => Ok(Polled::Signal),
        Err(error) => Err(error),
    }
}

/// Waits so long, or until a signal comes.
pub(super) fn pause(time: Duration) {
    let _ = polled(&[], Moment::after(Some(time)));
}
