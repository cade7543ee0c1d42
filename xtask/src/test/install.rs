//! The part `install`: what `install-c` installs, as a program outside this repository uses it.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use super::Context;
use crate::install_c::{PREFIX, install};
use crate::process::Runner;
use crate::setup::packages;

/// The example programs, and what each prints last.
const EXAMPLES: &[(&str, &str)] = &[("c", "register"), ("cpp", "register")];

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    let runner = &context.runner;
    context.setup.packages(runner, packages::BUILDERS)?;
    let folder = context.workspace.target().join("xtask-test/install");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let first = folder.join("first");
    install(&context.workspace, runner, &first, "lib")?;
    exports(runner, &["-D", "--defined-only"], &first.join("lib/libwirecontract.so"))?;
    exports(runner, &["-g", "--defined-only"], &first.join("lib/libwirecontract.a"))?;
    has_no_groups(runner, &first.join("lib/libwirecontract.a"))?;

    // Nothing that was installed knows where that was.
    let prefix = folder.join("moved");
    fs::rename(&first, &prefix)?;
    for &(example, last) in EXAMPLES {
        let source = context.workspace.root().join("examples").join(example);
        let place = folder.join(format!("{example}-make"));
        fs::create_dir_all(&place)?;
        for kind in ["shared", "static"] {
            let program = place.join(kind);
            let make = runner.command("make").arg("-f").arg(source.join("Makefile"));
            let make = make.arg(format!("SOURCE={}", source.display())).arg(format!("LINK={kind}"));
            make.arg(format!("PROGRAM={}", program.display()))
                .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
                .directory(&place)
                .run()?;
            says(runner, &program, &prefix, last)?;
        }
        let built = folder.join(format!("{example}-cmake"));
        let configure = runner.command("cmake").arg("-S").arg(&source).arg("-B").arg(&built);
        configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())).run()?;
        runner.command("cmake").arg("--build").arg(&built).run()?;
        for program in ["surfaces", "surfaces_static"] {
            says(runner, &built.join(program), &prefix, last)?;
        }
    }
    Ok(())
}

/// Refuses a library that exports a symbol of another prefix, or none of its own.
fn exports(runner: &Runner, arguments: &[&str], library: &Path) -> anyhow::Result<()> {
    let (is_read, symbols) = runner.command("nm").args(arguments).arg(library).ask()?;
    ensure!(is_read, "cannot read the symbols of {}", library.display());
    let names = symbols.lines().filter_map(|line| line.rsplit_once(' ').map(|(_, name)| name));
    let (own, others): (Vec<&str>, Vec<&str>) = names.partition(|name| name.starts_with(PREFIX));
    ensure!(own.contains(&"wc_registration_from_json"), "{} exports no documents", library.display());
    if let Some(other) = others.first() {
        bail!("{} exports {} symbols of others: {other} is one", library.display(), others.len());
    }
    Ok(())
}

/// Refuses an archive that links before another of Rust's, or behind it, and not both.
fn has_no_groups(runner: &Runner, archive: &Path) -> anyhow::Result<()> {
    let (is_read, groups) =
        runner.command("readelf").args(["--section-groups", "--wide"]).arg(archive).ask()?;
    ensure!(is_read, "cannot read the sections of {}", archive.display());
    let group = groups.lines().find(|line| line.contains("group section"));
    ensure!(group.is_none(), "{} has a {}", archive.display(), group.unwrap_or_default());
    Ok(())
}

/// Runs a program, whose last line must have a word.
fn says(runner: &Runner, program: &Path, prefix: &Path, word: &str) -> anyhow::Result<()> {
    let command = runner.command(program).env("LD_LIBRARY_PATH", prefix.join("lib"));
    let (is_well, output) = command.ask()?;
    let last = output.lines().last().context("a program prints something")?;
    ensure!(is_well && last.contains(word), "{} printed\n{output}", program.display());
    Ok(())
}
