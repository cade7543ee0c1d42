"""The sending side of a channel: a message on its way out, and what is left of one that was begun."""

from __future__ import annotations

import enum
import errno
import fcntl
import select
import socket
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wirecontract.contracts import Code
from wirecontract.handoff._arguments import found
from wirecontract.handoff._errors import (
    ClosedInMessage,
    Doing,
    EmptyPacket,
    FdsInFlight,
    HandoffError,
    HandoffTimeout,
    OutOfStep,
    PeerClosed,
    TooLargeToSend,
    TooManyFds,
    os_error,
)
from wirecontract.handoff._fd import Fd, FileDescriptor, keep, number_of
from wirecontract.handoff._options import MOST_FDS, Framing, Options, Stream, close_fds
from wirecontract.handoff._receiving import PREFIX
from wirecontract.handoff._wait import Limit, wait_for

if TYPE_CHECKING:
    from typing_extensions import Buffer

_FLAGS = socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL

_MOST_BODY = 0xFFFF_FFFF

_MOST_PARTS = 1024
"""How many parts the kernel takes at once (`UIO_MAXIOV`)."""


class Sent(enum.Enum):
    """How far a call that does not wait has come with a message."""

    WHOLE = "whole"
    """All of it is with the kernel."""
    BEGUN = "begun"
    """It is taken: its beginning is with the kernel, and its rest is kept in the channel, with duplicates of
    file descriptors that are still to go, until `try_flush`, `flush` or the next message sends it.
    """
    NOT_YET = "not yet"
    """Nothing was taken: give it again when the channel is writable."""


class Outgoing:
    """A message, or what is left of one, and the byte that begins the `sendmsg` with its file descriptors."""

    def __init__(
        self,
        parts: Sequence[memoryview],
        fds: Sequence[FileDescriptor],
        fds_at: int,
        before: int = 0,
        packet: bool = False,
    ) -> None:
        self.parts = parts
        self.whole = sum(len(part) for part in parts)
        # The objects themselves, so that none is closed by being dropped meanwhile.
        self.fds = fds
        self.fds_at = fds_at
        self.before = before
        self.packet = packet
        # What each call took, kept before any exception can come: so what was sent is always known.
        self.took: list[int] = []

    @classmethod
    def of(cls, framing: Framing, body: Sequence[Buffer], fds: Sequence[FileDescriptor]) -> Outgoing:
        """A message whose body is these parts behind each other."""
        # Before anything is sent, where it would end the message in its middle.
        check_fds(fds)
        views = [memoryview(part).cast("B") for part in body if memoryview(part).nbytes]
        length = sum(map(len, views))
        if length > _MOST_BODY and isinstance(framing, Stream):
            raise TooLargeToSend(_MOST_BODY, length, packet=False)
        if not isinstance(framing, Stream):
            if not length and not fds:
                raise EmptyPacket
            return cls(views, fds, 0, packet=True)
        prefix = memoryview(length.to_bytes(PREFIX, framing.length))
        # A stream carries nothing without a byte, so the prefix has to where there is no body.
        apart = framing.prefix == "apart" and fds and length
        return cls([prefix, *views], fds, PREFIX if apart else 0)

    @property
    def sent(self) -> int:
        """The bytes that the kernel took."""
        return sum(self.took)

    @property
    def crossed(self) -> int:
        """The same, with those that went before this was made of the rest."""
        return self.before + self.sent

    @property
    def is_whole(self) -> bool:
        """Whether the kernel has all of it: a packet of file descriptors alone has no byte."""
        return bool(self.took) and self.sent == self.whole

    def send(self, sock: socket.socket) -> None:
        """Sends what the kernel takes by one call, without waiting."""
        start = self.sent
        end = self.fds_at if start < self.fds_at else self.whole
        control = []
        if start == self.fds_at and self.fds:
            control = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", map(number_of, self.fds)))]
        # Of many calls one number is enough.
        if len(self.took) > 1:
            self.took[:] = [start]
        parts: list[memoryview | bytes] = [*self.between(start, end)]
        if len(parts) > _MOST_PARTS:
            # A packet has to go at once: those that are too many go as one.
            rest = [b"".join(parts[_MOST_PARTS - 1 :])] if self.packet else []
            parts[_MOST_PARTS - 1 :] = rest
        keep(self.took, sock.sendmsg, parts, control, _FLAGS)

    def between(self, start: int, end: int) -> list[memoryview]:
        """The parts of the bytes between two places."""
        pieces, at = [], 0
        for part in self.parts:
            piece = part[max(0, start - at) : max(0, end - at)]
            if piece:
                pieces.append(piece)
            at += len(part)
        return pieces

    def rest(self) -> Outgoing:
        """What is left, on its own: its bytes are copied, and its file descriptors duplicated."""
        start = self.sent
        bytes_left = b"".join(self.between(start, self.whole))
        fds = [Fd.duplicate(fd) for fd in self.fds] if start <= self.fds_at else []
        return Outgoing([memoryview(bytes_left)], fds, max(0, self.fds_at - start), self.crossed)


def check_fds(fds: Sequence[FileDescriptor]) -> None:
    """Refuses what is no sequence of file descriptors (`TypeError`, `ValueError`), more than a message
    carries (`TooManyFds`), and one that is not open (`HandoffOSError`): the length of a message may go ahead
    of what the kernel refuses.
    """
    if isinstance(fds, str | bytes | bytearray | memoryview) or not hasattr(type(fds), "__len__"):
        raise TypeError(f"expected a sequence of file descriptors, such as [file], found {found(fds)}")
    if len(fds) > MOST_FDS:
        raise TooManyFds(MOST_FDS, len(fds))
    for fd in fds:
        number = number_of(fd)
        try:
            fcntl.fcntl(number, fcntl.F_GETFD)
        except OSError as error:
            raise os_error("sending a message", error) from error


