//! What goes in and what comes out.

use core::ffi::c_long;
use core::ptr;

use wirecontract::{Code, Contract};

use super::c::{self, Bytes, Str, last_error, refused};
use super::library::{Area, Counter};

#[test]
fn slices_cross_with_their_length() {
    let mut samples = [1.0, 2.0, 6.0];
    let mut mean = 0.0;
    // SAFETY: as the header says.
    unsafe {
        assert_eq!(c::t_mean(samples.as_ptr(), 3, &raw mut mean), 0);
        assert_eq!(c::t_scale(samples.as_mut_ptr(), 2, 0.5), 0);
        assert_eq!(c::t_scale(ptr::null_mut(), 0, 0.5), 0);
    }
    assert!((mean - 3.0).abs() < f32::EPSILON);
    assert_eq!(samples.map(f32::to_bits), [0.5, 1.0, 6.0].map(f32::to_bits));
}

#[test]
fn numbers_cross_behind_whatever_name() {
    let (mut sum, mut product, mut is_even) = (0, 0.0, 7);
    // SAFETY: as the header says.
    let status = unsafe { c::t_numbers(3, -4, 10, 1, &raw mut sum, &raw mut product, &raw mut is_even) };
    assert_eq!((status, sum, is_even), (0, 10, 1));
    assert!((product + 12.0).abs() < f64::EPSILON);
}

#[test]
fn the_types_of_c_cross_in_slices_and_as_results() {
    let (some, mut changed, mut sum, mut count) = ([-1, c_long::MAX], [c_long::MAX, 0], 7, 7);
    // SAFETY: as the header says.
    let status =
        unsafe { c::t_longs(some.as_ptr(), 2, &-2, changed.as_mut_ptr(), 2, &raw mut sum, &raw mut count) };
    assert_eq!((status, sum, count), (0, c_long::MAX - 3, 2));
    assert_eq!(changed, [c_long::MAX - 1, -1]);
}

#[test]
fn an_alias_of_result_fails_with_its_own_error() {
    let mut out = 7;
    // SAFETY: as the header says.
    unsafe {
        assert_eq!((c::t_file(10, &raw mut out), out), (0, 10));
        refused(c::t_file(11, &raw mut out), Code::Timeout, "t_file", "", "timed out");
    }
    assert_eq!(out, 0);
}

#[test]
fn enumerations_and_flags_cross_as_their_numbers() {
    let (mut next, mut open, mut defects) = (0, 0, 0);
    // SAFETY: as the header says.
    let status = unsafe { c::t_modes(1, 200, 1, &raw mut next, &raw mut open, &raw mut defects) };
    assert_eq!((status, next, open, defects), (0, 2, 200, 5));
}

#[test]
fn structs_cross_by_value_and_by_pointer() {
    let (area, mut changed, mut more) = (Area { x: 1.0, y: 9 }, Area { x: 2.0, y: 0 }, Area { x: 0.0, y: 6 });
    let mut out = Area { x: 0.0, y: 0 };
    // SAFETY: as the header says.
    let status = unsafe {
        c::t_areas(area, &raw const area, &raw const area, &raw mut changed, &raw mut more, &raw mut out)
    };
    assert_eq!((status, out), (0, Area { x: 3.0, y: 9 }));
    assert_eq!((changed, more), (Area { x: 3.0, y: 0 }, Area { x: 0.0, y: 7 }));
    // SAFETY: as the header says, which lets two of them be null.
    let status = unsafe {
        c::t_areas(area, &raw const area, ptr::null(), &raw mut changed, ptr::null_mut(), &raw mut out)
    };
    assert_eq!((status, out), (0, Area { x: 2.0, y: 9 }));
}

#[test]
fn bools_and_flags_cross_by_pointer() {
    let (truth, defects, mut out) = (1, [1, 4], 0);
    // SAFETY: as the header says.
    assert_eq!(unsafe { c::t_truths(&raw const truth, defects.as_ptr(), 2, &raw mut out) }, 0);
    assert_eq!(out, 5);
}

#[test]
fn text_crosses_ended_by_nul_and_comes_back_to_be_freed() {
    for (title, greeting) in [(ptr::null(), "Hello Ada"), (c"Dr".as_ptr(), "Hello Dr Ada")] {
        let mut out = Bytes::NONE;
        // SAFETY: as the header says.
        assert_eq!(unsafe { c::t_greet(c"Ada".as_ptr(), title, &raw mut out) }, 0);
        assert_eq!(out.take(), greeting.as_bytes());
    }
}

#[test]
fn bytes_come_back_to_be_freed_also_where_there_are_none() {
    for length in [0, 1, 1000] {
        let mut out = Bytes::NONE;
        // SAFETY: as the header says.
        assert_eq!(unsafe { c::t_blob(length, &raw mut out) }, 0);
        let bytes = out.take();
        assert_eq!(bytes.len(), length as usize);
        assert_eq!(bytes.last().copied(), length.checked_sub(1).map(|last| (last % 251).try_into().unwrap()));
    }
}

#[test]
fn a_descriptor_crosses_as_its_bytes() {
    let mut out = [9; 8];
    // SAFETY: as the header says.
    assert_eq!(unsafe { c::t_read([2, 0, 0, 0, 255, 0, 0, 0].as_ptr(), out.as_mut_ptr()) }, 0);
    assert_eq!(out, [2, 0, 0, 0, 0, 1, 0, 0]);
}

#[test]
fn a_recipe_crosses_as_its_json() {
    let mut out = Bytes::NONE;
    // SAFETY: as the header says.
    assert_eq!(unsafe { c::t_order(Str::of(r#"{"name":"lens", "amount":7}"#), &raw mut out) }, 0);
    assert_eq!(out.take(), br#"{"amount":14,"name":"lens"}"#);
}

#[test]
fn pointers_and_functions_cross_as_they_are() {
    unsafe extern "C" fn double(number: u32) -> u32 {
        number * 2
    }
    let (number, mut out, mut context) = (21, 0, ptr::null_mut());
    let at = (&raw const number).cast_mut().cast();
    // SAFETY: as the header says.
    unsafe {
        assert_eq!(c::t_peek(&raw const number, at, Some(double), &raw mut out, &raw mut context), 0);
        assert_eq!((out, context), (42, at));
        assert_eq!(c::t_peek(ptr::null(), at, None, &raw mut out, &raw mut context), 0);
    }
    assert_eq!(out, 0);
}

#[test]
fn a_function_of_nothing_gives_its_status() {
    // SAFETY: as the header says.
    assert_eq!(unsafe { c::t_nothing() }, 0);
}

#[test]
fn a_call_that_succeeds_leaves_the_last_error_alone() {
    let mut out = 0.0;
    assert_eq!(last_error(), (0, 0, String::new(), String::new(), String::new()));
    // SAFETY: as the header says.
    unsafe {
        assert_eq!(c::t_mean(ptr::null(), 0, &raw mut out), 20);
        assert_eq!(c::t_nothing(), 0);
    }
    let message = "no samples".to_owned();
    assert_eq!(last_error(), (20, -7, "t_mean".to_owned(), String::new(), message));
}

#[test]
fn beside_each_function_stands_the_id_that_a_caller_compares() {
    // SAFETY: constants.
    unsafe {
        assert_eq!(c::t_counter_destroy_wire_id, Counter::WIRE_ID);
        assert_eq!(c::t_last_error_wire_id, c::t_bytes_free_wire_id);
        assert!(c::t_mean_wire_id != 0 && c::t_last_error_wire_id != 0);
    }
}
