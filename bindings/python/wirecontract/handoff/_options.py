"""How a channel frames its messages, how long it waits, whom it lets in, and what a receiver lets come."""

from __future__ import annotations

import math
import os
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from wirecontract.contracts.hello import Hello
from wirecontract.handoff._arguments import MOST_INT, found, of_type, whole
from wirecontract.handoff._errors import FdCount, FdsRepeated, PeerUnmapped, PeerUser, TooLarge
from wirecontract.handoff._fd import Fd, GivesAway
from wirecontract.handoff._same_file import repeated
from wirecontract.handoff._users import is_unknown

MOST_FDS = 253
"""The most file descriptors that one message carries: the kernel's `SCM_MAX_FD`."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream socket: a length of four bytes, then the body. Both sides agree on the order of the length's
    bytes.
    """

    length: Literal["big", "little"] = "big"
    """The order of the bytes of the length."""
    prefix: Literal["apart", "joined"] = "apart"
    """How the length of a message with file descriptors is sent; receivers read both. `apart`: by a `sendmsg`
    of its own, for readers that read the length by a plain `read`, which would lose file descriptors.
    `joined`: by the body's.
    """

    def __post_init__(self) -> None:
        if self.length not in ("big", "little") or self.prefix not in ("apart", "joined"):
            raise ValueError(f"expected a length that is big or little and apart or joined, found {self!r}")

    @property
    def kind(self) -> socket.SocketKind:
        """The kind of socket."""
        return socket.SOCK_STREAM


@dataclass(frozen=True, slots=True)
class SeqPacket:
    """A socket of packets: a message is a packet, which the socket's send buffer bounds."""

    @property
    def kind(self) -> socket.SocketKind:
        """The kind of socket."""
        return socket.SOCK_SEQPACKET


Framing: TypeAlias = "Stream | SeqPacket"
"""How messages are told apart."""


@dataclass(frozen=True, slots=True)
class Peer:
    """The process at the other end, as the kernel noted it when that process connected, listened or made the
    pair.
    """

    pid: int | None
    """The process; None where it cannot be seen from this one's pid namespace."""
    uid: int
    """The effective user."""
    gid: int
    """The effective group."""


_MOST_USER = 2**32 - 1
"""The greatest number that a user may have."""


@dataclass(frozen=True, slots=True)
class Peers:
    """Whose processes are let in, by the effective user that they had when they connected or listened."""

    users: frozenset[int] | None = field(default_factory=lambda: frozenset([os.geteuid()]))
    """These users; None lets anyone in. Those of this process's user unless said, and no other's: not even
    root's.
    """

    def __post_init__(self) -> None:
        if self.users is not None:
            users = of_type("the users of peers", self.users, "a set of numbers, or None", frozenset, set)
            kept = frozenset(whole("a user", user, 0, _MOST_USER) for user in users)
            object.__setattr__(self, "users", kept)

    @classmethod
    def of(cls, *users: int) -> Peers:
        """Those of these users."""
        return cls(frozenset(users))

    @classmethod
    def anyone(cls) -> Peers:
        """Anyone's."""
        return cls(None)

    def admit(self, peer: Peer) -> None:
        """Refuses a peer of somebody else's (`PeerUser`), and one that may be anybody's (`PeerUnmapped`):
        users that this process's user namespace does not know have one number.
        """
        if self.users is None:
            return
        if peer.pid != os.getpid() and is_unknown(peer.uid):
            raise PeerUnmapped(peer.uid, peer.pid)
        if peer.uid not in self.users:
            raise PeerUser(str(self), peer.uid, peer.pid)

    def __str__(self) -> str:
        if self.users is None:
            return "any user"
        return " or ".join(f"user {user}" for user in sorted(self.users)) or "no user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a channel frames, waits and admits. Times are in seconds, and None is for ever. What cannot work is
    refused when it is said (`TypeError`, `ValueError`).

    `wirecontract.lease` has another class of this name, which says what a side of leases is made with. A
    program with both says `handoff.Options` and `lease.Options`.
    """

    framing: Framing = field(default_factory=Stream)
    """How messages are told apart."""
    message_timeout: float | None = 10.0
    """How long a message may take from its first byte to its last, in either direction, and how long
    connecting may take. A message that takes longer leaves the channel out of step.
    """
    idle_timeout: float | None = None
    """How long a receiver waits for the first byte of a message; for ever unless said: a service that hears
    one peer at a time says how long. The channel is as good afterwards as it was before.
    """
    hello_timeout: float | None = 10.0
    """How long the peer may take for its hello, from when the channel is there. Calls that find it late are
    refused (`HandoffTimeout`), and go on where it has come after all.
    """
    peers: Peers = field(default_factory=Peers)
    """Whose processes are let in, on either side."""
    speaks: tuple[type, ...] = ()
    """Says hello, and that this side speaks these contracts, as the peer has to. What was agreed on says
    `Channel.agreed`.
    """
    may_speak: tuple[type, ...] = ()
    """The same of contracts that the peer need not speak: then `Channel.agreed` refuses them."""
    hello: Hello | None = None
    """A hello that says more, each contract of which the peer has to speak."""
    send_buffer: int | None = None
    """The bytes of the socket's send buffer, 1 to 2**31 - 1, which the kernel doubles and bounds by
    `net.core.wmem_max`. With packets it says how long one may be.
    """
    mode: int = 0o600
    """The permissions of a listener's socket file; whoever may write to it may connect."""
    backlog: int = 128
    """How many connections may wait to be accepted."""

    def __post_init__(self) -> None:
        of_type("a framing", self.framing, "Stream() or SeqPacket()", Stream, SeqPacket)
        check_seconds(self.message_timeout, "message_timeout")
        check_seconds(self.idle_timeout, "idle_timeout")
        check_seconds(self.hello_timeout, "hello_timeout")
        of_type("peers", self.peers, "Peers", Peers)
        object.__setattr__(self, "speaks", _contracts("speaks", self.speaks))
        object.__setattr__(self, "may_speak", _contracts("may_speak", self.may_speak))
        if self.hello is not None:
            of_type("a hello", self.hello, "a Hello, or None", Hello)
        if self.send_buffer is not None:
            whole("a send_buffer", self.send_buffer, 1, MOST_INT)
        if not 0 <= whole("a mode", self.mode, -MOST_INT, MOST_INT) <= 0o777:
            raise ValueError(f"expected a mode of 0 to 0o777, found {self.mode:#o}")
        whole("a backlog", self.backlog, 0, MOST_INT)

    @staticmethod
    def of(options: Options | None) -> Options:
        """What was given, or what is usual; `TypeError` for what is none, such as `lease.Options`."""
        if options is None:
            return Options()
        return of_type("options", options, "handoff.Options, or None", Options)


