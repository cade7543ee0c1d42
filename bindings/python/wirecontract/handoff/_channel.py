"""A connected socket on which whole messages go, with their file descriptors."""

from __future__ import annotations

import errno
import select
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from wirecontract.contracts import Code
from wirecontract.contracts.hello import Hello
from wirecontract.contracts.negotiate import Agreed
from wirecontract.handoff._address import Address
from wirecontract.handoff._declared import DeclaredCalls
from wirecontract.handoff._errors import (
    ChannelClosed,
    ChannelTaken,
    ClosedInMessage,
    Doing,
    FdKind,
    HandoffError,
    HandoffTimeout,
    OutOfStep,
    PeerClosed,
    os_error,
)
from wirecontract.handoff._fd import Fd, FileDescriptor, OwnedFd
from wirecontract.handoff._greeting import HELLO, Greeting, agreement
from wirecontract.handoff._maker import Maker
from wirecontract.handoff._open import (
    adopted,
    has_ended,
    is_connected,
    listens,
    peer_of,
    set_send_buffer,
    to_connect,
    unconnected,
)
from wirecontract.handoff._options import Expected, Fds, Message, Options, Peer, Received, Stream
from wirecontract.handoff._process import PidFd
from wirecontract.handoff._receiving import Receiving
from wirecontract.handoff._sending import Outgoing, Sending, Sent
from wirecontract.handoff._wait import Limit, Patience, Turn, is_ready, wait_for
from wirecontract.handoff._words import shown

if TYPE_CHECKING:
    from typing_extensions import Buffer

_T = TypeVar("_T")

AGAIN = 0.005
"""Seconds until a listener whose queue was full is asked again: the kernel tells nobody when it has room."""

_CONNECTED_PACKETS = "a connected Unix socket of packets (SOCK_SEQPACKET)"


