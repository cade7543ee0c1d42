"""Why a handoff was refused: what was expected, what came, what to do."""

from __future__ import annotations

import enum
from typing import ClassVar

from wirecontract.contracts import Code, WireError
from wirecontract.handoff._coded import CodedError
from wirecontract.handoff._words import counted, duration, quoted, said


class Doing(enum.Enum):
    """What took too long."""

    CONNECTING = "connecting"
    ACCEPTING = "waiting for a peer to connect"
    HELLO = "waiting for the peer's hello"
    SENDING = "sending a message"
    WAITING = "waiting for a message"
    """Of which nothing has come."""
    RECEIVING = "receiving a message"
    TURN = "waiting for another call on the same channel"
    """Another thread's, or another task's."""


_SLOW = {
    Doing.RECEIVING: "close the channel to a peer that slow, or raise the limit",
    Doing.SENDING: "close the channel to a peer that slow, or raise the limit",
    Doing.HELLO: "have the peer say hello, or speak to it without",
    Doing.WAITING: "ask again, or close the channel to a peer that says nothing",
    Doing.CONNECTING: "the listener accepts nobody: look after it, or raise the limit",
    Doing.ACCEPTING: "ask again",
    Doing.TURN: "give each thread a channel of its own, or raise the limit",
}


class HandoffError(CodedError):
    """A message, a peer or an address that was refused; what came with it is closed."""

    _ENDS: ClassVar[bool] = False

    @property
    def is_end(self) -> bool:
        """Whether nothing more crosses in that direction of the channel, and each later call on it says the
        same: the peer ended it between two messages (`PeerClosed`), an earlier call left it in the middle of
        one (`OutOfStep`), the peer's hello was refused, this side closed it, a side of leases has it
        (`ChannelTaken`), or it is another process's (`Forked`). What left it in the middle of a message is
        none yet: it says why, once.
        """
        return self._ENDS


class FdCount(HandoffError, ValueError):
    """Another number of file descriptors came with a message than the receiver expects."""

    def __init__(self, least: int, most: int, found: int) -> None:
        number = counted(least, most)
        late = "send them by the sendmsg that holds the first byte of the body"
        super().__init__(
            Code.FD_COUNT,
            f"expected {number} with the message, found {found}",
            expected=number,
            found=found,
            remedy="send no more than the message says" if found > most else late,
        )


