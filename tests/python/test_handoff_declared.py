"""Messages as their contracts declare them, on channels: they come with the file descriptors that they own,
or are refused, and nothing stays open.
"""

import asyncio
import os
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest
from wirecontract.contracts import Code, WireError
from wirecontract.contracts.texture import (
    CheckIn,
    CheckInMessage,
    RequestMessage,
    SurfaceMessage,
)
from wirecontract.handoff import (
    AsyncChannel,
    Channel,
    Expected,
    FdCount,
    FdsRepeated,
    HandoffTimeout,
    IdMismatch,
    NoWireId,
    Options,
    Sent,
    SeqPacket,
)

pytestmark = pytest.mark.usefixtures("balanced")

PATIENT = Options(message_timeout=60, idle_timeout=60)


def check_in(count: int = 1) -> CheckInMessage:
    """A message whose planes say their places."""
    made = []
    for place in range(count):
        made.append(os.memfd_create("plane"))
        os.write(made[-1], b"plane %d" % place)
    return CheckInMessage(check_in=CheckIn.from_json(b'{"runtime_id":"camera"}'), planes=made)


def texts(message: CheckInMessage) -> list[bytes]:
    return [os.pread(fd, 100, 0) for fd in message.planes]


@contextmanager
def pair() -> Iterator[tuple[Channel, Channel]]:
    one, other = Channel.pair(PATIENT)
    with one, other:
        yield one, other


@pytest.mark.parametrize("framed", [False, True])
def test_a_declared_message_crosses_with_its_file_descriptors(framed: bool) -> None:
    with pair() as (one, other):
        for count in (1, 4):
            with check_in(count) as sent:
                (one.send_framed if framed else one.send_declared)(sent)
                assert not sent.closed
                receive = other.recv_framed if framed else other.recv_declared
                with receive(CheckInMessage, within=60) as came:
                    assert came.check_in == sent.check_in
                    assert texts(came) == [b"plane %d" % place for place in range(count)]
                    assert not set(came.planes) & set(sent.planes)
                    assert not any(os.get_inheritable(fd) for fd in came.planes)
                assert came.closed


def test_nothing_waits_where_nothing_is_to() -> None:
    with pair() as (one, other), check_in() as sent:
        assert other.try_recv_declared(CheckInMessage) is None
        assert other.try_recv_framed(CheckInMessage) is None
        assert other.try_recv_frame(Expected(10)) is None
        for receive in (other.recv_declared, other.recv_framed):
            with pytest.raises(HandoffTimeout):
                receive(CheckInMessage, within=0.01)
        with pytest.raises(HandoffTimeout):
            other.recv_frame(Expected(10), within=0.01)
        assert one.try_send_declared(sent) is Sent.WHOLE
        assert one.try_send_framed(sent) is Sent.WHOLE
        for came in (other.try_recv_declared(CheckInMessage), other.try_recv_framed(CheckInMessage)):
            assert came is not None
            assert texts(came) == [b"plane 0"]
            came.close()


@pytest.mark.parametrize("framed", [False, True])
def test_what_a_contract_refuses_is_closed_and_the_next_message_comes(framed: bool) -> None:
    with pair() as (one, other), check_in() as sent:
        plane = sent.planes[0]
        before = CheckInMessage.WIRE_ID.to_bytes(8, "little") if framed else b""
        receive = other.recv_framed if framed else other.recv_declared
        opened = len(os.listdir("/proc/self/fd"))
        for body, fds, code in (
            (b'{"runtime_id":7}', [plane], Code.WRONG_TYPE),
            (b"[", [plane], Code.NOT_JSON),
            (sent.to_message()[0], [], Code.FD_COUNT),
        ):
            one.send(before + body, fds)
            with pytest.raises(WireError) as caught:
                receive(CheckInMessage)
            assert caught.value.code is code
            assert len(os.listdir("/proc/self/fd")) == opened
        one.send_framed(sent) if framed else one.send_declared(sent)
        receive(CheckInMessage).close()


def test_more_than_a_contract_can_have_is_refused_before_it_is_read() -> None:
    for case in range(2):
        with pair() as (one, other), check_in(4) as sent, check_in() as more:
            one.send(sent.to_message()[0], [*sent.planes, *more.planes][: 5 - case * 4])
            if case == 0:
                with pytest.raises(
                    FdCount, match="expected at most 4 file descriptors with the message, found 5"
                ):
                    other.recv_declared(CheckInMessage)
            else:
                other.recv_declared(CheckInMessage).close()


@pytest.mark.parametrize("framed", [False, True])
def test_planes_of_one_file_come_where_they_may(framed: bool) -> None:
    with pair() as (one, other), check_in() as sent:
        body = sent.to_message()[0]
        if framed:
            body = CheckInMessage.WIRE_ID.to_bytes(8, "little") + body
        one.send(body, sent.planes * 2)
        receive = other.recv_framed if framed else other.recv_declared
        with receive(CheckInMessage, repeated=True) as came:
            assert texts(came) == [b"plane 0"] * 2
        one.send(body, sent.planes * 2)
        try_receive = other.try_recv_framed if framed else other.try_recv_declared
        with pytest.raises(FdsRepeated):
            try_receive(CheckInMessage)


