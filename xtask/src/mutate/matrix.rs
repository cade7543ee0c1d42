//! What became of every mutant, and what of it is a finding.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::gates::{Gate, Outcome, Outcomes};
use super::mutant::Kind;

/// A mutant, and what the gates said.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) operator: String,
    pub(crate) place: String,
    pub(crate) change: String,
    /// Of a harmless change, whether it leaves artifacts current.
    pub(crate) keeps_sources: bool,
    pub(crate) outcomes: Outcomes,
    /// Promises that a harmless change did not keep.
    pub(crate) notes: Vec<String>,
}

/// Something that fails the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finding {
    /// No gate stopped a change of one side.
    Survivor { row: usize },
    /// Nothing stopped it but that the lock has something else.
    OnlyLock { row: usize },
    /// A harmless change was stopped, or is called something else.
    FalseAlarm { row: usize, why: String },
    /// A change that artifacts say was not told from none.
    Silent { row: usize },
    /// A gate that stopped nothing.
    Idle { gate: Gate },
    /// A gate that stops what nobody changed: what it says of mutants says nothing.
    Deaf { row: usize, gate: Gate, why: String },
}

/// Of each operator how many mutants there were, and of each gate how many it stopped and met.
pub(crate) type Table<'a> = BTreeMap<(Kind, &'a str), (usize, BTreeMap<Gate, (usize, usize)>)>;

/// All rows, and which gates were broken on purpose.
pub(crate) struct Matrix {
    pub(crate) rows: Vec<Row>,
    pub(crate) without: BTreeSet<Gate>,
    /// Whether every gate has to have met something: not in a sample, or where mutants were asked for by name.
    pub(crate) is_whole: bool,
}

impl Matrix {
    /// What fails the run.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> =
            self.rows.iter().enumerate().flat_map(|(row, it)| self.of_row(row, it)).collect();
        if self.is_whole {
            let idle =
                Gate::ALL.into_iter().filter(|gate| !self.without.contains(gate) && self.stopped(*gate) == 0);
            findings.extend(idle.map(|gate| Finding::Idle { gate }));
        }
        findings
    }

    /// The gates that stopped a mutant, and why; without those that are broken on purpose.
    pub(crate) fn stops<'row>(&self, row: &'row Row) -> impl Iterator<Item = (Gate, &'row str)> {
        row.outcomes.iter().filter(|(gate, _)| !self.without.contains(gate)).filter_map(|(gate, outcome)| {
            match outcome {
                Outcome::Stopped(why) => Some((*gate, why.as_str())),
                Outcome::Passed => None,
            }
        })
    }

    /// How many changes of one side a gate stopped.
    pub(crate) fn stopped(&self, gate: Gate) -> usize {
        let one_sided = self.rows.iter().filter(|row| matches!(row.kind, Kind::Declaration | Kind::Artifact));
        one_sided.filter(|row| self.stops(row).any(|(by, _)| by == gate)).count()
    }

    /// Of each operator, and of each gate: how many mutants it stopped, and how many it met.
    pub(crate) fn table(&self) -> Table<'_> {
        let mut table = Table::new();
        for row in self.rows.iter().filter(|row| row.kind != Kind::Control) {
            let (count, gates) = table.entry((row.kind, &row.operator)).or_default();
            *count += 1;
            for gate in row.outcomes.keys().filter(|gate| !self.without.contains(gate)) {
                gates.entry(*gate).or_default().1 += 1;
            }
            for (gate, _) in self.stops(row) {
                gates.entry(gate).or_default().0 += 1;
            }
        }
        table
    }

    /// The kinds of edit that nothing stopped but digests: what a gate would see that reads them, nobody knows.
    pub(crate) fn by_digest_alone(&self) -> Vec<&str> {
        let edits = self.table().into_iter().filter(|((kind, _), _)| *kind == Kind::Artifact);
        let is_read = |gates: &BTreeMap<Gate, (usize, usize)>| {
            gates
                .iter()
                .any(|(gate, (stopped, _))| *stopped > 0 && !matches!(gate, Gate::Check | Gate::Verify))
        };
        edits.filter(|(_, (_, gates))| !is_read(gates)).map(|((_, operator), _)| operator).collect()
    }

    fn of_row(&self, row: usize, it: &Row) -> Vec<Finding> {
        let stops: Vec<(Gate, &str)> = self.stops(it).collect();
        match it.kind {
            Kind::Declaration | Kind::Artifact => match stops.as_slice() {
                [] => vec![Finding::Survivor { row }],
                [(Gate::Lock, _)] => vec![Finding::OnlyLock { row }],
                _ => Vec::new(),
            },
            Kind::Control => {
                let deaf =
                    |(gate, why): &(Gate, &str)| Finding::Deaf { row, gate: *gate, why: (*why).to_owned() };
                stops.iter().map(deaf).collect()
            }
            Kind::Harmless => {
                // What says source ids has to say that these are others, and must not where they are not.
                let says_sources = |gate: &Gate| matches!(gate, Gate::Check | Gate::Verify);
                let alarms = stops.iter().filter(|(gate, _)| it.keeps_sources || !says_sources(gate));
                let alarm = |(gate, why): &(Gate, &str)| format!("{}: {why}", gate.name());
                let whys = alarms.map(alarm).chain(it.notes.iter().cloned());
                let mut found: Vec<Finding> = whys.map(|why| Finding::FalseAlarm { row, why }).collect();
                let is_said = stops.iter().any(|(gate, _)| says_sources(gate));
                if !it.keeps_sources && !is_said {
                    found.push(Finding::Silent { row });
                }
                found
            }
        }
    }
}

