//! The library as a C header has it.

use core::ffi::{CStr, c_char, c_long, c_void};
use core::ptr;

use super::library::Area;

/// `wc_failure`.
#[repr(C)]
pub(crate) struct Failure {
    code: i32,
    detail: i32,
    function: *const c_char,
    argument: *const c_char,
    message: *const c_char,
}

/// `wc_owned_bytes`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Bytes {
    pub(crate) data: *const u8,
    pub(crate) length: usize,
    pub(crate) id: u64,
}

impl Bytes {
    pub(crate) const NONE: Bytes = Bytes { data: ptr::null(), length: 0, id: 0 };

    /// A copy, and the bytes freed.
    pub(crate) fn take(mut self) -> Vec<u8> {
        // SAFETY: what a function gave, and a NUL behind it.
        let bytes = unsafe { core::slice::from_raw_parts(self.data, self.length + 1) };
        let (bytes, end) = bytes.split_at(self.length);
        assert_eq!(end, [0]);
        let bytes = bytes.to_vec();
        // SAFETY: a pointer to bytes that a function gave.
        assert_eq!(unsafe { t_bytes_free(&raw mut self) }, 0);
        bytes
    }
}

/// `wc_str`.
#[repr(C)]
pub(crate) struct Str {
    pub(crate) data: *const c_char,
    pub(crate) length: usize,
}

impl Str {
    pub(crate) fn of(text: &str) -> Str {
        Str { data: text.as_ptr().cast(), length: text.len() }
    }
}

/// A handle of whatever type.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle {
    pub(crate) id: u64,
}

impl Handle {
    pub(crate) const NONE: Handle = Handle { id: 0 };
}

pub(crate) type OnEach = unsafe extern "C" fn(
    context: *mut c_void,
    index: u32,
    mode: u8,
    area: *const Area,
    samples: *const f32,
    samples_length: usize,
    name: *const c_char,
) -> i32;

