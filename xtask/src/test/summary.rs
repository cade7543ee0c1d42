//! The table at the end of a test run, and the count that closes it.

use std::fmt;

/// How one part ended.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) part: &'static str,
    pub(super) error: Option<anyhow::Error>,
    /// From its beginning to its end.
    pub(super) seconds: f64,
    /// Seconds of processor time, of all that it started; it may be more than `seconds` where several cores were busy.
    pub(super) processor: f64,
}

/// How all parts ended. Its last line is `N passed, N failed`, alone on the line.
#[derive(Debug)]
pub(super) struct Summary {
    outcomes: Vec<Outcome>,
}

impl Summary {
    pub(super) fn failed(&self) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.error.is_some()).count()
    }
}

impl FromIterator<Outcome> for Summary {
    fn from_iter<I: IntoIterator<Item = Outcome>>(outcomes: I) -> Self {
        Self { outcomes: outcomes.into_iter().collect() }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width =
            self.outcomes.iter().map(|outcome| outcome.part.len()).max().unwrap_or(0).max("part".len());
        writeln!(f, "{:<width$}  verdict  seconds  processor", "part")?;
        for Outcome { part, error, seconds, processor } in &self.outcomes {
            let verdict = if error.is_none() { "passed" } else { "FAILED" };
            writeln!(f, "{part:<width$}  {verdict:<7}  {seconds:>7.1}  {processor:>9.1}")?;
        }
        for Outcome { part, error, .. } in &self.outcomes {
            if let Some(error) = error {
                writeln!(f, "{part}: {error:#}")?;
            }
        }
        writeln!(f, "{} passed, {} failed", self.outcomes.len() - self.failed(), self.failed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_ends_with_the_count_alone_on_its_line() {
        let error = Some(anyhow::anyhow!("a test failed"));
        let summary: Summary = [
            Outcome { part: "format", error: None, seconds: 0.84, processor: 0.0 },
            Outcome { part: "rust", error, seconds: 123.0, processor: 201.37 },
        ]
        .into_iter()
        .collect();
        assert_eq!(
            summary.to_string(),
            "part    verdict  seconds  processor\n\
             format  passed       0.8        0.0\n\
             rust    FAILED     123.0      201.4\n\
             rust: a test failed\n\
             1 passed, 1 failed\n"
        );
    }
}
