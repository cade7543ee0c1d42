"""The side that is lent to, over one channel."""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, TypeAlias

from wirecontract.contracts import Code, WireError
from wirecontract.contracts.buffer import (
    BufferKind,
    ConsumerMessagePong,
    EndReason,
    LeaseEnd,
    Offer,
    ProducerMessage,
    ProducerMessageOffer,
    ProducerMessageRevoke,
    SharedBuffer,
)
from wirecontract.handoff import MOST_FDS, Channel, CodedError, Fd
from wirecontract.handoff._coded import without_frames
from wirecontract.handoff._options import close_fds
from wirecontract.host import Busy, HostMapping
from wirecontract.lease._errors import (
    Answered,
    Doing,
    End,
    GivenBack,
    LeaseTimeout,
    Lost,
    Over,
    Unusable,
    code_of,
)
from wirecontract.lease._faults import too_many_leases
from wirecontract.lease._link import Link
from wirecontract.lease._offer import buffer_of, memory_after
from wirecontract.lease._options import Options
from wirecontract.lease._rules import ConsumerRules, Phase
from wirecontract.lease._side import Side
from wirecontract.lease._sided import Sided

if TYPE_CHECKING:
    from wirecontract._native import Tensor


@dataclass(frozen=True, slots=True)
class Revoked:
    """The producer wants a buffer back: release it."""

    lease: int
    """The number of the lease."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A lease is over, and `End.memory` says what may be done with what is mapped."""

    lease: int
    """The number of the lease."""
    end: End
    """How."""


Event: TypeAlias = "Revoked | Ended"
"""What happened to a buffer that is held."""


@dataclass(slots=True)
class _Arrived:
    lease: int
    buffer: SharedBuffer
    fds: list[Fd]


class Borrowing(Side):
    """The rules, the offers that wait, and what happened to what is held."""

    FDS = MOST_FDS
    TAKEN_BACK = EndReason.PEER_CLOSED

    def __init__(self, most: int) -> None:
        self.rules = ConsumerRules(most)
        super().__init__(self.rules)
        self.offers: deque[_Arrived | Unusable] = deque()
        # Those that a `Held` is of, and how they ended.
        self.held: dict[int, tuple[BufferKind, End | None]] = {}
        self.events: deque[Event] = deque()
        self._most = most

    def hear(self, body: bytes, fds: list[Fd]) -> None:
        message = ProducerMessage.from_json(body)
        # Of an offer the count is the offer's own fault, which has an answer.
        if not isinstance(message, ProducerMessageOffer):
            message.validate_import(len(fds))
        event, answer = self.rules.hear(message)
        if isinstance(event, Offer):
            self._offered(event, fds)
        elif isinstance(event, LeaseEnd):
            self._ended(event.lease_id, End(event.reason, event.memory))
        elif isinstance(message, ProducerMessageRevoke) and message.value.lease_id in self.held:
            self.events.append(Revoked(message.value.lease_id))
        if isinstance(answer, ConsumerMessagePong):
            self.out.answer_ping(answer)

    def lose(self, lost: Lost) -> None:
        for arrived in self.offers:
            if isinstance(arrived, _Arrived):
                close_fds(arrived.fds)
        self.offers.clear()
        for lease, (kind, end) in self.held.items():
            if end is None:
                over = End(lost.reason, memory_after(kind), lost.because)
                self.held[lease] = (kind, over)
                self.events.append(Ended(lease, over))

    def let_go(self, lease: int) -> None:
        self.held.pop(lease, None)
        for event in [event for event in self.events if event.lease == lease]:
            self.events.remove(event)
        for word in self.rules.release(lease):
            self.out.say(word)
        self.refuse(lease, Code.REFUSED, "refused: the consumer let go of what it had not imported")

    def refuse(self, lease: int, code: int, reason: str) -> None:
        """Refuses an offer, where it waits for an answer."""
        for word in self.rules.refuse(lease, code, reason):
            self.out.say(word)

    def _offered(self, offer: Offer, fds: list[Fd]) -> None:
        if len(self.offers) > self._most:
            raise too_many_leases(self._most)
        try:
            buffer = buffer_of(offer, len(fds))
        except (CodedError, WireError) as error:
            self.refuse(offer.lease_id, code_of(error), str(error))
            self.offers.append(Unusable(offer.lease_id, without_frames(error)))
            return
        self.offers.append(_Arrived(offer.lease_id, buffer, [fd.take() for fd in fds]))

    def _ended(self, lease: int, end: End) -> None:
        if lease in self.held:
            self.held[lease] = (self.held[lease][0], end)
            self.events.append(Ended(lease, end))
        for arrived in list(self.offers):
            if isinstance(arrived, _Arrived) and arrived.lease == lease:
                close_fds(arrived.fds)
                self.offers.remove(arrived)


