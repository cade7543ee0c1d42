"""Offers whose calls an exception ends, such as Ctrl-C: nothing is lent of which nobody has a `Lease`."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
from wirecontract.contracts.buffer import EndReason
from wirecontract.handoff import Channel, Listener
from wirecontract.host import HostBuffer, Pool, PoolCounts
from wirecontract.lease import Consumer, Held, Lease, LeaseTimeout, Options, Producer, Service

pytestmark = pytest.mark.usefixtures("balanced")

SECONDS = 60.0
OFFERS = ("_producer.py", "_rules.py", "_offer.py")
"""Where an offer is made."""
CROSSES = "_outbox.py"
"""Where it crosses as well: an exception there ends the channel."""


class Interrupted(BaseException):
    """What a signal handler raises."""


@contextmanager
def interrupted_at(line: int, files: Sequence[str]) -> Iterator[list[bool]]:
    """Raises at one of the lines that run of these files of `wirecontract.lease`, counted from 0; whether so
    many did.
    """
    left, hit = [line], [False]

    def trace(frame: FrameType, event: str, _: object) -> Any:
        # A trace may raise behind the last line of a `with`, before that ends, where no handler runs.
        here = os.path.basename(frame.f_code.co_filename) in files and frame.f_code.co_name != "_joined"
        if hit[0] or not here:
            return None
        # A word is said by one line, behind whose call a handler may run.
        frame.f_trace_opcodes = frame.f_code.co_name == "say"
        if event == ("opcode" if frame.f_trace_opcodes else "line"):
            left[0] -= 1
            if left[0] < 0:
                hit[0] = True
                raise Interrupted
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield hit
    finally:
        sys.settrace(before)


def offers(offer: Callable[[Producer, HostBuffer], Lease]) -> int:
    """Interrupts an offer at each line; at how many of them the channel went on."""
    line = goes_on = 0
    while True:
        ours, theirs = Channel.pair()
        # What were left of an offer would be one too many.
        options = Options(answer_timeout=0, most_leases=1)
        with Producer(ours, options) as producer, Consumer(theirs, options) as consumer:
            producer.poll()
            consumer.poll()
            with HostBuffer(4) as buffer:
                lease: Lease | None = None
                try:
                    with interrupted_at(line, [*OFFERS, CROSSES]) as hit:
                        lease = offer(producer, buffer)
                except (Interrupted, LeaseTimeout):
                    assert lease is None
                if not hit[0]:
                    return goes_on
                assert producer.outstanding() == [], line
                if producer.lost is None:
                    # Nothing is said of it that the other side may not hear, and nothing is left of it.
                    assert (consumer.try_next(), consumer.lost) == (None, None), line
                    again = producer.offer_without_waiting(buffer)
                    with consumer.next(SECONDS) as held:
                        assert held.lease == again.id
                        again.wait_taken(SECONDS)
                    assert again.wait_released(SECONDS).reason is EndReason.RELEASED
                    goes_on += 1
                else:
                    assert "an exception ended" in str(producer.lost)
        line += 1


def test_an_offer_that_is_interrupted_wherever_it_is_is_taken_back() -> None:
    assert offers(lambda producer, buffer: producer.offer_without_waiting(buffer)) > 30
    assert offers(lambda producer, buffer: producer.offer(buffer)) > 60


@pytest.mark.parametrize("hears", [False, True])
def test_an_offer_that_nobody_answers_yet_is_taken_back_by_ctrl_c(hears: bool) -> None:
    held: Held | None = None

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal held
        if hears:
            # It has the offer, and takes it when it is too late.
            held = consumer.try_next()
        raise KeyboardInterrupt

    pool = Pool(8, 1)
    ours, theirs = Channel.pair()
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with Producer(ours, Options(answer_timeout=SECONDS)) as producer, Consumer(theirs) as consumer:
            with pool.take(SECONDS) as frame:
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                with pytest.raises(KeyboardInterrupt):
                    producer.offer(frame)
            assert (producer.outstanding(), producer.lost) == ([], None)
            assert pool.counts() == PoolCounts(1, 0, 1)
            if held is not None:
                over = held.is_over()
                assert over is not None
                assert over.reason is EndReason.REVOKED
                held.release()
            assert consumer.try_next() is None
            assert (held is not None) is hears
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_broadcast_that_is_interrupted_lends_to_nobody() -> None:
    name = f"\0wirecontract-interrupted-{os.getpid()}"
    options = Options(hello=False)
    with Service(Listener.bind(name), options) as service, HostBuffer(4) as buffer:
        consumers = [Consumer(Channel.connect(name), options) for _ in range(3)]
        while len(service.consumers()) < 3:
            service.poll(SECONDS)
        line = 0
        while True:
            try:
                with interrupted_at(line, [*OFFERS, "_service.py"]) as hit:
                    service.broadcast(buffer)
            except Interrupted:
                assert service.outstanding() == [], line
            if not hit[0]:
                break
            line += 1
        assert line > 40
        assert len(service.outstanding()) == 3
        for consumer in consumers:
            with consumer.next(SECONDS) as held:
                assert held.buffer.size == 4
            consumer.close()
