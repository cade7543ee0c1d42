"""Each wait of tasks for a channel: what is left where it ends otherwise."""

import asyncio
import os
import select
import signal
import socket
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import wirecontract
from wirecontract import handoff
from wirecontract.contracts.buffer import SharedBuffer
from wirecontract.contracts.texture import CheckIn, CheckInMessage
from wirecontract.handoff import (
    AsyncChannel,
    AsyncListener,
    ChannelClosed,
    ClosedInMessage,
    Doing,
    Expected,
    Fd,
    HandoffTimeout,
    Options,
    OutOfStep,
    PeerClosed,
)

pytestmark = pytest.mark.usefixtures("balanced")

SECONDS = 60
SOON = 5
PACKAGES: dict[str, Any] = {"native": wirecontract, "pure": handoff}
BIG = bytes(1 << 20)
LONG = Options(send_buffer=4096, message_timeout=SECONDS)
SPEAKS = Options(speaks=(SharedBuffer,), message_timeout=SECONDS)
ENOUGH = Expected(1 << 20)


@dataclass(frozen=True)
class Case:
    """A wait, what the other side does that ends it, and which messages are there for that side then."""

    wait: Callable[..., Coroutine[Any, Any, Any]]
    answer: Callable[[Any], Any]
    doing: Doing | None = Doing.WAITING
    options: Options = LONG
    before: Callable[[AsyncChannel], Coroutine[Any, Any, None]] | None = None
    sends: int = 0


async def half(channel: AsyncChannel) -> None:
    """Leaves a message half sent."""
    sending = asyncio.create_task(channel.send(BIG))
    await asyncio.sleep(0)
    sending.cancel()
    with suppress(asyncio.CancelledError):
        await sending
    assert channel.channel.send_limit()[0]


def a_message() -> CheckInMessage:
    planes = [os.memfd_create("plane")]
    return CheckInMessage(check_in=CheckIn.from_json(b'{"runtime_id":"camera"}'), planes=planes)


def framed(channel: Any) -> None:
    with a_message() as message:
        channel.send_framed(message)


def declared(channel: Any) -> None:
    with a_message() as message:
        channel.send_declared(message)


def say(channel: Any) -> None:
    channel.send(b"x")


def hear(channel: Any) -> None:
    """All that was sent, in a thread of its own."""


CASES: dict[str, Case] = {
    "recv": Case(lambda channel, within=None: channel.recv(ENOUGH, within), say),
    "recv_into": Case(lambda channel, within=None: channel.recv_into(bytearray(9), ENOUGH, within), say),
    "recv_declared": Case(
        lambda channel, within=None: channel.recv_declared(CheckInMessage, within), declared
    ),
    "recv_framed": Case(lambda channel, within=None: channel.recv_framed(CheckInMessage, within), framed),
    "recv_frame": Case(
        lambda channel, within=None: channel.recv_frame(Expected(1 << 16, fds=1), within), framed
    ),
    "agreed": Case(
        lambda channel, within=None: channel.agreed(SharedBuffer, within),
        lambda channel: channel.agreed(SharedBuffer),
        Doing.HELLO,
        SPEAKS,
    ),
    "wait_closed": Case(
        lambda channel, within=None: channel.wait_closed(within), lambda channel: channel.finish(), None
    ),
    "send": Case(lambda channel: channel.send(BIG), hear, None, sends=1),
    "send_vectored": Case(lambda channel: channel.send_vectored([BIG]), hear, None, sends=1),
    "flush": Case(lambda channel: channel.flush(), hear, None, before=half),
    "finish": Case(lambda channel: channel.finish(), hear, None, before=half),
}


@pytest.fixture(params=PACKAGES)
def package(request: pytest.FixtureRequest) -> Any:
    return PACKAGES[request.param]


