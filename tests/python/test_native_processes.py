"""Channels, listeners and file descriptors of the native library, against those of the pure package."""

import gc
import os
import signal
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import wirecontract
from wirecontract import handoff
from wirecontract.contracts import Code, WireError
from wirecontract.contracts.buffer import Ping, SharedBuffer
from wirecontract.contracts.hello import Hello, SpokenContract, SpokenVersion
from wirecontract.contracts.texture import CheckIn, CheckInMessage, SurfaceMessage
from wirecontract.handoff import Expected, HandoffError, Options, Peers, Sent, SeqPacket, Stream
from wirecontract.host import HostError

PACKAGES: dict[str, Any] = {"native": wirecontract, "pure": handoff}
FRAMINGS = [Stream(), Stream("little", "joined"), SeqPacket()]
PAIRS = list(product(PACKAGES, PACKAGES))


def memfd(text: bytes) -> int:
    """A file with some bytes."""
    number = os.memfd_create("handed over")
    os.write(number, text)
    return number


@pytest.fixture
def file() -> Iterator[int]:
    """A file that nobody else has."""
    number = memfd(b"in a file")
    yield number
    os.close(number)


def text_of(fd: Any) -> bytes:
    return os.pread(fd.fileno(), 64, 0)


@pytest.fixture
def ends(request: pytest.FixtureRequest, balanced: None) -> Iterator[tuple[Any, Any]]:
    """A channel of one package, and its other end as one of the other."""
    (one, other), framing = request.param
    options = Options(framing=framing, message_timeout=120)
    near, far = socket.socketpair(socket.AF_UNIX, framing.kind)
    with ExitStack() as stack:
        yield tuple(
            stack.enter_context(PACKAGES[name].Channel.from_fd(sock.detach(), options))
            for name, sock in ((one, near), (other, far))
        )


in_all_pairs = pytest.mark.parametrize("ends", list(product(PAIRS, FRAMINGS)), indirect=True, ids=str)
# A packet is at most as large as the send buffer.
over_streams = pytest.mark.parametrize(
    "ends", list(product(PAIRS, [it for it in FRAMINGS if it != SeqPacket()])), indirect=True, ids=str
)


@in_all_pairs
def test_messages_cross_between_the_packages(ends: tuple[Any, Any], file: int) -> None:
    for sends, receives in (ends, ends[::-1]):
        sends.send(b"body", [file, file])
        with receives.recv(Expected(4, fds=2, repeated=True)) as message:
            assert (message.body, len(message.fds)) == (b"body", 2)
            assert [text_of(fd) for fd in message.fds] == [b"in a file"] * 2
            assert all(not os.get_inheritable(fd.fileno()) for fd in message.fds)
            numbers = [fd.fileno() for fd in message.fds]
        assert all(fd.closed for fd in message.fds)
        for number in numbers:
            with pytest.raises(OSError, match="Bad file descriptor"):
                os.fstat(number)
        sends.send_vectored([b"in ", bytearray(b"several "), memoryview(b"parts")])
        place = bytearray(20)
        with receives.recv_into(place, Expected(20)) as received:
            assert (received.size, bytes(place[: received.size])) == (16, b"in several parts")
        assert sends.try_send(b"at once") is Sent.WHOLE
        message = receives.try_recv(Expected(7))
        assert message.body == b"at once"
        assert receives.try_recv(Expected(7)) is None
        assert receives.try_recv_into(place, Expected(7)) is None


def check_in(planes: int = 1) -> CheckInMessage:
    """A message with file descriptors, which is whoever's it is given to."""
    files = [memfd(b"plane %d" % place) for place in range(planes)]
    return CheckInMessage(check_in=CheckIn.from_json(b'{"runtime_id":"camera"}'), planes=files)


