//! Whether the other side's process is gone, or has closed the channel and lives.

use std::fs;
use std::os::fd::{AsFd as _, BorrowedFd};

use crate::handoff::{Channel, Origin, PidFd};

/// `PF_EXITING`: the thread is on its way out. The kernel sets it before it closes what the thread has open.
const EXITING: u64 = 4;

/// The place of the flags in `/proc/PID/task/TID/stat`, counted from the state, which is behind the name.
const FLAGS: usize = 6;

/// The process at the other end of a channel, where that is known and the kernel gives a handle of it.
///
/// It is known where this side accepted the peer, or connected to it. Of a pair, and of a socket that was handed over,
/// the kernel names the process that made it, which may be anybody; and who connected to a listener whose maker has ended
/// is served by another one.
pub(super) struct Process(Option<(PidFd, u32)>);

impl Process {
    pub(super) fn of(channel: &Channel) -> Process {
        let known = || {
            let process = channel.peer_process().ok()?;
            let known = match channel.origin() {
                Origin::Accepted => true,
                Origin::Connected => !process.has_ended().ok()?,
                Origin::Given => false,
            };
            Some((process, channel.peer().pid?)).filter(|_| known)
        };
        Process(known())
    }

    /// What is readable when it has ended.
    pub(super) fn as_fd(&self) -> Option<BorrowedFd<'_>> {
        self.0.as_ref().map(|(process, _)| process.as_fd())
    }

    /// Whether it has ended; `false` where nobody knows.
    pub(super) fn has_ended(&self) -> bool {
        self.0.as_ref().is_some_and(|(process, _)| process.has_ended().unwrap_or(false))
    }

    /// Whether it has ended, or will without running on: a socket closes before its process can be waited for. `false`
    /// where nobody knows.
    pub(super) fn is_gone(&self) -> bool {
        let Some((_, pid)) = &self.0 else { return false };
        // By a number that may be another process's by then; this one has ended in that case.
        self.has_ended() || is_exiting(*pid) || self.has_ended()
    }
}

/// Whether every thread of a process is on its way out. The first one alone may end before the others, and what is open
/// closes with the last.
fn is_exiting(pid: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return false };
    // A thread that is not there any more has ended.
    threads.flatten().all(|thread| {
        fs::read_to_string(thread.path().join("stat")).ok().is_none_or(|stat| flags(&stat) & EXITING != 0)
    })
}

/// The flags of a thread; none where they are not said.
fn flags(stat: &str) -> u64 {
    // The name is the process's own choice, parentheses and spaces among it.
    let flags = stat.rsplit_once(") ").and_then(|(_, behind)| behind.split(' ').nth(FLAGS));
    flags.and_then(|flags| flags.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_looks_like_the_rest_is_a_name() {
        assert_eq!(flags("7 (a) S 1 2 3 4 5 6) R 1 7 7 0 -1 4194564 0 0"), 4_194_564);
        assert_eq!(flags("7 (a"), 0);
    }

    #[test]
    fn this_process_runs_on() {
        assert!(!is_exiting(std::process::id()));
    }
}
