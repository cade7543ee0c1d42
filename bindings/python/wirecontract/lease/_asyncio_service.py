"""A service for asyncio, which waits for all its consumers by one file descriptor."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import cast
from weakref import WeakValueDictionary

from wirecontract.handoff import AsyncListener, ChannelClosed, Listener, Peer
from wirecontract.handoff._fd import is_native
from wirecontract.handoff._wait import Limit
from wirecontract.lease._asyncio import AsyncLease, AsyncProducer, AsyncSide
from wirecontract.lease._loop import Waiting, Watched
from wirecontract.lease._notices import Notices
from wirecontract.lease._options import Options
from wirecontract.lease._producer import Lendable, Outstanding, Producer
from wirecontract.lease._service import Service, ServiceEvent


class AsyncService:
    """A `Service` that tasks of one event loop wait for, any number of them at a time: for what happens to
    it, and for its producers and leases. While one of them waits, consumers are accepted, heard and told. Who
    has it closes it, and with it the listener and the channels.
    """

    def __init__(self, listener: Listener | AsyncListener, options: Options | None = None) -> None:
        """A service at a listener, which is closed with it; see `Service`."""
        self._options = Options.of(options)
        given = listener.listener if isinstance(listener, AsyncListener) else listener
        if is_native(given, "Listener"):
            raise TypeError(
                "expected a listener of wirecontract.handoff, of which a service is, found a native one: "
                "AsyncListener.bind(address) makes it"
            )
        self._service = Service(cast(Listener, given), self._options)
        # What `poll` gave and `async for` has not.
        self._events: deque[ServiceEvent] = deque()
        self._polls = Waiting()
        # The consumers of whom something has changed.
        self._notices = Notices()
        self._changed: set[int] = set()
        self._watched = Watched(self._notices.event, self._woken)
        try:
            # Its number is nobody else's, whoever closes the service.
            self._watched.watch(self._service._duplicate())
        except BaseException:
            self._watched.close()
            raise
        self._service._closed_by(self._notices.wake)
        self._producers: WeakValueDictionary[int, _Served] = WeakValueDictionary()
        self._waits = 0
        # When somebody has to be looked at, whatever comes.
        self._timer: asyncio.TimerHandle | None = None

    async def poll(self, within: float | None = None) -> list[ServiceEvent]:
        """Waits until something has happened, no longer than so many seconds; see `Service.poll`. Cancelling
        it loses nothing of what has.
        """
        limit = Limit.of(within)
        while True:
            events = [*self._events, *self._service.poll(0)]
            self._events.clear()
            if events or (limit is not None and limit.is_over):
                return events
            await self.ready(self._polls, limit)

    def __aiter__(self) -> AsyncService:
        return self

    async def __anext__(self) -> ServiceEvent:
        """What happens next, for ever: closing the service ends it (`ChannelClosed`)."""
        if not self._events:
            self._events.extend(await self.poll())
        return self._events.popleft()

    def broadcast(self, lend: Lendable) -> list[tuple[int, AsyncLease | Exception]]:
        """Lends a buffer to each consumer that has joined, without waiting for answers; see
        `Service.broadcast`.
        """
        offered = self._service.broadcast(lend)
        # Of who is gone meanwhile the lease is over, and nobody waits for it.
        return [
            (
                number,
                lease
                if isinstance(lease, Exception)
                else AsyncLease(self._served(number) or AsyncSide(None), lease),
            )
            for number, lease in offered
        ]

    def outstanding(self) -> list[tuple[int, Outstanding]]:
        """The leases of all consumers that are not over."""
        return self._service.outstanding()

    def consumers(self) -> list[tuple[int, Peer]]:
        """The consumers that have joined."""
        return self._service.consumers()

    def producer(self, consumer: int) -> AsyncProducer | None:
        """The side that lends to one consumer; None where it is gone."""
        return self._served(consumer)

    @property
    def service(self) -> Service:
        """The service, for who waits as a thread does."""
        return self._service

    @property
    def listener(self) -> Listener:
        """Where consumers connect."""
        return self._service.listener

    def close(self) -> None:
        """Ends all channels and the listener: tasks that wait find them closed, whichever thread closes
        it.
        """
        try:
            # Whoever waits is woken by that.
            self._service.close()
        finally:
            self._watched.close()

    async def __aenter__(self) -> AsyncService:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<AsyncService {self._service!r}>"

    async def ready(self, waiting: Waiting, limit: Limit | None) -> None:
        """Waits among others until there may be something for them, and does what there is to do."""
        loop = asyncio.get_running_loop()
        if not self._watched.start(loop, False):
            # The next look finds it closed.
            return
        self._waits += 1
        self._set_timer(loop)
        try:
            await waiting.wait(None if limit is None else limit.left)
        finally:
            self._waits -= 1
            if not self._waits:
                self._stop()

    def _served(self, number: int) -> _Served | None:
        producer, served = self._service.producer(number), self._producers.get(number)
        if producer is None:
            return None
        if served is None:
            tell = partial(self._notices.tell, number)
            served = self._producers[number] = _Served(self, producer, self._options, tell)
        return served

    def _woken(self) -> None:
        """Does what there is to do, and wakes those for whom there may be something."""
        try:
            self._service.turn(Limit.of(0))
        except ChannelClosed:
            # Each finds that it is closed, or how its lease has ended.
            self._stop()
            for waiting in self._waiting():
                waiting.wake()
            return
        except Exception as error:
            # It would be tried again at once, and by nobody who is told.
            self._stop()
            for waiting in self._waiting():
                waiting.fail(error)
            return
        self._notices.move(self._changed)
        for number in self._changed:
            served = self._producers.get(number)
            if served is not None:
                served.waiting.wake()
        self._changed.clear()
        if self._service.has_news:
            self._polls.wake()
        self._set_timer(asyncio.get_running_loop())

    def _waiting(self) -> list[Waiting]:
        return [self._polls, *(served.waiting for served in self._producers.values())]

    def _set_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is not None:
            self._timer.cancel()
        late = self._service.deadline
        self._timer = None if late is None else loop.call_later(late, self._woken)

    def _stop(self) -> None:
        """Has the event loop watch nothing."""
        self._watched.stop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class _Served(AsyncProducer):
    """A producer of a service, which waits for it."""

    def __init__(
        self, service: AsyncService, producer: Producer, options: Options, tell: Callable[[], object]
    ) -> None:
        AsyncSide.__init__(self, producer)
        self._service = service
        self._options = options
        producer.link.told_by(tell)

    @property
    def waiting(self) -> Waiting:
        """The tasks that wait for it."""
        return self._waiting

    async def _ready(self, limit: Limit | None) -> None:
        await self._service.ready(self._waiting, limit)
