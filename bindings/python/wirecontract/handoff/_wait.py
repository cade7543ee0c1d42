"""Waiting for a file descriptor, never longer than to a moment. Signal handlers run meanwhile, so that Ctrl-C
ends it.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock

from wirecontract.handoff._errors import Doing, HandoffTimeout, os_error
from wirecontract.handoff._fd import keep
from wirecontract.handoff._maker import Maker
from wirecontract.handoff._options import Options, check_seconds

_LONGEST = 86400.0
"""The most seconds that are waited at once: the kernel's number has 31 bits of milliseconds."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A moment, and how long before it the waiting began, in seconds."""

    at: float
    """The moment, by `time.monotonic`."""

    after: float
    """How long before it the waiting began."""

    @staticmethod
    def of(after: float | None) -> Limit | None:
        """So long from now; None where that is for ever."""
        check_seconds(after)
        return None if after is None else Limit(time.monotonic() + after, after)

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return max(0.0, self.at - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether the moment is over."""
        return self.left == 0

    @staticmethod
    def first(one: Limit | None, other: Limit | None) -> Limit | None:
        """Whichever comes first."""
        if one is None or other is None:
            return one or other
        return min(one, other, key=lambda limit: limit.at)


def wait_for(fd: int, events: int, limit: Limit | None, *others: int) -> bool:
    """Waits for one of the events, or for the end of the connection, or until one of the others can be read;
    False when the moment is over.
    """
    poll = select.poll()
    poll.register(fd, events)
    for other in others:
        poll.register(other, select.POLLIN)
    while True:
        left = _LONGEST if limit is None else min(limit.left, _LONGEST)
        try:
            if poll.poll(left * 1000):
                return True
        except OSError as error:
            raise os_error("polling a file descriptor", error) from error
        if limit is not None and limit.is_over:
            return False


def is_ready(fd: int, events: int) -> bool:
    """Whether one of the events is there now."""
    return wait_for(fd, events, Limit.of(0))


class Patience:
    """How long a call waits for a message: as long as the options and the call say, or not at all."""

    def __init__(self, options: Options, waits: bool, within: float | None = None) -> None:
        self._options = options
        self._waits = waits
        self._idle = Limit.of(options.idle_timeout) if waits else None
        self._call = Limit.of(within) if waits else None

    @property
    def turn(self) -> Limit | None:
        """Until when another call on the channel is waited for."""
        return Limit.first(self._idle, self._call)

    def wait(self, fd: int, message: tuple[Limit | None, int] | None) -> bool:
        """Waits until the socket can be read; False where the call does not wait. `message` is the limit of a
        message that has begun, and how many bytes of it came.
        """
        whole, crossed = message or (None, 0)
        until = Limit.first(self._idle if message is None else whole, self._call)
        if self._waits and wait_for(fd, select.POLLIN, until):
            return True
        if whole is not None and whole.is_over:
            raise HandoffTimeout(Doing.RECEIVING, whole.after, crossed)
        if self._waits and until is not None:
            raise HandoffTimeout(Doing.WAITING, until.after, crossed)
        return False


class Turn:
    """One call at a time. A call that a signal handler of the same thread makes is let in, and does not wait
    for ever.
    """

    def __init__(self, maker: Maker) -> None:
        self._maker = maker
        self._lock = RLock()

    @contextmanager
    def take(self, limit: Limit | None) -> Iterator[None]:
        """Waits for the turn, and gives it back at the end."""
        self._maker.check()
        left = -1.0 if limit is None else min(limit.left, _LONGEST)
        got: list[bool] = []
        try:
            # Kept at once, or an exception of a signal handler would leave it locked for ever.
            keep(got, self._lock.acquire, True, left)
            if not got[0]:
                raise HandoffTimeout(Doing.TURN, limit.after if limit else 0)
            yield
        finally:
            if got == [True]:
                self._lock.release()

    @contextmanager
    def try_take(self) -> Iterator[bool]:
        """Whether nobody else has the turn, which is then had to the end."""
        self._maker.check()
        got: list[bool] = []
        try:
            keep(got, self._lock.acquire, False)
            yield got[0]
        finally:
            if got == [True]:
                self._lock.release()
