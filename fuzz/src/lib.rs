//! What the fuzzers do with bytes, apart from the engine that makes them: seeds replay through the same functions
//! on a stable compiler.
//!
//! A function returns when all is well and panics otherwise.

pub mod container;
mod descriptors;
mod libraries;

pub use descriptors::{frame, payload};
pub use libraries::{RecordInput, library, record};

/// A fuzzer's name, which is also that of its folder of seeds, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every fuzzer.
pub const TARGETS: &[Target] =
    &[("frame", frame), ("library", library), ("payload", payload), ("record", record)];
