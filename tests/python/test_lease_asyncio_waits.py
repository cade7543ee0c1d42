"""Each wait of tasks for a lease: what wakes it, and what is left where it ends otherwise."""

import asyncio
import os
import selectors
import signal
import socket
import threading
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import wirecontract
from wirecontract import handoff, host, lease
from wirecontract.contracts.buffer import EndReason
from wirecontract.lease import AsyncConsumer, AsyncProducer, Doing, End, Ended, LeaseTimeout, Lost

pytestmark = pytest.mark.usefixtures("balanced")

SECONDS = 60
SOON = 5
PACKAGES: dict[str, Any] = {"native": wirecontract, "pure": lease}
CHANNELS: dict[str, Any] = {"native": wirecontract.Channel, "pure": handoff.Channel}


class World:
    """A side that tasks wait for, and the other side, which is called as a thread does."""

    producer: AsyncProducer
    consumer: AsyncConsumer
    lease: Any

    def __init__(self, ours: Any, theirs: Any) -> None:
        self.ours, self.theirs = ours, theirs
        self.buffer = host.HostBuffer(1)
        self.held: list[Any] = []

    def take(self) -> None:
        self.held.append(self.theirs.next(SECONDS))

    def give_back(self) -> None:
        while self.held:
            self.held.pop().release()

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()
        self.give_back()
        self.buffer.close()


class Case:
    """A wait: whose it is, what is there before, what is waited for, and what the other side does then."""

    side: Any
    role = "silent"
    doing: Doing
    lost: Any = Lost

    def prepare(self, world: World) -> None:
        pass

    def wait(self, world: World, within: float | None = None) -> Coroutine[Any, Any, Any]:
        raise NotImplementedError

    def answer(self, world: World) -> None:
        raise NotImplementedError


class Offer(Case):
    side, doing = AsyncProducer, Doing.ANSWER

    def wait(self, world: World, within: float | None = None) -> Coroutine[Any, Any, Any]:
        world.ours._options = lease.Options(answer_timeout=within)
        return world.ours.offer(world.buffer)  # type: ignore[no-any-return]

    def answer(self, world: World) -> None:
        world.take()


class Taken(Case):
    side, doing = AsyncProducer, Doing.ANSWER

    def prepare(self, world: World) -> None:
        world.lease = world.ours.offer_without_waiting(world.buffer)

    def wait(self, world: World, within: float | None = None) -> Coroutine[Any, Any, Any]:
        return world.lease.wait_taken(within)  # type: ignore[no-any-return]

    def answer(self, world: World) -> None:
        world.take()


class Released(Taken):
    doing, role, lost = Doing.RELEASE, "takes", End

    def prepare(self, world: World) -> None:
        super().prepare(world)
        if world.theirs is not None:
            world.take()

    def wait(self, world: World, within: float | None = None) -> Coroutine[Any, Any, Any]:
        return world.lease.wait_released(within)  # type: ignore[no-any-return]

    def answer(self, world: World) -> None:
        world.give_back()


class Revoked(Released):
    def wait(self, world: World, within: float | None = None) -> Coroutine[Any, Any, Any]:
        return world.lease.revoke(within)  # type: ignore[no-any-return]


class Pinged(Case):
    side: Any = AsyncProducer
    doing = Doing.PONG

    def wait(self, world: World, within: float | None = None) -> Coroutine[Any, Any, Any]:
        return world.ours.ping(within)  # type: ignore[no-any-return]

    def answer(self, world: World) -> None:
        world.theirs.poll()


class Closed(Case):
    side: Any = AsyncProducer
    doing, lost = Doing.CLOSE, EndReason

    def wait(self, world: World, within: float | None = None) -> Coroutine[Any, Any, Any]:
        async def reason() -> EndReason:
            found: Lost = await world.ours.wait_closed(within)
            return found.reason

        return reason()

    def answer(self, world: World) -> None:
        world.theirs.close()


class ConsumerPinged(Pinged):
    side = AsyncConsumer

    def prepare(self, world: World) -> None:
        # The question is behind the hellos.
        if world.theirs is not None:
            world.theirs.poll()


class ConsumerClosed(Closed):
    side = AsyncConsumer


class Next(Case):
    side, doing = AsyncConsumer, Doing.OFFER

    def wait(self, world: World, within: float | None = None) -> Coroutine[Any, Any, Any]:
        async def held() -> None:
            world.held.append(await world.ours.next(within))

        return held()

    def answer(self, world: World) -> None:
        world.lease = world.theirs.offer_without_waiting(world.buffer)


