"""Whether two file descriptors are of one open file.

The kernel compares them by `kcmp`, whose answers are an order, so that many are sorted. Where it is missing
or forbidden, regular files are compared by their inodes alone.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Sequence
from functools import cmp_to_key
from itertools import pairwise
from threading import get_native_id

from wirecontract.handoff._statx import known_of

_NUMBERS = {"x86_64": 312, "aarch64": 272, "riscv64": 272, "loongarch64": 272}
"""The number of the call `kcmp`, of which the standard library knows nothing, on machines of 64 bits."""

_KCMP = _NUMBERS.get(os.uname().machine) if sys.maxsize > 1 << 32 else None

_FILE = 0
"""`KCMP_FILE`."""

_libc = ctypes.CDLL(None, use_errno=True)
_compare = _libc.syscall
_compare.restype = ctypes.c_long
_compare.argtypes = (ctypes.c_long,) + (ctypes.c_int,) * 3 + (ctypes.c_ulong,) * 2


class _Unknown(Exception):
    """The kernel does not say it."""


def repeated(fds: Sequence[int]) -> tuple[int, int] | None:
    """The places of two that are of one open file: of the first that is there once more, and of that one."""
    if len(fds) < 2:
        return None
    # This thread, since the first one of the process may have ended.
    thread = get_native_id()

    def order(one: int, other: int) -> int:
        return _order(thread, fds[one], fds[other])

    try:
        places = sorted(range(len(fds)), key=cmp_to_key(order))
        same = [pair for pair in pairwise(places) if order(*pair) == 0]
    except _Unknown:
        same = _by_inodes(fds)
    # Sorting keeps the order of those that are the same.
    return min(same, key=lambda pair: pair[1]) if same else None


def _order(thread: int, one: int, other: int) -> int:
    """Below 0, 0 or above 0, as the kernel orders two of this process's file descriptors."""
    if _KCMP is None:
        raise _Unknown
    answer: int = _compare(_KCMP, thread, thread, _FILE, one, other)
    # 3 is another one, without an order.
    if answer not in (0, 1, 2):
        raise _Unknown
    return (0, -1, 1)[answer]


def _by_inodes(fds: Sequence[int]) -> list[tuple[int, int]]:
    """The same of regular files, which memfds are: two of one inode."""
    seen: dict[tuple[int, int, int], int] = {}
    same = []
    for place, fd in enumerate(fds):
        known = known_of(fd)
        if known is not None and stat.S_ISREG(known.mode):
            first = seen.setdefault(known.identity, place)
            if first != place:
                same.append((first, place))
    return same
