"""Messages of `wirecontract.handoff`: what is sent comes, whole, with its file descriptors, and nothing else
does.
"""

import os
import pickle
import re
import socket
import threading
from collections.abc import Callable, Sequence

import pytest
from wirecontract.contracts import Code
from wirecontract.handoff import (
    MOST_FDS,
    BadAddress,
    Channel,
    ChannelClosed,
    Doing,
    EmptyPacket,
    Expected,
    Fd,
    FdCount,
    FdKind,
    FdsMisplaced,
    FdsRepeated,
    Framing,
    HandoffError,
    HandoffOSError,
    HandoffTimeout,
    HasFileno,
    Options,
    OutOfStep,
    PeerClosed,
    PeerUser,
    Sent,
    SeqPacket,
    Stream,
    TooLarge,
    TooManyFds,
)

pytestmark = pytest.mark.usefixtures("balanced")

FRAMINGS = [
    Stream(),
    Stream(prefix="joined"),
    Stream(length="little"),
    Stream(length="little", prefix="joined"),
    SeqPacket(),
]
STREAMS = [framing for framing in FRAMINGS if isinstance(framing, Stream)]


def pair(framing: Framing, send_buffer: int | None = None) -> tuple[Channel, Channel]:
    return Channel.pair(Options(framing=framing, message_timeout=60, send_buffer=send_buffer))


def files(count: int) -> list[Fd]:
    """As many files as asked for, each of which says its number."""
    made = []
    for number in range(count):
        fd = Fd(os.memfd_create(f"{number}"))
        os.write(fd.fileno(), b"file %d" % number)
        made.append(fd)
    return made


def texts(fds: list[Fd]) -> list[bytes]:
    return [os.pread(fd.fileno(), 100, 0) for fd in fds]


@pytest.mark.parametrize("framing", FRAMINGS, ids=str)
@pytest.mark.parametrize("count", [0, 1, MOST_FDS])
def test_every_size_and_number_of_descriptors_crosses_whole(framing: Framing, count: int) -> None:
    sent = files(count)
    one, other = pair(framing)
    with one, other:
        for size in (0, 1, 2, 1023, 65536, 65537, 150_000):
            if isinstance(framing, SeqPacket) and not size and not count:
                continue
            body = os.urandom(size)
            one.send(memoryview(body), sent)
            with other.recv(Expected(size, fds=count)) as message:
                assert message.body == body
                assert texts(message.fds) == [b"file %d" % number for number in range(count)]
                assert not any(os.get_inheritable(fd.fileno()) for fd in message.fds)
    for fd in sent:
        fd.close()


@pytest.mark.parametrize("framing", FRAMINGS, ids=str)
def test_more_than_is_expected_is_refused_by_what_came(framing: Framing) -> None:
    sent = files(3)
    Case = tuple[bytes, list[Fd], Expected, type[HandoffError], Code, str]
    cases: list[Case] = [
        (b"12345", [], Expected(4), TooLarge, Code.TOO_LARGE, "at most 4 bytes, found 5: send less"),
        (b"1", sent, Expected(4, fds=2), FdCount, Code.FD_COUNT, "expected 2 file descriptors"),
        (b"1", sent[:1], Expected(4), FdCount, Code.FD_COUNT, "expected no file descriptor with the message"),
        (b"1", [], Expected(4, fds=(1, 6)), FdCount, Code.FD_COUNT, "1 to 6 file descriptors"),
    ]
    for body, fds, expected, kind, code, text in cases:
        one, other = pair(framing)
        with one, other:
            one.send(body, fds)
            with pytest.raises(kind, match=text) as caught:
                other.recv(expected)
            assert caught.value.code is code
            assert str(caught.value).startswith(code.name.lower())
            assert not caught.value.is_end
            assert (other.can_receive, other.can_send) == (isinstance(framing, SeqPacket), True)
            if isinstance(framing, SeqPacket):
                one.send(b"next")
                assert other.recv(Expected(4)).body == b"next"
            else:
                with pytest.raises(OutOfStep) as again:
                    other.recv(expected)
                assert (again.value.because, again.value.is_end) == (code, True)
                # The other direction stays.
                other.send(b"refused")
                assert one.recv(Expected(7)).body == b"refused"
    for fd in sent:
        fd.close()


