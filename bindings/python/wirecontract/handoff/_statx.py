"""What the kernel knows of a file without asking its file system, which may be a process that does not
answer; and where it says what this process has open.
"""

from __future__ import annotations

import ctypes
import os
import struct
from dataclasses import dataclass

_EMPTY_PATH = 0x1000
_DONT_SYNC = 0x4000
"""`AT_STATX_DONT_SYNC`: what is known is said, however old it is."""

_TYPE_AND_INODE = 0x101
"""`STATX_TYPE` and `STATX_INO`."""

_libc = ctypes.CDLL(None, use_errno=True)
# Of glibc 2.28 and musl 1.2.5; the standard library has it from Python 3.15 on.
_statx = getattr(_libc, "statx", None)
if _statx is not None:
    _statx.restype = ctypes.c_int
    _statx.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_char_p)


@dataclass(frozen=True, slots=True)
class Known:
    """A file."""

    mode: int
    """Its kind, as in `st_mode`."""
    identity: tuple[int, int, int]
    """Device and inode, which no other file has."""


def known_of(fd: int) -> Known | None:
    """The file of a descriptor; None where the kernel does not say."""
    if _statx is None:
        return None
    place = ctypes.create_string_buffer(256)
    if _statx(fd, b"", _EMPTY_PATH | _DONT_SYNC, _TYPE_AND_INODE, place) != 0:
        return None
    (mode,) = struct.unpack_from("H", place, 28)
    (inode,) = struct.unpack_from("Q", place, 32)
    major, minor = struct.unpack_from("II", place, 136)
    return Known(mode, (major, minor, inode))


def own(path: str) -> str:
    """A path below `/proc` of this process. It is that of the thread that asks: where the first thread of a
    process has ended, the process's own folder has no file descriptors any more.
    """
    return os.path.join("/proc/thread-self", path)
