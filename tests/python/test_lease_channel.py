"""A side of leases has the channel that it was made of, alone."""

import os
import threading
from collections.abc import Callable

import pytest
from wirecontract.contracts import Code
from wirecontract.contracts.buffer import EndReason
from wirecontract.handoff import (
    AsyncChannel,
    Channel,
    ChannelClosed,
    ChannelTaken,
    Expected,
    HandoffOSError,
    HandoffTimeout,
    Listener,
    Sent,
)
from wirecontract.handoff import Options as ChannelOptions
from wirecontract.host import HostBuffer
from wirecontract.lease import Consumer, Lost, Producer, Service
from wirecontract.lease import _link as link

pytestmark = pytest.mark.usefixtures("balanced")

SECONDS = 60.0


def refused(channel: Channel, side: str, *more: Callable[[], object]) -> None:
    """What sends or receives is refused by the name of the side that has the channel."""
    calls: list[Callable[[], object]] = [
        lambda: channel.send(b"x"),
        lambda: channel.try_send(b"x"),
        lambda: channel.send_vectored([b"x"]),
        channel.flush,
        channel.try_flush,
        channel.finish,
        channel.try_finish,
        channel.shutdown,
        channel.detach,
        lambda: channel.recv(Expected(1), 0),
        lambda: channel.try_recv(Expected(1)),
        lambda: channel.recv_into(bytearray(1), Expected(1)),
        lambda: Producer(channel),
        lambda: Consumer(channel),
        *more,
    ]
    for call in calls:
        with pytest.raises(ChannelTaken) as caught:
            call()
        error = caught.value
        assert (error.code, error.side, error.is_end) == (Code.BUSY, side, True)
        assert str(error) == (
            f"busy: expected a channel that no side of leases has, found that of a {side}:"
            f" call the {side}, or open another channel"
        )
    assert (channel.can_send, channel.can_receive) == (False, False)


def lends(producer: Producer, consumer: Consumer) -> None:
    """The sides go on."""
    with HostBuffer(4) as buffer:
        lease = producer.offer_without_waiting(buffer)
        with consumer.next(SECONDS):
            lease.wait_taken(SECONDS)
        assert lease.wait_released(SECONDS).reason is EndReason.RELEASED


def test_a_channel_is_its_sides() -> None:
    ours, theirs = Channel.pair()
    with Producer(ours) as producer, Consumer(theirs) as consumer:
        refused(ours, "Producer")
        refused(theirs, "Consumer")
        lends(producer, consumer)
        # What says of the channel alone is its own still.
        assert (ours.peer, ours.fileno()) == (producer.peer, producer.fileno())
        assert ours.wait_closed(0) is False
    for call in (lambda: Producer(ours), lambda: ours.send(b"x")):
        with pytest.raises(ChannelClosed):
            call()
    assert ours.closed
    assert theirs.closed


def test_calls_on_what_a_side_has_wait_for_no_turn() -> None:
    ours, theirs = Channel.pair(ChannelOptions(message_timeout=SECONDS))
    with Producer(ours) as producer, Consumer(theirs):
        held = producer.link.channel
        with held._receives.take(None), held._sends.take(None):
            thread = threading.Thread(target=refused, args=(ours, "Producer"))
            thread.start()
            thread.join(SECONDS)
            assert not thread.is_alive()


def test_closing_the_channel_closes_its_side() -> None:
    ours, theirs = Channel.pair()
    with ours, theirs:
        producer, consumer = Producer(ours), Consumer(theirs)
        lends(producer, consumer)
        thread = threading.Thread(target=lambda: found.append(consumer.wait_closed(SECONDS)))
        found: list[Lost] = []
        thread.start()
        theirs.close()
        thread.join(SECONDS)
        assert str(found[0]) == "peer_closed: this side closed the channel: open another one"
        assert producer.wait_closed(SECONDS).reason is EndReason.PEER_CLOSED


def test_the_channels_of_a_service_are_its_own() -> None:
    channels = []

    class Noted(Listener):
        def try_accept(self) -> Channel | None:
            channel = super().try_accept()
            if channel is not None:
                channels.append(channel)
            return channel

    name = f"\0wirecontract-taken-{os.getpid()}"
    with Service(Noted.bind(name)) as service, Consumer(Channel.connect(name)) as consumer:
        while not service.consumers():
            service.poll(0.01)
            consumer.poll()
        (channel,) = channels
        ((number, _),) = service.consumers()
        producer = service.producer(number)
        assert producer is not None
        refused(channel, "Producer")
        lends(producer, consumer)


def test_a_side_goes_on_with_what_is_unfinished() -> None:
    ours, theirs = Channel.pair(ChannelOptions(message_timeout=SECONDS))
    with ours, theirs:
        assert ours.try_send(bytes(10 << 20)) is Sent.BEGUN
        with Producer(ours) as producer:
            while (message := theirs.try_recv(Expected(10 << 20))) is None:
                producer.poll()
            assert message.body == bytes(10 << 20)


def test_a_channel_on_which_another_thread_waits_is_not_taken() -> None:
    ours, theirs = Channel.pair(ChannelOptions(message_timeout=0.02))
    with ours, theirs:
        thread = threading.Thread(target=lambda: ours.recv(Expected(1)))
        thread.start()
        turn = ours._receives._lock
        while turn.acquire(blocking=False):
            turn.release()
        with pytest.raises(HandoffTimeout, match="waiting for another call on the same channel"):
            Producer(ours)
        theirs.send(b"x")
        thread.join(SECONDS)
        with Producer(ours), Consumer(theirs):
            pass


def test_a_side_that_cannot_be_made_leaves_the_channel_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise HandoffOSError("making an event of this process's own", 24)

    ours, theirs = Channel.pair()
    with ours, theirs:
        with monkeypatch.context() as patched:
            patched.setattr(link, "Wake", fail)
            for side in (Producer, Consumer):
                with pytest.raises(HandoffOSError, match="making an event"):
                    side(ours)
        ours.send(b"x")
        assert theirs.recv(Expected(1)).body == b"x"


def test_what_is_no_channel_has_no_side() -> None:
    ours, theirs = Channel.pair()
    with ours, theirs:
        cases: list[tuple[object, str]] = [
            (None, "None"),
            (Channel, "the class wirecontract.handoff.Channel"),
            (AsyncChannel(ours), "an object of wirecontract.handoff.AsyncChannel"),
        ]
        for given, found in cases:
            for side in (Producer, Consumer):
                text = f"expected a channel that is a Channel for a {side.__name__} of leases, found {found}"
                with pytest.raises(TypeError) as caught:
                    side(given)  # type: ignore[arg-type]
                assert str(caught.value) == text
        with pytest.raises(TypeError, match="expected a listener that is a Listener, found None"):
            Service(None)  # type: ignore[arg-type]