class Offered(Next):
    doing = Doing.EVENT

    def wait(self, world: World, within: float | None = None) -> Coroutine[Any, Any, Any]:
        return world.ours.wait(within)  # type: ignore[no-any-return]


class Happened(Case):
    side, doing, role, lost = AsyncConsumer, Doing.EVENT, "lends", Ended

    def prepare(self, world: World) -> None:
        if world.theirs is not None:
            world.lease = world.theirs.offer_without_waiting(world.buffer)
        world.held.append(world.ours.consumer.next(SECONDS))

    def wait(self, world: World, within: float | None = None) -> Coroutine[Any, Any, Any]:
        return world.ours.next_event(within)  # type: ignore[no-any-return]

    def answer(self, world: World) -> None:
        world.lease.end()


CASES = {
    case.__name__: case()
    for case in (
        Offer,
        Taken,
        Released,
        Revoked,
        Pinged,
        Closed,
        ConsumerPinged,
        ConsumerClosed,
        Next,
        Offered,
        Happened,
    )
}


@pytest.fixture(params=PACKAGES)
def package(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def a_world(case: Case, package: str) -> World:
    one, other = CHANNELS[package].pair()
    plain = PACKAGES[package]
    if case.side is AsyncProducer:
        return World(AsyncProducer(one), plain.Consumer(other))
    return World(AsyncConsumer(one), plain.Producer(other))


async def begun(case: Case, world: World) -> "asyncio.Task[Any]":
    """The wait, which has nothing yet."""
    task = asyncio.create_task(case.wait(world))
    for _ in range(20):
        await asyncio.sleep(0.001)
        assert not task.done()
    return task


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("how", ["cancel", "timeout", "within"])
def test_a_wait_that_is_ended_loses_nothing(case: Case, package: str, how: str) -> None:
    async def run() -> None:
        world = a_world(case, package)
        case.prepare(world)
        # What is watched with is kept for the next wait.
        first = asyncio.create_task(world.ours.wait_closed())
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        before = open_files()
        if how == "cancel":
            task = await begun(case, world)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        elif how == "timeout":
            with pytest.raises(TimeoutError) as late:
                async with asyncio.timeout(0.01):
                    await case.wait(world)
            assert not isinstance(late.value, LeaseTimeout)
        else:
            with pytest.raises(LeaseTimeout) as caught:
                await case.wait(world, 0.01)
            assert (caught.value.doing, caught.value.after) == (case.doing, 0.01)
        assert open_files() == before
        if isinstance(case, Offer):
            # It is taken back: the other side finds none.
            assert world.ours.outstanding() == []
            assert world.theirs.try_next() is None
        task = await begun(case, world)
        case.answer(world)
        await asyncio.wait_for(task, SOON)
        # Of what was waited for there is no second one.
        if isinstance(case, Next | Happened):
            again = asyncio.create_task(case.wait(world) if type(case) is not Offered else world.ours.next())
            await asyncio.sleep(0.01)
            assert again.done() == (type(case) is Offered)
            again.cancel()
            with suppress(asyncio.CancelledError):
                world.held.append(await again)
        world.close()

    asyncio.run(run())


@pytest.mark.parametrize("who", ["task", "thread", "channel", "thread of the task's"])
def test_a_side_that_is_closed_ends_the_waiting(case: Case, package: str, who: str) -> None:
    async def run() -> None:
        channel, other = CHANNELS[package].pair()
        plain = PACKAGES[package]
        theirs = plain.Consumer(other) if case.side is AsyncProducer else plain.Producer(other)
        world = World(case.side(channel), theirs)
        case.prepare(world)
        task = await begun(case, world)
        closing = None
        if who == "task":
            world.ours.close()
        else:
            closes = {"thread": world.ours._side.close, "channel": channel.close}
            # When the event loop waits, and nothing but this wakes it.
            closing = threading.Timer(0.01, closes.get(who, world.ours.close))
            closing.start()
        await ends(case, task)
        if closing is not None:
            # It has the side until it is over.
            await asyncio.to_thread(closing.join)
        with pytest.raises(Lost):
            await world.ours.ping()
        world.close()

    asyncio.run(run())


async def ends(case: Case, task: "asyncio.Task[Any]") -> None:
    """The wait ends as is said of it where the channel does."""
    if case.lost is Lost:
        with pytest.raises(Lost):
            await asyncio.wait_for(task, SOON)
    else:
        assert isinstance(await asyncio.wait_for(task, SOON), case.lost)


def peer(package: str, role: str, theirs: socket.socket) -> None:
    """A process that has the other side, until it is killed."""
    try:
        channel = CHANNELS[package].from_fd(theirs.detach())
        if role == "takes":
            kept = PACKAGES[package].Consumer(channel).next(SECONDS)
        elif role == "lends":
            kept = PACKAGES[package].Producer(channel)
            kept.offer(host.HostBuffer(1))
        else:
            kept = channel
        while kept is not None:
            signal.pause()
    finally:
        os._exit(1)


def test_a_peer_that_is_killed_ends_the_waiting(case: Case, package: str) -> None:
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        peer(package, case.role, theirs)
    theirs.close()

    async def run() -> None:
        world = World(case.side(CHANNELS[package].from_fd(ours.detach())), None)
        try:
            case.prepare(world)
            if case.role == "takes":
                await world.lease.wait_taken(SECONDS)
            task = await begun(case, world)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        await ends(case, task)
        world.ours.close()
        world.give_back()
        world.buffer.close()

    asyncio.run(run())


def test_a_peer_that_is_killed_is_known_though_a_child_has_its_socket(package: str, tmp_path: Path) -> None:
    path = tmp_path / "peer.sock"
    tells, told = os.pipe()
    child = os.fork()
    if child == 0:
        while True:
            with suppress(OSError):
                channel = handoff.Channel.connect(path)
                break
        other = os.fork()
        if other:
            os.write(told, b"%d" % other)
        while not channel.closed:
            signal.pause()
    os.close(told)

    async def run() -> None:
        listen = wirecontract.alisten if package == "native" else handoff.AsyncListener.bind
        async with listen(path) as listener, AsyncProducer(await listener.accept(SECONDS)) as producer:
            other = int(os.read(tells, 20))
            try:
                waiting = asyncio.create_task(producer.wait_closed())
                await asyncio.sleep(0.01)
                assert not waiting.done()
                os.kill(child, signal.SIGKILL)
                assert (await asyncio.wait_for(waiting, SOON)).reason is EndReason.PEER_DIED
            finally:
                os.kill(other, signal.SIGKILL)

    asyncio.run(run())
    os.waitpid(child, 0)
    os.close(tells)


class Counting(selectors.DefaultSelector):
    """Counts how often an event loop has looked."""

    count = 0

    def select(self, timeout: float | None = None) -> Any:
        self.count += 1
        return super().select(timeout)


def test_tasks_that_wait_look_at_nothing_until_they_are_woken(case: Case, package: str) -> None:
    selector = Counting()

    async def run() -> None:
        world = a_world(case, package)
        case.prepare(world)
        task = await begun(case, world)
        before = selector.count
        await asyncio.sleep(0.3)
        # The beginning and the end of this very sleep.
        assert selector.count - before <= 3
        assert not task.done()
        case.answer(world)
        await asyncio.wait_for(task, SOON)
        world.close()

    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector)) as runner:
        runner.run(run())


