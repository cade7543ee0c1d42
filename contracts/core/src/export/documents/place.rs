//! Where a value of C stands while it is looked at.

use alloc::vec::Vec;

use crate::error::{At as Offset, Place};
use crate::json::{Bounds, JsonType, Key, Members, Writer};
use crate::{Code, Expected, Found, WireError};

/// A key or a part of one, with the bounds of its value.
#[derive(Clone, Copy)]
pub struct At<'a> {
    pub(super) place: &'static Place,
    pub(super) bounds: &'a Bounds,
    /// Whether all that is right in C is held against its bounds and rules, to find the first fault of any kind.
    is_strict: bool,
}

impl At<'_> {
    /// The outermost value.
    pub(super) fn whole(is_strict: bool) -> At<'static> {
        At { place: &Place { contract: "", field: "" }, bounds: &Bounds::NONE, is_strict }
    }

    /// A key of the contract that is looked at.
    pub fn key(self, key: &'static Key) -> At<'static> {
        At { place: &key.place, bounds: &key.bounds, is_strict: self.is_strict }
    }

    /// An item of the array that is looked at.
    pub(super) fn item(self, bounds: &Bounds) -> At<'_> {
        At { place: self.place, bounds, is_strict: self.is_strict }
    }

    /// A value that Rust can hold, unless a writer would refuse it and that is asked.
    pub(super) fn held<T: JsonType<S>, S>(self, value: T) -> Result<T, WireError> {
        if !self.is_strict {
            return Ok(value);
        }
        let mut writer = Writer::new(Vec::new());
        match value.write(&mut writer, self.place, self.bounds) {
            Ok(()) => Ok(value),
            Err(_) => Err(writer.fault.unwrap_or_else(|| self.fault(Code::Refused, "a value"))),
        }
    }

    /// A recipe or a union whose members were taken, unless a condition or a rule is violated and that is asked.
    pub fn ruled<M: Members>(self, value: M) -> Result<M, WireError> {
        if self.is_strict {
            value.check(0)?;
        }
        Ok(value)
    }

    /// A fault of what stands here.
    #[cold]
    pub(super) fn fault(self, code: Code, expected: &'static str) -> WireError {
        self.refuse(code, Expected::Words(expected), Found::Nothing)
    }

    #[cold]
    pub(super) fn refuse(self, code: Code, expected: Expected, found: Found) -> WireError {
        WireError::at(Offset { place: self.place, offset: 0 }, code, expected, found)
    }

    /// The tag of a union that names no variant.
    #[cold]
    pub fn no_variant(self, union: &'static str, tag: i32) -> WireError {
        self.refuse(Code::UnknownTag, Expected::TagOf(union), Found::Signed(tag.into()))
    }

    /// The items behind a pointer. More than the bounds allow are not looked at.
    ///
    /// # Safety
    /// As of [`Mirror::take`](super::Mirror::take).
    pub(super) unsafe fn slice<C: Copy, T>(
        self,
        (items, count): (*const C, usize),
        most: usize,
        expected: Expected,
        mut take: impl FnMut(C) -> Result<T, WireError>,
    ) -> Result<Vec<T>, WireError> {
        if items.is_null() && count != 0 {
            return Err(self.fault(Code::NullArgument, "a pointer"));
        }
        // No object of C is larger.
        let largest = isize::MAX.unsigned_abs() / size_of::<C>().max(1);
        if count.min(most) > largest {
            let found = Found::Unsigned(count as u64);
            return Err(self.refuse(Code::LengthExceeds, Expected::AtMost(largest as u64), found));
        }
        let mut taken = Vec::with_capacity(count.min(most).min(4096));
        for index in 0..count {
            if index == most {
                return Err(self.refuse(Code::TooMany, expected, Found::Nothing));
            }
            // SAFETY: the caller says that so many items are there. They may stand at any address.
            taken.push(take(unsafe { items.add(index).read_unaligned() })?);
        }
        Ok(taken)
    }

    /// The bytes behind a pointer.
    ///
    /// # Safety
    /// As of [`Mirror::take`](super::Mirror::take).
    pub(super) unsafe fn bytes<'b>(self, data: *const u8, length: usize) -> Result<&'b [u8], WireError> {
        if data.is_null() {
            return if length == 0 { Ok(&[]) } else { Err(self.fault(Code::NullArgument, "a pointer")) };
        }
        if length > isize::MAX.unsigned_abs() {
            let expected = Expected::AtMost(isize::MAX.unsigned_abs() as u64);
            return Err(self.refuse(Code::LengthExceeds, expected, Found::Unsigned(length as u64)));
        }
        // SAFETY: the caller says that so many bytes are there, and that nobody changes them.
        Ok(unsafe { core::slice::from_raw_parts(data, length) })
    }

    /// The text behind a pointer.
    ///
    /// # Safety
    /// As of [`Mirror::take`](super::Mirror::take).
    pub(super) unsafe fn text<'b>(self, data: *const u8, length: usize) -> Result<&'b str, WireError> {
        // SAFETY: the caller's word is the same.
        let bytes = unsafe { self.bytes(data, length) }?;
        core::str::from_utf8(bytes).map_err(|_| self.fault(Code::BadUtf8, "UTF-8"))
    }
}
