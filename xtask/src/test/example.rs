//! The part `example`: a crate outside the workspace, built and tested as its user would.

use super::Context;
use super::stubs::EXAMPLE;
use crate::setup::packages;

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    context.setup.packages(&context.runner, packages::COMPILERS)?;
    Ok(context
        .runner
        .cargo()
        .args(["test", "--workspace", "--locked"])
        .directory(EXAMPLE)
        .env("CARGO_TARGET_DIR", context.workspace.target_of(EXAMPLE))
        .envs(context.setup.variables(&context.runner, context.all)?)
        .run()?)
}