class FdsRepeated(HandoffError, ValueError):
    """Two file descriptors of a message are one open file. The channel goes on with the next message."""

    first: int
    """The place of the one among the message's, counted from 0."""
    second: int
    """The place of the other."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(
            Code.FD_COUNT,
            f"file descriptors {first} and {second} of the message are one open file",
            expected="file descriptors of different open files",
            found=second,
            remedy="send each once, or expect it more than once (Expected, repeated=True)",
        )
        self.first = first
        self.second = second


class FdsMisplaced(HandoffError, ValueError):
    """File descriptors rode on another `sendmsg` than the one that holds the first byte of the body."""

    def __init__(self, found: int, at: str) -> None:
        super().__init__(
            Code.FD_COUNT,
            f"{counted(found, found)} came {at}",
            expected="file descriptors with the first byte of the body",
            found=found,
            remedy="send them by the sendmsg that holds the first byte of the body",
        )


class FdsLost(HandoffError, OSError):
    """The kernel could not hand over all file descriptors of a message: the limit on open files is reached,
    or a security policy holds them back.
    """

    def __init__(self, came: int) -> None:
        super().__init__(
            Code.FD_COUNT,
            f"file descriptors of a message were lost, those that came ({came}) are closed",
            expected="all file descriptors of the message",
            found=came,
            remedy="raise this process's limit on open files (RLIMIT_NOFILE), or close some, before the peer"
            " sends them again",
        )


class TooManyFds(HandoffError, ValueError):
    """More file descriptors than one message can carry. Nothing was sent."""

    def __init__(self, most: int, found: int) -> None:
        super().__init__(
            Code.TOO_MANY,
            f"one message carries at most {most} file descriptors, found {found}",
            expected=f"at most {most} file descriptors",
            found=found,
            remedy="send the rest in another",
        )


class FdsInFlight(HandoffError, OSError):
    """This user has more file descriptors on their way than the kernel lets be."""

    def __init__(self) -> None:
        super().__init__(
            Code.TOO_MANY,
            "too many file descriptors are in flight",
            remedy="wait until peers have received theirs, or raise the limit on open files (RLIMIT_NOFILE)",
        )


class TooLarge(HandoffError, ValueError):
    """A message that is longer than the receiver lets it be. Nothing was allocated for it."""

    def __init__(self, most: int, found: int) -> None:
        super().__init__(
            Code.TOO_LARGE,
            f"expected a message of at most {most} bytes, found {found}",
            expected=f"at most {most} bytes",
            found=found,
            remedy="send less, or raise the bound",
        )


class TooLargeToSend(HandoffError, ValueError):
    """A message that is longer than the channel can carry. Nothing was sent of it."""

    def __init__(self, most: int, found: int, packet: bool) -> None:
        way = "raise the socket's send buffer, or use stream framing"
        super().__init__(
            Code.TOO_LARGE,
            f"this channel carries at most {most} bytes in a message, found {found}",
            expected=f"at most {most} bytes",
            found=found,
            remedy=way if packet else "send memory by a file descriptor",
        )


class EmptyPacket(HandoffError, ValueError):
    """A packet without a byte and without a file descriptor, which a receiver cannot tell from the end."""

    def __init__(self) -> None:
        super().__init__(
            Code.TOO_SHORT,
            "expected at least one byte or one file descriptor in a packet, found none",
            expected="at least one byte or one file descriptor",
            found=0,
            remedy="a receiver cannot tell such a packet from the end; use stream framing for empty messages",
        )


class HandoffTimeout(HandoffError, TimeoutError):
    """Not in time."""

    doing: Doing
    """What took that long."""
    after: float
    """The limit, in seconds."""
    crossed: int
    """The bytes of the message that had crossed, its length prefix among them."""

    def __init__(self, doing: Doing, after: float, crossed: int = 0) -> None:
        super().__init__(
            Code.TIMEOUT,
            f"{doing.value} took longer than {duration(after)}, {crossed} bytes of the message had crossed",
            expected=f"within {duration(after)}",
            found=crossed,
            remedy=_SLOW[doing],
        )
        self.doing = doing
        self.after = after
        self.crossed = crossed


class PeerClosed(HandoffError, ConnectionError):
    """The peer closed the channel between two messages."""

    _ENDS = True

    unread: bool
    """Whether it is known that the peer had not received all that was sent to it."""

    def __init__(self, unread: bool) -> None:
        what = ", and had not received all that was sent to it" if unread else ""
        super().__init__(Code.PEER_CLOSED, f"the peer closed the channel{what}")
        self.unread = unread


class ClosedInMessage(HandoffError, ConnectionError):
    """The peer closed the channel in the middle of a message."""

    crossed: int
    """The bytes that had crossed, the length prefix among them."""
    missing: int
    """The bytes that are missing: of the length prefix where that is not whole, else of the body."""

    def __init__(self, crossed: int, missing: int) -> None:
        what = f"{crossed} bytes had crossed, at least {missing} are missing"
        super().__init__(
            Code.PEER_CLOSED,
            f"the peer closed the channel in the middle of a message: {what}",
            expected=f"at least {missing} bytes more",
            found=crossed,
        )
        self.crossed = crossed
        self.missing = missing


class OutOfStep(HandoffError, BrokenPipeError):
    """An earlier failure left this direction of the channel in the middle of a message. It was shut down
    then, and stays so.
    """

    _ENDS = True

    because: Code
    """The code of the failure; that of `io` where an exception of this process interrupted it."""
    interrupted: bool
    """Whether such an exception did, as Ctrl-C does."""

    def __init__(self, direction: str, because: Code, *, interrupted: bool = False) -> None:
        why = f"{because.name.lower()} left it in the middle of a message"
        if interrupted:
            why = "an exception (such as Ctrl-C) interrupted it in the middle of a message"
        super().__init__(
            Code.REFUSED,
            f"this channel can {direction} no more, since {why}",
            expected="a channel between two messages",
            remedy="open another one",
        )
        self.because = because
        self.interrupted = interrupted


class ChannelClosed(HandoffError, ConnectionError):
    """This side closed the channel or the listener, or gave its socket away."""

    _ENDS = True

    def __init__(self) -> None:
        super().__init__(
            Code.BAD_HANDLE, "this side closed it", expected="an open socket", remedy="open another one"
        )


class ChannelTaken(HandoffError, RuntimeError):
    """A side of leases has the channel, which alone sends and receives on it."""

    _ENDS = True

    side: str
    """Which one: `Producer` or `Consumer`, of `wirecontract.lease`."""

    def __init__(self, side: str) -> None:
        super().__init__(
            Code.BUSY,
            f"expected a channel that no side of leases has, found that of a {side}",
            expected="a channel that no side of leases has",
            found=side,
            remedy=f"call the {side}, or open another channel",
        )
        self.side = side


class HelloRefused(HandoffError, ConnectionError):
    """The peer speaks something else, by its hello, or says none. Every later call on the channel says so."""

    _ENDS = True

    because: WireError
    """What is wrong with a hello, or what both say of a contract (`negotiate.Refusal`)."""

    def __init__(self, because: WireError, whose: str = "") -> None:
        super().__init__(
            because.code,
            f"{whose}{because}",
            expected=str(because.expected),
            remedy="build both sides of declarations that meet",
            whole=True,
        )
        self.because = because


class IdMismatch(HandoffError, ValueError):
    """A message of another contract than was asked for, or of another version of it."""

    def __init__(self, contract: str, expected: int, found: int) -> None:
        wanted, came = f"{expected:#018x}", f"{found:#018x}"
        super().__init__(
            Code.ID_MISMATCH,
            f"expected a message of {contract} (wire id {wanted}), found one of wire id {came}",
            expected=wanted,
            found=came,
            remedy="build both sides of the same declaration, or say hello first",
        )


class NoWireId(HandoffError, ValueError):
    """A message without room for the wire id that it is to begin with."""

    def __init__(self, found: int) -> None:
        super().__init__(
            Code.TOO_SHORT,
            f"expected a wire id of 8 bytes before the message, found {found} bytes",
            expected="a wire id of 8 bytes",
            found=found,
            remedy="the peer sends no wire ids",
        )


class InUse(HandoffError, OSError):
    """Somebody listens at the address."""

    def __init__(self, address: str) -> None:
        super().__init__(
            Code.BUSY,
            f"somebody listens at {address}",
            expected="an address at which nobody listens",
            found=address,
            remedy="stop that process, or choose another address",
        )


class Locked(HandoffError, OSError):
    """Another process holds the lock of a socket file, and goes on doing so."""

    def __init__(self, path: str) -> None:
        super().__init__(
            Code.BUSY,
            f"another process holds a lock on {path}",
            expected="a lock that nobody holds",
            found=path,
            remedy="stop that process, or choose another path",
        )


class NotOurs(HandoffError, FileExistsError):
    """What is at the path is no socket file of this user's, and is left alone."""

    def __init__(self, path: str, found: str) -> None:
        super().__init__(
            Code.REFUSED,
            f"expected nothing or a socket of this user's at {path}, found {found}",
            expected="nothing or a socket of this user's",
            found=found,
            remedy="choose another path",
        )


