//! The Python environment of the tests: pinned packages, in a folder named after the pins and the interpreter.

use std::path::PathBuf;

use anyhow::ensure;

use super::cache::{self, Cache};
use crate::process::Runner;

const REQUIREMENTS: &str = include_str!("requirements.txt");
/// What generated modules support.
const OLDEST: (u32, u32) = (3, 11);

/// A ready environment.
#[derive(Debug)]
pub(crate) struct Venv {
    folder: PathBuf,
}

impl Venv {
    pub(super) fn set_up(cache: &Cache, runner: &Runner) -> anyhow::Result<Self> {
        let version = python_version(runner)?;
        let folder = cache.folder(&name(&version, REQUIREMENTS), |folder| {
            runner.say(format_args!("set-up: a Python {version} environment in {}", folder.display()));
            runner.command("python3").args(["-m", "venv"]).arg(folder).run().map_err(|error| {
                anyhow::Error::from(error)
                    .context("python3 cannot make environments; on Debian run `apt-get install python3-venv`")
            })?;
            let venv = Venv { folder: folder.to_owned() };
            let requirements = folder.join("requirements.txt");
            std::fs::write(&requirements, REQUIREMENTS)?;
            runner
                .command(venv.python())
                .args(["-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--no-deps"])
                .arg("--requirement")
                .arg(requirements)
                .run()?;
            Ok(())
        })?;
        Ok(Self { folder })
    }

    /// The environment's interpreter.
    pub(crate) fn python(&self) -> PathBuf {
        self.folder.join("bin/python")
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

fn name(python: &str, requirements: &str) -> String {
    format!("python-{python}-{:016x}", cache::hash(requirements.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_pin_or_interpreter_is_another_folder() {
        let first = name("3.11.7", "ruff==0.17.6\n");
        assert_ne!(first, name("3.11.7", "ruff==0.17.7\n"));
        assert_ne!(first, name("3.13.0", "ruff==0.17.6\n"));
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
        for line in REQUIREMENTS.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.contains("=="), "{line}");
        }
    }
}
