"""Pools of `wirecontract.host`: equal buffers that are used again when nobody has them, and not before."""

import gc
import os
import threading
import time

import pytest
from wirecontract.contracts import Code
from wirecontract.handoff import Channel
from wirecontract.host import (
    Busy,
    Closed,
    HostMapping,
    Pool,
    PoolCounts,
    PoolTimeout,
    SizeError,
)
from wirecontract.lease import Consumer, Lend, Lost, Producer

pytestmark = pytest.mark.usefixtures("balanced")

SECONDS = 60.0


def test_a_buffer_is_used_again_when_its_handle_and_all_holds_are_gone() -> None:
    pool = Pool(10, 2, name="pooled")
    frame = pool.take(SECONDS)
    with frame.view() as view:
        view[:] = b"0123456789"
    one, other = frame.hold(), frame.hold()
    frame.close()
    assert pool.counts() == PoolCounts(0, 1, 2)
    with pytest.raises(Closed):
        frame.view()
    with pytest.raises(Closed):
        frame.hold()
    one.close()
    assert pool.counts() == PoolCounts(0, 1, 2)
    del other
    assert pool.counts() == PoolCounts(1, 0, 2)
    with pool.take(SECONDS) as again:
        # It is the same one, and has in it what was left there.
        with again.view() as view:
            assert bytes(view) == b"0123456789"
        with HostMapping.open(again.consumer_fd(), again.describe()) as mapping, mapping.view() as view:
            assert bytes(view) == b"0123456789"
    pool.trim()
    assert pool.counts() == PoolCounts(0, 0, 2)


def test_a_buffer_is_not_used_again_under_a_view() -> None:
    pool = Pool(4, 1)
    frame = pool.take(SECONDS)
    view = frame.view()
    with pytest.raises(Busy, match="release each memoryview"):
        frame.close()
    part = view[1:3]
    view.release()
    # Dropped, it goes back as soon as nobody looks at it any more.
    del frame
    gc.collect()
    with pytest.raises(Busy, match="expected one of 1 buffers to be free") as caught:
        pool.try_take()
    assert caught.value.code is Code.BUSY
    part.release()
    pool.try_take().close()

    def fail() -> None:
        with pool.take(SECONDS) as frame:
            raise LookupError(len(frame.view()))

    with pytest.raises(LookupError, match="4"):
        fail()
    gc.collect()
    assert pool.counts() == PoolCounts(1, 0, 1)


def test_a_buffer_is_waited_for_no_longer_than_the_limit() -> None:
    pool = Pool(4, 1)
    with pool.take(SECONDS) as frame:
        with pytest.raises(PoolTimeout, match="to be free within 10ms") as caught:
            pool.take(0.01)
        assert (caught.value.code, isinstance(caught.value, TimeoutError)) == (Code.TIMEOUT, True)
        hold = frame.hold()
    taken: list[int] = []

    def take() -> None:
        with pool.take(SECONDS) as frame:
            taken.append(frame.size)

    threads = [threading.Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.02)
    assert taken == []
    hold.close()
    for thread in threads:
        thread.join(SECONDS)
    assert taken == [4] * 3
    assert pool.counts() == PoolCounts(1, 0, 1)


def test_a_buffer_of_a_zeroed_pool_is_zero_whenever_it_is_taken() -> None:
    pool = Pool(10_000, 1, zeroed=True, offset=3)
    for _ in range(3):
        with pool.take(SECONDS) as frame, frame.view() as view:
            assert bytes(view) == bytes(10_000)
            view[:] = b"\xff" * 10_000


def test_what_cannot_be_made_takes_no_place() -> None:
    with pytest.raises(SizeError, match="a pool of at least 1 buffer, found 0"):
        Pool(4, 0)
    pool = Pool(1 << 62, 1, populate=True)
    for _ in range(2):
        with pytest.raises(SizeError, match="as many as the machine has"):
            pool.take(SECONDS)
        assert pool.counts() == PoolCounts(0, 0, 1)


def test_what_is_in_use_outlives_its_pool() -> None:
    pool = Pool(4, 1)
    frame = pool.take(SECONDS)
    del pool
    gc.collect()
    with frame.view() as view:
        view[:] = b"mine"
    frame.close()


def test_threads_never_have_one_buffer_at_once() -> None:
    pool = Pool(8, 2)
    wrong: list[bytes] = []

    def use(number: int) -> None:
        mine = number.to_bytes(8, "little")
        for _ in range(300):
            with pool.take(SECONDS) as frame, frame.view() as view:
                view[:] = mine
                if bytes(view) != mine:
                    wrong.append(bytes(view))

    threads = [threading.Thread(target=use, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert wrong == []
    counts = pool.counts()
    assert (counts.in_use, 1 <= counts.free <= 2) == (0, True)


def test_a_lent_buffer_is_used_again_when_every_lease_on_it_is_over() -> None:
    pool = Pool(6, 1)
    ours, theirs = Channel.pair()
    with Producer(ours) as producer, Consumer(theirs) as consumer:
        for number in range(3):
            with pool.take(SECONDS) as frame:
                with frame.view() as view:
                    view[:] = b"frame%d" % number
                lend = Lend.pooled(frame)
            leases = [producer.offer_without_waiting(lend) for _ in range(2)]
            del lend
            for _ in range(2):
                assert pool.counts().in_use == 1
                with consumer.next(SECONDS) as held, held.view() as view:
                    assert bytes(view) == b"frame%d" % number
            for lease in leases:
                lease.wait_released(SECONDS)
            assert pool.counts() == PoolCounts(1, 0, 1)
        # As it is, without a word.
        with pool.take(SECONDS) as frame:
            lease = producer.offer_without_waiting(frame)
        producer.close()
        assert pool.counts() == PoolCounts(1, 0, 1)
        assert lease.outcome is not None


def test_an_error_that_is_kept_keeps_no_buffer() -> None:
    pool = Pool(6, 1)
    ours, theirs = Channel.pair()
    with Producer(ours) as producer:
        theirs.close()
        with pool.take(SECONDS) as frame, pytest.raises(Lost):
            # It is found within this call, whose frames have the buffer.
            producer.offer(frame)
        assert producer.lost is not None
        gc.collect()
        assert pool.counts() == PoolCounts(1, 0, 1)


def test_a_buffer_that_the_collector_finds_goes_back() -> None:
    pool = Pool(6, 1)
    ring: list[object] = [pool.take(SECONDS)]
    ring.append(ring)
    del ring
    gc.collect()
    assert pool.counts() == PoolCounts(1, 0, 1)
    with pool.take(SECONDS) as frame, frame.consumer_fd() as fd:
        assert os.fstat(fd.fileno()).st_size == 4096
