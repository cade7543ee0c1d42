//! The Python package with a library that is built as the one that is installed.

use std::path::PathBuf;

use super::Bench;
use crate::process::Step;
use crate::test::package::{ABI3, put_together};

/// The package, and the Python that has what it is compared with.
pub(super) struct Package {
    folder: PathBuf,
    python: PathBuf,
}

impl Package {
    pub(super) fn build(bench: &Bench) -> anyhow::Result<Package> {
        let target = bench.folder.join("python-target");
        let cargo = bench.runner.cargo().args(["build", "--locked", "--profile=wheel"]);
        cargo.arg("--package=wirecontract-python").env("CARGO_TARGET_DIR", &target).run()?;
        let folder = bench.folder.join("python-package");
        put_together(bench.workspace.root(), &target.join("wheel/lib_native.so"), &folder, ABI3)?;
        Ok(Package { folder, python: python(bench)? })
    }

    /// A program of Python that has the package.
    pub(super) fn program<'a>(&self, bench: &'a Bench, path: &str) -> Step<'a> {
        bench.runner.command(&self.python).arg(path).env("PYTHONPATH", &self.folder)
    }
}

/// The Python that has the peers.
pub(super) fn python(bench: &Bench) -> anyhow::Result<PathBuf> {
    match std::env::var_os("WIRECONTRACT_PYTHON") {
        Some(python) => Ok(python.into()),
        None => Ok(bench.setup.venv(&bench.runner)?.python()),
    }
}