@pytest.fixture(params=CASES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def sockets(package: Any, options: Options) -> tuple[AsyncChannel, socket.socket]:
    ours, theirs = socket.socketpair()
    return AsyncChannel(package.Channel.from_fd(ours.detach(), options)), theirs


def the_other(theirs: socket.socket, options: Options) -> Any:
    return handoff.Channel.from_fd(theirs.detach(), options)


async def begun(wait: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
    """The wait, which has nothing yet."""
    task = asyncio.create_task(wait)
    for _ in range(10):
        await asyncio.sleep(0.001)
        assert not task.done()
    return task


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("how", ["cancel", "timeout", "within"])
def test_a_wait_that_is_ended_loses_nothing(name: str, package: Any, how: str) -> None:
    case = CASES[name]

    async def run() -> None:
        channel, theirs = sockets(package, case.options)
        async with channel:
            if case.before is not None:
                await case.before(channel)
            before = open_files()
            if how == "cancel":
                task = await begun(case.wait(channel))
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            elif how == "timeout" or case.doing is None:
                with pytest.raises(TimeoutError) as late:
                    async with asyncio.timeout(0.01):
                        await case.wait(channel)
                assert not isinstance(late.value, HandoffTimeout)
            else:
                with pytest.raises(HandoffTimeout) as caught:
                    await case.wait(channel, 0.01)
                assert (caught.value.doing, caught.value.after) == (case.doing, 0.01)
            assert open_files() == before
            task = await begun(case.wait(channel))
            # Its hello, if there is one, goes out by now.
            with the_other(theirs, case.options) as other:
                if case.answer is hear:
                    # What was begun goes whole, before what comes behind it.
                    for _ in range(2 if case.sends else 1):
                        assert (await asyncio.to_thread(other.recv, ENOUGH, SECONDS)).body == BIG
                else:
                    await asyncio.to_thread(case.answer, other)
                found = await asyncio.wait_for(task, SOON)
                if hasattr(found, "close"):
                    found.close()
                if name != "finish":
                    await channel.send(b"last")
                    assert (await asyncio.to_thread(other.recv, ENOUGH, SECONDS)).body == b"last"

    asyncio.run(run())


@pytest.mark.parametrize("who", ["task", "thread", "thread of the task's"])
def test_a_channel_that_is_closed_ends_the_waiting(name: str, package: Any, who: str) -> None:
    case = CASES[name]

    async def run() -> None:
        channel, theirs = sockets(package, case.options)
        with theirs:
            if case.before is not None:
                await case.before(channel)
            task = await begun(case.wait(channel))
            closing = None
            if who == "task":
                channel.close()
            else:
                # When the event loop waits, and nothing but this wakes it.
                close = channel.channel.close if who == "thread" else channel.close
                closing = threading.Timer(0.01, close)
                closing.start()
            with pytest.raises(ChannelClosed):
                await asyncio.wait_for(task, SOON)
            if closing is not None:
                # It has the channel until it is over.
                await asyncio.to_thread(closing.join)
            channel.close()

    asyncio.run(run())


def test_a_channel_is_closed_though_the_event_loop_of_its_tasks_is(package: Any) -> None:
    ours, theirs = package.Channel.pair()
    channel, loop = AsyncChannel(ours), asyncio.new_event_loop()
    task = loop.create_task(channel.recv(ENOUGH))
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    channel.close()
    with theirs, pytest.raises(PeerClosed):
        theirs.recv(ENOUGH, SOON)
    # Nobody asks how it ended.
    task._log_destroy_pending = False  # type: ignore[attr-defined]


def test_a_peer_that_is_killed_ends_the_waiting(name: str, package: Any) -> None:
    case = CASES[name]
    channel, theirs = sockets(package, case.options)
    child = os.fork()
    if child == 0:
        channel.close()
        while theirs.fileno() >= 0:
            signal.pause()
    theirs.close()

    async def run() -> None:
        async with channel:
            try:
                if case.before is not None:
                    await case.before(channel)
                task = await begun(case.wait(channel))
            finally:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            if name == "wait_closed":
                assert await asyncio.wait_for(task, SOON) is True
            else:
                with pytest.raises((PeerClosed, ClosedInMessage, OutOfStep)):
                    await asyncio.wait_for(task, SOON)

    asyncio.run(run())


def test_who_waits_for_another_tasks_turn_does_so_no_longer_than_it_says(package: Any) -> None:
    async def run() -> None:
        channel, theirs = sockets(package, LONG)
        with theirs:
            async with channel:
                first = await begun(channel.recv(ENOUGH))
                with pytest.raises(HandoffTimeout) as caught:
                    await asyncio.wait_for(channel.recv(ENOUGH, 0.01), SOON)
                assert (caught.value.doing, caught.value.after) == (Doing.TURN, 0.01)
                second = await begun(channel.recv(ENOUGH))
                second.cancel()
                first.cancel()
                await asyncio.wait([first, second])
                theirs.sendall(b"\0\0\0\2hi")
                assert (await channel.recv(ENOUGH, SOON)).body == b"hi"

    asyncio.run(run())


@pytest.mark.parametrize("how", ["cancel", "timeout", "within", "close"])
def test_accepting_that_is_ended_loses_no_peer(package: Any, how: str, tmp_path: Path) -> None:
    path = tmp_path / "listener.sock"

    async def run() -> None:
        async with AsyncListener(package.Listener.bind(path)) as listener:
            before = open_files()
            task = await begun(listener.accept())
            if how == "close":
                listener.close()
                with pytest.raises(ChannelClosed):
                    await asyncio.wait_for(task, SOON)
                with pytest.raises(ChannelClosed):
                    await listener.accept()
                return
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            if how == "timeout":
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.01):
                        await listener.accept()
            elif how == "within":
                with pytest.raises(HandoffTimeout) as caught:
                    await listener.accept(0.01)
                assert (caught.value.doing, caught.value.after) == (Doing.ACCEPTING, 0.01)
            assert open_files() == before
            # It connects before anybody waits again.
            async with await AsyncChannel.connect(path) as ours, await listener.accept(SOON) as theirs:
                await ours.send(b"hi")
                assert (await theirs.recv(ENOUGH, SOON)).body == b"hi"

    asyncio.run(run())


@pytest.mark.parametrize("by", ["task", "thread"])
@pytest.mark.parametrize("which", ["listener", "AsyncListener"])
def test_whoever_closes_a_listener_wakes_the_task_that_accepts(
    package: Any, which: str, by: str, tmp_path: Path
) -> None:
    async def run() -> None:
        before = open_files()
        plain = package.Listener.bind(tmp_path / "listener.sock")
        waited = AsyncListener(plain)
        task = await begun(waited.accept())
        close = (plain if which == "listener" else waited).close
        if by == "thread":
            await asyncio.to_thread(close)
        else:
            close()
        with pytest.raises(ChannelClosed):
            await asyncio.wait_for(task, SOON)
        assert (plain.closed, open_files()) == (True, before)

    asyncio.run(run())


def test_closing_a_listener_wakes_the_thread_that_accepts(package: Any, tmp_path: Path) -> None:
    before = open_files()
    listener = package.Listener.bind(tmp_path / "listener.sock")
    found: list[BaseException] = []

    def accept() -> None:
        try:
            listener.accept(SECONDS)
        except BaseException as error:
            found.append(error)

    accepts = threading.Thread(target=accept, daemon=True)
    accepts.start()
    # It has not ended, however long it was let wait.
    accepts.join(0.05)
    assert accepts.is_alive()
    listener.close()
    accepts.join(SOON)
    assert [type(error) for error in found] == [ChannelClosed]
    assert open_files() == before


def test_a_fork_that_closes_its_listener_wakes_nobody_in_its_parent(package: Any, tmp_path: Path) -> None:
    path = tmp_path / "listener.sock"
    with package.Listener.bind(path) as listener:
        child = os.fork()
        if child == 0:
            listener.close()
            os._exit(0 if listener.closed else 1)
        assert os.waitpid(child, 0)[1] == 0
        sock, closing = listener.watched()
        with sock, closing:
            assert select.select([closing], [], [], 0) == ([], [], [])
        with pytest.raises(HandoffTimeout):
            listener.accept(0.01)
        with package.Channel.connect(path), listener.accept(SOON):
            pass


@pytest.mark.parametrize("reused", [False, True])
def test_a_channel_that_is_closed_just_before_it_is_watched_is_found_closed(
    package: Any, reused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = package.Channel.pair()
    duplicate = Fd.duplicate
    files: list[int] = []

    def just_after_it_was_closed(number: int) -> Fd:
        ours.close()
        while reused and number not in files:
            files.append(os.open(os.devnull, os.O_RDONLY))
        return duplicate(number)

    async def run() -> None:
        monkeypatch.setattr(Fd, "duplicate", just_after_it_was_closed)
        with pytest.raises(ChannelClosed):
            await asyncio.wait_for(AsyncChannel(ours).recv(ENOUGH), SOON)

    with theirs:
        asyncio.run(run())
    for number in files:
        os.close(number)


@pytest.mark.parametrize("connect", [AsyncChannel.connect, wirecontract.aconnect])
def test_connecting_that_is_ended_leaves_nothing(connect: Any, tmp_path: Path) -> None:
    path = tmp_path / "full.sock"

    async def run() -> None:
        async with AsyncListener.bind(path, Options(backlog=1)) as listener:
            waiting = []
            while True:
                channel = handoff.Channel.try_connect(path)
                if channel is None:
                    break
                waiting.append(channel)
            before = open_files()
            task = await begun(connect(path, LONG))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            with pytest.raises(HandoffTimeout) as caught:
                await connect(path, Options(message_timeout=0.02))
            assert (caught.value.doing, caught.value.after) == (Doing.CONNECTING, 0.02)
            assert open_files() == before
            task = await begun(connect(path, LONG))
            for _ in waiting:
                (await listener.accept(SOON)).close()
            (await asyncio.wait_for(task, SOON)).close()
            (await listener.accept(SOON)).close()
            for channel in waiting:
                channel.close()

    asyncio.run(run())
