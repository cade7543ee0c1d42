//! The programs in C, C++ and Python, built as the README says, with warnings as errors.
#![allow(dead_code, reason = "no test needs all of it")]

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A program of `c/`.
pub fn c(name: &str) -> Command {
    Command::new(built("gcc", "-std=c11", &format!("c/{name}.c"), name, &[] as &[&str]))
}

/// A program that is built from a source, a name of its own, and what it is linked with.
pub fn built(
    compiler: &str,
    standard: &str,
    source: &str,
    name: &str,
    linked: &[impl AsRef<OsStr>],
) -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let status = Command::new(compiler)
        .args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-I"])
        .args([here("generated/include"), here(source)])
        .args(linked)
        .arg("-o")
        .arg(&program)
        .status()
        .unwrap_or_else(|error| panic!("expected {compiler}: {error}"));
    assert!(status.success(), "{source} compiles");
    program
}

/// A program of `python/`.
pub fn python(name: &str) -> Command {
    let python = std::env::var_os("WIRECONTRACT_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(python);
    command.arg(here("python").join(name)).env("PYTHONPATH", here("generated/python"));
    command
}

pub fn run(mut command: Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    child.stdin.take().expect("piped").write_all(input).expect("a short input is taken");
    child.wait_with_output().expect("a child can be waited for")
}
