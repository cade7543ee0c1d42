"""What a side makes of what comes, and what it has said."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Protocol

from wirecontract.contracts.buffer import ConsumerMessage, EndReason, ProducerMessage
from wirecontract.handoff import Fd
from wirecontract.lease._errors import Lost
from wirecontract.lease._outbox import Outbox


class Asks(Protocol):
    """The rules of either side, as far as both ask whether the other one is there."""

    def ping(self) -> tuple[int, Sequence[ProducerMessage | ConsumerMessage]]: ...

    def waits_for(self, sequence: int) -> bool: ...


class Side(ABC):
    """What a side makes of what comes. All of it is called with the link locked."""

    FDS: ClassVar[int]
    """How many file descriptors may come with a message."""
    TAKEN_BACK: ClassVar[EndReason]
    """Why leases end when the other side says what it may not."""

    out: Outbox
    """What is to be said."""
    dropped: list[object]
    """What was kept for leases that are over: it is dropped without the lock, since whose it is is unknown.
    """

    def __init__(self, rules: Asks) -> None:
        self.out = Outbox()
        self.dropped = []
        self._asks = rules

    def ask(self) -> int:
        """Asks whether the other side is there: what `waits_for` tells of."""
        sequence, words = self._asks.ping()
        for word in words:
            self.out.say(word)
        return sequence

    def waits_for(self, sequence: int) -> bool:
        """Whether that question waits for its answer."""
        return self._asks.waits_for(sequence)

    @abstractmethod
    def hear(self, body: bytes, fds: list[Fd]) -> None:
        """Takes a message, and the file descriptors that it wants."""

    @abstractmethod
    def lose(self, lost: Lost) -> None:
        """Ends all leases."""

    @abstractmethod
    def let_go(self, lease: int) -> None:
        """Gives back what is unmapped."""
