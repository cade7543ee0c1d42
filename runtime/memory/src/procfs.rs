//! What `/proc` has of this process.
//!
//! It is looked up by the thread that asks, since the folder of the process is empty once its first thread has ended.

use std::fmt::Display;
use std::os::fd::{AsRawFd as _, BorrowedFd};

/// A file in this process's own folder.
pub(crate) fn own(what: impl Display) -> String {
    format!("/proc/thread-self/{what}")
}

/// What a file descriptor of this process is open on.
pub(crate) fn of_fd(fd: BorrowedFd<'_>) -> String {
    own(format_args!("fd/{}", fd.as_raw_fd()))
}
