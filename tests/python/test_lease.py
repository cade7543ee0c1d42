"""Leases of `wirecontract.lease`: what is lent is read, given back or noticed to be gone, and nothing else
may be said.
"""

import errno
import gc
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from wirecontract.contracts import Code, WireError, negotiate
from wirecontract.contracts.buffer import (
    BufferKind,
    ConsumerMessage,
    ConsumerMessagePing,
    ConsumerMessagePong,
    ConsumerMessageRefused,
    ConsumerMessageRelease,
    ConsumerMessageTaken,
    ElementType,
    EndReason,
    LeaseEnd,
    LeaseName,
    MemoryAfter,
    Offer,
    OfferRefusal,
    Ping,
    ProducerMessage,
    ProducerMessageEnded,
    ProducerMessageOffer,
    ProducerMessagePing,
    ProducerMessagePong,
    ProducerMessageRevoke,
    SharedBuffer,
)
from wirecontract.contracts.dlpack import DLDataTypeCode
from wirecontract.handoff import Channel, Expected, Fd, HandoffOSError, Listener, PeerClosed, ProcessEnded
from wirecontract.handoff import Options as ChannelOptions
from wirecontract.host import Access, Busy, Closed, HostBuffer, NotSealed
from wirecontract.lease import (
    Answered,
    BadReason,
    Consumer,
    Doing,
    End,
    Fault,
    FdCount,
    GeometryError,
    GivenBack,
    LeaseTimeout,
    Left,
    Lend,
    Lost,
    Options,
    Over,
    Producer,
    Refused,
    Service,
    SideClosed,
    State,
    TooMany,
    Unusable,
)

pytestmark = pytest.mark.usefixtures("balanced")

SECONDS = 60.0
RAW = Options(hello=False)


@contextmanager
def sides(options: Options | None = None) -> Iterator[tuple[Producer, Consumer]]:
    ours, theirs = Channel.pair()
    with Producer(ours, options) as producer, Consumer(theirs, options) as consumer:
        yield producer, consumer


def test_a_buffer_is_lent_read_and_given_back() -> None:
    with sides() as (producer, consumer), HostBuffer(6) as buffer:
        for word in (b"pixels", b"anew.."):
            with buffer.view() as view:
                view[:] = word
            lease = producer.offer_without_waiting(buffer)
            assert lease.state is State.OFFERED
            with consumer.next(SECONDS) as held:
                lease.wait_taken(SECONDS)
                assert (lease.state, held.lease) == (State.HELD, lease.id)
                (outstanding,) = producer.outstanding()
                assert (outstanding.lease, outstanding.state, outstanding.size) == (lease.id, State.HELD, 6)
                assert outstanding.consumer.pid == os.getpid()
                assert held.is_over() is None
                assert held.buffer.exporter.pid == os.getpid()
                with held.view() as view:
                    assert (bytes(view), view.readonly) == (word, True)
                with pytest.raises(LeaseTimeout) as caught:
                    lease.wait_released(0)
                assert caught.value.doing is Doing.RELEASE
            assert lease.wait_released(SECONDS) == End(EndReason.RELEASED, MemoryAfter.GONE)
            assert (lease.state, producer.outstanding()) == (State.OVER, [])
        assert consumer.try_next() is None


def test_a_consumer_writes_where_it_may() -> None:
    with sides() as (producer, consumer), HostBuffer(4, consumers=Access.READ_WRITE) as buffer:
        lease = producer.offer_without_waiting(buffer)
        with consumer.next(SECONDS) as held, held.view() as view:
            view[:] = b"mine"
        lease.wait_released(SECONDS)
        with buffer.view() as view:
            assert bytes(view) == b"mine"


def test_a_buffer_is_not_given_back_under_a_view() -> None:
    with sides() as (producer, consumer), HostBuffer(4) as buffer:
        lease = producer.offer_without_waiting(buffer)
        held = consumer.next(SECONDS)
        view = held.view()
        with pytest.raises(Busy):
            held.release()
        assert lease.state is State.HELD
        # Dropped, it is given back as soon as nobody looks at it any more.
        del held
        gc.collect()
        consumer.poll()
        assert lease.state is State.HELD
        view.release()
        consumer.poll()
        assert lease.wait_released(SECONDS).reason is EndReason.RELEASED


def test_a_buffer_that_was_given_back_says_so() -> None:
    with sides() as (producer, consumer), HostBuffer(4) as buffer:
        lease = producer.offer_without_waiting(buffer)
        held = consumer.next(SECONDS)
        mapping = held.mapping
        assert mapping is not None
        held.release()
        with pytest.raises(GivenBack) as caught:
            held.view()
        assert str(caught.value) == (
            f"bad_handle: expected a buffer that is held, found that of lease {lease.id}, which was given"
            " back: release it when it is used no more"
        )
        with pytest.raises(Closed) as closed:
            mapping.view()
        text = "expected an open buffer, found a closed one: close it when it is used no more"
        assert str(closed.value) == text


