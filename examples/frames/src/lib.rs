//! What a camera and the readers of its frames say to each other over a socket, and the memory that rides beside it.
//!
//! The copies in C and Python are generated from `wire.rs`.
#![deny(missing_docs)]

// The documents that C reads and writes name the declarations by their public paths.
extern crate self as frames;

wirecontract::wire_library!(prefix = "frames");

pub mod pixels;
pub mod wire;

#[path = "../generated/rust/mod.rs"]
#[rustfmt::skip]
mod documents;
