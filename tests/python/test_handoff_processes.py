"""Handoffs between processes, processes that are killed, and calls that a signal interrupts."""

import os
import random
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest
from wirecontract.handoff import (
    Channel,
    ClosedInMessage,
    Expected,
    Fd,
    HandoffError,
    HandoffTimeout,
    Options,
    OutOfStep,
    PeerClosed,
    SeqPacket,
    Stream,
)

pytestmark = pytest.mark.usefixtures("balanced")

PATIENT = Options(message_timeout=60, idle_timeout=60)

OTHER = """
import os, sys, time
from wirecontract.handoff import Channel, Expected, Options
channel = Channel.from_fd(int(sys.argv[1]), Options(message_timeout=60))
"""


@contextmanager
def other_process(
    script: str, options: Options = PATIENT
) -> Iterator[tuple[Channel, subprocess.Popen[bytes]]]:
    """Another process that has the other end as `channel`."""
    ours, theirs = Channel.pair(PATIENT)
    with ours, theirs.detach() as end:
        number = end.fileno()
        process = subprocess.Popen([sys.executable, "-c", OTHER + script, str(number)], pass_fds=[number])
        end.close()
        try:
            yield ours, process
        finally:
            process.kill()
            process.wait()


def test_what_the_other_process_sends_comes_with_its_files() -> None:
    script = """
message = channel.recv(Expected(100, fds=1))
os.write(message.fds[0].fileno(), b"written by the other process")
channel.send(b"done: " + message.body, message.fds * 2)
"""
    with other_process(script) as (channel, process), Fd(os.memfd_create("shared")) as shared:
        channel.send(b"write", [shared])
        with channel.recv(Expected(100, fds=2)) as message:
            assert message.body == b"done: write"
            for fd in [shared, *message.fds]:
                assert os.pread(fd.fileno(), 100, 0) == b"written by the other process"
        assert process.wait(60) == 0
        assert channel.wait_closed(60)
        with pytest.raises(PeerClosed):
            channel.recv(Expected(1))


def test_a_peer_that_is_killed_leaves_a_typed_error_and_nothing_open() -> None:
    for words, refused in ((b"", PeerClosed), (b"\0\0\0\5ab", ClosedInMessage)):
        script = f"""
import socket
sock = socket.socket(fileno=os.dup(channel.fileno()))
channel.send(b"ready")
if {words!r}:
    socket.send_fds(sock, [{words!r}], [0])
os.kill(os.getpid(), 9)
"""
        with other_process(script) as (channel, process):
            expected = Expected(100, fds=(0, 1))
            assert channel.recv(expected).body == b"ready"
            assert process.wait(60) == -signal.SIGKILL
            with pytest.raises(refused):
                channel.recv(expected)


def test_what_a_peer_sent_before_it_was_killed_comes() -> None:
    script = """
for number in range(3):
    channel.send(b"%d" % number, [0])
os.kill(os.getpid(), 9)
"""
    for framing in (Stream(), SeqPacket()):
        ours, theirs = Channel.pair(Options(framing=framing))
        with ours, theirs.detach() as end:
            other = OTHER.replace("message_timeout=60", f"framing={framing!r}")
            code = other.replace("import Channel", "import SeqPacket, Stream, Channel") + script
            process = subprocess.Popen(
                [sys.executable, "-c", code, str(end.fileno())], pass_fds=[end.fileno()]
            )
            end.close()
            assert process.wait(60) == -signal.SIGKILL
            for number in range(3):
                with ours.recv(Expected(1, fds=1)) as message:
                    assert message.body == b"%d" % number
            with pytest.raises(PeerClosed):
                ours.recv(Expected(1))


def test_a_peer_that_is_killed_while_it_is_sent_to_ends_the_sending() -> None:
    script = """
channel.send(b"ready")
time.sleep(1000)
"""
    with other_process(script) as (channel, process):
        channel.recv(Expected(10))
        while channel.try_send(bytes(100_000)).name == "WHOLE":
            continue
        process.kill()
        with pytest.raises(HandoffError) as caught:
            channel.send(bytes(100_000))
        assert isinstance(caught.value, ClosedInMessage | PeerClosed)


def test_the_peers_process_is_known_by_its_handle() -> None:
    one, other = Channel.pair()
    with one, other:
        assert one.peer.pid == os.getpid()
        if kernel() < (6, 5):
            with pytest.raises(OSError, match="asking for the peer's process"):
                one.peer_process()
            return
        with one.peer_process() as process:
            assert not select.select([process], [], [], 0)[0]


def kernel() -> tuple[int, ...]:
    return tuple(int(number) for number in os.uname().release.split(".")[:2])


@contextmanager
def interrupted() -> Iterator[None]:
    """Has the timer's signal be what Ctrl-C is."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_call_that_waits_is_interrupted_and_goes_on_later() -> None:
    one, other = Channel.pair(PATIENT)
    with one, other, interrupted():
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            other.recv(Expected(5))
        one.send(b"later")
        assert other.recv(Expected(5)).body == b"later"
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            one.send(bytes(10 << 20))
        with pytest.raises(OutOfStep, match="io left it in the middle of a message"):
            one.send(b"more")


@pytest.mark.parametrize("framing", [Stream(), Stream(prefix="joined"), SeqPacket()], ids=str)
def test_no_descriptor_is_lost_wherever_a_call_is_interrupted(framing: Stream | SeqPacket) -> None:
    options = Options(framing=framing, message_timeout=60)
    chance = random.Random(7)
    expected = Expected(1000, fds=4)
    hit = 0
    with interrupted(), open("/dev/null", "rb") as null:
        opened = len(os.listdir("/proc/self/fd"))
        for _ in range(1500):
            one, other = Channel.pair(options)
            fds, body = [null] * 4, bytes(100)
            message = None
            try:
                signal.setitimer(signal.ITIMER_REAL, chance.uniform(1e-6, 3e-4))
                for _ in range(100):
                    one.send(body, fds)
                    message = other.recv(expected)
                    assert (message.body, len(message.fds)) == (body, 4)
                    if chance.random() < 0.5:
                        message.close()
            except KeyboardInterrupt:
                hit += 1
            except (OutOfStep, HandoffTimeout):
                pytest.fail("an interrupt is raised where it comes")
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            if message is not None:
                message.close()
            one.close()
            other.close()
        del message
        assert hit > 100
        assert len(os.listdir("/proc/self/fd")) == opened
