"""A `Service` of `wirecontract.lease`, and what its consumers are told: those that misbehave or die end their
own leases alone.
"""

import errno
import os
import resource
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from wirecontract.contracts import Code, negotiate
from wirecontract.contracts.buffer import (
    ConsumerMessage,
    ConsumerMessageRelease,
    ConsumerMessageTaken,
    EndReason,
    LeaseName,
    MemoryAfter,
    ProducerMessage,
    ProducerMessageOffer,
    SharedBuffer,
)
from wirecontract.contracts.hello import Hello
from wirecontract.handoff import Channel, ChannelClosed, Expected, Listener, PeerClosed
from wirecontract.handoff import Options as ChannelOptions
from wirecontract.handoff._errors import os_error
from wirecontract.handoff._wait import Limit
from wirecontract.host import HostBuffer, Pool, PoolCounts
from wirecontract.lease import (
    Consumer,
    End,
    Ended,
    Joined,
    Lease,
    LeaseTimeout,
    Left,
    Options,
    Producer,
    Revoked,
    Service,
    ServiceEvent,
    TooManyConsumers,
    TurnedAway,
)
from wirecontract.lease._link import Link
from wirecontract.lease._notices import Deadlines, Notices
from wirecontract.lease._watch import Watched

pytestmark = pytest.mark.usefixtures("balanced")

SECONDS = 60.0
HELLO = negotiate.of(ProducerMessage, ConsumerMessage, SharedBuffer)


def name() -> str:
    return f"\0wirecontract-service-{os.getpid()}"


@contextmanager
def a_service(options: Options | None = None, send_buffer: int | None = None) -> Iterator[Service]:
    at = ChannelOptions(message_timeout=SECONDS, send_buffer=send_buffer)
    with Service(Listener.bind(name(), at), options) as service:
        yield service


def until(service: Service, enough: Callable[[list[ServiceEvent]], object]) -> list[ServiceEvent]:
    """Polls until so much has happened."""
    happened: list[ServiceEvent] = []
    while not enough(happened):
        events = service.poll(SECONDS)
        assert events, f"nothing happened for long, after {happened}"
        happened += events
    return happened


def joined(service: Service, count: int) -> list[int]:
    until(service, lambda _: len(service.consumers()) == count)
    return [consumer for consumer, _ in service.consumers()]


def broadcast(service: Service, buffer: HostBuffer) -> list[Lease]:
    leases = [lease for _, lease in service.broadcast(buffer)]
    assert all(isinstance(lease, Lease) for lease in leases), leases
    return [lease for lease in leases if isinstance(lease, Lease)]


def settle(service: Service, leases: list[Lease]) -> None:
    """Polls until all leases are over."""
    deadline = time.monotonic() + SECONDS
    while any(lease.outcome is None for lease in leases):
        service.poll(0.01)
        assert time.monotonic() < deadline


def test_many_consumers_are_lent_to_and_leave_file_descriptors_as_they_are() -> None:
    with a_service() as service, ExitStack() as stack:
        consumers = []
        for _ in range(16):
            consumers.append(stack.enter_context(Consumer(Channel.connect(name()))))
            service.poll(0)
        assert len(set(joined(service, 16))) == 16
        pool = Pool(64, 1)
        opened = 0
        for number in range(30):
            with pool.take(SECONDS) as frame:
                with frame.view() as view:
                    view[:] = bytes([number]) * 64
                leases = [lease for _, lease in service.broadcast(frame)]
            assert len(service.outstanding()) == 16
            for consumer in consumers:
                while (held := consumer.try_next()) is None:
                    service.poll(0)
                with held, held.view() as view:
                    assert bytes(view) == bytes([number]) * 64
            settle(service, [lease for lease in leases if isinstance(lease, Lease)])
            del leases
            assert pool.counts() == PoolCounts(1, 0, 1)
            if number == 10:
                opened = len(os.listdir("/proc/self/fd"))
        assert len(os.listdir("/proc/self/fd")) == opened


