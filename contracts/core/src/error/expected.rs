//! What a reader or writer would have taken, and how an error says it.

use core::fmt;
use core::num::NonZeroU64;

use super::found::hex;
use crate::rule::{Condition, Rule};

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
    /// The default of a field that versions before this have not.
    DefaultBefore(u64),
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
    /// What these words say.
    Words(&'static str),
    /// At most this many of something.
    Most {
        /// How many.
        count: u64,
        /// Of what.
        unit: Unit,
    },
    /// Exactly this many items.
    Items(u64),
    /// Exactly this number.
    Exactly(u64),
    /// From one number of file descriptors to another.
    Fds {
        /// The fewest.
        least: u32,
        /// The most.
        most: u32,
    },
    /// This key.
    Key(&'static str),
    /// A key that the contract of this name has.
    KeyOf(&'static str),
    /// A tag that the union of this name has.
    TagOf(&'static str),
    /// An integer of a range.
    Integer(Range),
    /// A number of a range.
    Number {
        /// The bits of the least, where there is one.
        least: Option<FloatBits>,
        /// The bits of the greatest, where there is one.
        most: Option<FloatBits>,
    },
    /// Bytes spelled as text.
    Encoded {
        /// How.
        spelling: Spelling,
        /// How many bytes, where that is fixed.
        bytes: Option<u32>,
    },
    /// That this rule holds.
    Rule(&'static Rule),
    /// That this condition on a field holds.
    Condition(&'static Condition),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Expected::Size(1) => f.write_str("1 byte"),
            Expected::Size(size) => write!(f, "{size} bytes"),
            Expected::Bytes(bytes) => {
                f.write_str("bytes ")?;
                hex(f, bytes)
            }
            Expected::Version(1) => f.write_str("1"),
            Expected::Version(newest) => write!(f, "1 to {newest}"),
            Expected::DefaultBefore(since) => write!(f, "its default, before version {since}"),
            Expected::ZeroOrOne => f.write_str("0 or 1"),
            Expected::ValueOf(enumeration) => write!(f, "a value of {enumeration}"),
            Expected::BitsWithin(bits) => write!(f, "bits within {bits:#x}"),
            Expected::AtMost(most) => write!(f, "at most {most}"),
            Expected::Zero => f.write_str("zero"),
            Expected::Text => f.write_str("UTF-8 text ended by NUL"),
            Expected::Elements(count) => write!(f, "{count} elements"),
            Expected::Words(words) => f.write_str(words),
            Expected::Most { count, unit } => write!(f, "at most {count} {}", unit.name()),
            Expected::Items(count) => write!(f, "{count} items"),
            Expected::Exactly(number) => write!(f, "{number}"),
            Expected::Fds { least: 0, most: 0 } => f.write_str("no file descriptor"),
            Expected::Fds { least: 1, most: 1 } => f.write_str("1 file descriptor"),
            Expected::Fds { least, most } if least == most => write!(f, "{most} file descriptors"),
            Expected::Fds { least, most } => write!(f, "{least} to {most} file descriptors"),
            Expected::Key(key) => write!(f, "the key `{key}`"),
            Expected::KeyOf(contract) => write!(f, "a key of {contract}"),
            Expected::TagOf(union) => write!(f, "a tag of {union}"),
            Expected::Integer(range) => write!(f, "an integer from {} to {}", range.min(), range.max()),
            Expected::Number { least: Some(least), most: Some(most) } => {
                write!(f, "a number from {least} to {most}")
            }
            Expected::Number { least: Some(least), most: None } => write!(f, "a number of at least {least}"),
            Expected::Number { least: None, most: Some(most) } => write!(f, "a number of at most {most}"),
            Expected::Number { least: None, most: None } => f.write_str("a finite number"),
            Expected::Encoded { spelling: Spelling::Hex, bytes: None } => f.write_str("lower-case hex"),
            Expected::Encoded { spelling: Spelling::Hex, bytes: Some(bytes) } => {
                write!(f, "{bytes} bytes as lower-case hex")
            }
            Expected::Encoded { spelling: Spelling::Base64, bytes: None } => f.write_str("base64"),
            Expected::Encoded { spelling: Spelling::Base64, bytes: Some(bytes) } => {
                write!(f, "base64 of {bytes} bytes")
            }
            Expected::Encoded { spelling: Spelling::Uuid, .. } => f.write_str("a UUID in lower case"),
            Expected::Rule(rule) => rule.fmt(f),
            Expected::Condition(condition) => condition.fmt(f),
        }
    }
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Bytes of text, of a document or of what a text spells.
    Bytes,
    /// Characters of a number.
    Characters,
    /// Objects and arrays around a value.
    Levels,
    /// Items of an array.
    Items,
    /// Members of a map.
    Members,
}

impl Unit {
    const fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::Characters => "characters",
            Unit::Levels => "levels",
            Unit::Items => "items",
            Unit::Members => "members",
        }
    }
}

/// How bytes are spelled as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spelling {
    /// Two lower-case hexadecimal digits a byte.
    Hex,
    /// The standard alphabet of RFC 4648, padded.
    Base64,
    /// Lower-case hexadecimal digits, 8-4-4-4-12.
    Uuid,
}

/// The integers from one to another, each in −2⁶³…2⁶⁴−1: smaller than two `i128`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Range {
    min: u64,
    max: u64,
    is_min_negative: bool,
    is_max_negative: bool,
}

impl Range {
    /// The integers from `min` to `max`.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the sign is kept beside it")]
    pub const fn new(min: i128, max: i128) -> Range {
        Range { min: min as u64, max: max as u64, is_min_negative: min < 0, is_max_negative: max < 0 }
    }

    /// The least.
    pub const fn min(self) -> i128 {
        signed(self.min, self.is_min_negative)
    }

    /// The greatest.
    pub const fn max(self) -> i128 {
        signed(self.max, self.is_max_negative)
    }
}

#[allow(clippy::cast_possible_wrap, clippy::cast_lossless, reason = "an i64 that was cast to u64")]
const fn signed(bits: u64, is_negative: bool) -> i128 {
    if is_negative { bits as i64 as i128 } else { bits as i128 }
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..={}", self.min(), self.max())
    }
}

/// The bits of a finite float, so that errors compare: inverted, which makes them other than zero, so that an option of
/// them is no larger.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FloatBits(NonZeroU64);

impl FloatBits {
    /// The bits of `number`, which is finite.
    pub const fn new(number: f64) -> FloatBits {
        match NonZeroU64::new(!number.to_bits()) {
            Some(bits) => FloatBits(bits),
            // All bits set are a NaN.
            None => FloatBits(NonZeroU64::MAX),
        }
    }

    /// The number.
    pub const fn get(self) -> f64 {
        f64::from_bits(!self.0.get())
    }
}

impl fmt::Debug for FloatBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl fmt::Display for FloatBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::float::spell(self.get(), &mut crate::float::Buffer::new()))
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::Expected;

    #[test]
    fn one_byte_is_singular() {
        assert_eq!([0, 1, 2].map(|size| Expected::Size(size).to_string()), ["0 bytes", "1 byte", "2 bytes"]);
    }
}
