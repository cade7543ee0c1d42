"""Messages of `wirecontract.handoff` that go to a buffer of the caller's, and bodies of several parts."""

import asyncio
import os
import random
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from wirecontract.contracts import Code
from wirecontract.handoff import (
    AsyncChannel,
    Channel,
    ClosedInMessage,
    Expected,
    FdCount,
    Framing,
    HandoffTimeout,
    Options,
    OutOfStep,
    Sent,
    SeqPacket,
    Stream,
    TooLarge,
    TooLargeToSend,
)

pytestmark = pytest.mark.usefixtures("balanced")

FRAMINGS = [Stream(), Stream(length="little", prefix="joined"), SeqPacket()]
PATIENT = Options(message_timeout=60, idle_timeout=60)


def pair(framing: Framing, send_buffer: int | None = None) -> tuple[Channel, Channel]:
    return Channel.pair(replace(PATIENT, framing=framing, send_buffer=send_buffer))


@pytest.mark.parametrize("framing", FRAMINGS, ids=str)
def test_a_body_comes_to_the_beginning_of_a_buffer_and_nothing_else_is_touched(framing: Framing) -> None:
    one, other = pair(framing)
    with one, other, open("/dev/null", "rb") as null:
        for size in (1, 2, 1023, 65_536, 150_000):
            body = os.urandom(size)
            for fds in (0, 3):
                place = bytearray(b"\xaa" * (size + 7))
                one.send(body, [null] * fds)
                with other.recv_into(
                    memoryview(place)[2:], Expected(1 << 20, fds=fds, repeated=True)
                ) as received:
                    assert (received.size, len(received.fds)) == (size, fds)
                assert place == b"\xaa" * 2 + body + b"\xaa" * 5
        if isinstance(framing, Stream):
            one.send(b"", [null])
            with other.recv_into(bytearray(), Expected(9, fds=1)) as received:
                assert (received.size, len(received.fds)) == (0, 1)


@pytest.mark.parametrize("framing", FRAMINGS, ids=str)
def test_a_buffer_bounds_a_message_beside_what_is_expected(framing: Framing) -> None:
    for size, most in ((4, 100), (100, 4)):
        one, other = pair(framing)
        with one, other:
            one.send(b"12345")
            with pytest.raises(TooLarge, match="at most 4 bytes, found 5"):
                other.recv_into(bytearray(size), Expected(most))
    one, other = pair(framing)
    with one, other, open("/dev/null", "rb") as null:
        one.send(b"12345", [null] * 2)
        with pytest.raises(FdCount, match="expected one file descriptor with the message, found 2"):
            other.recv_into(bytearray(5), Expected(5, fds=1))
        read_only: list[Any] = [b"12345", memoryview(b"12345")]
        for place in read_only:
            with pytest.raises(TypeError, match="a buffer that may be written"):
                other.recv_into(place, Expected(5))


def test_what_came_of_a_body_stays_and_goes_on_in_another_buffer_or_in_none() -> None:
    body = os.urandom(200_000)
    message = len(body).to_bytes(4, "big") + body
    chance = random.Random(3)
    for _ in range(20):
        ours, theirs = socket.socketpair()
        with Channel.from_fd(ours.detach(), PATIENT) as channel, theirs:
            sent = 0
            came = b""
            while not came:
                step = chance.choice([1, 3, 4, 5, 6, 70_000, 130_000])
                theirs.sendall(message[sent : sent + step])
                sent += step
                if chance.random() < 0.5:
                    place = bytearray(len(body))
                    received = channel.try_recv_into(place, Expected(len(body)))
                    came = bytes(place) if received else b""
                else:
                    whole = channel.try_recv(Expected(len(body)))
                    came = whole.body if whole else b""
            assert came == body
            assert sent >= len(message)


def test_a_buffer_that_waits_is_left_as_the_limit_says() -> None:
    ours, theirs = socket.socketpair()
    place = bytearray(5)
    with Channel.from_fd(ours.detach(), PATIENT) as channel, theirs:
        theirs.sendall(b"\0\0\0\5ab")
        with pytest.raises(HandoffTimeout, match="6 bytes of the message had crossed"):
            channel.recv_into(place, Expected(5), within=0)
        theirs.sendall(b"cde")
        assert channel.recv_into(place, Expected(5)).size == 5
        assert place == b"abcde"
        theirs.sendall(b"\0\0\0\5ab")
        theirs.shutdown(socket.SHUT_WR)
        with pytest.raises(ClosedInMessage) as caught:
            channel.recv_into(place, Expected(5))
        assert (caught.value.crossed, caught.value.missing) == (6, 3)
        with pytest.raises(OutOfStep):
            channel.recv_into(place, Expected(5))


@pytest.mark.parametrize("framing", FRAMINGS, ids=str)
@pytest.mark.parametrize("count", [0, 1, 2, 1023, 1024, 1025, 5000])
def test_parts_go_behind_each_other_however_many_they_are(framing: Framing, count: int) -> None:
    parts = [b"%d," % number for number in range(count)]
    if count > 1:
        parts[1] = b""
    body = b"".join(parts)
    with open("/dev/null", "rb") as null:
        calls: list[Callable[[Channel], object]] = [
            lambda one: one.send_vectored(parts, [null]),
            lambda one: one.send_vectored([memoryview(bytearray(body)), b""], [null]),
            lambda one: one.try_send_vectored(parts, [null]),
        ]
        for send in calls:
            one, other = pair(framing)
            with one, other:
                assert send(one) in (None, Sent.WHOLE)
                with other.recv(Expected(len(body), fds=1)) as message:
                    assert message.body == body


def test_parts_of_a_message_that_was_begun_are_kept() -> None:
    one, other = pair(Stream(), send_buffer=4096)
    parts = [bytearray([number % 256]) * 300 for number in range(3000)]
    with one, other:
        body = b"".join(parts)
        assert one.try_send_vectored(parts) is Sent.BEGUN
        for part in parts:
            part[:] = bytes(300)
        message = None
        while message is None:
            one.try_flush()
            message = other.try_recv(Expected(len(body)))
        assert message.body == body


def test_a_packet_of_parts_has_its_bound() -> None:
    one, other = pair(SeqPacket(), send_buffer=8192)
    with one, other:
        with pytest.raises(TooLargeToSend) as caught:
            one.send_vectored([bytes(1000)] * 2000)
        assert (caught.value.code, caught.value.found) == (Code.TOO_LARGE, 2_000_000)


def test_tasks_receive_to_a_buffer_what_is_sent_in_parts() -> None:
    async def meet() -> None:
        one, other = pair(Stream(), send_buffer=4096)
        body = os.urandom(300_000)
        place = bytearray(len(body))
        async with AsyncChannel(one) as sends, AsyncChannel(other) as receives:
            waits = asyncio.ensure_future(receives.recv_into(bytearray(len(body)), Expected(len(body))))
            sending = asyncio.ensure_future(sends.send_vectored([body[:7], body[7:]]))
            while not receives.channel.recv_limit()[0]:
                await asyncio.sleep(0)
            # Cancelled in the middle, what came stays.
            waits.cancel()
            received, _ = await asyncio.gather(receives.recv_into(place, Expected(len(body))), sending)
            assert (received.size, bytes(place)) == (len(body), body)

    asyncio.run(meet())
