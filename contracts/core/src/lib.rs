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
//!
//! # Exported functions
//!
//! With the feature `export`, other languages call functions, and hold objects of Rust's by a *handle*. `wire_library!`
//! stands once in a crate. `#[wire_export]` leaves a function as it is and puts one of C beside it, which checks what it
//! is given, lets no panic out, and keeps why it failed. Of an `impl` it exports what is `pub`. An `exclusive` handle is
//! used by the thread that made it, a `shared` one, whose object is `Send + Sync`, by all.
//!
//! ```
//! # #[cfg(feature = "export")]
//! # mod thermometer {
//! use wirecontract::{CallbackError, Code, Failure, WireContract, wire_export};
//!
//! wirecontract::wire_library!(prefix = "thermo");
//!
//! /// What has gone wrong with a thermometer.
//! #[derive(Debug)]
//! pub enum Fault {
//!     TooCold,
//!     Callback(CallbackError),
//! }
//!
//! impl From<Fault> for Failure {
//!     fn from(fault: Fault) -> Failure {
//!         match fault {
//!             Fault::TooCold => Failure::new(Code::OutOfRange, "nothing is below 0 Kelvin").with_detail(7),
//!             Fault::Callback(error) => error.into(),
//!         }
//!     }
//! }
//!
//! /// Remembers temperatures. In C a `thermo_log`, which `thermo_log_destroy` ends.
//! #[derive(WireContract, Default)]
//! #[wire(handle, exclusive, prefix = "thermo")]
//! pub struct Log {
//!     kelvin: Vec<f32>,
//! }
//!
//! #[wire_export(prefix = "thermo")]
//! impl Log {
//!     /// `wc_status thermo_log_open(thermo_log *out)`
//!     pub fn open() -> Self {
//!         Log::default()
//!     }
//!
//!     /// `wc_status thermo_log_add(thermo_log self, const float *kelvin, size_t kelvin_length)`
//!     pub fn add(&mut self, kelvin: &[f32]) -> Result<(), Fault> {
//!         if kelvin.iter().any(|&kelvin| kelvin < 0.0) {
//!             return Err(Fault::TooCold);
//!         }
//!         self.kelvin.extend_from_slice(kelvin);
//!         Ok(())
//!     }
//!
//!     /// Calls `visit`, with a context of the caller's in front, for each temperature.
//!     pub fn each(
//!         &self,
//!         #[wire(names(kelvin))] visit: &mut dyn FnMut(f32) -> Result<(), CallbackError>,
//!     ) -> Result<(), Fault> {
//!         self.kelvin.iter().try_for_each(|&kelvin| visit(kelvin)).map_err(Fault::Callback)
//!     }
//! }
//!
//! /// `wc_status thermo_from_celsius(float celsius, float *out)`
//! #[wire_export(prefix = "thermo")]
//! pub fn from_celsius(celsius: f32) -> f32 {
//!     celsius + 273.15
//! }
//! # pub fn test() {
//!
//! // In Rust they are functions as ever.
//! let mut log = Log::open();
//! log.add(&[from_celsius(20.0)]).unwrap();
//! let failure = Failure::from(log.add(&[-1.0]).unwrap_err());
//! assert_eq!((failure.code(), failure.detail()), (Code::OutOfRange, 7));
//! let mut sum = 0.0;
//! log.each(&mut |kelvin| {
//!     sum += kelvin;
//!     Ok(())
//! })
//! .unwrap();
//! assert_eq!(sum, 293.15);
//! # unsafe extern "C" {
//! #     #[link_name = "thermo_from_celsius"]
//! #     safe fn of_c(celsius: f32, out: *mut f32) -> i32;
//! # }
//! # let mut out = 0.0;
//! # assert_eq!((of_c(-273.15, &mut out), out), (0, 0.0));
//! # assert_eq!(of_c(0.0, core::ptr::null_mut()), Code::NullArgument as i32);
//! # }
//! # }
//! # fn main() {
//! #     #[cfg(feature = "export")]
//! #     thermometer::test();
//! # }
//! ```
//!
//! Results are written through pointers behind the parameters. Text is `&str` and `String`, a descriptor crosses as its
//! bytes, a recipe or union as its JSON, other memory as it is.
#![no_std]
#![deny(missing_docs)]

