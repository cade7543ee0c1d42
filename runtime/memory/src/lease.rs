//! Buffers that are lent from process to process, until both sides know that it is over.
//!
//! The words are those of the family [`buffer`](wirecontract_gpu::buffer); what may be said when is in [`rules`], apart
//! from any socket.

pub mod rules;

mod error;
mod lend;
mod options;
mod outcome;

pub use error::{Doing, Error};
pub use lend::Lend;
pub use options::Options;
pub use outcome::{End, Lost, Outcome};