class Held:
    """A buffer that a producer lends: what was imported, until it is given back at the end of a `with`, by
    `release`, or by being dropped.

    Giving it back unmaps it first, and so it is refused (`Busy`, a `BufferError`) while views of it exist.
    Where an exception ends the `with`, or it is dropped while there are views, it is given back by the first
    call on its `Consumer` that finds none. It never waits.
    """

    def __init__(self, link: Link[Borrowing], arrived: _Arrived) -> None:
        self._link = link
        self._lease = arrived.lease
        self._buffer = arrived.buffer
        self._fds = arrived.fds
        self._mapping: HostMapping | None = None
        self._given_back = False

    @property
    def lease(self) -> int:
        """The number of the lease."""
        return self._lease

    @property
    def buffer(self) -> SharedBuffer:
        """The buffer, as the producer described it: its rules hold, and a tensor is within it."""
        return self._buffer

    @property
    def mapping(self) -> HostMapping | None:
        """The mapping, of host memory; closing it is this object's."""
        return self._mapping

    def view(self) -> memoryview:
        """The bytes of host memory, read-only or writable as the producer lends it. `GivenBack` behind
        `release`; `TypeError` of memory that is not the host's.
        """
        if self._given_back:
            raise GivenBack(self._lease)
        if self._mapping is None:
            kind = self._buffer.kind.name.lower()
            raise TypeError(f"expected host memory that is held, found {kind} or none")
        return self._mapping.view()

    def tensor(self) -> Tensor:
        """The tensor that the producer described, in the memory that is held, without a copy: of its element
        type, shape and strides, or of bytes where it says none. It is a view: the buffer is given back when
        the tensor, and what is made of it, is gone. `ImportError` where the package was installed without its
        native library; what `view` refuses.
        """
        from wirecontract import shared_tensor

        return shared_tensor(self.view(), self._buffer)

    def take_fds(self) -> list[Fd]:
        """The file descriptors of memory of another kind, which are the caller's from then on; none a second
        time.
        """
        fds, self._fds = self._fds, []
        return fds

    def take(self) -> None:
        """Says that the memory is imported, of a kind that the caller imports; host memory is taken already.
        `Over` where the producer ended the lease meanwhile, `Answered`, `Lost`.
        """
        side = self._link.side

        def take() -> None:
            words = side.rules.take(self._lease)
            if not words:
                _, end = side.held.get(self._lease, (None, None))
                raise Answered(self._lease) if end is None else Over(self._lease, end)
            side.out.say(words[0])

        self._link.act(take)

    def refuse(self, code: int, reason: str) -> None:
        """Says that the memory cannot be imported, of a kind that the caller imports: with the number of a
        code, such as `Code.REFUSED`, and the reason, of which 1024 bytes are said. What came is closed.
        `Answered` where it was taken already, or refused.
        """
        side = self._link.side

        def refuse() -> None:
            if side.rules.phase(self._lease) is Phase.HELD:
                raise Answered(self._lease)
            side.refuse(self._lease, code, reason)

        self._link.act(refuse)
        self.release()

    def is_over(self) -> End | None:
        """How the lease is over, if the producer ended it, closed the channel or died: `End.memory` says
        whether the memory may still be touched.
        """
        return self._link.look(lambda: self._link.side.held.get(self._lease, (None, None))[1])

    def is_revoked(self) -> bool:
        """Whether the producer wants it back."""
        return self._link.look(lambda: self._link.side.rules.is_revoked(self._lease))

    def release(self) -> None:
        """Unmaps it and gives it back; `Busy` while views exist, and nothing has changed then. In a forked
        child it unmaps the child's copy, and the lease lasts.
        """
        if self._given_back:
            return
        self._unmap()
        self._given_back = True
        self._link.let_go(self._lease)

    def import_(self) -> bool:
        """Imports what an offer brought, where that is this side's to do; whether the lease lasts. `Unusable`
        where the memory cannot be had, which the producer is told.
        """
        if self._buffer.kind is not BufferKind.HOST_MEMFD:
            return True
        try:
            self._mapping = HostMapping.open(self._fds.pop(), self._buffer)
        except CodedError as error:
            because = without_frames(error)
            self.refuse(because.code, str(because))
            raise Unusable(self._lease, because) from None
        try:
            self.take()
        except Over:
            self.release()
            return False
        return True

    def __enter__(self) -> Held:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        try:
            self.release()
        except BufferError:
            if error is None:
                raise
            self._give_up()

    def __del__(self) -> None:
        if not getattr(self, "_given_back", True):
            self._give_up()

    def __repr__(self) -> str:
        return f"<Held lease={self._lease} {self._mapping or self._fds!r}>"

    def _unmap(self) -> None:
        if self._mapping is not None:
            self._mapping.close()
        close_fds(self._fds)

    def _give_up(self) -> None:
        """Leaves it to the consumer's next calls."""
        self._given_back = True
        if not self._link.is_here:
            with suppress(Busy):
                self._unmap()
            close_fds(self._fds)
            return
        mapping, fds, lease, side = self._mapping, self._fds, self._lease, self._link.side

        def give_back() -> bool:
            try:
                if mapping is not None:
                    mapping.close()
            except Busy:
                return False
            close_fds(fds)
            side.let_go(lease)
            return True

        self._link.drop(give_back)


