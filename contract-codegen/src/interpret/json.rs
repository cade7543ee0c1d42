//! What the text of a document means: recipes, unions and what they hold.
//!
//! Which fault is reported when several stand in one document is part of the contract: too long, not UTF-8, syntax and
//! depth, duplicate keys, and then the values. An object's keys are looked at in the order they are declared in; a missing
//! key is at fault in its turn. Behind all of them come keys that nobody has, then conditions and rules. A nested value
//! is looked at in its place, its own unknown keys, conditions and rules included; so is a flattened part, but for keys
//! that nobody has, which are the whole object's. A union's tag comes before all else that it has.
//!
//! In writing the same is asked of the value in the same order, but every offset is 0.

mod check;
mod document;
mod encoding;
mod import;
mod lookup;
mod number;
mod read;
mod value;
mod write;

pub use import::import;
pub(crate) use lookup::known_tags;
pub(super) use lookup::look;
pub(crate) use read::bounds;
pub use read::{read, read_lenient};
pub use value::Value;
pub(crate) use write::shown_tag;
pub use write::{check, document, write};

use super::Fault;
use crate::model::{Scalar, Spelling};

/// A document that was accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonReading {
    /// What it says.
    pub value: Value,
    /// The same value written again. What is written is longer than what was read when defaults are added, and may be too
    /// long then.
    pub written: Result<String, Fault>,
}

/// The nearest number of that type.
pub(crate) fn narrowed(scalar: Scalar, number: f64) -> f64 {
    lookup::narrowed(scalar, number)
}

/// Bytes as a document spells them.
pub(crate) fn spelled(bytes: &[u8], spelling: Spelling) -> String {
    encoding::encode(bytes, spelling)
}
