"""Leases of the native library, against those of the pure package."""

import os
import signal
import socket
import threading
from contextlib import suppress
from functools import partial
from itertools import product
from types import FrameType
from typing import Any

import pytest
import wirecontract
from test_forks import in_child, refused
from wirecontract import handoff, host, lease
from wirecontract.contracts import Code
from wirecontract.contracts.buffer import ElementType, EndReason
from wirecontract.contracts.dlpack import DLDataTypeCode
from wirecontract.host import Access, Busy

pytestmark = pytest.mark.usefixtures("balanced")

SIDES: dict[str, tuple[Any, Any]] = {"native": (wirecontract, wirecontract), "pure": (handoff, lease)}
PAIRS = list(product(SIDES, SIDES))
SECONDS = 120
INT32 = ElementType(code=DLDataTypeCode.INT, bits=32, lanes=1)


def sides(lends: str, borrows: str, options: Any = None) -> tuple[Any, Any]:
    """A producer of one package, and a consumer of one."""
    one, other = socket.socketpair()
    ours = SIDES[lends][0].Channel.from_fd(one.detach())
    theirs = SIDES[borrows][0].Channel.from_fd(other.detach())
    return SIDES[lends][1].Producer(ours, options), SIDES[borrows][1].Consumer(theirs, options)


@pytest.mark.parametrize(("lends", "borrows"), PAIRS)
@pytest.mark.parametrize("made", [wirecontract, host], ids=["native", "pure"])
def test_a_buffer_is_lent_and_given_back_between_the_packages(lends: str, borrows: str, made: Any) -> None:
    producer, consumer = sides(lends, borrows)
    with producer, consumer, made.HostBuffer(24) as buffer:
        with buffer.view() as view:
            view[4] = 9
        described = buffer.shared(element=INT32, shape=(2, 3))
        lent = producer.offer_without_waiting(lease.Lend.host(buffer, described))
        with consumer.next(SECONDS) as held:
            assert (held.lease, held.buffer) == (lent.id, described)
            tensor = held.tensor()
            assert (tensor.shape, tensor.dtype, tensor.readonly) == ((2, 3), "int32", True)
            assert tensor.tobytes()[4] == 9
            with pytest.raises(Busy):
                held.release()
            del tensor
            lent.wait_taken(SECONDS)
            assert lent.state is lease.State.HELD
            [outstanding] = producer.outstanding()
            assert (outstanding.lease, outstanding.size) == (lent.id, 24)
        ended = lent.wait_released(SECONDS)
        assert (ended.reason, ended.because, lent.state) == (EndReason.RELEASED, None, lease.State.OVER)
        with pytest.raises(lease.GivenBack):
            held.view()
        assert consumer.try_next() is None


@pytest.mark.parametrize(("lends", "borrows"), PAIRS)
def test_what_is_asked_back_and_what_ends_is_told(lends: str, borrows: str) -> None:
    producer, consumer = sides(lends, borrows)
    with producer, consumer, host.HostBuffer(4, consumers=Access.READ_WRITE) as buffer:
        lent = producer.offer_without_waiting(buffer)
        held = consumer.next(SECONDS)
        with held.view() as view:
            view[0] = 1
        with pytest.raises(lease.LeaseTimeout) as late:
            lent.revoke(0.01)
        assert (late.value.doing, late.value.after) == (lease.Doing.RELEASE, 0.01)
        event = consumer.next_event(SECONDS)
        assert event == lease.Revoked(lent.id)
        assert held.is_revoked()
        held.release()
        assert lent.wait_released(SECONDS).reason is EndReason.RELEASED
        again = producer.offer_without_waiting(buffer)
        kept = consumer.next(SECONDS)
        assert again.end().reason is EndReason.REVOKED
        told = consumer.next_event(SECONDS)
        assert (told.lease, told.end.reason) == (again.id, EndReason.REVOKED)
        assert kept.is_over().reason is EndReason.REVOKED
        kept.release()
        with pytest.raises(lease.LeaseTimeout):
            consumer.next(0.01)
        with pytest.raises(lease.BadReason, match="found peer_died"):
            again.end(EndReason.PEER_DIED)


@pytest.mark.parametrize(("lends", "borrows"), PAIRS)
def test_a_side_that_closes_ends_what_the_other_has(lends: str, borrows: str) -> None:
    producer, consumer = sides(lends, borrows)
    with host.HostBuffer(4) as buffer:
        lent = producer.offer_without_waiting(buffer)
        held = consumer.next(SECONDS)
        lent.wait_taken(SECONDS)
        consumer.close()
        lost = producer.wait_closed(SECONDS)
        assert (type(lost), lost.reason, lost.is_end) == (lease.Lost, EndReason.PEER_CLOSED, True)
        assert lent.outcome.reason is EndReason.PEER_CLOSED
        held.release()
        with pytest.raises(lease.Lost) as caught:
            producer.offer(buffer)
        assert (str(caught.value), caught.value.code) == (str(lost), Code.PEER_CLOSED)
    producer.close()


