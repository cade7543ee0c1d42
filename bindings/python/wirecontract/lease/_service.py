"""The side that lends to many, over one listener."""

from __future__ import annotations

import select
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import TypeAlias

from wirecontract.contracts import WireError
from wirecontract.handoff import Channel, ChannelClosed, CodedError, Fd, HandoffOSError, Listener, Peer
from wirecontract.handoff._arguments import of_type
from wirecontract.handoff._coded import without_frames
from wirecontract.handoff._errors import os_error
from wirecontract.handoff._maker import Maker
from wirecontract.handoff._wait import Limit
from wirecontract.lease._errors import Lost, TooManyConsumers
from wirecontract.lease._notices import Deadlines, Notices
from wirecontract.lease._options import Options
from wirecontract.lease._producer import Lease, Lend, Lendable, Outstanding, Producer, lend_of, take_back
from wirecontract.lease._watch import Watched

_AT_ONCE = 64
"""How many peers are accepted before those that are there have their turn."""

_REST = 0.05
"""Seconds that a listener rests that has no file descriptor for who connects."""

_LONGEST = 86400.0


@dataclass(frozen=True, slots=True)
class Joined:
    """A consumer is there, and speaks what this side does."""

    consumer: int
    """Its number, which is never another's."""
    peer: Peer
    """Who it is, as the kernel noted it."""


@dataclass(frozen=True, slots=True)
class Left:
    """A consumer is gone, and all its leases are over."""

    consumer: int
    """Its number."""
    lost: Lost
    """How."""


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """Somebody connected and was not let in, or said no hello that this side understands."""

    because: Exception
    """Why."""


ServiceEvent: TypeAlias = "Joined | Left | TurnedAway"
"""What happened to a service."""


@dataclass(slots=True)
class _Served:
    number: int
    producer: Producer
    watched: Watched
    joined: bool = False

    def offer(self, lend: Lend, made: list[Lease]) -> Lease | Exception:
        """The lease, which is at the end of the list as well, or why there is none."""
        try:
            self.producer.offer_into(made, lend)
            return made[-1]
        except (CodedError, WireError) as error:
            return without_frames(error)


@dataclass(slots=True)
class _State:
    next: int = 0
    consumers: dict[int, _Served] = field(default_factory=dict)
    late: Deadlines = field(default_factory=Deadlines)
    """Until when each has to be looked at of whom that is known."""
    events: list[ServiceEvent] = field(default_factory=list)
    """What happened, and `poll` has not told."""
    rests: Limit | None = None
    """Until when nobody is accepted."""


