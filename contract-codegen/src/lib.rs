//! Reads contracts out of compiled libraries and writes their halves in other languages.

pub mod artifact;
pub mod catalog;
pub mod changes;
pub mod check;
mod cli;
pub mod counted;
pub mod emit;
pub mod explain;
#[doc(hidden)]
pub mod fixtures;
pub mod gen_stubs;
pub mod interpret;
pub mod lock;
pub mod model;
pub mod names;
mod output;
pub mod verify;

use std::process::ExitCode;

/// The whole `main` of a project's xtask: `cargo xtask gen-stubs`, `cargo xtask check`, `cargo xtask verify`, `cargo xtask explain`, and `cargo xtask --help`.
pub fn xtask() -> ExitCode {
    cli::run("cargo xtask", std::env::args_os())
}

/// The `main` of `cargo wirecontract`, which cargo runs as `cargo-wirecontract wirecontract …`.
pub fn cargo_wirecontract() -> ExitCode {
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|argument| argument == "wirecontract") {
        arguments.remove(1);
    }
    cli::run("cargo wirecontract", arguments)
}
