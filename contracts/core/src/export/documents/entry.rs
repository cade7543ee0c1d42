//! The functions behind those that a library exports for each recipe and union.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::arena::{self, Arena};
use super::arguments::{Arguments as _, Reading, Writing, argument, there};
use super::{At, CArena, CError, Memory, Mirror, Str};
use crate::export::{self, COwnedBytes, Failure};
use crate::json::{JsonType, Members};
use crate::{Code, Expected, Found, WireError, WireJson};

/// `wc_faults`: what lenient reading took for absent, until the arena is freed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CFaults {
    items: *const CError,
    count: usize,
}

impl CFaults {
    /// The faults.
    ///
    /// # Safety
    /// The arena they were read into is not freed.
    pub unsafe fn as_slice(&self) -> &[CError] {
        if self.items.is_null() {
            return &[];
        }
        // SAFETY: they lie in the arena.
        unsafe { core::slice::from_raw_parts(self.items, self.count) }
    }
}

/// A value, and the faults of lenient reading.
type Read<T> = (T, Vec<WireError>);

/// Reads a document.
///
/// # Safety
/// Pointers are null or point to what they say, and `json` to so many bytes.
pub unsafe fn from_json<T, C>(json: Str, out: *mut C, arena: *mut CArena, error: *mut CError) -> i32
where
    T: Members + JsonType + Send + Sync + 'static,
    C: Mirror<T>,
{
    let reader = |document: &[u8]| Ok((T::from_json(document)?, Vec::new()));
    // SAFETY: the caller's word is the same.
    unsafe { read(&Reading { json, value: out, arena, faults: None, error }, reader) }
}

/// Reads a document, and takes the value of a lenient key that is at fault for an absent one.
///
/// # Safety
/// As of [`from_json`].
pub unsafe fn from_json_lenient<T, C>(
    json: Str,
    out: *mut C,
    arena: *mut CArena,
    faults: *mut CFaults,
    error: *mut CError,
) -> i32
where
    T: Members + JsonType + Send + Sync + 'static,
    C: Mirror<T>,
{
    // SAFETY: the caller's word is the same.
    unsafe { read(&Reading { json, value: out, arena, faults: Some(faults), error }, T::from_json_lenient) }
}

unsafe fn read<T, C>(given: &Reading<C>, reader: impl FnOnce(&[u8]) -> Result<Read<T>, WireError>) -> i32
where
    T: Members + JsonType + Send + Sync + 'static,
    C: Mirror<T>,
{
    let read = contained::<T, _>(|| {
        // SAFETY: the caller says what they point to.
        unsafe { given.check::<T>() }?;
        // SAFETY: the caller says that so many bytes are there.
        let (value, faults) = reader(unsafe { document::<T>(given.json) }?)?;
        let (value, mut memory) = (Box::new(value), Memory::default());
        let shown = C::of(&value, &mut memory);
        let count = faults.len();
        let items = memory.keep(faults.iter().map(CError::of).collect());
        let arena = arena::give(Arena::new(value, memory))
            .map_err(|code| argument::<T>("arena", code, Expected::Words("fewer arenas at a time")))?;
        // SAFETY: they were checked, and the caller says that there is room.
        unsafe {
            given.value.write(shown);
            given.arena.write(arena);
            given.faults.into_iter().for_each(|faults| faults.write(CFaults { items, count }));
        }
        Ok(())
    });
    match read {
        Ok(()) => Code::Ok as i32,
        // SAFETY: the caller says what they point to.
        Err(fault) => unsafe { given.refuse(&fault) },
    }
}

/// Writes a value as a document.
///
/// # Safety
/// Pointers are null or point to what they say, also those in the value.
pub unsafe fn to_json<T, C>(value: *const C, out: *mut COwnedBytes, error: *mut CError) -> i32
where
    T: Members + JsonType,
    C: Mirror<T>,
{
    let given = Writing { value, json: out, error };
    let written = contained::<T, _>(|| {
        // SAFETY: the caller says what they point to.
        unsafe { given.check::<T>() }?;
        // SAFETY: it was checked, and the caller says that it points to such.
        let value = unsafe { value.read() };
        // SAFETY: the caller's word is the same.
        let taken = unsafe { value.take(At::whole(false)) };
        let taken = taken.map_err(|fault| {
            // SAFETY: as above.
            unsafe { value.take(At::whole(true)) }.err().unwrap_or(fault)
        })?;
        let mut document = Vec::new();
        taken.write_json(&mut document)?;
        export::give(document).map_err(|failure| {
            argument::<T>("json", failure.code(), Expected::Words("fewer documents at a time"))
        })
    });
    match written {
        Ok(document) => {
            // SAFETY: it was checked, and the caller says that there is room.
            unsafe { out.write(document) };
            Code::Ok as i32
        }
        // SAFETY: the caller says what they point to.
        Err(fault) => unsafe { given.refuse(&of_struct(fault)) },
    }
}

/// A struct of C holds a decimal string's number, and shows that, as the header's check does.
fn of_struct(error: WireError) -> WireError {
    match error.found {
        Found::Text { bytes, length } if error.code == Code::OutOfRange => {
            let text = core::str::from_utf8(&bytes[..usize::from(length)]).unwrap_or_default();
            WireError { found: Found::brief(text.trim_matches('"')), ..error }
        }
        _ => error,
    }
}

/// The bytes of a document.
///
/// # Safety
/// So many bytes are there.
unsafe fn document<'d, T: Members>(json: Str) -> Result<&'d [u8], WireError> {
    if json.data.is_null() && json.length == 0 {
        return Ok(&[]);
    }
    there::<T, _>(json.data, "json")?;
    let largest = isize::MAX.unsigned_abs();
    if json.length > largest {
        return Err(argument::<T>("json", Code::LengthExceeds, Expected::AtMost(largest as u64)));
    }
    // SAFETY: the caller says so.
    Ok(unsafe { core::slice::from_raw_parts(json.data, json.length) })
}

/// What a call gives. A panic of it ends here, as a fault of the contract.
fn contained<T: Members, R>(call: impl FnOnce() -> Result<R, WireError>) -> Result<R, WireError> {
    let panicked = |failure: Failure| WireError {
        found: Found::brief(failure.message()),
        ..argument::<T>("", failure.code(), Expected::Words("no panic"))
    };
    export::contain(|| Ok(call())).unwrap_or_else(|failure| Err(panicked(failure)))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::of_struct;
    use crate::{Code, Expected, Found, WireError};

    fn found(code: Code, found: &str) -> alloc::string::String {
        let (expected, found) = (Expected::Words("another"), Found::brief(found));
        let error = WireError { code, contract: "Price", field: "cents", offset: 0, expected, found };
        of_struct(error).to_string()
    }

    #[test]
    fn the_number_of_a_decimal_string_is_found_and_not_its_spelling() {
        let of = |found: &str| {
            alloc::format!("Price.cents at byte 0: out_of_range: expected another, found {found}")
        };
        assert_eq!(found(Code::OutOfRange, "\"-7\""), of("-7"));
        assert_eq!(found(Code::OutOfRange, "7"), of("7"));
        assert!(found(Code::UnknownValue, "\"7\"").ends_with("found \"7\""));
    }
}