class Service:
    """Lends buffers to all consumers that connect to a listener, without a thread of its own.

    It is driven by `poll`, in a thread or in a loop that polls its file descriptor. Each consumer has a
    `Producer`: one that misbehaves or dies ends its own leases alone, and one that says nothing is waited for
    by nobody. Who has it closes it, and with it the listener and all channels.
    """

    def __init__(self, listener: Listener, options: Options | None = None) -> None:
        """A service at a listener, which is closed with it. Consumers that connect are accepted by `poll`."""
        self._listener = of_type("a listener", listener, "a Listener", Listener)
        self._options = Options.of(options)
        self._state = _State()
        self._maker = Maker("service")
        self._lock = Lock()
        # One call at a time notes, so that what is noted last is what was so last.
        self._noting = Lock()
        # The consumers of whom there is news that is not noted.
        self._news: set[int] = set()
        # How many threads' calls are in `turn`, of which the last one closes what it waits for.
        self._turns = 0
        self._closed = False
        # Told that it is closed.
        self._told: list[Callable[[], object]] = []
        # The consumer of each file descriptor that is watched.
        self._numbers: dict[int, int] = {}
        self._notices = Notices()
        try:
            self._watch = select.epoll()
            self._watch.register(listener.fileno(), select.EPOLLIN)
            self._watch.register(self._notices.fileno(), select.EPOLLIN)
        except OSError as error:
            raise os_error("watching channels", error) from error

    def poll(self, within: float | None = None) -> list[ServiceEvent]:
        """Waits until something has happened, no longer than so many seconds, and does what there is to do:
        accepts, hears and sends. What happened is empty where the time is over. What is wrong with a consumer
        is an event. `ChannelClosed` where the service is closed, meanwhile among it.
        """
        self._maker.check()
        self._check_open()
        limit = Limit.of(within)
        while not self._state.events:
            self.turn(Limit.first(limit, self._until()))
            if limit is not None and limit.is_over:
                break
        with self._lock:
            events, self._state.events = self._state.events, []
        return events

    @property
    def deadline(self) -> float | None:
        """The seconds until `poll` has something to do though the file descriptor is not readable: a consumer
        is too slow by then.
        """
        until = self._until()
        return None if until is None else until.left

    def broadcast(self, lend: Lendable) -> list[tuple[int, Lease | Exception]]:
        """Lends a buffer to each consumer that has joined, without waiting for answers. For each the lease,
        or why there is none; the others have theirs all the same. Where an exception ends it, such as Ctrl-C,
        all of them are taken back.
        """
        lent = lend_of(lend)
        offered: list[tuple[int, Lease | Exception]] = []
        made: list[Lease] = []
        try:
            for served in self._joined():
                offered.append((served.number, served.offer(lent, made)))
            return offered
        except BaseException:
            take_back(made)
            raise

    def outstanding(self) -> list[tuple[int, Outstanding]]:
        """The leases of all consumers that are not over."""
        return [
            (served.number, lease) for served in self._joined() for lease in served.producer.outstanding()
        ]

    def consumers(self) -> list[tuple[int, Peer]]:
        """The consumers that have joined."""
        return [(served.number, served.producer.peer) for served in self._joined()]

    def producer(self, consumer: int) -> Producer | None:
        """The side that lends to one consumer; None where it is gone."""
        self._maker.check()
        with self._lock:
            served = self._state.consumers.get(consumer)
        return None if served is None else served.producer

    @property
    def listener(self) -> Listener:
        """Where consumers connect."""
        return self._listener

    def fileno(self) -> int:
        """To poll it: readable when `poll` has something to do."""
        self._check_open()
        return self._watch.fileno()

    def _duplicate(self) -> Fd:
        """The same as a file descriptor of the caller's own, which stays one whoever closes the service."""
        with self._lock:
            try:
                return Fd.duplicate(self.fileno())
            except OSError as error:
                raise os_error("watching channels", error) from error

    def _closed_by(self, tell: Callable[[], object]) -> None:
        """Has something be called when the service is closed, by the thread that closes it."""
        self._told.append(tell)

    def close(self) -> None:
        """Ends all channels, of which consumers find that they were closed, and the listener. A call of
        `poll` that waits in another thread is woken (`ChannelClosed`). In a forked child it closes their file
        descriptors alone.
        """
        if not self._maker.is_here:
            # A thread that has the lock is the parent's.
            for one in self._state.consumers.values():
                one.producer.close()
            self._listener.close()
            self._drop()
            return
        with self._lock:
            served = list(self._state.consumers.values())
            self._state.consumers.clear()
            self._closed = True
        for one in served:
            one.producer.close()
        self._listener.close()
        for tell in self._told:
            tell()
        with self._lock:
            if self._turns:
                # The last one closes what it waits for.
                self._notices.wake()
            else:
                self._drop()

    def _drop(self) -> None:
        self._watch.close()
        self._notices.close()

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Service {self._listener!r} consumers={len(self._state.consumers)}>"

    def turn(self, until: Limit | None) -> None:
        """Waits until somebody has something to do, and does it; `poll` tells what happened."""
        try:
            self._turn(until)
        except BaseException:
            # What is known and not told is there for the next call.
            self._notices.wake()
            raise

    @property
    def has_news(self) -> bool:
        """Whether `poll` has something to tell."""
        return bool(self._state.events)

    def _turn(self, until: Limit | None) -> None:
        with self._lock:
            self._check_open()
            self._turns += 1
        try:
            self._see(until)
        finally:
            with self._lock:
                self._turns -= 1
                if self._closed and not self._turns:
                    self._drop()

    def _see(self, until: Limit | None) -> None:
        for fd, _ in self._watch.poll(-1.0 if until is None else min(until.left, _LONGEST)):
            self._check_open()
            if fd == self._listener.fileno():
                self._accept()
            # What wakes is looked at in any case, and of who has left meanwhile there is nothing to hear.
            elif (number := self._numbers.get(fd)) is not None:
                self._hear(number)
        self._hurry()
        self._note()

    def _hear(self, number: int) -> None:
        """Looks at one of whom something has come."""
        # Outside of the lock: what is dropped with a lease may call this service.
        producer = self.producer(number)
        if producer is not None:
            producer.poll()

    def _accept(self) -> None:
        """Lets in who connected."""
        for _ in range(_AT_ONCE):
            try:
                channel = self._listener.try_accept()
                if channel is None:
                    return
                self._admit(channel)
            except CodedError as error:
                self._happened(TurnedAway(without_frames(error)))
                # The next one would be refused at once, and again.
                if isinstance(error, HandoffOSError) and self._listen(False):
                    with self._lock:
                        self._state.rests = Limit.of(_REST)
                    return

    def _admit(self, channel: Channel) -> None:
        with self._lock:
            is_full = len(self._state.consumers) >= self._options.most_consumers
        if is_full:
            channel.close()
            raise TooManyConsumers(self._options.most_consumers)
        try:
            producer = Producer(channel, self._options)
        except BaseException:
            channel.close()
            raise
        with self._lock:
            number, self._state.next = self._state.next, self._state.next + 1
        try:
            watched = Watched(self._watch, self._numbers, producer, number)
            producer.link.served_by(partial(self._notices.tell, number), watched.leave)
        except BaseException:
            producer.close()
            raise
        with self._lock:
            self._state.consumers[number] = _Served(number, producer, watched)
        # The hello goes out.
        producer.poll()

    def _listen(self, listens: bool) -> bool:
        """Watches the listener, or has it rest; whether that could be."""
        try:
            self._watch.modify(self._listener.fileno(), select.EPOLLIN if listens else 0)
        except OSError:
            return False
        return True

    def _happened(self, event: ServiceEvent) -> None:
        with self._lock:
            self._state.events.append(event)

    def _hurry(self) -> None:
        """Looks at those whose time is over, and has the listener watched again that has rested."""
        with self._lock:
            if self._state.rests is not None and self._state.rests.is_over:
                # Where that cannot be, it rests again.
                self._state.rests = None if self._listen(True) else Limit.of(_REST)
            late = self._state.late.over()
        for number in late:
            self._hear(number)

    def _note(self) -> None:
        """Notes of whom there is news, who joined and who left among them."""
        with self._noting:
            self._notices.move(self._news)
            for number in sorted(self._news):
                with self._lock:
                    served = self._state.consumers.get(number)
                if served is not None:
                    self._note_of(served)
                self._news.discard(number)

    def _note_of(self, served: _Served) -> None:
        standing = served.producer.link.standing()
        with self._lock:
            self._state.late.set(served.number, standing.until)
            if standing.greeted and not served.joined:
                self._state.events.append(Joined(served.number, served.producer.peer))
                served.joined = True
        if standing.lost is not None:
            self._part(served, standing.lost)
            return
        try:
            served.watched.want(standing.writes)
        except HandoffOSError as error:
            # Who cannot be watched would be forgotten. That is news, and noted with the next.
            served.producer.link.fail(without_frames(error))

    def _part(self, served: _Served, lost: Lost) -> None:
        """Has nothing more of who is gone."""
        served.producer.close()
        with self._lock:
            # Another thread may have closed the service.
            if served.number in self._state.consumers:
                event = Left(served.number, lost) if served.joined else TurnedAway(lost)
                self._state.events.append(event)
                del self._state.consumers[served.number]
            self._state.late.set(served.number, None)

    def _check_open(self) -> None:
        if self._closed:
            raise ChannelClosed

    def _joined(self) -> list[_Served]:
        self._maker.check()
        with self._lock:
            return [served for served in self._state.consumers.values() if served.joined]

    def _until(self) -> Limit | None:
        """Until when somebody has to be looked at."""
        self._maker.check()
        with self._lock:
            return Limit.first(self._state.rests, self._state.late.first())
