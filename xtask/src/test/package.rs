//! The Python package with its library: assembled beside the checkout for the tests, which itself stays pure, and as
//! the sdist and the wheel that users install.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use super::Context;

const PACKAGE: &str = "bindings/python";
/// What Python of every version from 3.11 on loads.
pub(crate) const ABI3: &str = "_native.abi3.so";
/// What the Python that it was built for loads.
pub(super) const OF_ONE_VERSION: &str = "_native.so";

/// The folder in which Python finds the package with its library, which is built.
pub(super) fn assemble(context: &Context) -> anyhow::Result<PathBuf> {
    let Context { workspace, runner, made, .. } = context;
    made.package.get(|| {
        runner.cargo().args(["build", "--locked", "--package=wirecontract-python"]).run()?;
        let folder = workspace.target().join("python-package");
        put_together(workspace.root(), &workspace.target().join("debug/lib_native.so"), &folder, ABI3)?;
        Ok(folder)
    })
}

/// Builds the library with contracts of every form, and gives the folder in which Python finds it with its package.
pub(super) fn assemble_every_form(context: &Context) -> anyhow::Result<PathBuf> {
    let Context { workspace, runner, .. } = context;
    runner.cargo().args(["build", "--locked", "--package=wirecontract-tests-native-module"]).run()?;
    let folder = workspace.target().join("native-rig");
    let library = workspace.target().join("debug/libnative_rig.so");
    laid_out(&workspace.root().join("tests/native/python/native_rig"), &library, &folder, ABI3)?;
    Ok(folder)
}

/// Puts the package, and a library under a name that Python loads, into a folder that is theirs alone.
pub(crate) fn put_together(root: &Path, library: &Path, folder: &Path, name: &str) -> anyhow::Result<()> {
    laid_out(&root.join(PACKAGE).join("wirecontract"), library, folder, name)
}

/// The same of any package.
fn laid_out(package: &Path, library: &Path, folder: &Path, name: &str) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    let to = folder.join(package.file_name().context("expected a package's folder")?);
    copy(package, &to)?;
    copy_file(library, &to.join(name))
}

/// The part `wheel`: sdist and wheel are made as a user makes them, and the wheel passes the package's own smoke test in
/// an environment that has nothing else, Rust included.
pub(super) fn wheel(context: &Context) -> anyhow::Result<()> {
    let Context { workspace, setup, runner, .. } = context;
    let venv = setup.venv(runner)?;
    let folder = workspace.target().join("wheel");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    // The wheel is of what the sdist holds: what it lacks is missed here, and not at a user's.
    let maturin = || {
        let step = runner.command(venv.python()).args(["-m", "maturin", "build", "--release", "--sdist"]);
        step.args(["--compatibility", "linux", "--interpreter"]).arg(venv.python())
    };
    maturin()
        .arg("--out")
        .arg(&folder)
        .arg("--manifest-path")
        .arg(workspace.root().join(PACKAGE).join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", workspace.target().join("wheel-build"))
        .run()?;
    let [wheel, sdist] = [found(&folder, ".whl")?, found(&folder, ".tar.gz")?];
    runner.say(format_args!("made {} and {}", wheel.display(), sdist.display()));

    let empty = folder.join("environment");
    runner.command("python3").args(["-m", "venv"]).arg(&empty).run()?;
    let python = empty.join("bin/python");
    let install = ["-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--no-index"];
    runner.command(&python).args(install).arg(&wheel).run()?;
    // Nothing of Rust's is found, and nothing of the checkout's.
    let step = runner.command(&python).args(["-I", "-m", "wirecontract"]).directory(&folder);
    Ok(step.env("PATH", empty.join("bin")).env_remove("PYTHONPATH").run()?)
}

/// The one file of that ending.
fn found(folder: &Path, ending: &str) -> anyhow::Result<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    ensure!(found.len() == 1, "expected one file that ends with {ending}, found {found:?}");
    Ok(found.remove(0))
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()? {
            kind if kind.is_dir() && entry.file_name() == "__pycache__" => {}
            kind if kind.is_dir() => copy(&entry.path(), &to)?,
            _ => copy_file(&entry.path(), &to)?,
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::copy(from, to).map(drop).with_context(|| format!("cannot copy {}", from.display()))
}
