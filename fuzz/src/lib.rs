//! What the fuzzers do with bytes, apart from the engine that makes them: seeds replay through the same functions
//! on a stable compiler.
//!
//! A function returns when all is well and panics otherwise.

mod buffers;
mod catalog;
pub mod container;
mod descriptors;
mod documents;
mod hello;
mod libraries;
mod locks;
mod messages;
mod processes;
mod shipped;
mod statements;
mod tensors;
mod video;

pub use buffers::{buffer, lease};
pub use descriptors::{descriptor, frame, payload};
pub use documents::{answer, json, request};
pub use hello::hello;
pub use libraries::{RecordInput, library, record};
pub use locks::lock;
pub use messages::message;
pub use processes::{framing, import};
pub use shipped::{declared, exporting, exports, generated};
pub use statements::statement;
pub use tensors::tensor;
pub use video::video;

/// A fuzzer's name, which is also that of its folder of seeds, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every fuzzer.
pub const TARGETS: &[Target] = &[
    ("answer", answer),
    ("buffer", buffer),
    ("descriptor", descriptor),
    ("exports", exports),
    ("frame", frame),
    ("framing", framing),
    ("generated", generated),
    ("hello", hello),
    ("import", import),
    ("json", json),
    ("lease", lease),
    ("library", library),
    ("lock", lock),
    ("message", message),
    ("payload", payload),
    ("record", record),
    ("request", request),
    ("statement", statement),
    ("tensor", tensor),
    ("video", video),
];
