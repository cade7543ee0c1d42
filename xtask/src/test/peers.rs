//! The part `peers`: what `cargo xtask bench` measures against gives the contracts' verdicts and values, so that a change
//! to a contract does not leave its peers behind until somebody measures.

use super::Context;
use crate::bench;
use crate::setup::packages;

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    if !context.all {
        context.runner.say(format_args!("the peers are built with --all"));
        return Ok(());
    }
    context.setup.packages(&context.runner, packages::COMPILERS)?;
    bench::agree(&context.runner)
}