#[cfg(feature = "json")]
extern crate alloc;
#[cfg(any(feature = "export", all(feature = "message", unix)))]
extern crate std;

mod abi;
mod array;
mod code;
#[doc(hidden)]
pub mod counted;
mod crosses;
mod enumeration;
mod error;
#[cfg(feature = "export")]
#[doc(hidden)]
pub mod export;
mod flags;
mod float;
mod growth;
#[cfg(feature = "json")]
pub mod hello;
#[cfg(feature = "json")]
mod json;
mod layout;
#[cfg(all(feature = "message", unix))]
#[doc(hidden)]
pub mod message;
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
#[cfg(feature = "export")]
pub use export::{CallbackError, Failure};
pub use flags::{FlagSet, Flags, FlagsIter};
#[cfg(feature = "json")]
pub use json::{Json, OpenName, UnknownVariant, WireJson};
#[cfg(all(feature = "message", unix))]
pub use message::{Message, UnknownMessage};
pub use open::Open;
pub use rule::{Condition, Item, Rule, Says, Values};
pub use traits::{Contract, Kind, WireContract};
pub use wire_type::{Endian, View};
/// Declares a struct or an enum as a contract: see the crate documentation and the grammar of declarations.
pub use wirecontract_macros::WireContract;
/// Makes functions, and the functions of an `impl`, ones that other languages call.
#[cfg(feature = "export")]
pub use wirecontract_macros::wire_export;
/// What a library of exported functions has once: its last error, and the freeing of bytes.
#[cfg(feature = "export")]
pub use wirecontract_macros::wire_library;

/// What an expansion of the derive calls; not for use by hand, and free to change in any version.
#[doc(hidden)]
pub mod __private {
    pub use crate::WireError;
    pub use crate::abi::check::{
        check_abi_count, check_abi_counted, check_abi_rust, check_abi_size, check_abi_type, check_abi_whole,
    };
    pub use crate::abi::{
        AbiEnumeration, AbiFields, AbiFlags, AbiPlace, AbiPointee, AbiResult, AbiSerialised, AbiShape,
        AbiType, BadBool, Bools, DataModel, NoBools, abi_key, abi_wire_id, abi_words, abi_words_length, zero,
        zeroed, zeros,
    };
    pub use crate::array::{Array, ArrayView};
    pub use crate::counted;
    pub use crate::crosses::{Crosses, cross};
    pub use crate::enumeration::wire as enumeration;
    pub use crate::error::{At, Place, Refuse};
    #[cfg(feature = "export")]
    pub use crate::export;
    pub use crate::flags::FlagSet;
    pub use crate::growth::{Growth, Hole, Image};
    #[cfg(feature = "serde")]
    pub use crate::json::serde_door::{deserialize, serialize};
    #[cfg(feature = "json")]
    pub use crate::json::*;
    pub use crate::layout::check::{
        check_aligned_end, check_array, check_count, check_counted_element, check_growing, check_last,
        check_magic, check_newest_size, check_offset, check_order, check_padding, check_place,
        check_reserved, check_rust, check_shape, check_since, check_size, check_text, check_version,
        settable,
    };
    pub use crate::layout::{Layout, Shape};
    #[cfg(all(feature = "message", unix))]
    pub use crate::message;
    pub use crate::probe::{Element, ElementsOf, If, Otherwise, Probe, ViewOf};
    pub use crate::record::{
        Record, grown_words, grown_words_length, source_id, text, wire_id, words, words_length,
    };
    pub use crate::rule;
    pub use crate::wire_type::{Endian, WireType, debug, exact, exact_mut, least};
    #[cfg(feature = "json")]
    pub use alloc::string::String;
    pub use core;
    #[cfg(feature = "serde")]
    pub use serde_core;
}