@pytest.mark.parametrize("framing", FRAMINGS, ids=str)
def test_a_channel_says_which_of_its_directions_goes_on(framing: Framing) -> None:
    def can(channel: Channel) -> tuple[bool, bool]:
        return channel.can_receive, channel.can_send

    one, other = pair(framing)
    with other, files(1)[0] as file:
        assert (can(one), can(other)) == ((True, True), (True, True))
        # One open file twice is refused, and the channel goes on.
        one.send(b"x", [file, file])
        with pytest.raises(FdsRepeated):
            other.recv(Expected(1, fds=2))
        assert other.try_recv(Expected(1)) is None
        assert can(other) == (True, True)
        # What is known is what a call has found.
        one.finish()
        assert (can(one), can(other)) == ((True, False), (True, True))
        with pytest.raises(PeerClosed) as end:
            other.recv(Expected(1))
        assert (end.value.is_end, can(other)) == (True, (False, True))
        other.send(b"last")
        assert one.recv(Expected(4)).body == b"last"
        one.close()
        assert can(one) == (False, False)
        with pytest.raises(ChannelClosed) as closed:
            one.recv(Expected(1))
        assert closed.value.is_end
        with pytest.raises(PeerClosed):
            other.send(b"x")
        assert can(other) == (False, False)
    one, other = pair(framing)
    with one, other:
        one.shutdown()
        assert (can(one), can(other)) == ((False, False), (True, True))
    one, other = pair(framing)
    with one, other:
        assert one.try_finish()
        assert can(one) == (True, False)


@pytest.mark.parametrize("framing", [Stream(), SeqPacket()], ids=str)
def test_a_direction_on_which_a_call_waits_goes_on(framing: Framing) -> None:
    one, other = pair(framing)
    came: list[bytes] = []
    with one, other:
        thread = threading.Thread(target=lambda: came.append(other.recv(Expected(4)).body))
        thread.start()
        for _ in range(100):
            assert (other.can_receive, other.can_send) == (True, True)
        one.send(b"here")
        thread.join()
        assert (came, other.can_receive) == ([b"here"], True)


def test_a_range_says_how_many_descriptors_may_come() -> None:
    def bounds(fds: int | tuple[int, int] | range) -> tuple[int, int]:
        expected = Expected(1, fds=fds)
        return expected.least, expected.most

    assert bounds(range(6)) == bounds((0, 5)) == (0, 5)
    assert bounds(range(1, 2)) == bounds(1) == (1, 1)
    assert bounds(range(2, 300)) == (2, MOST_FDS)
    for none in (range(0), range(3, 3), range(3, 1)):
        least, most = bounds(none)
        assert least > most >= 0, none
    for step in (range(0, 6, 2), range(5, -1, -1), range(0, 0, 2)):
        with pytest.raises(ValueError, match=re.escape(f"expected a range of step 1, found {step}")):
            Expected(1, fds=step)
    for below in (range(-1, 2), range(-5, -3), (-1, 2), -1):
        with pytest.raises(ValueError, match="fds of 0 to 253, found -"):
            bounds(below)


@pytest.mark.parametrize("framing", [Stream(), SeqPacket()], ids=str)
def test_an_empty_range_lets_no_message_come(framing: Framing) -> None:
    for count in (0, 1):
        one, other = pair(framing)
        with one, other, files(1)[0] as file:
            one.send(b"x", [file] * count)
            with pytest.raises(FdCount, match=f"found {count}"):
                other.recv(Expected(1, fds=range(0)))