def test_a_message_of_another_contract_is_refused_by_its_wire_id() -> None:
    with pair() as (one, other), check_in(3) as sent:
        one.send_framed(sent)
        with pytest.raises(IdMismatch) as caught:
            other.recv_framed(SurfaceMessage, within=60)
        assert caught.value.code is Code.ID_MISMATCH
        assert str(caught.value) == (
            "id_mismatch: expected a message of SurfaceMessage (wire id "
            f"{SurfaceMessage.WIRE_ID:#018x}), found one of wire id {CheckInMessage.WIRE_ID:#018x}: build"
            " both sides of the same declaration, or say hello first"
        )
        one.send(b"1234567", sent.planes)
        with pytest.raises(NoWireId, match="before the message, found 7 bytes") as short:
            other.recv_framed(CheckInMessage)
        assert short.value.code is Code.TOO_SHORT
        one.send_framed(sent)
        other.recv_framed(CheckInMessage).close()


def test_of_several_contracts_the_wire_id_says_which_came() -> None:
    with pair() as (one, other), check_in(2) as sent:
        one.send_framed(sent)
        one.send((5).to_bytes(8, "little") + b"other")
        with other.recv_frame(Expected(1 << 20, fds=(0, 4)), within=60) as frame:
            assert (frame.is_of(CheckInMessage), frame.is_of(RequestMessage)) == (True, False)
            with frame.read(CheckInMessage) as came:
                assert texts(came) == [b"plane 0", b"plane 1"]
        with other.recv_frame(Expected(5)) as frame:
            assert (frame.wire_id, frame.body, frame.fds) == (5, b"other", [])
        one.send(bytes(8) + b"123456")
        with pytest.raises(ValueError, match="at most 13 bytes, found 14"):
            other.recv_frame(Expected(5))


def test_a_message_that_is_closed_is_not_sent() -> None:
    with pair() as (one, other):
        sent = check_in()
        sent.close()
        for send in (one.send_declared, one.send_framed, one.try_send_declared, one.try_send_framed):
            with pytest.raises(ValueError, match="closed"):
                send(sent)
        assert other.try_recv(Expected(1)) is None


def test_packets_carry_messages_of_several_kinds() -> None:
    one, other = Channel.pair(Options(framing=SeqPacket(), message_timeout=60))
    with one, other, check_in() as sent:
        request = RequestMessage.from_message(
            b'{"op":"release","surface_id":"camera"}', (), close_refused=True
        )
        for message in (sent, request):
            one.send_framed(message)
        other.recv_framed(CheckInMessage).close()
        with other.recv_framed(RequestMessage) as came:
            assert came.to_message() == request.to_message()


def test_tasks_wait_for_declared_messages() -> None:
    async def meet() -> None:
        one, other = Channel.pair(PATIENT)
        async with AsyncChannel(one) as ours, AsyncChannel(other) as theirs:
            for framed in (False, True):
                receive = theirs.recv_framed if framed else theirs.recv_declared
                waiting = asyncio.create_task(receive(CheckInMessage))
                await asyncio.sleep(0)
                with check_in(2) as sent:
                    await (ours.send_framed(sent) if framed else ours.send_declared(sent))
                    with await waiting as came:
                        assert texts(came) == [b"plane 0", b"plane 1"]
            with check_in() as sent:
                await ours.send_framed(sent)
                (await theirs.recv_frame(Expected(1 << 20, fds=1))).close()
                await ours.send_framed(sent)
                with pytest.raises(IdMismatch):
                    await theirs.recv_framed(RequestMessage)

    asyncio.run(meet())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
def test_no_descriptor_is_lost_wherever_a_call_is_interrupted() -> None:
    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    chance = random.Random(5)
    hit = 0
    try:
        with check_in(4) as sent:
            opened = len(os.listdir("/proc/self/fd"))
            for _ in range(400):
                came: CheckInMessage | None = None
                one, other = Channel.pair(PATIENT)
                try:
                    signal.setitimer(signal.ITIMER_REAL, chance.uniform(1e-4, 3e-3))
                    # A finalizer may have swallowed it.
                    for _ in range(30):
                        one.send_framed(sent)
                        came = other.recv_framed(CheckInMessage)
                        came.close()
                except KeyboardInterrupt:
                    hit += 1
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                if came is not None:
                    came.close()
                one.close()
                other.close()
                # Each number is closed once: those of the message that is sent are there.
                assert texts(sent) == [b"plane %d" % place for place in range(4)]
            assert len(os.listdir("/proc/self/fd")) == opened
    finally:
        signal.signal(signal.SIGALRM, before)
    assert hit > 100
