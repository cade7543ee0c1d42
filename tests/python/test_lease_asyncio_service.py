"""A service, its producers and its leases, that tasks of an event loop wait for."""

import asyncio
import threading
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import wirecontract
from wirecontract import host
from wirecontract.contracts.buffer import EndReason
from wirecontract.handoff import AsyncChannel, AsyncListener, Channel, ChannelClosed
from wirecontract.lease import (
    AsyncConsumer,
    AsyncLease,
    AsyncService,
    Consumer,
    Joined,
    LeaseTimeout,
    Left,
    Lost,
    Options,
    ServiceEvent,
    TurnedAway,
)

pytestmark = pytest.mark.usefixtures("balanced")

SECONDS = 30


def a_service(path: Path, options: Options | None = None) -> AsyncService:
    return AsyncService(AsyncListener.bind(path), options)


async def joined(service: AsyncService, count: int) -> list[int]:
    """Waits until so many have joined; their numbers."""
    numbers = []
    async for event in service:
        assert isinstance(event, Joined)
        numbers.append(event.consumer)
        if len(numbers) == count:
            break
    return numbers


def test_sixty_four_consumers_are_tasks_of_one_service(tmp_path: Path) -> None:
    path, rounds = tmp_path / "service.sock", 3

    async def borrow(connect: object) -> list[int]:
        channel = await AsyncChannel.connect(path) if connect else await wirecontract.aconnect(path)
        async with AsyncConsumer(channel) as consumer:
            found = []
            for _ in range(rounds):
                with await consumer.next(SECONDS) as held, held.view() as view:
                    found.append(view[0])
            return found

    async def run() -> None:
        async with a_service(path) as service:
            # Of both packages.
            borrowing = [asyncio.create_task(borrow(number % 2)) for number in range(64)]
            numbers = await joined(service, 64)
            for number in range(rounds):
                with host.HostBuffer(1) as buffer:
                    with buffer.view() as view:
                        view[0] = number
                    leases = [
                        lease for _, lease in service.broadcast(buffer) if isinstance(lease, AsyncLease)
                    ]
                    ends = await asyncio.gather(*(lease.wait_released(SECONDS) for lease in leases))
                    assert [end.reason for end in ends] == [EndReason.RELEASED] * 64
            assert await asyncio.gather(*borrowing) == [list(range(rounds))] * 64
            left: list[ServiceEvent] = []
            while len(left) < 64:
                left += await service.poll(SECONDS)
            assert sorted(event.consumer for event in left if isinstance(event, Left)) == sorted(numbers)
            assert (service.consumers(), service.outstanding()) == ([], [])

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_a_producer_of_a_service_is_waited_for_as_any_other(tmp_path: Path) -> None:
    path = tmp_path / "service.sock"

    async def run() -> None:
        async with a_service(path) as service, AsyncExitStack() as stack:
            consumers = [
                await stack.enter_async_context(AsyncConsumer(await AsyncChannel.connect(path)))
                for _ in range(2)
            ]
            first, other = await joined(service, 2)
            producer, another = service.producer(first), service.producer(other)
            assert producer is not None
            assert another is not None
            with host.HostBuffer(1) as buffer:
                offering = asyncio.create_task(producer.offer(buffer))
                with await consumers[0].next(SECONDS):
                    async with await offering as lease:
                        with pytest.raises(LeaseTimeout):
                            await lease.wait_released(0.01)
                    assert (await lease.wait_released()).reason is EndReason.REVOKED
            asking = asyncio.create_task(producer.ping(SECONDS))
            with pytest.raises(LeaseTimeout):
                await consumers[0].next(0.05)
            await asking
            waiting = asyncio.create_task(producer.wait_closed(SECONDS))
            await asyncio.sleep(0.01)
            consumers[0].close()
            assert (await waiting).reason is EndReason.PEER_CLOSED
            assert another.lost is None
            (left,) = await service.poll(SECONDS)
            assert isinstance(left, Left)
            assert (left.consumer, left.lost.reason) == (first, EndReason.PEER_CLOSED)
            assert service.producer(first) is None

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_a_service_at_a_native_listener_is_refused_in_words(tmp_path: Path) -> None:
    async def run() -> None:
        with wirecontract.listen(tmp_path / "service.sock") as listener:
            for given in (listener, AsyncListener(listener)):
                with pytest.raises(TypeError, match=r"found a native one: AsyncListener\.bind"):
                    AsyncService(given)  # type: ignore[arg-type]

    asyncio.run(run())