@pytest.mark.parametrize("framing", [Stream(), Stream(prefix="apart"), SeqPacket()], ids=str)
def test_a_number_that_is_not_open_is_refused_before_anything_is_sent(framing: Framing) -> None:
    one, other = pair(framing)
    with one, other, open("/dev/null", "rb") as null:
        with open("/dev/null", "rb") as closed:
            number = closed.fileno()
        lent: tuple[Sequence[int | HasFileno], ...] = ([number], (null, number), [null, 987_654])
        for fds in lent:
            with pytest.raises(HandoffOSError, match="sending a message: Bad file descriptor"):
                one.send(b"first", fds)
            with pytest.raises(HandoffOSError, match="sending a message: Bad file descriptor"):
                one.try_send(b"first", fds)
        one.send(b"still in step")
        assert other.recv(Expected(64)).body == b"still in step"


def test_what_no_message_carries_is_refused_before_anything_is_sent() -> None:
    one, other = pair(Stream())
    with one, other, open("/dev/null", "rb") as null:
        with pytest.raises(TooManyFds, match="at most 253 file descriptors, found 254"):
            one.send(b"", [null] * (MOST_FDS + 1))
        one.send(b"still in step")
        assert other.recv(Expected(100)).body == b"still in step"
    one, other = pair(SeqPacket())
    with one, other, pytest.raises(EmptyPacket):
        one.send(b"")


@pytest.mark.parametrize("framing", STREAMS, ids=str)
def test_the_wire_is_a_length_and_a_body(framing: Stream) -> None:
    ours, theirs = socket.socketpair()
    with Channel.from_fd(ours.detach(), Options(framing=framing)) as channel, theirs:
        channel.send(b"abc")
        prefix = b"\0\0\0\3" if framing.length == "big" else b"\3\0\0\0"
        assert theirs.recv(100) == prefix + b"abc"
        with open("/dev/null", "rb") as null:
            channel.send(b"abc", [null])
        if framing.prefix == "apart":
            # A plain read of the length loses nothing.
            assert theirs.recv(4) == prefix
            prefix = b""
        data, fds, _, _ = socket.recv_fds(theirs, 100, 4)
        assert (data, len(fds)) == (prefix + b"abc", 1)
        os.close(fds[0])
        theirs.sendall(prefix if prefix else b"\0\0\0\3" if framing.length == "big" else b"\3\0\0\0")
        theirs.sendall(b"xyz")
        assert channel.recv(Expected(3)).body == b"xyz"


def test_an_empty_message_takes_nothing_from_the_next() -> None:
    sent = files(3)
    for framing in STREAMS:
        one, other = pair(framing)
        with one, other:
            one.send(b"", sent[:1])
            one.send(b"next", sent[1:])
            one.send(b"")
            with other.recv(Expected(0, fds=1)) as first, other.recv(Expected(4, fds=2)) as second:
                assert (first.body, texts(first.fds)) == (b"", [b"file 0"])
                assert (second.body, texts(second.fds)) == (b"next", [b"file 1", b"file 2"])
            assert other.recv(Expected(0)).body == b""
    for fd in sent:
        fd.close()


