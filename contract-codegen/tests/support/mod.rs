//! What the tests of the C and the C++ emitter share. Each uses a part of it.

#![allow(dead_code, unreachable_pub)]

pub mod dump;
pub mod expressions;
pub mod odd;
pub mod program;
pub mod sink;
pub mod toolchain;
pub mod verdicts;
