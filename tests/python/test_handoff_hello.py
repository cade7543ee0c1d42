"""Channels of `wirecontract.handoff` that say hello: what two sides speak is agreed on before a message is
received, or refused by name.
"""

import asyncio
import pickle
import socket
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from wirecontract.contracts import Code, negotiate
from wirecontract.contracts.buffer import ConsumerMessage, ProducerMessage, SharedBuffer
from wirecontract.contracts.hello import Hello, SpokenContract, SpokenVersion, Verdict
from wirecontract.handoff import (
    AsyncChannel,
    Channel,
    Doing,
    Expected,
    FdCount,
    Framing,
    HandoffTimeout,
    HelloRefused,
    Options,
    OutOfStep,
    SeqPacket,
    Stream,
    TooLarge,
)

pytestmark = pytest.mark.usefixtures("balanced")

FRAMINGS = [Stream(), Stream(length="little", prefix="joined"), SeqPacket()]
SILENT = Options(message_timeout=60, idle_timeout=60)
SPEAKS = replace(SILENT, speaks=(SharedBuffer,))
NAME = SharedBuffer.CONTRACT
EITHER = Expected(100, fds=(0, 1))
FOREIGN = 0xFEDC_BA98_7654_3210


def channels(framing: Framing, ours: Options, theirs: Options) -> tuple[Channel, Channel]:
    one, other = socket.socketpair(socket.AF_UNIX, framing.kind)
    return (
        Channel.from_fd(one.detach(), replace(ours, framing=framing)),
        Channel.from_fd(other.detach(), replace(theirs, framing=framing)),
    )


def speaks(*versions: tuple[int, int]) -> Hello:
    said = [
        SpokenVersion(version=version, wire_id=wire_id.to_bytes(8, "big")) for version, wire_id in versions
    ]
    return Hello(format=1, speaks=[SpokenContract(name=NAME, versions=said)])


@pytest.mark.parametrize("framing", FRAMINGS, ids=str)
def test_both_sides_agree_before_a_message_and_ask_what_on(framing: Framing) -> None:
    one, other = channels(framing, SPEAKS, SPEAKS)
    with one, other, open("/dev/null", "rb") as null:
        one.send(b"a", [null])
        with other.recv(Expected(1, fds=1)) as message:
            assert message.body == b"a"
        for side in (one, other):
            assert side.agreed(SharedBuffer, 60).wire_id == SharedBuffer.WIRE_ID
            assert side.agreed(NAME, 0).version == SharedBuffer.VERSION
        other.send(b"back")
        assert one.recv(Expected(4)).body == b"back"
        assert one.detach().fileno() >= 0


@pytest.mark.parametrize("framing", FRAMINGS, ids=str)
def test_a_peer_of_another_form_is_refused_by_name_and_both_ids(framing: Framing) -> None:
    one, other = channels(framing, SPEAKS, replace(SILENT, hello=speaks((1, FOREIGN))))
    with one, other, open("/dev/null", "rb") as null:
        # Sent before anybody knew; it is received by nobody.
        other.send(b"payload", [null])
        ids = (SharedBuffer.WIRE_ID, FOREIGN)
        for side, (ours, theirs) in ((one, ids), (other, ids[::-1])):
            with pytest.raises(HelloRefused) as caught:
                side.recv(EITHER)
            refused = caught.value.because
            assert isinstance(refused, negotiate.Refusal)
            assert (refused.verdict, caught.value.code) == (Verdict.TWO_IDS, Code.ID_MISMATCH)
            text = f"version 1 has two wire ids, ours 0x{ours:016x} and theirs 0x{theirs:016x}"
            assert str(caught.value).startswith(f"{NAME}: id_mismatch: {text}")
            assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
            # And so says every call from then on.
            calls: list[Callable[[], object]] = [
                partial(side.recv, EITHER),
                partial(side.try_recv, EITHER),
                partial(side.send, b"x"),
                partial(side.try_send, b"x"),
                partial(side.agreed, SharedBuffer),
                side.detach,
            ]
            for call in calls:
                with pytest.raises(HelloRefused) as again:
                    call()
                assert (str(again.value), again.value.is_end) == (str(caught.value), True)
            assert (side.can_receive, side.can_send) == (False, False)