impl Finding {
    /// What programs tell it by.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Finding::Survivor { .. } => "survivor",
            Finding::OnlyLock { .. } => "only_lock",
            Finding::FalseAlarm { .. } => "false_alarm",
            Finding::Silent { .. } => "silent",
            Finding::Idle { .. } => "idle_gate",
            Finding::Deaf { .. } => "deaf_gate",
        }
    }

    /// The mutant that it is about.
    pub(crate) const fn row(&self) -> Option<usize> {
        match self {
            Finding::Survivor { row }
            | Finding::OnlyLock { row }
            | Finding::FalseAlarm { row, .. }
            | Finding::Silent { row }
            | Finding::Deaf { row, .. } => Some(*row),
            Finding::Idle { .. } => None,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Survivor { .. } => f.write_str("expected a gate to stop it, found none that does"),
            Finding::OnlyLock { .. } => {
                f.write_str("expected a gate beside the lock to stop it, found that the lock alone differs")
            }
            Finding::FalseAlarm { why, .. } => {
                write!(f, "expected nothing to stop a harmless change, found {why}")
            }
            Finding::Silent { .. } => f.write_str(
                "expected stale artifacts to be reported, found that check and verify say nothing",
            ),
            Finding::Idle { gate } => write!(
                f,
                "expected the gate {} to stop a mutant by itself, found none that it stopped",
                gate.name()
            ),
            Finding::Deaf { gate, why, .. } => write!(
                f,
                "expected the gate {} to pass what nobody changed, found that it stops it: {why}",
                gate.name()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: Kind, stops: &[Gate], passes: &[Gate]) -> Row {
        let stopped = stops.iter().map(|gate| (*gate, Outcome::Stopped("because".to_owned())));
        Row {
            name: "s/field.type/T.a/1".to_owned(),
            kind,
            operator: "field.type".to_owned(),
            place: "T.a".to_owned(),
            change: "u32 → i32".to_owned(),
            keeps_sources: false,
            outcomes: stopped.chain(passes.iter().map(|gate| (*gate, Outcome::Passed))).collect(),
            notes: Vec::new(),
        }
    }

    fn findings(rows: Vec<Row>, without: &[Gate]) -> Vec<Finding> {
        Matrix { rows, without: without.iter().copied().collect(), is_whole: false }.findings()
    }

    #[test]
    fn what_no_gate_stops_is_a_survivor() {
        for kind in [Kind::Declaration, Kind::Artifact] {
            assert_eq!(findings(vec![row(kind, &[Gate::Check], &[Gate::Verify])], &[]), []);
            assert_eq!(findings(vec![row(kind, &[], &[Gate::Check])], &[]), [Finding::Survivor { row: 0 }]);
        }
    }

    #[test]
    fn a_kind_of_edit_is_stopped_by_digests_alone_until_one_of_it_is_read() {
        let matrix = |rows| Matrix { rows, without: BTreeSet::new(), is_whole: false };
        let digest = row(Kind::Artifact, &[Gate::Check, Gate::Verify], &[Gate::CompileC]);
        assert_eq!(matrix(vec![digest.clone()]).by_digest_alone(), ["field.type"]);
        let read = row(Kind::Artifact, &[Gate::Check, Gate::CompileC], &[]);
        assert_eq!(matrix(vec![digest, read]).by_digest_alone(), [""; 0]);
    }

    #[test]
    fn what_the_lock_alone_stops_is_a_finding() {
        let rows = vec![row(Kind::Declaration, &[Gate::Lock], &[Gate::Check])];
        assert_eq!(findings(rows, &[]), [Finding::OnlyLock { row: 0 }]);
    }

    #[test]
    fn a_gate_that_is_broken_on_purpose_lets_survivors_be_seen() {
        let rows = || vec![row(Kind::Declaration, &[Gate::Check, Gate::Lock], &[])];
        assert_eq!(findings(rows(), &[]), []);
        assert_eq!(findings(rows(), &[Gate::Check]), [Finding::OnlyLock { row: 0 }]);
        assert_eq!(findings(rows(), &[Gate::Check, Gate::Lock]), [Finding::Survivor { row: 0 }]);
    }

    #[test]
    fn a_gate_that_stops_nothing_is_a_finding() {
        let others: Vec<Gate> = Gate::ALL.into_iter().filter(|gate| *gate != Gate::Load).collect();
        let rows = vec![row(Kind::Declaration, &others, &[Gate::Load])];
        let whole = |without: &[Gate]| Matrix {
            rows: rows.clone(),
            without: without.iter().copied().collect(),
            is_whole: true,
        };
        assert_eq!(whole(&[]).findings(), [Finding::Idle { gate: Gate::Load }]);
        assert_eq!(whole(&[Gate::Load]).findings(), []);
    }

    #[test]
    fn a_gate_that_stops_what_nobody_changed_is_a_finding() {
        let found = findings(vec![row(Kind::Control, &[Gate::Reader], &[Gate::Check])], &[]);
        assert!(matches!(found[..], [Finding::Deaf { gate: Gate::Reader, .. }]), "{found:?}");
    }

    #[test]
    fn a_harmless_change_is_stale_and_nothing_else() {
        let kind = Kind::Harmless;
        assert_eq!(findings(vec![row(kind, &[Gate::Check, Gate::Verify], &[Gate::Lock])], &[]), []);
        assert_eq!(findings(vec![row(kind, &[], &[Gate::Check])], &[]), [Finding::Silent { row: 0 }]);
        let found = findings(vec![row(kind, &[Gate::Check, Gate::Lock], &[])], &[]);
        assert!(matches!(found[..], [Finding::FalseAlarm { .. }]), "{found:?}");
        let mut same = row(kind, &[], &[Gate::Check]);
        same.keeps_sources = true;
        assert_eq!(findings(vec![same.clone()], &[]), []);
        same.notes.push("Frame is called breaking".to_owned());
        assert!(matches!(findings(vec![same], &[])[..], [Finding::FalseAlarm { .. }]));
    }
}