@in_all_pairs
def test_messages_of_contracts_cross_between_the_packages(ends: tuple[Any, Any]) -> None:
    for sends, receives in (ends, ends[::-1]):
        with check_in(3) as message:
            for send in (sends.send_declared, sends.send_framed, sends.send_framed, sends.send_framed):
                send(message)
            with receives.recv_declared(CheckInMessage) as came:
                assert came.check_in == message.check_in
                assert [os.pread(fd, 64, 0) for fd in came.planes] == [b"plane 0", b"plane 1", b"plane 2"]
            with receives.recv_framed(CheckInMessage, 60) as came:
                assert [os.pread(fd, 64, 0) for fd in came.planes] == [b"plane 0", b"plane 1", b"plane 2"]
            with pytest.raises(handoff.IdMismatch, match="SurfaceMessage"):
                receives.recv_framed(SurfaceMessage, repeated=True)
            with receives.recv_frame(Expected(4096, fds=3)) as frame, frame.read(CheckInMessage) as came:
                assert [os.pread(fd, 64, 0) for fd in came.planes] == [b"plane 0", b"plane 1", b"plane 2"]
                assert all(fd.closed for fd in frame.fds)
            assert receives.try_recv_declared(CheckInMessage) is None
            assert sends.try_send_declared(message) is Sent.WHOLE
            with receives.try_recv_declared(CheckInMessage) as came:
                assert len(came.planes) == 3


@in_all_pairs
def test_a_refused_message_of_a_contract_leaves_nothing_open(ends: tuple[Any, Any], file: int) -> None:
    sends, receives = ends
    sends.send(b'{"runtime_id":7}', [file])
    with pytest.raises(WireError, match="runtime_id"):
        receives.recv_declared(CheckInMessage)
    with check_in() as message:
        sends.send_declared(message)
        with receives.recv_declared(CheckInMessage) as came:
            assert came.check_in == message.check_in


@over_streams
def test_a_large_message_comes_whole_while_both_sides_wait(ends: tuple[Any, Any], file: int) -> None:
    sends, receives = ends
    body = bytes(range(256)) * (1 << 14)
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            # A fork has no part in its parent's channel, and makes one of its own.
            channel = wirecontract.Channel.from_fd(os.dup(sends.fileno()), sends.options)
            channel.send(body, [file])
            os._exit(0)
        os._exit(1)
    with receives.recv(Expected(len(body), fds=1), within=120) as message:
        assert message.body == body
        assert text_of(message.fds[0]) == b"in a file"
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize(("listens", "connects"), PAIRS)
@pytest.mark.parametrize("place", ["a file", "a long path", "a name"])
def test_either_package_listens_and_connects(
    listens: str, connects: str, place: str, tmp_path: Path, balanced: None
) -> None:
    address: Any = {
        "a file": tmp_path / "a.sock",
        "a long path": tmp_path.joinpath(*["directory" * 5] * 4, "a.sock"),
        "a name": f"\0wirecontract-native-{os.getpid()}",
    }[place]
    if isinstance(address, Path):
        address.parent.mkdir(parents=True, exist_ok=True)
    package: Any = PACKAGES[listens]
    with package.Listener.bind(address) as listener:
        with pytest.raises(handoff.InUse):
            wirecontract.listen(address)
        with PACKAGES[connects].Channel.connect(address) as client, listener.accept(60) as service:
            client.send(b"x")
            assert service.recv(Expected(1)).body == b"x"
            assert client.peer == service.peer == handoff.Peer(os.getpid(), os.geteuid(), os.getegid())
        assert listener.try_accept() is None
    if isinstance(address, Path):
        assert not address.exists()


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_both_packages_say_hello_and_agree(ours: str, theirs: str, balanced: None) -> None:
    options = Options(speaks=(SharedBuffer,), may_speak=(Ping,))
    one, other = socket.socketpair()
    with (
        PACKAGES[ours].Channel.from_fd(one.detach(), options) as near,
        PACKAGES[theirs].Channel.from_fd(other.detach(), options) as far,
    ):
        for side in (near, far):
            agreed = side.agreed(SharedBuffer, 60)
            assert (agreed.version, agreed.wire_id) == (1, SharedBuffer.WIRE_ID)
            assert side.agreed(Ping) == side.try_agreed(Ping)
        near.send(b"behind it")
        assert far.recv(Expected(9)).body == b"behind it"


def other_form() -> Hello:
    spoken = SpokenVersion(version=1, wire_id=b"\1" * 8)
    return Hello(format=1, speaks=[SpokenContract(name=SharedBuffer.CONTRACT, versions=[spoken])])


Sockets = tuple[socket.socket, socket.socket]


def raw(*bodies: bytes, fds: int = 0, ends: bool = True) -> Sockets:
    """A socket on which these bytes come, with file descriptors beside the last, and its other end."""
    near, far = socket.socketpair()
    files = [memfd(b"") for _ in range(fds)]
    for body in bodies[:-1]:
        far.sendall(body)
    if bodies:
        socket.send_fds(far, [bodies[-1]], files)
    for number in files:
        os.close(number)
    if ends:
        far.close()
    return near, far


