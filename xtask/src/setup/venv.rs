//! The Python environments of the tests: pinned packages, in a folder named after the pins and the interpreter.

use std::path::{Path, PathBuf};

use anyhow::ensure;

use super::cache::{self, Cache};
use crate::process::{Runner, Step};

/// What generated modules support.
const OLDEST: (u32, u32) = (3, 11);

/// Pinned packages under a name.
#[derive(Debug)]
pub(super) struct Pins {
    name: &'static str,
    requirements: &'static str,
}

/// The linters, pytest and the SDK's reader.
pub(super) const TESTS: Pins = Pins { name: "python", requirements: include_str!("requirements.txt") };
/// Array libraries, and pytest.
pub(super) const ARRAYS: Pins =
    Pins { name: "arrays", requirements: include_str!("requirements-arrays.txt") };
/// torch, which is put beside an environment.
pub(super) const TORCH: Pins = Pins { name: "torch", requirements: include_str!("requirements-torch.txt") };

impl Pins {
    /// The folder that they are installed in.
    pub(super) fn folder(&self, python: &str) -> String {
        format!("{}-{python}-{:016x}", self.name, cache::hash(self.requirements.as_bytes()))
    }
}

/// A ready environment.
#[derive(Debug)]
pub(crate) struct Venv {
    folder: PathBuf,
    version: String,
}

impl Venv {
    pub(super) fn set_up(cache: &Cache, runner: &Runner, pins: &Pins) -> anyhow::Result<Self> {
        let version = python_version(runner)?;
        let folder = cache.folder(&pins.folder(&version), |folder| {
            runner.say(format_args!("set-up: a Python {version} environment in {}", folder.display()));
            runner.command("python3").args(["-m", "venv"]).arg(folder).run().map_err(|error| {
                anyhow::Error::from(error)
                    .context("python3 cannot make environments; on Debian run `apt-get install python3-venv`")
            })?;
            let venv = Venv { folder: folder.to_owned(), version: version.clone() };
            Ok(venv.install(runner, pins, folder)?.run()?)
        })?;
        Ok(Self { folder, version })
    }

    /// The environment's interpreter.
    pub(crate) fn python(&self) -> PathBuf {
        self.folder.join("bin/python")
    }

    /// The interpreter's version, all of it.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// The command that installs the pins, and nothing that they ask for, having written them in `folder`.
    pub(super) fn install<'a>(
        &self,
        runner: &'a Runner,
        pins: &Pins,
        folder: &Path,
    ) -> anyhow::Result<Step<'a>> {
        let requirements = folder.join("requirements.txt");
        std::fs::write(&requirements, pins.requirements)?;
        let pip = ["-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--no-deps"];
        Ok(runner.command(self.python()).args(pip).arg("--requirement").arg(requirements))
    }
}

fn python_version(runner: &Runner) -> anyhow::Result<String> {
    let (works, output) = runner.command("python3").arg("--version").ask()?;
    let version = output.trim().strip_prefix("Python ").unwrap_or_default();
    ensure!(
        works && parse(version).is_some_and(|version| version >= OLDEST),
        "expected `python3` to be Python {}.{} or newer, found `{}`; put a newer one first on PATH",
        OLDEST.0,
        OLDEST.1,
        output.trim()
    );
    Ok(version.to_owned())
}

fn parse(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map_while(|number| number.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_pin_or_interpreter_is_another_folder() {
        let pins = |requirements| Pins { name: "python", requirements };
        let first = pins("ruff==0.17.6\n").folder("3.11.7");
        assert_ne!(first, pins("ruff==0.17.7\n").folder("3.11.7"));
        assert_ne!(first, pins("ruff==0.17.6\n").folder("3.13.0"));
        assert!(first.starts_with("python-3.11.7-"), "{first}");
    }

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(parse("3.11.7"), Some((3, 11)));
        assert_eq!(parse("3.15.0rc1"), Some((3, 15)));
        assert!(parse("3.9.2").unwrap() < OLDEST);
        assert_eq!(parse("three"), None);
    }

    #[test]
    fn every_requirement_is_pinned() {
        for pins in [TESTS, ARRAYS, TORCH] {
            for line in pins.requirements.lines().filter(|line| !line.starts_with('#')) {
                assert!(line.contains("=="), "{line}");
            }
        }
    }

    #[test]
    fn what_two_environments_have_is_of_one_version() {
        let lines = |pins: &Pins| pins.requirements.lines().map(str::to_owned).collect::<Vec<_>>();
        let name = |line: &str| line.split("==").next().unwrap_or_default().to_owned();
        let tests = lines(&TESTS);
        for line in lines(&ARRAYS).iter().filter(|line| tests.iter().any(|other| name(other) == name(line))) {
            assert!(tests.contains(line), "{line}");
        }
    }
}
