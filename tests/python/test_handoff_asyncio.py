"""Channels and listeners that tasks of an event loop wait for."""

import asyncio
import os
import socket
from pathlib import Path

import pytest
import wirecontract
from wirecontract.handoff import (
    AsyncChannel,
    AsyncListener,
    Channel,
    ChannelClosed,
    Doing,
    Expected,
    HandoffTimeout,
    Options,
    PeerClosed,
    SeqPacket,
    Stream,
    TooLarge,
)

pytestmark = pytest.mark.usefixtures("balanced")


def pair(options: Options | None = None) -> tuple[AsyncChannel, AsyncChannel]:
    one, other = Channel.pair(options)
    return AsyncChannel(one), AsyncChannel(other)


@pytest.mark.parametrize("framing", [Stream(), Stream(prefix="joined"), SeqPacket()], ids=str)
def test_messages_cross_whole(framing: Stream | SeqPacket) -> None:
    async def run() -> None:
        one, other = pair(Options(framing=framing, send_buffer=200_000))
        async with one, other:
            with open("/dev/null", "rb") as null:
                for size in (1, 70_000, 100_000):
                    body = os.urandom(size)
                    sending = asyncio.create_task(one.send(body, [null]))
                    message = await other.recv(Expected(size, fds=1))
                    await sending
                    with message:
                        assert (message.body, len(message.fds)) == (body, 1)
            await one.finish()
            with pytest.raises(PeerClosed):
                await other.recv(Expected(1))

    asyncio.run(run())


def test_sixty_four_peers_are_served_at_once(tmp_path: Path) -> None:
    path = tmp_path / "service.sock"

    async def serve(channel: AsyncChannel) -> None:
        async with channel:
            with await channel.recv(Expected(100, fds=1)) as message:
                await channel.send(b"served " + message.body, message.fds)

    async def ask(number: int) -> bytes:
        async with await AsyncChannel.connect(path, Options(message_timeout=60)) as channel:
            with open("/dev/null", "rb") as null:
                await channel.send(b"%d" % number, [null])
            with await channel.recv(Expected(100, fds=1)) as message:
                return message.body

    async def run() -> None:
        async with AsyncListener.bind(path, Options(backlog=4, idle_timeout=60)) as listener:

            async def accept() -> None:
                async with asyncio.TaskGroup() as served:
                    for _ in range(65):
                        served.create_task(serve_or_refuse(await listener.accept()))

            async def serve_or_refuse(channel: AsyncChannel) -> None:
                try:
                    await serve(channel)
                except TooLarge:
                    refused.append(channel.peer.pid)

            refused: list[int | None] = []
            accepting = asyncio.create_task(accept())
            hostile = await AsyncChannel.connect(path, Options(message_timeout=60))
            await hostile.send(bytes(101))
            answers = await asyncio.gather(*(ask(number) for number in range(64)))
            assert answers == [b"served %d" % number for number in range(64)]
            await accepting
            hostile.close()
            assert refused == [os.getpid()]

    asyncio.run(run())


def test_a_receiving_that_is_cancelled_loses_nothing() -> None:
    async def run() -> None:
        ours, theirs = socket.socketpair()
        async with AsyncChannel(Channel.from_fd(ours.detach())) as channel:
            with theirs:
                theirs.sendall(b"\0\0\0\5ab")
                with pytest.raises(HandoffTimeout) as caught:
                    await channel.recv(Expected(5), within=0.01)
                assert caught.value.doing is Doing.WAITING
                receiving = asyncio.create_task(channel.recv(Expected(5)))
                await asyncio.sleep(0)
                receiving.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await receiving
                theirs.sendall(b"cde")
                assert (await channel.recv(Expected(5))).body == b"abcde"

    asyncio.run(run())


