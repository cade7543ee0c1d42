//! The part `example`: crates outside the workspace, built and tested as their users would.

use super::stubs::EXAMPLE;
use super::{Context, every};
use crate::install_c::install;
use crate::setup::packages;

/// The example of messages, whose program in C is linked with the libwirecontract that is installed.
const FRAMES: &str = "examples/frames";

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    let Context { runner, setup, workspace, .. } = context;
    setup.packages(runner, packages::COMPILERS)?;
    setup.packages(runner, packages::BUILDERS)?;
    let prefix = workspace.target().join("xtask-test/example");
    install(workspace, runner, &prefix, "lib")?;
    let variables = setup.variables(runner, context.all)?;
    let tests = |example: &str| {
        let cargo = runner.cargo().args(["test", "--workspace", "--locked"]).directory(example);
        cargo.env("CARGO_TARGET_DIR", workspace.target_of(example)).envs(variables.clone())
    };
    let frames = |command: &[&str]| {
        let cargo = runner.cargo().args(["run", "--quiet", "--package=xtask", "--"]).args(command);
        let cargo = cargo.arg("--manifest-path=examples/frames/Cargo.toml");
        cargo.env("CARGO_TARGET_DIR", workspace.target_of(FRAMES))
    };
    every(vec![
        tests(EXAMPLE).run(),
        frames(&["gen-stubs", "--check"]).run(),
        frames(&["check"]).run(),
        tests(FRAMES).env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).run(),
    ])
}
