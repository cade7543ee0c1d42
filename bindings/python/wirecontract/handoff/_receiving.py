"""The receiving side of a channel: what came of a message that is not whole yet.

File descriptors count when they ride on the `sendmsg` that holds the first byte of the body, or the last byte
of the prefix where the body is empty. They come with the first read that takes a byte of their `sendmsg`, and
a read that took file descriptors ends with that `sendmsg`, though it may have begun with bytes of earlier
ones. So they ride on the `sendmsg` that holds the read's last byte. The first read of a message therefore
asks for the prefix and one byte of the body: where it is full, what came rides with that byte; where it is
short, it ended with a `sendmsg` of bytes of the prefix alone.

Of a message without a body that read may take the first byte of the next message, which stays here, with the
file descriptors that came with it.
"""

from __future__ import annotations

import fcntl
import select
import socket
import struct
import termios
from collections.abc import Callable
from typing import NamedTuple

from wirecontract.contracts import Code
from wirecontract.handoff._errors import (
    ClosedInMessage,
    Doing,
    FdsLost,
    FdsMisplaced,
    HandoffError,
    HandoffOSError,
    HandoffTimeout,
    OutOfStep,
    PeerClosed,
    os_error,
)
from wirecontract.handoff._fd import Arriving, Fd
from wirecontract.handoff._options import (
    MOST_FDS,
    Expected,
    Framing,
    Message,
    Options,
    Received,
    Stream,
    close_fds,
)
from wirecontract.handoff._wait import Limit, Patience, is_ready

PREFIX = 4
"""The bytes of a length prefix."""

_HEAD = PREFIX + 1

_AHEAD = 64 << 10
"""The most that is allocated for bytes that have not come, but for as many as came already."""

_ROOM = socket.CMSG_SPACE(MOST_FDS * 4) + 256
"""Room for all that may ride on one message, and for what else a socket may be told to deliver."""

_FLAGS = socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC

IN_PREFIX = "with the length prefix alone"
LATER = "behind the first byte of the body"


class _Came(NamedTuple):
    """A message that is whole: its body, where that is in no buffer of the caller's."""

    body: bytes
    size: int
    fds: list[Fd]


