//! What is told: findings first, then the matrix of kinds of change and gates, or all of it as JSON.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::gates::{Gate, Outcome};
use super::matrix::{Finding, Matrix};
use super::mutant::Kind;

/// What of a run is the same whatever its mutants are.
pub(crate) struct About {
    pub(crate) seed: u64,
    /// How many could be made.
    pub(crate) possible: usize,
    /// How many of those that were tried are no declarations.
    pub(crate) refused: usize,
    pub(crate) seconds: f64,
    /// Where [`list`] is.
    pub(crate) list: PathBuf,
}

/// For people.
pub(crate) fn text(matrix: &Matrix, about: &About) -> String {
    let mut text = String::new();
    let findings = matrix.findings();
    for finding in &findings {
        let _ = writeln!(text, "{}", said(matrix, finding));
    }
    if !findings.is_empty() {
        text.push('\n');
    }
    table(&mut text, matrix);
    let count = |kind: Kind| matrix.rows.iter().filter(|row| row.kind == kind).count();
    let of = |kind: fn(&Finding) -> bool| findings.iter().filter(|finding| kind(finding)).count();
    let _ = writeln!(
        text,
        "\n{} changed declarations, {} edited artifacts, {} harmless changes; seed {}, {} could be made, {} that were \
         tried are no declarations; {:.0} s",
        count(Kind::Declaration),
        count(Kind::Artifact),
        count(Kind::Harmless),
        about.seed,
        about.possible,
        about.refused,
        about.seconds
    );
    let _ = writeln!(
        text,
        "{} survivors, {} stopped by the lock alone, {} false alarms, {} idle gates",
        of(|it| matches!(it, Finding::Survivor { .. })),
        of(|it| matches!(it, Finding::OnlyLock { .. })),
        of(|it| matches!(it, Finding::FalseAlarm { .. } | Finding::Silent { .. })),
        of(|it| matches!(it, Finding::Idle { .. } | Finding::Deaf { .. })),
    );
    let _ = writeln!(text, "what stopped each: {}", about.list.display());
    let unread = matrix.by_digest_alone();
    if !unread.is_empty() {
        let _ = writeln!(text, "kinds of edit that only digests stopped: {}", unread.join(", "));
    }
    text
}

fn said(matrix: &Matrix, finding: &Finding) -> String {
    match finding.row().map(|row| &matrix.rows[row]) {
        None => format!("{}: {finding}", finding.kind()),
        Some(row) => format!(
            "{}: {}\n    {} at {}: {}\n    {finding}\n    again: cargo xtask mutate --only '{}'",
            finding.kind(),
            row.name,
            row.operator,
            row.place,
            row.change,
            row.name
        ),
    }
}

/// A row for each kind of change, a column for each gate: how many it stopped of how many it met.
fn table(text: &mut String, matrix: &Matrix) {
    let table = matrix.table();
    let width = table.keys().map(|(_, operator)| operator.len()).max().unwrap_or(0).max(24);
    let columns: Vec<Gate> = Gate::ALL.into_iter().filter(|gate| !matrix.without.contains(gate)).collect();
    let mut last = None;
    for ((kind, operator), (count, gates)) in &table {
        if last != Some(*kind) {
            let names: Vec<String> = columns.iter().map(|gate| format!("{:>15}", gate.name())).collect();
            let _ = writeln!(text, "{:<width$} {:>5}{}", kind.name(), "", names.concat());
            last = Some(*kind);
        }
        let cells = columns.iter().map(|gate| match gates.get(gate) {
            None => format!("{:>15}", "·"),
            Some((stopped, met)) => format!("{:>15}", format!("{stopped}/{met}")),
        });
        let _ = writeln!(text, "{operator:<width$} {count:>5}{}", cells.collect::<String>());
    }
    let totals = columns.iter().map(|gate| format!("{:>15}", matrix.stopped(*gate)));
    let _ = writeln!(text, "{:<width$} {:>5}{}", "stopped, of one side", "", totals.collect::<String>());
}

/// Every mutant on a line, with the gates that stopped it and those that it passed.
pub(crate) fn list(matrix: &Matrix) -> String {
    let names = |gates: &mut dyn Iterator<Item = Gate>| {
        let names: Vec<&str> = gates.map(Gate::name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let line = |row: &super::matrix::Row| {
        let stopped: Vec<Gate> = matrix.stops(row).map(|(gate, _)| gate).collect();
        let met = row.outcomes.keys().copied().filter(|gate| !matrix.without.contains(gate));
        let mut passed = met.filter(|gate| !stopped.contains(gate));
        format!(
            "{}: {}; stopped by {}; passed {}\n",
            row.name,
            row.change,
            names(&mut stopped.iter().copied()),
            names(&mut passed)
        )
    };
    matrix.rows.iter().map(line).collect()
}

/// For programs: every mutant with what each gate said.
pub(crate) fn json(matrix: &Matrix, about: &About) -> Json {
    let findings = matrix.findings();
    let row = |row: &super::matrix::Row| {
        let gates = row.outcomes.iter().filter(|(gate, _)| !matrix.without.contains(gate));
        let gates = gates.map(|(gate, outcome)| {
            let said = match outcome {
                Outcome::Stopped(why) => json!({ "stopped": true, "why": why }),
                Outcome::Passed => json!({ "stopped": false }),
            };
            (gate.name().to_owned(), said)
        });
        json!({
            "name": row.name,
            "kind": row.kind.name(),
            "operator": row.operator,
            "place": row.place,
            "change": row.change,
            "gates": gates.collect::<serde_json::Map<String, Json>>(),
        })
    };
    let finding = |finding: &Finding| {
        json!({
            "kind": finding.kind(),
            "mutant": finding.row().map(|row| matrix.rows[row].name.clone()),
            "message": finding.to_string(),
        })
    };
    json!({
        "seed": about.seed,
        "possible": about.possible,
        "refused": about.refused,
        "by_digest_alone": matrix.by_digest_alone(),
        "findings": findings.iter().map(finding).collect::<Vec<_>>(),
        "mutants": matrix.rows.iter().map(row).collect::<Vec<_>>(),
    })
}
