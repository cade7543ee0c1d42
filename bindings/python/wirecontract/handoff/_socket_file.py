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

from wirecontract.handoff._address import ROOM, to_socket
from wirecontract.handoff._errors import BadAddress, HandoffError, InUse, Locked, NotOurs, os_error
from wirecontract.handoff._fd import Fd
from wirecontract.handoff._options import Options
from wirecontract.handoff._statx import own
from wirecontract.handoff._wait import Limit
from wirecontract.handoff._words import shown

_LOCK = 2.0
"""Seconds that a lock is waited for: those who hold it look at one file."""

_TRIES = 16
"""How often somebody else may change the file while it is looked at."""

_KINDS = {stat.S_IFDIR: "a directory", stat.S_IFLNK: "a symbolic link", stat.S_IFREG: "a file"}


class SocketFile:
    """A socket file that this process made."""

    def __init__(self, directory: Fd, path: str) -> None:
        self._directory = directory
        self._path = path
        self._name = os.path.basename(path)
        self._at = within(directory, path)
        self._process = os.getpid()
        self._made: os.stat_result | None = None

    @classmethod
    def listen(cls, sock: socket.socket, at: bytes, options: Options) -> SocketFile:
        """Binds a socket to the path and listens, as one step to others of this module."""
        path = os.fsdecode(at)
        directory = directory_of(path)
        try:
            file = cls(directory, path)
            with _locked(directory, path, _LOCK):
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
            # Without the lock it may be another listener's by the time it is removed. Nobody waits for it.
            if os.getpid() == self._process and self._made is not None:
                with _locked(self._directory, self._path, 0):
                    if _is_same(self._stat(), self._made):
                        os.unlink(self._name, dir_fd=self._directory.fileno())

    def _bind(self, sock: socket.socket, options: Options) -> None:
        try:
            # A socket file has the mode of its socket, less the umask, from its first moment on.
            os.fchmod(sock.fileno(), options.mode)
            for _ in range(_TRIES):
                try:
                    sock.bind(self._at)
                except OSError as error:
                    if error.errno != errno.EADDRINUSE:
                        raise
                    self._remove_stale()
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
            raise os_error(f"binding a socket to {shown(self._path)}", error) from error
        raise InUse(shown(self._path))

    def _remove_stale(self) -> None:
        """Removes a socket file of this user's at which nobody listens; refuses whatever else is there."""
        try:
            found = self._stat()
        except FileNotFoundError:
            return
        if not stat.S_ISSOCK(found.st_mode):
            raise NotOurs(shown(self._path), _KINDS.get(stat.S_IFMT(found.st_mode), "a device or a pipe"))
        if found.st_uid != os.geteuid():
            raise NotOurs(shown(self._path), f"a socket of user {found.st_uid}")
        if self._is_listened_at():
            raise InUse(shown(self._path))
        # Where somebody changed it meanwhile, the next try looks again.
        with suppress(FileNotFoundError):
            if _is_same(self._stat(), found):
                os.unlink(self._name, dir_fd=self._directory.fileno())

    def _is_listened_at(self) -> bool:
        """Whether somebody has a socket at the path."""
        # A socket of datagrams is refused by the kernel as of another type, before whoever listens could see
        # it.
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as probe:
            try:
                probe.connect(self._at)
            except (ConnectionRefusedError, FileNotFoundError):
                return False
            except OSError as error:
                # What takes datagrams may take them of its peer alone.
                if error.errno not in (errno.EPROTOTYPE, errno.EPERM):
                    raise
        return True

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
            raise os_error(f"giving {shown(self._path)} its permissions", error) from error

    def _stat(self) -> os.stat_result:
        return os.stat(self._name, dir_fd=self._directory.fileno(), follow_symlinks=False)


def directory_of(path: str) -> Fd:
    """The directory of a path: whatever becomes of its name, it stays the same."""
    if os.path.basename(path) in ("", ".", ".."):
        raise BadAddress(shown(path), "its last part is no file name")
    parent = os.path.dirname(path) or "."
    try:
        return Fd.made_by(os.open, parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise os_error(f"opening the directory {shown(parent)}", error) from error


def within(directory: Fd, path: str) -> bytes:
    """The address of a file in a directory that is open: of that one, and however long its path is. Where it
    has no room, or `/proc` is not mounted, the path itself.
    """
    parent = own(f"fd/{directory.fileno()}")
    at = os.fsencode(os.path.join(parent, os.path.basename(path)))
    if len(at) <= ROOM and os.path.exists(parent):
        return at
    return to_socket(path)


@contextmanager
def _locked(directory: Fd, path: str, seconds: float) -> Iterator[None]:
    """A lock of a socket file among listeners of this module, waited for no longer than so many seconds: a
    file beside it, which is there for as long as the lock is held. Nobody else can lock it, as anybody could
    lock the directory.
    """
    name = f".{os.path.basename(path)}.lock"
    lock = shown(os.path.join(os.path.dirname(path), name))
    limit = Limit.of(seconds)
    while True:
        file = _lock_file(directory, name, lock)
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Who had it before may have removed the file since.
            if _is_there(directory, name, os.fstat(file.fileno())):
                break
        except BlockingIOError:
            if limit is not None and limit.is_over:
                file.close()
                raise Locked(lock) from None
            # The kernel has no lock that is waited for with a limit.
            time.sleep(0.005)
        except OSError as error:
            file.close()
            raise os_error(f"locking {lock}", error) from error
        file.close()
    try:
        yield
    finally:
        with file, suppress(OSError):
            # While it is locked, so that whoever locks it next sees that it is not there any more.
            os.unlink(name, dir_fd=directory.fileno())


def _lock_file(directory: Fd, name: str, lock: str) -> Fd:
    """The file of a lock, which is this user's."""
    flags = os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = Fd.made_by(partial(os.open, dir_fd=directory.fileno()), name, flags, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotOurs(lock, "a symbolic link") from None
        raise os_error(f"locking {lock}", error) from error
    found = os.fstat(file.fileno())
    if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
        return file
    file.close()
    is_file = stat.S_ISREG(found.st_mode)
    raise NotOurs(lock, f"a file of user {found.st_uid}" if is_file else "what is no file")


def _is_there(directory: Fd, name: str, file: os.stat_result) -> bool:
    """Whether a name is still that file's."""
    with suppress(FileNotFoundError):
        return _is_same(os.stat(name, dir_fd=directory.fileno(), follow_symlinks=False), file)
    return False


def _is_same(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether both are of one file."""
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
