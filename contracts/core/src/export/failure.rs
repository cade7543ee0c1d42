//! Why a call failed: what a Rust function says, before it is put where other languages read it.

use core::fmt;
use std::io;
use std::string::{String, ToString as _};

use crate::{Code, Enumeration as _, WireError};

/// Why an exported function failed: a code, the application's own number, and a message for whoever reads a log.
///
/// The error of an exported function converts into it, and so says what every language is told:
///
/// ```
/// use wirecontract::{Code, Failure};
///
/// enum SensorError {
///     NotPlugged,
///     Register { number: i32 },
/// }
///
/// impl From<SensorError> for Failure {
///     fn from(error: SensorError) -> Failure {
///         match error {
///             SensorError::NotPlugged => Failure::new(Code::Io, "no sensor is plugged in"),
///             SensorError::Register { number } => {
///                 Failure::new(Code::Refused, "the sensor has no such register").with_detail(number)
///             }
///         }
///     }
/// }
/// # assert_eq!(Failure::from(SensorError::Register { number: 7 }).detail(), 7);
/// # assert_eq!(Failure::from(SensorError::NotPlugged).code(), Code::Io);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    code: Code,
    detail: i32,
    message: String,
}

impl Failure {
    /// A failure with that code; [`Code::Ok`] is none, and becomes [`Code::Refused`].
    pub fn new(code: Code, message: impl Into<String>) -> Failure {
        let code = if code == Code::Ok { Code::Refused } else { code };
        Failure { code, detail: 0, message: message.into() }
    }

    /// The same with the application's own number beside the code.
    #[must_use]
    pub fn with_detail(self, detail: i32) -> Failure {
        Failure { detail, ..self }
    }

    /// The code, which is never [`Code::Ok`].
    pub fn code(&self) -> Code {
        self.code
    }

    /// The application's own number; 0 where it has none.
    pub fn detail(&self) -> i32 {
        self.detail
    }

    /// What was expected, what came, what to do.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl From<WireError> for Failure {
    fn from(error: WireError) -> Failure {
        Failure::new(error.code, error.to_string())
    }
}

/// The detail is the operating system's number, where the error has one.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        let code = match error.kind() {
            io::ErrorKind::TimedOut => Code::Timeout,
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => Code::PeerClosed,
            _ => Code::Io,
        };
        Failure::new(code, error.to_string()).with_detail(error.raw_os_error().unwrap_or(0))
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::new(Code::Refused, message)
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Failure {
        Failure::new(Code::Refused, message)
    }
}

/// The code is the callback's where its number is one, and [`Code::Refused`] otherwise; the detail is the number.
impl From<CallbackError> for Failure {
    fn from(error: CallbackError) -> Failure {
        let (code, detail) = match error {
            CallbackError::Returned(number) => (Code::from_value(number).unwrap_or(Code::Refused), number),
            CallbackError::NulInText(_) => (Code::BadText, 0),
        };
        Failure::new(code, error.to_string()).with_detail(detail)
    }
}

/// Why a callback of another language did not do what it was called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallbackError {
    /// It returned this number in place of 0.
    Returned(i32),
    /// It was not called: a NUL stands at this byte of a text for it, and would end the text early.
    NulInText(usize),
}

impl fmt::Display for CallbackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            CallbackError::Returned(number) => match Code::from_value(number) {
                Some(code) if code != Code::Ok => write!(f, "the callback returned {}", code.name()),
                _ => write!(f, "the callback returned {number}"),
            },
            CallbackError::NulInText(at) => {
                write!(
                    f,
                    "the callback was not called: a text for it has a NUL at byte {at}, which would end it"
                )
            }
        }
    }
}

impl core::error::Error for CallbackError {}
