//! Arguments that share memory, or an object: C may pass one buffer as input and as output, or one handle twice, while
//! Rust allows one reference alone to what is written.

use core::ffi::CStr;
use core::ptr;

use super::fault::Fault;
use super::forms::{Form, code};
use crate::Code;

/// Where an argument is, in memory or by a handle, and what a call does there.
#[derive(Clone, Copy)]
pub struct Area {
    start: *mut u8,
    /// The address behind it; 0 of one that is nowhere, of which there are no bytes.
    end: usize,
    /// The number of the handle; 0 is none.
    handle: u64,
    access: Access,
    /// Of places for results the byte of which one is made that is not given.
    nothing: Option<u8>,
    name: &'static CStr,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Written,
    /// A handle's object is, and its place is zeroed.
    Taken,
    /// Made nothing before anything is read, and written at the end.
    Result,
}

impl Area {
    /// That of an argument by value.
    pub(super) const fn nowhere(name: &'static CStr) -> Area {
        Area { start: ptr::null_mut(), end: 0, handle: 0, access: Access::Read, nothing: None, name }
    }

    /// That of so many bytes which a call reads. Null, and more bytes than there can be or than there are numbers behind,
    /// are nowhere: they are refused as soon as they are received.
    #[inline]
    pub(super) fn read<T>(at: *const T, count: usize, name: &'static CStr) -> Area {
        let size = count.saturating_mul(size_of::<T>());
        let most = isize::MAX.unsigned_abs().min(usize::MAX - at.addr());
        if at.is_null() || size == 0 || size > most {
            return Area::nowhere(name);
        }
        Area { start: at.cast_mut().cast(), end: at.addr() + size, ..Area::nowhere(name) }
    }

    /// The same, of bytes which it writes as well.
    #[inline]
    pub(super) fn written<T>(at: *mut T, count: usize, name: &'static CStr) -> Area {
        Area { access: Access::Written, ..Area::read(at, count, name) }
    }

    /// That of places for results, so many of which are nothing where all their bytes are that.
    #[inline]
    pub(super) fn places<T>(at: *mut T, count: usize, nothing: Option<u8>, name: &'static CStr) -> Area {
        Area { nothing, ..Area::written(at, count, name) }
    }

    /// That of a place for a result, which is nothing where all its bytes are zero.
    #[cfg(feature = "json")]
    #[inline]
    pub(super) fn result<T>(at: *mut T, name: &'static CStr) -> Area {
        Area::result_of(at, 0, name)
    }

    /// The same, of one that is nothing where all its bytes are that.
    #[inline]
    pub(super) fn result_of<T>(at: *mut T, nothing: u8, name: &'static CStr) -> Area {
        Area { access: Access::Result, nothing: Some(nothing), ..Area::read(at, 1, name) }
    }

    /// That of an object of a handle.
    #[inline]
    pub(super) const fn used(handle: u64, name: &'static CStr) -> Area {
        Area { handle, ..Area::nowhere(name) }
    }

    /// The same, of an object that a call changes.
    #[inline]
    pub(super) const fn changed(handle: u64, name: &'static CStr) -> Area {
        Area { access: Access::Written, ..Area::used(handle, name) }
    }

    /// The same, of an object that a call takes, and of the place of its handle.
    #[inline]
    pub(super) fn taken<T>(at: *mut T, handle: u64, name: &'static CStr) -> Area {
        Area { access: Access::Taken, handle, ..Area::read(at, 1, name) }
    }

    /// Makes places for results nothing.
    ///
    /// # Safety
    /// Its bytes are C's, and nobody else's.
    #[inline]
    pub(super) unsafe fn clear(self) {
        if let Some(nothing) = self.nothing {
            // SAFETY: the caller's; where it is nowhere, there are no bytes.
            unsafe { self.start.write_bytes(nothing, self.end - self.start.addr()) };
        }
    }

    /// Whether both have a byte, or an object, that one of them writes.
    #[inline]
    fn disturbs(&self, other: &Area) -> bool {
        // Of most arguments one of the two is nowhere, or is no handle.
        (self.is_somewhere() && self.overlaps(other) || self.is_handle() && self.is_object_of(other))
            && (self.access != Access::Read || other.access != Access::Read)
    }

    #[inline]
    fn is_somewhere(&self) -> bool {
        self.end != 0
    }

    #[inline]
    fn is_handle(&self) -> bool {
        self.handle != 0
    }

    #[inline]
    fn is_object_of(&self, other: &Area) -> bool {
        self.is_handle() && self.handle == other.handle
    }

    #[inline]
    fn overlaps(&self, other: &Area) -> bool {
        // What is nowhere ends at address 0, and nothing begins before that.
        self.start.addr() < other.end && other.start.addr() < self.end
    }
}

/// Whether arguments of these forms can share memory, or an object, that one of them writes.
pub const fn may_overlap(params: &[&Form], outs: &[&Form]) -> bool {
    let (mut areas, mut is_written) = (outs.len(), !outs.is_empty());
    let (mut handles, mut is_changed) = (0, false);
    let mut index = 0;
    while index < params.len() {
        let form = params[index];
        let is_place = form.code == code::HANDLE && form.is_owned;
        let is_read = matches!(
            form.code,
            code::REFERENCE | code::SLICE | code::TEXT | code::DESCRIPTOR | code::DOCUMENT
        );
        if is_place || is_read {
            areas += 1;
            is_written |= is_place || form.is_mut;
        }
        if form.code == code::HANDLE {
            handles += 1;
            is_changed |= form.is_owned || form.is_mut;
        }
        index += 1;
    }
    is_written && areas > 1 || is_changed && handles > 1
}

/// Refuses arguments that share memory, or an object, which one of them writes, in the order of the function.
///
/// Nothing was written when it does, but that results which share nothing are none, as wherever a call fails.
///
/// # Safety
/// Each area is so many bytes of C's.
// Of each function it is known which arguments are handles, and which are written: there most pairs are nothing.
#[inline(always)]
pub unsafe fn apart(areas: &[Area]) -> Result<(), Fault> {
    for (index, later) in areas.iter().enumerate() {
        for earlier in &areas[..index] {
            if later.disturbs(earlier) {
                // SAFETY: the caller's.
                return Err(unsafe { overlap(areas, later, earlier) });
            }
        }
    }
    Ok(())
}

/// # Safety
/// As [`apart`].
#[cold]
#[inline(never)]
unsafe fn overlap(areas: &[Area], later: &Area, earlier: &Area) -> Fault {
    for (index, area) in areas.iter().enumerate() {
        let is_apart = areas.iter().enumerate().all(|(other, it)| other == index || !it.disturbs(area));
        if is_apart {
            // SAFETY: the caller's.
            unsafe { area.clear() };
        }
    }
    let name = earlier.name.to_str().unwrap_or_default();
    if later.is_object_of(earlier) {
        let is_taken = later.access == Access::Taken || earlier.access == Access::Taken;
        let does = if is_taken { "takes" } else { "changes" };
        return Fault::of(
            later.name,
            Code::RuleViolated,
            format_args!("is the same object as `{name}`, expected another: the call {does} it"),
        );
    }
    Fault::of(
        later.name,
        Code::RuleViolated,
        format_args!("overlaps `{name}`, expected memory of its own: the call writes there"),
    )
}