def alone(sock: socket.socket) -> Sockets:
    """A socket without another end."""
    return sock, sock


def twice(side: Any) -> object:
    """Receives what is refused, and then the next message."""
    with suppress(handoff.TooLarge):
        side.recv(Expected(4))
    return side.recv(Expected(9))


Case = tuple[Callable[[], Sockets], Options, Callable[[Any], object]]


def refusals() -> dict[str, Case]:
    """What refuses: the sockets, the options, and the call."""
    plain = Options(message_timeout=0.05)
    length = struct.Struct(">I").pack
    return {
        "too large": (lambda: raw(length(5) + b"x"), plain, lambda side: side.recv(Expected(4))),
        "too many fds": (
            lambda: raw(length(1) + b"x", fds=2),
            plain,
            lambda side: side.recv(Expected(4, fds=1)),
        ),
        "too few fds": (
            lambda: raw(length(1) + b"x"),
            plain,
            lambda side: side.recv(Expected(4, fds=(2, 3))),
        ),
        "fds with the prefix": (
            lambda: raw(length(1), fds=1),
            plain,
            lambda side: [side.recv(Expected(4, fds=1)), side.recv(Expected(4))],
        ),
        "fds behind the first byte": (
            lambda: raw(length(2) + b"x", b"y", fds=1),
            plain,
            lambda side: side.recv(Expected(4, fds=(0, 1))),
        ),
        "half a message": (lambda: raw(length(9) + b"half"), plain, lambda side: side.recv(Expected(9))),
        "half a prefix": (lambda: raw(b"\0\0"), plain, lambda side: side.recv(Expected(9))),
        "the end": (raw, plain, lambda side: side.recv(Expected(9))),
        "a slow peer": (
            lambda: raw(length(9) + b"ha", ends=False),
            plain,
            lambda side: side.recv(Expected(9)),
        ),
        "a silent peer": (lambda: raw(ends=False), plain, lambda side: side.recv(Expected(9), within=0.01)),
        "an idle peer": (
            lambda: raw(ends=False),
            Options(idle_timeout=0.02),
            lambda side: side.recv(Expected(9)),
        ),
        "out of step": (
            lambda: raw(length(5) + b"x"),
            plain,
            twice,
        ),
        "nobody takes it": (raw, plain, lambda side: side.send(b"x")),
        "nobody takes it in time": (
            lambda: raw(ends=False),
            plain,
            lambda side: side.send(bytes(8 << 20)),
        ),
        "more fds than a message": (raw, plain, lambda side: side.send(b"x", [0] * 254)),
        "closed": (raw, plain, lambda side: [side.close(), side.recv(Expected(1))]),
        "closed, and asked for its number": (raw, plain, lambda side: [side.close(), side.fileno()]),
        "no hello": (
            lambda: raw(ends=False),
            Options(speaks=(SharedBuffer,), hello_timeout=0.02),
            lambda side: side.recv(Expected(1)),
        ),
        "a hello that is none": (
            lambda: raw(length(2) + b"{}"),
            Options(speaks=(SharedBuffer,)),
            lambda side: side.recv(Expected(1)),
        ),
        "another form": (
            lambda: raw(length(len(other_form().to_json())) + other_form().to_json()),
            Options(speaks=(SharedBuffer,)),
            lambda side: side.recv(Expected(1)),
        ),
        "a hello that says nothing of it": (
            lambda: raw(length(len(other_form().to_json())) + other_form().to_json()),
            Options(speaks=(Ping,)),
            lambda side: side.agreed(Ping),
        ),
        "nobody was asked": (raw, plain, lambda side: side.agreed(Ping)),
        "another user": (raw, Options(peers=Peers.of(4_000_000)), lambda side: side.fileno()),
        "nobody at all": (raw, Options(peers=Peers.of()), lambda side: side.fileno()),
        "no Unix socket": (lambda: alone(socket.socket()), plain, lambda side: side.fileno()),
        "a socket that is not connected": (
            lambda: alone(socket.socket(socket.AF_UNIX)),
            plain,
            lambda side: side.fileno(),
        ),
        "another kind of socket": (raw, Options(framing=SeqPacket()), lambda side: side.fileno()),
    }