def test_a_buffer_whose_use_failed_is_given_back() -> None:
    def fail() -> None:
        with consumer.next(SECONDS) as held:
            raise LookupError(len(held.view()))

    with sides() as (producer, consumer), HostBuffer(4) as buffer:
        lease = producer.offer_without_waiting(buffer)
        with pytest.raises(LookupError, match="4"):
            fail()
        gc.collect()
        consumer.poll()
        assert lease.wait_released(SECONDS).reason is EndReason.RELEASED


def test_a_lease_keeps_what_it_is_told_to_keep_until_it_is_over() -> None:
    class Owner:
        """It may call the producer when it is dropped."""

        def __del__(self) -> None:
            dropped.append(len(producer.outstanding()))

    dropped: list[int] = []
    with sides() as (producer, consumer), HostBuffer(4) as buffer:
        lease = producer.offer_without_waiting(Lend.host(buffer, keep=Owner()))
        with consumer.next(SECONDS):
            assert dropped == []
        lease.wait_released(SECONDS)
        assert dropped == [0]


def test_a_revoked_buffer_comes_back_when_the_consumer_lets_go() -> None:
    with sides() as (producer, consumer), HostBuffer(4) as buffer:
        lease = producer.offer_without_waiting(buffer)
        with consumer.next(SECONDS) as held:
            lease.wait_taken(SECONDS)
            assert not held.is_revoked()
            with pytest.raises(LeaseTimeout):
                lease.revoke(0)
            assert lease.state is State.REVOKED
            assert held.is_revoked()
        assert lease.revoke(SECONDS).reason is EndReason.RELEASED


def test_a_lease_that_the_producer_ends_is_over_for_the_consumer() -> None:
    with sides() as (producer, consumer), HostBuffer(4) as buffer:
        lease = producer.offer_without_waiting(buffer)
        with consumer.next(SECONDS) as held:
            lease.wait_taken(SECONDS)
            with pytest.raises(BadReason):
                lease.end(EndReason.PEER_DIED)
            assert lease.end() == End(EndReason.REVOKED, MemoryAfter.STAYS)
            assert held.is_over() == End(EndReason.REVOKED, MemoryAfter.STAYS)
            with held.view() as view:
                assert bytes(view) == bytes(4)
        # Its `release` would be of a lease that is over.
        producer.poll()
        assert producer.lost is None
        again = producer.offer_without_waiting(buffer)
        with consumer.next(SECONDS):
            again.wait_taken(SECONDS)
        assert again.wait_released(SECONDS).reason is EndReason.RELEASED


def test_an_offer_that_nobody_answers_is_ended() -> None:
    with sides(Options(answer_timeout=0.02)) as (producer, consumer), HostBuffer(4) as buffer:
        consumer.poll()
        with pytest.raises(LeaseTimeout) as caught:
            producer.offer(buffer)
        assert (caught.value.doing, caught.value.after) == (Doing.ANSWER, 0.02)
        assert producer.outstanding() == []
        assert consumer.try_next() is None
        lease = producer.offer_without_waiting(buffer)
        with consumer.next(SECONDS):
            lease.wait_taken(SECONDS)


def cuda(fds: int = 1) -> SharedBuffer:
    with HostBuffer(8) as buffer:
        raw = bytearray(buffer.shared().to_bytes())
    raw[8] = BufferKind.CUDA_VMM if fds else BufferKind.CUDA_LEGACY
    raw[80] = 16
    raw[128] = 0 if fds else 64
    return SharedBuffer.from_bytes(bytes(raw))


def test_memory_of_another_kind_is_taken_or_refused_by_who_imports_it() -> None:
    with sides() as (producer, consumer), open("/dev/null", "rb") as null:
        for fds in (1, 0):
            lend = Lend(cuda(fds), [Fd.duplicate(null)] * fds)
            lease = producer.offer_without_waiting(lend)
            with consumer.next(SECONDS) as held:
                with pytest.raises(TypeError, match="expected host memory"):
                    held.view()
                taken = held.take_fds()
                assert (len(taken), held.take_fds()) == (fds, [])
                held.take()
                with pytest.raises(Answered):
                    held.refuse(1, "")
                lease.wait_taken(SECONDS)
                for fd in taken:
                    fd.close()
            lease.wait_released(SECONDS)
            lease = producer.offer_without_waiting(lend)
            consumer.next(SECONDS).refuse(Code.REFUSED, "no such device" + "é" * 1000)
            with pytest.raises(Refused, match="with code 35: no such deviceé") as caught:
                lease.wait_taken(SECONDS)
            assert len(caught.value.refusal.message.encode()) == 1024
            # Of one that is dropped unanswered it is said as well.
            lease = producer.offer_without_waiting(lend)
            held = consumer.next(SECONDS)
            del held
            with pytest.raises(Refused, match="let go of what it had not imported"):
                lease.wait_released(SECONDS)
        with pytest.raises(FdCount):
            Lend(cuda(), [])


