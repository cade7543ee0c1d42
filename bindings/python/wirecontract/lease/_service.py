"""The side that lends to many, over one listener."""

from __future__ import annotations

import os
import select
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeAlias

from wirecontract.contracts import WireError
from wirecontract.handoff import Channel, CodedError, Fd, HandoffOSError, Listener, Peer
from wirecontract.handoff._coded import without_frames
from wirecontract.handoff._errors import os_error
from wirecontract.handoff._maker import Maker
from wirecontract.handoff._wait import Limit
from wirecontract.host import HostBuffer, PooledBuffer
from wirecontract.lease._errors import Lost, TooManyConsumers
from wirecontract.lease._link import Options
from wirecontract.lease._producer import Lease, Lend, Outstanding, Producer, lend_of

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


class _Watched:
    """A channel that a service watches until it is closed, by whomever: its number may be another file's
    then.
    """

    def __init__(self, watch: select.epoll, producer: Producer) -> None:
        self.fd = producer.fileno()
        handle = producer.link.process.handle
        # That of the peer's process, of which a child may have the channel's other end.
        self.process = None if handle is None else handle.fileno()
        self._watch = watch
        self._writes = False
        self._left = False
        self._lock = Lock()
        try:
            watch.register(self.fd, select.EPOLLIN)
            if self.process is not None:
                watch.register(self.process, select.EPOLLIN)
        except OSError as error:
            raise os_error("watching a channel", error) from error

    def want(self, writes: bool) -> None:
        """Watches it for being writable as well, or no more."""
        with self._lock:
            if self._left or writes is self._writes:
                return
            try:
                self._watch.modify(self.fd, select.EPOLLIN | (select.EPOLLOUT if writes else 0))
            except OSError as error:
                raise os_error("watching a channel", error) from error
            self._writes = writes

    def leave(self) -> None:
        """Watches it no more; it is open still."""
        with self._lock:
            if self._left:
                return
            self._left = True
            for fd in (self.fd, self.process):
                # Of an epoll that is closed it has left already.
                with suppress(OSError, ValueError):
                    if fd is not None:
                        self._watch.unregister(fd)


@dataclass(slots=True)
class _Served:
    number: int
    producer: Producer
    watched: _Watched
    joined: bool = False


@dataclass(slots=True)
class _State:
    next: int = 0
    consumers: dict[int, _Served] = field(default_factory=dict)
    events: list[ServiceEvent] = field(default_factory=list)
    """What happened, and `poll` has not told."""
    rests: Limit | None = None
    """Until when nobody is accepted."""


