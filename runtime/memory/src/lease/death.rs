//! Whether the other side's process is gone, or has closed the channel and lives.

use std::fs;
use std::os::fd::AsRawFd as _;

use crate::handoff::{Channel, PidFd};

/// `PF_EXITING`: the process is on its way out. The kernel sets it before it closes what the process has open.
const EXITING: u64 = 4;

/// The place of the flags in `/proc/PID/stat`, counted from the state, which is behind the name.
const FLAGS: usize = 6;

/// The process that the kernel noted as a channel's peer, where it gives a handle of it.
pub(super) struct Process(Option<PidFd>);

impl Process {
    pub(super) fn of(channel: &Channel) -> Process {
        Process(channel.peer_process().ok())
    }

    /// Whether it has ended, or will without running on: a socket closes before its process can be waited for. `false`
    /// where nobody knows.
    pub(super) fn is_gone(&self) -> bool {
        let Some(process) = &self.0 else { return false };
        let ended = || process.has_ended().unwrap_or(false);
        // By a number that may be another process's by then; this one has ended in that case.
        ended() || is_exiting(process) == Some(true) || ended()
    }
}

fn is_exiting(process: &PidFd) -> Option<bool> {
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", process.as_raw_fd())).ok()?;
    let number = info.lines().find_map(|line| line.strip_prefix("Pid:"))?.trim();
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name is the process's own choice, parentheses and spaces among it.
    let (_, behind) = stat.rsplit_once(") ")?;
    let flags: u64 = behind.split(' ').nth(FLAGS)?.parse().ok()?;
    Some(flags & EXITING != 0)
}
