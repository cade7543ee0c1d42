//! Bytes that a call returns and that the caller frees.

use core::ptr;
use std::vec::Vec;

use super::{Failure, HandleFault, SharedTable, tag};
use crate::Code;

/// All bytes that are out, so that what is freed twice, or was never given, is found.
static OUT: SharedTable<Vec<u8>> = SharedTable::new(tag("", "bytes"));

/// Bytes as C has them, with a NUL behind them that `length` does not count. Whoever has them frees them once.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct COwnedBytes {
    /// The first byte; null when there are none to be freed.
    pub data: *const u8,
    /// How many.
    pub length: usize,
    /// The handle by which they are freed; 0 when there are none.
    pub id: u64,
}

impl COwnedBytes {
    /// No bytes, which need not be freed and may be.
    pub const NONE: COwnedBytes = COwnedBytes { data: ptr::null(), length: 0, id: 0 };
}

/// Gives bytes to the caller.
pub fn give(mut bytes: Vec<u8>) -> Result<COwnedBytes, Failure> {
    let length = bytes.len();
    bytes.reserve_exact(1);
    bytes.push(0);
    // What a vector points at stays where it is when the vector is moved.
    let data = bytes.as_ptr();
    let full = |_| Failure::new(Code::TooMany, "too many bytes are out that nobody freed: free some");
    let id = OUT.insert(bytes).map_err(full)?;
    Ok(COwnedBytes { data, length, id })
}

/// Frees bytes that [`give`] gave, on any thread, and zeroes what said where they are; does nothing for those that were
/// zeroed so. A copy of what was freed is refused and left as it is, as are another library's bytes.
///
/// # Safety
/// `bytes` is null, or valid for reading and writing and aligned.
pub unsafe fn free(bytes: *mut COwnedBytes) -> Result<(), Failure> {
    // SAFETY: valid as the caller promises.
    let Some(bytes) = (unsafe { bytes.as_mut() }) else {
        return Err(Failure::new(Code::NullArgument, "`bytes` is null, expected what a call returned"));
    };
    if bytes.id == 0 {
        *bytes = COwnedBytes::NONE;
        return Ok(());
    }
    let out = OUT.borrow(bytes.id).map_err(refused)?;
    if !ptr::eq(out.as_ptr(), bytes.data) {
        return Err(refused(HandleFault::OtherType));
    }
    drop(out);
    OUT.destroy(bytes.id).map_err(refused)?;
    *bytes = COwnedBytes::NONE;
    Ok(())
}

#[cold]
fn refused(fault: HandleFault) -> Failure {
    let message = match fault {
        HandleFault::Destroyed => "expected bytes that a call returned, found some that were freed",
        _ => "expected bytes that a call of this library returned, found others",
    };
    Failure::new(fault.code(), message)
}
