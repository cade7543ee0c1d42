"""Users as this process's user namespace knows them."""

from __future__ import annotations

import os

_ALL = (1 << 32) - 1
"""How many users there are where all are known."""

_OVERFLOW = 65534
"""The number of whom a namespace does not know, unless the machine says another one."""


def is_unknown(uid: int) -> bool:
    """Whether that number may be anybody's: it is that of all whom a namespace does not know."""
    return uid == _overflow() and not _knows_all()


def _overflow() -> int:
    try:
        with open("/proc/sys/kernel/overflowuid", encoding="ascii") as number:
            return int(number.read())
    except (OSError, ValueError):
        return _OVERFLOW


def _knows_all() -> bool:
    try:
        with open("/proc/self/uid_map", encoding="ascii") as lines:
            return sum(int(line.split()[2]) for line in lines) >= _ALL
    except FileNotFoundError:
        # A kernel without user namespaces; without `/proc` nobody knows.
        return os.path.exists("/proc/self/status")
    except (OSError, ValueError, IndexError):
        return False
