//! Building contracts against building the same types with zerocopy's derives, and what their records weigh.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use super::Bench;
use super::sources::{self, Derives, PAIRS};
use super::table::Table;
use super::usage::{self, Usage};

const TURNS: usize = 3;
/// The most bytes of record that a contract may take: 1.5 KB.
const RECORD: f64 = 1536.0;

/// Both profiles, then the record.
pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let ours = Crate::write(bench, "contracts", Derives::Contract)?;
    let theirs = Crate::write(bench, "casts", Derives::Zerocopy)?;
    for profile in ["dev", "release"] {
        for it in [&ours, &theirs] {
            it.prepare(bench, profile)?;
        }
        let mut best: Option<(Usage, Usage)> = None;
        for _ in 0..TURNS {
            let turn = (ours.measure(bench, profile)?, theirs.measure(bench, profile)?);
            best = Some(best.map_or(turn, |best| (best.0.best(turn.0), best.1.best(turn.1))));
        }
        let (ours, theirs) = best.expect("there is more than one turn");
        table.ratio(format!("build {profile}"), "s", ours.seconds, ("zerocopy", theirs.seconds), 0.9);
    }
    let library = ours.shared_library(bench)?;
    table.bound("record, a contract", "bytes", record_bytes(bench, &library)?, RECORD);
    Ok(())
}

/// A generated crate that holds nothing but declarations.
struct Crate {
    name: &'static str,
    folder: PathBuf,
    target: PathBuf,
}

impl Crate {
    fn write(bench: &Bench, name: &'static str, derives: Derives) -> anyhow::Result<Self> {
        let folder = bench.folder.join(name);
        let dependency = match derives {
            Derives::Contract => {
                format!("wirecontract = {{ path = \"{}\" }}", bench.root().join("contracts/core").display())
            }
            Derives::Zerocopy => "zerocopy = { version = \"=0.8.64\", features = [\"derive\"] }".to_owned(),
        };
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [lib]\npath = \"lib.rs\"\n\n[dependencies]\n{dependency}\n"
        );
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(folder.join("Cargo.toml"), manifest))
            .and_then(|()| std::fs::write(folder.join("lib.rs"), sources::library(derives)))
            .with_context(|| format!("cannot write a crate in {}", folder.display()))?;
        let target = folder.join("target");
        Ok(Crate { name, folder, target })
    }

    /// Builds what it depends on, and itself once.
    fn prepare(&self, bench: &Bench, profile: &str) -> anyhow::Result<()> {
        let step = bench.runner.cargo().args(["build", "--profile", profile]).directory(&self.folder);
        Ok(step.env("CARGO_TARGET_DIR", &self.target).run()?)
    }

    /// Builds it, and nothing else, from the start.
    fn measure(&self, bench: &Bench, profile: &str) -> anyhow::Result<Usage> {
        let clean = ["clean", "--profile", profile, "--package", self.name];
        let step = bench.runner.cargo().args(clean).directory(&self.folder);
        step.env("CARGO_TARGET_DIR", &self.target).run()?;
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let command = [&*cargo, OsStr::new("build"), OsStr::new("--profile"), OsStr::new(profile)];
        let environment = [("CARGO_TARGET_DIR", self.target.as_os_str())];
        let (usage, output) = usage::of(bench, &self.folder, &environment, command)?;
        let compiled = output.matches("Compiling ").count();
        ensure!(
            compiled == 1,
            "expected one crate to be compiled, found {compiled}; did the source change?\n{output}"
        );
        Ok(usage)
    }

    fn shared_library(&self, bench: &Bench) -> anyhow::Result<PathBuf> {
        let step = bench.runner.cargo().args(["rustc", "--release", "--crate-type=cdylib"]);
        step.directory(&self.folder).env("CARGO_TARGET_DIR", &self.target).run()?;
        Ok(self.target.join(format!("release/lib{}.so", self.name)))
    }
}

/// Bytes of the library's section of records for each contract of ours in it.
fn record_bytes(bench: &Bench, library: &Path) -> anyhow::Result<f64> {
    let (works, output) = bench.runner.command("readelf").args(["-S", "-W"]).arg(library).ask()?;
    ensure!(works, "readelf could not read {}:\n{output}", library.display());
    let size = section_size(&output, ".note.wirec").with_context(|| {
        format!("expected a section .note.wirec in {}, found:\n{output}", library.display())
    })?;
    // The codes of errors are a contract too, which every library carries.
    let contracts = 2 * PAIRS + 1;
    Ok(f64::from(size) / f64::from(u32::try_from(contracts)?))
}

/// The sixth column of `readelf -S -W`, counted from the section's name.
fn section_size(output: &str, name: &str) -> Option<u32> {
    let columns = output.lines().find_map(|line| {
        let mut columns = line.split_whitespace().skip_while(|&word| word != name);
        columns.next()?;
        Some(columns)
    });
    u32::from_str_radix(columns?.nth(3)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_section_is_read() {
        let output =
            "  [ 1] .note.wirec       NOTE            00000000000002a8 0002a8 0719c0 00  Ao  0   0  4\n";
        assert_eq!(section_size(output, ".note.wirec"), Some(0x0007_19c0));
        assert_eq!(section_size(output, ".text"), None);
    }
}