def said(call: Callable[[], object]) -> tuple[Any, ...]:
    """All that a refusal says."""
    with pytest.raises(HandoffError) as caught:
        call()
    error: Any = caught.value
    beside = {name: value for name, value in vars(error).items() if name != "because"}
    because = getattr(error, "because", None)
    return type(error), error.code, str(error), error.is_end, beside, str(because), type(because)


@pytest.mark.parametrize("name", refusals())
def test_what_is_refused_is_refused_with_the_same_class_code_and_words(name: str, balanced: None) -> None:
    make, options, call = refusals()[name]

    def attempt(package: Any) -> tuple[Any, ...]:
        def ask() -> object:
            with package.Channel.from_fd(near.detach(), options) as side:
                return call(side)

        near, far = make()
        with far:
            return said(ask)

    native = attempt(wirecontract)
    gc.collect()
    assert native == attempt(handoff)


def test_addresses_are_refused_with_the_same_words(tmp_path: Path, balanced: None) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(os.fspath(tmp_path / "stale"))
    connect: list[Any] = [
        "",
        "\0",
        "folder/a\0b",
        "\0" + "x" * 108,
        tmp_path / "nobody",
        tmp_path / "stale",
        tmp_path / "no folder" / "a",
        tmp_path / ("x" * 300),
        b"\xff/\xfe",
    ]
    for address in connect:
        native, pure = partial(wirecontract.connect, address), partial(handoff.Channel.connect, address)
        assert said(native) == said(pure), address
    listen: list[Any] = [
        "",
        "folder/a\0b",
        "/tmp/",
        "..",
        tmp_path / "file",
        tmp_path / "folder",
        tmp_path / "no folder" / "a",
    ]
    for address in listen:
        ours, theirs = partial(wirecontract.listen, address), partial(handoff.Listener.bind, address)
        assert said(ours) == said(theirs), address
    with wirecontract.listen(tmp_path / "stale") as listener:
        assert said(lambda: listener.accept(0.01)) == (
            handoff.HandoffTimeout,
            Code.TIMEOUT,
            "timeout: waiting for a peer to connect took longer than 10ms, "
            "0 bytes of the message had crossed: ask again",
            False,
            {
                "code": Code.TIMEOUT,
                "expected": "within 10ms",
                "found": 0,
                "remedy": "ask again",
                "doing": handoff.Doing.ACCEPTING,
                "after": 0.01,
                "crossed": 0,
            },
            "None",
            type(None),
        )