def test_the_highest_version_that_both_have_counts() -> None:
    hello = speaks((1, SharedBuffer.WIRE_ID), (7, FOREIGN))
    one, other = channels(Stream(), SPEAKS, replace(SILENT, hello=hello))
    with one, other:
        assert (one.agreed(SharedBuffer).version, other.agreed(NAME).version) == (1, 1)


def test_a_contract_that_need_not_be_spoken_is_refused_when_it_is_asked_for() -> None:
    ours = replace(SPEAKS, may_speak=(ProducerMessage,))
    one, other = channels(Stream(), ours, SPEAKS)
    with one, other:
        assert one.agreed(SharedBuffer).version == 1
        for side, contract, verdict in (
            (one, ProducerMessage, Verdict.UNKNOWN_TO_PEER),
            (other, ConsumerMessage, Verdict.NOT_OURS),
        ):
            with pytest.raises(HelloRefused) as caught:
                side.agreed(contract)
            assert isinstance(caught.value.because, negotiate.Refusal)
            assert caught.value.because.verdict is verdict
        other.send(b"goes on")
        assert one.recv(Expected(7)).body == b"goes on"
    strict = replace(SILENT, speaks=(SharedBuffer, ProducerMessage))
    one, other = channels(Stream(), strict, SPEAKS)
    with one, other, pytest.raises(HelloRefused, match="the peer's hello does not name it"):
        one.recv(Expected(7))
    one, other = channels(Stream(), SILENT, SILENT)
    with one, other, pytest.raises(HelloRefused, match="our hello does not name it"):
        one.agreed(SharedBuffer)


def test_what_is_no_hello_is_refused_as_what_it_is() -> None:
    twice = Hello(format=1, speaks=[*speaks((1, 2)).speaks, *speaks((1, 2)).speaks])
    for words, code in (
        (b"not a hello", Code.NOT_JSON),
        (b"{}", Code.MISSING_KEY),
        (twice.to_json(), Code.RULE_VIOLATED),
    ):
        one, other = channels(Stream(), SPEAKS, SILENT)
        with one, other:
            other.send(words)
            with pytest.raises(HelloRefused, match=r"^their hello: ") as caught:
                one.recv(Expected(1 << 20))
            assert caught.value.code is code
    one, other = channels(Stream(), SPEAKS, SILENT)
    with one, other, open("/dev/null", "rb") as null:
        other.send(b"{}", [null])
        with pytest.raises(FdCount):
            one.recv(Expected(100, fds=1))
    one, other = channels(Stream(), SPEAKS, SILENT)
    with one, other:
        other.try_send(bytes((256 << 10) + 1))
        with pytest.raises(TooLarge):
            one.recv(Expected(1 << 20))
    with pytest.raises(HelloRefused, match=r"^our hello: "):
        Channel.pair(Options(hello=twice))


def test_a_peer_that_says_no_hello_is_waited_for_no_longer_than_the_limit() -> None:
    one, other = channels(Stream(), replace(SPEAKS, idle_timeout=0.02), SILENT)
    with one, other:
        assert one.try_recv(Expected(9)) is None
        assert one.try_agreed(SharedBuffer) is None
        with pytest.raises(HandoffTimeout) as caught:
            one.recv(Expected(9))
        assert caught.value.doing is Doing.HELLO
        with pytest.raises(HandoffTimeout):
            one.agreed(SharedBuffer, within=0)
        with pytest.raises(OutOfStep, match="whose hello is to come"):
            one.detach()
        # Nothing has changed.
        other.send(negotiate.of(SharedBuffer).to_json())
        assert one.agreed(SharedBuffer, 60).version == 1


