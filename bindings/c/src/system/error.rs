//! Why a call failed, as C is told.

use std::fmt;
use std::io;

use wirecontract::{Code, Enumeration as _, Failure, WireError};
use wirecontract_runtime::handoff::DeclaredError;
use wirecontract_runtime::host::{FreezeError, HostError};
use wirecontract_runtime::{handoff, lease};

/// Why a call failed: the code and the words of the Rust error, and of what the operating system refused its number.
#[derive(Debug)]
pub struct Error(Failure);

impl Error {
    /// A refusal of this library's own.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Error {
        Error(Failure::new(code, message))
    }

    /// What the operating system refused.
    pub(crate) fn os(doing: &str, error: &io::Error) -> Error {
        Error(
            Failure::new(Code::Io, format!("{doing}: {error}"))
                .with_detail(error.raw_os_error().unwrap_or(0)),
        )
    }

    /// The code stands beside the message, which therefore does not repeat it.
    fn told(code: Code, detail: i32, error: &impl fmt::Display) -> Error {
        let text = error.to_string();
        let prefix = format!("{}: ", code.name());
        let message = text.strip_prefix(&prefix).unwrap_or(&text);
        Error(Failure::new(code, message).with_detail(detail))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        error.0
    }
}

impl From<WireError> for Error {
    fn from(error: WireError) -> Error {
        Error(error.into())
    }
}

impl From<handoff::Error> for Error {
    fn from(error: handoff::Error) -> Error {
        Error::told(error.code(), handoff_detail(&error), &error)
    }
}

impl From<DeclaredError> for Error {
    fn from(error: DeclaredError) -> Error {
        match error {
            DeclaredError::Channel(error) => error.into(),
            DeclaredError::Contract(error) => error.into(),
            other => Error::told(other.code(), 0, &other),
        }
    }
}

impl From<HostError> for Error {
    fn from(error: HostError) -> Error {
        Error::told(error.code(), host_detail(&error), &error)
    }
}

/// The descriptor that it brings is closed: nobody in C could tell it from the buffer's other one.
impl From<FreezeError> for Error {
    fn from(refused: FreezeError) -> Error {
        refused.error.into()
    }
}

/// The detail of an offer that the consumer refused is the consumer's code.
impl From<lease::Error> for Error {
    fn from(error: lease::Error) -> Error {
        (&error).into()
    }
}

impl From<&lease::Error> for Error {
    fn from(error: &lease::Error) -> Error {
        Error::told(error.code(), lease_detail(error), error)
    }
}

fn handoff_detail(error: &handoff::Error) -> i32 {
    match error {
        handoff::Error::Io { source, .. } => source.raw_os_error().unwrap_or(0),
        _ => 0,
    }
}

fn host_detail(error: &HostError) -> i32 {
    match error {
        HostError::Os { errno, .. } | HostError::HugePages { errno, .. } => *errno,
        _ => 0,
    }
}

fn lease_detail(error: &lease::Error) -> i32 {
    match error {
        lease::Error::Handoff(error) => handoff_detail(error),
        lease::Error::Host(error) => host_detail(error),
        lease::Error::Refused(refusal) => refusal.code,
        lease::Error::Unusable { because, .. } => lease_detail(because),
        lease::Error::Lost(lost) => lease_detail(&lost.because),
        _ => 0,
    }
}