def test_one_that_misbehaves_ends_its_own_leases_alone() -> None:
    with (
        a_service(Options(hello_timeout=SECONDS)) as service,
        Consumer(Channel.connect(name())) as good,
        Channel.connect(name()) as silent,
        Channel.connect(name()) as foreign,
        Channel.connect(name()) as bad,
        HostBuffer(100) as buffer,
    ):
        foreign.send(Hello(format=1, speaks=[]).to_json())
        bad.send(HELLO.to_json())
        events = until(service, lambda events: len(events) >= 3)
        (away,) = [event for event in events if isinstance(event, TurnedAway)]
        assert getattr(away.because, "code", None) is Code.ID_MISMATCH
        assert {event.peer.pid for event in events if isinstance(event, Joined)} == {os.getpid()}
        assert len(service.consumers()) == 2

        leases = broadcast(service, buffer)
        with good.next(SECONDS):
            assert bad.recv(Expected(1 << 16)).body == HELLO.to_json()
            with bad.recv(Expected(1 << 16, fds=1)) as message:
                assert isinstance(ProducerMessage.from_json(message.body), ProducerMessageOffer)
            bad.send(ConsumerMessageTaken(LeaseName(lease_id=1)).to_json())
            bad.send(ConsumerMessageRelease(LeaseName(lease_id=7)).to_json())
            (left,) = until(service, bool)
            assert isinstance(left, Left)
            assert (left.lost.reason, left.lost.code) == (EndReason.REVOKED, Code.BAD_HANDLE)
            (over,) = [lease.outcome for lease in leases if lease.outcome is not None]
            assert isinstance(over, End)
            assert over.reason is EndReason.REVOKED
            with pytest.raises(PeerClosed):
                bad.recv(Expected(9))
        settle(service, leases)
        leases = broadcast(service, buffer)
        assert len(leases) == 1
        with good.next(SECONDS):
            assert len(service.outstanding()) == 1
        settle(service, leases)
        assert silent.try_recv(Expected(1 << 16)) is not None


def test_who_says_no_hello_is_not_kept() -> None:
    with a_service(Options(hello_timeout=0.02)) as service:
        assert service.deadline is None
        with Channel.connect(name()) as silent:
            (away,) = until(service, bool)
            assert isinstance(away, TurnedAway)
            assert getattr(away.because, "code", None) is Code.TIMEOUT
            assert silent.wait_closed(SECONDS)
        assert (service.deadline, service.consumers()) == (None, [])
        assert service.poll(0.01) == []


def test_no_more_consumers_than_are_let_be() -> None:
    with a_service(Options(most_consumers=1)) as service:
        with Consumer(Channel.connect(name())):
            joined(service, 1)
            with Consumer(Channel.connect(name())) as second:
                (away,) = until(service, bool)
                assert isinstance(away, TurnedAway)
                assert isinstance(away.because, TooManyConsumers)
                assert isinstance(second.wait_closed(SECONDS).because, PeerClosed)
        (left,) = until(service, bool)
        assert isinstance(left, Left)
        with Consumer(Channel.connect(name())):
            assert joined(service, 1) == [1]
            assert service.producer(0) is None


def test_a_service_is_polled_by_its_file_descriptor_and_ends_its_channels() -> None:
    with a_service() as service, HostBuffer(10) as buffer, ExitStack() as stack:

        def is_ready(within: float) -> bool:
            return bool(select.select([service], [], [], within)[0])

        assert not is_ready(0)
        consumer = stack.enter_context(Consumer(Channel.connect(name())))
        assert is_ready(SECONDS)
        (number,) = joined(service, 1)
        service.poll(0)
        assert not is_ready(0)
        producer = service.producer(number)
        assert producer is not None
        lease = producer.offer_without_waiting(buffer)
        with consumer.next(SECONDS) as held:
            assert is_ready(SECONDS)
            service.close()
            end = held.is_over()
            assert end is not None
            assert end.reason is EndReason.PEER_CLOSED
        assert isinstance(lease.outcome, End)
        assert lease.outcome.reason is EndReason.REVOKED


