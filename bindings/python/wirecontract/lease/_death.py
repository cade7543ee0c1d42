"""Whether the other side's process is gone, or has closed the channel and lives.

The kernel names the process that connected, and of a listener the one that listened. Of a pair, and of a
socket that was handed over, it names whoever made it: that process may end while both sides go on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from wirecontract.handoff import Channel, HandoffError, PidFd, ProcessEnded
from wirecontract.handoff._statx import own

_EXITING = 4
"""`PF_EXITING`: the thread is on its way out. The kernel sets it before it closes what the thread has open.
"""

_FLAGS = 6
"""The place of the flags in `/proc/PID/stat`, counted from the state, which is behind the name."""


class PeerProcess:
    """The process at the other end of a channel, where the kernel knows it."""

    def __init__(self, channel: Channel) -> None:
        self.handle: PidFd | None = None
        """None where nobody knows it: of a pair, of a socket that was handed over, before Linux 6.5."""
        self._ended_before = False
        if channel.knows_peer:
            try:
                self.handle = channel.peer_process()
            except ProcessEnded:
                self._ended_before = True
            except HandoffError:
                self.handle = None

    def has_ended(self) -> bool:
        """Whether it has ended, whoever has its socket now."""
        if self.handle is None or self.handle.closed:
            return self._ended_before
        return self.handle.has_ended()

    def is_gone(self) -> bool:
        """Whether it has ended, or will without running on: its socket closes before it can be waited for."""
        # By a number that may be another process's by then; this one has ended in that case.
        return self.has_ended() or self._is_exiting() or self.has_ended()

    def close(self) -> None:
        """Closes the handle."""
        if self.handle is not None:
            self.handle.close()

    def _is_exiting(self) -> bool:
        """Whether all its threads are on their way out: the first may end alone."""
        if self.handle is None or self.handle.closed:
            return False
        with suppress(OSError, ValueError, IndexError, StopIteration):
            with open(own(f"fdinfo/{self.handle.fileno()}")) as info:
                number = next(line for line in info if line.startswith("Pid:")).split()[1]
            return all(_exiting_threads(os.path.join("/proc", number, "task")))
        return False


def _exiting_threads(folder: str) -> Iterator[bool]:
    """Of each thread, whether it is on its way out."""
    for thread in os.listdir(folder):
        # One that is gone meanwhile was.
        with (
            suppress(FileNotFoundError, ProcessLookupError),
            open(os.path.join(folder, thread, "stat")) as stat,
        ):
            # The name is the process's own choice, parentheses and spaces among it.
            yield bool(int(stat.read().rpartition(") ")[2].split()[_FLAGS]) & _EXITING)
