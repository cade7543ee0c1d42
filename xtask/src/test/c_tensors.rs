//! An extension module of Python in plain C, over libwirecontract, and a library in which that panics.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use super::Context;

const SOURCE: &str = "tests/c/wirecontract_c_tensors.c";
const INCLUDE: &str = "bindings/c/include";
/// What libwirecontract is linked under, and found by beside the module.
const LIBRARY: &str = "libwirecontract.so.0";
/// The library that panics, which Python loads from beside the module.
const PANICS: &str = "libwirecontract_c_panics.so";

/// What cargo builds of `bindings/c` for the module.
pub(super) const BUILT: [&str; 2] = ["--lib", "--example=wirecontract_c_panics"];

/// Compiles the module into a folder, with what is copied there from the folder that cargo built it in.
pub(super) fn build(context: &Context, compiler: &[&str], built: &Path, folder: &Path) -> anyhow::Result<()> {
    let python = headers(context)?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let beside = folder.join(LIBRARY);
    let copies = [
        (built.join("libwirecontract_c.so"), beside.clone()),
        (built.join("examples").join(PANICS), folder.join(PANICS)),
    ];
    for (from, to) in copies {
        fs::copy(&from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    }
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
