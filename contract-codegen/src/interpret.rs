//! A small interpreter of the catalog: what the bytes of a descriptor and the text of a document mean, said a second time.
//!
//! The derive and the emitters turn a declaration into fast code, each in its own way. This module walks the same
//! declaration field by field and is written to be read: it shares no code with them, so that when it and they agree,
//! the agreement says something. Golden vectors take their verdicts from it, and the tests hold every generated
//! language against it.
//!
//! Which fault is reported when several stand in one buffer is part of the contract: size, magic, version, then the
//! other fields by offset, a nested descriptor in its place, then conditions by field, then rules. Contract and field are
//! the innermost, the offset is absolute in the buffer. What holds for documents is said in [`json`], for
//! messages in [`message`].

mod check;
mod code;
mod fault;
mod growth;
mod import;
pub mod json;
pub mod message;
mod read;
mod rule;
mod value;
mod write;

pub use code::{Code, NAMES};
pub use fault::Fault;
pub use growth::{read_or_newer, say_version, version_of, write_version};
pub use import::import;
pub use read::{has_prefix, read, read_prefix};
pub use rule::{Seen, Violated, holds};
pub use value::{ShapeError, Value, hex, unhex};
pub use write::write;

use crate::model::Endian;

/// The byte order of the machine that is imagined to read or write: fields of native order follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// Least significant byte first, as x86-64.
    Little,
    /// Most significant byte first, as s390x.
    Big,
}

impl Host {
    /// The machine this program runs on.
    pub const fn this() -> Host {
        if cfg!(target_endian = "big") { Host::Big } else { Host::Little }
    }

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Host::Little => "little",
            Host::Big => "big",
        }
    }

    /// Whether a field of that order has its least significant byte first.
    pub(crate) const fn is_little(self, endian: Endian) -> bool {
        match endian {
            Endian::Little => true,
            Endian::Big => false,
            Endian::Native => matches!(self, Host::Little),
        }
    }
}

/// A descriptor that was accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// What the bytes say.
    pub value: Value,
    /// The same value written again: equal to the bytes read but for what a writer decides by itself (version,
    /// reserved bytes, elements past their count).
    pub written: Vec<u8>,
}

/// The unsigned integer in these bytes.
fn decode_unsigned(bytes: &[u8], little: bool) -> u64 {
    let push = |number: u64, &byte: &u8| (number << 8) | u64::from(byte);
    if little { bytes.iter().rev().fold(0, push) } else { bytes.iter().fold(0, push) }
}

/// The signed integer in these bytes.
fn decode_signed(bytes: &[u8], little: bool) -> i64 {
    let unused = 64 - 8 * u32::try_from(bytes.len()).expect("an integer has at most 8 bytes");
    (decode_unsigned(bytes, little) << unused).cast_signed() >> unused
}

/// The low bytes of a number.
pub(crate) fn encode(number: u64, size: usize, little: bool) -> Vec<u8> {
    let mut bytes = number.to_le_bytes()[..size].to_vec();
    if !little {
        bytes.reverse();
    }
    bytes
}
