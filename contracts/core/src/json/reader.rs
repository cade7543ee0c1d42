//! A document as it is read: where the reader stands, and why it stopped.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::object::Object;
use super::text::{plain_run, unescape, unescaped_length};
use super::walk::{self, Duplicates, Problem};
use super::{Bounds, Stop};
use crate::error::{At, Place};
use crate::{Code, Expected, Found, Unit, WireError};

/// How a document is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Once, as it comes. A refusal says nothing yet, and may be of a document that is only unusual.
    Fast,
    /// Again, by declared order: its syntax and keys were looked at, and what is refused now is the fault.
    Ordered,
    /// The same, but that a lenient key's fault is listed and its value taken for absent.
    Lenient,
}

/// The place of the reader in a document. Where a type reads, it stands at the first byte of its value.
pub struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) levels: usize,
    pub(super) mode: Mode,
    pub(super) fault: Option<WireError>,
    pub(super) faults: Vec<WireError>,
}

/// Where a value started that may turn out to be at fault.
#[derive(Clone, Copy)]
pub struct Before {
    at: usize,
    depth: usize,
    faults: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, levels: usize, mode: Mode) -> Self {
        Reader { text, at: 0, depth: 0, levels, mode, fault: None, faults: Vec::new() }
    }

    /// The byte the reader stands at; 0 at the end, which is a byte of no document.
    #[inline(always)]
    pub(super) fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    #[inline(always)]
    pub(super) fn space(&mut self) {
        if self.peek() <= b' ' {
            self.some_space();
        }
    }

    fn some_space(&mut self) {
        while let b' ' | b'\t' | b'\n' | b'\r' = self.peek() {
            self.at += 1;
        }
    }

    /// Refuses what stands at a place.
    #[cold]
    pub(super) fn refuse(
        &mut self,
        place: &'static Place,
        offset: usize,
        code: Code,
        expected: Expected,
        found: Found,
    ) -> Stop {
        self.fault = Some(WireError::at(At { place, offset }, code, expected, found));
        Stop
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
    fn keep(&mut self, error: WireError) -> Stop {
        self.fault = Some(error);
        Stop
    }

    /// Refuses the absence of a key.
    #[cold]
    pub fn missing(&mut self, object: Object, place: &'static Place) -> Stop {
        self.refuse(place, object.start, Code::MissingKey, Expected::Key(place.field), Found::Nothing)
    }

    /// Refuses a value of another type, or null.
    #[cold]
    pub(super) fn mismatch(&mut self, place: &'static Place, expected: &'static str) -> Stop {
        let code = if self.peek() == b'n' { Code::NullNotAllowed } else { Code::WrongType };
        let found = self.brief(self.at);
        self.refuse(place, self.at, code, Expected::Words(expected), found)
    }

    /// The value at an offset, as errors show it.
    #[cold]
    pub(super) fn brief(&self, at: usize) -> Found {
        match self.text.as_bytes().get(at) {
            Some(b'[') => return Found::brief("an array"),
            Some(b'{') => return Found::brief("an object"),
            _ if self.mode == Mode::Fast => return Found::Nothing,
            _ => {}
        }
        match walk::value(self.text, at, 0, 0, Duplicates::Passed) {
            Ok(end) => Found::brief(&self.text[at..end]),
            Err(_) => Found::Nothing,
        }
    }

    /// Passes null, if that is what stands here.
    #[inline]
    pub fn null(&mut self) -> bool {
        let is_null = self.peek() == b'n'
            && self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(b"null"));
        if is_null {
            self.at += 4;
        }
        is_null
    }

    /// Passes any value, and gives its text.
    pub(super) fn skip(&mut self) -> Result<&'a str, Stop> {
        if let Some(string) = self.plain_string() {
            return Ok(string);
        }
        let duplicates = if self.mode == Mode::Fast { Duplicates::Refused } else { Duplicates::Passed };
        match walk::value(self.text, self.at, self.depth, self.levels, duplicates) {
            Ok(end) => {
                let value = &self.text[self.at..end];
                self.at = end;
                Ok(value)
            }
            Err(_) => Err(Stop),
        }
    }

    /// Passes a string without escapes, if that is what stands here, and gives it with its quotes.
    #[inline]
    pub(super) fn plain_string(&mut self) -> Option<&'a str> {
        let start = self.at;
        if self.peek() != b'"' {
            return None;
        }
        let end = plain_run(self.text.as_bytes(), start + 1);
        if self.text.as_bytes().get(end) != Some(&b'"') {
            return None;
        }
        self.at = end + 1;
        Some(&self.text[start..=end])
    }

    /// A string of at most `bounds.max_len` bytes.
    pub(super) fn text(&mut self, place: &'static Place, bounds: &Bounds) -> Result<Cow<'a, str>, Stop> {
        self.string(place, bounds.max_len)
    }

    pub(super) fn string(&mut self, place: &'static Place, max_len: usize) -> Result<Cow<'a, str>, Stop> {
        if self.peek() != b'"' {
            return Err(self.mismatch(place, "a string"));
        }
        let start = self.at + 1;
        let end = plain_run(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) != Some(&b'"') {
            return self.escaped(place, max_len);
        }
        if end - start > max_len {
            return Err(self.too_long(place, self.at, max_len, end - start));
        }
        self.at = end + 1;
        Ok(Cow::Borrowed(&self.text[start..end]))
    }

    #[cold]
    fn escaped(&mut self, place: &'static Place, max_len: usize) -> Result<Cow<'a, str>, Stop> {
        let start = self.at;
        let end = walk::string(self.text, start).map_err(|_| Stop)?;
        let raw = &self.text[start + 1..end - 1];
        let length = unescaped_length(raw);
        if length > max_len {
            return Err(self.too_long(place, start, max_len, length));
        }
        self.at = end;
        Ok(unescape(raw))
    }

    /// Refuses more bytes than a bound.
    #[cold]
    pub(super) fn too_long(
        &mut self,
        place: &'static Place,
        offset: usize,
        max_len: usize,
        length: usize,
    ) -> Stop {
        let expected = Expected::Most { count: max_len as u64, unit: Unit::Bytes };
        self.refuse(place, offset, Code::TooLarge, expected, Found::Unsigned(length as u64))
    }

    /// Enters the object that stands here.
    pub(super) fn open_object(&mut self, place: &'static Place) -> Result<Object, Stop> {
        let start = self.at;
        if self.peek() != b'{' {
            return Err(self.mismatch(place, "an object"));
        }
        self.enter()?;
        Ok(Object { start })
    }

    /// Enters the array that stands here; gives its offset.
    pub(super) fn open_array(&mut self, place: &'static Place) -> Result<usize, Stop> {
        let start = self.at;
        if self.peek() != b'[' {
            return Err(self.mismatch(place, "an array"));
        }
        self.enter()?;
        Ok(start)
    }

    fn enter(&mut self) -> Result<(), Stop> {
        if self.depth >= self.levels {
            return Err(Stop);
        }
        self.depth += 1;
        self.at += 1;
        self.space();
        Ok(())
    }

    /// Goes to an array's first item, if there is one.
    pub(super) fn first_item(&mut self) -> bool {
        if self.peek() == b']' {
            self.leave();
            return false;
        }
        true
    }

    /// Goes to an array's next item, if there is one.
    pub(super) fn next_item(&mut self) -> Result<bool, Stop> {
        self.space();
        match self.peek() {
            b',' => {
                self.at += 1;
                self.space();
                Ok(true)
            }
            b']' => {
                self.leave();
                Ok(false)
            }
            _ => Err(Stop),
        }
    }

    fn leave(&mut self) {
        self.at += 1;
        self.depth -= 1;
    }

    /// An object's first key, if there is one; then the reader stands at its value.
    pub(super) fn first_key(&mut self) -> Result<Option<&'a str>, Stop> {
        if self.peek() == b'}' {
            self.leave();
            return Ok(None);
        }
        self.key().map(Some)
    }

    /// An object's next key, if there is one; then the reader stands at its value.
    pub(super) fn next_key(&mut self) -> Result<Option<&'a str>, Stop> {
        self.space();
        match self.peek() {
            b',' => {
                self.at += 1;
                self.space();
                self.key().map(Some)
            }
            b'}' => {
                self.leave();
                Ok(None)
            }
            _ => Err(Stop),
        }
    }

    /// A key without escapes, and its colon. One with escapes is left to the second reading.
    #[inline(always)]
    fn key(&mut self) -> Result<&'a str, Stop> {
        if self.peek() != b'"' {
            return Err(Stop);
        }
        let start = self.at + 1;
        let end = plain_run(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) != Some(&b'"') {
            return Err(Stop);
        }
        let key = &self.text[start..end];
        self.at = end + 1;
        self.colon()?;
        Ok(key)
    }

    /// A colon, with what white space is around it.
    #[inline(always)]
    pub(super) fn colon(&mut self) -> Result<(), Stop> {
        self.space();
        if self.peek() != b':' {
            return Err(Stop);
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    /// Where this value starts, to be forgiven if need be.
    #[inline(always)]
    pub fn before(&self) -> Before {
        Before { at: self.at, depth: self.depth, faults: self.faults.len() }
    }

    /// Lists the fault of a value and passes the value, in lenient reading.
    #[cold]
    pub fn forgive(&mut self, before: Before) -> Result<(), Stop> {
        if self.mode != Mode::Lenient {
            return Err(Stop);
        }
        let fault = self.fault.take().ok_or(Stop)?;
        self.faults.truncate(before.faults);
        self.faults.push(fault);
        self.at = before.at;
        self.depth = before.depth;
        self.skip().map(|_| ())
    }
}

/// A fault of the whole document.
#[cold]
pub(super) fn of_document(contract: &'static str, problem: Problem) -> WireError {
    WireError {
        code: problem.code,
        contract,
        field: "",
        offset: problem.offset,
        expected: problem.expected,
        found: problem.found,
    }
}
