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

/// The place a check looks at: a field of a descriptor, at an absolute offset.
#[derive(Clone, Copy)]
pub struct At {
    /// The innermost descriptor.
    pub contract: &'static str,
    /// Its field.
    pub field: &'static str,
    /// Bytes from the start of the outermost buffer.
    pub offset: usize,
}

impl At {
    /// The start of the outermost buffer.
    pub const START: At = At { contract: "", field: "", offset: 0 };

    /// A field of the descriptor that starts here.
    #[inline(always)]
    #[must_use]
    pub const fn field(self, contract: &'static str, field: &'static str, offset: usize) -> At {
        At { contract, field, offset: self.offset + offset }
    }

    /// The element that many bytes on.
    #[inline(always)]
    #[must_use]
    pub const fn on(self, bytes: usize) -> At {
        At { offset: self.offset + bytes, ..self }
    }
}

/// One constructor a refusal, kept out of the way of the code that finds none.
pub mod refuse {
    use super::{At, Expected, Found, WireError};
    use crate::Code;

    fn at(at: At, code: Code, expected: Expected, found: Found) -> WireError {
        WireError { code, contract: at.contract, field: at.field, offset: at.offset, expected, found }
    }

    /// Too few bytes, or too many.
    #[cold]
    #[inline(never)]
    pub fn length(contract: &'static str, size: usize, length: usize) -> WireError {
        let code = if length < size { Code::TooShort } else { Code::TrailingBytes };
        let place = At { contract, field: "", offset: if length < size { length } else { size } };
        at(place, code, Expected::Size(size), Found::Unsigned(length as u64))
    }

    /// Other bytes than the magic.
    #[cold]
    #[inline(never)]
    pub fn magic(place: At, expected: &'static [u8], came: &[u8]) -> WireError {
        let mut bytes = [0; 16];
        let length = if came.len() < 16 { came.len() } else { 16 };
        bytes[..length].copy_from_slice(&came[..length]);
        #[allow(clippy::cast_possible_truncation, reason = "at most 16")]
        let found = Found::Bytes { bytes, length: length as u8 };
        at(place, Code::BadMagic, Expected::Bytes(expected), found)
    }

    /// A version beyond the newest this side reads, or 0.
    #[cold]
    #[inline(never)]
    pub fn version(place: At, newest: u64, came: u64) -> WireError {
        at(place, Code::UnsupportedVersion, Expected::Version(newest), Found::Unsigned(came))
    }

    /// A byte that is no bool.
    #[cold]
    #[inline(never)]
    pub fn boolean(place: At, came: u8) -> WireError {
        at(place, Code::UnknownValue, Expected::ZeroOrOne, Found::Unsigned(u64::from(came)))
    }

    /// A number that is no value of a closed enumeration.
    #[cold]
    #[inline(never)]
    pub fn value(place: At, enumeration: &'static str, found: Found) -> WireError {
        at(place, Code::UnknownValue, Expected::ValueOf(enumeration), found)
    }

    /// Bits without a name in closed flags.
    #[cold]
    #[inline(never)]
    pub fn bits(place: At, known: u64, came: u64) -> WireError {
        at(place, Code::UnknownBits, Expected::BitsWithin(known), Found::Unsigned(came))
    }

    /// A count beyond its array.
    #[cold]
    #[inline(never)]
    pub fn count(place: At, most: usize, came: u64) -> WireError {
        at(place, Code::LengthExceeds, Expected::AtMost(most as u64), Found::Unsigned(came))
    }

    /// Arrays of one count, of different lengths.
    #[cold]
    #[inline(never)]
    pub fn uneven(place: At, first: usize, came: usize) -> WireError {
        at(place, Code::LengthExceeds, Expected::Elements(first as u64), Found::Unsigned(came as u64))
    }

    /// Reserved bytes that are not zero.
    #[cold]
    #[inline(never)]
    pub fn reserved(place: At, bytes: &[u8]) -> WireError {
        let first = bytes.iter().find(|&&byte| byte != 0).copied().unwrap_or(0);
        at(place, Code::ReservedNotZero, Expected::Zero, Found::Unsigned(u64::from(first)))
    }

    /// Bytes that are no text.
    #[cold]
    #[inline(never)]
    pub fn text(place: At) -> WireError {
        at(place, Code::BadText, Expected::Text, Found::Nothing)
    }
}
