//! What a function of documents is given. A pointer at which nothing of its type can stand, and memory that is another
//! argument's as well where the call writes, are refused as exported functions refuse them.
//!
//! A few comparisons of addresses tell nearly every call from such. Only what they leave open is looked at closely.

use alloc::vec::Vec;
use core::ffi::CStr;

use super::fault::kept;
use super::{CArena, CError, CFaults, Str};
use crate::export::COwnedBytes;
use crate::export::fault::{Fault, aligned};
use crate::export::overlap::{Area, apart};
use crate::json::Members;
use crate::{Code, Expected, Found, WireError};

/// The arguments of a call.
pub(super) trait Arguments {
    /// Whether a glance says that nothing is wrong with them.
    fn are_plain(&self) -> bool;

    /// Refuses a place where nothing can stand.
    fn places<T: Members>(&self) -> Result<(), WireError>;

    /// Where they are, the place for an error at last.
    fn areas(&self) -> Vec<Area>;

    /// Makes the results nothing, wherever they are.
    ///
    /// # Safety
    /// Each is null or a place for a result, aligned or not.
    unsafe fn clear(&self);

    /// Where a fault is told of, if anybody asks.
    fn error(&self) -> *mut CError;

    /// Refuses those that cannot be used.
    ///
    /// # Safety
    /// What is not null is of so many bytes as its type has.
    #[inline(always)]
    unsafe fn check<T: Members>(&self) -> Result<(), WireError> {
        if self.are_plain() {
            return Ok(());
        }
        // SAFETY: the caller's.
        unsafe { look::<T>(self) }
    }

    /// Makes the results nothing, so that no failure leaves an earlier call's there, tells of a fault, and gives its
    /// number. What is another argument's memory as well stays as it is.
    ///
    /// # Safety
    /// As of [`check`](Self::check).
    #[cold]
    unsafe fn refuse(&self, fault: &WireError) -> i32 {
        let areas = if self.are_plain() { Vec::new() } else { self.areas() };
        // SAFETY: the caller's. Where some share memory, those that share none are cleared by this.
        unsafe {
            if apart(&areas).is_ok() {
                self.clear();
            }
        }
        let error = self.error();
        let is_alone = areas.split_last().is_none_or(|(error, others)| {
            // SAFETY: the caller's. Of two that share memory none is cleared.
            others.iter().all(|other| unsafe { apart(&[*other, *error]) }.is_ok())
        });
        if is_alone && error.is_aligned() && !error.is_null() {
            // SAFETY: the caller says that there is room, and nobody else has it.
            unsafe { error.write(CError::of(fault)) };
        }
        fault.code as i32
    }
}

/// # Safety
/// As of [`Arguments::check`].
#[cold]
#[inline(never)]
unsafe fn look<T: Members>(arguments: &(impl Arguments + ?Sized)) -> Result<(), WireError> {
    arguments.places::<T>()?;
    // SAFETY: the caller's.
    unsafe { apart(&arguments.areas()) }.map_err(|fault| refused::<T>(&fault, "memory that "))
}

/// What a function that reads a document is given.
pub(super) struct Reading<C> {
    pub(super) json: Str,
    pub(super) value: *mut C,
    pub(super) arena: *mut CArena,
    pub(super) faults: Option<*mut CFaults>,
    pub(super) error: *mut CError,
}

impl<C> Arguments for Reading<C> {
    #[inline(always)]
    fn are_plain(&self) -> bool {
        let json = Piece { at: self.json.data.addr(), size: self.json.length };
        let (value, arena, error) = (Piece::of(self.value), Piece::of(self.arena), Piece::of(self.error));
        let others = |faults: *mut CFaults| {
            let piece = Piece::of(faults);
            can_hold(faults) && ![json, value, arena, error].iter().any(|other| piece.is_near(*other))
        };
        can_hold(self.value)
            && can_hold(self.arena)
            && self.error.is_aligned()
            && !value.is_near(json)
            && !arena.is_near(json)
            && !arena.is_near(value)
            && !error.is_near(json)
            && !error.is_near(value)
            && !error.is_near(arena)
            && self.faults.is_none_or(others)
    }

    fn places<T: Members>(&self) -> Result<(), WireError> {
        place::<T, _>(self.value, "value", c"value")?;
        place::<T, _>(self.arena, "arena", c"arena")?;
        if let Some(faults) = self.faults {
            place::<T, _>(faults, "faults", c"faults")?;
        }
        room::<T, _>(self.error, c"error")
    }

    fn areas(&self) -> Vec<Area> {
        let mut areas = Vec::from([
            Area::read(self.json.data, self.json.length, c"json"),
            Area::result(self.value, c"value"),
            Area::result(self.arena, c"arena"),
        ]);
        areas.extend(self.faults.map(|faults| Area::result(faults, c"faults")));
        areas.push(Area::written(self.error, 1, c"error"));
        areas
    }