def test_closing_a_service_wakes_the_thread_that_polls_it() -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    service = Service(Listener.bind(name()))
    found: list[Exception] = []

    def poll() -> None:
        try:
            service.poll(SECONDS)
        except Exception as error:
            found.append(error)

    polls = threading.Thread(target=poll, daemon=True)
    polls.start()
    polls.join(0.05)
    assert polls.is_alive()
    service.close()
    polls.join(SECONDS)
    assert [type(error) for error in found] == [ChannelClosed]
    with pytest.raises(ChannelClosed):
        service.poll(0)
    with pytest.raises(ChannelClosed):
        service.fileno()
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_a_service_that_waits_sends_what_other_threads_say() -> None:
    offers = 300
    with a_service(send_buffer=1) as service, Channel.connect(name()) as channel, HostBuffer(10) as buffer:
        channel.send(HELLO.to_json())
        joined(service, 1)
        assert channel.recv(Expected(1 << 16)).body == HELLO.to_json()
        service.poll(0)
        happened: list[ServiceEvent] = []
        polls = threading.Thread(target=lambda: happened.extend(service.poll(SECONDS)))
        polls.start()
        for _ in range(offers):
            broadcast(service, buffer)
        for number in range(offers):
            with channel.recv(Expected(1 << 16, fds=1), SECONDS) as message:
                word = ProducerMessage.from_json(message.body)
                assert isinstance(word, ProducerMessageOffer)
                assert word.value.lease_id == number + 1
        channel.close()
        polls.join(SECONDS)
        (left,) = happened
        assert isinstance(left, Left)


def test_a_service_without_file_descriptors_rests_and_goes_on() -> None:
    with a_service() as service, Channel.connect(name()) as channel:
        service.poll(0)
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        probe = os.dup(0)
        os.close(probe)
        consumer = Channel.connect(name())
        # Numbers below are all in use, or the next file has one of them.
        probe = os.dup(0)
        os.close(probe)
        resource.setrlimit(resource.RLIMIT_NOFILE, (probe, limits[1]))
        try:
            happened = service.poll(SECONDS)
            rests = service.deadline
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        (away,) = happened
        assert isinstance(away, TurnedAway)
        assert getattr(away.because, "code", None) is Code.IO
        assert rests is not None
        with Consumer(consumer):
            joined(service, 1)
        assert not channel.closed


OTHER = """
import os, sys
from wirecontract.handoff import Channel, PeerClosed
from wirecontract.lease import Consumer, Lost
consumer = Consumer(Channel.connect(os.fsencode(sys.argv[1]).replace(b"@", b"\\0", 1)))
try:
    while True:
        with consumer.next(60):
            if sys.argv[2] == "keep":
                sys.stdin.read()
except Lost as lost:
    sys.exit(0 if isinstance(lost.because, PeerClosed) else 3)
"""


def test_a_consumer_that_is_killed_ends_its_own_leases_alone(tmp_path: Path) -> None:
    def start(task: str) -> "subprocess.Popen[bytes]":
        at = name().replace("\0", "@")
        return subprocess.Popen([sys.executable, "-c", OTHER, at, task], stdin=subprocess.PIPE)

    pool = Pool(4096, 1)
    with a_service() as service, start("take") as good, start("keep") as keeps:
        joined(service, 2)
        with pool.take(SECONDS) as frame:
            leases = [lease for _, lease in service.broadcast(frame) if isinstance(lease, Lease)]
        while len(service.outstanding()) != 1 or service.outstanding()[0][1].state.value != "held":
            service.poll(0.01)
        ((number, outstanding),) = service.outstanding()
        assert outstanding.consumer.pid == keeps.pid
        assert pool.counts() == PoolCounts(0, 1, 1)
        keeps.kill()
        (left,) = until(service, bool)
        assert isinstance(left, Left)
        assert (left.consumer, left.lost.code) == (number, Code.PEER_CLOSED)
        settle(service, leases)
        assert pool.counts() == PoolCounts(1, 0, 1)
        with HostBuffer(10) as buffer:
            leases = broadcast(service, buffer)
            assert len(leases) == 1
            settle(service, leases)
        service.close()
        assert good.wait(SECONDS) == 0


def test_a_producer_that_is_closed_has_left_and_takes_nobody_with_it() -> None:
    with a_service() as service, ExitStack() as stack:
        one = stack.enter_context(Consumer(Channel.connect(name())))
        (first,) = joined(service, 1)
        producer = service.producer(first)
        assert producer is not None
        number = producer.fileno()
        with open(os.devnull, "rb") as null:
            producer.close()
            # Its number is another file's, which the service does not touch.
            os.dup2(null.fileno(), number)
            stack.callback(os.close, number)
        stack.enter_context(Consumer(Channel.connect(name())))
        events = until(service, lambda events: len(events) >= 2)
        (left,) = [event for event in events if isinstance(event, Left)]
        assert (left.consumer, left.lost.reason) == (first, EndReason.REVOKED)
        (there,) = [event.consumer for event in events if isinstance(event, Joined)]
        assert [consumer for consumer, _ in service.consumers()] == [there]
        assert isinstance(one.wait_closed(SECONDS).because, PeerClosed)
        with HostBuffer(10) as buffer:
            assert len(broadcast(service, buffer)) == 1


