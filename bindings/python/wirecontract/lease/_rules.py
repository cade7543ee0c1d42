"""The rules of both sides, without a socket: what may come next, what is said, what is outstanding.

A lease may be ended by both sides at once. Of words that are not answered (`ended` of a lease that was not
released, and `refused`) a side cannot know when the other one has read them. So each is followed by a `ping`:
until its `pong` comes, what was on its way may still arrive and is passed over, in the order in which it
could have been said; behind the `pong` it is a `Fault`. The number of the lease is in use until then, and the
lease counts among those that are outstanding.
"""

from __future__ import annotations

import enum
from collections import deque
from dataclasses import dataclass

from wirecontract.contracts.buffer import (
    ConsumerMessage,
    ConsumerMessagePing,
    ConsumerMessagePong,
    ConsumerMessageRefused,
    ConsumerMessageRelease,
    ConsumerMessageTaken,
    EndReason,
    LeaseEnd,
    LeaseName,
    MemoryAfter,
    Offer,
    OfferRefusal,
    Ping,
    ProducerMessage,
    ProducerMessageEnded,
    ProducerMessageOffer,
    ProducerMessagePing,
    ProducerMessagePong,
    ProducerMessageRevoke,
    SharedBuffer,
)
from wirecontract.lease._errors import BadReason, TooMany
from wirecontract.lease._faults import (
    bad_pong,
    bad_reason,
    id_in_use,
    out_of_order,
    too_many_leases,
    unknown,
)
from wirecontract.lease._offer import offer_of

_MOST_PINGS = 16
"""How many questions wait at most, but for those behind words that end a lease, which have the leases' bound.
"""

_MOST_REASON = 1024
"""The most bytes of a refusal's reason."""


class Phase(enum.Enum):
    """How far a lease is."""

    OFFERED = "offered and not answered"
    HELD = "taken"
    RELEASING = "released"
    """Given back by the consumer, which waits for the answer."""
    OVER = "over"
    """For this side; words of the other one may still be on their way."""


@dataclass(slots=True)
class _Entry:
    phase: Phase = Phase.OFFERED
    revoked: bool = False
    # Of a lease that this side ended: the `ping` behind it.
    fence: int | None = None


class _Pings:
    """The questions of one side. Words keep their order, so the answers have the questions'."""

    def __init__(self) -> None:
        self._next = 0
        self._asked: deque[int] = deque()

    def ask(self) -> Ping:
        self._asked.append(self._next)
        self._next += 1
        return Ping(sequence=self._asked[-1])

    def ask_or_wait(self) -> tuple[int, Ping | None]:
        """A new question; where so many wait already, the last of them, whose answer says the same."""
        if len(self._asked) >= _MOST_PINGS:
            return self._asked[-1], None
        ping = self.ask()
        return ping.sequence, ping

    def answered(self, pong: Ping) -> int:
        if not self._asked or self._asked[0] != pong.sequence:
            raise bad_pong(self._asked[0] if self._asked else None, pong.sequence)
        return self._asked.popleft()

    def waits(self, sequence: int) -> bool:
        return bool(self._asked) and self._asked[0] <= sequence < self._next