@pytest.mark.parametrize("framing", [Stream(), SeqPacket()], ids=str)
@pytest.mark.parametrize("into", [False, True])
@pytest.mark.parametrize("kcmp", [True, False])
def test_one_open_file_comes_once_in_a_message_unless_it_may_come_again(
    framing: Framing, into: bool, kcmp: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not kcmp:
        # As where a sandbox forbids it.
        monkeypatch.setattr("wirecontract.handoff._same_file._KCMP", None)
    sent = files(MOST_FDS - 1)

    def receive(channel: Channel, expected: Expected) -> list[Fd]:
        return channel.recv_into(bytearray(1), expected).fds if into else channel.recv(expected).fds

    for count, first in ((2, 0), (5, 3), (MOST_FDS, 0), (MOST_FDS, 100), (MOST_FDS, MOST_FDS - 2)):
        one, other = pair(framing)
        with one, other, Fd.duplicate(sent[first]) as again:
            fds = [*sent[: count - 1], again]
            one.send(b"x", fds)
            opened = len(os.listdir("/proc/self/fd"))
            with pytest.raises(FdsRepeated, match=f"descriptors {first} and {count - 1} of") as caught:
                receive(other, Expected(1, fds=count))
            assert caught.value.code is Code.FD_COUNT
            assert (caught.value.first, caught.value.second) == (first, count - 1)
            assert len(os.listdir("/proc/self/fd")) == opened
            one.send(b"x", fds)
            came = receive(other, Expected(1, fds=count, repeated=True))
            assert texts(came[-1:]) == texts([sent[first]])
            close_all(came)
    one, other = pair(framing)
    with one, other:
        # Different files are different; so is one that is opened anew, where that is known.
        reader = os.open(f"/proc/self/fd/{sent[0].fileno()}", os.O_RDONLY)
        one.send(b"x", sent)
        close_all(receive(other, Expected(1, fds=MOST_FDS - 1)))
        one.send(b"x", [sent[0], reader])
        os.close(reader)
        if kcmp:
            close_all(receive(other, Expected(1, fds=2)))
        else:
            with pytest.raises(FdsRepeated):
                receive(other, Expected(1, fds=2))
    close_all(sent)


def close_all(fds: list[Fd]) -> None:
    for fd in fds:
        fd.close()


def test_files_without_an_inode_of_their_own_are_no_repetition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirecontract.handoff._same_file._KCMP", None)
    one, other = pair(SeqPacket())
    reader, writer = os.pipe()
    with one, other, open("/dev/null", "rb") as null, open(__file__, "rb") as this:
        one.send(b"x", [null, null, this, reader, reader])
        other.recv(Expected(1, fds=5)).close()
        one.send(b"x", [null, null, this, this])
        with pytest.raises(FdsRepeated, match="descriptors 2 and 3 of"):
            other.recv(Expected(1, fds=4))
    os.close(reader)
    os.close(writer)


def test_one_descriptor_twice_comes_twice_where_it_may() -> None:
    one, other = pair(Stream())
    with one, other, open("/dev/null", "rb") as null:
        one.send(b"x", [null, null.fileno()])
        with other.recv(Expected(1, fds=2, repeated=True)) as message:
            numbers = {fd.fileno() for fd in message.fds}
            assert len(numbers) == 2
            assert {os.fstat(number).st_rdev for number in numbers} == {os.fstat(null.fileno()).st_rdev}


@pytest.mark.parametrize("framing", [Stream(), SeqPacket()], ids=str)
def test_ten_thousand_messages_leave_nothing_open(framing: Framing) -> None:
    one, other = pair(framing)
    expected = Expected(8, fds=1)
    with one, other, open("/dev/null", "rb") as null:
        opened = len(os.listdir("/proc/self/fd"))
        for number in range(10_000):
            one.send(number.to_bytes(8, "little"), [null])
            message = other.recv(expected)
            assert message.body == number.to_bytes(8, "little")
            # Half of them are dropped without a word.
            if number % 2:
                message.close()
        del message
        assert len(os.listdir("/proc/self/fd")) == opened


def test_threads_take_turns_with_whole_messages() -> None:
    one, other = pair(Stream(), send_buffer=4096)
    bodies = [bytes([letter]) * 50_000 for letter in b"abcd"]
    with one, other:

        def send(body: bytes) -> None:
            for _ in range(20):
                one.send(body)

        threads = [threading.Thread(target=send, args=[body]) for body in bodies]
        for thread in threads:
            thread.start()
        came = [other.recv(Expected(50_000)).body for _ in range(80)]
        for thread in threads:
            thread.join()
    assert sorted(came) == sorted(bodies * 20)


def test_a_message_that_was_begun_is_kept_with_its_descriptors() -> None:
    sent = files(2)
    one, other = pair(Stream(prefix="apart"), send_buffer=4096)
    with one, other:
        # So many small messages that the next finds room for its length at most, and less of its body.
        while (state := one.try_send(b"x" * 1000)) is Sent.WHOLE:
            continue
        body = bytes(range(256)) * 400
        if state is Sent.BEGUN:
            assert one.try_send(body, sent) is Sent.NOT_YET
        came = b""
        taken = False
        while body != came:
            if not taken:
                taken = one.try_send(body, sent) is not Sent.NOT_YET
                for fd in sent if taken else []:
                    # It has duplicates.
                    fd.close()
            one.try_flush()
            message = other.try_recv(Expected(len(body), fds=(0, 2)))
            if message is not None and len(message.body) > 1000:
                came = message.body
                assert texts(message.fds) == [b"file 0", b"file 1"]
                message.close()
        assert one.send_limit() == (False, None)


def test_what_came_within_one_call_is_there_for_the_next() -> None:
    ours, theirs = socket.socketpair()
    with Channel.from_fd(ours.detach()) as channel, theirs:
        theirs.sendall(b"\0\0\0\5ab")
        assert channel.try_recv(Expected(5)) is None
        with pytest.raises(HandoffTimeout, match="waiting for a message") as caught:
            channel.recv(Expected(5), within=0)
        assert caught.value.doing is Doing.WAITING
        theirs.sendall(b"cde")
        assert channel.recv(Expected(5)).body == b"abcde"


def test_a_socket_that_was_handed_over_is_the_right_one_or_refused() -> None:
    def refused(make: Callable[[], int], text: str) -> None:
        with pytest.raises(FdKind, match=text) as caught:
            Channel.from_fd(Fd(make()))
        assert caught.value.code is Code.FD_KIND

    refused(lambda: os.open("/dev/null", os.O_RDONLY), "found no socket")
    refused(lambda: os.open("/", os.O_RDONLY), "found no socket")
    refused(lambda: socket.socket().detach(), "family 2")
    refused(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).detach(), "a Unix datagram socket")
    refused(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).detach(), "SOCK_SEQPACKET")
    refused(lambda: socket.socket(socket.AF_UNIX).detach(), "not connected")

    def listening() -> int:
        sock = socket.socket(socket.AF_UNIX)
        sock.bind(b"")
        sock.listen()
        return sock.detach()

    refused(listening, "a socket that listens")