def test_a_plain_call_wakes_whoever_waits(case: Case, package: str) -> None:
    async def run() -> None:
        world = a_world(case, package)
        case.prepare(world)
        task = await begun(case, world)
        case.answer(world)
        # Hears it in place of the event loop, which finds nothing to read, if the wait is for what is heard.
        hearing = threading.Thread(target=world.ours._side.poll)
        hearing.start()
        hearing.join()
        await asyncio.wait_for(task, SOON)
        world.close()

    asyncio.run(run())


def test_a_side_waits_in_one_event_loop_after_another(package: str) -> None:
    one, other = CHANNELS[package].pair()
    consumer, producer = AsyncConsumer(one), PACKAGES[package].Producer(other)

    async def late() -> None:
        with pytest.raises(LeaseTimeout):
            await consumer.next(0.01)

    async def found() -> None:
        waiting = asyncio.create_task(consumer.next(SOON))
        await asyncio.sleep(0.01)
        producer.offer_without_waiting(buffer)
        (await waiting).release()

    with host.HostBuffer(1) as buffer:
        asyncio.run(late())
        asyncio.run(found())
        asyncio.run(found())
    consumer.close()
    producer.close()


def test_a_side_is_closed_though_the_event_loop_of_its_tasks_is(package: str) -> None:
    one, other = CHANNELS[package].pair()
    consumer, loop = AsyncConsumer(one), asyncio.new_event_loop()
    task = loop.create_task(consumer.next())
    loop.run_until_complete(asyncio.sleep(0.01))
    loop.close()
    consumer.close()
    with PACKAGES[package].Producer(other) as producer, pytest.raises(Lost):
        producer.ping(SOON)
    # Nobody asks how it ended.
    task._log_destroy_pending = False  # type: ignore[attr-defined]


