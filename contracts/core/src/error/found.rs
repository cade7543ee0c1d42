//! What a reader or writer was given, and how an error says it.

use core::fmt;

use crate::rule::Values;

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
    /// What a rule read; the rule, in [`WireError::expected`](crate::WireError::expected), has the names.
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

/// Bytes, two digits each.
pub(super) fn hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}
