"""A side's channel: what came is heard, what is said is sent, and threads that wait share the waiting."""

from __future__ import annotations

import select
import selectors
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Condition, Lock
from typing import Generic, TypeVar

from wirecontract.contracts import Code, WireError, negotiate
from wirecontract.contracts.buffer import ConsumerMessage, EndReason, ProducerMessage, SharedBuffer
from wirecontract.contracts.hello import Hello
from wirecontract.handoff import (
    Channel,
    CodedError,
    Expected,
    Fd,
    HandoffError,
    Message,
    PeerClosed,
    ProcessEnded,
)
from wirecontract.handoff._coded import without_frames
from wirecontract.handoff._errors import os_error
from wirecontract.handoff._maker import Maker
from wirecontract.handoff._wait import Limit
from wirecontract.handoff._wake import Wake
from wirecontract.lease._death import PeerProcess
from wirecontract.lease._errors import (
    Doing,
    FdCount,
    LeaseError,
    LeaseTimeout,
    Lost,
    SideClosed,
    code_of,
)
from wirecontract.lease._notices import Standing
from wirecontract.lease._options import Options
from wirecontract.lease._outbox import Outbox
from wirecontract.lease._side import Side

_MOST_BYTES = 64 << 10
"""The most bytes of a message."""

_AT_ONCE = 64
"""How many messages are heard before others that share the channel have their turn."""

_LOOK = 0.05
"""Seconds between two looks at what was dropped while there are views of it: nobody is told when one ends."""

_CONTRACTS: tuple[type, ...] = (ProducerMessage, ConsumerMessage, SharedBuffer)


_S = TypeVar("_S", bound=Side)
_T = TypeVar("_T")