def _contracts(option: str, contracts: object) -> tuple[type, ...]:
    """Contracts that are spoken."""
    classes = of_type(option, contracts, "a tuple of classes of contracts, such as (Packet,)", tuple, list)
    for contract in classes:
        if not isinstance(contract, type) or not isinstance(getattr(contract, "CONTRACT", None), str):
            raise TypeError(f"expected {option} of classes of contracts, found {found(contract)}")
    return tuple(classes)


def check_seconds(seconds: float | None, what: str = "") -> None:
    """Refuses what is no length of time; `what` is its name."""
    expected = f"expected {what and f'{what} of '}0 or more seconds, or None for ever"
    if seconds is None:
        return
    if isinstance(seconds, bool) or not hasattr(type(seconds), "__float__"):
        raise TypeError(f"{expected}, found {found(seconds)}")
    try:
        number = float(seconds)
    except OverflowError:
        raise ValueError(f"{expected}, found more than a float holds: say None") from None
    if math.isnan(number) or number < 0:
        raise ValueError(f"{expected}, found {seconds}")


Fds: TypeAlias = "int | tuple[int, int] | range"
"""How many file descriptors: a number, a pair of the least and the most, or the numbers of a range."""


@dataclass(frozen=True, slots=True, init=False)
class Expected:
    """What a receiver lets come: the most bytes of a body, and how many file descriptors.

    `Expected(1 << 20)` lets no file descriptor come, `Expected(4096, fds=1)` one, `Expected(4096, fds=(1,
    6))` and `Expected(4096, fds=range(1, 7))` one to six: a pair is the least and the most, a range the
    numbers in it, of which an empty one lets no message come. A most beyond 253, which no message carries,
    says nothing; a least beyond it is refused, and so is a pair that no number is in (`ValueError`).

    Two that are of one open file, as `dup` makes them, are refused (`FdsRepeated`) unless `repeated` lets
    them come, as the planes of an image in one DMA-BUF do. Where the kernel does not compare open files
    (`kcmp`), regular files are compared by their inodes.
    """

    most_bytes: int
    """The most bytes of a body."""
    least: int
    """How many file descriptors come at least."""
    most: int
    """How many come at most."""
    repeated: bool
    """Whether two may be of one open file."""

    def __init__(self, most_bytes: int, fds: Fds = 0, *, repeated: bool = False) -> None:
        least, most = _bounds(fds)
        size = whole("most_bytes", most_bytes, 0)
        object.__setattr__(self, "most_bytes", size)
        object.__setattr__(self, "least", least)
        object.__setattr__(self, "most", min(most, MOST_FDS))
        object.__setattr__(self, "repeated", repeated)

    @staticmethod
    def of(expected: Expected) -> Expected:
        """What was given; `TypeError` where it says nothing of what may come."""
        if not isinstance(expected, Expected):
            raise TypeError(f"expected an Expected, such as Expected(1 << 20), found {found(expected)}")
        return expected

    @classmethod
    def said(cls, expected: Expected | int, fds: Fds | None = None, *, repeated: bool = False) -> Expected:
        """What was given, or what numbers say; `TypeError` where both say something."""
        if not isinstance(expected, Expected):
            return cls(expected, 0 if fds is None else fds, repeated=repeated)
        if repeated or not (fds is None or (type(fds) is int and fds == 0)):
            raise TypeError("expected an Expected alone, found fds or repeated beside it: say them there")
        return expected

    def within(self, size: int) -> Expected:
        """The same for a buffer of that length."""
        return self._of(min(self.most_bytes, size))

    def behind(self, size: int) -> Expected:
        """The same behind so many bytes more."""
        return self._of(self.most_bytes + size)

    def _of(self, most_bytes: int) -> Expected:
        """The same with another number of bytes, also where it lets no message come."""
        return Expected(most_bytes, range(self.least, self.most + 1), repeated=self.repeated)

    def check_bytes(self, found: int) -> None:
        """Refuses a body of that length where it may not come (`TooLarge`)."""
        if found > self.most_bytes:
            raise TooLarge(self.most_bytes, found)

    def check_most(self, found: int) -> None:
        """Refuses so many file descriptors where they are already too many (`FdCount`)."""
        if found > self.most:
            raise FdCount(self.least, self.most, found)

    def check_fds(self, found: int) -> None:
        """Refuses so many file descriptors where they may not come (`FdCount`)."""
        if not self.least <= found <= self.most:
            raise FdCount(self.least, self.most, found)

    def check_repeated(self, fds: Sequence[Fd]) -> None:
        """Refuses two of one open file where they may not come (`FdsRepeated`)."""
        if not self.repeated:
            same = repeated([fd.fileno() for fd in fds])
            if same is not None:
                raise FdsRepeated(*same)


