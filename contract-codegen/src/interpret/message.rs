//! What the bytes of a message mean, and whose the file descriptors beside them are.
//!
//! Which fault is reported when several stand in one message is part of the contract: longer than its bound (where there
//! is a tail), each part by its own reader, bytes behind the last of them, how long the tail is and then its elements, the
//! conditions and numbers of the groups of file descriptors in declared order, how many came, rules. Offsets count from
//! the start of the message. File descriptors are not looked at: they are numbered from 0 in the order in which they came.
//!
//! In writing the same is asked of the value, each part by its own writer first, and then the bound. A group is also
//! asked for as many file descriptors as its own condition or number says, so that what is written is split alike.

mod check;
mod import;
mod read;
mod variants;
mod write;

use std::ops::Range;

pub use import::import;
pub use read::{read, suggested};
pub use variants::{Chosen, ChosenReading, import_chosen, read_chosen, write_chosen};
pub use write::write;

use super::{Fault, Value, json};

/// A message that was accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageReading {
    /// What it says.
    pub value: MessageValue,
    /// The same value written again. A part that grows is written as its newest version has it, so that what is written
    /// may be longer than what was read, and too long.
    pub written: Result<Vec<u8>, Fault>,
}

/// A value read from a message, or to be written as one.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageValue {
    /// The parts, as declared.
    pub parts: Vec<PartValue>,
    /// What stands behind them, where the message has a tail.
    pub tail: Option<TailValue>,
    /// For each group, as declared, the positions of its file descriptors; one range begins where the one before it ends.
    pub fds: Vec<Range<usize>>,
}

/// What a part of a message says.
#[derive(Debug, Clone, PartialEq)]
pub enum PartValue {
    /// A descriptor.
    Descriptor(Value),
    /// A recipe or union, which is the whole body.
    Document(json::Value),
}

/// What the tail of a message says.
#[derive(Debug, Clone, PartialEq)]
pub enum TailValue {
    /// Descriptors.
    Elements(Vec<Value>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Text.
    Text(String),
}

impl TailValue {
    /// How many elements there are: descriptors, or bytes.
    pub fn len(&self) -> usize {
        match self {
            TailValue::Elements(items) => items.len(),
            TailValue::Bytes(bytes) => bytes.len(),
            TailValue::Text(text) => text.len(),
        }
    }

    /// Whether there is nothing behind the parts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
