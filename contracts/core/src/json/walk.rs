//! The syntax of JSON, looked at from left to right and without recursion: how deep a document nests is bounded by its
//! contract, not by the stack.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::text::{plain_run, unescape};
use crate::{Code, Expected, Found};
use alloc::borrow::Cow;

/// What is wrong with a document, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem {
    pub(super) code: Code,
    pub(super) offset: usize,
    pub(super) expected: Expected,
    pub(super) found: Found,
}

/// Whether one object with a key twice is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Duplicates {
    Refused,
    /// They were looked for already, or are another walk's to find.
    Passed,
}

/// Looks at the value that starts at `at`, behind any white space, inside `depth` objects and arrays of at most `levels`;
/// gives where it ends.
pub(super) fn value(
    text: &str,
    at: usize,
    depth: usize,
    levels: usize,
    duplicates: Duplicates,
) -> Result<usize, Problem> {
    let refused = duplicates == Duplicates::Refused;
    Walk { text, bytes: text.as_bytes(), at, depth, levels, refused, frames: Vec::new() }.run()
}

/// Looks at a whole document.
pub(super) fn document(text: &str, levels: usize, duplicates: Duplicates) -> Result<(), Problem> {
    let end = value(text, 0, 0, levels, duplicates)?;
    let mut walk =
        Walk { text, bytes: text.as_bytes(), at: end, depth: 0, levels, refused: false, frames: Vec::new() };
    walk.space();
    if walk.at < text.len() { Err(walk.wrong("the end")) } else { Ok(()) }
}

/// Where the string that starts with the quote at `at` ends.
pub(super) fn string(text: &str, at: usize) -> Result<usize, Problem> {
    let mut walk =
        Walk { text, bytes: text.as_bytes(), at, depth: 0, levels: 0, refused: false, frames: Vec::new() };
    walk.string()?;
    Ok(walk.at)
}

/// Where the number that starts at `at` ends.
pub(super) fn number(text: &str, at: usize) -> Result<usize, Problem> {
    let mut walk =
        Walk { text, bytes: text.as_bytes(), at, depth: 0, levels: 0, refused: false, frames: Vec::new() };
    walk.number()?;
    Ok(walk.at)
}

struct Walk<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    levels: usize,
    refused: bool,
    frames: Vec<Frame<'a>>,
}

/// An object or an array that was opened.
enum Frame<'a> {
    Array,
    Object(Keys<'a>),
}

