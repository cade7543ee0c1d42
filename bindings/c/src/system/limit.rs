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

/// What is left until a moment, as `poll` takes it, and no less: -1 is for ever.
pub(crate) fn deadline(left: Option<Duration>) -> i32 {
    left.map_or(-1, |left| i32::try_from(left.as_micros().div_ceil(1000)).unwrap_or(i32::MAX))
}

/// A call that does not wait found nothing.
pub(crate) fn not_yet(what: &str) -> Error {
    Error::new(
        Code::Timeout,
        format!("expected {what}, found none yet: poll the file descriptor, or wait longer"),
    )
}
