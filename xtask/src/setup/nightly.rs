//! What the fuzzers need: a nightly toolchain, which the user installs, and cargo-fuzz, which is built here.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context as _, bail};

use super::cache::Cache;
use crate::process::{Runner, Step};

const CARGO_FUZZ: &str = "0.13.2";

/// An installed nightly toolchain.
#[derive(Debug)]
pub(crate) struct Nightly(());

impl Nightly {
    pub(super) fn find(runner: &Runner) -> anyhow::Result<Self> {
        match runner.command("rustup").args(["run", "nightly", "cargo", "--version"]).ask() {
            Ok((true, _)) => Ok(Self(())),
            Ok((false, output)) => bail!(
                "expected a nightly toolchain for the sanitizers, found `{}`; run:\n    \
                 rustup toolchain install nightly --profile minimal",
                output.trim()
            ),
            Err(error) => Err(anyhow::Error::from(error).context(
                "expected rustup with a nightly toolchain for the sanitizers; install rustup, then run \
                 `rustup toolchain install nightly --profile minimal`",
            )),
        }
    }

    /// Nightly's cargo.
    #[expect(clippy::unused_self, reason = "the value says that the toolchain is there")]
    pub(crate) fn cargo<'a>(&self, runner: &'a Runner) -> Step<'a> {
        // Stable's, which runs this xtask, would otherwise be inherited.
        let step = ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"]
            .iter()
            .fold(runner.command("rustup"), Step::env_remove);
        step.args(["run", "nightly", "cargo"])
    }
}

/// An installed cargo-fuzz.
#[derive(Debug)]
pub(crate) struct CargoFuzz {
    folder: PathBuf,
}

impl CargoFuzz {
    pub(super) fn set_up(cache: &Cache, runner: &Runner) -> anyhow::Result<Self> {
        let folder = cache.folder(&format!("cargo-fuzz-{CARGO_FUZZ}"), |folder| {
            runner.say(format_args!("set-up: cargo-fuzz {CARGO_FUZZ} in {}", folder.display()));
            let build = folder.join("build");
            runner
                .cargo()
                .args(["install", "cargo-fuzz", "--locked", "--no-track", "--version", CARGO_FUZZ, "--root"])
                .arg(folder)
                .env("CARGO_TARGET_DIR", &build)
                .run()?;
            Ok(std::fs::remove_dir_all(build)?)
        })?;
        Ok(Self { folder })
    }

    /// PATH for a cargo that finds its `fuzz` here.
    pub(crate) fn path_with_it_first(&self) -> anyhow::Result<OsString> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = [self.folder.join("bin")].into_iter().chain(env::split_paths(&path));
        env::join_paths(folders).context("the cache folder's name cannot stand in PATH")
    }
}
