//! The part `free-threaded`: tensors, and threads that share a channel, under a Python without a GIL, in the package and in
//! a module of an older `PyO3`.

use std::env::join_paths;
use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;

use super::{Context, package};
use crate::setup::packages;
use crate::workspace::TENSORS;

/// Only what needs no packages that are compiled.
const TESTS: &str = "tests/python";

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    let Context { workspace, setup, runner, .. } = context;
    if !context.all {
        runner.say("left out: a Python without a GIL takes minutes to build; --all runs it");
        return Ok(());
    }
    setup.packages(runner, packages::FREE_THREADED)?;
    let python = setup.free_threaded(runner)?;
    let target = workspace.target().join("free-threaded");
    let cargo = |manifest: &str| {
        let step = runner.cargo().args(["build", "--locked", "--manifest-path"]).arg(manifest);
        let step = step.env("CARGO_TARGET_DIR", &target).env("PYO3_PYTHON", python.python());
        // PyO3 answers for free-threaded Python from 3.14 on, of which there are no sources to be had here; of what it
        // relies on 3.13 has all that these tests touch.
        step.env("UNSAFE_PYO3_SKIP_VERSION_CHECK", "1")
    };
    cargo("bindings/python/Cargo.toml").run()?;
    cargo(&format!("{TENSORS}/Cargo.toml")).run()?;
    let folder = target.join("package");
    let library = target.join("debug/lib_native.so");
    package::put_together(workspace.root(), &library, &folder, package::OF_ONE_VERSION)?;
    let module = target.join("debug/libwirecontract_tensors.so");
    fs::copy(&module, folder.join("wirecontract_tensors.so"))
        .with_context(|| format!("cannot copy {}", module.display()))?;
    // pytest is of no version's own.
    let site = site_packages(context)?;
    let tests: Vec<PathBuf> = tests(context)?;
    Ok(runner
        .command(python.python())
        .args([
            "-X",
            "faulthandler",
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:hypothesispytest",
        ])
        .args(tests)
        .env("PYTHONPATH", join_paths([folder, site])?)
        .env("WIRECONTRACT_TEST_ALL", "1")
        .run()?)
}

/// The tests of tensors, and of threads.
fn tests(context: &Context) -> anyhow::Result<Vec<PathBuf>> {
    let mut tests = Vec::new();
    for entry in fs::read_dir(context.workspace.root().join(TESTS))? {
        let name = entry?.file_name();
        let shown = name.to_string_lossy();
        if shown.starts_with("test_tensor_") || shown == "test_native_threads.py" {
            tests.push(PathBuf::from(TESTS).join(name));
        }
    }
    tests.sort();
    Ok(tests)
}

fn site_packages(context: &Context) -> anyhow::Result<PathBuf> {
    let venv = context.setup.venv(&context.runner)?;
    let asked = "import sysconfig; print(sysconfig.get_paths()['purelib'])";
    let (works, output) = context.runner.command(venv.python()).args(["-I", "-c", asked]).ask()?;
    anyhow::ensure!(works, "the Python environment does not say where its packages are:\n{output}");
    Ok(output.trim().into())
}