unsafe extern "C" {
    pub(crate) fn t_last_error(out: *mut Failure) -> i32;
    pub(crate) fn t_bytes_free(bytes: *mut Bytes) -> i32;

    pub(crate) fn t_mean(samples: *const f32, samples_length: usize, out: *mut f32) -> i32;
    pub(crate) fn t_scale(samples: *mut f32, samples_length: usize, factor: f32) -> i32;
    pub(crate) fn t_numbers(
        a: u32,
        b: i64,
        c: c_long,
        d: u8,
        sum: *mut i64,
        product: *mut f64,
        is_even: *mut u8,
    ) -> i32;
    pub(crate) fn t_modes(
        mode: u8,
        open: u8,
        defects: u32,
        out_1: *mut u8,
        out_2: *mut u8,
        out_3: *mut u32,
    ) -> i32;
    pub(crate) fn t_areas(
        area: Area,
        at: *const Area,
        other: *const Area,
        changed: *mut Area,
        more: *mut Area,
        out: *mut Area,
    ) -> i32;
    pub(crate) fn t_truths(
        truth: *const u8,
        defects: *const u32,
        defects_length: usize,
        out: *mut u32,
    ) -> i32;
    pub(crate) fn t_greet(name: *const c_char, title: *const c_char, out: *mut Bytes) -> i32;
    pub(crate) fn t_blob(length: u32, out: *mut Bytes) -> i32;
    pub(crate) fn t_read(reading: *const u8, out: *mut u8) -> i32;
    pub(crate) fn t_order(order: Str, out: *mut Bytes) -> i32;
    pub(crate) fn t_peek(
        at: *const u32,
        context: *mut c_void,
        watch: Option<unsafe extern "C" fn(u32) -> u32>,
        out_1: *mut u32,
        out_2: *mut *mut c_void,
    ) -> i32;
    pub(crate) fn t_panics(loudly: u8, out: *mut u32) -> i32;
    pub(crate) fn t_almost(out_1: *mut Handle, out_2: *mut Bytes, out_3: *mut Bytes) -> i32;
    pub(crate) fn t_nothing() -> i32;
    pub(crate) fn t_file(length: u32, out: *mut u32) -> i32;
    pub(crate) fn t_longs(
        some: *const c_long,
        some_length: usize,
        one: *const c_long,
        changed: *mut c_long,
        changed_length: usize,
        out_1: *mut c_long,
        out_2: *mut u32,
    ) -> i32;

    pub(crate) fn t_counter_open(count: u32, out: *mut Handle) -> i32;
    pub(crate) fn t_counter_count(counter: Handle, out: *mut u32) -> i32;
    pub(crate) fn t_counter_add(counter: Handle, more: u32, out: *mut u32) -> i32;
    pub(crate) fn t_counter_merge(
        counter: Handle,
        other: *mut Handle,
        name: *const c_char,
        out: *mut u32,
    ) -> i32;
    pub(crate) fn t_counter_sum(counter: Handle, other: Handle, out: *mut u32) -> i32;
    pub(crate) fn t_counter_each(
        counter: Handle,
        on_each: Option<OnEach>,
        context: *mut c_void,
        name: *const c_char,
        out: *mut u32,
    ) -> i32;
    pub(crate) fn t_counter_lenient(
        counter: Handle,
        on_each: Option<unsafe extern "C" fn(*mut c_void, c_long) -> i32>,
        context: *mut c_void,
    ) -> i32;
    pub(crate) fn t_counter_close(counter: *mut Handle, out: *mut u32) -> i32;
    pub(crate) fn t_counter_mix(counter: *mut Handle, more: *mut Handle, other: Handle, out: *mut u32)
    -> i32;
    pub(crate) fn t_counter_announce(
        counter: Handle,
        on_name: Option<unsafe extern "C" fn(*mut c_void, *const c_char) -> i32>,
        context: *mut c_void,
    ) -> i32;
    pub(crate) fn t_counter_destroy(counter: *mut Handle) -> i32;

    pub(crate) fn t_total_new(out: *mut Handle) -> i32;
    pub(crate) fn t_total_mix(total: *mut Handle, more: *mut Handle, other: Handle, out: *mut u32) -> i32;
    pub(crate) fn t_total_plus(total: Handle, more: u32, out: *mut u32) -> i32;
    pub(crate) fn t_total_call(
        total: Handle,
        back: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
        context: *mut c_void,
    ) -> i32;
    pub(crate) fn t_total_finish(total: *mut Handle, out: *mut u32) -> i32;
    pub(crate) fn t_total_destroy(total: *mut Handle) -> i32;

    pub(crate) static t_counter_destroy_wire_id: u64;
    pub(crate) static t_last_error_wire_id: u64;
    pub(crate) static t_bytes_free_wire_id: u64;
    pub(crate) static t_mean_wire_id: u64;
}

/// What the last call of this thread that failed says: code, detail, function, argument, message.
pub(crate) fn last_error() -> (i32, i32, String, String, String) {
    let mut failure =
        Failure { code: 0, detail: 0, function: ptr::null(), argument: ptr::null(), message: ptr::null() };
    // SAFETY: a place for a failure, whose texts are never null.
    unsafe {
        assert_eq!(t_last_error(&raw mut failure), 0);
        let text = |text: *const c_char| CStr::from_ptr(text).to_str().unwrap().to_owned();
        let (function, argument) = (text(failure.function), text(failure.argument));
        (failure.code, failure.detail, function, argument, text(failure.message))
    }
}

/// Asserts how a call failed.
#[track_caller]
pub(crate) fn refused(status: i32, code: wirecontract::Code, function: &str, argument: &str, message: &str) {
    let (kept, _, in_function, at, text) = last_error();
    assert_eq!(
        (status, kept, in_function.as_str(), at.as_str(), text.as_str()),
        (code as i32, code as i32, function, argument, message),
    );
}
