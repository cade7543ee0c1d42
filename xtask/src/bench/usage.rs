//! What a command costs: processor time and memory, of itself and of all that it starts.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Context as _, ensure};

use super::Bench;

/// Asks the system for what the standard library does not: the usage of children that have ended.
const MEASURE: &str = "
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print('usage', used.ru_utime + used.ru_stime, used.ru_maxrss)
sys.exit(1 if status else 0)
";

/// What a command used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Usage {
    /// Seconds of processor time, in the program and in the system, of all its threads and children.
    pub(super) seconds: f64,
    /// The most memory that one process had, in MB.
    pub(super) megabytes: f64,
}

impl Usage {
    /// The less of each of two.
    pub(super) fn best(self, other: Self) -> Self {
        Usage { seconds: self.seconds.min(other.seconds), megabytes: self.megabytes.min(other.megabytes) }
    }
}

/// Runs a command in a folder and says what it used, and what it printed.
pub(super) fn of<A: AsRef<OsStr>>(
    bench: &Bench,
    folder: &Path,
    environment: &[(&'static str, &OsStr)],
    command: impl IntoIterator<Item = A>,
) -> anyhow::Result<(Usage, String)> {
    let step = bench.runner.command("python3").args(["-c", MEASURE]).args(command).directory(folder);
    let step = environment.iter().fold(step, |step, (name, value)| step.env(name, value));
    let (works, output) = step.ask()?;
    ensure!(works, "a command that was to be measured failed:\n{output}");
    let usage = parse(&output).with_context(|| format!("expected a line of usage, found:\n{output}"))?;
    Ok((usage, output))
}

fn parse(output: &str) -> Option<Usage> {
    let line = output.lines().rev().find_map(|line| line.strip_prefix("usage "))?;
    let (seconds, kilobytes) = line.split_once(' ')?;
    let kilobytes: f64 = kilobytes.parse().ok()?;
    Some(Usage { seconds: seconds.parse().ok()?, megabytes: kilobytes * 1024.0 / 1e6 })
}