def test_a_socket_is_handed_on_between_messages_alone() -> None:
    ours, theirs = socket.socketpair()
    channel = Channel.from_fd(ours.detach())
    with channel, theirs:
        theirs.sendall(b"\0\0\0\1")
        assert channel.try_recv(Expected(1)) is None
        with pytest.raises(OutOfStep):
            channel.detach()
        theirs.sendall(b"x")
        assert channel.recv(Expected(1)).body == b"x"
        with Channel.from_fd(channel.detach()) as again:
            assert channel.closed
            with pytest.raises(ChannelClosed):
                channel.send(b"x")
            again.send(b"y")
            assert theirs.recv(10) == b"\0\0\0\1y"


def test_an_error_is_what_python_has_for_it_and_survives_pickling() -> None:
    errors: list[tuple[HandoffError, type[BaseException]]] = [
        (HandoffTimeout(Doing.RECEIVING, 10, 7), TimeoutError),
        (PeerClosed(unread=True), ConnectionError),
        (OutOfStep("receive", Code.TOO_LARGE), BrokenPipeError),
        (PeerUser("user 0 or user 7", 8, 9), PermissionError),
        (FdsMisplaced(2, "with the length prefix alone"), ValueError),
        (BadAddress("", "it is empty"), ValueError),
    ]
    for error, base in errors:
        assert isinstance(error, base)
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.code) == (type(error), str(error), error.code)
        assert again.__dict__ == error.__dict__
    assert str(errors[0][0]) == (
        "timeout: receiving a message took longer than 10s, 7 bytes of the message had crossed: close the"
        " channel to a peer that slow, or raise the limit"
    )
    assert str(errors[3][0]) == (
        "refused: expected a peer of user 0 or user 7, found user 8 (process 9): run it as that user, or let"
        " it in"
    )


def test_a_descriptor_is_closed_once() -> None:
    number = os.open("/dev/null", os.O_RDONLY)
    with Fd(number) as fd:
        assert (fd.fileno(), fd.closed) == (number, False)
    assert fd.closed
    other = os.open("/dev/null", os.O_RDONLY)
    assert other == number
    fd.close()
    del fd
    assert os.fstat(other)
    kept = Fd(other)
    assert kept.detach() == other
    with pytest.raises(ValueError, match="given away"):
        kept.fileno()
    os.close(other)
