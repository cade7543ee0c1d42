//! The part `stubs`: what is committed is what the generator writes, here and in the example.

use super::{Context, every};

/// The example, whose own xtask is the generator as a user has it.
pub(super) const EXAMPLE: &str = "examples/sensor-sdk";

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    let cargo = || context.runner.cargo();
    every(vec![
        cargo().args(["run", "--quiet", "--package=xtask", "--", "gen-stubs", "--check"]).run(),
        cargo()
            .args(["xtask", "gen-stubs", "--check"])
            .directory(EXAMPLE)
            .env("CARGO_TARGET_DIR", context.workspace.target_of(EXAMPLE))
            .run(),
    ])
}
