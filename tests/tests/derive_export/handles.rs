//! Objects behind handles.

use core::ptr;
use std::thread;

use wirecontract::{Code, Contract, Kind};

use super::c::{self, Handle, refused};
use super::library::{Counter, DROPPED, Total};

fn counter(count: u32) -> Handle {
    let mut handle = Handle::NONE;
    // SAFETY: as the header says.
    assert_eq!(unsafe { c::t_counter_open(count, &raw mut handle) }, 0);
    handle
}

fn total() -> Handle {
    let mut handle = Handle::NONE;
    // SAFETY: as the header says.
    assert_eq!(unsafe { c::t_total_new(&raw mut handle) }, 0);
    handle
}

/// The status of a call, and the count.
fn count(handle: Handle) -> (i32, u32) {
    let mut out = 0;
    // SAFETY: as the header says, whatever the handle is.
    let status = unsafe { c::t_counter_count(handle, &raw mut out) };
    (status, out)
}

#[test]
fn an_object_is_made_changed_looked_at_and_destroyed() {
    let (mut handle, mut out) = (counter(3), 0);
    // SAFETY: as the header says.
    unsafe {
        assert_eq!(c::t_counter_add(handle, 4, &raw mut out), 0);
        assert_eq!((out, count(handle)), (7, (0, 7)));
        assert_eq!(c::t_counter_destroy(&raw mut handle), 0);
        assert_eq!(handle, Handle::NONE);
        assert_eq!(c::t_counter_destroy(&raw mut handle), 0);
    }
    assert_eq!((Counter::KIND, Total::KIND), (Kind::Handle, Kind::Handle));
}

#[test]
fn an_object_that_was_not_made_is_no_handle() {
    let mut handle = Handle { id: 5 };
    // SAFETY: as the header says.
    let status = unsafe { c::t_counter_open(101, &raw mut handle) };
    refused(status, Code::TooLarge, "t_counter_open", "", "the counter is full");
    assert_eq!(handle, Handle::NONE);
}

#[test]
fn a_handle_that_is_none_or_another_types_or_destroyed_is_refused() {
    let (mut handle, other) = (counter(1), total());
    let copy = handle;
    // SAFETY: as the header says.
    unsafe { assert_eq!(c::t_counter_destroy(&raw mut handle), 0) };
    for (handle, found) in [
        (Handle::NONE, "none"),
        (other, "another"),
        (Handle { id: 0x1234 }, "another"),
        (copy, "one that was destroyed"),
    ] {
        let message = format!("expected a handle of Counter, found {found}");
        refused(count(handle).0, Code::BadHandle, "t_counter_count", "self", &message);
    }
}

#[test]
fn a_copy_is_not_destroyed_twice_and_null_is_no_place_for_a_handle() {
    let mut handle = counter(1);
    let mut copy = handle;
    // SAFETY: what is wrong is what is tested.
    unsafe {
        assert_eq!(c::t_counter_destroy(&raw mut handle), 0);
        let status = c::t_counter_destroy(&raw mut copy);
        let message = "expected a handle of Counter, found one that was destroyed";
        refused(status, Code::BadHandle, "t_counter_destroy", "handle", message);
        let status = c::t_counter_destroy(ptr::null_mut());
        let message = "`handle` is null, expected a handle of Counter";
        refused(status, Code::NullArgument, "t_counter_destroy", "handle", message);
    }
}

#[test]
fn what_is_taken_is_gone_and_its_handle_zero() {
    let (mut handle, mut out) = (counter(9), 0);
    let copy = handle;
    // SAFETY: as the header says.
    unsafe { assert_eq!(c::t_counter_close(&raw mut handle, &raw mut out), 0) };
    assert_eq!((out, handle), (9, Handle::NONE));
    assert_eq!(count(copy).0, Code::BadHandle as i32);
}

#[test]
fn what_would_be_taken_stays_when_another_argument_is_refused() {
    let (handle, mut other, mut out) = (counter(1), counter(2), 0);
    let copy = other;
    // SAFETY: what is wrong is what is tested.
    unsafe {
        let status = c::t_counter_merge(handle, &raw mut other, ptr::null(), &raw mut out);
        refused(
            status,
            Code::NullArgument,
            "t_counter_merge",
            "name",
            "`name` is null, expected text ended by NUL",
        );
        assert_eq!((other, count(other)), (copy, (0, 2)));
        assert_eq!(c::t_counter_merge(handle, &raw mut other, c"ab".as_ptr(), &raw mut out), 0);
    }
    assert_eq!((out, other, count(copy).0), (5, Handle::NONE, Code::BadHandle as i32));
}

#[test]
fn one_object_is_not_changed_and_taken_or_looked_at_in_one_call() {
    let (mut handle, mut out) = (counter(1), 0);
    let copy = handle;
    // SAFETY: as the header says.
    unsafe {
        let status = c::t_counter_merge(copy, &raw mut handle, c"".as_ptr(), &raw mut out);
        let message = "`other` is the same object as `self`, expected another: the call takes it";
        refused(status, Code::RuleViolated, "t_counter_merge", "other", message);
        assert_eq!(handle, copy);
        assert_eq!((c::t_counter_sum(copy, copy, &raw mut out), out), (0, 2));
    }
}

