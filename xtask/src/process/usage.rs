//! How much processor time commands took: beside the time that passed, it says where cores stood idle.

use std::fs;
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// Linux counts times for programs in hundredths of a second, whatever the kernel's own clock does.
const TICKS_PER_SECOND: f64 = 100.0;
/// Of the fields behind the program's name: user and system time of the process, then of its children that ended.
const FIRST_TIME: usize = 11;
const TIMES: usize = 4;

/// The processor time of commands that have ended, and of what they started and waited for.
#[derive(Debug, Default)]
pub(super) struct Used {
    ticks: AtomicU64,
}

impl Used {
    /// Waits until a command has ended, and counts what it used; whoever started it still learns how it ended. What the
    /// system does not say is not counted.
    pub(super) fn add(&self, child: &Child) {
        let pid = Pid::from_child(child);
        // One that is not waited for yet keeps its times.
        if waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).is_err() {
            return;
        }
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.id()));
        let ticks = stat.ok().and_then(|stat| ticks(&stat)).unwrap_or(0);
        self.ticks.fetch_add(ticks, Ordering::Relaxed);
    }

    #[expect(clippy::cast_precision_loss, reason = "a count of hundredths of a second")]
    pub(super) fn seconds(&self) -> f64 {
        self.ticks.load(Ordering::Relaxed) as f64 / TICKS_PER_SECOND
    }
}

fn ticks(stat: &str) -> Option<u64> {
    // The name may hold spaces and brackets of its own.
    let (_, fields) = stat.rsplit_once(") ")?;
    let times = fields.split_whitespace().skip(FIRST_TIME).take(TIMES);
    let times = times.map(|field| field.parse::<u64>().ok()).collect::<Option<Vec<_>>>()?;
    (times.len() == TIMES).then(|| times.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_times_are_summed_whatever_the_name_is() {
        let stat = "7 (a ) name) S 1 7 7 0 -1 4194560 1 2 3 4 150 25 300 50 20 0 1 0 99 0 0";
        assert_eq!(ticks(stat), Some(525));
        assert_eq!(ticks("7 (short) S 1 7"), None);
    }
}
