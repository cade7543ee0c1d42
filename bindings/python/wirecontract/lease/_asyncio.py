"""Producers and consumers for asyncio: the same calls, waited for by the event loop."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from wirecontract.contracts.buffer import EndReason, MemoryAfter, OfferRefusal
from wirecontract.handoff import AsyncChannel, Peer
from wirecontract.handoff._fd import is_native
from wirecontract.handoff._wait import Limit
from wirecontract.lease._consumer import Consumer, Event, Held
from wirecontract.lease._errors import End, LeaseError, LeaseTimeout, Lost
from wirecontract.lease._loop import Waiting, Watched
from wirecontract.lease._options import Options
from wirecontract.lease._producer import Lease, Lendable, Outstanding, Producer, State

if TYPE_CHECKING:
    from wirecontract._native import Channel as NativeChannel
    from wirecontract.handoff import Channel

_T = TypeVar("_T")


def _side_of(name: str, pure: type, channel: object, options: Options) -> Any:
    """A side of that channel, of the package that the channel is of."""
    if isinstance(channel, AsyncChannel):
        channel = channel.channel
    if is_native(channel, "Channel"):
        import wirecontract

        return getattr(wirecontract, name)(channel, options)
    return pure(channel, options)


class AsyncSide:
    """A side that any number of tasks of one event loop wait for. What changes wakes them, whoever's call
    finds it: the event loop watches the channel, the process at the other end, and an event that calls of
    other threads and tasks write to.
    """

    def __init__(self, side: Any) -> None:
        self._side = side
        self._waiting = Waiting()
        self._watched: Watched | None = None

    async def ping(self, within: float | None = None) -> None:
        """Asks whether the other side is there, and waits for its answer, no longer than so many seconds.
        `LeaseTimeout`, `Lost`.
        """
        sequence: int = self._side._say_ping()
        await self._wait(lambda seconds: self._side._wait_pong(sequence, seconds), within)

    async def wait_closed(self, within: float | None = None) -> Lost:
        """Waits until the channel ends, no longer than so many seconds, and says how. `LeaseTimeout`."""
        return cast(Lost, await self._wait(self._side.wait_closed, within))

    def poll(self) -> None:
        """Takes what came, without waiting; what is not sent yet is. A task that waits does so as well."""
        self._side.poll()

    @property
    def lost(self) -> Lost | None:
        """How the channel has ended, if it has."""
        return cast("Lost | None", self._side.lost)

    @property
    def peer(self) -> Peer:
        """Who is at the other end, as the kernel noted it."""
        return cast(Peer, self._side.peer)

    def close(self) -> None:
        """Ends the channel, and all leases on it: tasks that wait for it find it closed (`Lost`), whichever
        thread closes it.
        """
        try:
            # Whoever waits is woken by what this changes.
            self._side.close()
        finally:
            if self._watched is not None:
                self._watched.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    async def _wait(self, attempt: Callable[[float], _T], within: float | None) -> _T:
        """What a call gives that waits no time, as soon as it gives anything."""
        limit = Limit.of(within)
        self._forget()
        while True:
            try:
                return attempt(0)
            except LeaseTimeout as error:
                if limit is not None and limit.is_over:
                    raise LeaseTimeout(error.doing, limit.after) from None
            await self._ready(limit)

    def _forget(self) -> None:
        """Forgets what was told while nobody waited: who begins to looks first."""
        if self._watched is not None and not self._waiting:
            self._watched.event.clear()

    async def _ready(self, limit: Limit | None) -> None:
        """Waits until there may be something."""
        if self._watched is None:
            # What changed before is found by another look.
            self._watched = Watched.of(self._side, self._woken)
            return
        watched, left = self._watched, self._side.deadline
        writes = bool(self._side.interest() & selectors.EVENT_WRITE)
        if not watched.start(asyncio.get_running_loop(), writes):
            # The next look finds it closed.
            return
        if limit is not None:
            left = limit.left if left is None else min(left, limit.left)
        try:
            await self._waiting.wait(left)
        finally:
            if not self._waiting:
                watched.stop()

    def _woken(self) -> None:
        # Before anybody looks: what is told behind this wakes again.
        if self._watched is not None:
            self._watched.event.clear()
        self._waiting.wake()


class AsyncLease:
    """A `Lease` that tasks of an event loop wait for. The end of an `async with` ends it where it lasts, as
    `end` does.
    """

    def __init__(self, side: AsyncSide, lease: Lease) -> None:
        self._side = side
        self._lease = lease

    @property
    def lease(self) -> Lease:
        """The lease, for who waits as a thread does."""
        return self._lease

    @property
    def id(self) -> int:
        """Its number on the channel."""
        return self._lease.id

    @property
    def consumer(self) -> Peer:
        """Who has it, as the kernel noted it."""
        return self._lease.consumer

    @property
    def state(self) -> State:
        """How far it is, after a look at what came."""
        return self._lease.state

    @property
    def outcome(self) -> End | OfferRefusal | None:
        """How it is over, if it is; without a look at what came."""
        return self._lease.outcome

    async def wait_taken(self, within: float | None = None) -> None:
        """Waits until the offer is taken; see `Lease.wait_taken`."""
        await self._side._wait(self._lease.wait_taken, within)

    async def wait_released(self, within: float | None = None) -> End:
        """Waits until the lease is over; see `Lease.wait_released`. Cancelling it leaves the lease."""
        return await self._side._wait(self._lease.wait_released, within)

    def try_released(self) -> End | None:
        """How the lease ended; None where it lasts."""
        return self._lease.try_released()

    async def revoke(self, within: float | None = None) -> End:
        """Asks for the buffer back, and waits until it is given back; see `Lease.revoke`. Cancelling it takes
        nothing back: the consumer was asked, and the lease lasts until it answers.
        """
        with suppress(LeaseTimeout):
            return self._lease.revoke(0)
        return await self.wait_released(within)

    def end(self, reason: EndReason = EndReason.REVOKED, memory: MemoryAfter | None = None) -> End:
        """Ends the lease without waiting for the consumer; see `Lease.end`."""
        return self._lease.end(reason, memory)

    async def __aenter__(self) -> AsyncLease:
        return self

    async def __aexit__(self, *_: object) -> None:
        # Of one that was refused, or whose channel is gone, there is nothing to be ended.
        with suppress(LeaseError):
            self._lease.end()

    def __repr__(self) -> str:
        return f"<AsyncLease {self._lease!r}>"


class AsyncProducer(AsyncSide):
    """A `Producer` that tasks of an event loop wait for, any number of them at a time. Who has it closes it,
    and with it the channel.
    """

    def __init__(
        self, channel: Channel | NativeChannel | AsyncChannel, options: Options | None = None
    ) -> None:
        """A side of that channel, also of one of the native library; see `Producer`."""
        self._options = Options.of(options)
        super().__init__(_side_of("Producer", Producer, channel, self._options))

    @property
    def producer(self) -> Producer:
        """The producer, for who waits as a thread does."""
        return cast(Producer, self._side)

    async def offer(self, lend: Lendable) -> AsyncLease:
        """Lends a buffer, and waits until it is taken; see `Producer.offer`. Where it is cancelled, the offer
        is taken back.
        """
        lease = self.offer_without_waiting(lend)
        try:
            await lease.wait_taken(self._options.answer_timeout)
        except LeaseTimeout:
            _take_back(lease, EndReason.TIMED_OUT)
            raise
        except BaseException:
            _take_back(lease, EndReason.REVOKED)
            raise
        return lease

    def offer_without_waiting(self, lend: Lendable) -> AsyncLease:
        """Lends a buffer, and does not wait for an answer; see `Producer.offer_without_waiting`. What the
        kernel does not take at once is sent while a task waits.
        """
        return AsyncLease(self, self._side.offer_without_waiting(lend))

    def outstanding(self) -> list[Outstanding]:
        """The leases that are not over."""
        return cast("list[Outstanding]", self._side.outstanding())


class AsyncConsumer(AsyncSide):
    """A `Consumer` that tasks of an event loop wait for. What it gives never waits, and is given back at the
    end of a plain `with`.
    """

    def __init__(
        self, channel: Channel | NativeChannel | AsyncChannel, options: Options | None = None
    ) -> None:
        """A side of that channel, also of one of the native library; see `Consumer`."""
        super().__init__(_side_of("Consumer", Consumer, channel, Options.of(options)))

    @property
    def consumer(self) -> Consumer:
        """The consumer, for who waits as a thread does."""
        return cast(Consumer, self._side)

    async def next(self, within: float | None = None) -> Held:
        """The next buffer that is offered; see `Consumer.next`. Cancelling it loses none."""
        return cast(Held, await self._wait(self._side.next, within))

    def try_next(self) -> Held | None:
        """The next buffer, if one is offered."""
        return cast("Held | None", self._side.try_next())

    async def next_event(self, within: float | None = None) -> Event:
        """What happened to a buffer that is held; see `Consumer.next_event`. Cancelling it loses none."""
        return cast(Event, await self._wait(self._side.next_event, within))

    def events(self) -> list[Event]:
        """What happened to buffers that are held, since this was asked last."""
        return cast("list[Event]", self._side.events())

    async def wait(self, within: float | None = None) -> None:
        """Waits until there is an offer or an event. `LeaseTimeout`, `Lost`."""
        await self._wait(self._side.wait, within)


def _take_back(lease: AsyncLease, reason: EndReason) -> None:
    with suppress(LeaseError):
        lease.end(reason)
