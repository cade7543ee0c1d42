//! File descriptors that functions give: numbers, of which -1 is none. Whatever a call fails for, it leaves no other.
#![cfg(target_os = "linux")]
#![allow(
    clippy::trivially_copy_pass_by_ref,
    clippy::unused_self,
    reason = "what is tested is how these cross"
)]

use std::fs::{self, File};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::ptr;
use std::sync::Mutex;

use wirecontract::export::{FdPlace, LentFd};
use wirecontract::{Code, Failure, WireContract, wire_export};

use super::c::{Bytes, Handle, refused};

/// A text of a few bytes.
#[derive(WireContract, Clone, Debug)]
#[wire(recipe)]
pub struct Label {
    /// The text.
    #[wire(max_len = 3)]
    pub text: String,
}

/// A file.
#[derive(WireContract)]
#[wire(handle, shared, prefix = "t")]
pub struct Shelf(File);

fn null() -> OwnedFd {
    File::open("/dev/null").expect("it is there").into()
}

#[wire_export(prefix = "t")]
impl Shelf {
    pub fn new() -> Self {
        Shelf(null().into())
    }

    /// The file, which stays.
    pub fn fd(&self) -> LentFd {
        LentFd::of(&self.0)
    }

    /// Another one of it.
    pub fn take(&self, is_there: bool) -> Result<OwnedFd, Failure> {
        if is_there { Ok(null()) } else { Err(Failure::new(Code::Refused, "none is there")) }
    }

    /// One, and the length of a label that may be too long to be given.
    #[wire(out(number, fd, label))]
    pub fn labelled(&self, text: &str) -> (u32, OwnedFd, Label) {
        (7, null(), Label { text: text.to_owned() })
    }

    /// Fills places with some.
    pub fn fill(&self, fds: &mut [FdPlace], how_many: usize, refuses: bool) -> Result<usize, Failure> {
        if refuses {
            return Err(Failure::new(Code::Refused, "not now"));
        }
        fds.iter_mut().take(how_many).for_each(|place| place.give(null()));
        Ok(how_many)
    }
}

unsafe extern "C" {
    fn t_shelf_new(out: *mut Handle) -> i32;
    fn t_shelf_destroy(shelf: *mut Handle) -> i32;
    fn t_shelf_fd(shelf: Handle, out: *mut i32) -> i32;
    fn t_shelf_take(shelf: Handle, is_there: u8, out: *mut i32) -> i32;
    fn t_shelf_labelled(
        shelf: Handle,
        text: *const core::ffi::c_char,
        number: *mut u32,
        fd: *mut i32,
        label: *mut Bytes,
    ) -> i32;
    fn t_shelf_fill(
        shelf: Handle,
        fds: *mut i32,
        fds_length: usize,
        how_many: usize,
        refuses: u8,
        out: *mut usize,
    ) -> i32;
}

/// One test at a time: what is counted is the process's.
static COUNTED: Mutex<()> = Mutex::new(());

/// How many file descriptors are of `/dev/null`, as all are here.
fn nulls() -> usize {
    let entries = fs::read_dir("/proc/self/fd").expect("proc is mounted").filter_map(Result::ok);
    entries.filter(|entry| fs::read_link(entry.path()).is_ok_and(|to| to.as_os_str() == "/dev/null")).count()
}

/// Runs a test with a shelf, and counts what is open.
fn with_shelf(test: impl FnOnce(Handle)) {
    let _counted = COUNTED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let before = nulls();
    let mut shelf = Handle::NONE;
    // SAFETY: places for handles.
    unsafe {
        assert_eq!(t_shelf_new(&raw mut shelf), 0);
        test(shelf);
        assert_eq!(t_shelf_destroy(&raw mut shelf), 0);
    }
    assert_eq!(nulls(), before, "what is open behind it");
}

#[test]
fn one_that_is_given_is_the_callers_and_one_that_is_lent_is_not() {
    with_shelf(|shelf| {
        let (mut given, mut lent) = (-7, -7);
        // SAFETY: places for results, and a file descriptor that was given.
        unsafe {
            assert_eq!(t_shelf_take(shelf, 1, &raw mut given), 0);
            assert_eq!(t_shelf_fd(shelf, &raw mut lent), 0);
            assert!(given > 2 && lent > 2 && given != lent);
            drop(OwnedFd::from_raw_fd(given));
            assert!(fs::read_link(format!("/proc/self/fd/{lent}")).is_ok());
        }
    });
}

