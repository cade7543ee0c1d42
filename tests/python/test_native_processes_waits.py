"""Calls of the native library that wait: other threads run meanwhile, Ctrl-C and a close end them."""

import _thread
import asyncio
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import wirecontract
from wirecontract import Channel, handoff
from wirecontract.contracts.buffer import SharedBuffer
from wirecontract.handoff import AsyncChannel, AsyncListener, Expected, Options, Sent, SeqPacket, Stream

pytestmark = pytest.mark.usefixtures("balanced")

PATIENT = Options(message_timeout=120)
FRAMINGS = [Stream(), SeqPacket()]


@contextmanager
def interrupted(raises: bool = True) -> Iterator[list[int]]:
    """Has a timer's signal, which comes again and again, be what Ctrl-C is; or one whose handler returns."""
    came = []

    def handle(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        if raises:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        yield came
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def pair(options: Options = PATIENT) -> Iterator[tuple[Channel, Channel]]:
    one, other = Channel.pair(options)
    with one, other:
        yield one, other


@pytest.mark.parametrize("framing", FRAMINGS, ids=str)
@pytest.mark.parametrize("within", [None, 600])
def test_a_call_that_waits_is_interrupted_and_what_comes_later_is_whole(
    framing: handoff.Framing, within: float | None
) -> None:
    with pair(Options(framing=framing, message_timeout=120)) as (one, other):
        place = bytearray(5)
        calls: list[Callable[[], object]] = [
            lambda: other.recv(5, within=within),
            lambda: other.recv_into(place, within=within),
            lambda: other.wait_closed(within),
        ]
        for call in calls:
            with interrupted(), pytest.raises(KeyboardInterrupt):
                call()
            assert (other.can_receive, other.can_send) == (True, True)
            one.send(b"later")
            assert other.recv(5).body == b"later"


def test_what_came_of_a_message_before_the_interrupt_stays() -> None:
    near, far = socket.socketpair()
    with far, Channel.from_fd(near.detach(), PATIENT) as channel:
        far.sendall(b"\0\0\0\4ha")
        with interrupted(), pytest.raises(KeyboardInterrupt):
            channel.recv(4)
        assert channel.recv_limit()[0]
        far.sendall(b"lf\0\0\0\4next")
        assert [channel.recv(4).body for _ in range(2)] == [b"half", b"next"]


@pytest.mark.parametrize("framing", FRAMINGS, ids=str)
def test_a_handler_that_returns_has_the_call_go_on(framing: handoff.Framing) -> None:
    with pair(Options(framing=framing, message_timeout=120)) as (one, other), interrupted(False) as came:

        def send() -> None:
            while len(came) < 3:
                time.sleep(0.001)
            one.send(b"behind three")

        sends = threading.Thread(target=send)
        sends.start()
        assert other.recv(12).body == b"behind three"
        sends.join()
        assert len(came) >= 3


def test_a_handler_may_use_the_channel_that_waits() -> None:
    with pair() as (one, other):
        came: list[bytes] = []

        def handle(_number: int, _frame: FrameType | None) -> None:
            one.send(b"a")
            came.append(other.recv(1).body)
            one.send(b"b")

        before = signal.signal(signal.SIGALRM, handle)
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        try:
            assert other.recv(1).body == b"b"
        finally:
            signal.signal(signal.SIGALRM, before)
        assert came == [b"a"]


def test_a_message_that_an_interrupt_met_half_sent_goes_on_with_the_next() -> None:
    body = bytes(8 << 20)
    with pair() as (one, other):
        with interrupted(), pytest.raises(KeyboardInterrupt):
            one.send(body)
        has_rest, limit = one.send_limit()
        assert has_rest
        assert limit is not None
        assert 0 < limit.left < limit.after == 120
        assert one.can_send
        assert one.try_send(b"next") is Sent.NOT_YET
        came: list[Any] = []
        receives = threading.Thread(target=lambda: came.extend(other.recv(len(body)).body for _ in range(2)))
        receives.start()
        one.send(b"next")
        receives.join()
        assert came == [body, b"next"]
        assert one.send_limit() == (False, None)


def test_accepting_connecting_and_agreeing_are_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with wirecontract.listen(path, Options(backlog=0)) as listener:
        with interrupted(), pytest.raises(KeyboardInterrupt):
            listener.accept()
        with interrupted(), pytest.raises(KeyboardInterrupt):
            listener.accept(600)
        with wirecontract.connect(path):
            with interrupted(), pytest.raises(KeyboardInterrupt):
                wirecontract.connect(path, PATIENT)
            listener.accept(60).close()
    near, far = socket.socketpair()
    with far, Channel.from_fd(near.detach(), Options(speaks=(SharedBuffer,), hello_timeout=600)) as channel:
        assert channel.try_agreed(SharedBuffer) is None
        with interrupted(), pytest.raises(KeyboardInterrupt):
            channel.agreed(SharedBuffer)
        with interrupted(), pytest.raises(KeyboardInterrupt):
            channel.recv(4)
        with pytest.raises(handoff.HandoffTimeout) as late:
            channel.agreed(SharedBuffer, 0.01)
        assert late.value.doing is handoff.Doing.HELLO


def test_the_time_of_a_call_is_over_however_many_signals_come() -> None:
    with pair() as (_one, other), interrupted(False) as came:
        with pytest.raises(handoff.HandoffTimeout) as late:
            other.recv(1, within=0.3)
        assert (late.value.doing, late.value.after) == (handoff.Doing.WAITING, 0.3)
        assert came
        assert other.wait_closed(0.1) is False


def test_other_threads_run_while_one_waits() -> None:
    with pair() as (one, other):
        came: list[bytes] = []
        receives = threading.Thread(target=lambda: came.append(other.recv(4).body))
        receives.start()
        # This thread goes on, until it has what the other one waits for.
        numbers = sum(range(1_000_000))
        one.send(b"done")
        receives.join()
        assert (numbers, came) == (499_999_500_000, [b"done"])


def test_threads_share_a_channel_and_no_message_is_lost() -> None:
    with pair() as (one, other):
        came: list[bytes] = []

        def receive() -> None:
            came.extend(other.recv(64).body for _ in range(250))

        def send(first: int) -> None:
            for number in range(first, first + 250):
                one.send(b"%d" % number)

        threads = [threading.Thread(target=receive) for _ in range(4)]
        threads += [threading.Thread(target=send, args=(first,)) for first in range(0, 1000, 250)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(map(int, came)) == list(range(1000))


@pytest.mark.parametrize("begun", [b"", b"\0", b"\0\0\0\2x"])
@pytest.mark.parametrize("call", ["recv", "recv_into", "wait_closed"])
def test_a_channel_that_this_side_closes_wakes_who_waits(call: str, begun: bytes) -> None:
    near, far = socket.socketpair()
    channel = Channel.from_fd(near.detach(), PATIENT)
    far.sendall(begun)
    found: list[BaseException] = []
    started = threading.Event()
    calls: dict[str, Callable[[], object]] = {
        "recv": lambda: channel.recv(4),
        "recv_into": lambda: channel.recv_into(bytearray(4)),
        "wait_closed": channel.wait_closed,
    }

    def wait() -> None:
        started.set()
        try:
            calls[call]()
        except BaseException as error:
            found.append(error)

    waits = threading.Thread(target=wait)
    waits.start()
    started.wait()
    with far:
        # Whether it waits by now or is about to, it finds the channel closed.
        time.sleep(0.02)
        channel.close()
        waits.join(120)
        assert not waits.is_alive()
    assert [type(error) for error in found] == [handoff.ChannelClosed]


def test_a_channel_that_this_side_closes_wakes_who_sends() -> None:
    one, other = Channel.pair(PATIENT)
    found: list[BaseException] = []

    def send() -> None:
        try:
            one.send(bytes(64 << 20))
        except BaseException as error:
            found.append(error)

    sends = threading.Thread(target=send)
    sends.start()
    # What the peer has received, the other side is sending.
    while not select.select([other], [], [], 0.01)[0]:
        pass
    one.close()
    sends.join(120)
    other.close()
    assert [type(error) for error in found] == [handoff.ChannelClosed]


def test_a_listener_that_this_side_closes_wakes_who_accepts(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    listener = wirecontract.listen(path)
    found: list[BaseException] = []
    started = threading.Event()

    def accept() -> None:
        started.set()
        try:
            listener.accept()
        except BaseException as error:
            found.append(error)

    accepts = threading.Thread(target=accept)
    accepts.start()
    started.wait()
    time.sleep(0.02)
    listener.close()
    accepts.join(120)
    assert [type(error) for error in found] == [handoff.ChannelClosed]
    assert (path.exists(), listener.closed) == (False, True)
    with pytest.raises(handoff.ChannelClosed):
        listener.accept()


def test_a_peer_that_closes_is_an_end_for_who_waits() -> None:
    with pair() as (one, other):
        closes = threading.Timer(0.02, one.close)
        closes.start()
        with pytest.raises(handoff.PeerClosed):
            other.recv(4)
        closes.join()


SCRIPT = """
import sys
import wirecontract
channel = wirecontract.connect(sys.argv[1])
channel.send(b"ready")
try:
    channel.recv(64)
except KeyboardInterrupt:
    channel.send(b"interrupted")
message = channel.recv(64)
channel.send(message.body[::-1], [sys.stdin])
"""


def blocks(pid: int) -> bool:
    """Whether a process waits for something."""
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(") ")[2].startswith("S")


def test_ctrl_c_ends_a_wait_in_another_process_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with wirecontract.listen(path) as listener:
        process = subprocess.Popen([sys.executable, "-c", SCRIPT, path], stdin=subprocess.DEVNULL)
        with listener.accept(120) as channel:
            assert channel.recv(64, within=120).body == b"ready"
            for _ in range(600):
                time.sleep(0.2)
                if blocks(process.pid):
                    break
            os.kill(process.pid, signal.SIGINT)
            assert channel.recv(64, within=120).body == b"interrupted"
            channel.send(b"whole")
            with channel.recv(64, fds=1, within=120) as message:
                assert (message.body, os.readlink(f"/proc/self/fd/{message.fds[0].fileno()}")) == (
                    b"elohw",
                    "/dev/null",
                )
        assert process.wait(120) == 0


def test_ctrl_c_is_heard_while_another_thread_has_the_channel() -> None:
    with pair() as (one, other):
        receives = threading.Thread(target=other.recv, args=(4,))
        receives.start()
        time.sleep(0.02)
        timer = threading.Timer(0.05, _thread.interrupt_main)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            other.recv(4)
        timer.join()
        one.send(b"done")
        receives.join(120)
        assert not receives.is_alive()


# Tasks of an event loop


def test_tasks_wait_for_native_channels_and_cancelling_loses_nothing(tmp_path: Path) -> None:
    async def serve() -> None:
        async with AsyncListener(wirecontract.listen(tmp_path / "a.sock", PATIENT)) as listener:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(listener.accept(), 0.01)
            client = AsyncChannel(wirecontract.connect(tmp_path / "a.sock", PATIENT))
            async with client, await listener.accept() as service:
                assert isinstance(service.channel, Channel)
                receives = asyncio.create_task(service.recv(Expected(5)))
                await asyncio.sleep(0.01)
                receives.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await receives
                await client.send(b"later")
                assert (await service.recv(Expected(5))).body == b"later"
                # Half of a message, and a task that is cancelled amid it.
                body = bytes(8 << 20)
                sends = asyncio.create_task(client.send(body))
                receives = asyncio.create_task(service.recv(Expected(len(body))))
                while not service.channel.recv_limit()[0]:
                    await asyncio.sleep(0)
                receives.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await receives
                came = await service.recv(Expected(len(body)), within=120)
                await sends
                assert came.body == body
                with pytest.raises(handoff.HandoffTimeout):
                    await service.recv(Expected(1), within=0.01)
                with open("/proc/self/comm") as file:
                    await client.send(b"x", [file])
                async with asyncio.timeout(120):
                    with await service.recv(Expected(1, fds=1)) as message:
                        assert len(message.fds) == 1
                waits = asyncio.create_task(client.recv(Expected(1)))
                await asyncio.sleep(0)
                await service.finish()
                with pytest.raises(handoff.PeerClosed):
                    await waits
                waits = asyncio.create_task(service.recv(Expected(1)))
                await asyncio.sleep(0.01)
                service.close()
                with pytest.raises(handoff.ChannelClosed):
                    await waits

    asyncio.run(serve())


def test_tasks_agree_with_a_pure_channel() -> None:
    async def agree() -> None:
        options = Options(speaks=(SharedBuffer,))
        near, far = socket.socketpair()
        native = AsyncChannel(Channel.from_fd(near.detach(), options))
        pure = AsyncChannel(handoff.Channel.from_fd(far.detach(), options))
        async with native, pure:
            both = await asyncio.gather(native.agreed(SharedBuffer), pure.agreed(SharedBuffer))
            assert both[0] == both[1]
            await native.send(b"x")
            assert (await pure.recv(Expected(1))).body == b"x"

    asyncio.run(agree())


def test_what_is_no_channel_is_not_waited_for() -> None:
    with pytest.raises(TypeError, match="expected a channel that is a Channel, found 7"):
        AsyncChannel(7)  # type: ignore[arg-type]
