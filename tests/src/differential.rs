//! One declaration, many languages: the same bytes through all of them, and through the interpreter.
//!
//! For a catalog, a *driver* is generated for each language: a program that reads one request a line, works on it with
//! what the emitters (or, in Rust, the derive) made of the contract, and answers with one line. The interpreter
//! answers too; the lines are compared as text, and the first that differ are shown with who said what.
//!
//! A request is `CONTRACT OPERATION BYTES`: see [`Operation`]; no bytes are `-`. An answer is one of
//!
//! - `ok TREE BYTES`: the value as JSON (`-` for a probe) and its bytes, written again
//! - `ok BYTES`: a document, written again; `ok unwritten err …` when it cannot be; behind it ` | err …` for each fault
//!   that lenient reading looked past
//! - `ok`: nothing is wrong at import
//! - `ok VARIANT [GROUPS] BYTES | IMPORT | TREE`: a message, which of several it is (`-` of one), of each group the position
//!   of its first file descriptor and how many there are (`2+3`, or `-` of none), the message written again (or `unwritten
//!   err …`), what is asked at import (`ok` or `err …`), and what its parts and its tail say (`-` of a document)
//! - `ok - BYTES | IMPORT`: a message that was changed, written
//! - `err NUMBER CONTRACT FIELD OFFSET MESSAGE`: a refusal; `-` where the field is empty
//! - `-`: the language has no such operation

mod c;
mod compare;
mod cpp;
mod cpp_documents;
pub mod documents;
pub mod inputs;
mod library;
pub mod messages;
mod probe;
mod python;
mod request;
mod rust;
mod shipped;
pub mod toolchain;
pub mod values;
pub mod vectors;
mod workbench;

pub use compare::{Agreement, Disagreement, compare, has_rules};
pub use probe::{Probe, probes};
pub use request::{Operation, Request, answer};
pub use rust::{Library, Rust};
pub(crate) use rust::{cargo, identifier};
pub use shipped::Shipped;
pub use toolchain::Machine;
pub use workbench::{Driver, Workbench, all_families};

use wirecontract_codegen::emit::EmitInput;

/// Names and texts of the C driver's files, which include the headers of these contracts.
pub fn c_sources(input: &EmitInput<'_>) -> Vec<(String, String)> {
    c::sources(input)
}

/// Names and texts of the C++ driver's files.
pub fn cpp_sources(input: &EmitInput<'_>) -> Vec<(String, String)> {
    cpp::sources(input)
}

/// The text of the Python driver, which imports the modules of these contracts.
pub fn python_source(input: &EmitInput<'_>) -> String {
    python::source(input)
}
