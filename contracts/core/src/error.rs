//! Why bytes or a value were refused: what was expected, what came, where.

use core::fmt;

use crate::{Code, Enumeration};

/// A refusal. It says which rule was broken, by what, where, and what would have been right.
///
/// The same input gives the same code, contract, field, offset and text in every language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WireError {
    /// The rule that was broken.
    pub code: Code,
    /// The innermost descriptor.
    pub contract: &'static str,
    /// Its field; empty when the fault is of the whole.
    pub field: &'static str,
    /// Bytes from the start of the outermost buffer.
    pub offset: usize,
    /// What would have been right.
    pub expected: Expected,
    /// What came.
    pub found: Found,
}

/// What a reader or writer would have taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// This many bytes in all.
    Size(usize),
    /// These constant bytes.
    Bytes(&'static [u8]),
    /// A version from 1 to this.
    Version(u64),
    /// A bool: 0 or 1.
    ZeroOrOne,
    /// A value of the enumeration of this name.
    ValueOf(&'static str),
    /// No bits but these.
    BitsWithin(u64),
    /// A count of at most this.
    AtMost(u64),
    /// Zero.
    Zero,
    /// UTF-8, ended and padded by NUL.
    Text,
    /// This many elements: arrays that share a count are set together.
    Elements(u64),
}

/// What a reader or writer was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Found {
    /// Nothing that one number or a few bytes could say.
    Nothing,
    /// An unsigned number.
    Unsigned(u64),
    /// A number of a signed type.
    Signed(i64),
    /// Bytes: the first 16 of them.
    Bytes {
        /// The bytes, then zeros.
        bytes: [u8; 16],
        /// How many of `bytes` count.
        length: u8,
    },
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.contract)?;
        if !self.field.is_empty() {
            write!(f, ".{}", self.field)?;
        }
        write!(f, " at byte {}: {}: expected {}", self.offset, self.code.name(), self.expected)?;
        match self.found {
            Found::Nothing => Ok(()),
            found => write!(f, ", found {found}"),
        }
    }
}

impl core::error::Error for WireError {}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Expected::Size(size) => write!(f, "{size} bytes"),
            Expected::Bytes(bytes) => {
                f.write_str("bytes ")?;
                hex(f, bytes)
            }
            Expected::Version(1) => f.write_str("1"),
            Expected::Version(newest) => write!(f, "1 to {newest}"),
            Expected::ZeroOrOne => f.write_str("0 or 1"),
            Expected::ValueOf(enumeration) => write!(f, "a value of {enumeration}"),
            Expected::BitsWithin(bits) => write!(f, "bits within {bits:#x}"),
            Expected::AtMost(most) => write!(f, "at most {most}"),
            Expected::Zero => f.write_str("zero"),
            Expected::Text => f.write_str("UTF-8 text ended by NUL"),
            Expected::Elements(count) => write!(f, "{count} elements"),
        }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Found::Nothing => f.write_str("nothing"),
            Found::Unsigned(number) => write!(f, "{number}"),
            Found::Signed(number) => write!(f, "{number}"),
            Found::Bytes { ref bytes, length } => {
                f.write_str("bytes ")?;
                hex(f, bytes.get(..usize::from(length)).unwrap_or(bytes))
            }
        }
    }
}

fn hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
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

/// How a check says no: in full, as a [`WireError`], or with nothing but the fact, as `()`.
///
/// A reader first asks with `()`, which leaves the optimiser a chain of comparisons and what it learns from them,
/// and asks again for the error only when the answer was no.
pub trait Refuse: Sized {
    /// Other bytes than the magic.
    fn magic(at: At, expected: &'static [u8], came: &[u8]) -> Self;
    /// A version beyond the newest this side reads, or 0.
    fn version(at: At, newest: u64, came: u64) -> Self;
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
}

impl Refuse for () {
    #[inline(always)]
    fn magic(_: At, _: &'static [u8], _: &[u8]) {}
    #[inline(always)]
    fn version(_: At, _: u64, _: u64) {}
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
}

impl WireError {
    fn at(at: At, code: Code, expected: Expected, found: Found) -> Self {
        let (contract, field) = (at.place.contract, at.place.field);
        WireError { code, contract, field, offset: at.offset, expected, found }
    }

    /// Too few bytes, or too many.
    #[cold]
    #[inline(never)]
    pub(crate) fn length(contract: &'static str, size: usize, length: usize) -> Self {
        let code = if length < size { Code::TooShort } else { Code::TrailingBytes };
        let (expected, found) = (Expected::Size(size), Found::Unsigned(length as u64));
        WireError { code, contract, field: "", offset: length.min(size), expected, found }
    }

    /// Arrays of one count, of different lengths.
    #[cold]
    pub(crate) fn uneven(at: At, first: usize, came: usize) -> Self {
        let (expected, found) = (Expected::Elements(first as u64), Found::Unsigned(came as u64));
        WireError::at(at, Code::LengthExceeds, expected, found)
    }
}
