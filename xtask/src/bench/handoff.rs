//! Handoffs: a payload and the file descriptor of its memory, from socket to mapping, against the same system calls made
//! by hand in C; and what an import costs by its size.

mod python;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use super::Bench;
use super::calls::figures;
use super::package::Package;
use super::table::Table;
use crate::process::Step;

/// How often each program is measured, in turns, and round trips of each. What a mapping costs depends on how many others the
/// process has, so that each turn has one more of them beside than the one before: each program is measured at every count
/// of two nodes of the kernel's tree, of 16 mappings each, and its best one says what it costs.
const TURNS: usize = 33;
const TIMES: &str = "10000";
/// What our round trip may cost, as a ratio to the one by hand: from Rust, and from C by handles.
const MOST: [f64; 2] = [1.15, 1.25];
/// The most that an import of 4 GiB may cost, as a ratio to one of 4 KiB.
const MOST_BY_SIZE: f64 = 1.15;
const CONSUMERS: [u32; 3] = [1, 8, 64];

/// The programs that hand over.
struct Programs {
    rust: PathBuf,
    by_hand: PathBuf,
    by_library: PathBuf,
    /// What is loaded ahead of the others: mappings beside theirs.
    beside: PathBuf,
}

/// Round trips, imports, and what one producer sustains.
pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let programs = Programs::build(bench)?;
    programs.agree(bench)?;
    let package = Package::build(bench)?;
    python::agree(&package, &programs, bench)?;
    if bench.only_agree {
        return Ok(());
    }
    programs.round_trips(bench, table)?;
    python::round_trips(&package, &programs, bench, table)?;
    import(bench, table, &programs.rust)?;
    for consumers in CONSUMERS {
        let step = bench.runner.command(&programs.rust).args(["sustained", &consumers.to_string()]);
        let [rate] = said(step, "sustained")?;
        table.figure(format!("handoffs sustained, {consumers} consumers"), "a second", rate);
    }
    Ok(())
}

impl Programs {
    fn build(bench: &Bench) -> anyhow::Result<Programs> {
        bench.need("gcc")?;
        let target = bench.folder.join("target");
        // Each by a call of its own: cargo puts in its place only what it is asked for, and of `--bin` no library.
        for what in [["--package=wirecontract-bench", "--bin=handoff"], ["--package=wirecontract-c", "--lib"]]
        {
            let cargo = bench.runner.cargo().args(["build", "--release", "--locked"]);
            cargo
                .arg("--manifest-path=bench/Cargo.toml")
                .args(what)
                .env("CARGO_TARGET_DIR", &target)
                .run()?;
        }
        let built = target.join("release");
        let by_hand = bench.folder.join("handoff-by-hand");
        compile(bench, "bench/c/handoff.c", &by_hand, &[])?;
        let by_library = bench.folder.join("handoff-by-library");
        // The program looks for the library by its soname.
        let library = built.join("libwirecontract_c.so");
        let folder = bench.folder.join("library");
        std::fs::create_dir_all(&folder)?;
        let named = folder.join("libwirecontract.so.0");
        std::fs::copy(&library, &named).with_context(|| format!("cannot copy {}", library.display()))?;
        let words = ["-DBY_LIBRARY", "-Ibindings/c/include", &named.display().to_string()].map(str::to_owned);
        let rpath = format!("-Wl,-rpath,{}", folder.display());
        compile(bench, "bench/c/handoff.c", &by_library, &[&words[0], &words[1], &words[2], &rpath])?;
        let beside = bench.folder.join("beside.so");
        compile(bench, "bench/c/beside.c", &beside, &["-shared", "-fPIC"])?;
        Ok(Programs { rust: built.join("handoff"), by_hand, by_library, beside })
    }

    /// The same verdict of every side on every input, with every kind of file descriptor.
    fn agree(&self, bench: &Bench) -> anyhow::Result<()> {
        let verdicts = |program: &Path| -> anyhow::Result<String> {
            let (works, output) = bench.runner.command(program).arg("agree").arg(&bench.inputs.all).ask()?;
            ensure!(works, "{} failed:\n{output}", program.display());
            Ok(output)
        };
        let (ours, by_hand) = (verdicts(&self.rust)?, verdicts(&self.by_hand)?);
        same(&ours, &by_hand)?;
        // There the numbers are first held against the rules of the descriptor that they are put into: what is refused is
        // the same, and not the code.
        same(&accepted(&ours), &accepted(&verdicts(&self.by_library)?))?;
        bench.runner.say(format_args!(
            "all agree: {} inputs, each with 5 kinds of file descriptors",
            ours.lines().count()
        ));
        Ok(())
    }

