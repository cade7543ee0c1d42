//! Why bytes or a value were refused: what was expected, what came, where.

mod expected;
mod found;
mod refuse;

use core::fmt;

use crate::rule::{Condition, Rule, Values};
use crate::{Code, Enumeration};

pub use expected::{Expected, FloatBits, Range, Spelling, Unit};
pub use found::Found;
pub use refuse::{At, Place, Refuse};

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
