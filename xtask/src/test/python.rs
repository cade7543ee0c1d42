//! The part `python`: pytest over the pure modules, beside the SDK's own reader.

use super::Context;
use crate::setup::packages;

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    context.setup.packages(&context.runner, packages::COMPILERS)?;
    let venv = context.setup.venv(&context.runner)?;
    Ok(context
        .runner
        .command(venv.python())
        .args(["-m", "pytest", "-q", "tests/python"])
        .env("PYTHONPATH", context.workspace.root().join("bindings/python"))
        .envs(context.setup.variables(&context.runner, context.all)?)
        .run()?)
}
