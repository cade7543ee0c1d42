"""A process by a handle that stays its own when the process has ended and its number is another's."""

from __future__ import annotations

import ctypes
import errno
import os
import select
import socket
from contextlib import suppress

from wirecontract.handoff._arguments import MOST_INT, whole
from wirecontract.handoff._errors import FdKind, FetchRefused, NoPidFd, NoSuchFd, ProcessEnded, os_error
from wirecontract.handoff._fd import Fd, OwnedFd
from wirecontract.handoff._statx import own
from wirecontract.handoff._wait import Limit, is_ready, wait_for

_PEER_PIDFD = 77
"""`SO_PEERPIDFD`, of Linux 6.5."""

_GETFD = 438
"""The number of the call `pidfd_getfd`, of which the standard library knows nothing."""

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.syscall.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_int, ctypes.c_uint)


class PidFd(Fd):
    """A process, known by a pidfd: it never means another one, however often the number is used again.

    The file descriptor is readable when the process has ended. Who has this closes it.
    """

    __slots__ = ()

    @classmethod
    def of_peer(cls, sock: socket.socket) -> PidFd:
        """The process that the kernel noted as the socket's peer."""
        try:
            return cls.made_by(sock.getsockopt, socket.SOL_SOCKET, _PEER_PIDFD)
        except OSError as error:
            if error.errno in (errno.ENOPROTOOPT, errno.EOPNOTSUPP):
                raise NoPidFd from None
            # Kernels that make no pidfd of a process that was waited for.
            if error.errno in (errno.ESRCH, errno.EINVAL):
                raise ProcessEnded from None
            raise os_error("asking for the peer's process", error) from error

    @classmethod
    def of_process(cls, pid: int) -> PidFd:
        """The process of that number, which is its own until it is waited for: of a child, or of this one."""
        try:
            return cls.made_by(os.pidfd_open, pid)
        except OSError as error:
            if error.errno == errno.ESRCH:
                raise ProcessEnded from None
            raise os_error(f"asking for process {pid}", error) from error

    @classmethod
    def adopt(cls, fd: OwnedFd) -> PidFd:
        """Of a pidfd that was made by somebody else, which is this call's to close from then on, by its
        number as well: another file descriptor is refused (`FdKind`), and closed. What is no file descriptor
        is refused (`TypeError`, `ValueError`), and nothing closed.
        """
        with Fd.owning(fd) as given:
            number = given.fileno()
            try:
                with open(own(f"fdinfo/{number}"), encoding="ascii") as info:
                    # Only a pidfd's has the process in it.
                    is_one = any(line.startswith("Pid:") for line in info)
                found = os.readlink(own(f"fd/{number}"))
            except OSError as error:
                raise os_error("looking at a file descriptor", error) from error
            if not is_one:
                raise FdKind("a pidfd", found)
            return cls.made_by(given._held.pop, -1)

    def has_ended(self) -> bool:
        """Whether the process has ended, waited for or not."""
        return is_ready(self.fileno(), select.POLLIN)

    def wait_ended(self, within: float | None = None) -> bool:
        """Waits until the process has ended; False when it has not within so many seconds."""
        return wait_for(self.fileno(), select.POLLIN, Limit.of(within))

    def fetch(self, number: int) -> Fd:
        """Takes a duplicate of what the process has open by that number, without its doing: the other way for
        a file descriptor to travel. It is closed on exec, and this process's own.

        The kernel lets a process do so that may trace the other one (`FetchRefused`). The other side says the
        number, and keeps the file open until it knows that it was taken: else the number may be another
        file's. `NoSuchFd`, `ProcessEnded`.
        """
        number = whole("the number of a file descriptor", number, 0, MOST_INT)
        fd = Fd.made_by(_libc.syscall, _GETFD, self.fileno(), number, 0)
        if fd.fileno() >= 0:
            return fd
        fd.detach()
        code = ctypes.get_errno()
        if code in (errno.EPERM, errno.EACCES):
            raise FetchRefused(number, _yama())
        if code == errno.ESRCH:
            raise ProcessEnded
        if code == errno.EBADF:
            raise NoSuchFd(number)
        raise os_error(f"taking file descriptor {number} of another process", OSError(code, ""))


def _yama() -> int | None:
    """Whom Yama lets trace, where it is there."""
    with suppress(OSError, ValueError), open("/proc/sys/kernel/yama/ptrace_scope", encoding="ascii") as file:
        return int(file.read())
    return None
