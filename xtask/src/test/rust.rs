//! The part `rust`: the workspace's own tests, with nextest where it is installed.

use super::{Context, every};
use crate::setup::packages;

const NEXTEST: &[&str] =
    &["nextest", "run", "--cargo-quiet", "--status-level=slow", "--final-status-level=slow"];
/// nextest does not run documentation examples.
const DOCUMENTATION: &[&str] = &["test", "--doc"];
/// Without nextest; documentation examples included.
const CARGO: &[&str] = &["test"];

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    // The tests compile and run what is generated, in every language.
    context.setup.packages(&context.runner, packages::COMPILERS)?;
    let variables = context.setup.variables(&context.runner, context.all)?;
    let (has_nextest, _) = context.runner.cargo().args(["nextest", "--version"]).ask()?;
    if !has_nextest {
        context.runner.say("cargo-nextest is not installed: running `cargo test`, which is slower");
    }
    let runs = if has_nextest { [NEXTEST, DOCUMENTATION].as_slice() } else { &[CARGO] };
    let run = |arguments: &&[&str]| {
        let cargo = context.runner.cargo().args(*arguments);
        cargo.args(["--workspace", "--all-features", "--no-fail-fast"]).envs(variables.clone()).run()
    };
    every(runs.iter().map(run).collect())
}