def test_a_sending_that_is_cancelled_sends_all_or_nothing() -> None:
    async def run() -> None:
        one, other = pair(Options(send_buffer=4096, message_timeout=60))
        async with one, other:
            body = os.urandom(1 << 20)
            sending = asyncio.create_task(one.send(body))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
            assert one.channel.send_limit()[0]
            flushing = asyncio.create_task(one.flush())
            assert (await other.recv(Expected(1 << 20))).body == body
            await flushing
            await one.send(b"next")
            assert (await other.recv(Expected(4))).body == b"next"

    asyncio.run(run())


def test_peers_that_are_slow_or_silent_are_waited_for_no_longer_than_the_limit() -> None:
    async def run() -> None:
        options = Options(idle_timeout=0.05, message_timeout=0.05, send_buffer=4096)
        one, other = pair(options)
        async with one, other:
            with pytest.raises(HandoffTimeout) as caught:
                await one.recv(Expected(1))
            assert caught.value.doing is Doing.WAITING
            with pytest.raises(HandoffTimeout) as caught:
                await one.send(bytes(10 << 20))
            assert caught.value.doing is Doing.SENDING
            with pytest.raises(HandoffTimeout) as caught:
                # The other side has so much of it, and no more comes.
                await AsyncChannel(begun()).recv(Expected(100))
            assert caught.value.doing is Doing.RECEIVING

    made: list[socket.socket] = []
    channels: list[Channel] = []

    def begun() -> Channel:
        ours, theirs = socket.socketpair()
        theirs.sendall(b"\0\0\0\5ab")
        made.append(theirs)
        channels.append(Channel.from_fd(ours.detach(), Options(message_timeout=0.05)))
        return channels[0]

    asyncio.run(run())
    made[0].close()
    channels[0].close()


def test_a_channel_that_is_closed_ends_the_waiting_of_tasks() -> None:
    async def run() -> None:
        one, other = pair()
        receiving = asyncio.create_task(other.recv(Expected(1)))
        await asyncio.sleep(0.01)
        other.close()
        with pytest.raises(ChannelClosed):
            await receiving
        # Its number is another's now, which is waited for as if nothing had been.
        again, more = pair()
        receiving = asyncio.create_task(again.recv(Expected(1)))
        await asyncio.sleep(0.01)
        await more.send(b"x")
        assert (await receiving).body == b"x"
        for channel in (one, again, more):
            channel.close()

    asyncio.run(run())


def test_finishing_waits_without_the_event_loop() -> None:
    async def meet() -> tuple[int, bool]:
        one, other = Channel.pair(Options(message_timeout=60, send_buffer=4096))
        async with AsyncChannel(one) as ours, AsyncChannel(other) as theirs:
            sending = asyncio.create_task(ours.send(bytes(1 << 20)))
            await asyncio.sleep(0)
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
            assert one.send_limit()[0]
            assert not one.try_finish()
            finishing = asyncio.create_task(ours.finish())
            await asyncio.sleep(0)
            # Another task's message would have to be waited for, and by nobody's thread.
            size = len((await theirs.recv(Expected(1 << 20))).body)
            await finishing
            return size, other.wait_closed(60)

    assert asyncio.run(meet()) == (1 << 20, True)


def test_native_channels_are_connected_and_accepted_by_tasks(tmp_path: Path) -> None:
    path = tmp_path / "native.sock"

    async def run() -> None:
        async with wirecontract.alisten(path, Options(idle_timeout=60)) as listener:
            async with await wirecontract.aconnect(path) as ours:
                assert isinstance(ours.channel, wirecontract.Channel)
                async for theirs in listener:
                    assert isinstance(theirs.channel, wirecontract.Channel)
                    async with theirs:
                        receiving = asyncio.create_task(theirs.recv(Expected(2)))
                        await asyncio.sleep(0)
                        await ours.send(b"hi")
                        assert (await receiving).body == b"hi"
                    break
            accepting = asyncio.create_task(listener.accept())
            await asyncio.sleep(0)
            accepting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await accepting
            async with await wirecontract.aconnect(path), await listener.accept():
                pass

    asyncio.run(run())