#[test]
fn a_call_that_fails_gives_minus_one_whatever_for() {
    with_shelf(|shelf| {
        let mut fd = 77;
        // SAFETY: places for results.
        unsafe {
            let status = t_shelf_take(shelf, 0, &raw mut fd);
            refused(status, Code::Refused, "t_shelf_take", "", "none is there");
            assert_eq!(fd, -1);
            fd = 77;
            assert_eq!(t_shelf_take(shelf, 9, &raw mut fd), Code::UnknownValue as i32);
            assert_eq!(fd, -1);
            fd = 77;
            assert_eq!(t_shelf_fd(Handle::NONE, &raw mut fd), Code::BadHandle as i32);
            assert_eq!(fd, -1);
            // Where a result cannot stand it is none too.
            let mut places = [0x55_u8; 12];
            let askew = places.as_mut_ptr().wrapping_add(1 + (4 - places.as_ptr().addr() % 4) % 4);
            assert_eq!(t_shelf_fd(shelf, askew.cast()), Code::WrongType as i32);
            assert_eq!(ptr::read_unaligned(askew.cast::<i32>()), -1);
        }
    });
}

#[test]
fn one_that_was_made_is_closed_where_another_result_cannot_be_given() {
    with_shelf(|shelf| {
        let (mut number, mut fd, mut label) = (9, 77, Bytes::NONE);
        // SAFETY: places for results.
        unsafe {
            let status =
                t_shelf_labelled(shelf, c"abc".as_ptr(), &raw mut number, &raw mut fd, &raw mut label);
            assert_eq!((status, number), (0, 7));
            assert_eq!(label.take(), b"{\"text\":\"abc\"}");
            drop(OwnedFd::from_raw_fd(fd));

            label = Bytes::NONE;
            let status =
                t_shelf_labelled(shelf, c"abcd".as_ptr(), &raw mut number, &raw mut fd, &raw mut label);
            assert_eq!((status, number, fd, label.id), (Code::TooLarge as i32, 0, -1, 0));

            // Two results in one place: that is nobody's, and the third one is none.
            let mut place = 5_u32;
            fd = 77;
            let at = &raw mut place;
            let status = t_shelf_labelled(shelf, c"abc".as_ptr(), at, &raw mut fd, at.cast());
            assert_ne!(status, 0);
            assert_eq!((place, fd), (5, -1));
        }
    });
}

#[test]
fn places_are_none_before_anything_else() {
    with_shelf(|shelf| {
        let (mut fds, mut count) = ([5, 6, 7], 9);
        let at = fds.as_mut_ptr();
        // SAFETY: so many places.
        unsafe {
            assert_eq!(t_shelf_fill(Handle::NONE, at, 2, 1, 0, &raw mut count), Code::BadHandle as i32);
            assert_eq!((fds, count), ([-1, -1, 7], 0));
            fds = [5, 6, 7];
            assert_eq!(t_shelf_fill(shelf, at, 3, 1, 1, &raw mut count), Code::Refused as i32);
            assert_eq!((fds, count), ([-1; 3], 0));
            fds = [5, 6, 7];
            assert_eq!(t_shelf_fill(shelf, at, 3, 1, 0, ptr::null_mut()), Code::NullArgument as i32);
            assert_eq!(fds, [-1; 3]);
            assert_eq!(
                t_shelf_fill(shelf, ptr::null_mut(), 3, 1, 0, &raw mut count),
                Code::NullArgument as i32
            );
            assert_eq!(t_shelf_fill(shelf, at, usize::MAX, 1, 0, &raw mut count), Code::LengthExceeds as i32);
            fds = [5, 6, 7];
            assert_eq!(t_shelf_fill(shelf, at, 3, 2, 0, &raw mut count), 0);
            assert!(fds[0] > 2 && fds[1] > 2 && fds[2] == -1 && count == 2, "{fds:?}");
            fds[..2].iter().for_each(|fd| drop(OwnedFd::from_raw_fd(*fd)));
        }
    });
}

#[test]
fn a_lent_one_is_that_of_its_owner() {
    let file = File::open("/dev/null").expect("it is there");
    assert_eq!(format!("{:?}", LentFd::of(&file)), format!("LentFd({})", file.as_raw_fd()));
}
