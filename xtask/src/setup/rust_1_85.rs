//! The oldest supported Rust, from Debian's packages: no toolchain manager is asked for one.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use super::cache::Cache;
use crate::process::Runner;

/// A folder with `bin/rustc` of Rust 1.85 and the libraries of all targets, to use instead.
pub(super) const FOLDER: &str = "WIRECONTRACT_RUST_1_85";
const VERSION: &str = "1.85.0";
/// The compiler, what it links to beyond a minimal system, and the standard library for 64 bits, 32 bits and a
/// big-endian machine. A newer compiler of the same package name sits in the security archive, hence the version.
const PACKAGES: &[&str] = &[
    "rustc-web=1.85.0*",
    "libstd-rust-web-1.85",
    "libstd-rust-web-dev=1.85.0*",
    "libstd-rust-web-dev:i386=1.85.0*",
    "libstd-rust-web-dev:s390x=1.85.0*",
    "libllvm19",
    "libbsd0",
    "libedit2",
    "libicu72",
    "libmd0",
    "libxml2",
    "libz3-4",
];
const ARCHITECTURES: &[&str] = &["amd64", "i386", "s390x"];
/// Debian keeps neither the compiler's sysroot nor its libraries where it would look once they are moved.
const WRAPPER: &str = r#"#!/bin/sh
root=$(dirname "$(dirname "$(readlink -f "$0")")")
LD_LIBRARY_PATH="$root/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
exec "$root/usr/bin/rustc" --sysroot "$root/usr" "$@"
"#;

/// A ready compiler.
#[derive(Debug)]
pub(crate) struct Rust185 {
    folder: PathBuf,
}

impl Rust185 {
    pub(super) fn set_up(cache: &Cache, runner: &Runner) -> anyhow::Result<Self> {
        if let Some(folder) = env::var_os(FOLDER) {
            let rust = Self { folder: folder.into() };
            rust.check(runner).with_context(|| format!("the folder is the one that {FOLDER} names"))?;
            return Ok(rust);
        }
        let folder = cache.folder(&format!("rust-{VERSION}"), |folder| {
            runner.say(format_args!("set-up: Rust {VERSION} in {}", folder.display()));
            download(runner, &folder.join("debian")).with_context(|| {
                format!("without Debian's archive, set {FOLDER} to a folder with bin/rustc")
            })?;
            unpack(runner, folder)?;
            let rust = Self { folder: folder.to_owned() };
            fs::create_dir_all(folder.join("bin"))?;
            fs::write(rust.rustc(), WRAPPER)?;
            fs::set_permissions(rust.rustc(), fs::Permissions::from_mode(0o755))?;
            rust.check(runner)
        })?;
        Ok(Self { folder })
    }

    /// The folder, with `bin/rustc` and the standard libraries of every target.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The compiler, to be named in `RUSTC`.
    pub(crate) fn rustc(&self) -> PathBuf {
        self.folder.join("bin/rustc")
    }

    fn check(&self, runner: &Runner) -> anyhow::Result<()> {
        let (works, output) = runner.command(self.rustc()).arg("--version").ask()?;
        ensure!(
            works && is_version(&output),
            "expected {} to be Rust {VERSION}, found `{}`",
            self.rustc().display(),
            output.trim()
        );
        Ok(())
    }
}

fn is_version(output: &str) -> bool {
    output.strip_prefix("rustc ").is_some_and(|rest| rest.split(' ').next() == Some(VERSION))
}

/// Fetches the packages with lists and state of their own: the system is not touched, its list of architectures
/// stays what it is, and no rights are needed.
fn download(runner: &Runner, folder: &Path) -> anyhow::Result<()> {
    for part in ["state/lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(folder.join(part))?;
    }
    fs::write(folder.join("state/status"), "")?;
    let (_, user) = runner.command("id").arg("-un").ask()?;
    let configuration = folder.join("apt.conf");
    fs::write(&configuration, apt_configuration(&folder.to_string_lossy(), user.trim()))?;
    let apt = |command: &str| {
        runner.command("apt-get").arg(command).env("APT_CONFIG", &configuration).directory(folder)
    };
    // One archive of several may be out of step with its index; the download says whether it mattered.
    if !apt("update").ask()?.0 {
        runner.say("not all package lists could be fetched: going on with those that were");
    }
    Ok(apt("download").args(PACKAGES).run()?)
}

fn apt_configuration(folder: &str, user: &str) -> String {
    let architectures: String = ARCHITECTURES.iter().flat_map(|name| [" \"", name, "\";"]).collect();
    // The sandbox user could not write into a folder of this user.
    format!(
        r#"Dir::State "{folder}/state";
Dir::State::status "{folder}/state/status";
Dir::Cache "{folder}/cache";
APT::Architectures {{{architectures} }};
APT::Sandbox::User "{user}";
Acquire::Languages "none";
"#
    )
}

/// Puts all packages into one tree and lets go of what was fetched.
fn unpack(runner: &Runner, folder: &Path) -> anyhow::Result<()> {
    let fetched = folder.join("debian");
    for entry in fs::read_dir(&fetched)? {
        let package = entry?.path();
        if package.extension().is_some_and(|extension| extension == "deb") {
            let (extracted, output) =
                runner.command("dpkg").arg("--extract").arg(&package).arg(folder).ask()?;
            ensure!(extracted, "cannot unpack {}: {}", package.display(), output.trim());
        }
    }
    Ok(fs::remove_dir_all(fetched)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_not_taken_for_it() {
        assert!(is_version("rustc 1.85.0 (4d91de4e4 2025-02-17) (built from a source tarball)\n"));
        assert!(!is_version("rustc 1.85.01 (4d91de4e4 2025-02-17)\n"));
        assert!(!is_version("rustc 1.96.0 (0123456789 2026-05-28)\n"));
        assert!(!is_version("sh: rustc: not found\n"));
    }

    #[test]
    fn the_systems_own_lists_are_left_alone() {
        let text = apt_configuration("/cache/debian", "someone");
        assert!(text.starts_with("Dir::State \"/cache/debian/state\";\n"), "{text}");
        assert!(text.contains("APT::Architectures { \"amd64\"; \"i386\"; \"s390x\"; };\n"), "{text}");
    }
}