    unsafe fn clear(&self) {
        // SAFETY: the caller's.
        unsafe {
            clear(self.value);
            clear(self.arena);
            self.faults.into_iter().for_each(|faults| clear(faults));
        }
    }

    fn error(&self) -> *mut CError {
        self.error
    }
}

/// What a function that writes a document is given.
pub(super) struct Writing<C> {
    pub(super) value: *const C,
    pub(super) json: *mut COwnedBytes,
    pub(super) error: *mut CError,
}

impl<C> Arguments for Writing<C> {
    #[inline(always)]
    fn are_plain(&self) -> bool {
        let (value, json, error) = (Piece::of(self.value), Piece::of(self.json), Piece::of(self.error));
        can_hold(self.value)
            && can_hold(self.json)
            && self.error.is_aligned()
            && !json.is_near(value)
            && !error.is_near(value)
            && !error.is_near(json)
    }

    fn places<T: Members>(&self) -> Result<(), WireError> {
        // The header's own check names no key for it.
        place::<T, _>(self.value, "", c"value")?;
        place::<T, _>(self.json, "json", c"json")?;
        room::<T, _>(self.error, c"error")
    }

    fn areas(&self) -> Vec<Area> {
        Vec::from([
            Area::read(self.value, 1, c"value"),
            Area::result(self.json, c"json"),
            Area::written(self.error, 1, c"error"),
        ])
    }

    unsafe fn clear(&self) {
        // SAFETY: the caller's.
        unsafe { clear(self.json) };
    }

    fn error(&self) -> *mut CError {
        self.error
    }
}

/// Bytes somewhere.
#[derive(Clone, Copy)]
struct Piece {
    at: usize,
    size: usize,
}

impl Piece {
    #[inline(always)]
    fn of<T>(at: *const T) -> Piece {
        Piece { at: at.addr(), size: size_of::<T>() }
    }

    /// Whether both may have a byte: one comparison, which says yes of some that have none, and no of none that fits
    /// into memory and has one.
    #[inline(always)]
    fn is_near(self, other: Piece) -> bool {
        let last = self.at.wrapping_add(self.size).wrapping_sub(1);
        last.wrapping_sub(other.at) < self.size.wrapping_add(other.size).wrapping_sub(1)
    }
}

#[inline(always)]
fn can_hold<T>(at: *const T) -> bool {
    !at.is_null() && at.is_aligned()
}

/// Refuses a pointer to nothing, and one at which no `P` can stand.
fn place<T: Members, P>(at: *const P, field: &'static str, name: &'static CStr) -> Result<(), WireError> {
    there::<T, _>(at, field)?;
    room::<T, _>(at, name)
}

/// Refuses a pointer at which no `P` can stand; null may be.
fn room<T: Members, P>(at: *const P, name: &'static CStr) -> Result<(), WireError> {
    aligned(at, name).map_err(|fault| refused::<T>(&fault, "one that "))
}

/// Refuses a pointer to nothing.
pub(super) fn there<T: Members, P>(at: *const P, field: &'static str) -> Result<(), WireError> {
    if at.is_null() {
        return Err(argument::<T>(field, Code::NullArgument, Expected::Words("a pointer")));
    }
    Ok(())
}

/// A fault of an argument, which stands where a fault of a document names a key.
#[cold]
pub(super) fn argument<T: Members>(field: &'static str, code: Code, expected: Expected) -> WireError {
    WireError { code, contract: T::NAME, field, offset: 0, expected, found: Found::Nothing }
}

/// The same in the words of exported functions, "`arena` is at 0x7, expected a pointer aligned to 8", where `what` was
/// found.
#[cold]
fn refused<T: Members>(fault: &Fault, what: &str) -> WireError {
    let field = fault.argument.to_str().unwrap_or_default();
    let message = fault.failure.message();
    let (found, expected) = message.split_once(", expected ").unwrap_or((message, "another"));
    let found = found.split_once("` ").map_or(found, |(_, found)| found);
    let expected = Expected::Words(kept(expected).to_str().unwrap_or_default());
    let found = Found::brief(&alloc::format!("{what}{found}"));
    WireError { found, ..argument::<T>(field, fault.failure.code(), expected) }
}

/// # Safety
/// Null, or so many bytes as a `T` has.
unsafe fn clear<T>(at: *mut T) {
    if !at.is_null() {
        // SAFETY: the caller's; bytes stand anywhere.
        unsafe { at.cast::<u8>().write_bytes(0, size_of::<T>()) };
    }
}
