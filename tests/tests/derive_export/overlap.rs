//! Arguments that share memory: refused where one of them is written, and fine where all are read.

#![allow(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref,
    reason = "what is tested is how these cross"
)]

use core::ffi::c_char;
use core::ptr;

use wirecontract::{Code, wire_export};

use super::c::{self, Handle, Str, last_error, refused};
use super::library::{Counter, Order, Reading};

/// A function that reads in every way, and writes in one.
macro_rules! reading {
    ($($name:ident($($writes:ident: $writer:ty)?) $(-> $result:ty, $value:expr)?;)*) => { $(
        #[wire_export(prefix = "t")]
        fn $name(
            one: &u8,
            perhaps: Option<&u8>,
            some: &[u8],
            text: &str,
            title: Option<&str>,
            reading: &Reading,
            order: &Order,
            $($writes: $writer)?
        ) $(-> $result)? {
            let _ = (one, perhaps, some, text, title, reading, order);
            $(let _ = $writes;)?
            $($value)?
        }
    )* };
}

reading! {
    reads_and_changes_one(to: &mut u8);
    reads_and_perhaps_changes_one(to: Option<&mut u8>);
    reads_and_changes_some(to: &mut [u8]);
    reads_and_takes(to: Counter);
    reads_and_gives() -> u8, 7;
}

#[wire_export(prefix = "t")]
fn writes(one: &mut u64, perhaps: Option<&mut u64>, some: &mut [u64], taken: Counter) -> (u64, u64) {
    *one += 1;
    if let Some(perhaps) = perhaps {
        *perhaps += 1;
    }
    some.iter_mut().for_each(|item| *item += 1);
    (u64::from(taken.count), 9)
}

