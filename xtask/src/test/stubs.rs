//! The part `stubs`: what is committed is what the generator writes, here, in the example and for the benchmarks; and what
//! is declared is what was agreed.

use super::{Context, every};

/// The example, whose own xtask is the generator as a user has it.
pub(super) const EXAMPLE: &str = "examples/sensor-sdk";

/// The library whose calls are measured, in the benchmarks' workspace.
const CALLS: &str = "bench/calls/Cargo.toml";

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    let cargo = || context.runner.cargo();
    let check = || cargo().args(["run", "--quiet", "--package=xtask", "--", "gen-stubs", "--check"]);
    let example = |arguments: &[&str]| {
        let target = context.workspace.target_of(EXAMPLE);
        cargo().args(arguments).directory(EXAMPLE).env("CARGO_TARGET_DIR", target)
    };
    every(vec![
        check().run(),
        cargo().args(["run", "--quiet", "--package=xtask", "--", "check"]).run(),
        check()
            .args(["--manifest-path", CALLS])
            .env("CARGO_TARGET_DIR", context.workspace.target_of("bench"))
            .run(),
        example(&["xtask", "gen-stubs", "--check"]).run(),
        example(&["xtask", "check"]).run(),
    ])
}