def test_a_tensor_is_held_to_its_buffer() -> None:
    element = ElementType(code=DLDataTypeCode.FLOAT, bits=32, lanes=1)
    with sides() as (producer, consumer), HostBuffer(24) as buffer:
        for shape, strides, offset in [([2, 3], [], 0), ([3, 2], [-2, 1], 16), ([1 << 40, 2], [0, 1], 0)]:
            shared = buffer.shared(element=element, shape=shape, strides=strides, byte_offset=offset)
            lease = producer.offer_without_waiting(Lend.host(buffer, shared))
            with consumer.next(SECONDS) as held:
                assert held.buffer == shared
            lease.wait_released(SECONDS)
        for shape, strides, offset, code in [
            ([2, 3], [4, 1], 0, Code.RULE_VIOLATED),
            ([2, 3], [-3, 1], 0, Code.RULE_VIOLATED),
            ([1 << 40, 1 << 40], [0, 0], 0, Code.OUT_OF_RANGE),
        ]:
            shared = buffer.shared(element=element, shape=shape, strides=strides, byte_offset=offset)
            with pytest.raises(GeometryError) as caught:
                Lend.host(buffer, shared)
            assert caught.value.code is code


def test_each_side_finds_that_the_other_closed() -> None:
    with sides() as (producer, consumer), HostBuffer(4) as buffer:
        lease = producer.offer_without_waiting(buffer)
        with consumer.next(SECONDS) as held:
            producer.close()
            assert lease.outcome is not None
            lost = consumer.wait_closed(SECONDS)
            assert (lost.reason, lost.is_end) == (EndReason.PEER_CLOSED, True)
            end = held.is_over()
            assert end is not None
            assert (end.reason, end.memory) == (EndReason.PEER_CLOSED, MemoryAfter.STAYS)
            assert isinstance(end.because, PeerClosed)
        for _ in range(2):
            with pytest.raises(Lost) as over:
                consumer.next(SECONDS)
            assert (over.value.is_end, str(over.value)) == (True, str(lost))
        with pytest.raises(Lost) as own:
            producer.offer(buffer)
        assert isinstance(own.value.because, SideClosed)
        assert (own.value.is_end, own.value.because.is_end) == (True, True)
    with sides() as (producer, consumer), HostBuffer(4) as buffer:
        lease = producer.offer_without_waiting(buffer)
        held = consumer.next(SECONDS)
        consumer.close()
        end = lease.wait_released(SECONDS)
        assert (end.reason, end.memory) == (EndReason.PEER_CLOSED, MemoryAfter.STAYS)
        with pytest.raises(Lost):
            producer.offer(buffer)
        held.release()


def test_a_side_without_a_file_descriptor_is_refused_by_what_it_was_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> int:
        raise OSError(errno.EMFILE, "")

    monkeypatch.setattr(os, "eventfd", fail)
    for side in (Producer, Consumer):
        ours, theirs = Channel.pair()
        with (
            ours,
            theirs,
            pytest.raises(HandoffOSError, match="making an event of this process's own") as caught,
        ):
            side(ours)
        assert (caught.value.code, caught.value.errno) == (Code.IO, errno.EMFILE)


def test_no_more_leases_than_are_let_be() -> None:
    with sides(Options(most_leases=2)) as (producer, consumer), HostBuffer(4) as buffer:
        leases = [producer.offer_without_waiting(buffer) for _ in range(2)]
        with pytest.raises(TooMany) as caught:
            producer.offer_without_waiting(buffer)
        assert caught.value.code is Code.TOO_MANY
        with consumer.next(SECONDS), consumer.next(SECONDS):
            leases[1].wait_taken(SECONDS)
        for lease in leases:
            lease.wait_released(SECONDS)
        producer.offer_without_waiting(buffer)


def test_threads_that_share_a_side_each_have_their_answer() -> None:
    with sides() as (producer, consumer), HostBuffer(4) as buffer:
        done: list[str] = []

        def lend(name: str) -> None:
            for _ in range(30):
                producer.offer(buffer).wait_released(SECONDS)
                producer.ping(SECONDS)
            done.append(name)

        def take() -> None:
            for _ in range(60):
                with consumer.next(SECONDS) as held, held.view() as view:
                    assert len(view) == 4
            consumer.ping(SECONDS)
            done.append("took")

        threads = [threading.Thread(target=lend, args=[name]) for name in "ab"]
        threads += [threading.Thread(target=take) for _ in range(1)]
        stop = threading.Event()

        def answer() -> None:
            while not stop.wait(0.001):
                consumer.poll()
                producer.poll()

        answering = threading.Thread(target=answer)
        answering.start()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS)
        stop.set()
        answering.join()
        assert sorted(done) == ["a", "b", "took"]


