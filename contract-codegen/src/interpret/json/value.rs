//! What a document says.

use crate::interpret;

/// A value read from a document, or to be written as one. It is only as typed as its contract makes it: an enumeration
/// is the number or, where other names are kept, the text it is spelled as.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// An integer, the number of an enumeration's value, or flags.
    Integer(i128),
    /// A float; of an `f32`, the same number with more bits.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// Text, or a name that an open enumeration does not have.
    Text(String),
    /// Bytes that are spelled as text.
    Bytes(Vec<u8>),
    /// Any JSON, without white space.
    Json(String),
    /// An array.
    List(Vec<Value>),
    /// Keys and values, in the order of the keys' bytes.
    Map(Vec<(String, String)>),
    /// A descriptor.
    Descriptor(interpret::Value),
    /// A recipe: a value for each of its keys, as declared; nothing for an optional one that is absent.
    Recipe(Vec<Option<Value>>),
    /// A union: the position of the variant, and what it holds.
    Union(usize, Option<Box<Value>>),
    /// A union of a tag that no variant has, and what came with it.
    Other {
        /// The tag.
        tag: String,
        /// Of an internal tag the object of all that nobody else has, of an adjacent one the content if there is any.
        content: Option<String>,
    },
}
