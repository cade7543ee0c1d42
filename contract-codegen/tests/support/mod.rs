//! What the tests of several emitters share.

pub mod dump;
pub mod program;
pub mod sink;
pub mod toolchain;
pub mod verdicts;
