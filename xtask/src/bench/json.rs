//! JSON messages in Rust: the derived code against serde and against a reader by hand; and what rules cost.

use std::path::{Path, PathBuf};

use anyhow::ensure;

use super::Bench;
use super::callgrind::instructions;
use super::table::Table;

/// Good and bad messages, for the peers of every language.
pub(super) const DOCUMENTS: &str = "bench/data/documents.json";

/// Against serde's derive, and against walking a `serde_json::Value`: several times faster is at least three times.
pub(super) fn messages(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let program = program(bench)?;
    if bench.only_agree {
        return Ok(());
    }
    for (what, entry) in [("answer", ""), ("export", "_export")] {
        for (work, peer, words, limit) in [
            ("from_json", "serde", "serde_json", 1.15),
            ("from_json", "value", "serde_json::Value", 1.0 / 3.0),
            ("to_json", "serde", "serde_json", 1.15),
        ] {
            let (ours, theirs) = (format!("contract{entry}_{work}"), format!("{peer}{entry}_{work}"));
            compare(bench, table, &program, format!("{what} {work}"), (&ours, &theirs), words, limit)?;
        }
    }
    // What C gets is the same value in a struct of its own. Each is read, and ended.
    for (what, entry) in [("answer", ""), ("export", "_export")] {
        let (c, rust) = (format!("c{entry}_from_json"), format!("ended{entry}_from_json"));
        compare(bench, table, &program, format!("{what} from_json in C"), (&c, &rust), "Rust", 1.2)?;
    }
    Ok(())
}

/// A descriptor with four rules against the same one without.
pub(super) fn rules(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let program = program(bench)?;
    if bench.only_agree {
        return Ok(());
    }
    for work in ["from_bytes", "view"] {
        let (ours, theirs) = (format!("ruled_{work}"), format!("plain_{work}"));
        compare(bench, table, &program, format!("4 rules {work}"), (&ours, &theirs), "no rules", 1.15)?;
    }
    Ok(())
}

fn compare(
    bench: &Bench,
    table: &mut Table,
    program: &Path,
    name: String,
    (ours, theirs): (&str, &str),
    peer: &'static str,
    limit: f64,
) -> anyhow::Result<()> {
    let documents = Path::new(DOCUMENTS);
    let ours = instructions(bench, program, ours, documents)?;
    let theirs = instructions(bench, program, theirs, documents)?;
    table.ratio(name, "instructions", ours, (peer, theirs), limit);
    Ok(())
}

/// Builds the program that holds all sides, and has it show that they agree.
fn program(bench: &Bench) -> anyhow::Result<PathBuf> {
    bench.need_counter()?;
    let target = bench.folder.join("target");
    bench
        .runner
        .cargo()
        .args(["build", "--release", "--locked", "--manifest-path=bench/Cargo.toml", "--bin=json"])
        .env("CARGO_TARGET_DIR", &target)
        .run()?;
    let program = target.join("release/json");
    let (agree, output) = bench.runner.command(&program).args(["agree", DOCUMENTS]).ask()?;
    ensure!(agree, "the sides do not agree:\n{output}");
    bench.runner.say(format_args!("the sides agree: {}", output.trim().replace('\n', "; ")));
    Ok(program)
}