class Channel(DeclaredCalls):
    """A connected Unix socket on which whole messages go, each with 0 to 253 file descriptors.

    Threads may share a channel: in each direction one call at a time has it. What a call leaves unfinished,
    because it does not wait or because its time is over, the channel keeps, and the next call goes on with
    it.

    A direction that fails in the middle of a message is out of step: it is shut down, and each later call on
    it is refused (`OutOfStep`). The other direction stays. Packets cannot get out of step. Behind a refusal
    `can_receive` and `can_send` say whether the channel goes on; what a call says of a direction that is over
    is an end (`HandoffError.is_end`), so that a loop which stops there does stop.

    A side of leases (`wirecontract.lease`) has the channel that it is made of: from then on calls on it that
    send or receive are refused (`ChannelTaken`), and closing it closes the side.

    >>> from wirecontract.handoff import Channel, Expected
    >>> producer, consumer = Channel.pair()
    >>> with open("/proc/self/comm", "rb") as file:
    ...     producer.send(b"a file", [file])
    >>> message = consumer.recv(Expected(64, fds=1))
    >>> message.body, len(message.fds)
    (b'a file', 1)
    >>> message.close(); producer.close(); consumer.close()
    """

    def __init__(self, sock: socket.socket, options: Options, *, knows_peer: bool = False) -> None:
        """Of a socket that is known to be a connected one of the framing's kind; it is closed where it is
        refused.
        """
        self._knows_peer = knows_peer
        self._socket = sock
        self._options = options
        self._sending = Sending(sock, options)
        self._receiving = Receiving(sock, options)
        self._maker = Maker("channel")
        self._sends = Turn(self._maker)
        self._receives = Turn(self._maker)
        # Whether this side closes it, of which calls that wait are woken.
        self._closing = False
        # The side that has it, and how that is closed.
        self._holder: tuple[str, Callable[[], None]] | None = None
        try:
            self._peer = peer_of(sock)
            options.peers.admit(self._peer)
            if options.send_buffer is not None:
                set_send_buffer(sock, options.send_buffer)
            self._greeting = Greeting.of(options)
            if self._greeting is not None:
                self._sending.say_first(self._greeting.document())
                self._say_hello()
        except BaseException:
            sock.close()
            raise

    @classmethod
    def pair(cls, options: Options | None = None) -> tuple[Channel, Channel]:
        """Two channels that are connected with each other, whose peer is the process that makes them."""
        options = Options.of(options)
        try:
            one, other = socket.socketpair(socket.AF_UNIX, options.framing.kind | socket.SOCK_NONBLOCK)
        except OSError as error:
            raise os_error("making a pair of sockets", error) from error
        try:
            return cls(one, options), cls(other, options)
        except BaseException:
            one.close()
            other.close()
            raise

    @classmethod
    def connect(cls, address: Address, options: Options | None = None) -> Channel:
        """Connects to a listener, whose process has to belong to whom the options let in. Where the
        listener's queue is full, it waits for `Options.message_timeout`, and raises `HandoffTimeout` then.
        """
        options = Options.of(options)
        limit = Limit.of(options.message_timeout)
        while True:
            channel = cls.try_connect(address, options)
            if channel is not None:
                return channel
            if limit is not None and limit.is_over:
                raise HandoffTimeout(Doing.CONNECTING, limit.after)
            time.sleep(AGAIN)

    @classmethod
    def try_connect(cls, address: Address, options: Options | None = None) -> Channel | None:
        """Connects where the listener's queue is not full, and never waits."""
        options = Options.of(options)
        to, directory = to_connect(address)
        sock = unconnected(options.framing)
        try:
            with directory:
                sock.connect(to)
        except BlockingIOError:
            sock.close()
            return None
        except OSError as error:
            sock.close()
            raise os_error(f"connecting to {shown(address)}", error) from error
        except BaseException:
            sock.close()
            raise
        # Who listened may have ended, and others accept: whom this side meets, nobody knows then.
        return cls(sock, options, knows_peer=not has_ended(sock))

    @classmethod
    def from_fd(cls, fd: OwnedFd, options: Options | None = None) -> Channel:
        """A channel of a socket that was made elsewhere and handed over: inherited, or received. The file
        descriptor, by its number as well, is this call's to close, also where it is refused (`FdKind`,
        `PeerUser`), and where the options are: the channel has a duplicate. What is no file descriptor, such
        as a truth value, is refused (`TypeError`, `ValueError`), and nothing closed.
        """
        with Fd.owning(fd) as given:
            options = Options.of(options)
            stream = isinstance(options.framing, Stream)
            kind = "a connected Unix stream socket" if stream else _CONNECTED_PACKETS
            sock = adopted(given, options.framing, kind)
        try:
            if listens(sock):
                raise FdKind(kind, "a socket that listens")
            if not is_connected(sock):
                raise FdKind(kind, "a socket that is not connected")
        except BaseException:
            sock.close()
            raise
        return cls(sock, options)

    def send(self, body: Buffer, fds: Sequence[FileDescriptor] = ()) -> None:
        """Sends a message, and returns when all of it is with the kernel. The file descriptors stay the
        caller's; the peer gets duplicates.

        `TooManyFds`, `TooLargeToSend` and `EmptyPacket` before anything is sent; `HandoffTimeout`,
        `PeerClosed`, `ClosedInMessage`, `FdsInFlight`; `HelloRefused` where the peer's hello has come, and
        was refused.
        """
        self.send_vectored([body], fds)

    def send_vectored(self, body: Sequence[Buffer], fds: Sequence[FileDescriptor] = ()) -> None:
        """Sends a message whose body is these parts behind each other; they are not copied, but where a
        packet has more than 1023 of them.
        """
        self._check_welcome()
        message = Outgoing.of(self._options.framing, body, fds)
        with self._sends.take(Limit.of(self._options.message_timeout)), self._open():
            self._sending.send(message)

    def try_send(self, body: Buffer, fds: Sequence[FileDescriptor] = ()) -> Sent:
        """Sends what the kernel takes of a message without waiting, and says how far it is. Bytes that are
        still to go are copied.
        """
        return self.try_send_vectored([body], fds)

    def try_send_vectored(self, body: Sequence[Buffer], fds: Sequence[FileDescriptor] = ()) -> Sent:
        """The same with a body of several parts."""
        self._check_welcome()
        message = Outgoing.of(self._options.framing, body, fds)
        with self._sends.try_take() as taken:
            if not taken:
                return Sent.NOT_YET
            with self._open():
                return self._sending.try_send(message)

    def flush(self) -> None:
        """Sends the rest of a message that was begun by `try_send`, as long as that may take."""
        with self._sends.take(Limit.of(self._options.message_timeout)), self._open():
            self._sending.flush(wait=True)

    def try_flush(self) -> bool:
        """Sends of that rest what the kernel takes without waiting; whether nothing is left."""
        with self._sends.try_take() as taken:
            if not taken:
                return False
            with self._open():
                return self._sending.flush(wait=False)

    def recv(
        self,
        expected: Expected | int,
        within: float | None = None,
        *,
        fds: Fds | None = None,
        repeated: bool = False,
    ) -> Message:
        """Receives a message: as an `Expected` says, or of at most so many bytes, and with `fds` file
        descriptors; `repeated` lets one open file come more than once. It waits as long as the channel's
        options let that take, and no longer than `within` seconds in all. Where only that time is over, what
        came of the message stays, and a later call goes on with it.

        `PeerClosed` where the peer closed between two messages, and `ClosedInMessage` where it did so in the
        middle of one. `HandoffTimeout`, `TooLarge`, `FdCount`, `FdsMisplaced`, `FdsRepeated`, `FdsLost`,
        `HelloRefused`. File descriptors that had come with what is refused are closed. No more than 64 KiB is
        allocated for bytes that have not come, or as much again as has.
        """
        said = Expected.said(expected, fds, repeated=repeated)
        return self._await(partial(self._receiving.receive, said), within)

    def recv_into(
        self,
        buffer: Buffer,
        expected: Expected | int | None = None,
        within: float | None = None,
        *,
        fds: Fds | None = None,
        repeated: bool = False,
    ) -> Received:
        """Receives a message, its body to the beginning of a buffer, which bounds it beside `expected`;
        otherwise as `recv`. What is in the buffer behind the body, or after a refusal, is anything.
        """
        with writable(buffer) as place:
            said = Expected.said(len(place) if expected is None else expected, fds, repeated=repeated)
            return self._await(partial(self._receiving.receive_into, place, said), within)

    def try_recv_into(
        self,
        buffer: Buffer,
        expected: Expected | int | None = None,
        *,
        fds: Fds | None = None,
        repeated: bool = False,
    ) -> Received | None:
        """The same where the message is there; None where it is not, or not whole: what came of it stays."""
        with writable(buffer) as place:
            said = Expected.said(len(place) if expected is None else expected, fds, repeated=repeated)
            return self._attempt(partial(self._receiving.receive_into, place, said))

    def try_recv(
        self, expected: Expected | int, *, fds: Fds | None = None, repeated: bool = False
    ) -> Message | None:
        """Receives a message if it is there; None where it is not, or not whole: what came of it stays."""
        said = Expected.said(expected, fds, repeated=repeated)
        return self._attempt(partial(self._receiving.receive, said))

    def agreed(self, contract: type | str, within: float | None = None) -> Agreed:
        """The version of a contract that both sides speak, by their hellos: the highest that both list with
        the same wire id. The contract is a class, or the name that hellos have for it. It waits for the
        peer's hello, no longer than `within` seconds.

        `HelloRefused` where the peer does not speak it, or this side does not say so (`Options.speaks`,
        `Options.may_speak`).
        """
        if self._greeting is None:
            nothing = Hello(format=1, speaks=[])
            return agreement(nothing, nothing, contract)
        agreed = self._greeting.agreed(contract)
        if agreed is None:
            patience = Patience(self._options, waits=True, within=within)
            with self._receives.take(patience.turn), self._open():
                self._greet(patience, waits=True)
            agreed = self._greeting.agreed(contract)
        if agreed is None:
            raise AssertionError("a call that waits has a hello or an error")
        return agreed

    def try_agreed(self, contract: type | str) -> Agreed | None:
        """The same where the peer's hello is there; None where it has not come."""
        if self._greeting is None:
            return self.agreed(contract)
        with self._receives.try_take() as taken:
            if taken:
                with self._open():
                    self._greet(Patience(self._options, waits=False), waits=False)
        return self._greeting.agreed(contract)

    def recv_limit(self) -> tuple[bool, Limit | None]:
        """Whether a message has begun to come, and until when it has to be whole."""
        begun = self._receiving.has_begun
        return begun, self._receiving.limit if begun else None

    def send_limit(self) -> tuple[bool, Limit | None]:
        """Whether a message that was begun is still to be sent, for which the channel has to be writable, and
        until when.
        """
        return self._sending.has_rest, self._sending.limit

    @property
    def can_receive(self) -> bool:
        """Whether a message may still be received, as the calls that are over left it: not where one of them
        received the end, or left the direction in the middle of a message; not where the peer's hello was
        refused, this side closed the channel or shut it down, a side of leases has it, or this is a fork of
        the process that made it. What the peer does meanwhile, the next call says.
        """
        return self._goes_on(self._receiving, self._receives)

    @property
    def can_send(self) -> bool:
        """Whether a message may still be sent, likewise: not where a call found that the peer receives
        nothing more, or left the direction in the middle of a message, and not behind `finish`.
        """
        return self._goes_on(self._sending, self._sends)

    def is_closed(self) -> bool:
        """Whether the peer will send nothing more. Messages that it sent before may still be there."""
        return is_ready(self.fileno(), select.POLLRDHUP)

    def wait_closed(self, within: float | None = None) -> bool:
        """Waits until the peer will send nothing more, whatever is there to be received; False where it may
        still, after so many seconds.
        """
        closed = wait_for(self.fileno(), select.POLLRDHUP, Limit.of(within))
        # Where this side closed it meanwhile, nothing is known of the peer.
        self.fileno()
        return closed

    def finish(self) -> None:
        """Says that nothing more will be sent: the peer receives what was sent, and then the end."""
        with self._sends.take(Limit.of(self._options.message_timeout)), self._open():
            self._sending.flush(wait=True)
            self._end_sending()

    def try_finish(self) -> bool:
        """The same where nothing is left to be sent, or the kernel takes it without waiting; whether it was
        said.
        """
        with self._sends.try_take() as taken:
            if not taken:
                return False
            with self._open():
                if not self._sending.flush(wait=False):
                    return False
                self._end_sending()
                return True

    def shutdown(self) -> None:
        """Ends both directions. A call that waits on this channel in another thread ends as if the peer had
        closed it.
        """
        self._maker.check()
        self._check_holder()
        self._end()

    def _end(self) -> None:
        self._sending.end()
        self._receiving.end()
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError as error:
            if error.errno not in (errno.ENOTCONN, errno.EBADF):
                raise os_error("shutting down a channel", error) from error

    def close(self) -> None:
        """Ends both directions, and closes the socket when no other thread's call has it any more: such a
        call, woken, finds that this side closed it (`ChannelClosed`). In a forked child it only closes the
        socket: the parent's channel goes on. Of a channel that a side of leases has it closes that side.
        """
        if self._holder is not None:
            self._holder[1]()
            return
        if not self._maker.is_here:
            self._drop()
            return
        self._closing = True
        self._end()
        with self._sends.take(None), self._receives.take(None):
            self._drop()

    def taken_by(self, side: str, close: Callable[[], None]) -> Channel:
        """The channel as that side has it, which is closed by `close`: calls on this object that send or
        receive are refused from then on (`ChannelTaken`), also by a second side. What is unfinished in either
        direction goes on there. `HandoffTimeout` where another thread's call keeps it for too long.
        """
        limit = Limit.of(self._options.message_timeout)
        with self._sends.take(limit), self._receives.take(limit):
            self.fileno()
            self._check_holder()
            held = Channel.__new__(Channel)
            vars(held).update(vars(self))
            # Calls that are refused wait for nobody's turn.
            self._sends, self._receives = Turn(self._maker), Turn(self._maker)
            self._holder = (side, close)
            return held

    def take_again(self, held: Channel) -> None:
        """Has it as before, where the side could not be made."""
        vars(self).update(vars(held))

    def detach(self) -> Fd:
        """The socket, where no message is unfinished in either direction; the channel is closed then."""
        with self._sends.take(None), self._receives.take(None):
            self.fileno()
            self._check_holder()
            if self._greeting is not None and not self._greeting.is_heard:
                raise OutOfStep("give its socket away, whose hello is to come, and receive", Code.BUSY)
            if self._sending.has_rest:
                raise OutOfStep("give its socket away and send", Code.BUSY)
            if self._receiving.has_begun:
                raise OutOfStep("give its socket away and receive", Code.BUSY)
            fd = Fd.duplicate(self._socket)
            self._socket.close()
            return fd

    def hello_limit(self) -> Limit | None:
        """Until when the peer's hello has to come, where it has not."""
        return None if self._greeting is None or self._greeting.is_heard else self._greeting.until

    @property
    def owes_hello(self) -> bool:
        """Whether the peer's hello has not come, and ours is not sent, for which the channel has to be
        writable.
        """
        return self._greeting is not None and not self._greeting.is_heard and self._sending.has_rest

    @property
    def closed(self) -> bool:
        """Whether this side closed it."""
        return self._socket.fileno() < 0

    @property
    def peer(self) -> Peer:
        """Who is at the other end, as the kernel noted it."""
        return self._peer

    @property
    def knows_peer(self) -> bool:
        """Whether `peer` is who has the other end: this side accepted the channel, or connected to a process
        that ran. Of a pair, and of a socket that was handed over, the kernel knows who made it.
        """
        return self._knows_peer

    @property
    def options(self) -> Options:
        """How it frames and waits."""
        return self._options

    def peer_process(self) -> PidFd:
        """The process at the other end, by a handle that stays its own. `NoPidFd` before Linux 6.5, and
        `ProcessEnded` where the kernel makes no handle of a process that has.
        """
        return PidFd.of_peer(self._socket)

    def fileno(self) -> int:
        """The socket's number, to poll it."""
        number = self._socket.fileno()
        if number < 0 or self._closing:
            raise ChannelClosed
        return number

    @contextmanager
    def _open(self) -> Iterator[None]:
        """For a call that sends or receives. What it finds while this side closes the channel is this side's
        doing.
        """
        self.fileno()
        self._check_holder()
        try:
            yield
        except (PeerClosed, ClosedInMessage, OutOfStep):
            if self._closing:
                raise ChannelClosed from None
            raise

    def _check_holder(self) -> None:
        """Refuses what a side of leases has."""
        if self._holder is not None:
            raise ChannelTaken(self._holder[0])

    def _await(self, receive: Callable[[Patience], _T | None], within: float | None) -> _T:
        """Receives when it is this call's turn, as long as it may wait."""
        patience = Patience(self._options, waits=True, within=within)
        with self._receives.take(patience.turn), self._open():
            self._greet(patience, waits=True)
            received = receive(patience)
        if received is None:
            raise AssertionError("a call that waits has a message or an error")
        return received

    def _attempt(self, receive: Callable[[Patience], _T | None]) -> _T | None:
        """Receives where that needs no waiting, neither for the peer nor for another call."""
        with self._receives.try_take() as taken:
            if not taken:
                return None
            with self._open():
                patience = Patience(self._options, waits=False)
                return receive(patience) if self._greet(patience, waits=False) else None

    def _greet(self, patience: Patience, waits: bool) -> bool:
        """Whether the hellos are said, or there are none: then messages follow. It waits for the peer's where
        the caller does, and sees to it that ours goes out meanwhile.
        """
        if self._greeting is None or self._greeting.is_heard:
            return True
        while True:
            owes = self._say_hello()
            message = self._receiving.receive(HELLO, Patience(self._options, waits=False))
            if message is not None:
                self._greeting.hear(message.body)
                return True
            late = self._greeting.until
            if late is not None and late.is_over:
                raise HandoffTimeout(Doing.HELLO, late.after)
            if not waits:
                return False
            call = patience.turn
            until = Limit.first(Limit.first(call, late), self.recv_limit()[1])
            ready = wait_for(self.fileno(), select.POLLIN | (select.POLLOUT if owes else 0), until)
            # Of a hello that has begun, and of one that is late, the next look says so.
            if not ready and call is not None and call.is_over:
                raise HandoffTimeout(Doing.HELLO, call.after)

    def _say_hello(self) -> bool:
        """Sends of our hello what the kernel takes; whether some is left."""
        with self._sends.try_take() as taken:
            # Who sends has it go first.
            if not taken:
                return False
            try:
                return not self._sending.flush(wait=False)
            except HandoffError as error:
                # A peer that takes nothing more may have said its own.
                if error.code is not Code.PEER_CLOSED:
                    raise
                return False

    def _goes_on(self, direction: Sending | Receiving, turn: Turn) -> bool:
        """Whether a direction of the channel does."""
        if not self._maker.is_here or self.closed or self._holder is not None or direction.has_ended:
            return False
        if self._greeting is not None and self._greeting.is_refused:
            return False
        if direction.is_amid:
            # Another thread's call is none that is over; without one, an exception ended it there.
            with turn.try_take() as taken:
                return not taken or direction.goes_on
        return True

    def _drop(self) -> None:
        """Closes all that it has."""
        self._sending.close()
        self._receiving.close()
        self._socket.close()

    def _end_sending(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError as error:
            raise os_error("shutting down a channel's sending side", error) from error
        self._sending.end()

    def _check_welcome(self) -> None:
        """Refuses to send to a peer whose hello was refused."""
        if self._greeting is not None:
            _ = self._greeting.is_heard

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Channel fd={self._socket.fileno()} {self._options.framing} {self._peer}>"


def writable(buffer: Buffer) -> memoryview:
    """The bytes of a buffer that may be written."""
    view = memoryview(buffer)
    if view.readonly:
        raise TypeError(f"expected a buffer that may be written, found a {type(buffer).__name__} for reading")
    return view.cast("B") if view.nbytes else memoryview(bytearray())