def test_a_number_that_is_used_again_is_the_next_consumers() -> None:
    with a_service() as service, ExitStack() as stack, HostBuffer(10) as buffer:
        stack.enter_context(Consumer(Channel.connect(name())))
        (first,) = joined(service, 1)
        producer = service.producer(first)
        assert producer is not None
        number = producer.fileno()
        second = stack.enter_context(Consumer(Channel.connect(name())))
        # What is connected is open already; all below the first one's number is in use.
        spare = []
        while (fd := os.dup(0)) < number:
            spare.append(fd)
        os.close(fd)
        for fd in spare:
            stack.callback(os.close, fd)
        producer.close()
        events = until(service, lambda events: len(events) >= 2)
        assert {type(event) for event in events} == {Left, Joined}
        ((other, _),) = service.consumers()
        served = service.producer(other)
        assert served is not None
        assert served.fileno() == number
        # It is heard, which takes that it is watched.
        leases = broadcast(service, buffer)
        with second.next(SECONDS):
            pass
        settle(service, leases)


def test_what_happened_is_told_though_something_fails_behind_it() -> None:
    with a_service() as service, Consumer(Channel.connect(name())):
        until(service, lambda _: len(service.consumers()) == 1)
        with Consumer(Channel.connect(name())), pytest.MonkeyPatch.context() as patch:
            note = service._note

            def fail() -> None:
                note()
                if len(service.consumers()) == 2:
                    raise LookupError

            patch.setattr(service, "_note", fail)
            with pytest.raises(LookupError):
                until(service, lambda _: False)
            patch.undo()
            (event,) = service.poll(SECONDS)
            assert isinstance(event, Joined)


def test_a_consumer_is_told_what_happens_to_what_it_holds() -> None:
    with a_service() as service, Consumer(Channel.connect(name())) as consumer, HostBuffer(4) as buffer:
        (number,) = joined(service, 1)
        producer = service.producer(number)
        assert producer is not None
        leases = broadcast(service, buffer) + broadcast(service, buffer) + broadcast(service, buffer)
        with pytest.raises(LeaseTimeout):
            leases[1].revoke(0)
        consumer.wait(SECONDS)
        with consumer.next(SECONDS), consumer.next(SECONDS), consumer.next(SECONDS):
            # Asked back before anybody asked for it.
            assert consumer.next_event(SECONDS) == Revoked(2)
            assert consumer.events() == []
            with pytest.raises(LeaseTimeout):
                leases[0].revoke(0)
            leases[0].end()
            assert consumer.events() == [Revoked(1), Ended(1, End(EndReason.REVOKED, MemoryAfter.STAYS))]
            with pytest.raises(LeaseTimeout):
                consumer.next_event(0)
            with pytest.raises(LeaseTimeout):
                consumer.wait(0)
            service.close()
            lost = consumer.wait_closed(SECONDS)
            over = [consumer.next_event(SECONDS), consumer.next_event(SECONDS)]
            assert over == [
                Ended(lease, End(EndReason.PEER_CLOSED, MemoryAfter.STAYS, lost.because)) for lease in (2, 3)
            ]
        # What is given back is forgotten.
        assert consumer.events() == []


def test_those_alone_are_looked_at_of_whom_there_is_news(monkeypatch: pytest.MonkeyPatch) -> None:
    with a_service() as service, ExitStack() as stack, HostBuffer(4) as buffer:
        consumers = [stack.enter_context(Consumer(Channel.connect(name()))) for _ in range(20)]
        numbers = joined(service, len(consumers))
        service.poll(0)
        links = [getattr(service.producer(number), "link", None) for number in numbers]
        looked: list[int] = []
        for call in ("standing", "look"):
            inner = getattr(Link, call)

            def spy(link: Link[Any], *arguments: Any, inner: Any = inner) -> Any:
                if link in links:
                    looked.append(numbers[links.index(link)])
                return inner(link, *arguments)

            monkeypatch.setattr(Link, call, spy)
        assert service.poll(0.01) == []
        assert looked == []
        # Who says something that says nothing new of the channel is heard alone.
        thread = threading.Thread(target=lambda: consumers[7].ping(SECONDS))
        thread.start()
        while not looked:
            service.poll(0.01)
        assert set(looked) == {numbers[7]}
        thread.join(SECONDS)
        looked.clear()
        consumers[3].close()
        (left,) = until(service, bool)
        assert isinstance(left, Left)
        assert (left.consumer, set(looked)) == (numbers[3], {numbers[3]})
        assert len(broadcast(service, buffer)) == len(consumers) - 1


