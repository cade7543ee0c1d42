//! The memory that contracts describe, as it crosses between processes.
//!
//! [`handoff`] moves messages and file descriptors over Unix sockets; [`host`] is memory that several processes map;
//! [`lease`] lends it, and knows when it is over.
#![cfg(target_os = "linux")]

#[cfg(feature = "handoff")]
pub mod handoff;
#[cfg(feature = "host")]
pub mod host;
#[cfg(feature = "lease")]
pub mod lease;
#[cfg(any(feature = "handoff", feature = "host"))]
mod maker;
#[cfg(any(feature = "handoff", feature = "host"))]
mod procfs;
#[cfg(all(test, feature = "lease"))]
mod refusals;
