//! Objects whose end goes wrong.

use std::sync::atomic::{AtomicU32, Ordering};

use wirecontract::{Code, WireContract, wire_export};

use super::c::{Handle, refused};

static ENDED: AtomicU32 = AtomicU32::new(0);

/// What does not end in peace, of one thread.
#[derive(WireContract)]
#[wire(handle, exclusive, prefix = "t")]
pub struct Grudge(String);

/// The same, of all threads.
#[derive(WireContract)]
#[wire(handle, shared, prefix = "t")]
pub struct Feud(Grudge);

impl Drop for Grudge {
    fn drop(&mut self) {
        ENDED.fetch_add(1, Ordering::Relaxed);
        assert!(self.0.is_empty(), "not {}", self.0);
    }
}

#[wire_export(prefix = "t")]
impl Grudge {
    pub fn new(why: &str) -> Self {
        Grudge(why.to_owned())
    }

    pub fn length(&self) -> u64 {
        self.0.len() as u64
    }
}

#[wire_export(prefix = "t")]
impl Feud {
    pub fn new(why: &str) -> Self {
        Feud(Grudge::new(why))
    }

    pub fn length(&self) -> u64 {
        self.0.length()
    }
}

type Make = unsafe extern "C" fn(why: *const core::ffi::c_char, out: *mut Handle) -> i32;
type Length = unsafe extern "C" fn(of: Handle, out: *mut u64) -> i32;
type Destroy = unsafe extern "C" fn(handle: *mut Handle) -> i32;

unsafe extern "C" {
    fn t_grudge_new(why: *const core::ffi::c_char, out: *mut Handle) -> i32;
    fn t_grudge_length(grudge: Handle, out: *mut u64) -> i32;
    fn t_grudge_destroy(grudge: *mut Handle) -> i32;
    fn t_feud_new(why: *const core::ffi::c_char, out: *mut Handle) -> i32;
    fn t_feud_length(feud: Handle, out: *mut u64) -> i32;
    fn t_feud_destroy(feud: *mut Handle) -> i32;
}

#[test]
fn an_object_that_panics_as_it_is_destroyed_is_gone_and_others_are_not() {
    let grudges: (Make, Length, Destroy) = (t_grudge_new, t_grudge_length, t_grudge_destroy);
    let feuds: (Make, Length, Destroy) = (t_feud_new, t_feud_length, t_feud_destroy);
    for ((make, length, destroy), symbol, name) in
        [(grudges, "t_grudge_destroy", "Grudge"), (feuds, "t_feud_destroy", "Feud")]
    {
        let (mut bad, mut good, mut out) = (Handle::NONE, Handle::NONE, 9);
        // SAFETY: as the header says.
        unsafe {
            assert_eq!(make(c"over".as_ptr(), &raw mut bad), 0);
            assert_eq!(make(c"".as_ptr(), &raw mut good), 0);
            let mut copy = bad;
            let ended = ENDED.load(Ordering::Relaxed);
            refused(destroy(&raw mut bad), Code::Panic, symbol, "", "panicked: not over");
            assert_eq!((ENDED.load(Ordering::Relaxed), bad), (ended + 1, Handle::NONE));
            let message = format!("expected a handle of {name}, found one that was destroyed");
            refused(destroy(&raw mut copy), Code::BadHandle, symbol, "handle", &message);
            assert_eq!(length(copy, &raw mut out), Code::BadHandle as i32);
            assert_eq!((length(good, &raw mut out), out), (0, 0));
            assert_eq!(make(c"".as_ptr(), &raw mut bad), 0);
            assert_eq!((length(bad, &raw mut out), destroy(&raw mut bad)), (0, 0));
            assert_eq!((destroy(&raw mut good), good), (0, Handle::NONE));
        }
    }
}