class Service:
    """Lends buffers to all consumers that connect to a listener, without a thread of its own.

    It is driven by `poll`, in a thread or in a loop that polls its file descriptor. Each consumer has a
    `Producer`: one that misbehaves or dies ends its own leases alone, and one that says nothing is waited for
    by nobody.
    """

    def __init__(self, listener: Listener, options: Options | None = None) -> None:
        """A service at a listener, which is closed with it. Consumers that connect are accepted by `poll`."""
        self._listener = listener
        self._options = options or Options()
        self._state = _State()
        self._maker = Maker("service")
        self._lock = Lock()
        self._wake = Fd.made_by(os.eventfd, 0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        try:
            self._watch = select.epoll()
            self._watch.register(listener.fileno(), select.EPOLLIN)
            self._watch.register(self._wake.fileno(), select.EPOLLIN)
        except OSError as error:
            raise os_error("watching channels", error) from error

    def poll(self, within: float | None = None) -> list[ServiceEvent]:
        """Waits until something has happened, no longer than so many seconds, and does what there is to do:
        accepts, hears and sends. What happened is empty where the time is over. What is wrong with a consumer
        is an event.
        """
        self._maker.check()
        limit = Limit.of(within)
        while not self._state.events:
            until = Limit.first(limit, self._until())
            left = -1.0 if until is None else min(until.left, _LONGEST)
            for number, _ in self._watch.poll(left):
                self._hear(number)
            self._sweep()
            if limit is not None and limit.is_over:
                break
        with self._lock:
            # Where something failed above, the next call tells what had happened before.
            events, self._state.events = self._state.events, []
        return events

    @property
    def deadline(self) -> float | None:
        """The seconds until `poll` has something to do though the file descriptor is not readable: a consumer
        is too slow by then.
        """
        until = self._until()
        return None if until is None else until.left

    def broadcast(self, lend: Lend | HostBuffer | PooledBuffer) -> list[tuple[int, Lease | Exception]]:
        """Lends a buffer to each consumer that has joined, without waiting for answers. For each the lease,
        or why there is none; the others have theirs all the same.
        """
        lent = lend_of(lend)
        offered: list[tuple[int, Lease | Exception]] = []
        for served in self._joined():
            try:
                offered.append((served.number, served.producer.offer_without_waiting(lent)))
            except (CodedError, WireError) as error:
                offered.append((served.number, without_frames(error)))
        return offered

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
        return self._watch.fileno()

    def close(self) -> None:
        """Ends all channels, of which consumers find that they were closed, and the listener. In a forked
        child it closes their file descriptors alone.
        """
        if self._maker.is_here:
            with self._lock:
                served = list(self._state.consumers.values())
                self._state.consumers.clear()
        else:
            # A thread that has the lock is the parent's.
            served = list(self._state.consumers.values())
        for one in served:
            one.producer.close()
        self._listener.close()
        self._watch.close()
        self._wake.close()

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Service {self._listener!r} consumers={len(self._state.consumers)}>"

    def _hear(self, number: int) -> None:
        """Does what is to be done with a file descriptor that is ready."""
        if number == self._listener.fileno():
            self._accept()
            return
        if number == self._wake.fileno():
            with suppress(BlockingIOError):
                os.eventfd_read(number)
            return
        with self._lock:
            all_served = list(self._state.consumers.values())
        # Outside of the lock: what is dropped with a lease may call this service.
        for served in all_served:
            if number in (served.watched.fd, served.watched.process):
                served.producer.poll()

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
                if isinstance(error, HandoffOSError):
                    self._listen(False)
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
        except OSError as error:
            channel.close()
            raise os_error("watching a channel", error) from error
        try:
            watched = _Watched(self._watch, producer)
            producer.link.served_by(self._tell, watched.leave)
        except BaseException:
            producer.close()
            raise
        with self._lock:
            state = self._state
            state.consumers[state.next] = _Served(state.next, producer, watched)
            state.next += 1
        # The hello goes out.
        producer.poll()

    def _listen(self, listens: bool) -> None:
        """Watches the listener, or has it rest."""
        try:
            self._watch.modify(self._listener.fileno(), select.EPOLLIN if listens else 0)
        except OSError as error:
            raise os_error("watching a listener", error) from error

    def _happened(self, event: ServiceEvent) -> None:
        with self._lock:
            self._state.events.append(event)

    def _sweep(self) -> None:
        """Finds who joined, who left, who is late, and who has something to be sent."""
        with self._lock:
            all_served = list(self._state.consumers.values())
            rests = self._state.rests
        if rests is not None and rests.is_over:
            self._listen(True)
            with self._lock:
                self._state.rests = None
        for served in all_served:
            lost, greeted, writes, until = served.producer.link.standing()
            if until is not None and until.is_over:
                served.producer.poll()
                lost, greeted, writes, _ = served.producer.link.standing()
            if greeted and not served.joined:
                served.joined = True
                self._happened(Joined(served.number, served.producer.peer))
            if lost is not None:
                with self._lock:
                    gone = self._state.consumers.pop(served.number, None)
                served.producer.close()
                # Unless another thread's call has seen it as well, or closes the service.
                if gone is not None:
                    self._happened(Left(served.number, lost) if served.joined else TurnedAway(lost))
            else:
                served.watched.want(writes)

    def _joined(self) -> list[_Served]:
        self._maker.check()
        with self._lock:
            return [served for served in self._state.consumers.values() if served.joined]

    def _until(self) -> Limit | None:
        """Until when somebody has to be looked at."""
        self._maker.check()
        with self._lock:
            until, all_served = self._state.rests, list(self._state.consumers.values())
        for served in all_served:
            until = Limit.first(until, served.producer.link.standing()[3])
        return until

    def _tell(self) -> None:
        """Ends the waiting, this one or the next. It may be called with a channel locked."""
        with suppress(BlockingIOError, ValueError):
            os.eventfd_write(self._wake.fileno(), 1)