def test_tasks_of_two_event_loops_do_not_wait_for_one_side(package: str) -> None:
    one, other = CHANNELS[package].pair()
    consumer = AsyncConsumer(one)

    async def run() -> None:
        waiting = asyncio.create_task(consumer.next(SOON))
        await asyncio.sleep(0.01)
        with pytest.raises(RuntimeError, match="of one event loop, found that those of another"):
            await asyncio.to_thread(asyncio.run, consumer.next(SOON))
        consumer.close()
        with pytest.raises(Lost):
            await waiting

    with PACKAGES[package].Producer(other):
        asyncio.run(run())


def test_what_the_kernel_does_not_take_of_a_plain_call_is_sent_while_a_task_waits(package: str) -> None:
    offers = 300

    async def run() -> None:
        one, other = CHANNELS[package].pair(handoff.Options(send_buffer=1))
        options = lease.Options(hello=False)
        async with AsyncProducer(one, options) as producer, handoff.AsyncChannel(other) as theirs:
            with host.HostBuffer(1) as buffer:
                waiting = asyncio.create_task(producer.wait_closed())
                await asyncio.sleep(0.01)
                for _ in range(offers):
                    producer.producer.offer_without_waiting(buffer)
                # Until there is no more room.
                await asyncio.sleep(0.05)
                # They come though nothing is said, by which the side would be woken.
                for number in range(offers):
                    with await theirs.recv(handoff.Expected(1 << 16, fds=1), SOON) as message:
                        assert b'"lease_id":"%d"' % (number + 1) in message.body
                waiting.cancel()

    asyncio.run(run())


def test_what_comes_while_no_task_waits_keeps_no_event_loop_busy(package: str) -> None:
    selector = Counting()

    async def run() -> None:
        world = a_world(CASES["Next"], package)
        for _ in range(2):
            waiting = await begun(CASES["Next"], world)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        world.theirs.offer_without_waiting(world.buffer)
        before = selector.count
        await asyncio.sleep(0.1)
        assert selector.count - before <= 3
        world.held.append(await world.ours.next(SOON))
        world.close()

    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector)) as runner:
        runner.run(run())


def test_memory_that_is_dropped_with_a_view_is_given_back_when_that_is_gone() -> None:
    async def run() -> None:
        one, other = handoff.Channel.pair()
        async with AsyncProducer(one) as producer, AsyncConsumer(other) as consumer:
            with host.HostBuffer(1) as buffer:
                given = producer.offer_without_waiting(buffer)
                held = await consumer.next(SECONDS)
                view = held.view()
                waiting = asyncio.create_task(consumer.next())
                await asyncio.sleep(0.01)
                del held
                await asyncio.sleep(0.01)
                assert given.try_released() is None
                view.release()
                assert (await given.wait_released(SOON)).reason is EndReason.RELEASED
                waiting.cancel()

    asyncio.run(run())


class NoReaders(asyncio.SelectorEventLoop):
    """An event loop that watches no file descriptors, as that of Windows's."""

    def add_reader(self, *_: object) -> Any:
        raise NotImplementedError

    def add_writer(self, *_: object) -> Any:
        raise NotImplementedError


def test_an_event_loop_that_watches_nothing_is_refused(package: str) -> None:
    one, other = CHANNELS[package].pair()
    three, four = CHANNELS[package].pair()

    async def run() -> None:
        text = (
            r"expected an event loop that watches file descriptors \(add_reader\), found NoReaders: run it in"
        )
        async with AsyncProducer(one) as producer:
            with host.HostBuffer(1) as buffer, pytest.raises(RuntimeError, match=text):
                await producer.offer(buffer)
            assert producer.outstanding() == []
        async with handoff.AsyncChannel(three) as channel:
            with pytest.raises(RuntimeError, match=text):
                await channel.recv(handoff.Expected(1))

    # Its own waiting for threads has readers.
    loop = asyncio.SelectorEventLoop()
    loop.__class__ = NoReaders
    try:
        loop.run_until_complete(run())
    finally:
        loop.close()
        other.close()
        four.close()
