"""Producers and consumers that tasks of an event loop wait for."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from typing import Any

import pytest
import wirecontract
from wirecontract import handoff, host
from wirecontract.contracts.buffer import EndReason
from wirecontract.lease import AsyncConsumer, AsyncProducer, Doing, LeaseTimeout, Lost

pytestmark = pytest.mark.usefixtures("balanced")

SECONDS = 60
PAIRS: dict[str, Callable[[], Any]] = {"native": wirecontract.Channel.pair, "pure": handoff.Channel.pair}


@pytest.fixture(params=PAIRS)
def pair(request: pytest.FixtureRequest) -> Any:
    return PAIRS[request.param]


def test_a_buffer_is_lent_and_given_back(pair: Any) -> None:
    async def run() -> None:
        one, other = pair()
        async with AsyncProducer(one) as producer, AsyncConsumer(other) as consumer:
            with host.HostBuffer(6) as buffer:
                offering = asyncio.create_task(producer.offer(buffer))
                with await consumer.next(SECONDS) as held:
                    assert held.buffer.size == 6
                    lease = await offering
                    with pytest.raises(LeaseTimeout) as caught:
                        await lease.wait_released(0.01)
                    assert (caught.value.doing, caught.value.after) == (Doing.RELEASE, 0.01)
                assert (await lease.wait_released(SECONDS)).reason is EndReason.RELEASED

    asyncio.run(run())


def test_a_native_buffer_is_lent_on_channels_of_both_packages(pair: Any) -> None:
    async def run() -> None:
        one, other = pair()
        async with AsyncProducer(one) as producer, AsyncConsumer(other) as consumer:
            with wirecontract.HostBuffer(6) as buffer:
                offering = asyncio.create_task(producer.offer(buffer))
                with await consumer.next(SECONDS) as held:
                    assert held.buffer.size == 6
                await (await offering).wait_released(SECONDS)

    asyncio.run(run())


def test_what_is_cancelled_loses_no_offer_and_leaves_none(pair: Any) -> None:
    async def run() -> None:
        one, other = pair()
        async with AsyncProducer(one) as producer, AsyncConsumer(other) as consumer:
            with host.HostBuffer(6) as buffer:
                for task in (
                    asyncio.create_task(consumer.next()),
                    asyncio.create_task(producer.offer(buffer)),
                ):
                    await asyncio.sleep(0)
                    task.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await task
                with pytest.raises(LeaseTimeout):
                    await consumer.next(0.01)
                offering = asyncio.create_task(producer.offer(buffer))
                with await consumer.next(SECONDS):
                    await offering

    asyncio.run(run())


def test_closing_ends_the_waiting_of_tasks(pair: Any) -> None:
    async def run() -> None:
        one, other = pair()
        async with AsyncProducer(one) as producer:
            consumer = AsyncConsumer(other)
            waiting = [asyncio.create_task(consumer.next()) for _ in range(2)]
            await asyncio.sleep(0.01)
            consumer.close()
            for task in waiting:
                with pytest.raises(Lost):
                    await task
            assert (await producer.wait_closed(SECONDS)).reason is EndReason.PEER_CLOSED

    asyncio.run(run())


def test_sixty_four_consumers_are_tasks_of_one_event_loop(pair: Any) -> None:
    async def borrow(consumer: AsyncConsumer) -> int:
        async with consumer:
            with await consumer.next(SECONDS) as held, held.view() as view:
                return view[0]

    async def lend(producer: AsyncProducer, number: int) -> EndReason:
        async with producer:
            with host.HostBuffer(1) as buffer:
                with buffer.view() as view:
                    view[0] = number
                lease = await producer.offer(buffer)
                return (await lease.wait_released(SECONDS)).reason

    async def run() -> None:
        pairs = [pair() for _ in range(64)]
        lending = [lend(AsyncProducer(one), number) for number, (one, _) in enumerate(pairs)]
        borrowing = [borrow(AsyncConsumer(other)) for _, other in pairs]
        reasons, numbers = await asyncio.gather(asyncio.gather(*lending), asyncio.gather(*borrowing))
        assert reasons == [EndReason.RELEASED] * 64
        assert numbers == list(range(64))

    asyncio.run(run())


def test_a_peer_that_is_killed_ends_the_waiting_of_tasks() -> None:
    for package in (handoff, wirecontract):
        ours, theirs = socket.socketpair()
        child = os.fork()
        if child == 0:
            ours.close()
            signal.pause()
            os._exit(0)
        theirs.close()

        async def run(channel: Any, child: int) -> None:
            async with AsyncProducer(channel) as producer:
                with host.HostBuffer(1) as buffer:
                    offering = asyncio.create_task(producer.offer(buffer))
                    await asyncio.sleep(0.05)
                    assert not offering.done()
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                    with pytest.raises(Lost):
                        await asyncio.wait_for(offering, SECONDS)

        asyncio.run(run(package.Channel.from_fd(ours.detach()), child))


def test_what_a_plain_call_heard_is_found_by_a_task_that_waits(pair: Any) -> None:
    async def run() -> None:
        one, other = pair()
        async with AsyncProducer(one) as producer, AsyncConsumer(other) as consumer:
            with host.HostBuffer(1) as buffer:
                offering = asyncio.create_task(producer.offer(buffer))
                held = await consumer.next(SECONDS)
                lease = await offering
                releasing = asyncio.create_task(lease.wait_released())
                await asyncio.sleep(0.01)
                held.release()
                # Hears it in place of the event loop, which finds nothing to read.
                assert lease.lease.try_released() is not None
                assert (await asyncio.wait_for(releasing, 5)).reason is EndReason.RELEASED

    asyncio.run(run())