def test_a_peer_that_says_no_hello_is_not_waited_for_for_ever() -> None:
    assert Options().hello_timeout == 10
    one, other = channels(Stream(), replace(SPEAKS, idle_timeout=None, hello_timeout=0.02), SILENT)
    with one, other:
        calls: list[Callable[[], object]] = [
            lambda: one.agreed(SharedBuffer),
            lambda: one.recv(Expected(1)),
            lambda: one.try_recv(Expected(1)),
            lambda: one.recv_into(bytearray(1), Expected(1)),
            lambda: one.recv_frame(Expected(1)),
        ]
        for call in calls:
            with pytest.raises(HandoffTimeout) as caught:
                call()
            assert (caught.value.doing, caught.value.after) == (Doing.HELLO, 0.02)
        # Late, it counts all the same.
        other.send(negotiate.of(SharedBuffer).to_json())
        assert one.agreed(SharedBuffer).version == SharedBuffer.VERSION

    async def meet() -> None:
        one, other = channels(Stream(), replace(SPEAKS, idle_timeout=None, hello_timeout=0.02), SILENT)
        with other:
            async with AsyncChannel(one) as waits:
                for call in (waits.agreed(SharedBuffer), waits.recv(Expected(1))):
                    with pytest.raises(HandoffTimeout) as caught:
                        await call
                    assert (caught.value.doing, caught.value.after) == (Doing.HELLO, 0.02)

    asyncio.run(meet())


def test_a_hello_that_found_no_room_in_time_goes_before_everything_else() -> None:
    one, other = socket.socketpair()
    one.setblocking(False)
    filled = 0
    try:
        while True:
            filled += one.send(bytes(4096))
    except BlockingIOError:
        pass
    with Channel.from_fd(one.detach(), replace(SPEAKS, message_timeout=0.02)) as channel, other:
        for _ in range(2):
            with pytest.raises(HandoffTimeout) as caught:
                channel.send(b"behind the hello")
            assert (caught.value.doing, caught.value.crossed) == (Doing.SENDING, 0)
        while filled:
            filled -= len(other.recv(filled))
        channel.send(b"behind the hello")
        with Channel.from_fd(other.dup().detach(), SILENT) as reads:
            hello = negotiate.of(SharedBuffer).to_json()
            assert reads.recv(Expected(1 << 16)).body == hello
            assert reads.recv(Expected(100)).body == b"behind the hello"


def test_a_hello_that_finds_no_room_goes_as_soon_as_there_is_some() -> None:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    before = 0
    try:
        while True:
            assert ours.send(b"\0\0\2\0" + bytes(512)) == 516
            before += 1
    except BlockingIOError:
        ours.setblocking(True)
    with Channel.from_fd(ours.detach(), SPEAKS) as one, Channel.from_fd(theirs.detach(), SILENT) as other:
        owed = [one.owes_hello]
        assert one.try_recv(Expected(1)) is None
        for _ in range(before):
            assert other.recv(Expected(512)).body == bytes(512)
        assert one.try_recv(Expected(1)) is None
        owed.append(one.owes_hello)
        assert owed == [True, False]
        hello = other.recv(Expected(1 << 16)).body
        assert hello == negotiate.of(SharedBuffer).to_json()
        other.send(hello)
        assert one.agreed(SharedBuffer, 60).version == 1


def test_tasks_agree_before_a_message() -> None:
    async def meet() -> None:
        one, other = channels(Stream(), SPEAKS, SPEAKS)
        async with AsyncChannel(one) as sends, AsyncChannel(other) as receives:
            agreed, _ = await asyncio.gather(receives.agreed(SharedBuffer), sends.send(b"body"))
            assert agreed.version == 1
            assert (await receives.recv(Expected(4))).body == b"body"

    asyncio.run(meet())
