//! Why a call is refused, and at which argument.

use core::ffi::CStr;
use core::fmt;

use super::Failure;
use crate::Code;

/// A failure, and the argument that is at fault: empty where none is.
pub struct Fault {
    pub(super) argument: &'static CStr,
    pub(super) failure: Failure,
}

impl Fault {
    /// A failure of an argument, whose message begins with its name.
    #[cold]
    pub(super) fn of(argument: &'static CStr, code: Code, message: impl fmt::Display) -> Fault {
        let name = argument.to_str().unwrap_or_default();
        Fault { argument, failure: Failure::new(code, std::format!("`{name}` {message}")) }
    }

    /// The same fault of one of several items, whose message begins with the argument's name.
    #[cold]
    pub(super) fn of_item(self, argument: &'static CStr, index: usize) -> Fault {
        let name = argument.to_str().unwrap_or_default();
        let Fault { failure, .. } = &self;
        match failure.message().strip_prefix('`').and_then(|rest| rest.strip_prefix(name)) {
            Some(rest) => {
                let message = std::format!("`{name}[{index}]{rest}");
                let failure = Failure::new(failure.code(), message).with_detail(failure.detail());
                Fault { argument, failure }
            }
            None => self,
        }
    }

    /// A failure at an argument, in its own words.
    #[cold]
    pub(super) fn at(argument: &'static CStr, failure: impl Into<Failure>) -> Fault {
        Fault { argument, failure: failure.into() }
    }
}

/// Refuses a null pointer.
#[inline]
pub(super) fn not_null<T>(
    at: *const T,
    name: &'static CStr,
    expected: fmt::Arguments<'_>,
) -> Result<(), Fault> {
    if at.is_null() {
        return Err(Fault::of(name, Code::NullArgument, format_args!("is null, expected {expected}")));
    }
    Ok(())
}

/// Refuses a pointer at which no `T` can stand.
#[inline]
pub(super) fn aligned<T>(at: *const T, name: &'static CStr) -> Result<(), Fault> {
    if at.is_aligned() {
        return Ok(());
    }
    let align = align_of::<T>();
    Err(Fault::of(name, Code::WrongType, format_args!("is at {at:p}, expected a pointer aligned to {align}")))
}
