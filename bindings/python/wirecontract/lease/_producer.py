"""The side that lends, over one channel."""

from __future__ import annotations

import enum
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, Union, cast

from wirecontract.contracts import Code
from wirecontract.contracts.buffer import (
    BufferKind,
    ConsumerMessage,
    EndReason,
    MemoryAfter,
    OfferRefusal,
    ProducerMessagePong,
    SharedBuffer,
)
from wirecontract.handoff import Channel, Fd, Peer
from wirecontract.handoff._arguments import of_type
from wirecontract.handoff._fd import is_native
from wirecontract.host import HostBuffer, PooledBuffer
from wirecontract.lease._errors import Doing, End, FdCount, LeaseError, LeaseTimeout, Lost, Over, Refused
from wirecontract.lease._link import Link
from wirecontract.lease._offer import check_buffer, memory_after
from wirecontract.lease._options import Options
from wirecontract.lease._rules import Phase, ProducerRules
from wirecontract.lease._side import Side
from wirecontract.lease._sided import Sided

if TYPE_CHECKING:
    from wirecontract._native import Fd as NativeFd
    from wirecontract._native import HostBuffer as NativeBuffer


class State(enum.Enum):
    """How far a lease is."""

    OFFERED = "offered"
    HELD = "held"
    REVOKED = "revoked"
    """Asked back, and not given back."""
    OVER = "over"


class Lend:
    """A buffer to be lent: its descriptor, its file descriptors, and what is to be kept until every lease on
    it is over.

    One may be offered many times, to one consumer or to many. That nobody writes the memory meanwhile is its
    owner's to see to.
    """

    def __init__(self, buffer: SharedBuffer, fds: Sequence[Fd | NativeFd], keep: object = None) -> None:
        """A buffer of whatever kind, and the file descriptors of its kind, which are this object's from then
        on. Refused where no importer may use it, and where they are too few or too many (`FdCount`).
        """
        self.buffer: SharedBuffer = of_type("a buffer", buffer, "a SharedBuffer", SharedBuffer)
        for fd in fds:
            if not is_native(fd, "Fd"):
                of_type("a file descriptor of a buffer", fd, "an Fd, which is taken", Fd)
        self.fds: tuple[Fd, ...] = tuple(map(Fd.owning, fds))
        self.keep = keep
        check_buffer(buffer)
        if buffer.kind.fds != len(self.fds):
            raise FdCount(buffer.kind.fds, len(self.fds))

    @classmethod
    def host(cls, buffer: HostBuffer, shared: SharedBuffer | None = None, keep: object = None) -> Lend:
        """A buffer of host memory, and what it says of its tensor (`HostBuffer.shared`)."""
        return cls(buffer.shared() if shared is None else shared, [buffer.consumer_fd()], keep)

    @classmethod
    def pooled(cls, buffer: PooledBuffer, shared: SharedBuffer | None = None) -> Lend:
        """A buffer of a pool, which is used again only when every lease on it is over."""
        shared = buffer.shared() if shared is None else shared
        return cls(shared, [buffer.consumer_fd()], buffer.hold())


@dataclass(slots=True)
class Granted:
    """A lease, as long as its handle or the lease lasts."""

    kind: BufferKind
    size: int
    since: float = field(default_factory=time.monotonic)
    outcome: End | OfferRefusal | None = None


@dataclass(frozen=True, slots=True)
class Outstanding:
    """A lease that is not over."""

    lease: int
    """Its number on the channel."""
    consumer: Peer
    """Who has it, as the kernel noted it."""
    age: float
    """How long ago it was offered, in seconds."""
    state: State
    """How far it is."""
    size: int
    """Bytes of the buffer."""


