//! What C passes and Rust never sees: each with its status, its argument, and results that are zero.

use core::ptr;

use wirecontract::Code;

use super::c::{self, Bytes, Handle, Str, refused};
use super::library::{Area, DROPPED};

#[test]
fn null_is_refused_where_something_must_be() {
    let (mut mean, mut out, mut area) = (1.0, Bytes { length: 5, ..Bytes::NONE }, Area { x: 0.0, y: 0 });
    // SAFETY: what is wrong is what is tested.
    unsafe {
        let status = c::t_mean(ptr::null(), 4, &raw mut mean);
        refused(status, Code::NullArgument, "t_mean", "samples", "`samples` is null, expected 4 items");
        assert_eq!(mean.to_bits(), 0);
        let status = c::t_greet(ptr::null(), ptr::null(), &raw mut out);
        refused(status, Code::NullArgument, "t_greet", "name", "`name` is null, expected text ended by NUL");
        assert_eq!(out.length, 0);
        let mut other = area;
        let status =
            c::t_areas(area, ptr::null(), ptr::null(), &raw mut area, ptr::null_mut(), &raw mut other);
        refused(status, Code::NullArgument, "t_areas", "at", "`at` is null, expected a pointer");
        let status = c::t_read(ptr::null(), [0; 8].as_mut_ptr());
        refused(
            status,
            Code::NullArgument,
            "t_read",
            "reading",
            "`reading` is null, expected 8 bytes of Reading",
        );
        let status = c::t_order(Str { data: ptr::null(), length: 3 }, &raw mut out);
        refused(status, Code::NullArgument, "t_order", "order", "`order` is null, expected 3 items");
    }
}

#[test]
fn a_place_for_a_result_is_asked_for_before_anything_else_and_the_others_are_zeroed() {
    let mut product = 3.0;
    // SAFETY: what is wrong is what is tested.
    unsafe {
        let status = c::t_numbers(0, 0, 0, 9, ptr::null_mut(), &raw mut product, ptr::null_mut());
        refused(
            status,
            Code::NullArgument,
            "t_numbers",
            "sum",
            "`sum` is null, expected a place for a result",
        );
        assert_eq!(product.to_bits(), 0);
        let status = c::t_mean(ptr::null(), 4, ptr::null_mut());
        refused(status, Code::NullArgument, "t_mean", "out", "`out` is null, expected a place for a result");
    }
}

#[test]
fn a_pointer_at_which_no_such_value_can_stand_is_refused() {
    let (samples, mut places) = ([0.0_f32; 4], [7.0_f64; 2]);
    // SAFETY: what is wrong is what is tested; what is zeroed is inside of `places`.
    unsafe {
        let odd = samples.as_ptr().byte_add(1);
        let status = c::t_mean(odd, 2, places.as_mut_ptr().cast());
        let message = format!("`samples` is at {odd:p}, expected a pointer aligned to 4");
        refused(status, Code::WrongType, "t_mean", "samples", &message);
        let odd = places.as_mut_ptr().cast::<f32>().byte_add(2);
        let status = c::t_mean(samples.as_ptr(), 2, odd);
        let message = format!("`out` is at {odd:p}, expected a pointer aligned to 4");
        refused(status, Code::WrongType, "t_mean", "out", &message);
    }
}

#[test]
fn a_length_that_no_memory_has_is_refused() {
    let (samples, mut out) = ([0.0], 0.0);
    // On 32 bits the end of what a pointer counts may be nearer.
    let most = isize::MAX.unsigned_abs().min(usize::MAX - samples.as_ptr().addr()) / 4;
    // SAFETY: what is wrong is what is tested.
    unsafe {
        for length in [most + 1, usize::MAX] {
            let status = c::t_mean(samples.as_ptr(), length, &raw mut out);
            let message = format!("`samples` has {length} items, expected at most {most}");
            refused(status, Code::LengthExceeds, "t_mean", "samples", &message);
        }
        // No memory reaches the last number of a pointer, nor over it.
        for (before_end, length) in [(8, 2), (8, 3), (4, 1), (64, 16)] {
            let samples = ptr::without_provenance(usize::MAX - (before_end - 1));
            let status = c::t_mean(samples, length, &raw mut out);
            let message = format!("`samples` has {length} items, expected at most {}", before_end / 4 - 1);
            refused(status, Code::LengthExceeds, "t_mean", "samples", &message);
        }
    }
}

#[test]
fn text_that_is_not_utf_8_is_refused_where_it_stops_being_it() {
    let mut out = Bytes::NONE;
    // SAFETY: what is wrong is what is tested.
    unsafe {
        let status = c::t_greet(c"abc\xff".as_ptr(), ptr::null(), &raw mut out);
        refused(status, Code::BadUtf8, "t_greet", "name", "`name` is not UTF-8: invalid byte at 3");
        let status = c::t_greet(c"abc".as_ptr(), c"\xc3".as_ptr(), &raw mut out);
        refused(status, Code::BadUtf8, "t_greet", "title", "`title` is not UTF-8: invalid byte at 0");
    }
}

