//! torch without a GPU and without the CUDA libraries that it is linked with.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::cache::Cache;
use super::venv::{TORCH, Venv};
use super::{packages, stand_ins};
use crate::process::Runner;

/// A folder for Python's path that has torch. Which array libraries there are beside it, the environment says.
#[derive(Debug)]
pub(crate) struct Torch {
    folder: PathBuf,
}

impl Torch {
    pub(super) fn set_up(cache: &Cache, runner: &Runner, venv: &Venv) -> anyhow::Result<Self> {
        packages::set_up(cache, runner, packages::STAND_INS)?;
        let folder = cache.folder(&TORCH.folder(venv.version()), |folder| {
            runner.say(format_args!("set-up: torch in {}, 1.2 GB", folder.display()));
            // Compiling all of it takes a minute and nothing here needs it.
            let target = venv.install(runner, &TORCH, folder)?.args(["--no-compile", "--target"]);
            target.arg(folder).run()?;
            let made = stand_ins::make(
                &folder.join("torch/lib"),
                &folder.join("nvidia"),
                &folder.join("stand-ins"),
            )?;
            runner.say(format_args!("set-up: stand-ins of {}", made.join(", ")));
            is_whole(runner, venv, folder).context("what torch is linked with is not there")
        })?;
        Ok(Self { folder })
    }

    /// The folder for Python's path.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Imports it once, before the folder counts as complete.
fn is_whole(runner: &Runner, venv: &Venv, folder: &Path) -> anyhow::Result<()> {
    let words = "import torch; assert not torch.cuda.is_available(); assert int(torch.ones(3).sum()) == 3";
    Ok(runner.command(venv.python()).args(["-c", words]).env("PYTHONPATH", folder).run()?)
}
