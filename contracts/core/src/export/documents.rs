//! Recipes and unions as C structs: what generated code is made of that reads a document for a C program, and writes one.
//!
//! Reading gives a value of Rust to an *arena*, and fills a C struct that points into it: texts, bytes and arrays of
//! numbers lie where Rust has them; arrays of what C has in another form are built beside. One call frees all of it.
//!
//! Writing goes the other way: a C struct is looked at by code that knows what is right, then the value is written as any
//! value of Rust is. What C can hold and Rust cannot (a pointer that is null, text that is no UTF-8, a number of no value,
//! keys out of order) is a fault of the kind that the header's own check gives. Only when there is one, the struct is
//! looked at again, key by key in declared order, for the first fault of any kind.

mod arena;
mod arguments;
mod containers;
mod descriptor;
mod entry;
mod fault;
mod leaves;
mod place;
mod symbols;

pub use crate::wire_type::Endian;
pub use arena::{Arena, CArena, Memory, arena_free};
pub use containers::{Array, Map, OpenNamed, StrPair, Unknown};
pub use descriptor::{Serial, put_counted, read_descriptor, write_descriptor};
pub use entry::{CFaults, from_json, from_json_lenient, to_json};
pub use fault::{CError, CFound, CFoundValue};
pub use leaves::{Bits, ByteArray, Bytes, OpenValue, Str, Truth, Value};
pub use place::At;

use crate::WireError;
use crate::json::{JsonType, Plain};

/// A form of `T` in C, spelled in JSON as `S` says.
///
/// # Safety
/// Bytes that are all zero are a value of it, and it is laid out as the C type that it stands for.
pub unsafe trait Mirror<T: JsonType<S>, S = Plain>: Copy + 'static {
    /// The value that a C program means.
    ///
    /// # Safety
    /// What it points to is there, in the number that it says, and nobody changes it.
    unsafe fn take(&self, at: At<'_>) -> Result<T, WireError>;

    /// What a C program is shown of a value, for as long as the value and `memory` last.
    fn of(value: &T, memory: &mut Memory) -> Self;

    /// The same of all items of an array, one behind the other.
    fn items(values: &[T], memory: &mut Memory) -> *const Self {
        let mut items = alloc::vec::Vec::with_capacity(values.len());
        for value in values {
            items.push(Self::of(value, memory));
        }
        memory.keep(items)
    }
}

/// What an absent key is in C.
pub fn zero<T: JsonType<S>, S, C: Mirror<T, S>>() -> C {
    // SAFETY: a mirror promises that this is a value of it.
    unsafe { core::mem::zeroed() }
}
