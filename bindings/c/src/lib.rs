//! libwirecontract: what C and C++ programs link besides the headers.
//!
//! The headers read and write descriptors by themselves. What takes memory is here: recipes and unions as documents, and
//! the catalog of what this library speaks.

#[rustfmt::skip]
mod documents;
pub mod catalog;

wirecontract::wire_library!(prefix = "wc");