class Consumer(Sided[Borrowing]):
    """Is lent buffers by one producer, over one channel, which is closed with it. Threads may share it.

    Each call first takes what came. A side that nobody calls says nothing, so that who holds buffers calls
    `poll` now and then, or polls the file descriptor.
    """

    def __init__(self, channel: Channel, options: Options | None = None) -> None:
        """A side of that channel, which is closed with it. The hello goes out, and theirs is heard by the
        first call that waits.
        """
        options = Options.of(options)
        super().__init__(channel, Borrowing(options.most_leases), options)
        self.poll()

    def next(self, within: float | None = None) -> Held:
        """The next buffer that is offered: host memory is mapped and taken; of other kinds the descriptor and
        the file descriptors are given, and `Held.take` says that they are imported.

        `Unusable` for an offer that was refused: the producer was told the code, and the next call goes on.
        `LeaseTimeout`; `Lost`, whose `reason` says whether the producer closed the channel.
        """
        until = None if within is None else time.monotonic() + within
        while True:
            left = None if until is None else max(0.0, until - time.monotonic())
            try:
                held = self._link.wait(left, Doing.OFFER, self._arrive)
            except LeaseTimeout as error:
                raise LeaseTimeout(error.doing, within or 0) from None
            if held.import_():
                return held

    def try_next(self) -> Held | None:
        """The next buffer, if one is offered."""
        try:
            return self.next(0)
        except LeaseTimeout:
            return None

    def events(self) -> list[Event]:
        """What happened to buffers that are held, since this was asked last. What is given back is
        forgotten.
        """

        def look() -> list[Event]:
            events = list(self._link.side.events)
            self._link.side.events.clear()
            return events

        return self._link.look(look)

    def next_event(self, within: float | None = None) -> Event:
        """Waits until something has happened to a buffer that is held. `LeaseTimeout`, `Lost`."""
        events = self._link.side.events

        def look() -> tuple[Event] | None:
            return (events.popleft(),) if events else None

        return self._link.wait(within, Doing.EVENT, look)[0]

    def wait(self, within: float | None = None) -> None:
        """Waits until there is an offer or an event. `LeaseTimeout`, `Lost`."""
        side = self._link.side
        self._link.wait(within, Doing.EVENT, lambda: True if side.offers or side.events else None)

    def _arrive(self) -> Held | None:
        """The next offer, whose end is noted from now on, and which is answered whatever becomes of it."""
        side = self._link.side
        if not side.offers:
            return None
        arrived = side.offers.popleft()
        if isinstance(arrived, Unusable):
            raise arrived
        side.held[arrived.lease] = (arrived.buffer.kind, None)
        # Asked back before anybody asked for it.
        if side.rules.is_revoked(arrived.lease):
            side.events.append(Revoked(arrived.lease))
        return Held(self._link, arrived)
