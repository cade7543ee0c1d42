//! A round trip through the Python package's native library, against the same one in Rust.

use std::path::{Path, PathBuf};

use anyhow::ensure;

use super::{TIMES, TURNS, said, same};
use crate::bench::Bench;
use crate::bench::table::Table;
use crate::process::Step;
use crate::test::package::{ABI3, put_together};

/// What a round trip from Python may cost, as a ratio to the one in Rust.
const MOST: f64 = 1.3;

/// The package with a library that is built as the one that is installed.
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
        let python = match std::env::var_os("WIRECONTRACT_PYTHON") {
            Some(python) => python.into(),
            None => bench.setup.venv(&bench.runner)?.python(),
        };
        Ok(Package { folder, python })
    }

    /// The same verdict on every variant of a descriptor, with every kind of file descriptor.
    pub(super) fn agrees_with(&self, rust: &Path, bench: &Bench) -> anyhow::Result<()> {
        let (works, ours) = self.program(bench).arg("agree").ask()?;
        ensure!(works, "the Python package failed:\n{ours}");
        let (works, theirs) = bench.runner.command(rust).arg("agree-shared").ask()?;
        ensure!(works, "{} failed:\n{theirs}", rust.display());
        same(&ours, &theirs)?;
        let variants = ours.lines().count();
        bench
            .runner
            .say(format_args!("Python and Rust agree: {variants} descriptors, each with 4 kinds of them"));
        Ok(())
    }

    pub(super) fn round_trips(&self, rust: &Path, bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..TURNS {
            let (works, output) = self.program(bench).args(["measure", TIMES]).ask()?;
            ensure!(works, "the Python package could not be measured:\n{output}");
            let ours = crate::bench::calls::figures(&output, "shared-round-trip")?;
            let theirs = said(bench, rust, &["measure-shared", TIMES], "shared-round-trip")?;
            for (best, time) in best.iter_mut().zip([ours, theirs]) {
                let [time] = time[..] else { anyhow::bail!("expected one figure, found {time:?}") };
                *best = best.min(time);
            }
        }
        table.ratio("python handoff round trip, native", "ns", best[0], ("in Rust", best[1]), MOST);
        Ok(())
    }

    fn program<'a>(&self, bench: &'a Bench) -> Step<'a> {
        let command = bench.runner.command(&self.python).arg("bench/python/handoff.py");
        command.env("PYTHONPATH", &self.folder)
    }
}
