//! Numbers as a document spells them.

use super::walk;
use super::{Reader, Stop};
use crate::error::{Place, Range};
use crate::{Code, Expected, Found, Unit};

/// The longest token of a number that a type is asked to read.
const MAX_TOKEN: usize = 256;

impl Reader<'_> {
    /// An integer of up to 18 digits; none where something else stands, which is then looked at more closely.
    #[allow(clippy::cast_possible_wrap, reason = "18 digits")]
    pub(super) fn short_integer(&mut self) -> Option<i64> {
        let bytes = self.text.as_bytes();
        let is_negative = self.peek() == b'-';
        let start = self.at + usize::from(is_negative);
        let mut end = start;
        let mut magnitude = 0u64;
        let next = loop {
            let byte = bytes.get(end).copied().unwrap_or(0);
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break byte;
            }
            magnitude = magnitude.wrapping_mul(10).wrapping_add(u64::from(digit));
            end += 1;
        };
        let count = end - start;
        if count == 0 || count > 18 || matches!(next, b'.' | b'e' | b'E') {
            return None;
        }
        // A leading zero, and -0, which is no integer.
        if bytes[start] == b'0' && (count > 1 || is_negative) {
            return None;
        }
        self.at = end;
        let magnitude = magnitude as i64;
        Some(if is_negative { -magnitude } else { magnitude })
    }

    /// Any integer; one beyond all types is given as a number beyond them.
    #[cold]
    pub(super) fn long_integer(&mut self, place: &'static Place) -> Result<i128, Stop> {
        let token = self.token(place, "an integer")?;
        let digits = token.strip_prefix('-').unwrap_or(token);
        if token == "-0" || digits.bytes().any(|byte| !byte.is_ascii_digit()) {
            return Err(self.mismatch(place, "an integer"));
        }
        let (length, number) = (token.len(), parse(token));
        self.at += length;
        Ok(number)
    }

    /// The token of a number.
    fn token(&mut self, place: &'static Place, expected: &'static str) -> Result<&str, Stop> {
        if !matches!(self.peek(), b'-' | b'0'..=b'9') {
            return Err(self.mismatch(place, expected));
        }
        let end = walk::number(self.text, self.at).map_err(|_| Stop)?;
        if end - self.at > MAX_TOKEN {
            let expected = Expected::Most { count: MAX_TOKEN as u64, unit: Unit::Characters };
            let found = self.brief(self.at);
            return Err(self.refuse(place, self.at, Code::TooLarge, expected, found));
        }
        Ok(&self.text[self.at..end])
    }

    /// A finite float.
    pub(super) fn float(&mut self, place: &'static Place) -> Result<f64, Stop> {
        let token = self.token(place, "a number")?;
        let (length, number) = (token.len(), token.parse().unwrap_or(f64::INFINITY));
        if number.is_infinite() {
            return Err(self.outside(place, self.at, Expected::Number { least: None, most: None }));
        }
        self.at += length;
        Ok(number)
    }

    /// Refuses the number at an offset.
    #[cold]
    pub(super) fn outside(&mut self, place: &'static Place, offset: usize, expected: Expected) -> Stop {
        let found = self.brief(offset);
        self.refuse(place, offset, Code::OutOfRange, expected, found)
    }

    /// Refuses the integer at an offset.
    #[cold]
    pub(super) fn out_of_range(
        &mut self,
        place: &'static Place,
        offset: usize,
        min: i128,
        max: i128,
    ) -> Stop {
        self.outside(place, offset, Expected::Integer(Range::new(min, max)))
    }
}

/// The integer that decimal digits spell; one beyond all types is given as a number beyond them.
pub(super) fn parse(token: &str) -> i128 {
    let beyond = if token.starts_with('-') { i128::MIN } else { i128::MAX };
    token.parse().unwrap_or(beyond)
}

/// What was found, as an unsigned number.
pub(super) fn count(number: usize) -> Found {
    Found::Unsigned(number as u64)
}
