//! What a library of functions has once.

use core::ffi::CStr;

use super::bytes::{self, COwnedBytes};
use super::call::call;
use super::fault::{Fault, aligned, not_null};
use super::last_error::{CFailure, fill};

/// Writes the last failure of this thread.
///
/// # Safety
/// `out` is null, or a place for a failure.
pub unsafe fn last_error(function: &'static CStr, out: *mut CFailure) -> i32 {
    call(function, |_| {
        not_null(out, c"out", format_args!("a place for a failure"))?;
        aligned(out, c"out")?;
        // SAFETY: not null and aligned; the rest is the caller's.
        unsafe { fill(out) };
        Ok(())
    })
}

/// Frees bytes that a function gave, and makes them none.
///
/// # Safety
/// `bytes` is null, or a place where such bytes are, or none.
pub unsafe fn bytes_free(function: &'static CStr, bytes: *mut COwnedBytes) -> i32 {
    call(function, |_| {
        not_null(bytes, c"bytes", format_args!("bytes that a function gave"))?;
        aligned(bytes, c"bytes")?;
        // SAFETY: not null and aligned; the rest is the caller's.
        unsafe { bytes::free(bytes) }.map_err(|failure| Fault::at(c"bytes", failure))
    })
}
