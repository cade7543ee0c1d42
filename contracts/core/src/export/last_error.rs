//! The last failure of each thread, where other languages read it.

use core::cell::RefCell;
use core::ffi::{CStr, c_char};
use std::ffi::CString;
use std::thread_local;

use super::Failure;
use crate::Enumeration as _;

/// A failure as C has it. The texts are never null; `function` and `argument` live as long as the library, `message`
/// until the next failing call of the thread that asked.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CFailure {
    /// The number of the code; 0 when no call of this thread failed.
    pub code: i32,
    /// The application's own number.
    pub detail: i32,
    /// The symbol of the function that failed.
    pub function: *const c_char,
    /// The argument that was refused; empty when it was the call.
    pub argument: *const c_char,
    /// What was expected, what came, what to do.
    pub message: *const c_char,
}

struct Kept {
    code: i32,
    detail: i32,
    function: &'static CStr,
    argument: &'static CStr,
    message: CString,
}

thread_local! {
    static LAST: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// Makes a failure the last one of this thread, and returns the number of its code.
///
/// In a thread that has ended so far that it keeps nothing any more, the code is all that there is.
#[cold]
#[inline(never)]
#[allow(clippy::needless_pass_by_value, reason = "a failure is reported once")]
pub fn keep(function: &'static CStr, argument: &'static CStr, failure: Failure) -> i32 {
    let code = failure.code().value();
    let message = text(failure.message());
    let kept = Kept { code, detail: failure.detail(), function, argument, message };
    // What was kept before is dropped by the replacing, here, and with it the text that a caller may still have.
    let _ = LAST.try_with(|last| last.replace(Some(kept)));
    code
}

/// Writes the last failure of this thread; zeros and empty texts when there is none. Does nothing for null.
///
/// # Safety
/// `out` is null, or valid for writing and aligned.
pub unsafe fn fill(out: *mut CFailure) {
    let none = CFailure {
        code: 0,
        detail: 0,
        function: c"".as_ptr(),
        argument: c"".as_ptr(),
        message: c"".as_ptr(),
    };
    let last = LAST.try_with(|last| {
        last.borrow().as_ref().map(|kept| CFailure {
            code: kept.code,
            detail: kept.detail,
            function: kept.function.as_ptr(),
            argument: kept.argument.as_ptr(),
            message: kept.message.as_ptr(),
        })
    });
    if !out.is_null() {
        // SAFETY: valid and aligned as the caller promises; `write` reads nothing of what is there.
        unsafe { out.write(last.ok().flatten().unwrap_or(none)) };
    }
}

/// Text that C can end: a NUL in it is shown by its symbol.
fn text(message: &str) -> CString {
    CString::new(message).unwrap_or_else(|_| CString::new(message.replace('\0', "␀")).unwrap_or_default())
}
