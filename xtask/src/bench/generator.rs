//! gen-stubs and check on a library of many contracts, without the build that makes the library.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use wirecontract_codegen::catalog::encode::{self, Target};

use super::Bench;
use super::table::Table;
use super::usage::{self, Usage};

mod catalog;

const CONTRACTS: usize = 1000;
const TURNS: usize = 3;
const TARGETS: &str = "c,cpp,python,json,vectors";

const MANIFEST: &str = "\
[package]
name = \"large-sdk\"
version = \"1.0.0\"
edition = \"2024\"

[package.metadata.wirecontract]
targets = [\"c\", \"cpp\", \"python\", \"json\", \"vectors\"]
";

/// Time and memory for 1,000 contracts, and how both grow.
pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    bench.need("gcc")?;
    let program = program(bench)?;
    let scratch = Scratch::new()?;
    let once = measure(bench, &program, &scratch, CONTRACTS)?;
    let clean = check(bench, &program, &scratch, CONTRACTS)?;
    let twice = measure(bench, &program, &scratch, 2 * CONTRACTS)?;
    table.bound("gen-stubs, 1,000 contracts", "s", once.seconds, 1.0);
    table.bound("gen-stubs, 1,000 contracts", "MB", once.megabytes, 200.0);
    table.bound("check, 1,000 contracts as agreed", "s", clean.seconds, 1.0);
    table.bound("check, 1,000 contracts as agreed", "MB", clean.megabytes, 200.0);
    table.ratio("gen-stubs, 2,000 contracts", "s", twice.seconds, ("for 1,000", once.seconds), 2.4);
    Ok(())
}

fn program(bench: &Bench) -> anyhow::Result<PathBuf> {
    let target = bench.folder.join("target");
    let build = ["build", "--release", "--package=wirecontract-codegen", "--bin=cargo-wirecontract"];
    bench.runner.cargo().args(build).env("CARGO_TARGET_DIR", &target).run()?;
    Ok(target.join("release/cargo-wirecontract"))
}

fn measure(bench: &Bench, program: &Path, scratch: &Scratch, contracts: usize) -> anyhow::Result<Usage> {
    let library = library(bench, contracts)?;
    let mut best: Option<Usage> = None;
    for turn in 0..TURNS {
        let out = scratch.0.join(format!("{contracts}-{turn}"));
        let words = [program.as_os_str(), "wirecontract".as_ref(), "gen-stubs".as_ref()];
        let options = ["--library".as_ref(), library.as_os_str(), "--target".as_ref(), TARGETS.as_ref()];
        let to = ["--out".as_ref(), out.as_os_str()];
        let (usage, _) = usage::of(bench, &scratch.0, &[], words.into_iter().chain(options).chain(to))?;
        ensure!(out.join("vectors").is_dir(), "expected vectors in {}, found none", out.display());
        best = Some(best.map_or(usage, |best| best.best(usage)));
    }
    Ok(best.expect("there is more than one turn"))
}

/// What it costs to find a clean tree clean: the lock, and every file.
fn check(bench: &Bench, program: &Path, scratch: &Scratch, contracts: usize) -> anyhow::Result<Usage> {
    let library = library(bench, contracts)?;
    // The package that the records are of, so that its files have a place.
    let package = scratch.0.join("package");
    std::fs::create_dir_all(package.join("src"))
        .and_then(|()| std::fs::write(package.join("Cargo.toml"), MANIFEST))
        .and_then(|()| std::fs::write(package.join("src/lib.rs"), ""))
        .with_context(|| format!("cannot write a package in {}", package.display()))?;
    let run = |arguments: &[&str]| {
        let words = [program.as_os_str(), "wirecontract".as_ref()];
        let library = ["--library".as_ref(), library.as_os_str()];
        let arguments = arguments.iter().map(|word| std::ffi::OsStr::new(*word));
        usage::of(bench, &package, &[], words.into_iter().chain(arguments).chain(library))
    };
    run(&["gen-stubs"])?;
    run(&["check", "--accept"])?;
    let mut best: Option<Usage> = None;
    for _ in 0..TURNS {
        let (usage, said) = run(&["check"])?;
        let expected = format!("{contracts} contracts as agreed");
        ensure!(said.contains(&expected), "expected {expected}, found:\n{said}");
        best = Some(best.map_or(usage, |best| best.best(usage)));
    }
    Ok(best.expect("there is more than one turn"))
}

/// A shared library with the records of that many contracts, as the derive leaves them, and nothing else.
fn library(bench: &Bench, contracts: usize) -> anyhow::Result<PathBuf> {
    let records = encode::records(&catalog::of(contracts), Target::X86_64);
    let bytes: Vec<u8> = records.into_iter().flat_map(|record| record.bytes).collect();
    let path = |extension: &str| bench.folder.join(format!("contracts-{contracts}.{extension}"));
    let (data, source, library) = (path("bin"), path("s"), path("so"));
    let assembly = format!(".section .note.wirec,\"a\",@note\n.balign 4\n.incbin \"{}\"\n", data.display());
    std::fs::write(&data, bytes)
        .and_then(|()| std::fs::write(&source, assembly))
        .with_context(|| format!("cannot write records in {}", bench.folder.display()))?;
    bench.runner.command("gcc").args(["-shared", "-nostdlib", "-o"]).arg(&library).arg(&source).run()?;
    Ok(library)
}

/// A folder outside any cargo workspace, where gen-stubs has no package to ask cargo for.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> anyhow::Result<Self> {
        let folder = std::env::temp_dir().join(format!("wirecontract-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder left in the system's temporary one is no reason to fail.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
