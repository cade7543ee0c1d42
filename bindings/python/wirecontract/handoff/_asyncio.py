"""Channels and listeners for asyncio: the same calls, waited for by the event loop."""

from __future__ import annotations

import asyncio
import select
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from sys import maxsize
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

from wirecontract.contracts.negotiate import Agreed
from wirecontract.handoff._address import Address
from wirecontract.handoff._arguments import of_type
from wirecontract.handoff._channel import AGAIN, Channel
from wirecontract.handoff._declared import Declared, DeclaredType, Frame, id_of, parts_of
from wirecontract.handoff._errors import Doing, HandoffTimeout, os_error
from wirecontract.handoff._fd import Fd, FileDescriptor, is_native
from wirecontract.handoff._listener import Listener
from wirecontract.handoff._loop import settle, watch
from wirecontract.handoff._options import Expected, Fds, Message, Options, Peer, Received
from wirecontract.handoff._process import PidFd
from wirecontract.handoff._sending import Sent
from wirecontract.handoff._wait import Limit

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from wirecontract._native import Channel as NativeChannel
    from wirecontract._native import Listener as NativeListener

    AnyChannel: TypeAlias = Channel | NativeChannel
    AnyListener: TypeAlias = Listener | NativeListener

_T = TypeVar("_T")


def _duplicate(channel: AnyChannel) -> Fd:
    """What is watched of a channel, which any thread may close: its number is nobody else's, and closing the
    channel shuts it down, which can be read from both.
    """
    number = channel.fileno()
    try:
        duplicate = Fd.duplicate(number)
    except OSError as error:
        # Of one that was closed meanwhile, that is what there is to say.
        channel.fileno()
        raise os_error("watching a channel", error) from error
    try:
        # Whoever closes it says so before its number is another file's, which may be what was duplicated.
        channel.fileno()
    except BaseException:
        duplicate.close()
        raise
    return duplicate


async def _until_ready(number: int, until: Limit | None, writes: bool = False) -> bool:
    """Waits by the event loop until a file descriptor can be read, or written, or is shut down; False when
    the moment is over.
    """
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    stop = watch(loop, number, partial(settle, ready), writes=writes)
    try:
        async with asyncio.timeout(None if until is None else until.left):
            await ready
        return True
    except TimeoutError:
        return False
    finally:
        stop()


def _epoll() -> select.epoll:
    try:
        return select.epoll()
    except OSError as error:
        raise os_error("watching a channel", error) from error


@asynccontextmanager
async def _turn(lock: asyncio.Lock, limit: Limit | None) -> AsyncIterator[None]:
    """Waits for a task's turn, no longer than to the moment, and gives it back at the end."""
    try:
        async with asyncio.timeout(None if limit is None else limit.left):
            await lock.acquire()
    except TimeoutError:
        raise HandoffTimeout(Doing.TURN, limit.after if limit else 0) from None
    try:
        yield
    finally:
        lock.release()


