//! Python: the generated modules against the SDK's own reader of payloads, and against a reader of messages by hand.

use std::path::Path;

use anyhow::{Context as _, ensure};

use super::Bench;
use super::json::DOCUMENTS;
use super::package;
use super::table::Table;

/// Generated Python from and to bytes, and from and to JSON.
pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let python = package::python(bench)?;
    payload(bench, table, &python)?;
    messages(bench, table, &python)
}

fn payload(bench: &Bench, table: &mut Table, python: &Path) -> anyhow::Result<()> {
    let (works, output) = bench
        .runner
        .command(python)
        .arg("bench/python/payload.py")
        .arg(&bench.inputs.all)
        .arg(&bench.inputs.sample)
        .arg("bindings/python")
        .ask()?;
    ensure!(works, "generated module and SDK do not agree:\n{output}");
    for (work, limit) in [("from_bytes", 1.4), ("to_bytes", 0.6)] {
        let figures = figures(&output, work);
        let figures = figures.with_context(|| format!("expected a line for {work}, found:\n{output}"))?;
        ensure!(figures.len() == 2, "expected two figures for {work}, found:\n{output}");
        table.ratio(format!("python {work}"), "ns", figures[0], ("cuvis_ipc", figures[1]), limit);
    }
    Ok(())
}

fn messages(bench: &Bench, table: &mut Table, python: &Path) -> anyhow::Result<()> {
    let (works, output) = bench
        .runner
        .command(python)
        .args(["bench/python/json_messages.py", DOCUMENTS, "bindings/python"])
        .ask()?;
    ensure!(works, "generated module and reader by hand do not agree:\n{output}");
    let figures = |work: &str| {
        figures(&output, work).with_context(|| format!("expected a line for {work}, found:\n{output}"))
    };
    let (read, written) = (figures("from_json")?, figures("to_json")?);
    ensure!(read.len() == 3 && written.len() == 2, "expected three figures and two, found:\n{output}");
    table.ratio("python from_json", "ns", read[0], ("by hand", read[1]), 1.1);
    table.ratio("python from_json", "ns", read[0], ("json.loads", read[2]), 2.3);
    table.ratio("python to_json", "ns", written[0], ("by hand", written[1]), 1.1);
    Ok(())
}

/// The numbers behind a name, on its line.
fn figures(output: &str, name: &str) -> Option<Vec<f64>> {
    let line = output.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    line.split(' ').map(|figure| figure.parse().ok()).collect()
}
