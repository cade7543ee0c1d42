//! JSON of any kind, as text.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use super::reader::of_document;
use super::text::{plain_run, unescape, write, written_length};
use super::walk::{self, Duplicates};
use crate::WireError;

/// JSON of any kind: its text without white space, with strings escaped as contracts write them, numbers as they were
/// spelled and members in their order. No object in it has a key twice.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Json(Box<str>);

impl Json {
    /// Checks a text.
    pub fn new(text: &str) -> Result<Json, WireError> {
        for duplicates in [Duplicates::Passed, Duplicates::Refused] {
            walk::document(text, usize::MAX, duplicates).map_err(|problem| of_document("Json", problem))?;
        }
        let mut compacted = Vec::with_capacity(text.len());
        compact(text, &mut compacted);
        Ok(Json::of_compact(compacted))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn of_compact(text: Vec<u8>) -> Json {
        // Written by `compact` from a text: this is one.
        Json(String::from_utf8(text).unwrap_or_default().into_boxed_str())
    }

    /// How many objects and arrays are around what is deepest in it.
    pub(super) fn depth(&self) -> usize {
        let (mut depth, mut deepest) = (0usize, 0);
        outside_strings(&self.0, |byte| match byte {
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        });
        deepest
    }
}

fn outside_strings(text: &str, mut visit: impl FnMut(u8)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' {
            at = walk::string(text, at).unwrap_or(bytes.len());
        } else {
            visit(byte);
            at += 1;
        }
    }
}

/// Adds a text of JSON that was checked, without white space and with strings escaped as contracts write them.
pub(super) fn compact(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' {
            let end = walk::string(text, at).unwrap_or(bytes.len());
            if plain_run(bytes, at + 1) == end - 1 {
                out.extend_from_slice(&bytes[at..end]);
            } else {
                write(out, &unescape(&text[at + 1..end - 1]));
            }
            at = end;
        } else {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                out.push(byte);
            }
            at += 1;
        }
    }
}

/// How many bytes [`compact`] adds.
pub(super) fn compact_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut length) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' {
            let end = walk::string(text, at).unwrap_or(bytes.len());
            length += written_length(&text[at + 1..end - 1]);
            at = end;
        } else {
            length += usize::from(!matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
            at += 1;
        }
    }
    length
}

impl FromStr for Json {
    type Err = WireError;

    fn from_str(text: &str) -> Result<Json, WireError> {
        Json::new(text)
    }
}

impl AsRef<str> for Json {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