class Link(Generic[_S]):
    """A channel and what a side knows of it."""

    def __init__(self, channel: Channel, side: _S, options: Options) -> None:
        self.channel = channel
        self.side = side
        self.options = options
        self.lost: Lost | None = None
        self._maker = Maker("channel")
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._polling = False
        # Called where a service knows less than there is, and what it knows.
        self._news: Callable[[], object] | None = None
        self._known = Standing()
        # Called at whatever changes, until the channel has ended: what tasks of an event loop are told by.
        self._told: Callable[[], object] | None = None
        # Called before the channel is closed.
        self._leave: Callable[[], object] | None = None
        # Whether an exchange has begun: an exception within one leaves unknown what was heard and said.
        self._exchanging = False
        # What was dropped, to be given back when no view of it is left; its memory, where it is mapped.
        self._dropped: deque[Callable[[], bool]] = deque()
        self._hello: Hello | None = negotiate.of(*_CONTRACTS) if options.hello else None
        self._greeting = Outbox()
        self._greeted_by = Limit.of(options.hello_timeout)
        if self._hello is not None:
            self._greeting.say(self._hello)
        self.process: PeerProcess = PeerProcess(channel)
        # Why nothing can be sent any more, while what the other side said before is still heard.
        self._deaf: HandoffError | None = None
        self._wake = Wake()

    def served_by(self, news: Callable[[], object], leave: Callable[[], object]) -> None:
        """Has a service be told of whatever changes from now on, and once before the channel is closed. Both
        are called with the link locked.
        """
        self._news, self._leave = news, leave

    def told_by(self, tell: Callable[[], object]) -> None:
        """Has tasks of an event loop be told of whatever changes from now on; it is called with the link
        locked, by any thread.
        """
        with self._locked():
            self._told = tell
            if self.lost is not None:
                tell()

    def duplicates(self) -> list[Fd]:
        """What an event loop watches, which stays open when the channel is closed: of the socket, and of what
        is readable when the process at the other end has ended. None of a channel that has ended.
        """
        with self._locked():
            if self.lost is not None:
                return []
            handle = self.process.handle
            numbers = [self.channel.fileno()] + ([] if handle is None else [handle.fileno()])
            try:
                return [Fd.duplicate(number) for number in numbers]
            except OSError as error:
                raise os_error("watching a channel", error) from error

    def act(self, what: Callable[[], _T]) -> _T:
        """Takes what came, without waiting, and then does something; what that says is sent as far as the
        kernel takes it. Refused where the channel has ended.
        """
        with self._locked():
            self._pump()
            self._refuse_lost()
            done = what()
            self._pump()
            self._tell()
            return done

    def look(self, look: Callable[[], _T]) -> _T:
        """Takes what came, without waiting, and looks."""
        with self._locked():
            self._pump()
            return look()

    def wait(self, within: float | None, doing: Doing, look: Callable[[], _T | None]) -> _T:
        """Waits until there is what is looked for, or the channel has ended, or the time is over."""
        limit = Limit.of(within)
        while True:
            polls, writes, until = False, False, limit
            try:
                with self._locked():
                    self._pump()
                    found = look()
                    if found is not None:
                        return found
                    self._refuse_lost()
                    if limit is not None and limit.is_over:
                        raise LeaseTimeout(doing, limit.after)
                    if self._polling and not self.side.dropped:
                        self._changed.wait(None if limit is None else limit.left)
                        continue
                    if not self._polling:
                        # With no instruction between them at which an exception comes.
                        polls = self._polling = True
                        writes, until = self._awaited(Limit.first(limit, self._look_again()))
                # Without the lock, and without what was kept for leases that are over.
                if polls:
                    self._sleep(writes, until)
            finally:
                if polls:
                    self._woken()

    def let_go(self, lease: int) -> None:
        """Gives back what is unmapped; where the channel has ended, there is nobody to be told. In a forked
        child the lease is the parent's.
        """
        if not self._maker.is_here:
            return
        with suppress(Lost):
            self.act(lambda: self.side.let_go(lease))

    def drop(self, give_back: Callable[[], bool]) -> None:
        """Has something be given back by this or a later call: `give_back`, called with the link locked, says
        whether it was. It may be called by a finalizer, which may run while this very thread has the lock.
        """
        self._dropped.append(give_back)
        if self._lock.acquire(blocking=False):
            try:
                self._pump()
            finally:
                self._lock.release()
        if self._dropped:
            # Who waits looks again.
            self._wake.wake()
            told = self._told
            if told is not None:
                told()

    def close(self) -> None:
        """Sends what the kernel takes, ends the channel and all leases on it, and closes it; in a forked
        child only the last.
        """
        if not self._maker.is_here:
            self._drop()
            return
        with self._locked():
            self._pump()
            self._lose(SideClosed())
            while self._polling:
                # Another thread: its number may be another file's once the channel is closed.
                self._changed.wait()
            if self._leave is not None:
                self._leave()
            self._drop()

    def fail(self, error: Exception) -> None:
        """Ends the channel for what was found elsewhere, and all leases on it."""
        with self._locked():
            self._lose(error)

    def standing(self) -> Standing:
        """How the channel stands, without a look at what came. What was kept for leases that are over stays
        until somebody else has the lock: who asks may have one that its owner wants.
        """
        self._maker.check()
        with self._lock:
            return self._standing()

    @property
    def is_here(self) -> bool:
        """Whether this process made it, and is no forked child of who did."""
        return self._maker.is_here

    def _drop(self) -> None:
        """Closes all that it has."""
        self.channel.close()
        self._wake.close()
        self.process.close()

    def interest(self) -> int:
        """What the channel is to be polled for."""
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if self.standing().writes else 0)

    def deadline(self) -> float | None:
        """The seconds until it has to be looked at, whatever comes."""
        until = Limit.first(self.standing().until, self._look_again())
        return None if until is None else until.left

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._maker.check()
        dropped: list[object] = []
        try:
            with self._lock:
                try:
                    yield
                finally:
                    dropped, self.side.dropped = self.side.dropped, []
        finally:
            dropped.clear()

    def _refuse_lost(self) -> None:
        if self.lost is not None:
            raise Lost(self.lost.reason, self.lost.because)

    def _pump(self) -> None:
        """Sends and hears what can be without waiting."""
        for _ in range(len(self._dropped)):
            give_back = self._dropped.popleft()
            if not give_back():
                self._dropped.append(give_back)
        if self.lost is not None:
            return
        try:
            if self._exchanging:
                raise LeaseError(
                    Code.IO,
                    "an exception ended a call in the midst of a message",
                    remedy="open another channel",
                )
            self._exchanging = True
            heard = self._exchange()
        except (CodedError, WireError) as error:
            self._lose(error)
            return
        self._exchanging = False
        if heard:
            self._tell()
        self._report()

    def _exchange(self) -> int:
        """How many messages were heard."""
        # What the other side said before it closed, or ended, is heard first. A process that was forked by it
        # may have the socket still, which then says nothing.
        ended = self.process.has_ended()
        deaf = self._send()
        heard = 0
        # Of an offer with more than its kind has it is the offer that is refused.
        expected = Expected(_MOST_BYTES, fds=(0, self.side.FDS), repeated=True)
        while heard < _AT_ONCE and (message := self.channel.try_recv(expected)) is not None:
            # What the side does not take is closed, also where an error keeps this frame.
            with message:
                self._hear(message)
            heard += 1
        if heard and deaf is None:
            deaf = self._send()
        if deaf is not None and heard < _AT_ONCE:
            raise deaf
        if ended and heard < _AT_ONCE:
            raise ProcessEnded if self.channel.recv_limit()[0] else PeerClosed(unread=False)
        if self._hello is not None and self._greeted_by is not None and self._greeted_by.is_over:
            raise LeaseTimeout(Doing.HELLO, self._greeted_by.after)
        return heard

    def _send(self) -> HandoffError | None:
        """Sends what can be sent; gives the error of a peer that takes nothing more: the first one, since
        what is tried behind it is refused by another.
        """
        if self._deaf is not None:
            return self._deaf
        try:
            self._greeting.send(self.channel)
            if self._hello is None and not self._greeting:
                self.side.out.send(self.channel)
        except HandoffError as error:
            if error.code is not Code.PEER_CLOSED:
                raise
            self._deaf = without_frames(error)
        return self._deaf

    def _hear(self, message: Message) -> None:
        if self._hello is None:
            self.side.hear(message.body, message.fds)
            return
        if message.fds:
            raise FdCount(0, len(message.fds))
        theirs = negotiate.read(message.body)
        for contract in _CONTRACTS:
            negotiate.negotiate(self._hello, theirs, contract)
        self._hello = None

    def _lose(self, error: Exception) -> None:
        """Ends the channel and all leases on it."""
        if self.lost is not None:
            return
        code = code_of(error)
        if isinstance(error, HandoffError) and code is Code.PEER_CLOSED:
            reason = EndReason.PEER_DIED if self.process.is_gone() else EndReason.PEER_CLOSED
        else:
            reason = EndReason.TIMED_OUT if code is Code.TIMEOUT else self.side.TAKEN_BACK
        with suppress(HandoffError):
            self.channel.shutdown()
        self.lost = Lost(reason, without_frames(error))
        self.side.out.clear()
        self.side.lose(self.lost)
        self._report()
        self._tell()
        # Nothing changes any more.
        self._told = None

    def _standing(self) -> Standing:
        if self.lost is not None:
            return Standing(greeted=self._hello is None, lost=self.lost)
        writes, until = self._awaited(None)
        return Standing(self._hello is None, None, writes, until)

    def _report(self) -> None:
        """Tells the service, and the event loop, what they do not know."""
        if self._news is not None or self._told is not None:
            now = self._standing()
            if now != self._known:
                if self._news is not None:
                    self._news()
                if self._told is not None:
                    self._told()
                self._known = now

    def _awaited(self, limit: Limit | None) -> tuple[bool, Limit | None]:
        """Whether the channel has to be writable, and until when it is waited for: the other side has so long
        for what it has begun.
        """
        waits = bool(self._greeting) or (self._hello is None and bool(self.side.out))
        begun, send_limit = self.channel.send_limit()
        _, recv_limit = self.channel.recv_limit()
        until = Limit.first(limit, Limit.first(recv_limit, send_limit))
        if self._hello is not None:
            until = Limit.first(until, self._greeted_by)
        return waits or begun, until

    def _look_again(self) -> Limit | None:
        """Until when what was dropped has to be looked at, where there may be views of it still."""
        return Limit.of(_LOOK) if self._dropped else None

    def _sleep(self, writes: bool, until: Limit | None) -> None:
        """Waits for the channel, or for another thread that has something to say."""
        poll = select.poll()
        poll.register(self.channel.fileno(), select.POLLIN | (select.POLLOUT if writes else 0))
        poll.register(self._wake.fileno(), select.POLLIN)
        if self.process.handle is not None:
            poll.register(self.process.handle.fileno(), select.POLLIN)
        poll.poll(None if until is None else min(until.left, 86400.0) * 1000)

    def _woken(self) -> None:
        """Has another thread wait for the channel."""
        with self._lock:
            self._polling = False
            self._wake.clear()
            # Who waits for this thread is the next to poll, if this one goes.
            self._changed.notify_all()

    def _tell(self) -> None:
        """Tells the threads and tasks that wait that something changed."""
        if self._told is not None:
            self._told()
        if self._polling:
            self._wake.wake()
        self._changed.notify_all()
