"""Many handoffs, many consumers, and those that are served while others misbehave."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from wirecontract.contracts import Code
from wirecontract.contracts.buffer import EndReason
from wirecontract.handoff import Channel, Listener, Options, Peers, PeerUser, TooLarge
from wirecontract.host import Pool, PoolCounts
from wirecontract.lease import (
    Consumer,
    Joined,
    Lease,
    Left,
    Lost,
    Service,
    ServiceEvent,
    TurnedAway,
)
from wirecontract.lease import Options as LeaseOptions

pytestmark = pytest.mark.usefixtures("balanced")

SECONDS = 120.0
SLACK = 4 << 20
"""Bytes by which a process may grow: ten thousand times half a kilobyte is more."""

MANY = """
import gc, os, sys
from wirecontract.contracts.buffer import SharedBuffer
from wirecontract.handoff import Channel, Expected, Options
from wirecontract.host import HostBuffer, HostMapping

def state():
    gc.collect()
    with open("/proc/self/statm") as statm:
        pages = int(statm.read().split()[1])
    with open("/proc/self/maps") as maps:
        mapped = sum("memfd:" in line for line in maps)
    return len(os.listdir("/proc/self/fd")), mapped, pages * os.sysconf("SC_PAGESIZE")

def produce(number):
    with HostBuffer(8192, offset=64) as buffer:
        with buffer.view() as view:
            view[:8] = number.to_bytes(8, "little")
        with buffer.consumer_fd() as fd:
            channel.send(buffer.shared().to_bytes(), [fd])
        answer = channel.recv(Expected(8)).body
    assert answer == number.to_bytes(8, "little"), (answer, number)

def consume(number):
    with channel.recv(Expected(448, fds=1)) as message:
        with HostMapping.open(message.fds[0], SharedBuffer.from_bytes(message.body)) as mapping:
            with mapping.view() as view:
                said = bytes(view[:8])
    channel.send(said)

channel = Channel.from_fd(int(sys.argv[1]), Options(message_timeout=120, idle_timeout=120))
step = produce if sys.argv[2] == "produce" else consume
warm = None
for number in range(10_000):
    step(number)
    if number == 1_000:
        warm = state()
