//! What `cargo xtask bench` measures the derived code against.
//!
//! Each peer of the payload reads and writes the 208-byte payload of `wirecontract_gpu::cuvis` as somebody would who knows the
//! peer well and has no contract. A peer counts only when it gives the verdicts and the values that the contract
//! gives, on the inputs that [`corpus`] reads. The peers of [`peers::json`] read the messages of
//! `wirecontract_gpu::texture`, and [`rules`] has a descriptor without rules beside the same one with four.

pub mod contract;
pub mod corpus;
mod fields;
pub mod peers;
pub mod rules;

pub use fields::{Fields, Refusal};

/// Bytes of the payload.
pub const SIZE: usize = 208;
