"""How sockets come to be: made, or handed over, and what the kernel knows of their peers."""

from __future__ import annotations

import errno
import os
import socket
import stat
import struct
from contextlib import AbstractContextManager, nullcontext
from os import fstat

from wirecontract.handoff._address import ROOM, Address, checked, to_socket
from wirecontract.handoff._errors import FdKind, HandoffError, ProcessEnded, os_error
from wirecontract.handoff._fd import Fd
from wirecontract.handoff._options import Framing, Peer
from wirecontract.handoff._process import PidFd
from wirecontract.handoff._socket_file import directory_of, within
from wirecontract.handoff._statx import known_of

_BESIDE = (socket.SO_PASSCRED, 76, socket.SO_PASSSEC, 29)
"""What a socket may be told to deliver beside file descriptors; of `SO_PASSPIDFD`, pidfds that nobody would
close.
"""


def unconnected(framing: Framing) -> socket.socket:
    """A socket that is not connected yet, and does not wait."""
    try:
        return socket.socket(socket.AF_UNIX, framing.kind | socket.SOCK_NONBLOCK)
    except OSError as error:
        raise os_error("making a socket", error) from error


def adopted(given: Fd, framing: Framing, expected: str) -> socket.socket:
    """A socket of this process's own of one that was handed over, which stays open; refused where it is no
    Unix socket of the framing's kind. It delivers nothing but bytes and file descriptors, whatever it was
    told to before.
    """
    try:
        known = known_of(given.fileno())
        if not stat.S_ISSOCK(fstat(given.fileno()).st_mode if known is None else known.mode):
            raise FdKind(expected, "no socket")
        sock = owned(Fd.duplicate(given).detach(), framing)
    except OSError as error:
        if isinstance(error, HandoffError):
            raise
        raise os_error("looking at a file descriptor", error) from error
    try:
        family = asked(sock, socket.SO_DOMAIN, "asking for a socket's family")
        kind = asked(sock, socket.SO_TYPE, "asking for a socket's type")
        if family != socket.AF_UNIX:
            raise FdKind(expected, f"a socket of family {family}")
        if kind != framing.kind:
            raise FdKind(expected, _KINDS.get(kind, f"a Unix socket of type {kind}"))
        deliver_rights_alone(sock)
        return sock
    except BaseException:
        sock.close()
        raise


def asked(sock: socket.socket, option: int, doing: str) -> int:
    """What the kernel says of a socket."""
    try:
        return sock.getsockopt(socket.SOL_SOCKET, option)
    except OSError as error:
        raise os_error(doing, error) from error


def listens(sock: socket.socket) -> bool:
    """Whether it does."""
    return bool(asked(sock, socket.SO_ACCEPTCONN, "asking whether a socket listens"))


def is_connected(sock: socket.socket) -> bool:
    """Whether it is."""
    try:
        sock.getpeername()
    except OSError as error:
        if error.errno == errno.ENOTCONN:
            return False
        raise os_error("asking for the peer's address", error) from error
    return True


def set_send_buffer(sock: socket.socket, size: int) -> None:
    """Asks for a send buffer of so many bytes, which the kernel doubles and bounds."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
    except OSError as error:
        raise os_error("setting the size of a send buffer", error) from error


def owned(number: int, framing: Framing) -> socket.socket:
    """The object of a socket, which owns it.

    It is said not to wait, so that no call does, whatever `socket.setdefaulttimeout` says; the socket itself
    is left as it is, since other processes may have it too.
    """
    return socket.socket(socket.AF_UNIX, framing.kind | socket.SOCK_NONBLOCK, 0, number)


_KINDS: dict[int, str] = {
    socket.SOCK_STREAM: "a Unix stream socket",
    socket.SOCK_SEQPACKET: "a Unix socket of packets (SOCK_SEQPACKET)",
    socket.SOCK_DGRAM: "a Unix datagram socket",
}


def deliver_rights_alone(sock: socket.socket) -> None:
    """Has a socket deliver nothing beside bytes and file descriptors."""
    for option in _BESIDE:
        try:
            sock.setsockopt(socket.SOL_SOCKET, option, 0)
        except OSError as error:
            # An option that this kernel does not have is not set.
            if error.errno not in (errno.ENOPROTOOPT, errno.EOPNOTSUPP):
                raise os_error("setting a socket's options", error) from error


def to_connect(address: Address) -> tuple[bytes, AbstractContextManager[object]]:
    """An address as the kernel takes it, and the directory that it is said by, where its path is longer than
    an address may be.
    """
    raw = checked(address)
    if raw.startswith(b"\0") or len(raw) <= ROOM:
        return to_socket(raw), nullcontext()
    directory = directory_of(os.fsdecode(raw))
    try:
        return within(directory, os.fsdecode(raw)), directory
    except BaseException:
        directory.close()
        raise


def has_ended(sock: socket.socket) -> bool:
    """Whether the process that the kernel noted as the peer has ended."""
    try:
        with PidFd.of_peer(sock) as process:
            return process.has_ended()
    except ProcessEnded:
        return True
    except HandoffError:
        return False


def peer_of(sock: socket.socket) -> Peer:
    """Who is at the other end, as the kernel noted it."""
    try:
        raw = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII"))
    except OSError as error:
        raise os_error("asking who the peer is", error) from error
    pid, uid, gid = struct.unpack("iII", raw)
    return Peer(pid or None, uid, gid)