cold = state()
print(*warm, *cold)
"""


def test_ten_thousand_handoffs_between_processes_leave_what_a_thousand_left() -> None:
    one, other = socket.socketpair()
    processes = []
    with one, other:
        for end, role in ((one, "produce"), (other, "consume")):
            number = end.fileno()
            command = [sys.executable, "-c", MANY, str(number), role]
            processes.append(subprocess.Popen(command, pass_fds=[number], stdout=subprocess.PIPE))
    for process in processes:
        said, _ = process.communicate(timeout=600)
        assert process.returncode == 0
        fds, maps, size, fds_after, maps_after, size_after = map(int, said.split())
        assert (fds_after, maps_after) == (fds, maps)
        assert size_after <= size + SLACK


@contextmanager
def children(count: int, task: Callable[[int], None]) -> Iterator[list[int]]:
    """Forked children, each of which does something and is to end well."""
    pids: list[int] = []
    try:
        for number in range(count):
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    signal.signal(signal.SIGALRM, signal.SIG_DFL)
                    signal.alarm(int(SECONDS) * 4)
                    task(number)
                    code = 0
                except BaseException:
                    sys.excepthook(*sys.exc_info())
                finally:
                    os._exit(code)
            pids.append(child)
        yield pids
    except BaseException:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        raise
    finally:
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    assert set(codes) == {0}


def name() -> str:
    return f"\0wirecontract-many-{os.getpid()}"


def connect(at: str) -> Channel:
    """Connects as soon as somebody listens."""
    until = time.monotonic() + SECONDS
    while True:
        try:
            return Channel.connect(at, Options(message_timeout=SECONDS))
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)


PATIENT = LeaseOptions(hello_timeout=SECONDS, answer_timeout=SECONDS)
FRAMES = 30


def follow(at: str) -> None:
    """Reads each frame, until the service ends."""
    with Consumer(connect(at), PATIENT) as consumer:
        count = 0
        try:
            while True:
                with consumer.next(SECONDS) as held, held.view() as view:
                    count += 1
                    assert bytes(view) == bytes([count]) * len(view)
        except Lost as lost:
            if lost.reason is not EndReason.PEER_CLOSED:
                raise
        assert count == FRAMES


def lend(service: Service, pool: Pool, frame: int) -> list[ServiceEvent]:
    """Lends a frame to all, until each has given it back; what happened meanwhile."""
    happened: list[ServiceEvent] = []
    with pool.take(SECONDS) as buffer:
        with buffer.view() as view:
            view[:] = bytes([frame]) * len(view)
        leases = [lease for _, lease in service.broadcast(buffer)]
    until = time.monotonic() + SECONDS
    for lease in leases:
        assert isinstance(lease, Lease), lease
        while lease.outcome is None:
            happened += service.poll(0.05)
            assert time.monotonic() < until
        assert lease.wait_released(0).reason is EndReason.RELEASED
    return happened


def test_sixty_four_processes_are_lent_every_frame() -> None:
    at = name()
    with children(64, lambda _: follow(at)) as pids:
        pool = Pool(4096, 1)
        with Service(Listener.bind(at, Options(message_timeout=SECONDS)), PATIENT) as service:
            until = time.monotonic() + SECONDS
            while len(service.consumers()) < 64:
                service.poll(1)
                assert time.monotonic() < until
            assert {peer.pid for _, peer in service.consumers()} == set(pids)
            opened = 0
            for frame in range(1, FRAMES + 1):
                assert lend(service, pool, frame) == []
                if frame == 2:
                    opened = len(os.listdir("/proc/self/fd"))
            assert len(os.listdir("/proc/self/fd")) == opened
            assert pool.counts() == PoolCounts(1, 0, 1)


def raw(at: str) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(at)
    return sock


def test_others_are_served_while_peers_misbehave() -> None:
    at = name()
    stop = threading.Event()
    with (
        children(4, lambda _: follow(at)),
        Service(Listener.bind(at, Options(message_timeout=1.0)), LeaseOptions(hello_timeout=2.0)) as service,
        raw(at) as huge,
        raw(at) as half,
        raw(at) as slow,
        raw(at) as silent,
        raw(at) as deaf,
    ):
        huge.sendall(b"\xff\xff\xff\xff{")
        half.sendall(b'\0\0\1\0{"wirecontract_hello"')

        def drip() -> None:
            try:
                slow.sendall(b"\0\0\xff\xff")
                while not stop.wait(0.02):
                    slow.sendall(b" ")
            except OSError:
                return

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            happened: list[ServiceEvent] = []
            pool = Pool(4096, 1)
            until = time.monotonic() + SECONDS
            while len(service.consumers()) < 4:
                happened += service.poll(1)
                assert time.monotonic() < until
            for frame in range(1, FRAMES + 1):
                happened += lend(service, pool, frame)
            while sum(isinstance(event, TurnedAway) for event in happened) < 5:
                happened += service.poll(1)
                assert time.monotonic() < until
        finally:
            stop.set()
            dripping.join()
        assert [event for event in happened if isinstance(event, Left)] == []
        assert len(service.consumers()) == 4
        away = [event.because for event in happened if isinstance(event, TurnedAway)]
        codes = sorted(getattr(because, "code", Code.OK) for because in away)
        # One says too much, two are too slow with a message, and two say no hello.
        assert codes == [Code.TOO_LARGE] + [Code.TIMEOUT] * 4
        (large,) = [b.because for b in away if isinstance(b, Lost) and b.code is Code.TOO_LARGE]
        assert isinstance(large, TooLarge)
        assert large.found == 0xFFFF_FFFF
        for sock in (huge, half, silent, deaf):
            # What it was told is the hello, and then the end.
            said = b""
            while data := sock.recv(1 << 16):
                said += data
            assert b"wirecontract_hello" in said
        assert pool.counts() == PoolCounts(1, 0, 1)


def test_a_process_of_another_user_is_turned_away_while_others_are_served(another_user: int) -> None:
    at = name()

    def intrude(_: int) -> None:
        os.setresgid(another_user, another_user, another_user)
        os.setresuid(another_user, another_user, another_user)
        until = time.monotonic() + SECONDS
        while True:
            # This side lets whomever in, and is not let in.
            try:
                channel = Channel.connect(at, Options(peers=Peers.anyone()))
                break
            except ConnectionRefusedError:
                assert time.monotonic() < until
                time.sleep(0.01)
        with channel:
            assert channel.peer.uid == 0
            assert channel.wait_closed(SECONDS)
        # Nor does it let in the service, unless it says so.
        with pytest.raises(PeerUser, match=f"expected a peer of user {another_user}, found user 0"):
            Channel.connect(at)

    with (
        children(2, lambda _: follow(at)),
        children(3, intrude) as intruders,
        Service(Listener.bind(at, Options(message_timeout=SECONDS)), PATIENT) as service,
    ):
        happened: list[ServiceEvent] = []
        pool = Pool(4096, 1)
        until = time.monotonic() + SECONDS
        frame = 0
        while frame < FRAMES or sum(isinstance(event, TurnedAway) for event in happened) < 3:
            happened += service.poll(0.05)
            if len(service.consumers()) == 2 and frame < FRAMES:
                frame += 1
                happened += lend(service, pool, frame)
            assert time.monotonic() < until
        away = [event.because for event in happened if isinstance(event, TurnedAway)]
        refused = [because for because in away if isinstance(because, PeerUser)]
        assert {because.pid for because in refused} == set(intruders)
        assert {because.found for because in refused} == {another_user}
        assert sum(isinstance(event, Joined) for event in happened) == 2