def test_the_system_s_refusals_are_the_errors_of_python(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        wirecontract.connect(tmp_path / "nobody")
    assert isinstance(missing.value, handoff.HandoffOSError)
    assert (missing.value.errno, missing.value.code) == (2, Code.IO)
    assert isinstance(missing.value.__cause__, FileNotFoundError)


def test_arguments_that_cannot_work_are_refused_as_the_pure_package_does(balanced: None) -> None:
    calls: list[Callable[[Any], object]] = [
        lambda side: side.send("text"),
        lambda side: side.send(None),
        lambda side: side.send(memoryview(b"abcd")[::2]),
        lambda side: side.send(b"x", 3),
        lambda side: side.send(b"x", "fds"),
        lambda side: side.send(b"x", iter([])),
        lambda side: side.send(b"x", [True]),
        lambda side: side.send(b"x", [-1]),
        lambda side: side.send(b"x", [2**31]),
        lambda side: side.send(b"x", [None]),
        lambda side: side.send_vectored(7),
        lambda side: side.recv_into(b"read-only", Expected(4)),
        lambda side: side.recv_into("text", Expected(4)),
        lambda side: side.recv(Expected(4), within=-1),
        lambda side: side.recv(Expected(4), within=float("nan")),
        lambda side: side.recv(Expected(4), within="soon"),
        lambda side: side.recv(Expected(4), within=True),
        lambda side: side.agreed(7),
        lambda side: side.send_declared(b"bytes"),
        lambda side: side.recv_declared(int),
        lambda side: type(side).from_fd(-1),
        lambda side: type(side).from_fd("3"),
        lambda side: type(side).from_fd(True),
        lambda side: type(side).pair(7),
        lambda side: type(side).connect(7),
    ]

    def found(side: Any, call: Callable[[Any], object]) -> tuple[type, str]:
        with pytest.raises((TypeError, ValueError)) as caught:
            call(side)
        return type(caught.value), str(caught.value)

    for call in calls:
        pairs = wirecontract.Channel.pair(), handoff.Channel.pair()
        (native, theirs), (pure, other) = pairs
        with native, theirs, pure, other:
            assert found(native, call) == found(pure, call)


@pytest.mark.parametrize("package", [wirecontract, handoff], ids=["native", "pure"])
def test_what_a_receiver_lets_come_is_said_by_numbers(package: Any, file: int, balanced: None) -> None:
    one, other = package.Channel.pair()
    with one, other:
        one.send(b"four")
        assert other.recv(4).body == b"four"
        one.send(b"four", [file])
        assert len(other.recv(4, 60, fds=1).fds) == 1
        one.send(b"four", (file, file))
        assert len(other.recv(4, fds=(0, 2), repeated=True).fds) == 2
        one.send(b"four", [file, file])
        with pytest.raises(handoff.FdsRepeated):
            other.recv(4, fds=range(3))
        one.send(b"four")
        place = bytearray(4)
        assert other.recv_into(place).size == 4
        for wrong in ((-1, 0), ("4", 0), (4, 254), (4, (2, 1)), (4, (1, 2, 3)), (4, -1), (4, "one")):
            with pytest.raises((TypeError, ValueError)) as native:
                other.recv(wrong[0], fds=wrong[1])
            with pytest.raises((TypeError, ValueError)) as pure:
                Expected(*wrong)
            assert (type(native.value), str(native.value)) == (type(pure.value), str(pure.value))
        with pytest.raises(TypeError, match="say them there"):
            other.recv(Expected(4), fds=2)
        # Beyond what this machine can address is as much as it can.
        one.send(b"four")
        assert other.recv(1 << 70).body == b"four"


class Meddling:
    """A file descriptor whose number is said by code that first changes something."""

    def __init__(self, number: int, meddle: Callable[[], object]) -> None:
        self.number = number
        self.meddle = meddle

    def fileno(self) -> int:
        self.meddle()
        return self.number


def test_a_body_that_changes_while_file_descriptors_are_asked_is_sent_as_it_is_then(
    file: int, balanced: None
) -> None:
    near, far = wirecontract.Channel.pair()
    with near, far:
        body = bytearray(b"long" * 4000)

        def shrink() -> None:
            body[:] = b"short"
            gc.collect()

        near.send(body, [Meddling(file, shrink)])
        with far.recv(100_000, fds=1) as came:
            assert came.body == b"short"
            assert text_of(came.fds[0]) == b"in a file"
        # What is said beside a list does not change which ones were given.
        fds: list[Any] = []
        fds += [Meddling(file, fds.clear), Meddling(file, list)]
        near.send(b"two", fds)
        with far.recv(3, fds=2, repeated=True) as came:
            assert [text_of(fd) for fd in came.fds] == [b"in a file"] * 2


def test_a_bytearray_is_filled_where_it_is_and_may_be_lent_and_too_small(balanced: None) -> None:
    near, far = wirecontract.Channel.pair()
    with near, far:
        place = bytearray(b"........")
        with memoryview(place) as view:
            near.send(place)
            near.send(bytearray(b"four"))
            with far.recv(8) as came:
                assert came.body == b"........"
            with far.recv_into(place, fds=0) as filled:
                assert (filled.size, bytes(view)) == (4, b"four....")
        near.send(b"none")
        with far.recv_into(place, within=5) as filled:
            assert (filled.size, bytes(place)) == (4, b"none....")
        near.send(bytearray())
        with far.recv_into(bytearray()) as filled:
            assert filled.size == 0
        near.send(b"too long")
        with pytest.raises(HandoffError) as refused:
            far.recv_into(place[:7])
        assert refused.value.code == Code.TOO_LARGE


def test_a_file_descriptor_is_owned_until_it_is_closed_or_given_away(file: int, balanced: None) -> None:
    with wirecontract.Fd.duplicate(file) as fd:
        assert (os.get_inheritable(fd.fileno()), fd.closed) == (False, False)
        assert repr(fd) == f"Fd({fd.fileno()})"
        other = fd.take()
        assert fd.closed
        number = other.detach()
        assert other.closed
    again = wirecontract.Fd(number)
    again.close()
    again.close()
    assert repr(again) == "Fd(closed)"
    for call in (again.fileno, again.detach, again.take):
        with pytest.raises(ValueError, match="closed or given away"):
            call()
    wirecontract.Fd.duplicate(file)
    gc.collect()
    numbers: list[Any] = [-1, 2**31, True, None, "1"]
    for wrong in numbers:
        with pytest.raises((TypeError, ValueError)) as native:
            wirecontract.Fd(wrong)
        with pytest.raises((TypeError, ValueError)) as pure:
            handoff.Fd(wrong)
        assert (type(native.value), str(native.value)) == (type(pure.value), str(pure.value))
    with pytest.raises(OSError, match="Bad file descriptor"):
        wirecontract.Fd.duplicate(1 << 20)


def test_file_descriptors_go_from_one_package_to_the_other(balanced: None) -> None:
    one, other = wirecontract.Channel.pair()
    given = handoff.Fd(other.detach().detach())
    with handoff.Channel.from_fd(one.detach()) as pure, wirecontract.Channel.from_fd(given) as native:
        pure.send(b"x")
        assert native.recv(1).body == b"x"
        with native.peer_process() as process:
            assert not process.has_ended()
    assert one.closed
    assert other.closed
    with pytest.raises(handoff.FdKind, match="found no socket"):
        wirecontract.Channel.from_fd(wirecontract.Fd(memfd(b"")))


def test_a_socket_is_not_given_away_in_a_message_s_midst(balanced: None) -> None:
    for name in PACKAGES:
        near, far = socket.socketpair()
        with far, PACKAGES[name].Channel.from_fd(near.detach()) as channel:
            far.sendall(b"\0\0\0\4ha")
            assert channel.try_recv(Expected(4)) is None
            with pytest.raises(handoff.OutOfStep, match="give its socket away and receive"):
                channel.detach()
            far.sendall(b"lf")
            assert channel.try_recv(Expected(4)).body == b"half"
            channel.detach().close()
            assert channel.closed


def test_a_fork_has_no_part_in_its_parent_s_channel(tmp_path: Path) -> None:
    one, other = wirecontract.Channel.pair()
    listener = wirecontract.listen(tmp_path / "a.sock")
    child = os.fork()
    if child == 0:
        status = 1
        with suppress(BaseException):
            for call in (lambda: one.send(b"x"), lambda: other.recv(1), listener.try_accept, one.shutdown):
                with pytest.raises(handoff.Forked):
                    call()
            one.close()
            listener.close()
            status = 0
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (tmp_path / "a.sock").exists()
    one.send(b"x")
    assert other.recv(1).body == b"x"
    for end in (one, other, listener):
        end.close()


def test_nothing_is_left_of_ten_thousand_handoffs(balanced: None) -> None:
    def resident() -> int:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1])

    one, other = wirecontract.Channel.pair()
    with one, other, wirecontract.HostBuffer(1 << 16, name="frames") as buffer:
        descriptor = buffer.shared()

        def hand_over() -> None:
            with buffer.consumer_fd() as fd:
                one.send(descriptor.to_bytes(), [fd])
            with other.recv(4096, fds=1) as message:
                tensor = wirecontract.SharedBuffer.from_bytes(message.body).open(message.fds[0])
            assert tensor.nbytes == 1 << 16

        def refuse() -> None:
            one.send(descriptor.to_bytes(), [0])
            with other.recv(4096, fds=1) as message, pytest.raises(HostError):
                wirecontract.SharedBuffer.from_bytes(message.body).open(message.fds[0])

        for _ in range(500):
            hand_over()
        gc.collect()
        before, open_files = resident(), os.listdir("/proc/self/fd")
        for _ in range(10_000):
            hand_over()
        for _ in range(500):
            refuse()
        gc.collect()
        assert os.listdir("/proc/self/fd") == open_files
        # A page for each would be 10,000.
        assert resident() - before < 2000


def test_a_producer_that_is_killed_is_an_end(tmp_path: Path, balanced: None) -> None:
    path = tmp_path / "a.sock"
    with wirecontract.listen(path) as listener:
        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                channel = wirecontract.connect(path)
                channel.send(b"here")
                signal.pause()
            os._exit(1)
        with listener.accept(120) as channel:
            assert channel.recv(4, within=120).body == b"here"
            with channel.peer_process() as process:
                os.kill(child, signal.SIGKILL)
                with pytest.raises(handoff.PeerClosed) as caught:
                    channel.recv(4, within=120)
                assert caught.value.is_end
                assert process.wait_ended(120)
            os.waitpid(child, 0)
            assert (channel.can_receive, channel.is_closed(), channel.wait_closed()) == (False, True, True)