class Receiving:
    """What a channel keeps for receiving."""

    def __init__(self, sock: socket.socket, options: Options) -> None:
        self._socket = sock
        self._options = options
        self._head = bytearray()
        self._body = bytearray()
        # How many bytes of the body are in the buffer of the call, where it has one and it is used.
        self._filled: int | None = None
        self._arriving = Arriving()
        self._fds: list[Fd] = []
        # How many of them are this message's, where others came with the first byte of the next.
        self._fds_here: int | None = None
        # Whether their `sendmsg` ended in the prefix.
        self._fds_end = False
        self._limit: tuple[Limit | None] | None = None
        self._broken: Code | None = None
        # Whether an exception of this process did that.
        self._interrupted = False
        # Whether the end was received.
        self._over = False
        # Whether a read has begun of which nothing is noted.
        self._reads = False
        # Whether the peer went without receiving all.
        self._reset = False

    @property
    def has_begun(self) -> bool:
        """Whether a message has begun to come."""
        return bool(self._head)

    @property
    def has_ended(self) -> bool:
        """Whether nothing more can be received, as the last call left it."""
        return self._over or self._broken is not None

    @property
    def is_amid(self) -> bool:
        """Whether a call is amid a read, or an exception ended one there, which leaves the direction out of
        step.
        """
        return self._reads or self._filled is not None

    @property
    def goes_on(self) -> bool:
        """Whether the next call goes on, where no other one is amid anything."""
        return not self.has_ended and not self.is_amid

    def end(self) -> None:
        """Notes that nothing more is to be received."""
        self._over = True

    @property
    def limit(self) -> Limit | None:
        """Until when the message that has begun has to be whole."""
        if self._limit is None:
            self._limit = (Limit.of(self._options.message_timeout),)
        return self._limit[0]

    def receive(self, expected: Expected, patience: Patience) -> Message | None:
        """Receives a message; None where it is not whole yet and the caller does not wait."""
        came = self._receive(expected, patience, None)
        return None if came is None else Message(came.body, came.fds)

    def receive_into(self, place: memoryview, expected: Expected, patience: Patience) -> Received | None:
        """The same, its body to the beginning of a buffer of bytes."""
        came = self._receive(expected.within(len(place)), patience, place)
        return None if came is None else Received(came.size, came.fds)

    def _receive(self, expected: Expected, patience: Patience, lent: memoryview | None) -> _Came | None:
        framing: Framing = self._options.framing
        try:
            if isinstance(framing, Stream):
                return self._stream(framing, expected, patience, lent)
            return self._packet(expected, patience, lent)
        except PeerClosed:
            self.end()
            raise

    def _stream(
        self, framing: Stream, expected: Expected, patience: Patience, lent: memoryview | None
    ) -> _Came | None:
        if self.is_amid:
            # An exception came between a read and what is kept of it, so that bytes are missing; or behind
            # the last read, so that a body is in a buffer that is gone.
            self._interrupted = True
            self._break(Code.IO)
        if self._broken is not None:
            raise OutOfStep("receive", self._broken, interrupted=self._interrupted)
        try:
            whole = self._begin(framing, expected, patience)
            if whole is None or not self._rest(whole, expected, patience, lent):
                return None
            came = self._end(whole, lent)
        except HandoffError as error:
            waited = isinstance(error, HandoffTimeout) and error.doing is not Doing.RECEIVING
            if not waited and not isinstance(error, PeerClosed | HandoffOSError):
                self._break(error.code)
            raise
        try:
            # It is whole, so that what comes behind it can be told apart.
            expected.check_repeated(came.fds)
        except BaseException:
            close_fds(came.fds)
            raise
        return came

    def close(self) -> None:
        """Closes what came of a message."""
        self._arriving.close()
        close_fds(self._fds)
        self._fds.clear()

    def _begin(self, framing: Stream, expected: Expected, patience: Patience) -> int | None:
        """Receives the prefix and, where there may be file descriptors, the first byte of the body: its
        length.
        """
        while True:
            whole: int | None = None
            if len(self._head) >= PREFIX:
                whole = int.from_bytes(self._head[:PREFIX], framing.length)
                expected.check_bytes(whole)
                if self._fds_end and whole > 0:
                    raise FdsMisplaced(len(self._fds), IN_PREFIX)
                # Where none may come, no read has to tell where they ride.
                read = len(self._head) == _HEAD or self._body or expected.most == 0
                if whole == 0 or read:
                    expected.check_fds(len(self._here))
                    return whole
            had, asked = len(self._fds), _HEAD - len(self._head)
            count = self._read_onto(asked, self._head, patience)
            if count is None:
                return None
            if count == 0:
                raise self._ended(whole)
            full, found = count == asked, len(self._fds) - had
            if found and full and not any(self._head[:PREFIX]):
                self._fds_here = had
                continue
            expected.check_most(len(self._fds))
            if found:
                if had or (not full and len(self._head) < PREFIX):
                    raise FdsMisplaced(found, IN_PREFIX)
                self._fds_end = not full

    def _rest(
        self, whole: int, expected: Expected, patience: Patience, lent: memoryview | None = None
    ) -> bool:
        """Receives the rest of the body; whether it is whole."""
        if whole and not self._body:
            self._body += self._head[PREFIX:]
        if lent is None or len(self._body) > 1:
            # What came for an earlier call goes on where it is, and is copied to a buffer once.
            def read(filled: int) -> int | None:
                return self._read_onto(min(whole - filled, max(filled, _AHEAD)), self._body, patience)

            return self._go_on(whole, expected, read)
        place = lent
        place[: len(self._body)] = self._body
        self._filled = len(self._body)
        try:
            return self._go_on(
                whole, expected, lambda filled: self._read(place[filled:whole], self._fill, patience)
            )
        finally:
            if self._filled < whole and not self._reads:
                self._reads = True
                self._body = bytearray(place[: self._filled])
                self._filled = None
                self._reads = False

    def _go_on(self, whole: int, expected: Expected, read: Callable[[int], int | None]) -> bool:
        """Reads until the body is whole; False where nothing comes for now."""
        while (filled := self._came) < whole:
            had = len(self._fds)
            count = read(filled)
            if count is None:
                return False
            if count == 0:
                raise ClosedInMessage(self._crossed, whole - filled)
            expected.check_most(len(self._fds))
            if len(self._fds) > had:
                raise FdsMisplaced(len(self._fds) - had, LATER)
        return True

    @property
    def _here(self) -> list[Fd]:
        """The file descriptors that came for this message."""
        return self._fds[: self._fds_here]

    def _fill(self, count: int) -> None:
        """So many bytes came to the buffer of the call."""
        self._filled = (self._filled or 0) + count

    @property
    def _came(self) -> int:
        """How many bytes of the body are there."""
        return len(self._body) if self._filled is None else self._filled

    def _end(self, whole: int, lent: memoryview | None = None) -> _Came:
        """A message that is whole, which is forgotten; the next has begun where its first byte came with this
        one.
        """
        here = len(self._here)
        if lent is not None and self._filled is None:
            lent[:whole] = self._body
        message = _Came(b"" if lent is not None else bytes(self._body), whole, self._fds[:here])
        # What an exception leaves half done from here on is known by the flag.
        self._reads = True
        self._fds = self._fds[here:]
        self._head = bytearray() if whole else self._head[PREFIX:]
        self._body = bytearray()
        self._fds_here, self._fds_end, self._limit, self._filled = None, False, None, None
        self._reads = False
        return message

    def _read_onto(self, size: int, into: bytearray, patience: Patience) -> int | None:
        """One read of at most so many bytes, to the end of what came."""
        place = bytearray(size)

        def keep(count: int) -> None:
            into.extend(memoryview(place)[:count])

        return self._read(place, keep, patience)

    def _read(
        self, place: bytearray | memoryview, keep: Callable[[int], None], patience: Patience
    ) -> int | None:
        """One read that brought something: how many bytes; None where there is nothing yet, 0 at the end."""
        while True:
            try:
                self._reads = True
                count, flags = self._arriving.read(self._socket.recvmsg_into, [place], _ROOM, _FLAGS)
            except OSError as error:
                self._reads = False
                if not self._again(error, "receiving a message", patience):
                    return None
                continue
            self._arriving.move(self._fds)
            keep(count)
            self._reads = False
            if flags & socket.MSG_CTRUNC:
                raise FdsLost(len(self._fds))
            return count

    def _again(self, error: OSError, doing: str, patience: Patience) -> bool:
        """Whether a read is worth another try, after the waiting for it."""
        if isinstance(error, BlockingIOError):
            message = (self.limit, self._crossed) if self.has_begun else None
            return patience.wait(self._socket.fileno(), message)
        if isinstance(error, ConnectionResetError):
            # What the peer sent before it went is still there.
            self._reset = True
            return True
        raise os_error(doing, error) from error

    @property
    def _crossed(self) -> int:
        return max(len(self._head), PREFIX + self._came if self._came else 0)

    def _ended(self, whole: int | None) -> HandoffError:
        crossed = len(self._head)
        if whole is None:
            return ClosedInMessage(crossed, PREFIX - crossed) if crossed else PeerClosed(self._reset)
        return ClosedInMessage(crossed, whole)

    def _break(self, code: Code) -> None:
        """Shuts the direction down, which is in the middle of a message."""
        self._broken = code
        self._reads = False
        self.close()
        self._body, self._filled = bytearray(), None
        try:
            self._socket.shutdown(socket.SHUT_RD)
        except OSError:
            # The connection is gone, which is the same.
            return

    # Packets: a message is there whole or not at all, and a refused one leaves the channel as it was.

    def _packet(self, expected: Expected, patience: Patience, lent: memoryview | None) -> _Came | None:
        room = expected.most_bytes
        if room > _AHEAD and lent is None:
            size = self._peek(patience)
            if size is None:
                return None
            # One that is too large is refused by the read, which takes it away.
            room = min(room, size)
        place = bytearray(room) if lent is None else lent[:room]
        while True:
            try:
                count, flags = self._arriving.read(
                    self._socket.recvmsg_into, [place], _ROOM, _FLAGS | socket.MSG_TRUNC
                )
            except OSError as error:
                if not self._again(error, "receiving a packet", patience):
                    return None
                continue
            break
        fds: list[Fd] = []
        self._arriving.move(fds)
        try:
            if flags & socket.MSG_CTRUNC:
                raise FdsLost(len(fds))
            if count == 0 and not fds and self._is_end():
                raise PeerClosed(self._reset)
            expected.check_bytes(count)
            expected.check_fds(len(fds))
            expected.check_repeated(fds)
        except HandoffError:
            close_fds(fds)
            raise
        return _Came(bytes(place[:count]) if lent is None else b"", count, fds)

    def _peek(self, patience: Patience) -> int | None:
        """The bytes of the next packet, which stays."""
        flags = socket.MSG_DONTWAIT | socket.MSG_PEEK | socket.MSG_TRUNC
        while True:
            try:
                return self._socket.recv_into(bytearray(1), 1, flags)
            except OSError as error:
                if not self._again(error, "receiving a packet", patience):
                    return None

    def _is_end(self) -> bool:
        """Whether nothing means the end, and no empty packet: the peer is gone, and no byte is left of what
        it sent.
        """
        if not is_ready(self._socket.fileno(), select.POLLRDHUP):
            return False
        left = bytearray(4)
        try:
            fcntl.ioctl(self._socket.fileno(), termios.FIONREAD, left)
        except OSError as error:
            raise os_error("asking what is left to receive", error) from error
        return bool(struct.unpack("i", left)[0] == 0)
