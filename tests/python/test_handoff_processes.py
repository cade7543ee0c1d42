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
from wirecontract.contracts import Code
from wirecontract.handoff import (
    Channel,
    ClosedInMessage,
    Expected,
    Fd,
    FdKind,
    FetchRefused,
    HandoffError,
    HandoffTimeout,
    Message,
    NoPidFd,
    NoSuchFd,
    Options,
    OutOfStep,
    PeerClosed,
    PidFd,
    ProcessEnded,
    Received,
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
channel.send(b"done: " + message.body, [*message.fds, os.open("/dev/null", os.O_RDONLY)])
"""
    with other_process(script) as (channel, process), Fd(os.memfd_create("shared")) as shared:
        channel.send(b"write", [shared])
        with channel.recv(Expected(100, fds=2)) as message:
            assert message.body == b"done: write"
            for fd in (shared, message.fds[0]):
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
            with pytest.raises(NoPidFd, match=r"needs Linux 6\.5"):
                one.peer_process()
            return
        with one.peer_process() as process:
            assert not select.select([process], [], [], 0)[0]


def test_a_file_is_taken_from_the_other_process_by_its_number() -> None:
    script = """
file = os.memfd_create("lent")
os.write(file, b"taken")
channel.send(str(file).encode())
time.sleep(1000)
"""
    with other_process(script) as (channel, process), PidFd.of_process(process.pid) as handle:
        number = int(channel.recv(Expected(16)).body)
        assert not handle.has_ended()
        refused: FetchRefused | None = None
        try:
            fd = handle.fetch(number)
        except FetchRefused as error:
            # A container may forbid it.
            refused = error
        else:
            with fd:
                assert not os.get_inheritable(fd.fileno())
                assert os.pread(fd.fileno(), 10, 0) == b"taken"
        if refused is not None:
            assert (refused.code, "CAP_SYS_PTRACE" in str(refused)) == (Code.REFUSED, True)
            return
        with pytest.raises(NoSuchFd, match="no open file descriptor 9999") as caught:
            handle.fetch(9999)
        assert caught.value.code is Code.BAD_HANDLE
        process.kill()
        assert handle.wait_ended(60)
        process.wait()
        with pytest.raises(ProcessEnded) as ended:
            handle.fetch(0)
        assert ended.value.code is Code.PEER_CLOSED


def test_a_handle_of_a_process_is_one() -> None:
    with PidFd.of_process(os.getpid()) as handle, PidFd.adopt(Fd.duplicate(handle)) as again:
        assert not again.has_ended()
        assert not again.wait_ended(0)
    fd = Fd(os.memfd_create("none"))
    with pytest.raises(FdKind, match=r"expected a pidfd, found .*memfd"):
        PidFd.adopt(fd)
    assert fd.closed
    with pytest.raises(ProcessEnded):
        PidFd.of_process((1 << 22) - 1)


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
        assert other.can_receive
        one.send(b"later")
        assert other.recv(Expected(5)).body == b"later"
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            one.send(bytes(10 << 20))
        assert (one.can_send, one.can_receive) == (False, True)
        text = "an exception .such as Ctrl-C. interrupted it in the middle of a message"
        with pytest.raises(OutOfStep, match=text) as caught:
            one.send(b"more")
        assert (caught.value.because, caught.value.interrupted) == (Code.IO, True)


def says_what_the_next_call_does(channel: Channel, expected: Expected) -> None:
    """A channel says before the next call whether that finds it out of step."""
    goes_on, is_out = channel.can_receive, False
    try:
        message = channel.try_recv(expected)
        if message is not None:
            message.close()
    except OutOfStep:
        is_out = True
    except ClosedInMessage:
        # Its sender was interrupted.
        is_out = False
    assert goes_on is not is_out


@pytest.mark.parametrize("framing", [Stream(), Stream(prefix="joined"), SeqPacket()], ids=str)
def test_no_descriptor_is_lost_wherever_a_call_is_interrupted(framing: Stream | SeqPacket) -> None:
    options = Options(framing=framing, message_timeout=60)
    chance = random.Random(7)
    expected = Expected(1000, fds=4, repeated=True)
    hit = 0
    with interrupted(), open("/dev/null", "rb") as null:
        opened = len(os.listdir("/proc/self/fd"))
        for _ in range(1500):
            one, other = Channel.pair(options)
            fds, body, place = [null] * 4, bytes(100), bytearray(1000)
            message: Message | Received | None = None
            try:
                signal.setitimer(signal.ITIMER_REAL, chance.uniform(1e-6, 3e-4))
                for _ in range(100):
                    one.send_vectored([body[:50], body[50:]], fds)
                    if chance.random() < 0.5:
                        message = whole = other.recv(expected)
                        assert (whole.body, len(whole.fds)) == (body, 4)
                    else:
                        message = received = other.recv_into(place, expected)
                        assert (bytes(place[: received.size]), len(received.fds)) == (body, 4)
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
            says_what_the_next_call_does(other, expected)
            one.close()
            other.close()
        del message, whole, received
        assert hit > 100
        assert len(os.listdir("/proc/self/fd")) == opened
