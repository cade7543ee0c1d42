//! What the tests need and a checkout does not hold, set up when a part needs it and kept in the user's cache.
//!
//! Safe against an interruption, since a folder counts only once its mark is written, and against two runs at
//! once, since a folder is built under a lock.

pub(crate) mod cache;
pub(crate) mod nightly;
pub(crate) mod packages;
pub(crate) mod rust_1_85;
mod stand_ins;
pub(crate) mod torch;
pub(crate) mod venv;

use std::ffi::OsString;

use anyhow::Context as _;

use crate::process::Runner;
use cache::Cache;
use nightly::{CargoFuzz, Nightly};
use packages::Need;
use rust_1_85::Rust185;
use torch::Torch;
use venv::Venv;

/// Gives each thing to who asks for it, having set it up where it is missing.
#[derive(Debug)]
pub(crate) struct Setup {
    cache: Cache,
}

impl Setup {
    pub(crate) fn open() -> anyhow::Result<Self> {
        Ok(Self { cache: Cache::of_the_user()? })
    }

    /// The Python environment with the linters, pytest and the SDK's reader.
    pub(crate) fn venv(&self, runner: &Runner) -> anyhow::Result<Venv> {
        Venv::set_up(&self.cache, runner, &venv::TESTS).context("setting up the Python environment")
    }

    /// The Python environment with array libraries.
    pub(crate) fn arrays(&self, runner: &Runner) -> anyhow::Result<Venv> {
        Venv::set_up(&self.cache, runner, &venv::ARRAYS)
            .context("setting up the Python environment of array libraries")
    }

    /// torch for an environment.
    pub(crate) fn torch(&self, runner: &Runner, venv: &Venv) -> anyhow::Result<Torch> {
        Torch::set_up(&self.cache, runner, venv).context("setting up torch")
    }

    /// Programs from Debian packages.
    pub(crate) fn packages(&self, runner: &Runner, needs: &[Need]) -> anyhow::Result<()> {
        packages::set_up(&self.cache, runner, needs)
    }

    /// The oldest supported Rust.
    pub(crate) fn rust_1_85(&self, runner: &Runner) -> anyhow::Result<Rust185> {
        Rust185::set_up(&self.cache, runner).context("setting up Rust 1.85")
    }

    /// The nightly toolchain that the fuzzers need.
    #[expect(clippy::unused_self, reason = "everything that is set up is asked of this value")]
    pub(crate) fn nightly(&self, runner: &Runner) -> anyhow::Result<Nightly> {
        Nightly::find(runner)
    }

    /// `cargo fuzz`.
    pub(crate) fn cargo_fuzz(&self, runner: &Runner) -> anyhow::Result<CargoFuzz> {
        CargoFuzz::set_up(&self.cache, runner).context("setting up cargo-fuzz")
    }

    /// What tests find in their environment: `WIRECONTRACT_PYTHON`, the interpreter of the Python environment,
    /// and when everything is to be tested `WIRECONTRACT_TEST_ALL`, and `WIRECONTRACT_RUST_1_85`, the folder of the
    /// oldest supported Rust.
    pub(crate) fn variables(
        &self,
        runner: &Runner,
        all: bool,
    ) -> anyhow::Result<Vec<(&'static str, OsString)>> {
        let mut variables = vec![("WIRECONTRACT_PYTHON", self.venv(runner)?.python().into_os_string())];
        if all {
            variables.push(("WIRECONTRACT_TEST_ALL", "1".into()));
            let rust = self.rust_1_85(runner)?;
            variables.push((rust_1_85::FOLDER, rust.folder().as_os_str().to_owned()));
        }
        Ok(variables)
    }
}