class _Rules:
    """What both sides have."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._leases: dict[int, _Entry] = {}
        self._pings = _Pings()

    def waits_for(self, sequence: int) -> bool:
        """Whether that question waits for its answer."""
        return self._pings.waits(sequence)

    @property
    def outstanding(self) -> int:
        """How many numbers are in use: of leases that are not over, or of which words may still come."""
        return len(self._leases)

    def _pong(self, ping: Ping) -> None:
        sequence = self._pings.answered(ping)
        self._leases = {lease: entry for lease, entry in self._leases.items() if entry.fence != sequence}

    def _entry(self, word: str, lease: int, was: bool = False) -> _Entry:
        entry = self._leases.get(lease)
        if entry is None:
            raise unknown(word, lease, was)
        return entry


class ProducerRules(_Rules):
    """What a producer may say and hear on one channel."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        # What is below it was offered.
        self._next = 1

    def offer(self, buffer: SharedBuffer) -> tuple[int, ProducerMessage]:
        """Offers a buffer: the number of the lease, and what to send with the buffer's file descriptors."""
        if len(self._leases) >= self._most:
            raise TooMany(self._most)
        lease = self._next
        offer = offer_of(lease, buffer)
        self._next += 1
        self._leases[lease] = _Entry()
        return lease, ProducerMessageOffer(offer)

    def withdraw(self, lease: int) -> None:
        """Forgets an offer of which nothing was said."""
        self._leases.pop(lease, None)

    @property
    def next(self) -> int:
        """The number of the next lease."""
        return self._next

    def revoke(self, lease: int) -> list[ProducerMessage]:
        """Asks for a buffer back; nothing where that was asked before, or the lease is over."""
        entry = self._leases.get(lease)
        if entry is None or entry.fence is not None or entry.revoked:
            return []
        entry.revoked = True
        return [ProducerMessageRevoke(LeaseName(lease_id=lease))]

    def end(self, lease: int, reason: EndReason, memory: MemoryAfter) -> list[ProducerMessage]:
        """Ends a lease without waiting for its consumer: what to send, in this order; nothing where it is
        over.
        """
        if reason not in (EndReason.REVOKED, EndReason.TIMED_OUT):
            raise BadReason(reason)
        entry = self._leases.get(lease)
        if entry is None or entry.fence is not None:
            return []
        ping = self._pings.ask()
        entry.fence = ping.sequence
        ended = LeaseEnd(lease_id=lease, reason=reason, memory=memory)
        return [ProducerMessageEnded(ended), ProducerMessagePing(ping)]

    def ping(self) -> tuple[int, list[ProducerMessage]]:
        """Asks whether the consumer is there: what `waits_for` tells of, and what to send."""
        sequence, ping = self._pings.ask_or_wait()
        return sequence, [] if ping is None else [ProducerMessagePing(ping)]

    def hear(self, message: ConsumerMessage) -> tuple[int | OfferRefusal | None, ProducerMessage | None]:
        """Takes a word of the consumer's: the lease that was released or the refusal, and the answer."""
        match message:
            case ConsumerMessageTaken(value):
                self._follows("taken", value.lease_id, Phase.OFFERED, Phase.HELD)
                return None, None
            case ConsumerMessageRefused(refusal):
                crossed = self._follows("refused", refusal.lease_id, Phase.OFFERED, Phase.OVER)
                return None if crossed else refusal, None
            case ConsumerMessageRelease(value):
                lease = value.lease_id
                if self._follows("release", lease, Phase.HELD, Phase.OVER):
                    return None, None
                end = LeaseEnd(lease_id=lease, reason=EndReason.RELEASED, memory=MemoryAfter.GONE)
                return lease, ProducerMessageEnded(end)
            case ConsumerMessagePing(ping):
                return None, ProducerMessagePong(ping)
            case ConsumerMessagePong(ping):
                self._pong(ping)
                return None, None
        raise AssertionError("a union is one of its variants")

    def phase(self, lease: int) -> Phase:
        """How far a lease is for this side; `OVER` also of one that it never was."""
        entry = self._leases.get(lease)
        return Phase.OVER if entry is None or entry.fence is not None else entry.phase

    def is_revoked(self, lease: int) -> bool:
        """Whether the buffer was asked back, and the lease is not over."""
        entry = self._leases.get(lease)
        return entry is not None and entry.revoked and entry.fence is None

    def _follows(self, word: str, lease: int, start: Phase, end: Phase) -> bool:
        """Moves a lease on by a word of the consumer's; whether this side had ended it."""
        entry = self._entry(word, lease, was=0 < lease < self._next)
        if entry.phase is not start:
            raise out_of_order(word, lease, entry.phase.value)
        entry.phase = end
        crossed = entry.fence is not None
        if end is Phase.OVER and not crossed:
            del self._leases[lease]
        return crossed


