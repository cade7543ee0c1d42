//! Panics that end where they are: none crosses into another language, and none of a drop into a call that is not
//! about what was dropped.

use core::any::Any;
use core::mem;
use std::boxed::Box;
use std::format;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::string::String;

use super::Failure;
use crate::Code;

/// What `call` returns, or a failure with the message of its panic.
///
/// Nobody sees what a panic left half done but through a handle, and handles are poisoned: that is why `call` may
/// capture what is not unwind-safe. So it must hold the guards of its handles itself.
#[inline]
pub fn contain<R>(call: impl FnOnce() -> Result<R, Failure>) -> Result<R, Failure> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result,
        Err(payload) => Err(panicked(payload)),
    }
}

#[cold]
#[inline(never)]
fn panicked(payload: Box<dyn Any + Send>) -> Failure {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = text.map_or_else(|| "panicked".into(), |text| format!("panicked: {text}"));
    discard(payload);
    Failure::new(Code::Panic, message)
}

/// Drops what nobody waits for: a panic of it is reported by the panic hook and goes no further. It may be called
/// while another panic unwinds.
pub(super) fn drop_contained<T>(object: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(object))) {
        discard(payload);
    }
}

/// Drops what a panic carried. What the panic of that drop carries is leaked, or there would be no end.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        mem::forget(payload);
    }
}
