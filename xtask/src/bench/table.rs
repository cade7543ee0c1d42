//! What was measured, and whether it is within its limit.

use std::fmt;

/// A row of the table.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// What was measured.
    pub(super) name: String,
    /// Our figure.
    pub(super) ours: f64,
    /// What it is held against.
    pub(super) peer: Peer,
    /// What both count.
    pub(super) unit: &'static str,
    /// The most that the ratio, or our figure where there is no peer, may be.
    pub(super) limit: f64,
}

/// What a figure is held against.
#[derive(Debug, Clone)]
pub(super) enum Peer {
    /// Another program's figure.
    Named(&'static str, f64),
    /// The limit alone.
    None,
}

impl Row {
    fn compared(&self) -> f64 {
        match self.peer {
            Peer::Named(_, theirs) => self.ours / theirs,
            Peer::None => self.ours,
        }
    }

    /// A figure that is no number breaks every limit.
    fn holds(&self) -> bool {
        self.compared() <= self.limit
    }
}

/// The rows, in the order in which they were measured.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Row>,
}

impl Table {
    /// Adds a row that is compared with a peer.
    pub(super) fn ratio(
        &mut self,
        name: impl Into<String>,
        unit: &'static str,
        ours: f64,
        (peer, theirs): (&'static str, f64),
        limit: f64,
    ) {
        self.rows.push(Row { name: name.into(), ours, peer: Peer::Named(peer, theirs), unit, limit });
    }

    /// Adds a row that has a limit of its own.
    pub(super) fn bound(&mut self, name: impl Into<String>, unit: &'static str, ours: f64, limit: f64) {
        self.rows.push(Row { name: name.into(), ours, peer: Peer::None, unit, limit });
    }

    /// Adds a row that is there to be read, and has no limit.
    pub(super) fn figure(&mut self, name: impl Into<String>, unit: &'static str, ours: f64) {
        self.bound(name, unit, ours, f64::INFINITY);
    }

    /// How many rows are over their limit.
    pub(super) fn broken(&self) -> usize {
        self.rows.iter().filter(|row| !row.holds()).count()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["row", "ours", "peer", "ratio", "limit", "verdict"].map(str::to_owned);
        let cells: Vec<[String; 6]> = std::iter::once(head)
            .chain(self.rows.iter().map(|row| {
                let (peer, ratio) = match row.peer {
                    Peer::Named(name, theirs) => {
                        (format!("{} {name}", figure(theirs)), figure(row.compared()))
                    }
                    Peer::None => ("-".to_owned(), "-".to_owned()),
                };
                let verdict = if row.holds() { "ok" } else { "BROKEN" };
                let ours = format!("{} {}", figure(row.ours), row.unit);
                [row.name.clone(), ours, peer, ratio, figure(row.limit), verdict.to_owned()]
            }))
            .collect();
        let widths: Vec<usize> =
            (0..6).map(|column| cells.iter().map(|row| row[column].len()).max().unwrap_or(0)).collect();
        for row in &cells {
            let line: Vec<String> =
                row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
            writeln!(f, "{}", line.join("  ").trim_end())?;
        }
        Ok(())
    }
}

/// Three digits, or all of them before the point.
fn figure(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        f64::INFINITY => "-".to_owned(),
        size if size < 0.1 => format!("{number:.3}"),
        size if size < 10.0 => format!("{number:.2}"),
        size if size < 100.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_held_to_its_limit() {
        let mut table = Table::default();
        table.ratio("read", "instructions", 105.0, ("hand-written", 100.0), 1.05);
        assert_eq!(table.broken(), 0);
        table.ratio("write", "instructions", 106.0, ("hand-written", 100.0), 1.05);
        assert_eq!(table.broken(), 1);
        table.bound("memory", "MB", 201.0, 200.0);
        assert_eq!(table.broken(), 2);
    }

    #[test]
    fn a_figure_that_is_no_number_breaks_its_limit() {
        let mut table = Table::default();
        table.ratio("read", "instructions", 0.0, ("hand-written", 0.0), 1.05);
        assert_eq!(table.broken(), 1);
    }

    #[test]
    fn a_figure_without_a_limit_is_shown_and_breaks_nothing() {
        let mut table = Table::default();
        table.figure("handoffs", "a second", 54_321.0);
        assert_eq!(table.broken(), 0);
        let shown = table.to_string();
        let row: Vec<&str> = shown.lines().nth(1).expect("one row").split_whitespace().collect();
        assert_eq!(row, ["handoffs", "54321", "a", "second", "-", "-", "-", "ok"]);
        table.figure("handoffs", "a second", f64::NAN);
        assert_eq!(table.broken(), 1);
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::default();
        table.ratio("read", "instructions", 66.0, ("zerocopy", 63.0), 1.05);
        table.bound("allocations", "", 0.0, 0.0);
        assert_eq!(
            table.to_string(),
            "row          ours               peer           ratio  limit  verdict\n\
             read         66.0 instructions  63.0 zerocopy  1.05   1.05   ok\n\
             allocations  0                  -              -      0      ok\n"
        );
    }
}
