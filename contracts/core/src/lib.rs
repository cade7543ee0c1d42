//! Declare a wire contract once, with `#[derive(WireContract)]`, and have its Rust half here and its C, C++ and
//! Python halves generated from it.
//!
//! A *descriptor* is fixed-size bytes with explicit offsets and byte order. The derive gives it
//! [`from_bytes`](WireContract::from_bytes), [`read_prefix`](WireContract::read_prefix),
//! [`to_bytes`](WireContract::to_bytes), [`write_to`](WireContract::write_to) and
//! [`view`](WireContract::view), all of which check every byte that can be wrong; and it leaves a *record* of
//! the declaration in the compiled library, from which `cargo wirecontract gen-stubs` writes the other halves.
//!
//! ```
//! use wirecontract::WireContract;
//!
//! /// How a temperature is given.
//! #[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
//! #[repr(u16)]
//! #[wire(enumeration)]
//! pub enum Unit {
//!     Kelvin = 1,
//!     Celsius = 2,
//! }
//!
//! /// One reading of a sensor.
//! #[derive(WireContract, Clone, Debug, PartialEq)]
//! #[repr(C)]
//! #[wire(descriptor, version = 1, size = 16)]
//! pub struct Reading {
//!     #[wire(magic = b"TEMP")]
//!     pub magic: [u8; 4],
//!     pub unit: Unit,
//!     #[wire(length_of = samples)]
//!     pub count: u16,
//!     pub samples: [i16; 4],
//! }
//!
//! # fn main() -> Result<(), wirecontract::WireError> {
//! let mut reading = Reading { magic: Reading::MAGIC, unit: Unit::Celsius, count: 0, samples: [0; 4] };
//! reading.set_samples(&[215, 216])?;
//! let bytes = reading.to_bytes()?;
//! assert_eq!(bytes, *b"TEMP\x02\0\x02\0\xd7\0\xd8\0\0\0\0\0");
//! assert_eq!(Reading::from_bytes(&bytes)?.samples(), [215, 216]);
//!
//! let error = Reading::from_bytes(b"TEMP\x03\0\x02\0\xd7\0\xd8\0\0\0\0\0").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "Reading.unit at byte 4: unknown_value: expected a value of Unit, found 3"
//! );
//! # Ok(())
//! # }
//! ```
//!
//! An *abi struct* is a struct of C with pointers in it, shared as memory inside one process: see [`AbiStruct`].
#![no_std]
#![deny(missing_docs)]

#[cfg(feature = "json")]
extern crate alloc;

mod abi;
mod array;
mod code;
#[doc(hidden)]
pub mod counted;
mod enumeration;
mod error;
mod flags;
mod float;
#[cfg(feature = "json")]
mod json;
mod layout;
mod open;
mod probe;
pub mod record;
#[doc(hidden)]
pub mod rule;
mod scalar;
pub mod slice;
mod traits;
mod wire_type;

pub use abi::{AbiLayout, AbiPlace, AbiStruct, DataModel};
pub use array::ArrayView;
pub use code::Code;
pub use enumeration::{Enumeration, Value};
pub use error::{Expected, FloatBits, Found, Range, Spelling, Unit, WireError};
pub use flags::{FlagSet, Flags, FlagsIter};
#[cfg(feature = "json")]
pub use json::{Json, OpenName, UnknownVariant, WireJson};
pub use open::Open;
pub use rule::{Condition, Item, Rule, Says, Values};
pub use traits::{Contract, Kind, WireContract};
pub use wire_type::{Endian, View};
/// Declares a struct or an enum as a contract: see the crate documentation and the grammar of declarations.
pub use wirecontract_macros::WireContract;

/// What an expansion of the derive calls; not for use by hand, and free to change in any version.
#[doc(hidden)]
pub mod __private {
    pub use crate::WireError;
    pub use crate::abi::check::{
        check_abi_count, check_abi_counted, check_abi_rust, check_abi_size, check_abi_type, check_abi_whole,
    };
    pub use crate::abi::{
        AbiEnumeration, AbiFields, AbiFlags, AbiPlace, AbiPointee, AbiResult, AbiSerialised, AbiShape,
        AbiType, DataModel, abi_key, abi_wire_id, abi_words, abi_words_length, zero, zeroed, zeros,
    };
    pub use crate::array::{Array, ArrayView};
    pub use crate::counted;
    pub use crate::enumeration::wire as enumeration;
    pub use crate::error::{At, Place, Refuse};
    pub use crate::flags::FlagSet;
    #[cfg(feature = "serde")]
    pub use crate::json::serde_door::{deserialize, serialize};
    #[cfg(feature = "json")]
    pub use crate::json::*;
    pub use crate::layout::check::{
        check_aligned_end, check_array, check_count, check_counted_element, check_magic, check_offset,
        check_order, check_padding, check_place, check_reserved, check_rust, check_shape, check_size,
        check_text, check_version, settable,
    };
    pub use crate::layout::{Layout, Shape};
    pub use crate::probe::{Element, ElementsOf, If, Otherwise, Probe, ViewOf};
    pub use crate::record::{Record, source_id, text, wire_id, words, words_length};
    pub use crate::rule;
    pub use crate::wire_type::{Endian, WireType, debug, exact, exact_mut, least};
    #[cfg(feature = "json")]
    pub use alloc::string::String;
    pub use core;
    #[cfg(feature = "serde")]
    pub use serde_core;
}
