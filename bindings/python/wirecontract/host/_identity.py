"""Who this process is to those that it exports to, and how many buffers it has made."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count

from wirecontract.contracts.buffer import ProcessIdentity
from wirecontract.handoff._statx import own

_START = 19
"""The place of the time of start in `/proc/PID/stat`, counted from the state, which is behind the name."""

_known: dict[int, ProcessIdentity] = {}
"""This process's; in a fork that of its parent until it is asked."""

_buffers = count(1)


def identity() -> ProcessIdentity:
    """This process, told from a later one of the same number. What `/proc` does not say is 0."""
    pid = os.getpid()
    found = _known.get(pid)
    if found is None:
        _known.clear()
        found = _known[pid] = ProcessIdentity(
            pid=pid, start_time=_start_time(), pid_namespace=_pid_namespace()
        )
    return found


def next_buffer() -> int:
    """A number that no other buffer of this process has."""
    return next(_buffers)


def _start_time() -> int:
    with suppress(OSError, ValueError, IndexError), open("/proc/self/stat", encoding="utf-8") as stat:
        # The name may have parentheses and spaces in it.
        return int(stat.read().rpartition(") ")[2].split()[_START])
    return 0


def _pid_namespace() -> int:
    with suppress(OSError):
        return os.stat(own("ns/pid")).st_ino
    return 0