#[test]
fn numbers_without_a_name_are_refused_and_open_ones_are_not() {
    let (mut next, mut open, mut defects) = (1, 1, 1);
    // SAFETY: what is wrong is what is tested.
    unsafe {
        let status = c::t_modes(3, 3, 0, &raw mut next, &raw mut open, &raw mut defects);
        refused(status, Code::UnknownValue, "t_modes", "mode", "`mode` is 3, expected a value of Mode");
        assert_eq!((next, open, defects), (0, 0, 0));
        let status = c::t_modes(1, 3, 10, &raw mut next, &raw mut open, &raw mut defects);
        let message = "`defects` has bits 0xa, expected bits within 0x5";
        refused(status, Code::UnknownBits, "t_modes", "defects", message);
    }
}

#[test]
fn a_bool_is_zero_or_one_wherever_it_stands() {
    let (truth, mut out, mut sum, mut product, mut even) = (2, 0, 0, 0.0, 0);
    // SAFETY: what is wrong is what is tested.
    unsafe {
        let status = c::t_truths(&raw const truth, ptr::null(), 0, &raw mut out);
        refused(status, Code::UnknownValue, "t_truths", "truth", "`truth` is 2, expected 0 or 1");
        let status = c::t_numbers(0, 0, 0, 255, &raw mut sum, &raw mut product, &raw mut even);
        refused(status, Code::UnknownValue, "t_numbers", "d", "`d` is 255, expected 0 or 1");
        let status = c::t_truths(&raw const truth, [1, 2].as_ptr(), 2, &raw mut out);
        refused(status, Code::UnknownValue, "t_truths", "truth", "`truth` is 2, expected 0 or 1");
        let status = c::t_truths(&1, [1, 2].as_ptr(), 2, &raw mut out);
        let message = "`defects[1]` has bits 0x2, expected bits within 0x5";
        refused(status, Code::UnknownBits, "t_truths", "defects", message);
    }
}

#[test]
fn a_contract_that_is_refused_says_its_own_fault() {
    let (mut bytes, mut out) = ([9; 8], Bytes::NONE);
    // SAFETY: what is wrong is what is tested.
    unsafe {
        let status = c::t_read([1, 0, 3, 0, 0, 0, 0, 0].as_ptr(), bytes.as_mut_ptr());
        let message = "Reading.reserved at byte 1: reserved_not_zero: expected zero, found 3";
        refused(status, Code::ReservedNotZero, "t_read", "reading", message);
        assert_eq!(bytes, [0; 8]);
        let status = c::t_order(Str::of("{}"), &raw mut out);
        let message = "Order.amount at byte 0: missing_key: expected the key `amount`";
        refused(status, Code::MissingKey, "t_order", "order", message);
        let status = c::t_order(Str { data: ptr::null(), length: 0 }, &raw mut out);
        assert_eq!(status, Code::NotJson as i32);
    }
}

#[test]
fn a_result_that_cannot_be_written_names_itself_and_the_others_are_taken_back() {
    let mut out = Bytes::NONE;
    // SAFETY: what is wrong is what is tested.
    unsafe {
        let status = c::t_order(Str::of(r#"{"amount":51}"#), &raw mut out);
        let message = "Order.amount at byte 0: out_of_range: expected an integer from 0 to 100, found 102";
        refused(status, Code::OutOfRange, "t_order", "out", message);
        assert_eq!((out.data, out.length, out.id), (ptr::null(), 0, 0));
        let (mut handle, mut text) = (Handle::NONE, Bytes::NONE);
        let status = c::t_almost(&raw mut handle, &raw mut text, &raw mut out);
        assert_eq!((status, handle, text.id), (Code::OutOfRange as i32, Handle::NONE, 0));
        assert_eq!(c::last_error().3, "out_3");
        assert!(DROPPED.lock().unwrap().contains(&55));
    }
}

#[test]
fn a_panic_ends_where_it_is_and_its_message_is_told() {
    let mut out = 7;
    // SAFETY: as the header says.
    unsafe {
        refused(c::t_panics(1, &raw mut out), Code::Panic, "t_panics", "", "panicked: it is over");
        assert_eq!(out, 0);
        refused(c::t_panics(0, &raw mut out), Code::Panic, "t_panics", "", "panicked");
    }
}

#[test]
fn the_functions_of_every_library_refuse_null_too() {
    // SAFETY: what is wrong is what is tested.
    unsafe {
        let status = c::t_last_error(ptr::null_mut());
        refused(
            status,
            Code::NullArgument,
            "t_last_error",
            "out",
            "`out` is null, expected a place for a failure",
        );
        let status = c::t_bytes_free(ptr::null_mut());
        let message = "`bytes` is null, expected bytes that a function gave";
        refused(status, Code::NullArgument, "t_bytes_free", "bytes", message);
    }
}

#[test]
fn bytes_are_freed_once() {
    let mut out = Bytes::NONE;
    // SAFETY: as the header says, but for the copy that is freed again.
    unsafe {
        assert_eq!(c::t_blob(3, &raw mut out), 0);
        let mut copy = out;
        assert_eq!(c::t_bytes_free(&raw mut out), 0);
        assert_eq!((out.data, out.length, out.id), (ptr::null(), 0, 0));
        assert_eq!(c::t_bytes_free(&raw mut out), 0);
        assert_eq!(c::t_bytes_free(&raw mut copy), Code::BadHandle as i32);
        assert_eq!(c::last_error().3, "bytes");
    }
}
