//! Why bytes or a value were refused: what was expected, what came, where.

use core::fmt;
use core::num::NonZeroU64;

use crate::rule::{Condition, Rule, Values};
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
    /// What a document says, as it spells it: at most 40 bytes, then `…` if there were more.
    Text {
        /// The bytes of UTF-8, then zeros.
        bytes: [u8; 43],
        /// How many of `bytes` count.
        length: u8,
    },
    /// A byte where no such byte can stand.
    Byte(u8),
    /// The end of the document.
    End,
    /// What a rule read; the rule, in [`WireError::expected`], has the names.
    Values(Values),
}

impl Found {
    /// Text, cut to at most 40 bytes.
    #[cfg(feature = "json")]
    pub(crate) fn brief(text: &str) -> Found {
        let (kept, mark) = if text.len() <= 40 {
            (text, "")
        } else {
            let cut = (0..=40).rev().find(|&cut| text.is_char_boundary(cut)).unwrap_or(0);
            (&text[..cut], "…")
        };
        let mut bytes = [0; 43];
        bytes[..kept.len()].copy_from_slice(kept.as_bytes());
        bytes[kept.len()..kept.len() + mark.len()].copy_from_slice(mark.as_bytes());
        #[allow(clippy::cast_possible_truncation, reason = "at most 43")]
        let length = (kept.len() + mark.len()) as u8;
        Found::Text { bytes, length }
    }
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
            _ => write!(f, ", found {}", self.came()),
        }
    }
}

impl WireError {
    /// What came, in words: [`found`](Self::found), where what a rule read has its names
    /// (`offset = 5, size = 10`).
    pub fn came(&self) -> impl fmt::Display + '_ {
        Came(self)
    }
}

/// What came, in words.
struct Came<'a>(&'a WireError);

impl fmt::Display for Came<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0.found, self.0.expected) {
            (Found::Values(values), Expected::Rule(rule)) => values.named(rule.operands, f),
            (Found::Values(values), Expected::Condition(condition)) => {
                values.named(condition.rule.operands, f)
            }
            (found, _) => found.fmt(f),
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
            Expected::Words(words) => f.write_str(words),
            Expected::Most { count, unit } => write!(f, "at most {count} {}", unit.name()),
            Expected::Items(count) => write!(f, "{count} items"),
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
            Found::Text { ref bytes, length } => {
                let text = bytes.get(..usize::from(length)).and_then(|text| core::str::from_utf8(text).ok());
                f.write_str(text.unwrap_or(""))
            }
            Found::Byte(byte) => write!(f, "byte {byte:#04x}"),
            Found::End => f.write_str("the end"),
            Found::Values(ref values) => values.fmt(f),
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

impl WireError {
    /// A rule that does not hold, of what starts at `offset`.
    #[doc(hidden)]
    #[cold]
    #[must_use]
    pub fn rule(rule: &'static Rule, values: Values, offset: usize) -> Self {
        let (contract, expected) = (rule.contract, Expected::Rule(rule));
        WireError { code: Code::RuleViolated, contract, field: "", offset, expected, found: read(values) }
    }

    /// A condition on a field that does not hold, of what starts at `offset`.
    #[doc(hidden)]
    #[cold]
    #[must_use]
    pub fn condition(condition: &'static Condition, values: Values, offset: usize) -> Self {
        WireError {
            code: Code::ConditionViolated,
            contract: condition.rule.contract,
            field: condition.field,
            offset,
            expected: Expected::Condition(condition),
            found: read(values),
        }
    }

    /// A refusal at a place.
    #[cold]
    pub(crate) fn at(at: At, code: Code, expected: Expected, found: Found) -> Self {
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

/// What a rule read, if it read anything.
fn read(values: Values) -> Found {
    if values.is_empty() { Found::Nothing } else { Found::Values(values) }
}

/// Results of `WireError` are handed on by users' functions, which clippy's `result_large_err` asks to be small.
const _: () = assert!(size_of::<WireError>() < 128);
