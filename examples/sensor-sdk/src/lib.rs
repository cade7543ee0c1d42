//! What a thermal camera says over its socket and leaves in its files, and the functions that other languages call.
//!
//! Every other copy of these layouts and functions, in C, C++ and Python, is generated from the declarations here: run
//! `cargo xtask gen-stubs`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

wirecontract::wire_library!(prefix = "sensor");

pub mod camera;
pub mod control;
pub mod frame;
pub mod image;
pub mod unit;
