"""What a service is told of the channels that it has, by whatever thread finds it, and until when it has to
look at one of whom nothing comes. Nobody is looked at of whom there is no news.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass

from wirecontract.handoff._wait import Limit
from wirecontract.handoff._wake import Wake
from wirecontract.lease._errors import Lost


@dataclass(frozen=True, slots=True)
class Standing:
    """What a service has to know of a channel."""

    greeted: bool = False
    """Whether the hellos are said."""
    lost: Lost | None = None
    """How it has ended, where it has."""
    writes: bool = False
    """Whether something waits for the channel to be writable."""
    until: Limit | None = None
    """Until when it has to be looked at, whatever comes."""


class Notices:
    """The numbers of channels of which a service knows less than there is. Its file descriptor, which it
    owns, is readable when something was told.
    """

    def __init__(self) -> None:
        self._wake = Wake()
        # Without a lock: a finalizer may tell while this very thread is here.
        self._numbers: dict[int, None] = {}

    @property
    def event(self) -> Wake:
        """What is woken where something is told."""
        return self._wake

    def tell(self, number: int) -> None:
        """There is news of a channel. It may be called with the channel's lock, and behind `close`."""
        self._numbers[number] = None
        self.wake()

    def wake(self) -> None:
        """Ends the waiting, this one or the next."""
        self._wake.wake()

    def move(self, into: set[int]) -> None:
        """Moves the numbers. Wherever an exception ends it, none is in neither place."""
        # Before the numbers: what is told behind this wakes again.
        self._wake.clear()
        told = self._numbers.copy()
        into.update(told)
        for number in told:
            self._numbers.pop(number, None)

    def fileno(self) -> int:
        """To wait for what is told."""
        return self._wake.fileno()

    def close(self) -> None:
        """Closes the file descriptor; nobody is woken any more."""
        self._wake.close()


class Deadlines:
    """Until when each of many has to be looked at, by their numbers, the first of them at hand."""

    def __init__(self) -> None:
        self._limits: dict[int, Limit] = {}
        # Those that are another number's limit by now, or none's, are passed over.
        self._heap: list[tuple[float, int]] = []

    def set(self, number: int, limit: Limit | None) -> None:
        """Notes until when one has to be looked at; None where it has not."""
        if limit is None:
            self._limits.pop(number, None)
        elif self._limits.get(number) != limit:
            heapq.heappush(self._heap, (limit.at, number))
            self._limits[number] = limit
        if len(self._heap) > 2 * len(self._limits) + 64:
            heap = [(limit.at, number) for number, limit in self._limits.items()]
            heapq.heapify(heap)
            self._heap = heap

    def first(self) -> Limit | None:
        """The first of the limits."""
        while self._heap:
            at, number = self._heap[0]
            limit = self._limits.get(number)
            if limit is not None and limit.at == at:
                return limit
            heapq.heappop(self._heap)
        return None

    def over(self) -> list[int]:
        """Those whose limit is over, whose it stays."""
        now, found, places = time.monotonic(), set(), [0]
        while places:
            place = places.pop()
            if place < len(self._heap) and self._heap[place][0] <= now:
                number = self._heap[place][1]
                limit = self._limits.get(number)
                if limit is not None and limit.at <= now:
                    found.add(number)
                # Below it in the heap are later ones.
                places += [2 * place + 1, 2 * place + 2]
        return sorted(found)
