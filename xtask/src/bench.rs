//! `cargo xtask bench`.

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the benchmarks.
pub(crate) fn run(_arguments: &[OsString]) -> anyhow::Result<ExitCode> {
    anyhow::bail!("the benchmarks are not written yet")
}
