"""What is to be said on a channel of leases, and is not sent."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from wirecontract.contracts.buffer import ConsumerMessage, ProducerMessage
from wirecontract.contracts.hello import Hello
from wirecontract.handoff import Channel, Fd, Sent
from wirecontract.lease._faults import too_many_pings

_MOST_PONGS = 64
"""The most answers to pings that wait to be sent. A side that goes on asking and reads nothing is refused."""


class Outbox:
    """Whole messages that are to be sent, in their order."""

    def __init__(self) -> None:
        self._words: deque[tuple[bytes, Sequence[Fd], bool]] = deque()
        self._pongs = 0

    def __bool__(self) -> bool:
        return bool(self._words)

    def say(self, word: ProducerMessage | ConsumerMessage | Hello, fds: Sequence[Fd] = ()) -> None:
        """Adds a word."""
        self._words.append((word.to_json(), fds, False))

    def answer_ping(self, word: ProducerMessage | ConsumerMessage) -> None:
        """Adds the answer to a ping."""
        if self._pongs == _MOST_PONGS:
            raise too_many_pings(_MOST_PONGS)
        self._pongs += 1
        self._words.append((word.to_json(), (), True))

    def __len__(self) -> int:
        """How many words wait."""
        return len(self._words)

    def unsay(self, count: int) -> None:
        """Forgets what was said behind so many words, before anything is sent: the last of them."""
        while len(self._words) > count:
            self._words.pop()

    def clear(self) -> None:
        """Forgets all of it."""
        self._words.clear()
        self._pongs = 0

    def send(self, channel: Channel) -> None:
        """Sends what the kernel takes."""
        while self._words:
            body, fds, pong = self._words[0]
            if channel.try_send(body, fds) is Sent.NOT_YET:
                return
            self._pongs -= pong
            self._words.popleft()
        channel.try_flush()
