//! Registering with tokio's reactor, which asks for a promise about the file descriptor.

use std::os::fd::{AsRawFd, OwnedFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::{Channel, Error, Listener};

/// Types that own one file descriptor for all of their life.
///
/// # Safety
///
/// Each call of `as_raw_fd` gives the same file descriptor, which is open until the value is dropped, and is moved
/// to no other file by whoever has a reference to the value.
pub(crate) unsafe trait OwnsFd: AsRawFd {}

// SAFETY: it is open until it is dropped, and never another one.
unsafe impl OwnsFd for OwnedFd {}

// SAFETY: its socket is an `OwnedFd` that no method replaces.
unsafe impl OwnsFd for Channel {}

// SAFETY: its socket is an `OwnedFd` that no method replaces.
unsafe impl OwnsFd for Listener {}

/// Has the runtime's reactor wait for it.
pub(crate) fn register<T: OwnsFd>(inner: T, interest: Interest) -> Result<AsyncFd<T>, Error> {
    // SAFETY: what is promised of `OwnsFd`; this module gives nobody a `&mut` to what is registered.
    let registered = unsafe { AsyncFd::register_with_interest(inner, interest) };
    registered.map_err(|error| Error::io("registering with the reactor", error))
}
