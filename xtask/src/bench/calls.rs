//! Calls of exported functions: of handles against the bare function from C, and through ctypes against ctypes by hand.

use std::path::PathBuf;

use anyhow::{Context as _, ensure};

use super::Bench;
use super::table::Table;

/// The most that the handle of one thread may cost a call beyond the bare function, and one of all threads, in
/// nanoseconds.
const MOST: [(&str, f64); 2] = [("exclusive", 5.0), ("shared", 15.0)];

/// Generated C and Python.
pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let library = library(bench)?;
    c(bench, table, &library)?;
    python(bench, table, &library)
}

/// Builds the library as it would ship.
fn library(bench: &Bench) -> anyhow::Result<PathBuf> {
    let target = bench.folder.join("calls");
    bench
        .runner
        .cargo()
        .args(["build", "--quiet", "--release", "--locked", "--manifest-path", "bench/Cargo.toml"])
        .args(["--package", "wirecontract-bench-calls"])
        .env("CARGO_TARGET_DIR", &target)
        .run()?;
    Ok(target.join("release/libwirecontract_bench_calls.so"))
}

fn c(bench: &Bench, table: &mut Table, library: &std::path::Path) -> anyhow::Result<()> {
    bench.need("gcc")?;
    let program = bench.folder.join("calls-gcc");
    bench
        .runner
        .command("gcc")
        .args(["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O2", "-Wall", "-Wextra", "-Werror"])
        .args(["-Ibench/calls/generated/include", "bench/c/calls.c"])
        .arg(library)
        .arg("-o")
        .arg(&program)
        .run()?;
    let (agree, output) = bench.runner.command(&program).arg("agree").ask()?;
    ensure!(agree, "handles and the bare function do not agree:\n{output}");
    if bench.only_agree {
        return Ok(());
    }
    let (works, output) = bench.runner.command(&program).arg("measure").ask()?;
    ensure!(works, "calls could not be measured:\n{output}");
    let times = figures(&output, "calls")?;
    let [owned, shared, bare] = times[..] else {
        anyhow::bail!("expected three figures, found:\n{output}");
    };
    bench.runner.say(format_args!("a call: exclusive {owned} ns, shared {shared} ns, bare {bare} ns"));
    for ((kind, most), time) in MOST.into_iter().zip([owned, shared]) {
        table.bound(format!("c call, {kind} handle, beyond bare"), "ns", time - bare, most);
    }
    Ok(())
}

fn python(bench: &Bench, table: &mut Table, library: &std::path::Path) -> anyhow::Result<()> {
    let python: PathBuf = match std::env::var_os("WIRECONTRACT_PYTHON") {
        Some(python) => python.into(),
        None => bench.setup.venv(&bench.runner)?.python(),
    };
    let mut command = bench.runner.command(&python);
    command = command.arg("bench/python/exported_calls.py").arg(library).arg("bench/calls/generated/python");
    let (works, output) = if bench.only_agree { command.ask()? } else { command.arg("measure").ask()? };
    ensure!(works, "generated module and ctypes by hand do not agree:\n{output}");
    if bench.only_agree {
        return Ok(());
    }
    for work in ["read", "sum"] {
        let times = figures(&output, work)?;
        let [ours, hand] = times[..] else {
            anyhow::bail!("expected two figures for {work}, found:\n{output}")
        };
        table.ratio(format!("python call, {work}"), "ns", ours, ("ctypes by hand", hand), 1.0);
    }
    Ok(())
}

/// The numbers behind a name, on its line.
pub(super) fn figures(output: &str, name: &str) -> anyhow::Result<Vec<f64>> {
    let line = output.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let line = line.with_context(|| format!("expected a line for {name}, found:\n{output}"))?;
    Ok(line.split(' ').map(str::parse).collect::<Result<_, _>>()?)
}