/// Makes an object that counts so much.
type Make = dyn Fn(u32) -> Handle;
/// Whether there is an object, and what it counts.
type Look = dyn Fn(Handle) -> (i32, u32);
/// A function that takes two objects and looks at a third.
type Mix = unsafe extern "C" fn(*mut Handle, *mut Handle, Handle, *mut u32) -> i32;

#[test]
fn of_several_objects_all_are_taken_or_none() {
    let totals = |plus| {
        let (handle, mut out) = (total(), 0);
        // SAFETY: as the header says.
        assert_eq!(unsafe { c::t_total_plus(handle, plus, &raw mut out) }, 0);
        handle
    };
    let look = |handle| {
        let mut out = 0;
        // SAFETY: as the header says.
        (unsafe { c::t_total_plus(handle, 0, &raw mut out) }, out)
    };
    let tables: [(Mix, &Make, &Look, &str); 2] = [
        (c::t_counter_mix, &counter, &count, "t_counter_mix"),
        (c::t_total_mix, &totals, &look, "t_total_mix"),
    ];
    for (mix, make, look, symbol) in tables {
        let made = [make(1), make(2), make(3)];
        for ([first, second, third], argument, other) in
            [([0, 0, 2], "more", "self"), ([0, 1, 0], "other", "self"), ([0, 1, 1], "other", "more")]
        {
            // Two places, as the places may not be one either.
            let (mut a, mut b, mut out) = (made[first], made[second], 7);
            // SAFETY: as the header says.
            let status = unsafe { mix(&raw mut a, &raw mut b, made[third], &raw mut out) };
            let message =
                format!("`{argument}` is the same object as `{other}`, expected another: the call takes it");
            refused(status, Code::RuleViolated, symbol, argument, &message);
            assert_eq!((a, b, out), (made[first], made[second], 0));
            assert_eq!(made.map(look), [(0, 1), (0, 2), (0, 3)]);
        }
        // One that was destroyed, behind two that are to be taken.
        let (mut a, mut b, mut out) = (made[0], made[1], 7);
        // SAFETY: as the header says.
        unsafe {
            let status = mix(&raw mut a, &raw mut b, Handle::NONE, &raw mut out);
            assert_eq!((status, a, b, out), (Code::BadHandle as i32, made[0], made[1], 0));
            assert_eq!(made.map(look), [(0, 1), (0, 2), (0, 3)]);
            assert_eq!((mix(&raw mut a, &raw mut b, made[2], &raw mut out), out), (0, 123));
        }
        assert_eq!((a, b), (Handle::NONE, Handle::NONE));
        assert_eq!(made.map(|handle| look(handle).0), [Code::BadHandle as i32, Code::BadHandle as i32, 0]);
    }
}

#[test]
fn a_panic_that_may_have_left_an_object_half_changed_poisons_it() {
    let (mut handle, mut out) = (counter(99), 8);
    // SAFETY: as the header says.
    unsafe {
        refused(
            c::t_counter_add(handle, 2, &raw mut out),
            Code::Panic,
            "t_counter_add",
            "",
            "panicked: too many",
        );
        assert_eq!(out, 0);
        let message = "an earlier call panicked while it changed this Counter: destroy it";
        refused(count(handle).0, Code::Panic, "t_counter_count", "self", message);
        let status = c::t_counter_close(&raw mut handle, &raw mut out);
        refused(status, Code::Panic, "t_counter_close", "self", message);
        assert_eq!(c::t_counter_destroy(&raw mut handle), 0);
    }
}

#[test]
fn an_exclusive_object_is_busy_for_other_threads_which_may_destroy_it() {
    let mut handle = counter(4);
    let copy = handle;
    let (status, destroyed) = thread::spawn(move || {
        let status = count(copy).0;
        let message = "this Counter belongs to the thread that made it: call it from there";
        refused(status, Code::Busy, "t_counter_count", "self", message);
        // SAFETY: as the header says.
        (status, unsafe { c::t_counter_destroy(&raw mut handle) })
    })
    .join()
    .unwrap();
    assert_eq!((status, destroyed), (Code::Busy as i32, 0));
    assert_eq!(count(copy).0, Code::BadHandle as i32);
}

#[test]
fn the_objects_of_a_thread_end_with_it() {
    let id = thread::spawn(|| counter(44)).join().unwrap();
    assert_eq!(count(id).0, Code::BadHandle as i32);
    assert!(DROPPED.lock().unwrap().contains(&44));
}

#[test]
fn a_shared_object_is_used_by_many_threads_and_ends_with_its_last_user() {
    let (mut handle, mut out) = (total(), 0);
    let copy = handle;
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(move || {
                for _ in 0..100 {
                    let mut out = 0;
                    // SAFETY: as the header says.
                    assert_eq!(unsafe { c::t_total_plus(copy, 1, &raw mut out) }, 0);
                }
            });
        }
    });
    // SAFETY: as the header says.
    unsafe {
        assert_eq!(c::t_total_finish(&raw mut handle, &raw mut out), 0);
        assert_eq!((out, handle), (800, Handle::NONE));
        let status = c::t_total_plus(copy, 1, &raw mut out);
        let message = "expected a handle of Total, found one that was destroyed";
        refused(status, Code::BadHandle, "t_total_plus", "self", message);
    }
}