def test_a_side_that_is_closed_ends_the_waiting_of_other_threads() -> None:
    found: list[BaseException] = []

    def wait() -> None:
        try:
            consumer.next(SECONDS)
        except Exception as error:
            found.append(error)

    with sides() as (_, consumer):
        threads = [threading.Thread(target=wait) for _ in range(3)]
        for thread in threads:
            thread.start()
        while not consumer._link._polling:
            time.sleep(0.001)
        consumer.close()
        for thread in threads:
            thread.join(SECONDS)
    assert [type(error) for error in found] == [Lost] * 3


def test_what_is_kept_for_a_lease_is_dropped_before_a_thread_sleeps() -> None:
    class Owner:
        def __del__(self) -> None:
            dropped.set()

    dropped = threading.Event()
    with sides() as (producer, consumer), HostBuffer(4) as buffer:
        producer.offer_without_waiting(Lend.host(buffer, keep=Owner()))
        other = producer.offer_without_waiting(buffer)
        with consumer.next(SECONDS):
            held = consumer.next(SECONDS)
            other.wait_taken(SECONDS)
        # Its release has come and nobody has heard it, when another thread is the one that polls.
        producer._link._polling = True
        waiting = threading.Thread(target=lambda: other.wait_released(SECONDS))
        waiting.start()
        try:
            assert dropped.wait(SECONDS / 2)
        finally:
            producer._link._polling = False
            held.release()
            producer.poll()
            waiting.join(SECONDS)
        assert not waiting.is_alive()


def test_a_peer_that_closed_with_much_to_be_heard_has_closed() -> None:
    one, other = socket.socketpair()
    ours = Channel.from_fd(one.detach(), ChannelOptions(send_buffer=1, message_timeout=SECONDS))
    theirs = Channel.from_fd(other.detach())
    with Producer(ours, RAW) as producer, theirs, HostBuffer(4) as buffer:
        # More than is heard at once.
        leases = [producer.offer_without_waiting(buffer) for _ in range(100)]
        while not ours.send_limit()[0]:
            # Some of them are not sent, and one is sent in part.
            theirs.recv(Expected(1 << 16, fds=1)).close()
            producer.poll()
        for lease in leases:
            theirs.send(ConsumerMessageTaken(LeaseName(lease_id=lease.id)).to_json())
        theirs.close()
        lost = producer.wait_closed(SECONDS)
        assert (lost.reason, lost.code) == (EndReason.PEER_CLOSED, Code.PEER_CLOSED)


def writes(producer: Producer) -> bool:
    return bool(producer.interest() & selectors.EVENT_WRITE)


def test_a_loop_that_polls_knows_what_for_and_until_when() -> None:
    one, other = socket.socketpair()
    ours = Channel.from_fd(one.detach(), ChannelOptions(send_buffer=1, message_timeout=SECONDS))
    theirs = Channel.from_fd(other.detach())
    with (
        Producer(ours, Options(hello_timeout=SECONDS)) as producer,
        Consumer(theirs, Options(hello_timeout=SECONDS)) as consumer,
        HostBuffer(4) as buffer,
        selectors.DefaultSelector() as selector,
    ):
        for side in (producer, consumer):
            assert (side.deadline or 0) > SECONDS / 2
        while producer.deadline is not None or consumer.deadline is not None:
            producer.poll()
            consumer.poll()
        assert {producer.interest(), consumer.interest()} == {selectors.EVENT_READ}
        leases = [producer.offer_without_waiting(buffer) for _ in range(100)]
        # Not all of it is taken by the kernel.
        assert producer.interest() == selectors.EVENT_READ | selectors.EVENT_WRITE
        sides: list[Producer | Consumer] = [producer, consumer]
        for at in sides:
            selector.register(at, at.interest())
        until = time.monotonic() + SECONDS
        while any(lease.outcome is None for lease in leases) or writes(producer):
            ready = {key.fileobj for key, _ in selector.select(SECONDS)}
            if producer in ready:
                producer.poll()
            if consumer in ready and (held := consumer.try_next()) is not None:
                held.release()
            for at in sides:
                selector.modify(at, at.interest())
            # What is offered and not asked for yet makes nothing readable.
            while (held := consumer.try_next()) is not None:
                held.release()
            assert time.monotonic() < until
        assert producer.deadline is None
        consumer.close()
        producer.wait_closed(SECONDS)
        assert (producer.interest(), producer.deadline) == (selectors.EVENT_READ, None)


NAME = LeaseName(lease_id=1)