class Lending(Side):
    """The rules, and the leases that are not over with what is kept for them."""

    FDS = 0
    TAKEN_BACK = EndReason.REVOKED

    def __init__(self, most: int) -> None:
        self.rules = ProducerRules(most)
        super().__init__(self.rules)
        self.leases: dict[int, tuple[Granted, Lend]] = {}

    def hear(self, body: bytes, fds: list[Fd]) -> None:
        message = ConsumerMessage.from_json(body)
        message.validate_import(len(fds))
        event, answer = self.rules.hear(message)
        if isinstance(event, OfferRefusal):
            self.over(event.lease_id, event)
        elif event is not None:
            self.over(event, End(EndReason.RELEASED, MemoryAfter.GONE))
        if isinstance(answer, ProducerMessagePong):
            self.out.answer_ping(answer)
        elif answer is not None:
            self.out.say(answer)

    def lose(self, lost: Lost) -> None:
        for lease, (granted, _) in list(self.leases.items()):
            self.over(lease, End(lost.reason, memory_after(granted.kind), lost.because))

    def let_go(self, lease: int) -> None:
        raise AssertionError("a producer is lent nothing")

    def over(self, lease: int, outcome: End | OfferRefusal) -> None:
        """Ends a lease for this side."""
        granted, lend = self.leases.pop(lease)
        granted.outcome = outcome
        self.dropped.append(lend)

    def state(self, lease: int) -> State:
        """How far a lease is."""
        phase = self.rules.phase(lease)
        if phase is Phase.OVER:
            return State.OVER
        if self.rules.is_revoked(lease):
            return State.REVOKED
        return State.OFFERED if phase is Phase.OFFERED else State.HELD


class Lease:
    """A buffer that is lent. Dropping it ends nothing: the lease lasts until the consumer gives the buffer
    back, or until the channel ends. The end of a `with` ends it where it lasts, as `end` does.
    """

    def __init__(self, link: Link[Lending], lease: int, granted: Granted) -> None:
        self._link = link
        self._id = lease
        self._granted = granted

    @property
    def id(self) -> int:
        """Its number on the channel."""
        return self._id

    @property
    def consumer(self) -> Peer:
        """Who has it, as the kernel noted it."""
        return self._link.channel.peer

    @property
    def state(self) -> State:
        """How far it is, after a look at what came."""
        return self._link.look(lambda: self._link.side.state(self._id))

    @property
    def outcome(self) -> End | OfferRefusal | None:
        """How it is over, if it is; without a look at what came."""
        return self._granted.outcome

    def wait_taken(self, within: float | None = None) -> None:
        """Waits until the offer is taken. `Refused` with a code, `LeaseTimeout`, `Lost`, `Over`."""

        def answered() -> bool | None:
            waits = self.outcome is None and self._link.side.rules.phase(self._id) is Phase.OFFERED
            return None if waits else True

        self._link.wait(within, Doing.ANSWER, answered)
        outcome = self.outcome
        if outcome is None or (isinstance(outcome, End) and outcome.reason is EndReason.RELEASED):
            return
        end = _end_of(outcome)
        if end.because is None:
            raise Over(self._id, end)
        raise Lost(end.reason, end.because)

    def wait_released(self, within: float | None = None) -> End:
        """Waits until the lease is over: the memory may then be used anew, as far as `End.memory` says of
        what the consumer may still map. `Refused`, `LeaseTimeout`.
        """
        self._link.wait(within, Doing.RELEASE, lambda: None if self.outcome is None else True)
        return self._ended()

    def try_released(self) -> End | None:
        """How the lease ended; None where it lasts."""
        outcome = self._link.look(lambda: self.outcome)
        return None if outcome is None else _end_of(outcome)

    def revoke(self, within: float | None = None) -> End:
        """Asks for the buffer back, and waits until it is given back. Where it is not in time, the lease
        lasts: `end` waits no longer.
        """
        if self.outcome is None:
            try:
                self._link.act(self._ask_back)
            except Lost:
                # What has ended meanwhile says its outcome.
                if self.outcome is None:
                    raise
        return self.wait_released(within)

    def end(self, reason: EndReason = EndReason.REVOKED, memory: MemoryAfter | None = None) -> End:
        """Ends the lease without waiting for the consumer, which is told what it may do with memory that it
        still maps: what its kind lets it, unless said; `GONE` where the producer is about to free it. Where
        it is over already, how.
        """
        memory = memory_after(self._granted.kind) if memory is None else memory
        side = self._link.side

        def end() -> None:
            words = side.rules.end(self._id, reason, memory)
            if words:
                side.over(self._id, End(reason, memory))
            for word in words:
                side.out.say(word)

        try:
            self._link.act(end)
        except Lost:
            if self.outcome is None:
                raise
        return self._ended()

    def take_back(self, reason: EndReason) -> None:
        """Ends the lease, of which nobody has this handle. Where another exception comes meanwhile, of which
        it is unknown what was said, the channel ends.
        """
        if self.outcome is not None:
            return
        try:
            with suppress(LeaseError):
                self.end(reason)
        except BaseException:
            because = LeaseError(
                Code.IO, "an exception ended the taking back of an offer", remedy="open another channel"
            )
            self._link.fail(because)
            raise

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *_: object) -> None:
        # Of one that was refused, or whose channel is gone, there is nothing to be ended.
        with suppress(LeaseError):
            self.end()

    def __repr__(self) -> str:
        return f"<Lease {self._id} outcome={self.outcome}>"

    def _ended(self) -> End:
        if self.outcome is None:
            raise AssertionError("a lease that is over has its outcome")
        return _end_of(self.outcome)

    def _ask_back(self) -> None:
        for word in self._link.side.rules.revoke(self._id):
            self._link.side.out.say(word)


