//! Bools inside abi structs: C writes any byte there, and Rust reads two.

#![allow(
    clippy::needless_pass_by_value,
    clippy::trivially_copy_pass_by_ref,
    reason = "what is tested is how these cross"
)]

use wirecontract::{Code, WireContract, wire_export};

use super::c::refused;

/// What is said of a sample.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct Marks {
    /// How often.
    pub count: u16,
    /// Whether it is there.
    pub is_there: bool,
    /// Whether it is right, by three ways to look.
    pub is_right: [[bool; 3]; 1],
}

/// A name that hides what it is.
type Truth = bool;

/// A sample with its neighbours.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct Marked {
    /// Its value.
    pub value: f64,
    /// Whether it is the last.
    pub is_last: Truth,
    /// What is said of both sides.
    pub marks: [Marks; 2],
    /// Whether more is said elsewhere: what is behind a pointer, nobody looks at.
    pub more: *const bool,
}

#[wire_export(prefix = "t")]
fn marked_value(marked: Marked) -> bool {
    marked.is_last
}

#[wire_export(prefix = "t")]
fn marked_reference(marked: &Marked) -> bool {
    marked.is_last
}

#[wire_export(prefix = "t")]
fn marked_optional(marked: Option<&mut Marked>) -> bool {
    marked.is_some_and(|marked| marked.is_last)
}

#[wire_export(prefix = "t")]
fn marked_change(marked: &mut Marked) -> bool {
    marked.is_last
}

#[wire_export(prefix = "t")]
fn marked_slice(marked: &[Marked]) -> bool {
    marked.iter().all(|marked| marked.is_last)
}

#[wire_export(prefix = "t")]
fn marked_slice_change(marked: &mut [Marked]) -> bool {
    marked.iter().all(|marked| marked.is_last)
}

/// The same structs where any byte is a value, as C has them.
#[repr(C)]
#[derive(Clone, Copy)]
struct MarksOfC {
    count: u16,
    is_there: u8,
    is_right: [u8; 3],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct MarkedOfC {
    value: f64,
    is_last: u8,
    marks: [MarksOfC; 2],
    more: *const u8,
}

unsafe extern "C" {
    fn t_marked_value(marked: MarkedOfC, out: *mut u8) -> i32;
    fn t_marked_reference(marked: *const MarkedOfC, out: *mut u8) -> i32;
    fn t_marked_optional(marked: *mut MarkedOfC, out: *mut u8) -> i32;
    fn t_marked_change(marked: *mut MarkedOfC, out: *mut u8) -> i32;
    fn t_marked_slice(marked: *const MarkedOfC, marked_length: usize, out: *mut u8) -> i32;
    fn t_marked_slice_change(marked: *mut MarkedOfC, marked_length: usize, out: *mut u8) -> i32;
}

fn whole() -> MarkedOfC {
    let marks = MarksOfC { count: 700, is_there: 1, is_right: [0, 1, 0] };
    MarkedOfC { value: f64::NAN, is_last: 1, marks: [marks; 2], more: &7 }
}

/// Calls each function with the struct, of slices as the second item, and hands on its status and its symbol.
fn call_each(mut marked: MarkedOfC, mut called: impl FnMut(i32, &str)) {
    let (mut both, mut out) = ([whole(), marked], 0);
    let (at, first, out) = (&raw mut marked, both.as_mut_ptr(), &raw mut out);
    // SAFETY: as the header says, but for what is tested.
    unsafe {
        called(t_marked_value(*at, out), "t_marked_value");
        called(t_marked_reference(at, out), "t_marked_reference");
        called(t_marked_optional(at, out), "t_marked_optional");
        called(t_marked_change(at, out), "t_marked_change");
        called(t_marked_slice(first, 2, out), "t_marked_slice");
        called(t_marked_slice_change(first, 2, out), "t_marked_slice_change");
    }
}

#[test]
fn a_struct_whose_bools_are_bools_crosses_whatever_else_is_in_it() {
    let mut calls = 0;
    call_each(whole(), |status, symbol| {
        assert_eq!(status, 0, "{symbol}");
        calls += 1;
    });
    assert_eq!(calls, 6);
}

#[test]
fn a_struct_with_another_byte_in_a_bool_is_refused_and_names_the_field() {
    let mut wrong = [whole(); 4];
    wrong[0].is_last = 2;
    wrong[1].marks[0].is_there = 255;
    wrong[2].marks[1].is_right[0] = 3;
    wrong[3].marks[1].is_right[2] = 128;
    for (wrong, (byte, field)) in
        wrong.into_iter().zip([(2, "is_last"), (255, "is_there"), (3, "is_right"), (128, "is_right")])
    {
        call_each(wrong, |status, symbol| {
            // Of a slice, which one it is.
            let item = if symbol.contains("_slice") { "[1]" } else { "" };
            let message = format!("`marked{item}` has {byte} in `{field}`, expected 0 or 1");
            refused(status, Code::UnknownValue, symbol, "marked", &message);
        });
    }
}
