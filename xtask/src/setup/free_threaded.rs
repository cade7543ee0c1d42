//! A free-threaded Python, built from Debian's sources: Debian has no package of one.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};

use super::cache::Cache;
use crate::process::Runner;

/// A free-threaded interpreter, to use instead.
const PROGRAM: &str = "WIRECONTRACT_FREE_THREADED_PYTHON";
/// Debian's source package, and the release that has it.
const SOURCE: &str = "python3.13";
const RELEASE: &str = "trixie";
/// Where an administrator says which archives there are.
const SOURCES: &str = "/etc/apt";

/// A ready interpreter.
#[derive(Debug)]
pub(crate) struct FreeThreaded {
    python: PathBuf,
}

impl FreeThreaded {
    pub(super) fn set_up(cache: &Cache, runner: &Runner) -> anyhow::Result<Self> {
        if let Some(python) = env::var_os(PROGRAM) {
            let found = Self { python: python.into() };
            found
                .check(runner)
                .with_context(|| format!("the interpreter is the one that {PROGRAM} names"))?;
            return Ok(found);
        }
        let folder = cache.folder(&format!("{SOURCE}-free-threaded"), |folder| {
            runner.say(format_args!("set-up: a free-threaded {SOURCE} in {}; minutes", folder.display()));
            let sources = folder.join("sources");
            download(runner, &sources).with_context(|| {
                format!("without Debian's archive, set {PROGRAM} to a free-threaded interpreter")
            })?;
            build(runner, &sources, folder)?;
            fs::remove_dir_all(&sources)?;
            Self { python: program(folder) }.check(runner)
        })?;
        Ok(Self { python: program(&folder) })
    }

    /// The interpreter.
    pub(crate) fn python(&self) -> &Path {
        &self.python
    }

    fn check(&self, runner: &Runner) -> anyhow::Result<()> {
        let asked = "import sys; print('free' if not sys._is_gil_enabled() else 'locked')";
        let (works, output) = runner.command(&self.python).args(["-I", "-c", asked]).ask()?;
        ensure!(
            works && output.trim() == "free",
            "expected {} to be a free-threaded Python, found one that says `{}`",
            self.python.display(),
            output.trim()
        );
        Ok(())
    }
}

fn program(folder: &Path) -> PathBuf {
    folder.join("bin/python3")
}

/// Fetches the sources with lists and state of their own, from the archive that the system has its packages from.
fn download(runner: &Runner, folder: &Path) -> anyhow::Result<()> {
    for part in ["state/lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(folder.join(part))?;
    }
    fs::write(folder.join("state/status"), "")?;
    let archive = archive(Path::new(SOURCES))?;
    fs::write(folder.join("sources.list"), format!("deb-src {archive} {RELEASE} main\n"))?;
    let (_, user) = runner.command("id").arg("-un").ask()?;
    let configuration = folder.join("apt.conf");
    fs::write(&configuration, apt_configuration(&folder.to_string_lossy(), user.trim()))?;
    let apt = |command: &[&str]| {
        runner.command("apt-get").args(command).env("APT_CONFIG", &configuration).directory(folder)
    };
    apt(&["update"]).run()?;
    Ok(apt(&["source", "--download-only", SOURCE]).run()?)
}

/// The address of the archive with the distribution itself, and not of its updates or of somebody else's packages.
fn archive(folder: &Path) -> anyhow::Result<String> {
    let mut files = vec![folder.join("sources.list")];
    if let Ok(entries) = fs::read_dir(folder.join("sources.list.d")) {
        files.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
    }
    files.sort();
    let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
    let found = texts.flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    let is_archive = |word: &String| {
        let word = word.trim_end_matches('/');
        (word.starts_with("http://") || word.starts_with("https://")) && word.ends_with("/debian")
    };
    match found.into_iter().find(is_archive) {
        Some(archive) => Ok(archive),
        None => bail!("expected an archive of Debian's in {}, found none", folder.display()),
    }
}

fn apt_configuration(folder: &str, user: &str) -> String {
    format!(
        r#"Dir::State "{folder}/state";
Dir::State::status "{folder}/state/status";
Dir::Cache "{folder}/cache";
Dir::Etc::SourceList "{folder}/sources.list";
Dir::Etc::SourceParts "/dev/null";
APT::Sandbox::User "{user}";
Acquire::Languages "none";
"#
    )
}

fn build(runner: &Runner, sources: &Path, folder: &Path) -> anyhow::Result<()> {
    let mut archives = Vec::new();
    for entry in fs::read_dir(sources)? {
        let path = entry?.path();
        if path.to_string_lossy().contains(".orig.tar.") && path.extension().is_some_and(|it| it != "asc") {
            archives.push(path);
        }
    }
    let [archive] = &archives[..] else { bail!("expected one archive of sources, found {archives:?}") };
    let tree = sources.join("tree");
    fs::create_dir_all(&tree)?;
    runner
        .command("tar")
        .arg("--extract")
        .arg("--file")
        .arg(archive)
        .arg("--directory")
        .arg(&tree)
        .args(["--strip-components", "1"])
        .run()?;
    let jobs = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let step = |program: &str| runner.command(program).directory(&tree);
    step("./configure")
        .args(["--quiet", "--disable-gil", "--without-ensurepip", "--disable-test-modules"])
        .arg(format!("--prefix={}", folder.display()))
        .run()?;
    step("make").args(["--silent", &format!("--jobs={jobs}")]).run()?;
    Ok(step("make").args(["--silent", "install"]).run()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_is_the_distributions_own() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sources.list.d")).unwrap();
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join("sources.list.d").join(name), text).unwrap();
        };
        assert!(archive(folder.path()).is_err());
        write("a.list", "deb https://example.org/packages stable main\n");
        write("b.sources", "Types: deb\nURIs: http://example.net/debian-security\nSuites: x\n");
        assert!(archive(folder.path()).is_err());
        write("c.sources", "Types: deb\nURIs: http://example.net/debian\nSuites: x\n");
        assert_eq!(archive(folder.path()).unwrap(), "http://example.net/debian");
    }

    #[test]
    fn the_systems_own_lists_are_left_alone() {
        let text = apt_configuration("/cache/sources", "someone");
        assert!(text.contains("Dir::Etc::SourceParts \"/dev/null\";\n"), "{text}");
        assert!(text.starts_with("Dir::State \"/cache/sources/state\";\n"), "{text}");
    }
}
