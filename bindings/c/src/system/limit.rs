//! Limits of time as C has them: milliseconds in an `int`.

use std::time::Duration;

use wirecontract::Code;

use super::Error;

/// As `poll` has it: 0 is not at all, a negative number for ever.
pub(crate) fn limit(milliseconds: i32) -> Option<Duration> {
    u64::try_from(milliseconds).ok().map(Duration::from_millis)
}

/// As options have it: 0 is what is usual, a negative number for ever.
pub(crate) fn limit_or(milliseconds: i32, usual: Option<Duration>) -> Option<Duration> {
    if milliseconds == 0 { usual } else { limit(milliseconds) }
}

/// A call that does not wait found nothing.
pub(crate) fn not_yet(what: &str) -> Error {
    Error::new(
        Code::Timeout,
        format!("expected {what}, found none yet: poll the file descriptor, or wait longer"),
    )
}