def test_a_producer_names_what_a_consumer_may_not_say() -> None:
    taken, release = ConsumerMessageTaken(NAME), ConsumerMessageRelease(NAME)
    refused = ConsumerMessageRefused(OfferRefusal(lease_id=1, code=35, message=""))
    nine = ConsumerMessageTaken(LeaseName(lease_id=9))
    cases: list[tuple[list[ConsumerMessage], Code, str]] = [
        ([nine], Code.BAD_HANDLE, "found lease 9, which was never offered"),
        ([release], Code.RULE_VIOLATED, "no `release` of lease 1, which is offered and not answered"),
        ([taken, taken], Code.RULE_VIOLATED, "no `taken` of lease 1, which is taken"),
        ([taken, refused], Code.RULE_VIOLATED, "no `refused` of lease 1, which is taken"),
        ([taken, release, release], Code.BAD_HANDLE, "found lease 1, which is over"),
        ([refused, taken], Code.BAD_HANDLE, "found lease 1, which is over"),
        ([ConsumerMessagePong(Ping(sequence=0))], Code.RULE_VIOLATED, "expected no answer, found `pong` 0"),
    ]
    for words, code, text in cases:
        ours, theirs = Channel.pair()
        with Producer(ours, RAW) as producer, theirs, HostBuffer(4) as buffer:
            lease = producer.offer_without_waiting(buffer)
            theirs.recv(Expected(65536, fds=1)).close()
            for word in words:
                theirs.send(word.to_json())
            lost = producer.wait_closed(SECONDS)
            assert isinstance(lost.because, Fault)
            assert (lost.because.code, lost.reason) == (code, EndReason.REVOKED)
            assert text in str(lost.because)
            assert lease.outcome is not None


def offer(lease: int, buffer: HostBuffer, fds: int = 1) -> ProducerMessage:
    return ProducerMessageOffer(Offer(lease_id=lease, buffer=buffer.shared().to_bytes(), fds=fds))


def test_a_consumer_names_what_a_producer_may_not_say() -> None:
    def ended(reason: EndReason) -> ProducerMessage:
        memory = MemoryAfter.GONE if reason is EndReason.RELEASED else MemoryAfter.STAYS
        return ProducerMessageEnded(LeaseEnd(lease_id=1, reason=reason, memory=memory))

    revoke = ProducerMessageRevoke(NAME)
    with HostBuffer(4) as buffer:
        one = offer(1, buffer)
        cases: list[tuple[list[ProducerMessage], Code, str]] = [
            ([one, one], Code.BUSY, "found the number 1, which is in use"),
            ([revoke], Code.BAD_HANDLE, "expected `revoke` of a lease that is outstanding"),
            ([one, revoke, revoke], Code.RULE_VIOLATED, "no `revoke` of lease 1"),
            ([one, ended(EndReason.RELEASED)], Code.RULE_VIOLATED, "no `ended` of lease 1"),
            ([one, ended(EndReason.PEER_DIED)], Code.RULE_VIOLATED, "found peer_died"),
            ([ProducerMessagePong(Ping(sequence=3))], Code.RULE_VIOLATED, "found `pong` 3"),
            ([offer(n, buffer) for n in range(1, 6)], Code.TOO_MANY, "at most 4 outstanding leases"),
        ]
        for words, code, text in cases:
            ours, theirs = Channel.pair()
            with Consumer(theirs, Options(hello=False, most_leases=4)) as consumer, ours:
                with buffer.consumer_fd() as fd:
                    for word in words:
                        ours.send(word.to_json(), [fd] if isinstance(word, ProducerMessageOffer) else [])
                lost = consumer.wait_closed(SECONDS)
                assert isinstance(lost.because, Fault)
                assert (lost.because.code, lost.reason) == (code, EndReason.PEER_CLOSED)
                assert text in str(lost.because)


def test_what_is_no_message_ends_the_channel() -> None:
    words: list[tuple[bytes, int]] = [(b"", 0), (b"{}", 0), (b"\xff", 0), (b'{"op":"take"}', 0)]
    words.append((ConsumerMessageTaken(NAME).to_json(), 1))
    words.append((b" " * 65537, 0))
    for word, fds in words:
        ours, theirs = Channel.pair()
        with Producer(ours, RAW) as producer, theirs, open("/dev/null", "rb") as null:
            theirs.send(word, [null] * fds)
            assert producer.wait_closed(SECONDS).reason is EndReason.REVOKED


