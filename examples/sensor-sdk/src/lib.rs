//! What a thermal camera says over its socket and leaves in its files.
//!
//! Every other copy of these layouts, in C, C++ and Python, is generated from the declarations here: run
//! `cargo xtask gen-stubs`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod control;
pub mod frame;
pub mod unit;