#[wire_export(prefix = "t")]
fn copies(from: &[u32], to: &mut [u32]) -> u32 {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    u32::try_from(from.len()).unwrap_or_default()
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what crosses as a pointer is asked here")]
#[wire_export(prefix = "t")]
fn compares(one: &u32, other: &u32, some: &[u32], text: &str, title: &str) -> bool {
    one == other && some.contains(one) && text == title
}

/// What the functions read.
#[repr(C)]
#[derive(Clone, Copy)]
struct Reads {
    one: *const u8,
    perhaps: *const u8,
    some: *const u8,
    text: *const c_char,
    title: *const c_char,
    reading: *const u8,
    order: *const u8,
}

macro_rules! declared {
    ($($name:ident($($writes:ident: $writer:ty),*);)*) => {
        unsafe extern "C" { $(
            fn $name(
                one: *const u8,
                perhaps: *const u8,
                some: *const u8,
                some_length: usize,
                text: *const c_char,
                title: *const c_char,
                reading: *const u8,
                order: Str,
                $($writes: $writer),*
            ) -> i32;
        )* }
    };
}

declared! {
    t_reads_and_changes_one(to: *mut u8);
    t_reads_and_perhaps_changes_one(to: *mut u8);
    t_reads_and_changes_some(to: *mut u8, to_length: usize);
    t_reads_and_takes(to: *mut Handle);
    t_reads_and_gives(out: *mut u8);
}

unsafe extern "C" {
    fn t_writes(
        one: *mut u64,
        perhaps: *mut u64,
        some: *mut u64,
        some_length: usize,
        taken: *mut Handle,
        out_1: *mut u64,
        out_2: *mut u64,
    ) -> i32;
    fn t_copies(from: *const u32, from_length: usize, to: *mut u32, to_length: usize, out: *mut u32) -> i32;
    fn t_compares(
        one: *const u32,
        other: *const u32,
        some: *const u32,
        some_length: usize,
        text: *const c_char,
        title: *const c_char,
        out: *mut u8,
    ) -> i32;
}

/// Calls the function that writes in the way of that number to where `to` is, with what it reads.
unsafe fn call(number: usize, reads: Reads, to: *mut u8) -> i32 {
    let Reads { one, perhaps, some, text, title, reading, order } = reads;
    let order = Str { data: order.cast(), length: 12 };
    // SAFETY: the caller's.
    unsafe {
        match number {
            0 => t_reads_and_changes_one(one, perhaps, some, 2, text, title, reading, order, to),
            1 => t_reads_and_perhaps_changes_one(one, perhaps, some, 2, text, title, reading, order, to),
            2 => t_reads_and_changes_some(one, perhaps, some, 2, text, title, reading, order, to, 4),
            3 => t_reads_and_takes(one, perhaps, some, 2, text, title, reading, order, to.cast()),
            _ => t_reads_and_gives(one, perhaps, some, 2, text, title, reading, order, to),
        }
    }
}

fn counter() -> Handle {
    let mut handle = Handle::NONE;
    // SAFETY: as the header says.
    assert_eq!(unsafe { c::t_counter_open(3, &raw mut handle) }, 0);
    handle
}

#[test]
fn what_is_written_is_read_by_no_other_argument() {
    let reads = Reads {
        one: &1,
        perhaps: &1,
        some: [1, 2].as_ptr(),
        text: c"text".as_ptr(),
        title: c"title".as_ptr(),
        reading: [2, 0, 0, 0, 255, 0, 0, 0].as_ptr(),
        order: br#"{"amount":7}"#.as_ptr(),
    };
    let arguments = ["one", "perhaps", "some", "text", "title", "reading", "order"];
    for number in 0..5 {
        let to = if number == 4 { "out" } else { "to" };
        let mut memory = [counter().id, 0, 0, 0];
        // SAFETY: as the header says.
        assert_eq!(unsafe { call(number, reads, memory.as_mut_ptr().cast()) }, 0);
        for (argument, name) in arguments.into_iter().enumerate() {
            let mut memory = [counter().id, 0, 0, 0];
            let before = memory;
            let at: *mut u8 = memory.as_mut_ptr().cast();
            let mut reads = reads;
            match argument {
                0 => reads.one = at,
                1 => reads.perhaps = at,
                2 => reads.some = at,
                3 => reads.text = at.cast(),
                4 => reads.title = at.cast(),
                5 => reads.reading = at,
                _ => reads.order = at,
            }
            // SAFETY: what is wrong is what is tested.
            let status = unsafe { call(number, reads, at) };
            let message =
                format!("`{to}` overlaps `{name}`, expected memory of its own: the call writes there");
            assert_eq!(status, Code::RuleViolated as i32, "{message}");
            let (_, _, _, laid_at, said) = last_error();
            assert_eq!((laid_at.as_str(), said.as_str()), (to, message.as_str()));
            assert_eq!(memory, before, "{message}");
        }
    }
}

#[test]
fn what_is_written_is_written_by_no_other_argument() {
    let names = ["one", "perhaps", "some", "taken", "out_1", "out_2"];
    for later in 1..6 {
        for earlier in 0..later {
            let mut memory = [1_u64, 1, 1, counter().id, 1, 1];
            let start = memory.as_mut_ptr();
            let mut at = [0, 1, 2, 3, 4, 5].map(|index| start.wrapping_add(index));
            at[later] = at[earlier];
            // SAFETY: what is wrong is what is tested.
            let status = unsafe { t_writes(at[0], at[1], at[2], 1, at[3].cast(), at[4], at[5]) };
            let message = format!(
                "`{}` overlaps `{}`, expected memory of its own: the call writes there",
                names[later], names[earlier]
            );
            refused(status, Code::RuleViolated, "t_writes", names[later], &message);
            assert_eq!(memory[..3], [1, 1, 1]);
            assert_ne!(memory[3], 0);
            // Results that share nothing are zero.
            for index in [4, 5] {
                assert_eq!(memory[index], u64::from(index == later || index == earlier));
            }
        }
    }
}

#[test]
fn ranges_overlap_by_one_byte_and_touch_by_none() {
    let mut memory = [5_u32, 6, 7, 8];
    let (at, mut out) = (memory.as_mut_ptr(), 1);
    // SAFETY: as the header says, but for what overlaps.
    unsafe {
        for (from, to) in [(0, 2), (2, 0)] {
            assert_eq!(t_copies(at.add(from), 2, at.add(to), 2, &raw mut out), 0);
            assert_eq!(out, 2);
        }
        for (from, to) in [(0, 1), (1, 0), (1, 1), (0, 0)] {
            let status = t_copies(at.add(from), 2, at.add(to), 2, &raw mut out);
            let message = "`to` overlaps `from`, expected memory of its own: the call writes there";
            refused(status, Code::RuleViolated, "t_copies", "to", message);
            assert_eq!(out, 0);
        }
        assert_eq!(t_copies(at.add(1), 2, at, 1, at.add(3)), 0);
        let status = t_copies(at.add(1), 2, at, 1, at.add(2));
        let message = "`out` overlaps `from`, expected memory of its own: the call writes there";
        refused(status, Code::RuleViolated, "t_copies", "out", message);
    }
    assert_eq!(memory, [6, 6, 5, 2]);
}

#[test]
fn the_nul_of_a_text_is_the_texts() {
    let mut text = *b"ab\0\0";
    let (at, mut reads) = (text.as_mut_ptr(), [1, 2, 0]);
    let readable = Reads {
        one: &1,
        perhaps: ptr::null(),
        some: reads.as_mut_ptr(),
        text: at.cast(),
        title: ptr::null(),
        reading: [2, 0, 0, 0, 255, 0, 0, 0].as_ptr(),
        order: br#"{"amount":7}"#.as_ptr(),
    };
    // SAFETY: as the header says, but for what overlaps.
    unsafe {
        let status = call(4, readable, at.add(2));
        assert_eq!((status, last_error().3.as_str()), (Code::RuleViolated as i32, "out"));
        assert_eq!(call(4, readable, at.add(3)), 0);
    }
    assert_eq!(text, *b"ab\0\x07");
}

#[test]
fn slices_of_no_items_stand_anywhere() {
    let mut memory = [5_u32, 6];
    let (at, mut out) = (memory.as_mut_ptr(), 1);
    // SAFETY: as the header says.
    unsafe {
        assert_eq!(t_copies(at, 0, at, 2, &raw mut out), 0);
        assert_eq!(t_copies(at, 2, at, 0, &raw mut out), 0);
        assert_eq!(t_copies(at.add(1), 0, at, 2, at.add(1)), Code::RuleViolated as i32);
        assert_eq!(t_copies(at.add(1), 0, at, 0, at.add(1)), 0);
        assert_eq!(t_copies(ptr::null(), 0, ptr::null_mut(), 0, &raw mut out), 0);
    }
    assert_eq!(memory, [5, 0]);
}

#[test]
fn memory_that_is_read_alone_is_read_by_any_number_of_arguments() {
    let (numbers, mut out) = ([4_u32, 5], 0);
    let (at, text) = (numbers.as_ptr(), c"text".as_ptr());
    // SAFETY: as the header says.
    unsafe { assert_eq!(t_compares(at, at, at, 2, text, text, &raw mut out), 0) };
    assert_eq!(out, 1);
}

#[test]
fn a_length_that_no_memory_has_overlaps_nothing_and_is_refused_as_that() {
    let (mut numbers, mut out) = ([4_u32, 5], 0);
    let at = numbers.as_mut_ptr();
    // SAFETY: what is wrong is what is tested.
    let status = unsafe { t_copies(at, usize::MAX, at.add(1), 1, &raw mut out) };
    assert_eq!((status, last_error().3.as_str()), (Code::LengthExceeds as i32, "from"));
}

#[test]
fn a_place_for_a_result_that_is_null_is_refused_before_what_overlaps() {
    let mut numbers = [4_u32, 5];
    let at = numbers.as_mut_ptr();
    // SAFETY: what is wrong is what is tested.
    let status = unsafe { t_copies(at, 2, at, 2, ptr::null_mut()) };
    refused(status, Code::NullArgument, "t_copies", "out", "`out` is null, expected a place for a result");
}