class AsyncChannel:
    """A `Channel` that tasks of an event loop wait for; in each direction one task at a time has it.

    Cancelling `recv` loses nothing: what came stays in the channel, and the next call goes on with it.
    Cancelling `send` never leaves half a message: none of it goes, or the rest is kept and goes with the next
    message or `flush`.

    Who has it closes it, and with it the channel.
    """

    def __init__(self, channel: AnyChannel) -> None:
        """Of a channel, also one of the native library (`wirecontract.Channel`)."""
        if not is_native(channel, "Channel"):
            of_type("a channel", channel, "a Channel", Channel)
        self._channel = channel
        self._sends = asyncio.Lock()
        self._receives = asyncio.Lock()

    @classmethod
    async def connect(cls, address: Address, options: Options | None = None) -> AsyncChannel:
        """Connects to a listener; see `Channel.connect`."""
        return await connected(Channel.try_connect, address, options)

    async def send(self, body: Buffer, fds: Sequence[FileDescriptor] = ()) -> None:
        """Sends a message; see `Channel.send`. The body may not change meanwhile."""
        await self.send_vectored([body], fds)

    async def send_vectored(self, body: Sequence[Buffer], fds: Sequence[FileDescriptor] = ()) -> None:
        """Sends a message whose body is these parts behind each other; `HandoffTimeout` where the peer
        does not take it in time.
        """
        limit = Limit.of(self._channel.options.message_timeout)
        async with _turn(self._sends, limit):
            while True:
                sent = self._channel.try_send_vectored(body, fds)
                if sent is Sent.WHOLE:
                    return
                if sent is Sent.BEGUN:
                    break
                # What has to go before it may be the rest of an earlier message, whose time is over before.
                until = Limit.first(limit, self._channel.send_limit()[1])
                if not await self._ready(until, writes=True):
                    self._channel.try_flush()
                    raise HandoffTimeout(Doing.SENDING, until.after if until else 0)
            await self._flush()

    async def flush(self) -> None:
        """Sends the rest of a message whose sending was cancelled; see `Channel.flush`."""
        async with self._sends:
            await self._flush()

    async def recv(
        self,
        expected: Expected | int,
        within: float | None = None,
        *,
        fds: Fds | None = None,
        repeated: bool = False,
    ) -> Message:
        """Receives a message; see `Channel.recv`."""
        said = Expected.said(expected, fds, repeated=repeated)
        # That of a native channel has the same attributes.
        return cast("Message", await self._recv(lambda: self._channel.try_recv(said), within))

    async def recv_into(
        self,
        buffer: Buffer,
        expected: Expected | int | None = None,
        within: float | None = None,
        *,
        fds: Fds | None = None,
        repeated: bool = False,
    ) -> Received:
        """Receives a message, its body to the beginning of a buffer; see `Channel.recv_into`. Where it is
        cancelled in the middle of a message, what came of the body is kept elsewhere.
        """
        said = Expected.said(maxsize if expected is None else expected, fds, repeated=repeated)
        received = await self._recv(lambda: self._channel.try_recv_into(buffer, said), within)
        return cast("Received", received)

    async def _recv(self, attempt: Callable[[], _T | None], within: float | None) -> _T:
        idle = Limit.of(self._channel.options.idle_timeout)
        call = Limit.of(within)
        if self._channel.owes_hello:
            await self.flush()
        async with _turn(self._receives, Limit.first(call, idle)):
            while True:
                message = attempt()
                if message is not None:
                    return message
                begun, whole = self._channel.recv_limit()
                hello = self._channel.hello_limit()
                until = Limit.first(Limit.first(call, whole if begun else idle), hello)
                ready = await self._ready(until, writes=False)
                # Of a message that has taken too long, and of a hello, the next attempt says so.
                if not ready and until is not None and until not in (whole, hello):
                    raise HandoffTimeout(Doing.WAITING, until.after)

    async def send_declared(self, message: Declared) -> None:
        """Sends a message of a contract; see `Channel.send_declared`. It may not be closed meanwhile."""
        body, fds = parts_of(message)
        await self.send_vectored([body], fds)

    async def recv_declared(
        self, contract: DeclaredType[_T], within: float | None = None, *, repeated: bool = False
    ) -> _T:
        """Receives a message of a contract; see `Channel.recv_declared`."""
        return await self._recv(lambda: self._channel.try_recv_declared(contract, repeated=repeated), within)

    async def send_framed(self, message: Declared) -> None:
        """Sends a message of a contract behind its wire id; see `Channel.send_framed`."""
        body, fds = parts_of(message)
        await self.send_vectored([id_of(message), body], fds)

    async def recv_framed(
        self, contract: DeclaredType[_T], within: float | None = None, *, repeated: bool = False
    ) -> _T:
        """Receives a message of a contract behind its wire id; see `Channel.recv_framed`."""
        return await self._recv(lambda: self._channel.try_recv_framed(contract, repeated=repeated), within)

    async def recv_frame(self, expected: Expected, within: float | None = None) -> Frame:
        """Receives a message behind the wire id of some contract; see `Channel.recv_frame`."""
        return await self._recv(lambda: self._channel.try_recv_frame(expected), within)

    async def agreed(self, contract: type | str, within: float | None = None) -> Agreed:
        """The version of a contract that both sides speak; see `Channel.agreed`. `HandoffTimeout` where no
        hello comes in time.
        """
        idle = Limit.first(Limit.of(self._channel.options.idle_timeout), Limit.of(within))
        if self._channel.owes_hello:
            await self.flush()
        async with _turn(self._receives, idle):
            while True:
                agreed = self._channel.try_agreed(contract)
                if agreed is not None:
                    return agreed
                until = Limit.first(idle, self._channel.recv_limit()[1])
                until = Limit.first(until, self._channel.hello_limit())
                ready = await self._ready(until, writes=False)
                if not ready and until is idle and until is not None:
                    raise HandoffTimeout(Doing.HELLO, until.after)

    async def finish(self) -> None:
        """Says that nothing more will be sent, when all is; see `Channel.finish`."""
        async with self._sends:
            while not self._channel.try_finish():
                await self._ready(self._channel.send_limit()[1], writes=True)

    async def wait_closed(self, within: float | None = None) -> bool:
        """Waits until the peer will send nothing more; see `Channel.wait_closed`. Any number of tasks do."""
        limit = Limit.of(within)
        # What was sent before is there to be received, and an event loop would watch for that.
        with _duplicate(self._channel) as duplicate, _epoll() as closed:
            closed.register(duplicate.fileno(), select.EPOLLRDHUP)
            await _until_ready(closed.fileno(), limit)
            return self._channel.is_closed()

    @property
    def can_receive(self) -> bool:
        """Whether a message may still be received; see `Channel.can_receive`."""
        return self._channel.can_receive

    @property
    def can_send(self) -> bool:
        """Whether a message may still be sent; see `Channel.can_send`."""
        return self._channel.can_send

    @property
    def peer(self) -> Peer:
        """Who is at the other end; see `Channel.peer`."""
        return self._channel.peer

    def peer_process(self) -> PidFd:
        """The process at the other end; see `Channel.peer_process`."""
        return self._channel.peer_process()

    @property
    def channel(self) -> AnyChannel:
        """The channel. While a task waits for this object, it is not to be received from otherwise."""
        return self._channel

    def close(self) -> None:
        """Ends both directions: tasks that wait for it find it closed, whichever thread closes it."""
        self._channel.close()

    async def __aenter__(self) -> AsyncChannel:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    async def _ready(self, until: Limit | None, writes: bool) -> bool:
        """Waits until there may be something for it; False when the moment is over."""
        with _duplicate(self._channel) as duplicate:
            return await _until_ready(duplicate.fileno(), until, writes)

    async def _flush(self) -> None:
        while not self._channel.try_flush():
            await self._ready(self._channel.send_limit()[1], writes=True)