def test_a_consumer_that_is_killed_gives_everything_back(tmp_path: Any) -> None:
    path = tmp_path / "a.sock"
    with wirecontract.listen(path) as listener:
        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                consumer = wirecontract.Consumer(wirecontract.connect(path))
                held = consumer.next(SECONDS)
                held.tensor()
                signal.pause()
            os._exit(1)
        producer = wirecontract.Producer(listener.accept(SECONDS))
        with producer, wirecontract.HostBuffer(1 << 20) as buffer:
            lent = producer.offer(buffer)
            os.kill(child, signal.SIGKILL)
            ended = lent.wait_released(SECONDS)
            os.waitpid(child, 0)
            assert ended.reason in (EndReason.PEER_DIED, EndReason.PEER_CLOSED)
            assert producer.lost is not None


def test_a_fork_takes_and_sends_nothing_of_a_side() -> None:
    producer, consumer = sides("native", "native")
    with producer, consumer:
        in_child(
            lambda: refused(
                producer.poll,
                producer.ping,
                consumer.poll,
                consumer.ping,
                consumer.events,
                consumer.try_next,
                consumer.next_event,
            )
        )
        producer.poll()
        consumer.poll()
        assert (producer.lost, consumer.lost) == (None, None)


def test_ctrl_c_ends_the_waits_and_an_offer_is_taken_back() -> None:
    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    producer, consumer = sides("native", "native")
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with producer, consumer, wirecontract.HostBuffer(4) as buffer:
            for call in (consumer.next, consumer.wait, producer.wait_closed, lambda: producer.offer(buffer)):
                signal.setitimer(signal.ITIMER_REAL, 0.02)
                with pytest.raises(KeyboardInterrupt):
                    call()
            assert producer.outstanding() == []
            lent = producer.offer_without_waiting(buffer)
            with consumer.next(SECONDS) as held:
                assert held.lease == lent.id
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_channel_is_its_side_s() -> None:
    ours, theirs = wirecontract.Channel.pair()
    with wirecontract.Producer(ours) as producer, theirs:
        calls: list[Any] = [
            lambda: ours.send(b"x"),
            lambda: ours.recv(1),
            partial(wirecontract.Consumer, ours),
        ]
        for call in calls:
            with pytest.raises(handoff.ChannelTaken, match="found that of a Producer"):
                call()
        ours.close()
        assert isinstance(producer.lost, lease.Lost)
    wrong: Any
    for wrong in (None, 7):
        with pytest.raises(TypeError, match="expected a channel that is a Channel for a Producer of leases"):
            wirecontract.Producer(wrong)


def test_other_threads_run_while_a_side_waits() -> None:
    producer, consumer = sides("native", "native")
    with producer, consumer, wirecontract.HostBuffer(4) as buffer:
        came: list[int] = []

        def take() -> None:
            with consumer.next(SECONDS) as held:
                came.append(held.lease)
            consumer.ping(SECONDS)
            # Whoever waits answers pings.
            assert isinstance(consumer.wait_closed(SECONDS), lease.Lost)
            came.append(0)

        takes = threading.Thread(target=take)
        takes.start()
        lent = producer.offer(buffer)
        lent.wait_released(SECONDS)
        producer.ping(SECONDS)
        producer.close()
        takes.join(SECONDS)
        assert came == [lent.id, 0]


@pytest.mark.parametrize("package", SIDES)
@pytest.mark.parametrize("name", ["Producer", "Consumer"])
def test_a_ping_that_is_waited_for_is_one_question(package: str, name: str) -> None:
    one, other = socket.socketpair()
    channel = SIDES[package][0].Channel.from_fd(one.detach())
    side = getattr(SIDES[package][1], name)(channel, lease.Options(hello=False))
    with side, handoff.Channel.from_fd(other.detach()) as theirs:
        with pytest.raises(lease.LeaseTimeout) as caught:
            side.ping(0.2)
        assert (caught.value.doing, caught.value.after) == (lease.Doing.PONG, 0.2)
        assert b"ping" in theirs.recv(handoff.Expected(65536), SECONDS).body
        assert theirs.try_recv(handoff.Expected(65536)) is None