class Producer(Sided[Lending]):
    """Lends buffers to one consumer, over one channel, and owns it. Threads may share it. What ends with the
    channel ends as `REVOKED`.
    """

    def __init__(self, channel: Channel, options: Options | None = None) -> None:
        """A side of that channel, which is closed with it. It waits for nothing: the hello is said and heard
        with the first call that does.
        """
        options = Options.of(options)
        super().__init__(channel, Lending(options.most_leases), options)

    def offer(self, lend: Lendable) -> Lease:
        """Lends a buffer, and waits until it is taken. A consumer that does not answer in time
        (`Options.answer_timeout`) has its lease ended (`TIMED_OUT`). Where another exception ends the
        waiting, such as Ctrl-C, the offer is taken back (`REVOKED`). `Refused`, `LeaseTimeout`, `Lost`.
        """
        made: list[Lease] = []
        try:
            self.offer_into(made, lend)
            self._wait_taken(made[0])
            return made[0]
        except BaseException:
            take_back(made)
            raise

    def offer_without_waiting(self, lend: Lendable) -> Lease:
        """Lends a buffer, and does not wait for an answer. What the kernel does not take at once, and
        whatever is lent before the consumer's hello has come, is sent by the next calls (`poll` is one).
        `TooMany`, `Lost`; `WireError`, `GeometryError` for a buffer that no importer may use.
        """
        made: list[Lease] = []
        try:
            self.offer_into(made, lend)
            return made[0]
        except BaseException:
            take_back(made)
            raise

    def offer_into(self, made: list[Lease], lend: Lendable) -> None:
        """The same, with the lease at the end of a list before anything is said: an exception of a signal
        handler may come before a caller has what is returned.
        """
        side, lent = self._link.side, lend_of(lend)

        def offer() -> None:
            granted = Granted(lent.buffer.kind, lent.buffer.size)
            lease, said, had = Lease(self._link, side.rules.next, granted), len(side.out), len(made)
            try:
                made.append(lease)
                number, word = side.rules.offer(lent.buffer)
                side.leases[number] = (granted, lent)
                side.out.say(word, lent.fds)
            except BaseException:
                side.out.unsay(said)
                side.leases.pop(lease.id, None)
                side.rules.withdraw(lease.id)
                del made[had:]
                raise

        self._link.act(offer)

    def outstanding(self) -> list[Outstanding]:
        """The leases that are not over."""
        side, consumer = self._link.side, self.peer

        def look() -> list[Outstanding]:
            now = time.monotonic()
            return [
                Outstanding(number, consumer, now - granted.since, side.state(number), granted.size)
                for number, (granted, _) in side.leases.items()
            ]

        return self._link.look(look)

    def _wait_taken(self, lease: Lease) -> None:
        """Waits until an offer is taken, as long as that may take."""
        try:
            lease.wait_taken(self._link.options.answer_timeout)
        except LeaseTimeout:
            lease.take_back(EndReason.TIMED_OUT)
            raise

    @property
    def link(self) -> Link[Lending]:
        """What a service watches."""
        return self._link


Lendable: TypeAlias = Union[Lend, HostBuffer, PooledBuffer, "NativeBuffer"]
"""What may be lent."""


def lend_of(lend: Lendable) -> Lend:
    """A buffer to be lent; `TypeError` for what is none."""
    if isinstance(lend, HostBuffer) or is_native(lend, "HostBuffer"):
        # A native one says the same of itself.
        return Lend.host(cast(HostBuffer, lend))
    if isinstance(lend, PooledBuffer):
        return Lend.pooled(lend)
    return of_type("a buffer to be lent", lend, "a HostBuffer, a PooledBuffer or a Lend", Lend)


def take_back(leases: Sequence[Lease]) -> None:
    """Takes back leases that nobody has a handle of; some may be over, or their channel."""
    for lease in leases:
        lease.take_back(EndReason.REVOKED)


def _end_of(outcome: End | OfferRefusal) -> End:
    if isinstance(outcome, OfferRefusal):
        raise Refused(outcome)
    return outcome