async def connected(
    try_connect: Callable[[Address, Options], AnyChannel | None],
    address: Address,
    options: Options | None = None,
) -> AsyncChannel:
    """A channel that the `try_connect` of its class makes, as soon as it does; see `Channel.connect`. While
    the listener's queue is full it tries again: nothing that can be watched says when it is not.
    """
    options = Options.of(options)
    limit = Limit.of(options.message_timeout)
    while True:
        channel = try_connect(address, options)
        if channel is not None:
            return AsyncChannel(channel)
        if limit is not None and limit.is_over:
            raise HandoffTimeout(Doing.CONNECTING, limit.after)
        await asyncio.sleep(AGAIN)


class AsyncListener:
    """A `Listener` that tasks of an event loop wait for, one at a time. Who has it closes it, and with it the
    listener.
    """

    def __init__(self, listener: AnyListener) -> None:
        """Of a listener, also one of the native library (`wirecontract.Listener`)."""
        if not is_native(listener, "Listener"):
            of_type("a listener", listener, "a Listener", Listener)
        self._listener = listener
        self._accepts = asyncio.Lock()

    @classmethod
    def bind(cls, address: Address, options: Options | None = None) -> AsyncListener:
        """Listens at an address; see `Listener.bind`."""
        return cls(Listener.bind(address, options))

    async def accept(self, within: float | None = None) -> AsyncChannel:
        """Waits for a peer to connect; see `Listener.accept`. `HandoffTimeout` where none does in time.
        Cancelling it loses no peer.
        """
        limit = Limit.of(within)
        async with _turn(self._accepts, limit):
            while True:
                channel = self._listener.try_accept()
                if channel is not None:
                    return AsyncChannel(channel)
                if not await self._wait(limit):
                    raise HandoffTimeout(Doing.ACCEPTING, limit.after if limit else 0)

    async def _wait(self, limit: Limit | None) -> bool:
        """Waits for a peer, or until somebody closes the listener; False when the moment is over."""
        sock, closing = self._listener.watched()
        with sock, closing, _epoll() as either:
            either.register(sock.fileno(), select.EPOLLIN)
            either.register(closing.fileno(), select.EPOLLIN)
            return await _until_ready(either.fileno(), limit)

    def __aiter__(self) -> AsyncListener:
        return self

    async def __anext__(self) -> AsyncChannel:
        """The next peer, for ever: closing the listener ends it as it ends `accept`."""
        return await self.accept()

    @property
    def listener(self) -> AnyListener:
        """The listener."""
        return self._listener

    def close(self) -> None:
        """Ends it: tasks that wait for it find it closed (`ChannelClosed`), whichever thread closes it, and
        likewise where the listener itself is closed.
        """
        self._listener.close()

    async def __aenter__(self) -> AsyncListener:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