def _bounds(fds: Fds) -> tuple[int, int]:
    """The least and the most number of file descriptors; the least is more where none may come."""
    if isinstance(fds, range):
        if fds.step != 1:
            raise ValueError(f"expected a range of step 1, found {fds}")
        if not fds and fds.start >= 0:
            return fds.start + 1, fds.start
        given: tuple[object, ...] = (fds.start, fds.stop - 1)
    elif isinstance(fds, tuple):
        if len(fds) != 2:
            raise ValueError(f"expected fds of a least and a most, (1, 6), found {fds!r}")
        given = fds
    elif isinstance(fds, bool) or not hasattr(type(fds), "__index__"):
        raise TypeError(f"expected fds of a number, a pair (1, 6) or a range, found {found(fds)}")
    else:
        number = whole("fds", fds, 0, MOST_FDS)
        return number, number
    least, most = whole("a least of fds", given[0], 0, MOST_FDS), whole("a most of fds", given[1], 0)
    if least > most:
        raise ValueError(f"expected fds of a least and a most that is no less, found {fds!r}")
    return least, most


@dataclass(frozen=True, slots=True)
class Message:
    """A message that came. Its file descriptors are the receiver's: closed with them, or at the end of a
    `with`.
    """

    body: bytes
    """The bytes, without the length."""
    fds: list[Fd]
    """The file descriptors in the order in which they were sent, closed on exec."""

    def close(self) -> None:
        """Closes what was not closed or given away."""
        close_fds(self.fds)

    def __enter__(self) -> Message:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Received:
    """A message that came, its body in a buffer of the caller's. Its file descriptors are the receiver's:
    closed with them, or at the end of a `with`.
    """

    size: int
    """The bytes of the body at the buffer's beginning."""
    fds: list[Fd]
    """The file descriptors in the order in which they were sent, closed on exec."""

    def close(self) -> None:
        """Closes what was not closed or given away."""
        close_fds(self.fds)

    def __enter__(self) -> Received:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def close_fds(fds: Iterable[GivesAway]) -> None:
    """Closes each of them."""
    for fd in fds:
        fd.close()
