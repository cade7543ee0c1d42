//! Functions of C that Rust calls while a call lasts.

use core::ffi::{CStr, c_char, c_long, c_void};
use core::ptr;

use wirecontract::Code;

use super::c::{self, Handle, refused};
use super::library::{Area, DROPPED};

/// What a callback was given.
#[derive(Debug, PartialEq)]
struct Seen {
    index: u32,
    mode: u8,
    area: Area,
    samples: Vec<f32>,
    name: String,
}

/// What a callback has to say of it.
struct Context {
    seen: Vec<Seen>,
    fails_at: u32,
    returned: i32,
    reenters: Option<Handle>,
}

unsafe extern "C" fn on_each(
    context: *mut c_void,
    index: u32,
    mode: u8,
    area: *const Area,
    samples: *const f32,
    samples_length: usize,
    name: *const c_char,
) -> i32 {
    // SAFETY: what `each` passes, as the header says.
    unsafe {
        let context = &mut *context.cast::<Context>();
        let samples = core::slice::from_raw_parts(samples, samples_length).to_vec();
        let name = CStr::from_ptr(name).to_str().unwrap().to_owned();
        context.seen.push(Seen { index, mode, area: *area, samples, name });
        if let Some(handle) = context.reenters {
            return c::t_counter_count(handle, &mut 0);
        }
        if index == context.fails_at { context.returned } else { 0 }
    }
}

fn counter() -> Handle {
    counter_of(3)
}

fn counter_of(count: u32) -> Handle {
    let mut handle = Handle::NONE;
    // SAFETY: as the header says.
    assert_eq!(unsafe { c::t_counter_open(count, &raw mut handle) }, 0);
    handle
}

/// The status of `each`, its result, and what was seen.
fn each(handle: Handle, fails_at: u32, returned: i32, reenters: Option<Handle>) -> (i32, u32, Vec<Seen>) {
    let mut context = Context { seen: Vec::new(), fails_at, returned, reenters };
    let (at, mut out) = ((&raw mut context).cast(), 7);
    // SAFETY: as the header says.
    let status = unsafe { c::t_counter_each(handle, Some(on_each), at, c"it".as_ptr(), &raw mut out) };
    (status, out, context.seen)
}

#[test]
fn a_callback_is_called_with_its_context_and_all_forms_of_arguments() {
    let (status, out, seen) = each(counter(), 9, 0, None);
    assert_eq!((status, out, seen.len()), (0, 3, 3));
    let expected = Seen {
        index: 2,
        mode: 2,
        area: Area { x: 0.5, y: 2 },
        samples: vec![0.25, 0.5],
        name: "it".to_owned(),
    };
    assert_eq!(seen[2], expected);
}

#[test]
fn a_callback_that_fails_ends_the_call_with_its_code_and_is_named() {
    let (status, out, seen) = each(counter(), 1, Code::Timeout as i32, None);
    refused(status, Code::Timeout, "t_counter_each", "on_each", "the callback returned timeout");
    assert_eq!((out, seen.len()), (0, 2));
}

#[test]
fn a_callback_that_fails_with_no_code_of_ours_is_refused_with_its_number() {
    let (status, _, _) = each(counter(), 0, -1000, None);
    refused(status, Code::Refused, "t_counter_each", "on_each", "the callback returned -1000");
    assert_eq!(c::last_error().1, -1000);
}

#[test]
fn text_that_a_callback_cannot_be_told_is_not_laid_at_it() {
    unsafe extern "C" fn counts(context: *mut c_void, _: *const c_char) -> i32 {
        // SAFETY: the context below.
        unsafe { *context.cast::<u32>() += 1 };
        0
    }
    let mut calls = 0_u32;
    // SAFETY: as the header says.
    let status = unsafe { c::t_counter_announce(counter(), Some(counts), (&raw mut calls).cast()) };
    let message = "the callback was not called: a text for it has a NUL at byte 2, which would end it";
    refused(status, Code::BadText, "t_counter_announce", "on_name", message);
    assert_eq!((calls, c::last_error().1), (1, 0));
}

#[test]
fn a_callback_does_not_use_the_object_that_calls_it() {
    let handle = counter();
    let (status, _, seen) = each(handle, 9, 0, Some(handle));
    refused(status, Code::Busy, "t_counter_each", "on_each", "the callback returned busy");
    assert_eq!(seen.len(), 1);
}

#[test]
fn a_callback_that_is_null_is_refused() {
    let mut out = 0;
    // SAFETY: what is wrong is what is tested.
    let status = unsafe { c::t_counter_each(counter(), None, ptr::null_mut(), c"it".as_ptr(), &raw mut out) };
    let message = "`on_each` is null, expected a function";
    refused(status, Code::NullArgument, "t_counter_each", "on_each", message);
}

#[test]
fn a_failure_is_laid_at_a_callback_only_when_that_failed_last() {
    unsafe extern "C" fn fails_at(context: *mut c_void, number: c_long) -> i32 {
        // SAFETY: the context below.
        i32::from(unsafe { *context.cast::<c_long>() } == number)
    }
    for (fails, argument) in [(1, ""), (2, "on_each")] {
        let mut fails: c_long = fails;
        // SAFETY: as the header says.
        let status = unsafe { c::t_counter_lenient(counter(), Some(fails_at), (&raw mut fails).cast()) };
        refused(status, Code::Refused, "t_counter_lenient", argument, "one of two failed");
    }
}

#[test]
fn an_exclusive_object_that_is_destroyed_by_what_it_calls_is_dropped_behind_the_call() {
    unsafe extern "C" fn destroys(context: *mut c_void, _: *const c_char) -> i32 {
        // SAFETY: the context below.
        let status = unsafe { c::t_counter_destroy(context.cast()) };
        assert!(!DROPPED.lock().unwrap().contains(&77));
        status
    }
    let mut handle = counter_of(77);
    // SAFETY: as the header says.
    unsafe {
        let copy = handle;
        let status = c::t_counter_announce(copy, Some(destroys), (&raw mut handle).cast());
        assert_eq!((status, handle), (Code::BadText as i32, Handle::NONE));
        assert!(DROPPED.lock().unwrap().contains(&77));
        let status = c::t_counter_announce(copy, Some(destroys), (&raw mut handle).cast());
        assert_eq!(status, Code::BadHandle as i32);
    }
}

#[test]
fn a_shared_object_may_be_destroyed_by_what_it_calls() {
    unsafe extern "C" fn destroys(context: *mut c_void) -> i32 {
        // SAFETY: the context below.
        unsafe { c::t_total_destroy(context.cast()) }
    }
    let mut handle = Handle::NONE;
    // SAFETY: as the header says.
    unsafe {
        assert_eq!(c::t_total_new(&raw mut handle), 0);
        let copy = handle;
        assert_eq!(c::t_total_call(copy, Some(destroys), (&raw mut handle).cast()), 0);
        assert_eq!(handle, Handle::NONE);
        assert_eq!(c::t_total_call(copy, Some(destroys), (&raw mut handle).cast()), Code::BadHandle as i32);
    }
}