class AddressTooLong(HandoffError, ValueError):
    """A path or name that a socket address has no room for."""

    def __init__(self, most: int, found: int) -> None:
        super().__init__(
            Code.TOO_LARGE,
            f"a socket address holds at most {most} bytes, found {found}",
            expected=f"at most {most} bytes",
            found=found,
            remedy="use a shorter path",
        )


class BadAddress(HandoffError, ValueError):
    """A path or name that is no socket address."""

    def __init__(self, found: str, why: str) -> None:
        super().__init__(
            Code.BAD_TEXT,
            f"{quoted(found)} names no socket",
            expected="a path, or a name behind a NUL",
            found=found,
            remedy=why,
        )


class PeerUser(HandoffError, PermissionError):
    """The peer belongs to a user that is not let in."""

    uid: int
    """Whose the peer is."""
    pid: int | None
    """The peer's process, where this one can see it."""

    def __init__(self, expected: str, uid: int, pid: int | None) -> None:
        super().__init__(
            Code.REFUSED,
            f"expected a peer of {expected}, found user {uid}{_process(pid)}",
            expected=f"a peer of {expected}",
            found=uid,
            remedy="run it as that user, or let it in",
        )
        self.uid = uid
        self.pid = pid


class PeerUnmapped(HandoffError, PermissionError):
    """The peer belongs to a user that this process's user namespace does not have: whoever it is has one
    number with all others of them.
    """

    uid: int
    """The number that stands for all such users."""
    pid: int | None
    """The peer's process, where this one can see it."""

    def __init__(self, uid: int, pid: int | None) -> None:
        user = f"user {uid}, which stands for all others{_process(pid)}"
        super().__init__(
            Code.REFUSED,
            f"expected a peer of a user of this user namespace, found {user}",
            expected="a peer of a user of this user namespace",
            found=uid,
            remedy="map the user, or let in anyone (Peers.anyone)",
        )
        self.uid = uid
        self.pid = pid


