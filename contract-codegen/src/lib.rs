//! Reads contracts out of compiled libraries and writes their halves in other languages.

pub mod artifact;
pub mod catalog;
pub mod emit;
#[doc(hidden)]
pub mod fixtures;
pub mod gen_stubs;
pub mod interpret;
pub mod model;
pub mod names;
