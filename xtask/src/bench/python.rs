//! Python: the generated module against the SDK's own reader.

use anyhow::{Context as _, ensure};

use super::Bench;
use super::table::Table;

/// Generated Python from and to bytes.
pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let python = match std::env::var_os("WIRECONTRACT_PYTHON") {
        Some(python) => python.into(),
        None => bench.setup.venv(&bench.runner)?.python(),
    };
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
        let (ours, theirs) =
            pair(&output, work).with_context(|| format!("expected a line for {work}, found:\n{output}"))?;
        table.ratio(format!("python {work}"), "ns", ours, ("cuvis_ipc", theirs), limit);
    }
    Ok(())
}

fn pair(output: &str, name: &str) -> Option<(f64, f64)> {
    let line = output.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    let (ours, theirs) = line.split_once(' ')?;
    Some((ours.parse().ok()?, theirs.parse().ok()?))
}
