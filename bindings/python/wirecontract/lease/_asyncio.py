"""Producers and consumers for asyncio: the same calls, waited for by the event loop."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from wirecontract.contracts.buffer import EndReason
from wirecontract.handoff import AsyncChannel
from wirecontract.handoff._fd import is_native
from wirecontract.handoff._maker import Maker
from wirecontract.handoff._wait import Limit
from wirecontract.lease._consumer import Consumer, Event, Held
from wirecontract.lease._errors import End, LeaseError, LeaseTimeout, Lost
from wirecontract.lease._options import Options
from wirecontract.lease._producer import Lease, Lendable, Producer

if TYPE_CHECKING:
    from wirecontract._native import Channel as NativeChannel
    from wirecontract.handoff import Channel

_T = TypeVar("_T")

_LOOK = 0.05
"""The most seconds between two looks: what a call on a lease heard, or a process that ended while another has
its socket, is not seen at the file descriptor.
"""


def _side_of(name: str, pure: type, channel: object, options: Options) -> Any:
    """A side of that channel, of the package that the channel is of."""
    if isinstance(channel, AsyncChannel):
        channel = channel.channel
    if is_native(channel, "Channel"):
        import wirecontract

        return getattr(wirecontract, name)(channel, options)
    return pure(channel, options)


class _AsyncSide:
    """A side that any number of tasks of one event loop wait for."""

    def __init__(self, side: Any) -> None:
        self._side = side
        self._maker = Maker("channel")
        self._waiting: set[asyncio.Future[None]] = set()
        self._stop: Callable[[], object] | None = None

    async def wait_closed(self, within: float | None = None) -> Lost:
        """Waits until the channel ends, no longer than so many seconds, and says how. `LeaseTimeout`."""
        return cast(Lost, await self._wait(self._side.wait_closed, within))

    @property
    def lost(self) -> Lost | None:
        """How the channel has ended, if it has."""
        return cast("Lost | None", self._side.lost)

    def close(self) -> None:
        """Ends the channel, and all leases on it: tasks that wait for it find it closed (`Lost`)."""
        if self._maker.is_here:
            self._wake()
        self._side.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    async def _wait(self, attempt: Callable[[float], _T], within: float | None) -> _T:
        """What a call gives that waits no time, as soon as it gives anything."""
        limit = Limit.of(within)
        while True:
            try:
                found = attempt(0)
            except LeaseTimeout as error:
                if limit is not None and limit.is_over:
                    raise LeaseTimeout(error.doing, limit.after) from None
            else:
                # What came with it may be another task's.
                self._wake()
                return found
            await self._ready(limit)

    async def _ready(self, limit: Limit | None) -> None:
        loop = asyncio.get_running_loop()
        self._watch(loop)
        ready: asyncio.Future[None] = loop.create_future()
        self._waiting.add(ready)
        left = [_LOOK, None if limit is None else limit.left, self._side.deadline]
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(min(seconds for seconds in left if seconds is not None)):
                    await ready
        finally:
            self._waiting.discard(ready)
            if not self._waiting:
                self._unwatch()

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Has the event loop look at the file descriptor, of which it keeps one callback."""
        self._unwatch()
        number = self._side.fileno()
        writes = bool(self._side.interest() & selectors.EVENT_WRITE)
        loop.add_reader(number, self._wake)
        if writes:
            loop.add_writer(number, self._wake)

        def stop() -> None:
            loop.remove_reader(number)
            if writes:
                loop.remove_writer(number)

        self._stop = stop

    def _unwatch(self) -> None:
        stop, self._stop = self._stop, None
        if stop is not None:
            stop()

    def _wake(self) -> None:
        self._unwatch()
        for ready in self._waiting:
            if not ready.done():
                ready.set_result(None)


class AsyncLease:
    """A `Lease` that tasks of an event loop wait for."""

    def __init__(self, side: _AsyncSide, lease: Lease) -> None:
        self._side = side
        self._lease = lease

    @property
    def lease(self) -> Lease:
        """The lease, for what does not wait."""
        return self._lease

    async def wait_taken(self, within: float | None = None) -> None:
        """Waits until the offer is taken; see `Lease.wait_taken`."""
        await self._side._wait(self._lease.wait_taken, within)

    async def wait_released(self, within: float | None = None) -> End:
        """Waits until the lease is over; see `Lease.wait_released`. Cancelling it leaves the lease."""
        return await self._side._wait(self._lease.wait_released, within)

    async def revoke(self, within: float | None = None) -> End:
        """Asks for the buffer back, and waits until it is given back; see `Lease.revoke`."""
        with suppress(LeaseTimeout):
            return self._lease.revoke(0)
        return await self.wait_released(within)


class AsyncProducer(_AsyncSide):
    """A `Producer` that tasks of an event loop wait for, any number of them at a time. Who has it closes it,
    and with it the channel.
    """

    def __init__(
        self, channel: Channel | NativeChannel | AsyncChannel, options: Options | None = None
    ) -> None:
        """A side of that channel, also of one of the native library; see `Producer`."""
        self._options = Options.of(options)
        super().__init__(_side_of("Producer", Producer, channel, self._options))

    async def offer(self, lend: Lendable) -> AsyncLease:
        """Lends a buffer, and waits until it is taken; see `Producer.offer`. Where it is cancelled, the offer
        is taken back.
        """
        lease: Lease = self._side.offer_without_waiting(lend)
        try:
            await self._wait(lease.wait_taken, self._options.answer_timeout)
        except LeaseTimeout:
            _take_back(lease, EndReason.TIMED_OUT)
            raise
        except BaseException:
            _take_back(lease, EndReason.REVOKED)
            raise
        return AsyncLease(self, lease)


class AsyncConsumer(_AsyncSide):
    """A `Consumer` that tasks of an event loop wait for. What it gives never waits, and is given back at the
    end of a plain `with`.
    """

    def __init__(
        self, channel: Channel | NativeChannel | AsyncChannel, options: Options | None = None
    ) -> None:
        """A side of that channel, also of one of the native library; see `Consumer`."""
        super().__init__(_side_of("Consumer", Consumer, channel, Options.of(options)))

    async def next(self, within: float | None = None) -> Held:
        """The next buffer that is offered; see `Consumer.next`. Cancelling it loses none."""
        return cast(Held, await self._wait(self._side.next, within))

    async def next_event(self, within: float | None = None) -> Event:
        """What happened to a buffer that is held; see `Consumer.next_event`."""
        return cast(Event, await self._wait(self._side.next_event, within))


def _take_back(lease: Lease, reason: EndReason) -> None:
    with suppress(LeaseError):
        lease.end(reason)