class ConsumerRules(_Rules):
    """What a consumer may say and hear on one channel."""

    def take(self, lease: int) -> list[ConsumerMessage]:
        """Says that the buffer is imported; nothing where the lease is over or the offer was answered."""
        if self.phase(lease) is not Phase.OFFERED:
            return []
        self._leases[lease].phase = Phase.HELD
        return [ConsumerMessageTaken(LeaseName(lease_id=lease))]

    def refuse(self, lease: int, code: int, reason: str) -> list[ConsumerMessage]:
        """Says that an offer could not be used: what to send, in this order; nothing where the lease is over
        or the offer was answered. `code` is at least 1; of the reason at most 1024 bytes are said.
        """
        if self.phase(lease) is not Phase.OFFERED:
            return []
        ping = self._pings.ask()
        entry = self._leases[lease]
        entry.phase, entry.fence = Phase.OVER, ping.sequence
        text = reason.encode(errors="replace")[:_MOST_REASON].decode(errors="ignore")
        refusal = OfferRefusal(lease_id=lease, code=max(code, 1), message=text)
        return [ConsumerMessageRefused(refusal), ConsumerMessagePing(ping)]

    def release(self, lease: int) -> list[ConsumerMessage]:
        """Gives a buffer back; nothing where the lease is over, or the buffer is not held."""
        if self.phase(lease) is not Phase.HELD:
            return []
        self._leases[lease].phase = Phase.RELEASING
        return [ConsumerMessageRelease(LeaseName(lease_id=lease))]

    def ping(self) -> tuple[int, list[ConsumerMessage]]:
        """Asks whether the producer is there: what `waits_for` tells of, and what to send."""
        sequence, ping = self._pings.ask_or_wait()
        return sequence, [] if ping is None else [ConsumerMessagePing(ping)]

    def hear(self, message: ProducerMessage) -> tuple[Offer | LeaseEnd | None, ConsumerMessage | None]:
        """Takes a word of the producer's: the offer or the end of a lease, and the answer to send."""
        match message:
            case ProducerMessageOffer(offer):
                self._offered(offer.lease_id)
                return offer, None
            case ProducerMessageRevoke(value):
                entry = self._entry("revoke", value.lease_id)
                if entry.revoked:
                    raise out_of_order("revoke", value.lease_id, entry.phase.value)
                entry.revoked = True
                return None, None
            case ProducerMessageEnded(end):
                return self._ended(end), None
            case ProducerMessagePing(ping):
                return None, ConsumerMessagePong(ping)
            case ProducerMessagePong(ping):
                self._pong(ping)
                return None, None
        raise AssertionError("a union is one of its variants")

    def phase(self, lease: int) -> Phase:
        """How far a lease is for this side; `OVER` also of one that it never was."""
        entry = self._leases.get(lease)
        return Phase.OVER if entry is None else entry.phase

    def is_revoked(self, lease: int) -> bool:
        """Whether the producer asked for the buffer back, and the lease is not over."""
        entry = self._leases.get(lease)
        return entry is not None and entry.revoked and entry.phase is not Phase.OVER

    def _offered(self, lease: int) -> None:
        if lease in self._leases:
            raise id_in_use(lease)
        # What this side refused does not count: the producer may know of it, and not of the `ping` behind it.
        # It has a bound all the same.
        over = sum(entry.phase is Phase.OVER for entry in self._leases.values())
        if len(self._leases) >= self._most and (len(self._leases) - over >= self._most or over > self._most):
            raise too_many_leases(self._most)
        self._leases[lease] = _Entry()

    def _ended(self, end: LeaseEnd) -> LeaseEnd | None:
        lease = end.lease_id
        entry = self._entry("ended", lease)
        if end.reason not in (EndReason.RELEASED, EndReason.REVOKED, EndReason.TIMED_OUT):
            raise bad_reason(lease, end.reason.name.lower())
        released = end.reason is EndReason.RELEASED
        # Released, it is over as this side wants it. The producer may have ended it instead while `release`
        # was on its way, or not have read the refusal.
        if entry.phase is not Phase.RELEASING and released:
            raise out_of_order("ended", lease, entry.phase.value)
        del self._leases[lease]
        return end if entry.phase in (Phase.OFFERED, Phase.HELD) else None