/// The keys of one object.
pub(super) enum Keys<'a> {
    Few(Vec<Cow<'a, str>>),
    Many(BTreeSet<Cow<'a, str>>),
}

impl<'a> Keys<'a> {
    pub(super) const fn new() -> Self {
        Keys::Few(Vec::new())
    }

    /// Adds a key; false when it is there already.
    pub(super) fn add(&mut self, key: Cow<'a, str>) -> bool {
        match self {
            Keys::Few(keys) => {
                if keys.contains(&key) {
                    return false;
                }
                if keys.len() == 16 {
                    let mut many: BTreeSet<_> = core::mem::take(keys).into_iter().collect();
                    many.insert(key);
                    *self = Keys::Many(many);
                } else {
                    keys.push(key);
                }
                true
            }
            Keys::Many(keys) => keys.insert(key),
        }
    }
}

impl<'a> Walk<'a> {
    fn run(mut self) -> Result<usize, Problem> {
        loop {
            self.space();
            match self.peek() {
                Some(b'{') => {
                    self.open()?;
                    self.space();
                    if self.peek() == Some(b'}') {
                        self.at += 1;
                        self.depth -= 1;
                    } else {
                        let mut keys = Keys::new();
                        self.key(&mut keys, "a key or `}`")?;
                        self.frames.push(Frame::Object(keys));
                        continue;
                    }
                }
                Some(b'[') => {
                    self.open()?;
                    self.space();
                    if self.peek() == Some(b']') {
                        self.at += 1;
                        self.depth -= 1;
                    } else {
                        self.frames.push(Frame::Array);
                        if !self.peek().is_some_and(starts_value) {
                            return Err(self.wrong("a value or `]`"));
                        }
                        continue;
                    }
                }
                Some(b'"') => self.string()?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.literal("true", "`true`")?,
                Some(b'f') => self.literal("false", "`false`")?,
                Some(b'n') => self.literal("null", "`null`")?,
                _ => return Err(self.wrong("a value")),
            }
            // A value has ended: so have the objects and arrays that end here.
            loop {
                let Some(frame) = self.frames.pop() else { return Ok(self.at) };
                self.space();
                match (frame, self.peek()) {
                    (Frame::Array, Some(b']')) | (Frame::Object(_), Some(b'}')) => {
                        self.at += 1;
                        self.depth -= 1;
                    }
                    (Frame::Array, Some(b',')) => {
                        self.at += 1;
                        self.frames.push(Frame::Array);
                        break;
                    }
                    (Frame::Object(mut keys), Some(b',')) => {
                        self.at += 1;
                        self.space();
                        self.key(&mut keys, "a key")?;
                        self.frames.push(Frame::Object(keys));
                        break;
                    }
                    (Frame::Array, _) => return Err(self.wrong("`,` or `]`")),
                    (Frame::Object(_), _) => return Err(self.wrong("`,` or `}`")),
                }
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn open(&mut self) -> Result<(), Problem> {
        if self.depth >= self.levels {
            return Err(too_deep(self.at, self.levels));
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    /// A key and its colon.
    fn key(&mut self, keys: &mut Keys<'a>, expected: &'static str) -> Result<(), Problem> {
        if self.peek() != Some(b'"') {
            return Err(self.wrong(expected));
        }
        let start = self.at;
        self.string()?;
        let token = &self.text[start..self.at];
        if self.refused && !keys.add(unescape(&token[1..token.len() - 1])) {
            return Err(duplicate(start, token));
        }
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.wrong("`:`"));
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Problem> {
        self.at += 1;
        loop {
            self.at = plain_run(self.bytes, self.at);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return Err(self.wrong("an escape")),
                None => return Err(self.wrong("the end of the string")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Problem> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                let unit = self.code_unit()?;
                let is_pair = match unit {
                    0xd800..=0xdbff => match self.bytes.get(self.at..self.at + 6) {
                        Some([b'\\', b'u', digits @ ..]) => {
                            self.at += 6;
                            hexadecimal(digits).is_some_and(|low| (0xdc00..=0xdfff).contains(&low))
                        }
                        _ => false,
                    },
                    0xdc00..=0xdfff => false,
                    _ => true,
                };
                if !is_pair {
                    return Err(Problem {
                        code: Code::BadUtf8,
                        offset: start,
                        expected: Expected::Words("a pair of surrogates"),
                        found: Found::Nothing,
                    });
                }
            }
            _ => return Err(self.wrong("an escape")),
        }
        Ok(())
    }

    fn code_unit(&mut self) -> Result<u32, Problem> {
        let digits = self.bytes.get(self.at..).unwrap_or_default();
        let digits = digits.get(..4).unwrap_or(digits);
        match hexadecimal(digits) {
            Some(unit) if digits.len() == 4 => {
                self.at += 4;
                Ok(unit)
            }
            _ => {
                self.at += digits.iter().take_while(|digit| digit.is_ascii_hexdigit()).count();
                Err(self.wrong("four hexadecimal digits"))
            }
        }
    }

    fn number(&mut self) -> Result<(), Problem> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if let Some(b'0'..=b'9') = self.peek() {
                return Err(self.wrong("no digit after a leading zero"));
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Problem> {
        let count = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.wrong("a digit"));
        }
        self.at += count;
        Ok(())
    }

    fn literal(&mut self, word: &'static str, expected: &'static str) -> Result<(), Problem> {
        for byte in word.bytes() {
            if self.peek() != Some(byte) {
                return Err(self.wrong(expected));
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Another byte than expected stands here, or nothing does.
    fn wrong(&self, expected: &'static str) -> Problem {
        Problem {
            code: Code::NotJson,
            offset: self.at,
            expected: Expected::Words(expected),
            found: self.peek().map_or(Found::End, Found::Byte),
        }
    }
}

const fn starts_value(byte: u8) -> bool {
    matches!(byte, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |number, &digit| Some(number << 4 | char::from(digit).to_digit(16)?))
}

pub(super) fn too_deep(offset: usize, levels: usize) -> Problem {
    Problem {
        code: Code::TooDeep,
        offset,
        expected: Expected::Most { count: levels as u64, unit: crate::Unit::Levels },
        found: Found::Nothing,
    }
}

pub(super) fn duplicate(offset: usize, token: &str) -> Problem {
    Problem {
        code: Code::DuplicateKey,
        offset,
        expected: Expected::Words("each key once"),
        found: Found::brief(token),
    }
}