def test_an_offer_that_cannot_be_used_is_refused_and_the_next_one_is_taken() -> None:
    ours, theirs = Channel.pair()
    with Consumer(theirs, RAW) as consumer, ours, HostBuffer(4) as buffer:
        with Fd(os.memfd_create("unsealed", os.MFD_ALLOW_SEALING)) as unsealed, buffer.consumer_fd() as good:
            os.ftruncate(unsealed.fileno(), 4096)
            wrong = bytearray(buffer.shared().to_bytes())
            wrong[16:24] = b"\xff" * 8
            bad = ProducerMessageOffer(Offer(lease_id=2, buffer=bytes(wrong), fds=1))
            for word, fds, code in [
                (offer(1, buffer), [unsealed], Code.REFUSED),
                (bad, [good], Code.RULE_VIOLATED),
                (offer(3, buffer), [], Code.FD_COUNT),
                (offer(4, buffer), [good, good], Code.FD_COUNT),
            ]:
                ours.send(word.to_json(), fds)
                with pytest.raises(Unusable) as caught:
                    consumer.next(SECONDS)
                assert caught.value.code is code
                consumer.poll()
                refusal = ConsumerMessage.from_json(ours.recv(Expected(65536)).body)
                assert isinstance(refusal, ConsumerMessageRefused)
                assert (refusal.value.lease_id, refusal.value.code) == (caught.value.lease, code)
                ping = ConsumerMessage.from_json(ours.recv(Expected(65536)).body)
                assert isinstance(ping, ConsumerMessagePing)
                ours.send(ProducerMessagePong(ping.value).to_json())
                if code is Code.REFUSED:
                    assert isinstance(caught.value.because, NotSealed)
            ours.send(offer(5, buffer).to_json(), [good])
        with consumer.next(SECONDS) as held:
            assert held.lease == 5


def test_what_was_on_its_way_when_a_lease_ended_is_passed_over() -> None:
    ours, theirs = Channel.pair()
    with Producer(ours, RAW) as producer, theirs, HostBuffer(4) as buffer:
        lease = producer.offer_without_waiting(buffer)
        theirs.recv(Expected(65536, fds=1)).close()
        lease.end(EndReason.TIMED_OUT)
        # It says both before it has read that.
        theirs.send(ConsumerMessageTaken(NAME).to_json())
        theirs.send(ConsumerMessageRelease(NAME).to_json())
        producer.poll()
        assert producer.lost is None
        assert isinstance(ProducerMessage.from_json(theirs.recv(Expected(65536)).body), ProducerMessageEnded)
        ping = ProducerMessage.from_json(theirs.recv(Expected(65536)).body)
        assert isinstance(ping, ProducerMessagePing)
        theirs.send(ConsumerMessagePong(ping.value).to_json())
        producer.poll()
        assert producer.lost is None
        theirs.send(ConsumerMessageRelease(NAME).to_json())
        assert isinstance(producer.wait_closed(SECONDS).because, Fault)


def test_a_side_that_asks_and_reads_nothing_is_refused() -> None:
    ours, theirs = Channel.pair()
    with Producer(ours, RAW) as producer, theirs:
        sequence = 0
        deadline = time.monotonic() + SECONDS
        while producer.lost is None and time.monotonic() < deadline:
            theirs.try_send(ConsumerMessagePing(Ping(sequence=sequence)).to_json())
            sequence += 1
        lost = producer.lost
        assert lost is not None
        assert lost.code is Code.TOO_MANY


def test_two_sides_that_speak_different_versions_say_so() -> None:
    ours, theirs = Channel.pair()
    with Producer(ours) as producer, theirs:
        theirs.send(negotiate.of(ProducerMessage, ConsumerMessage).to_json())
        lost = producer.wait_closed(SECONDS)
        assert isinstance(lost.because, WireError)
        assert (lost.code, "SharedBuffer" in str(lost)) == (Code.ID_MISMATCH, True)


def test_a_side_that_says_nothing_is_not_waited_for_longer_than_the_limit() -> None:
    ours, theirs = Channel.pair()
    with Producer(ours, Options(hello_timeout=0.02)) as producer, theirs:
        lost = producer.wait_closed(SECONDS)
        assert (lost.reason, lost.code) == (EndReason.TIMED_OUT, Code.TIMEOUT)
        assert isinstance(lost.because, LeaseTimeout)
        assert lost.because.doing is Doing.HELLO


def test_what_a_lease_is_over_says_so() -> None:
    with sides() as (producer, consumer), open("/dev/null", "rb") as null:
        lease = producer.offer_without_waiting(Lend(cuda(), [Fd.duplicate(null)]))
        with consumer.next(SECONDS) as held:
            lease.end()
            with pytest.raises(Over, match=r"lease 1, which is over \(revoked\)") as caught:
                held.take()
            assert caught.value.end.memory is MemoryAfter.GONE


def test_thousands_of_handoffs_leave_what_one_leaves() -> None:
    with sides() as (producer, consumer), HostBuffer(64) as buffer:
        lend = Lend.host(buffer)

        def hand_over() -> None:
            lease = producer.offer_without_waiting(lend)
            with consumer.next(SECONDS):
                lease.wait_taken(SECONDS)
            lease.wait_released(SECONDS)

        hand_over()
        opened = len(os.listdir("/proc/self/fd"))
        for _ in range(2_000):
            hand_over()
        assert len(os.listdir("/proc/self/fd")) == opened
        assert producer.outstanding() == []


