//! How a check of a descriptor says no, and of what.

use super::{Expected, Found, WireError};
use crate::Code;
use crate::rule::{Condition, Rule, Values};

/// How a check says no: in full, as a [`WireError`], or with nothing but the fact, as `()`.
///
/// A reader first asks with `()`, which leaves the optimiser a chain of comparisons and what it learns from them,
/// and asks again for the error only when the answer was no.
pub trait Refuse: Sized {
    /// Other bytes than the magic.
    fn magic(at: At, expected: &'static [u8], came: &[u8]) -> Self;
    /// A version beyond the newest this side reads, or 0.
    fn version(at: At, newest: u64, came: u64) -> Self;
    /// A field that is other than its default, in writing for a version that has it not.
    fn held_back(at: At, since: u64) -> Self;
    /// A byte that is no bool.
    fn boolean(at: At, came: u8) -> Self;
    /// A number that is no value of a closed enumeration.
    fn value(at: At, enumeration: &'static str, found: Found) -> Self;
    /// Bits without a name in closed flags.
    fn bits(at: At, known: u64, came: u64) -> Self;
    /// A count beyond its array.
    fn count(at: At, most: usize, came: u64) -> Self;
    /// Reserved bytes that are not zero.
    fn reserved(at: At, bytes: &[u8]) -> Self;
    /// Bytes that are no text.
    fn text(at: At) -> Self;
    /// A rule that does not hold, of what starts at `at`.
    fn rule(at: At, rule: &'static Rule, values: impl FnOnce() -> Values) -> Self;
    /// A condition on a field that does not hold, of what starts at `at`.
    fn condition(at: At, condition: &'static Condition, values: impl FnOnce() -> Values) -> Self;
}

impl Refuse for () {
    #[inline(always)]
    fn magic(_: At, _: &'static [u8], _: &[u8]) {}
    #[inline(always)]
    fn version(_: At, _: u64, _: u64) {}
    #[inline(always)]
    fn held_back(_: At, _: u64) {}
    #[inline(always)]
    fn boolean(_: At, _: u8) {}
    #[inline(always)]
    fn value(_: At, _: &'static str, _: Found) {}
    #[inline(always)]
    fn bits(_: At, _: u64, _: u64) {}
    #[inline(always)]
    fn count(_: At, _: usize, _: u64) {}
    #[inline(always)]
    fn reserved(_: At, _: &[u8]) {}
    #[inline(always)]
    fn text(_: At) {}
    #[inline(always)]
    fn rule(_: At, _: &'static Rule, _: impl FnOnce() -> Values) {}
    #[inline(always)]
    fn condition(_: At, _: &'static Condition, _: impl FnOnce() -> Values) {}
}

impl Refuse for WireError {
    #[cold]
    fn magic(at: At, expected: &'static [u8], came: &[u8]) -> Self {
        let mut bytes = [0; 16];
        let length = came.len().min(bytes.len());
        bytes[..length].copy_from_slice(&came[..length]);
        #[allow(clippy::cast_possible_truncation, reason = "at most 16")]
        let found = Found::Bytes { bytes, length: length as u8 };
        WireError::at(at, Code::BadMagic, Expected::Bytes(expected), found)
    }

    #[cold]
    fn version(at: At, newest: u64, came: u64) -> Self {
        WireError::at(at, Code::UnsupportedVersion, Expected::Version(newest), Found::Unsigned(came))
    }

    #[cold]
    fn held_back(at: At, since: u64) -> Self {
        WireError::at(at, Code::UnsupportedVersion, Expected::DefaultBefore(since), Found::Nothing)
    }

    #[cold]
    fn boolean(at: At, came: u8) -> Self {
        WireError::at(at, Code::UnknownValue, Expected::ZeroOrOne, Found::Unsigned(u64::from(came)))
    }

    #[cold]
    fn value(at: At, enumeration: &'static str, found: Found) -> Self {
        WireError::at(at, Code::UnknownValue, Expected::ValueOf(enumeration), found)
    }

    #[cold]
    fn bits(at: At, known: u64, came: u64) -> Self {
        WireError::at(at, Code::UnknownBits, Expected::BitsWithin(known), Found::Unsigned(came))
    }

    #[cold]
    fn count(at: At, most: usize, came: u64) -> Self {
        WireError::at(at, Code::LengthExceeds, Expected::AtMost(most as u64), Found::Unsigned(came))
    }

    #[cold]
    fn reserved(at: At, bytes: &[u8]) -> Self {
        let first = bytes.iter().find(|&&byte| byte != 0).copied().unwrap_or(0);
        WireError::at(at, Code::ReservedNotZero, Expected::Zero, Found::Unsigned(u64::from(first)))
    }

    #[cold]
    fn text(at: At) -> Self {
        WireError::at(at, Code::BadText, Expected::Text, Found::Nothing)
    }

    #[cold]
    fn rule(at: At, rule: &'static Rule, values: impl FnOnce() -> Values) -> Self {
        WireError::rule(rule, values(), at.offset)
    }

    #[cold]
    fn condition(at: At, condition: &'static Condition, values: impl FnOnce() -> Values) -> Self {
        WireError::condition(condition, values(), at.offset)
    }
}

/// A field of a descriptor, by name. Expansions hold it in a static, so that a check which finds no fault has two
/// words to carry and not five.
pub struct Place {
    /// The descriptor.
    pub contract: &'static str,
    /// Its field.
    pub field: &'static str,
}

/// The place a check looks at: a field of the innermost descriptor, at an absolute offset.
#[derive(Clone, Copy)]
pub struct At {
    /// The field.
    pub place: &'static Place,
    /// Bytes from the start of the outermost buffer.
    pub offset: usize,
}

impl At {
    /// The start of the outermost buffer.
    pub const START: At = At { place: &Place { contract: "", field: "" }, offset: 0 };

    /// A field of the descriptor that starts here.
    #[inline(always)]
    #[must_use]
    pub const fn field(self, place: &'static Place, offset: usize) -> At {
        At { place, offset: self.offset + offset }
    }

    /// The element that many bytes on.
    #[inline(always)]
    #[must_use]
    pub const fn on(self, bytes: usize) -> At {
        At { offset: self.offset + bytes, ..self }
    }
}
