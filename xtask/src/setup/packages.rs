//! Programs that Debian packages bring: compilers for other machines, qemu, SWIG. The one list of them.

use std::env;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context as _, bail};

use super::cache::Cache;
use crate::process::Runner;

/// Something a part needs, the package that brings it, and how to see that it is there. Presence is asked of the
/// thing and not of dpkg, so that another distribution's or a hand-built compiler serves as well.
#[derive(Debug)]
pub(crate) struct Need {
    package: &'static str,
    probe: Probe,
}

#[derive(Debug)]
enum Probe {
    /// A program on PATH.
    Program(&'static str),
    /// A command that compiles, and links, an empty program given on standard input.
    Links(&'static [&'static str]),
}

const fn program(package: &'static str, name: &'static str) -> Need {
    Need { package, probe: Probe::Program(name) }
}

const fn links(package: &'static str, command: &'static [&'static str]) -> Need {
    Need { package, probe: Probe::Links(command) }
}

/// To compile what is generated for every machine, and run it where that can be done here.
pub(crate) const COMPILERS: &[Need] = &[
    program("gcc", "gcc"),
    program("g++", "g++"),
    program("clang", "clang"),
    links("libclang-rt-14-dev", &["clang", "-fsanitize=address,undefined"]),
    // Plain gcc-multilib conflicts with the s390x compilers.
    links("gcc-12-multilib", &["gcc", "-m32"]),
    links("g++-12-multilib", &["g++", "-m32"]),
    program("gcc-s390x-linux-gnu", "s390x-linux-gnu-gcc"),
    program("g++-s390x-linux-gnu", "s390x-linux-gnu-g++"),
    program("qemu-user", "qemu-s390x"),
    program("gcc-mingw-w64-x86-64", "x86_64-w64-mingw32-gcc"),
    program("g++-mingw-w64-x86-64", "x86_64-w64-mingw32-g++"),
    program("swig", "swig"),
    // Numbers of Vulkan are held against its own header.
    links("libvulkan-dev", &["gcc", "-include", "vulkan/vulkan_core.h"]),
];

/// To build programs with what `install-c` installs.
pub(crate) const BUILDERS: &[Need] = &[
    program("gcc", "gcc"),
    program("g++", "g++"),
    program("make", "make"),
    program("cmake", "cmake"),
    program("pkg-config", "pkg-config"),
    program("binutils", "objcopy"),
];

/// To make stand-ins of shared libraries.
pub(crate) const STAND_INS: &[Need] =
    &[links("gcc", &["cc"]), program("binutils", "nm"), program("binutils", "objdump")];

/// To link and run Rust programs for every machine of `tests/msrv`.
pub(crate) const RUST_TARGETS: &[Need] = &[
    program("gcc", "gcc"),
    links("gcc-12-multilib", &["gcc", "-m32"]),
    program("gcc-s390x-linux-gnu", "s390x-linux-gnu-gcc"),
    program("qemu-user", "qemu-s390x"),
];

pub(super) fn set_up(cache: &Cache, runner: &Runner, needs: &[Need]) -> anyhow::Result<()> {
    if missing(runner, needs).is_empty() {
        return Ok(());
    }
    // apt-get takes turns with itself, but a second run would repeat what the first has just done.
    let _lock = cache.lock("packages")?;
    let packages = missing(runner, needs);
    if packages.is_empty() {
        return Ok(());
    }
    if !is_root(runner) || !on_path("apt-get") {
        bail!("expected what these Debian packages bring, found it missing; run:\n    {}", remedy(&packages));
    }
    runner.say(format_args!("set-up: Debian packages {}", packages.join(" ")));
    // An index that cannot be refreshed may still do; if not, the next step says so.
    if let Err(error) = apt_get(runner).arg("update").run() {
        runner.say(format_args!("going on with the package lists that are there: {error}"));
    }
    apt_get(runner).args(["install", "--yes", "--no-install-recommends"]).args(&packages).run()?;
    let still = missing(runner, needs);
    if still.is_empty() {
        Ok(())
    } else {
        bail!("installed {}, which did not bring what is needed", still.join(" "))
    }
}

fn apt_get(runner: &Runner) -> crate::process::Step<'_> {
    // Another apt-get may be at work: wait for it.
    runner.command("apt-get").arg("--option=DPkg::Lock::Timeout=600").env("DEBIAN_FRONTEND", "noninteractive")
}

/// The packages of what is not there.
fn missing(runner: &Runner, needs: &[Need]) -> Vec<&'static str> {
    needs.iter().filter(|need| !is_there(runner, &need.probe)).map(|need| need.package).collect()
}

fn is_there(runner: &Runner, probe: &Probe) -> bool {
    match probe {
        Probe::Program(name) => on_path(name),
        Probe::Links(command) => {
            let source = ["-x", "c", "-o", "/dev/null", "-"];
            on_path(command[0])
                && runner
                    .command(command[0])
                    .args(&command[1..])
                    .args(source)
                    .input("int main(void) { return 0; }\n")
                    .ask()
                    .is_ok_and(|(links, _)| links)
        }
    }
}

fn on_path(program: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| is_in(program, &path))
}

fn is_in(program: &str, path: &OsStr) -> bool {
    env::split_paths(path).any(|folder| is_executable(&folder.join(program)))
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

fn is_root(runner: &Runner) -> bool {
    runner.command("id").arg("-u").ask().context("id").is_ok_and(|(_, id)| id.trim() == "0")
}

/// What a person without root's rights has to ask for.
fn remedy(packages: &[&str]) -> String {
    format!("sudo apt-get update && sudo apt-get install --no-install-recommends {}", packages.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_to_run_names_every_package() {
        assert_eq!(
            remedy(&["clang", "swig"]),
            "sudo apt-get update && sudo apt-get install --no-install-recommends clang swig"
        );
    }

    #[test]
    fn only_an_executable_file_is_a_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for (name, mode) in [("tool", 0o755), ("notes", 0o644)] {
            std::fs::write(path(name), "").unwrap();
            std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        std::fs::create_dir(path("folder")).unwrap();
        let found = |name| is_in(name, folder.path().as_os_str());
        assert!(found("tool"));
        assert!(!found("notes") && !found("folder") && !found("absent"));
    }
}