def test_a_consumer_that_cannot_be_watched_is_told_so() -> None:
    with (
        a_service(send_buffer=1) as service,
        Channel.connect(name()) as slow,
        Consumer(Channel.connect(name())) as other,
        HostBuffer(4) as buffer,
    ):
        slow.send(HELLO.to_json())
        joined(service, 2)
        service.poll(0)

        def fail(_watched: Watched, writes: bool) -> None:
            if writes:
                raise os_error("watching a channel", OSError(errno.ENOMEM, ""))

        leases: list[Lease] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Watched, "want", fail)
            events: list[ServiceEvent] = []
            deadline = time.monotonic() + SECONDS
            while not events:
                assert time.monotonic() < deadline
                leases += [lease for _, lease in service.broadcast(buffer) if isinstance(lease, Lease)]
                with other.next(SECONDS):
                    pass
                events = service.poll(0)
        (left,) = events
        assert isinstance(left, Left)
        assert (left.lost.code, str(left.lost)[:22]) == (Code.IO, "io: watching a channel")
        settle(service, leases)
        assert len(service.consumers()) == 1


@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize(
    ("where", "call"),
    [
        (Service, "_hear"),
        (Service, "_hurry"),
        (Service, "_note_of"),
        (Notices, "move"),
        (Link, "standing"),
        (Deadlines, "set"),
        (Watched, "want"),
        (Watched, "leave"),
        (Producer, "close"),
    ],
)
def test_what_happened_is_told_wherever_a_call_is_interrupted(
    where: type, call: str, behind: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = getattr(where, call)
    hits: list[None] = []

    def interrupted(*arguments: Any) -> Any:
        if behind:
            inner(*arguments)
        if len(hits) < 20:
            hits.append(None)
            raise KeyboardInterrupt
        return inner(*arguments)

    happened: list[ServiceEvent] = []

    def told(count: int) -> list[ServiceEvent]:
        deadline = time.monotonic() + SECONDS
        while len(happened) < count:
            assert time.monotonic() < deadline, happened
            with suppress(KeyboardInterrupt):
                happened.extend(service.poll(SECONDS))
        return happened

    with a_service() as service, ExitStack() as stack:
        one = stack.enter_context(Consumer(Channel.connect(name())))
        two = stack.enter_context(Consumer(Channel.connect(name())))
        monkeypatch.setattr(where, call, interrupted)
        told(2)
        with suppress(KeyboardInterrupt):
            one.close()
        told(3)
        with suppress(KeyboardInterrupt):
            two.close()
        assert [(type(event), getattr(event, "consumer", None)) for event in told(4)] == [
            (Joined, 0),
            (Joined, 1),
            (Left, 0),
            (Left, 1),
        ]
        assert hits
        monkeypatch.undo()
        assert (service.poll(0.01), service.consumers(), service.deadline) == ([], [], None)


def test_of_many_limits_the_first_is_at_hand() -> None:
    now = time.monotonic()
    limits = Deadlines()
    assert (limits.first(), limits.over()) == (None, [])
    past = [Limit(now - number, 1) for number in range(5)]
    for number, limit in enumerate(past):
        limits.set(number, limit)
        limits.set(100 + number, Limit(now + 1000 + number, 1))
    assert (limits.first(), limits.over()) == (past[4], [0, 1, 2, 3, 4])
    # They stay until something else is noted.
    assert limits.over() == [0, 1, 2, 3, 4]
    limits.set(4, None)
    limits.set(3, Limit(now + 2000, 1))
    limits.set(0, past[0])
    assert (limits.first(), limits.over()) == (past[2], [0, 1, 2])
    for number in (0, 1, 2):
        limits.set(number, None)
    assert (limits.first(), limits.over()) == (Limit(now + 1000, 1), [])
    for step in range(10_000):
        limits.set(1, Limit(now + step, 1))
    assert len(limits._heap) < 100
    limits.set(1, None)
    for number in (100, 101, 102, 103, 104, 3):
        assert limits.first() is not None, number
        limits.set(number, None)
    assert limits.first() is None
