//! The part `mutate`: a sample of the proof that a change of one side is stopped before a payload is misread.

use super::Context;

/// Mutants of the sample: every area of a declaration, every target, and every gate.
const SAMPLE: &str = "40";

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    if !context.all {
        context.runner.say(format_args!("mutants are made with --all"));
        return Ok(());
    }
    let command = ["run", "--quiet", "--package=xtask", "--", "mutate", "--sample", SAMPLE];
    Ok(context.runner.cargo().args(command).run()?)
}
