"""A forked child has a copy of everything: what it drops, closes or calls ends nothing of its parent's."""

import asyncio
import gc
import os
import select
import signal
import threading
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from wirecontract import host
from wirecontract.contracts import Code
from wirecontract.contracts.buffer import EndReason
from wirecontract.handoff import (
    AsyncChannel,
    Channel,
    Expected,
    Forked,
    HandoffError,
    Listener,
    PidFd,
)
from wirecontract.host import Pool, PoolCounts
from wirecontract.lease import Consumer, Lease, Lend, Options, Producer, Service, State

pytestmark = pytest.mark.usefixtures("balanced")

SECONDS = 60.0


def in_child(task: Callable[[], object]) -> None:
    """Does something in a forked child, and fails as it does."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            # What never ends, ends.
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(int(SECONDS))
            task()
            gc.collect()
            code = 0
        except BaseException:
            os.write(writer, traceback.format_exc().encode())
        finally:
            os._exit(code)
    os.close(writer)
    with open(reader, encoding="utf-8") as said:
        text = said.read()
    assert (os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text) == (0, "")


def refused(*calls: Callable[[], object]) -> None:
    """Each call is one of the parent's, and so is every later one."""
    for call in calls:
        with pytest.raises(Forked) as caught:
            call()
        assert (caught.value.code, caught.value.is_end) == (Code.REFUSED, True)
        assert caught.value.maker == os.getppid()


def refused_by_its_pool(*calls: Callable[[], object]) -> None:
    """The same of a pool and its buffers, which end nothing."""
    for call in calls:
        with pytest.raises(host.Forked) as caught:
            call()
        assert (caught.value.code, caught.value.maker) == (Code.REFUSED, os.getppid())


def test_a_channel_is_its_makers() -> None:
    one, other = Channel.pair()
    with one, other:

        def child() -> None:
            assert (one.can_receive, one.can_send) == (False, False)
            with one:
                refused(
                    lambda: one.send(b"x"),
                    lambda: one.try_send(b"x"),
                    one.flush,
                    one.try_flush,
                    lambda: one.recv(Expected(1)),
                    lambda: one.try_recv(Expected(1)),
                    lambda: one.recv_into(bytearray(1), Expected(1)),
                    one.finish,
                    one.shutdown,
                    one.detach,
                )
            assert one.closed

        in_child(child)
        assert (one.can_receive, one.can_send) == (True, True)
        one.send(b"goes on")
        assert other.recv(Expected(7)).body == b"goes on"
        other.send(b"both ways")
        assert one.recv(Expected(9)).body == b"both ways"


def test_a_channel_that_another_thread_waits_on_closes_in_the_child() -> None:
    one, other = Channel.pair()
    came: list[bytes] = []
    thread = threading.Thread(target=lambda: came.append(one.recv(Expected(5), SECONDS).body))
    with one, other:
        thread.start()
        turn = one._receives._lock
        while turn.acquire(blocking=False):
            turn.release()
        in_child(one.close)
        other.send(b"later")
        thread.join(SECONDS)
        assert came == [b"later"]


def test_a_child_makes_a_channel_of_its_own_of_the_socket() -> None:
    one, other = Channel.pair()
    with one, other:

        def child() -> None:
            with Channel.from_fd(os.dup(one.fileno())) as own:
                own.send(b"from the child")
            one.close()

        in_child(child)
        assert other.recv(Expected(14)).body == b"from the child"