@pytest.mark.parametrize("who", ["task", "thread", "thread of the service's"])
def test_closing_a_service_ends_the_waiting_of_its_tasks(who: str, tmp_path: Path) -> None:
    path = tmp_path / "service.sock"

    async def run() -> None:
        service = a_service(path)
        async with AsyncConsumer(await AsyncChannel.connect(path)) as consumer:
            (number,) = await joined(service, 1)
            producer = service.producer(number)
            assert producer is not None
            with host.HostBuffer(1) as buffer:
                ((_, lease),) = service.broadcast(buffer)
                assert isinstance(lease, AsyncLease)
                polling = asyncio.create_task(service.poll())
                pinging = asyncio.create_task(producer.ping())
                releasing = asyncio.create_task(lease.wait_released())
                await asyncio.sleep(0.01)
                closing = None
                if who == "task":
                    service.close()
                else:
                    close = service.close if who == "thread" else service.service.close
                    # When the event loop waits, and nothing but this wakes it.
                    closing = threading.Timer(0.01, close)
                    closing.start()
                with pytest.raises(ChannelClosed):
                    await polling
                with pytest.raises(Lost):
                    await pinging
                assert (await releasing).reason is EndReason.REVOKED
                if closing is not None:
                    # It has the service until it is over.
                    await asyncio.to_thread(closing.join)
            with pytest.raises(ChannelClosed):
                async for _ in service:
                    pass
            service.close()
            assert (await consumer.wait_closed(SECONDS)).reason is EndReason.PEER_CLOSED

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_a_polling_that_is_cancelled_loses_no_event(tmp_path: Path) -> None:
    path = tmp_path / "service.sock"

    async def run() -> None:
        async with a_service(path) as service:
            polling = asyncio.create_task(service.poll())
            await asyncio.sleep(0)
            async with AsyncConsumer(await AsyncChannel.connect(path)):
                while not service.service.has_news:
                    await asyncio.sleep(0)
                polling.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await polling
                (event,) = await service.poll(SECONDS)
                assert isinstance(event, Joined)
                assert await service.poll(0.01) == []

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_who_says_no_hello_is_late_though_a_lease_alone_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "service.sock"

    async def run() -> None:
        async with (
            a_service(path, Options(hello_timeout=0.1)) as service,
            AsyncConsumer(await AsyncChannel.connect(path)),
        ):
            (number,) = await joined(service, 1)
            producer = service.producer(number)
            assert producer is not None
            waiting = asyncio.create_task(producer.wait_closed())
            await asyncio.sleep(0.01)
            async with await AsyncChannel.connect(path) as silent:
                assert await silent.wait_closed(SECONDS)
            waiting.cancel()
            (away,) = await service.poll(SECONDS)
            assert isinstance(away, TurnedAway)

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_what_a_thread_hears_of_a_service_wakes_its_tasks(tmp_path: Path) -> None:
    path = tmp_path / "service.sock"

    async def run() -> None:
        async with a_service(path) as service:
            with Consumer(Channel.connect(path)) as consumer, host.HostBuffer(1) as buffer:
                (number,) = await joined(service, 1)
                ((_, lease),) = service.broadcast(buffer)
                assert isinstance(lease, AsyncLease)
                releasing = asyncio.create_task(lease.wait_released())
                await asyncio.sleep(0.01)
                with consumer.next(SECONDS):
                    pass
                producer = service.service.producer(number)
                assert producer is not None
                # Hears it in place of the event loop, which finds nothing to read.
                hearing = threading.Thread(target=producer.poll)
                hearing.start()
                hearing.join()
                assert (await asyncio.wait_for(releasing, 5)).reason is EndReason.RELEASED

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_what_fails_while_a_service_is_driven_is_said_to_who_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        async with a_service(tmp_path / "service.sock") as service:
            polling = [asyncio.create_task(service.poll()) for _ in range(2)]
            await asyncio.sleep(0.01)
            with monkeypatch.context() as patch:

                def fail() -> None:
                    raise LookupError

                patch.setattr(service.service, "_hurry", fail)
                async with AsyncConsumer(await AsyncChannel.connect(tmp_path / "service.sock")):
                    for task in polling:
                        with pytest.raises(LookupError):
                            await task
                    patch.undo()
                    (event,) = await service.poll(SECONDS)
                    assert isinstance(event, Joined)

    asyncio.run(asyncio.wait_for(run(), SECONDS))
