"""Whether the other side's process is gone, or has closed the channel and lives."""

from __future__ import annotations

import os
from contextlib import suppress

from wirecontract.handoff import Channel, HandoffError, PidFd

_EXITING = 4
"""`PF_EXITING`: the process is on its way out. The kernel sets it before it closes what the process has open.
"""

_FLAGS = 6
"""The place of the flags in `/proc/PID/stat`, counted from the state, which is behind the name."""


def process_of(channel: Channel) -> PidFd | None:
    """The process that the kernel noted as a channel's peer, where it gives a handle of it."""
    with suppress(HandoffError):
        return channel.peer_process()
    return None


def is_gone(process: PidFd | None) -> bool:
    """Whether it has ended, or will without running on: its socket closes before it can be waited for."""
    if process is None or process.closed:
        return False
    # By a number that may be another process's by then; this one has ended in that case.
    return process.has_ended() or _is_exiting(process) or process.has_ended()


def _is_exiting(process: PidFd) -> bool:
    with suppress(OSError, ValueError, IndexError, StopIteration):
        with open(f"/proc/self/fdinfo/{process.fileno()}") as info:
            number = next(line for line in info if line.startswith("Pid:")).split()[1]
        with open(os.path.join("/proc", number, "stat")) as stat:
            # The name is the process's own choice, parentheses and spaces among it.
            return bool(int(stat.read().rpartition(") ")[2].split()[_FLAGS]) & _EXITING)
    return False