def test_a_listener_is_its_makers(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with Listener.bind(path) as listener:

        def child() -> None:
            with listener:
                refused(listener.accept, listener.try_accept)
            assert listener.closed

        in_child(child)
        with Channel.connect(path) as client, listener.accept(SECONDS) as channel:
            client.send(b"x")
            assert channel.recv(Expected(1)).body == b"x"


def test_a_pidfd_is_of_one_process_in_every_process() -> None:
    with PidFd.of_process(os.getpid()) as handle:

        def child() -> None:
            assert not handle.has_ended()
            handle.close()

        in_child(child)
        assert not handle.has_ended()


def test_a_pool_is_its_makers() -> None:
    pool = Pool(64, 2)
    with pool.take(SECONDS) as frame:
        frame.view()[:4] = b"mine"
        hold = frame.hold()

        def child() -> None:
            nonlocal hold
            refused_by_its_pool(pool.take, pool.try_take, pool.counts, pool.trim)
            refused_by_its_pool(frame.view, frame.consumer_fd, frame.zero)
            hold.close()
            frame.close()

        in_child(child)
        assert pool.counts() == PoolCounts(0, 1, 2)
        with frame.view() as view:
            assert bytes(view[:4]) == b"mine"
    assert pool.counts() == PoolCounts(0, 1, 2)
    hold.close()
    assert pool.counts() == PoolCounts(1, 0, 2)


@pytest.mark.parametrize("how", ["drop", "release", "with"])
def test_what_is_held_is_given_back_by_its_holder(how: str) -> None:
    ours, theirs = Channel.pair()
    with Producer(ours) as producer, Consumer(theirs) as consumer:
        pool = Pool(4, 1)
        with pool.take(SECONDS) as frame:
            lease = producer.offer_without_waiting(frame)
        held = consumer.next(SECONDS)
        lease.wait_taken(SECONDS)

        def child() -> None:
            nonlocal held
            if how == "with":
                with held:
                    refused(held.is_over, held.is_revoked, consumer.poll, consumer.ping, lease.revoke)
            elif how == "release":
                held.release()
            else:
                del held
            refused(consumer.poll, producer.poll, producer.ping)
            consumer.close()
            producer.close()

        in_child(child)
        assert (lease.state, producer.lost, consumer.lost) == (State.HELD, None, None)
        with held.view() as view:
            assert bytes(view) == bytes(4)
        held.release()
        assert lease.wait_released(SECONDS).reason is EndReason.RELEASED
        assert pool.counts() == PoolCounts(1, 0, 1)


def test_a_service_is_its_makers() -> None:
    name = f"\0wirecontract-forks-{os.getpid()}"
    with (
        Service(Listener.bind(name), Options(hello_timeout=SECONDS)) as service,
        Consumer(Channel.connect(name)) as consumer,
    ):
        while not service.consumers():
            assert service.poll(SECONDS)

        def child() -> None:
            refused(service.poll, service.consumers, service.outstanding)
            refused(lambda: service.producer(0), lambda: service.broadcast(lend))
            service.close()

        pool = Pool(4, 1)
        with pool.take(SECONDS) as frame:
            lend = Lend.pooled(frame)
            in_child(child)
            assert service.poll(0) == []
            # It is watched still.
            ((_, lease),) = service.broadcast(frame)
        assert isinstance(lease, Lease)
        consumer.next(SECONDS).release()
        assert select.select([service], [], [], SECONDS)[0]
        while lease.outcome is None:
            service.poll(0.01)


def test_a_channel_of_an_event_loop_is_its_makers() -> None:
    async def meet() -> bytes:
        one, other = Channel.pair()
        async with AsyncChannel(one) as ours, AsyncChannel(other) as theirs:
            waiting = asyncio.create_task(ours.recv(Expected(5)))
            await asyncio.sleep(0)
            in_child(ours.close)
            await theirs.send(b"later")
            async with asyncio.timeout(SECONDS):
                return (await waiting).body

    assert asyncio.run(meet()) == b"later"


def test_a_child_that_is_forked_makes_its_own() -> None:
    def child() -> None:
        one, other = Channel.pair()
        with one, other:
            one.send(b"x")
            assert other.recv(Expected(1)).body == b"x"

    in_child(child)
    with pytest.raises(HandoffError):
        Channel.connect(f"\0wirecontract-nobody-{os.getpid()}")