OTHER = """
import os, signal, sys
from wirecontract.handoff import Channel
from wirecontract.host import HostBuffer
from wirecontract.lease import Consumer, Producer
channel = Channel.from_fd(int(sys.argv[1]))
def die():
    os.kill(os.getpid(), signal.SIGKILL)
"""


@contextmanager
def other_process(script: str) -> Iterator[Channel]:
    ours, theirs = Channel.pair()
    # The peer of both ends is this process, so that who is killed is known by a channel that closes.
    with theirs.detach() as end:
        number = end.fileno()
        process = subprocess.Popen([sys.executable, "-c", OTHER + script, str(number)], pass_fds=[number])
    try:
        yield ours
    finally:
        process.kill()
        process.wait()
        ours.close()


@pytest.mark.parametrize(
    "step",
    [
        "die()",
        "consumer.poll(); die()",
        "held = consumer.next(60); die()",
        "consumer.next(60).release(); die()",
    ],
)
def test_a_consumer_that_is_killed_gives_everything_back(step: str) -> None:
    script = f"consumer = Consumer(channel)\n{step}"
    with other_process(script) as channel, Producer(channel) as producer, HostBuffer(4) as buffer:
        lease = producer.offer_without_waiting(buffer)
        end = lease.wait_released(SECONDS)
        if "release" in step:
            assert end.reason in (EndReason.RELEASED, EndReason.PEER_CLOSED)
        else:
            assert end.reason is EndReason.PEER_CLOSED
        assert producer.wait_closed(SECONDS).code is Code.PEER_CLOSED
        assert producer.outstanding() == []
        # Nobody has it any more.
        buffer.freeze()


def test_memory_of_a_producer_that_died_stays_as_it_was() -> None:
    script = """
producer = Producer(channel)
buffer = HostBuffer(6)
with buffer.view() as view:
    view[:] = b"pixels"
producer.offer(buffer)
die()
"""
    with other_process(script) as channel, Consumer(channel) as consumer, consumer.next(SECONDS) as held:
        lost = consumer.wait_closed(SECONDS)
        assert lost.code is Code.PEER_CLOSED
        end = held.is_over()
        assert end is not None
        assert end.memory is MemoryAfter.STAYS
        with held.view() as view:
            assert bytes(view) == b"pixels"


def test_a_process_that_died_is_told_from_one_that_closed(tmp_path: Path) -> None:
    path = os.fspath(tmp_path / "service.sock")
    for step, reason in (
        ("die()", EndReason.PEER_DIED),
        ("consumer.close(); input()", EndReason.PEER_CLOSED),
    ):
        script = OTHER.replace("from_fd(int(sys.argv[1]))", f"connect({path!r})")
        script += f"consumer = Consumer(channel)\nheld = consumer.next(60)\n{step}"
        with Listener.bind(path) as listener, HostBuffer(4) as buffer:
            process = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE)
            with Producer(listener.accept(SECONDS)) as producer:
                # A kernel before Linux 6.5 gives no pidfd of a peer, which tells one from the other.
                known = reason if knows_processes(producer) else EndReason.PEER_CLOSED
                lease = producer.offer_without_waiting(buffer)
                assert lease.wait_released(SECONDS).reason is known
            process.communicate(b"\n")
            assert process.wait() == (-signal.SIGKILL if reason is EndReason.PEER_DIED else 0)


def test_a_process_that_died_is_noticed_though_a_child_of_it_has_the_socket(tmp_path: Path) -> None:
    path = os.fspath(tmp_path / "service.sock")
    script = OTHER.replace("from_fd(int(sys.argv[1]))", f"connect({path!r})")
    script += """
consumer = Consumer(channel)
held = consumer.next(60)
if os.fork() == 0:
    sys.stdin.read()
    os._exit(0)
die()
"""
    for serves in (False, True):
        with Listener.bind(path) as listener, HostBuffer(4) as buffer:
            process = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE)
            if serves:
                with Service(listener) as service:
                    while not service.consumers():
                        service.poll(SECONDS)
                    service.broadcast(buffer)
                    (left,) = service.poll(SECONDS) if knows_processes_here() else [None]
                    assert left is None or isinstance(left, Left)
                    assert left is None or left.lost.reason is EndReason.PEER_DIED
            else:
                with Producer(listener.accept(SECONDS)) as producer:
                    lease = producer.offer_without_waiting(buffer)
                    if knows_processes_here():
                        assert lease.wait_released(SECONDS).reason is EndReason.PEER_DIED
            assert process.wait() == -signal.SIGKILL
            assert process.stdin is not None
            process.stdin.close()


