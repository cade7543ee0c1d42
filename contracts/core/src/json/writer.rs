//! A document as it is written.

use alloc::vec::Vec;

use super::Stop;
use crate::error::{At, Place};
use crate::float::{self, Buffer};
use crate::{Code, Expected, Found, WireError};

/// What was written so far, and why no more was.
pub struct Writer {
    pub(crate) out: Vec<u8>,
    pub(super) depth: usize,
    pub(super) deepest: usize,
    /// Whether members were written whose keys are not declared, so that one may be there twice.
    pub(super) has_rest: bool,
    /// The first union that such members have read as another variant.
    pub(super) misread: Option<&'static Place>,
    pub(crate) fault: Option<WireError>,
}

impl Writer {
    pub(crate) const fn new(out: Vec<u8>) -> Self {
        Writer { out, depth: 0, deepest: 0, has_rest: false, misread: None, fault: None }
    }

    /// Writes text as it is.
    #[inline(always)]
    pub fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Passes a verdict on.
    #[inline(always)]
    pub fn admit(&mut self, verdict: Result<(), WireError>) -> Result<(), Stop> {
        match verdict {
            Ok(()) => Ok(()),
            Err(error) => Err(self.keep(error)),
        }
    }

    #[cold]
    pub(super) fn keep(&mut self, error: WireError) -> Stop {
        self.fault = Some(error);
        Stop
    }

    /// Refuses a value.
    #[cold]
    pub(super) fn refuse(
        &mut self,
        place: &'static Place,
        code: Code,
        expected: Expected,
        found: Found,
    ) -> Stop {
        self.keep(WireError::at(At { place, offset: 0 }, code, expected, found))
    }

    /// Refuses the value that was written from `start` on, and shows it.
    #[cold]
    pub(super) fn refuse_written(
        &mut self,
        start: usize,
        place: &'static Place,
        code: Code,
        expected: Expected,
    ) -> Stop {
        let found = Found::brief(core::str::from_utf8(&self.out[start..]).unwrap_or(""));
        self.refuse(place, code, expected, found)
    }

    /// Opens an object or array, whose members or items each start with a comma.
    #[inline]
    pub(super) fn open(&mut self) -> usize {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        self.out.len()
    }

    /// Closes it: its bracket takes the place of the first comma.
    #[inline]
    pub(super) fn close(&mut self, start: usize, brackets: [u8; 2]) {
        self.depth -= 1;
        match self.out.get_mut(start) {
            Some(comma) => *comma = brackets[0],
            None => self.out.push(brackets[0]),
        }
        self.out.push(brackets[1]);
    }

    /// Writes a string.
    #[inline]
    pub(crate) fn string(&mut self, text: &str) {
        super::text::write(&mut self.out, text);
    }

    /// Writes an integer.
    pub(super) fn integer(&mut self, magnitude: u64, is_negative: bool) {
        let mut digits = [0; 20];
        let mut start = digits.len();
        let mut rest = magnitude;
        while rest >= 100 {
            start -= 2;
            #[allow(clippy::cast_possible_truncation, reason = "less than 100")]
            let pair = 2 * (rest % 100) as usize;
            rest /= 100;
            digits[start..start + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
        }
        #[allow(clippy::cast_possible_truncation, reason = "less than 100")]
        let rest = rest as usize;
        if rest >= 10 {
            start -= 2;
            digits[start..start + 2].copy_from_slice(&PAIRS[2 * rest..2 * rest + 2]);
        } else {
            start -= 1;
            digits[start] = PAIRS[2 * rest + 1];
        }
        if is_negative {
            self.out.push(b'-');
        }
        self.out.extend_from_slice(&digits[start..]);
    }

    /// Writes a finite float.
    pub(super) fn float(&mut self, number: f64) {
        self.raw(float::spell(number, &mut Buffer::new()));
    }
}

/// The numbers from 00 to 99.
static PAIRS: [u8; 200] = {
    let mut pairs = [0; 200];
    let mut number = 0;
    while number < 100 {
        #[allow(clippy::cast_possible_truncation, reason = "digits")]
        {
            pairs[2 * number] = b'0' + (number / 10) as u8;
            pairs[2 * number + 1] = b'0' + (number % 10) as u8;
        }
        number += 1;
    }
    pairs
};
