//! The part `mutate`: a sample of what `cargo xtask mutate` changes is stopped, each time the same.

use super::Context;

/// Of every area of declarations and artifacts a few; the whole run is a command of its own.
const SAMPLE: &str = "24";

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    if !context.all {
        context.runner.say("declarations and artifacts are changed with --all");
        return Ok(());
    }
    Ok(context
        .runner
        .cargo()
        .args(["run", "--quiet", "--locked", "--profile=mutate", "--package=xtask", "--"])
        .args(["mutate", "--sample", SAMPLE])
        .run()?)
}
