//! The part `python`: pytest over the package, its pure modules beside the SDK's own reader, over native classes of every
//! form, and over tensors that a module of an older `PyO3` hands over, and one in plain C; with `--all` the tests of tensors
//! under `AddressSanitizer` too.

use std::env::join_paths;
use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;

use super::{Context, c_tensors, package, sanitized};
use crate::setup::packages;
use crate::workspace::TENSORS;

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    context.setup.packages(&context.runner, packages::COMPILERS)?;
    let venv = context.setup.venv(&context.runner)?;
    let package = package::assemble(context)?;
    let every_form = package::assemble_every_form(context)?;
    let tensors = tensors(context)?;
    let build = context.runner.cargo().args(["build", "--locked", "--package=wirecontract-c"]);
    build.args(c_tensors::BUILT).run()?;
    c_tensors::build(context, &["gcc"], &context.workspace.target().join("debug"), &tensors)?;
    let path = join_paths([package, every_form, tensors, context.workspace.root().join("tests/python")])?;
    let variables = context.setup.variables(&context.runner, context.all)?;
    let pytest = || {
        let step = context.runner.command(venv.python()).args(["-m", "pytest", "-q", "tests/python"]);
        step.env("PYTHONPATH", &path).envs(variables.clone())
    };
    pytest().run()?;
    // What holds for the pure package holds for the native library.
    pytest().args(["-p", "native_instead"]).run()?;
    if context.all { sanitized::run(context) } else { Ok(()) }
}

/// The folder in which Python finds the module, which is built.
pub(super) fn tensors(context: &Context) -> anyhow::Result<PathBuf> {
    let Context { workspace, runner, made, .. } = context;
    made.tensors.get(|| {
        let target = workspace.target_of(TENSORS);
        let cargo = runner.cargo().args(["build", "--locked", "--manifest-path"]);
        cargo.arg(format!("{TENSORS}/Cargo.toml")).env("CARGO_TARGET_DIR", &target).run()?;
        let folder = target.join("python");
        let built = target.join("debug/libwirecontract_tensors.so");
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        fs::copy(&built, folder.join("wirecontract_tensors.so"))
            .with_context(|| format!("cannot copy {}", built.display()))?;
        Ok(folder)
    })
}
