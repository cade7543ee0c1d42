//! Rust: the derived code against a hand-written parser, and against other derives.

use std::path::PathBuf;

use anyhow::ensure;

use super::callgrind::instructions;
use super::table::Table;
use super::{Bench, table};

/// Against zerocopy by hand.
pub(super) fn handwritten(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let program = program(bench)?;
    if bench.only_agree {
        return Ok(());
    }
    for work in ["from_bytes", "view", "to_bytes"] {
        compare(bench, table, &program, work, "zerocopy", 1.05)?;
    }
    // `program` has seen that there is none, or has failed.
    table.bound("rust allocations", "", 0.0, 0.0);
    Ok(())
}

/// Against declarations with other crates: several times faster is at least three times.
pub(super) fn derives(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let program = program(bench)?;
    if bench.only_agree {
        return Ok(());
    }
    for peer in ["binrw", "deku"] {
        for work in ["from_bytes", "to_bytes"] {
            compare(bench, table, &program, work, peer, 1.0 / 3.0)?;
        }
    }
    Ok(())
}

fn compare(
    bench: &Bench,
    table: &mut table::Table,
    program: &std::path::Path,
    work: &str,
    peer: &'static str,
    limit: f64,
) -> anyhow::Result<()> {
    let ours = instructions(bench, program, &format!("contract_{work}"), &bench.inputs.sample)?;
    let theirs = instructions(bench, program, &format!("{peer}_{work}"), &bench.inputs.sample)?;
    table.ratio(format!("rust {work}"), "instructions", ours, (peer, theirs), limit);
    Ok(())
}

/// Builds the program that holds all sides, and has it show that they agree and that ours does not allocate.
fn program(bench: &Bench) -> anyhow::Result<PathBuf> {
    bench.need_counter()?;
    let target = bench.folder.join("target");
    bench
        .runner
        .cargo()
        .args(["build", "--release", "--locked", "--manifest-path=bench/Cargo.toml", "--bin=payload"])
        .env("CARGO_TARGET_DIR", &target)
        .run()?;
    let program = target.join("release/payload");
    let (agree, output) = bench.runner.command(&program).arg("agree").arg(&bench.inputs.all).ask()?;
    ensure!(agree, "the sides do not agree:\n{output}");
    bench.runner.say(format_args!("the sides agree: {}", output.trim().replace('\n', "; ")));
    Ok(program)
}
