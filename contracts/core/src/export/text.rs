//! Text of C: ended by NUL, and measured once.

use core::ffi::{CStr, c_char};

use super::fault::{Fault, not_null};
use super::overlap::Area;
use crate::Code;

/// Text as C passes it.
#[repr(transparent)]
pub struct Text(*const c_char);

impl Text {
    /// Looks for its end, which is before anything is written.
    ///
    /// # Safety
    /// Null, or text ended by NUL.
    #[inline]
    pub unsafe fn measure(self) -> Measured {
        // SAFETY: not null; the rest is the caller's.
        let length = if self.0.is_null() { 0 } else { unsafe { CStr::from_ptr(self.0) }.count_bytes() };
        Measured { at: self.0, length }
    }
}

/// Text of so many bytes before its NUL, or null.
pub struct Measured {
    at: *const c_char,
    length: usize,
}

impl Measured {
    /// Where it is, with its NUL.
    #[inline]
    pub fn area(&self, name: &'static CStr) -> Area {
        Area::read(self.at, self.length + 1, name)
    }

    /// The text.
    ///
    /// # Safety
    /// It stays as it was measured while `'a` lasts.
    #[inline]
    pub unsafe fn receive<'a>(self, name: &'static CStr) -> Result<&'a str, Fault> {
        not_null(self.at, name, format_args!("text ended by NUL"))?;
        // SAFETY: not null, so that it was measured; the rest is the caller's.
        let text = unsafe { core::slice::from_raw_parts(self.at.cast(), self.length) };
        core::str::from_utf8(text).map_err(|error| {
            let at = error.valid_up_to();
            Fault::of(name, Code::BadUtf8, format_args!("is not UTF-8: invalid byte at {at}"))
        })
    }

    /// The text, if there is one.
    ///
    /// # Safety
    /// As [`receive`](Self::receive).
    #[inline]
    pub unsafe fn receive_optional<'a>(self, name: &'static CStr) -> Result<Option<&'a str>, Fault> {
        if self.at.is_null() {
            return Ok(None);
        }
        // SAFETY: the caller's.
        unsafe { self.receive(name) }.map(Some)
    }
}
