//! An extension module of Python in plain C, over libwirecontract.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use super::Context;

const SOURCE: &str = "tests/c/wirecontract_c_tensors.c";
const INCLUDE: &str = "bindings/c/include";
/// What libwirecontract is linked under, and found by beside the module.
const LIBRARY: &str = "libwirecontract.so.0";

/// Compiles the module into a folder, with a libwirecontract that is copied there.
pub(super) fn build(
    context: &Context,
    compiler: &[&str],
    library: &Path,
    folder: &Path,
) -> anyhow::Result<()> {
    let python = headers(context)?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let beside = folder.join(LIBRARY);
    fs::copy(library, &beside).with_context(|| format!("cannot copy {}", library.display()))?;
    let [program, flags @ ..] = compiler else { unreachable!("a compiler has a name") };
    let step = context.runner.command(program).args(flags);
    let step =
        step.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-fPIC", "-shared", "-I", INCLUDE]);
    let step = step.arg("-isystem").arg(python).arg(SOURCE).arg(beside).arg("-Wl,-rpath,$ORIGIN");
    Ok(step.arg("-o").arg(folder.join("wirecontract_c_tensors.so")).run()?)
}

/// The folder with the headers of the Python that runs the tests.
fn headers(context: &Context) -> anyhow::Result<PathBuf> {
    let venv = context.setup.venv(&context.runner)?;
    let asked = "import sysconfig; print(sysconfig.get_paths()['include'])";
    let (works, output) = context.runner.command(venv.python()).args(["-I", "-c", asked]).ask()?;
    ensure!(works, "the Python environment does not say where Python's headers are:\n{output}");
    let folder = PathBuf::from(output.trim());
    ensure!(
        folder.join("Python.h").is_file(),
        "expected Python.h in {}, found none; run:\n    sudo apt-get update && sudo apt-get install \
         --no-install-recommends python3-dev",
        folder.display()
    );
    Ok(folder)
}