class Sending:
    """What a channel keeps for sending."""

    def __init__(self, sock: socket.socket, options: Options) -> None:
        self._socket = sock
        self._options = options
        # The message that a call is about, until it is sent, kept or failed.
        self._current: Outgoing | None = None
        self._rest: Outgoing | None = None
        self._limit: Limit | None = None
        self._broken: Code | None = None
        # Whether an exception of this process did that.
        self._interrupted = False
        # Whether the peer receives nothing more.
        self._ended = False

    def say_first(self, body: bytes) -> None:
        """Has a message go before every other one, as soon as the kernel takes it."""
        message = Outgoing.of(self._options.framing, [body], ())
        self._rest = Outgoing([memoryview(b"".join(message.parts))], (), 0)
        self._limit = Limit.of(self._options.message_timeout)

    @property
    def has_rest(self) -> bool:
        """Whether a message waits for the channel to be writable."""
        return self._rest is not None

    @property
    def has_ended(self) -> bool:
        """Whether nothing more can be sent, as the last call left it."""
        return self._ended or self._broken is not None

    @property
    def is_amid(self) -> bool:
        """Whether a call is amid a message, or an exception ended one there, which leaves the direction out
        of step.
        """
        message = self._current
        return message is not None and message.crossed > 0 and not message.is_whole

    @property
    def goes_on(self) -> bool:
        """Whether the next call goes on, where no other one is amid anything."""
        return not self.has_ended and not self.is_amid

    def end(self) -> None:
        """Notes that nothing more is to be sent."""
        self._ended = True

    @property
    def limit(self) -> Limit | None:
        """Until when the rest has to be sent."""
        return None if self._rest is None else self._limit

    def send(self, message: Outgoing) -> None:
        """Sends a message, waiting as long as it may take."""
        self.flush(wait=True)
        self._write(message, wait=True, limit=Limit.of(self._options.message_timeout))

    def try_send(self, message: Outgoing) -> Sent:
        """Sends what can be sent without waiting, and keeps what is left of a message that was begun."""
        if not self.flush(wait=False):
            return Sent.NOT_YET
        if self._write(message, wait=False, limit=None):
            return Sent.WHOLE
        return Sent.BEGUN if self.has_rest else Sent.NOT_YET

    def flush(self, wait: bool) -> bool:
        """Sends what is left of a message that was begun; whether all of it is sent."""
        self._check()
        if self._rest is None:
            return True
        return self._write(self._rest, wait, self._limit)

    def close(self) -> None:
        """Drops what is left, with its file descriptors."""
        rest, self._rest = self._rest, None
        if rest is not None:
            close_fds(fd for fd in rest.fds if isinstance(fd, Fd))

    def _check(self) -> None:
        if self._current is not None:
            # An exception of this process ended the call that was about it.
            self._interrupt(self._current)
        if self._broken is not None:
            raise OutOfStep("send", self._broken, interrupted=self._interrupted)

    def _write(self, message: Outgoing, wait: bool, limit: Limit | None) -> bool:
        """Sends from where a message is on; whether all is sent."""
        self._current = message
        try:
            while not message.is_whole:
                try:
                    message.send(self._socket)
                except BlockingIOError:
                    if wait and wait_for(self._socket.fileno(), select.POLLOUT, limit):
                        continue
                    if limit is not None and limit.is_over:
                        raise HandoffTimeout(Doing.SENDING, limit.after, message.crossed) from None
                    return self._keep(message)
                except OSError as error:
                    raise self._refused(message, error) from error
        except HandoffError as error:
            self._fail(message, error.code)
            raise
        except BaseException:
            if message is self._rest:
                # Which stays as it is: what the kernel took is known.
                self._current = None
            else:
                self._interrupt(message)
            raise
        self._current = None
        if message is self._rest:
            self.close()
        return True

    def _keep(self, message: Outgoing) -> bool:
        """Keeps what is left of a message that was begun."""
        if message is not self._rest and message.crossed:
            try:
                self._rest = message.rest()
            except OSError as error:
                doing = "keeping file descriptors that are still to be sent"
                raise os_error(doing, error) from error
            self._limit = Limit.of(self._options.message_timeout)
        self._current = None
        return False

    def _interrupt(self, message: Outgoing) -> None:
        """Ends what an exception of this process ended."""
        self._fail(message, Code.IO)
        self._interrupted = self._broken is not None

    def _fail(self, message: Outgoing, because: Code) -> None:
        """Shuts the direction down where a part of a message was sent: the peer sees where it ends."""
        self._ended |= because is Code.PEER_CLOSED
        if message.crossed and not message.is_whole:
            self._broken = because
            try:
                self._socket.shutdown(socket.SHUT_WR)
            except OSError:
                # The connection is gone, which is the same.
                because = Code.IO
        self._current = None
        if message is self._rest and (self._broken is not None or message.is_whole):
            self.close()

    def _refused(self, message: Outgoing, error: OSError) -> HandoffError:
        """What the kernel's refusal means."""
        if isinstance(error, BrokenPipeError | ConnectionResetError):
            if message.crossed:
                return ClosedInMessage(message.crossed, message.whole - message.sent)
            return PeerClosed(isinstance(error, ConnectionResetError))
        if error.errno == errno.ETOOMANYREFS:
            return FdsInFlight()
        if error.errno == errno.EMSGSIZE:
            # What the kernel keeps of the buffer for itself.
            most = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) - 32
            return TooLargeToSend(most, message.whole, packet=True)
        return os_error("sending a message", error)