@pytest.mark.parametrize("words", [b"", b"\0\0", b"\0\0\0\x10{"])
def test_what_a_peer_said_before_it_died_is_heard_though_its_child_has_the_socket(
    words: bytes, tmp_path: Path
) -> None:
    whole = not words
    path = os.fspath(tmp_path / "service.sock")
    script = OTHER.replace("from_fd(int(sys.argv[1]))", f"connect({path!r})")
    script += f"""
consumer = Consumer(channel)
consumer.ping(60)
for _ in range(40):
    consumer.next(60).release()
os.write(channel.fileno(), {words!r})
if os.fork() == 0:
    sys.stdin.read()
    os._exit(0)
die()
"""
    with Listener.bind(path) as listener, HostBuffer(4) as buffer:
        process = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE)
        with Producer(listener.accept(SECONDS)) as producer:
            producer.ping(SECONDS)
            # More words than are heard at once, and no more than a socket has room for.
            leases = [producer.offer_without_waiting(buffer) for _ in range(40)]
            assert process.wait() == -signal.SIGKILL
            assert {lease.wait_released(SECONDS).reason for lease in leases} == {EndReason.RELEASED}
            if knows_processes(producer):
                lost = producer.wait_closed(SECONDS)
                assert (lost.reason, lost.is_end) == (EndReason.PEER_DIED, True)
                assert type(lost.because) is (PeerClosed if whole else ProcessEnded)
        assert process.stdin is not None
        process.stdin.close()


def test_a_process_whose_first_thread_ended_lives(tmp_path: Path) -> None:
    path = os.fspath(tmp_path / "service.sock")
    script = OTHER.replace("from_fd(int(sys.argv[1]))", f"connect({path!r})")
    script += """
import ctypes, platform, threading
consumer = Consumer(channel)
held = consumer.next(60)
ends = {"x86_64": 60, "aarch64": 93}[platform.machine()]
def others():
    while open(f"/proc/{os.getpid()}/stat").read().rpartition(") ")[2][0] != "Z":
        pass
    consumer.close()
    sys.stdin.read()
    os._exit(0)
threading.Thread(target=others).start()
ctypes.CDLL(None).syscall(ends, 0)
"""
    with Listener.bind(path) as listener, HostBuffer(4) as buffer:
        process = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE)
        with Producer(listener.accept(SECONDS)) as producer:
            lease = producer.offer_without_waiting(buffer)
            assert lease.wait_released(SECONDS).reason is EndReason.PEER_CLOSED
        process.communicate(b"")
        assert process.returncode == 0


def test_who_listened_may_end_and_those_who_accept_go_on(tmp_path: Path) -> None:
    path = os.fspath(tmp_path / "service.sock")
    ours, theirs = Channel.pair()
    child = os.fork()
    if child == 0:
        try:
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(path)
            listener.listen()
            Channel.from_fd(os.dup(theirs.fileno())).send(b"x", [listener])
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with ours, theirs, ours.recv(Expected(1, fds=1)) as message:
        adopted = Listener.from_fd(message.fds[0].take())
    with adopted, Consumer(Channel.connect(path)) as consumer, HostBuffer(4) as buffer:
        with Producer(adopted.accept(SECONDS)) as producer:
            lease = producer.offer_without_waiting(buffer)
            consumer.next(SECONDS).release()
            assert lease.wait_released(SECONDS).reason is EndReason.RELEASED
        assert consumer.wait_closed(SECONDS).reason is EndReason.PEER_CLOSED


def test_who_made_a_pair_may_end_and_its_ends_go_on() -> None:
    ours, theirs = Channel.pair()
    child = os.fork()
    if child == 0:
        try:
            Channel.from_fd(os.dup(theirs.fileno())).send(b"x", socket.socketpair())
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with ours, theirs, ours.recv(Expected(1, fds=2)) as message:
        one, other = (Channel.from_fd(fd.take()) for fd in message.fds)
        assert one.peer.pid == child
        with Producer(one) as producer, Consumer(other) as consumer, HostBuffer(4) as buffer:
            lease = producer.offer_without_waiting(buffer)
            with consumer.next(SECONDS):
                lease.wait_taken(SECONDS)
            assert lease.wait_released(SECONDS).reason is EndReason.RELEASED
            consumer.close()
            assert producer.wait_closed(SECONDS).reason is EndReason.PEER_CLOSED


def knows_processes_here() -> bool:
    """Whether the kernel gives handles of peers: Linux 6.5."""
    return tuple(int(number) for number in os.uname().release.split(".")[:2]) >= (6, 5)


def knows_processes(producer: Producer) -> bool:
    return producer._link.process.handle is not None


def test_a_call_that_waits_is_interrupted_and_goes_on_later() -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with sides() as (producer, consumer), HostBuffer(4) as buffer:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(KeyboardInterrupt):
                consumer.next(SECONDS)
            lease = producer.offer_without_waiting(buffer)
            with consumer.next(SECONDS):
                lease.wait_taken(SECONDS)
            lease.wait_released(SECONDS)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