class FdKind(HandoffError, ValueError):
    """A file descriptor of another kind than was asked for."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(
            Code.FD_KIND,
            f"expected {expected}, found {found}",
            expected=expected,
            found=found,
            remedy="hand over the right file descriptor",
        )


class ProcessEnded(HandoffError, ProcessLookupError):
    """The process has ended."""

    def __init__(self) -> None:
        super().__init__(
            Code.PEER_CLOSED,
            "the process has ended",
            expected="a process that runs",
            remedy="take nothing more from it",
        )


class NoPidFd(HandoffError, OSError):
    """The kernel gives no file descriptor of the peer's process."""

    def __init__(self) -> None:
        super().__init__(
            Code.REFUSED,
            "the kernel gives no pidfd of a peer, which needs Linux 6.5",
            expected="Linux 6.5",
            remedy="know it by its credentials alone",
        )


class FetchRefused(HandoffError, PermissionError):
    """This process may not take file descriptors of the other one."""

    yama: int | None
    """What `/proc/sys/kernel/yama/ptrace_scope` says, where it is."""

    def __init__(self, number: int, yama: int | None) -> None:
        says = "no Yama here" if yama is None else f"kernel.yama.ptrace_scope is {yama}"
        super().__init__(
            Code.REFUSED,
            f"this process may not take file descriptor {number} of the other one ({says})",
            expected="a process that this one may trace",
            found=number,
            remedy="run both as one user and let the other call prctl(PR_SET_PTRACER) or keep it dumpable,"
            " give this one CAP_SYS_PTRACE, or have the file descriptor sent in a message",
        )
        self.yama = yama


class NoSuchFd(HandoffError, OSError):
    """The other process has no open file of that number."""

    def __init__(self, number: int) -> None:
        super().__init__(
            Code.BAD_HANDLE,
            f"the process has no open file descriptor {number}",
            expected="an open file descriptor",
            found=number,
            remedy="let it keep the file open until it is taken",
        )


class HandoffOSError(HandoffError, OSError):
    """What the operating system refused, by the `errno` of an `OSError`."""

    def __init__(self, doing: str, errno: int) -> None:
        super().__init__(Code.IO, f"{doing}: {said(errno)}", found=said(errno))
        self.errno: int | None = errno


class NobodyThere(HandoffOSError, FileNotFoundError):
    """There is no such file."""


class NobodyListens(HandoffOSError, ConnectionRefusedError):
    """There is a file, and nobody who listens."""


class NotPermitted(HandoffOSError, PermissionError):
    """The system does not let this user do it."""


def os_error(doing: str, error: OSError) -> HandoffOSError:
    """What the system said while that was being done, as the class that Python has for it."""
    errno = error.errno or 0
    for cls in (NobodyThere, NobodyListens, NotPermitted):
        if isinstance(error, cls.__bases__[1]):
            return cls(doing, errno)
    return HandoffOSError(doing, errno)


def _process(pid: int | None) -> str:
    """The peer's process, where it is known."""
    return "" if pid is None else f" (process {pid})"
