//! What C has in another form than Rust: why a call failed, file descriptors by their numbers, limits of time, options.

mod error;
mod fds;
mod known;
mod limit;

pub use error::Error;
pub(crate) use fds::{Fds, adopt, duplicate, duplicate_all, lend};
pub(crate) use known::{known, known_flags};
pub(crate) use limit::{deadline, limit, limit_or, not_yet};
