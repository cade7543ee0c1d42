"""The file by which a listener is found: made with its permissions, replaced where it is stale, removed by
its own.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

from wirecontract.handoff._errors import BadAddress, DirectoryLocked, HandoffError, InUse, NotOurs, os_error
from wirecontract.handoff._fd import Fd
from wirecontract.handoff._options import Framing, Options
from wirecontract.handoff._statx import own
from wirecontract.handoff._wait import Limit

_LOCK = 2.0
"""Seconds that a lock of the directory is waited for: those who hold it look at one file."""

_TRIES = 16
"""How often somebody else may change the file while it is looked at."""

_KINDS = {stat.S_IFDIR: "a directory", stat.S_IFLNK: "a symbolic link", stat.S_IFREG: "a file"}


class SocketFile:
    """A socket file that this process made."""

    def __init__(self, directory: Fd, path: str) -> None:
        self._directory = directory
        self._path = path
        self._name = os.path.basename(path)
        self._process = os.getpid()
        self._made: os.stat_result | None = None

    @classmethod
    def listen(cls, sock: socket.socket, at: bytes, options: Options) -> SocketFile:
        """Binds a socket to the path and listens, as one step to others of this module."""
        path = os.fsdecode(at)
        if os.path.basename(path) in ("", ".", ".."):
            raise BadAddress(path, "its last part is no file name")
        parent = os.path.dirname(path) or "."
        try:
            directory = Fd.made_by(os.open, parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise os_error(f"opening the directory {parent}", error) from error
        try:
            file = cls(directory, path)
            with _locked(directory, parent):
                file._bind(sock, options)
            file._permit(options.mode)
            return file
        except BaseException:
            directory.close()
            raise

    def remove(self) -> None:
        """Removes the file where it is still the one that was made, and by the process that made it. A file
        that stays is replaced by the next listener.
        """
        with self._directory, suppress(OSError):
            # Without the lock it may be another listener's by the time it is removed.
            if os.getpid() == self._process and self._made is not None:
                with _locked(self._directory, self._path):
                    if _is_same(self._stat(), self._made):
                        os.unlink(self._name, dir_fd=self._directory.fileno())

    def _bind(self, sock: socket.socket, options: Options) -> None:
        try:
            # A socket file has the mode of its socket, less the umask, from its first moment on.
            os.fchmod(sock.fileno(), options.mode)
            for _ in range(_TRIES):
                try:
                    sock.bind(os.fsencode(self._path))
                except OSError as error:
                    if error.errno != errno.EADDRINUSE:
                        raise
                    self._remove_stale(options.framing)
                    continue
                try:
                    sock.listen(options.backlog)
                    self._made = self._stat()
                except BaseException:
                    os.unlink(self._name, dir_fd=self._directory.fileno())
                    raise
                return
        except HandoffError:
            raise
        except OSError as error:
            raise os_error(f"binding a socket to {self._path}", error) from error
        raise InUse(self._path)

    def _remove_stale(self, framing: Framing) -> None:
        """Removes a socket file of this user's at which nobody listens; refuses whatever else is there."""
        try:
            found = self._stat()
        except FileNotFoundError:
            return
        if not stat.S_ISSOCK(found.st_mode):
            raise NotOurs(self._path, _KINDS.get(stat.S_IFMT(found.st_mode), "a device or a pipe"))
        if found.st_uid != os.geteuid():
            raise NotOurs(self._path, f"a socket of user {found.st_uid}")
        with socket.socket(socket.AF_UNIX, framing.kind | socket.SOCK_NONBLOCK) as probe:
            try:
                probe.connect(os.fsencode(self._path))
            except ConnectionRefusedError:
                # Where somebody changed it meanwhile, the next try looks again.
                with suppress(FileNotFoundError):
                    if _is_same(self._stat(), found):
                        os.unlink(self._name, dir_fd=self._directory.fileno())
                return
            except FileNotFoundError:
                return
            except OSError as error:
                # Its queue is full, or it speaks in packets or streams as ours does not: somebody is there.
                if error.errno not in (errno.EAGAIN, errno.EPROTOTYPE):
                    raise
        raise InUse(self._path)

    def _permit(self, mode: int) -> None:
        """Gives the file what the umask took from it."""
        if self._made is None or stat.S_IMODE(self._made.st_mode) == mode:
            return
        flags = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with Fd.made_by(partial(os.open, dir_fd=self._directory.fileno()), self._name, flags) as file:
                if not _is_same(os.fstat(file.fileno()), self._made):
                    raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
                # A socket cannot be opened but for its path, and such a file descriptor has no chmod of its
                # own.
                os.chmod(own(f"fd/{file.fileno()}"), mode)
        except OSError as error:
            raise os_error(f"giving {self._path} its permissions", error) from error

    def _stat(self) -> os.stat_result:
        return os.stat(self._name, dir_fd=self._directory.fileno(), follow_symlinks=False)


@contextmanager
def _locked(directory: Fd, path: str) -> Iterator[None]:
    """A lock of a directory among listeners of this module."""
    limit = Limit.of(_LOCK)
    while True:
        try:
            fcntl.flock(directory.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if limit is not None and limit.is_over:
                raise DirectoryLocked(path) from None
        except OSError as error:
            raise os_error(f"locking the directory {path}", error) from error
        # The kernel has no lock that is waited for with a limit.
        time.sleep(0.005)
    try:
        yield
    finally:
        fcntl.flock(directory.fileno(), fcntl.LOCK_UN)


def _is_same(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether both are of one file."""
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