    fn round_trips(&self, bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
        let measure = |program| {
            let step = bench.runner.command(program).arg("measure");
            step.arg(&bench.inputs.sample).arg(TIMES)
        };
        let programs = [&self.rust, &self.by_library, &self.by_hand];
        let best = self.best(|| programs.map(measure), "round-trip")?;
        let [rust, c, by_hand] = best;
        for ((name, ours), most) in
            [("handoff round trip", rust), ("c handoff round trip", c)].into_iter().zip(MOST)
        {
            table.ratio(name, "ns", ours, ("by hand in C", by_hand), most);
        }
        Ok(())
    }

    /// The best figure of each step under that name, in turns.
    fn best<'a, const N: usize>(
        &self,
        steps: impl Fn() -> [Step<'a>; N],
        name: &str,
    ) -> anyhow::Result<[f64; N]> {
        let mut best = [f64::INFINITY; N];
        for turn in 0..TURNS {
            for (step, best) in steps().into_iter().zip(&mut best) {
                let step = step.env("LD_PRELOAD", &self.beside).env("BESIDE", turn.to_string());
                let [time] = said(step, name)?;
                *best = best.min(time);
            }
        }
        Ok(best)
    }
}

/// An import and its end, of a large buffer against a small one.
fn import(bench: &Bench, table: &mut Table, program: &Path) -> anyhow::Result<()> {
    let [small, large] = said(bench.runner.command(program).arg("import"), "import")?;
    table.ratio("import 4 GiB", "ns", large, ("4 KiB", small), MOST_BY_SIZE);
    Ok(())
}

fn compile(bench: &Bench, source: &str, program: &Path, more: &[&str]) -> anyhow::Result<()> {
    let gcc =
        bench.runner.command("gcc").args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    Ok(gcc.arg(source).args(more).arg("-o").arg(program).run()?)
}

/// The figures that a program prints behind a name.
fn said<const N: usize>(step: Step<'_>, name: &str) -> anyhow::Result<[f64; N]> {
    let (works, output) = step.ask()?;
    ensure!(works, "a program of the bench failed:\n{output}");
    let said = figures(&output, name)?;
    <[f64; N]>::try_from(said)
        .map_err(|said| anyhow::anyhow!("expected {N} figures behind {name}, found {said:?}"))
}

fn same(ours: &str, theirs: &str) -> anyhow::Result<()> {
    ensure!(!ours.is_empty(), "expected verdicts, found none");
    match ours.lines().zip(theirs.lines()).find(|(ours, theirs)| ours != theirs) {
        None if ours.lines().count() == theirs.lines().count() => Ok(()),
        None => anyhow::bail!("verdicts on another number of inputs"),
        Some((ours, theirs)) => anyhow::bail!("input and codes: `{ours}`, and `{theirs}`"),
    }
}

/// Verdicts without their codes: of each line the input, and whether it is accepted with each kind of file descriptor.
fn accepted(verdicts: &str) -> String {
    let line = |line: &str| {
        let mut words = line.split(' ');
        let input = words.next().unwrap_or_default().to_owned();
        words.fold(input, |line, code| line + if code == "0" { " yes" } else { " no" })
    };
    verdicts.lines().map(|verdict| line(verdict) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_the_same_line_by_line() {
        assert!(same("0 1 2\n1 0 0\n", "0 1 2\n1 0 0\n").is_ok());
        let error = same("0 1 2\n1 0 0\n", "0 1 2\n1 0 9\n").unwrap_err().to_string();
        assert_eq!(error, "input and codes: `1 0 0`, and `1 0 9`");
        assert!(same("0 1\n1 0\n", "0 1\n").is_err());
        assert!(same("", "").is_err());
    }

    #[test]
    fn what_is_accepted_is_told_from_why_it_is_not() {
        assert_eq!(accepted("0 0 25 10\n"), accepted("0 0 25 20\n"));
        assert_ne!(accepted("0 0 25 10\n"), accepted("0 0 0 10\n"));
        assert_eq!(accepted("7 0 25\n"), "7 yes no\n");
    }
}
