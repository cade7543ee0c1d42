"""Options and arguments that cannot work are refused where they are made, by name; nothing that the caller
keeps is closed by it, and nothing that was handed over stays open.
"""

import mmap
import os
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from wirecontract import handoff, host, lease
from wirecontract.contracts.buffer import BufferKind, Offer, Ping, SharedBuffer
from wirecontract.contracts.texture import CheckInMessage
from wirecontract.handoff import AsyncChannel, AsyncListener, Channel, Expected, Fd, Listener, PidFd
from wirecontract.host import HostBuffer, HostFile, HostMapping, Pool, PoolCounts, SizeError
from wirecontract.lease import Consumer, Lend, Producer, Service

pytestmark = pytest.mark.usefixtures("balanced")

Case = tuple[Callable[[], object], type[Exception], str]

options: Any = handoff.Options
sides: Any = lease.Options
expected: Any = Expected
pool: Any = Pool
MOST = 2**31 - 1


def refused(cases: list[Case]) -> None:
    for call, kind, text in cases:
        with pytest.raises(kind) as caught:
            call()
        assert str(caught.value) == text


def test_options_of_channels_that_cannot_work_are_refused() -> None:
    framing = "expected a framing that is Stream() or SeqPacket(), found"
    speaks = "expected speaks that is a tuple of classes of contracts, such as (Packet,), found"
    size = f"expected a send_buffer of 1 to {MOST}, found"
    refused(
        [
            (lambda: options(framing=5), TypeError, f"{framing} 5 (int)"),
            (
                lambda: options(framing=handoff.Stream),
                TypeError,
                f"{framing} the class wirecontract.handoff.Stream",
            ),
            (lambda: options(peers=None), TypeError, "expected peers that is Peers, found None"),
            (lambda: options(peers=1000), TypeError, "expected peers that is Peers, found 1000 (int)"),
            (
                lambda: handoff.Peers.of(-1),
                ValueError,
                "expected a user of 0 to 4294967295, found -1",
            ),
            (
                lambda: options(speaks=SharedBuffer),
                TypeError,
                f"{speaks} the class wirecontract.contracts.buffer.SharedBuffer",
            ),
            (
                lambda: options(speaks=(int,)),
                TypeError,
                "expected speaks of classes of contracts, found the class int",
            ),
            (
                lambda: options(may_speak=("SharedBuffer",)),
                TypeError,
                "expected may_speak of classes of contracts, found 'SharedBuffer' (str)",
            ),
            (lambda: options(hello=5), TypeError, "expected a hello that is a Hello, or None, found 5 (int)"),
            (lambda: options(send_buffer=0), ValueError, f"{size} 0"),
            (lambda: options(send_buffer=-1), ValueError, f"{size} -1"),
            (lambda: options(send_buffer=MOST + 1), ValueError, f"{size} {MOST + 1}"),
            (lambda: options(send_buffer=1 << 200), ValueError, f"{size} one of 201 bits"),
            (
                lambda: options(send_buffer=True),
                TypeError,
                f"expected a send_buffer that is a whole number, 1 to {MOST}, found True (bool)",
            ),
            (lambda: options(backlog=-1), ValueError, f"expected a backlog of 0 to {MOST}, found -1"),
            (
                lambda: options(backlog="9"),
                TypeError,
                f"expected a backlog that is a whole number, 0 to {MOST}, found '9' (str)",
            ),
            (
                lambda: options(mode=0o1000),
                ValueError,
                "expected a mode of 0 to 0o777, found 0o1000",
            ),
            (
                lambda: options(idle_timeout="1"),
                TypeError,
                "expected idle_timeout of 0 or more seconds, or None for ever, found '1' (str)",
            ),
            (
                lambda: options(message_timeout=-1),
                ValueError,
                "expected message_timeout of 0 or more seconds, or None for ever, found -1",
            ),
            (
                lambda: options(message_timeout=10**400),
                ValueError,
                "expected message_timeout of 0 or more seconds, or None for ever, "
                "found more than a float holds: say None",
            ),
        ]
    )
    # What is at a bound works.
    one, other = Channel.pair(options(send_buffer=MOST, speaks=[SharedBuffer], backlog=0))
    with one, other:
        assert one.options.speaks == (SharedBuffer,)


def test_options_of_leases_that_cannot_work_are_refused() -> None:
    refused(
        [
            (lambda: sides(most_leases=0), ValueError, "expected most_leases of 1 or more, found 0"),
            (lambda: sides(most_consumers=-1), ValueError, "expected most_consumers of 1 or more, found -1"),
            (
                lambda: sides(answer_timeout=-1),
                ValueError,
                "expected answer_timeout of 0 or more seconds, or None for ever, found -1",
            ),
            (lambda: sides(hello=None), TypeError, "expected hello that is True or False, found None"),
        ]
    )


def test_what_may_come_is_a_number_a_pair_or_a_range() -> None:
    pair = "expected fds of a least and a most"
    refused(
        [
            (lambda: expected(1, fds=254), ValueError, "expected fds of 0 to 253, found 254"),
            (
                lambda: expected(1, fds=(254, 300)),
                ValueError,
                "expected a least of fds of 0 to 253, found 254",
            ),
            (lambda: expected(1, fds=(3, 1)), ValueError, f"{pair} that is no less, found (3, 1)"),
            (lambda: expected(1, fds=(1, 2, 3)), ValueError, f"{pair}, (1, 6), found (1, 2, 3)"),
            (
                lambda: expected(1, fds="12"),
                TypeError,
                "expected fds of a number, a pair (1, 6) or a range, found '12' (str)",
            ),
            (
                lambda: expected(1, fds=True),
                TypeError,
                "expected fds of a number, a pair (1, 6) or a range, found True (bool)",
            ),
            (lambda: expected(-1), ValueError, "expected most_bytes of 0 or more, found -1"),
            (
                lambda: expected(None),
                TypeError,
                "expected most_bytes that is a whole number, 0 or more, found None",
            ),
        ]
    )
    bounds: list[tuple[tuple[int, int] | range, tuple[int, int]]] = [
        (range(2), (0, 1)),
        ((0, 2), (0, 2)),
        ((2, 300), (2, 253)),
    ]
    for fds, (least, most) in bounds:
        given = Expected(1, fds=fds)
        assert (given.least, given.most) == (least, most)


def test_options_of_the_other_module_are_refused_by_name() -> None:
    mine: Any = handoff.Options()
    theirs: Any = lease.Options()
    of_leases = (
        "expected options that is lease.Options, or None, found an object of wirecontract.handoff.Options"
    )
    of_channels = (
        "expected options that is handoff.Options, or None, found an object of wirecontract.lease.Options"
    )
    name = f"\0wirecontract-arguments-{os.getpid()}"
    one, other = Channel.pair()
    with one, other, Listener.bind(name) as listener:
        refused(
            [
                (lambda: Producer(one, mine), TypeError, of_leases),
                (lambda: Consumer(one, mine), TypeError, of_leases),
                (lambda: Service(listener, mine), TypeError, of_leases),
                (lambda: Channel.pair(theirs), TypeError, of_channels),
                (lambda: Channel.connect(name, theirs), TypeError, of_channels),
                (lambda: Channel.try_connect(name, theirs), TypeError, of_channels),
                (lambda: Listener.bind(name + "2", theirs), TypeError, of_channels),
                (lambda: AsyncListener.bind(name + "2", theirs), TypeError, of_channels),
            ]
        )
        # The channel is the caller's still.
        one.send(b"x")
        assert other.recv(Expected(1)).body == b"x"


def test_a_file_descriptor_that_is_refused_is_closed_and_what_is_none_is_not() -> None:
    wrong: Any = lease.Options()
    nothing: Any = None
    with HostBuffer(8) as buffer:
        shared = buffer.shared()
        takers: list[Callable[[Any], object]] = [
            lambda fd: Channel.from_fd(fd, wrong),
            lambda fd: Listener.from_fd(fd, wrong),
            lambda fd: HostMapping.open(fd, nothing),
            lambda fd: HostFile.open(fd, nothing),
        ]
        for take in takers:
            for as_number in (True, False):
                ours, theirs = socket.socketpair()
                with theirs:
                    fd = ours.detach()
                    with pytest.raises(TypeError, match="found"):
                        take(fd if as_number else Fd(fd))
                    # Its end was the only one.
                    assert theirs.recv(1) == b""
        takers += [
            Fd,
            PidFd.adopt,
            Channel.from_fd,
            Listener.from_fd,
            lambda fd: HostMapping.open(fd, shared),
            lambda fd: HostFile.open(fd, shared),
        ]
        kept = os.fstat(1)
        with open("/dev/null", "rb") as null:
            for take in takers:
                wrong_fds: list[tuple[object, type[Exception]]] = [
                    (True, TypeError),
                    (None, TypeError),
                    (null, TypeError),
                    (-1, ValueError),
                ]
                for no_fd, kind in wrong_fds:
                    with pytest.raises(kind, match="expected the number of a file descriptor"):
                        take(no_fd)
                with pytest.raises(
                    ValueError, match=f"expected the number of a file descriptor of 0 to {MOST}"
                ):
                    take(1 << 31)
            assert os.fstat(null.fileno())
        assert os.path.samestat(os.fstat(1), kept)


def test_what_is_no_file_descriptor_is_not_sent() -> None:
    one, other = Channel.pair()
    send: Any = one.send
    with one, other, open("/dev/null", "rb") as null:
        refused(
            [
                (
                    lambda: send(b"body", [null, True]),
                    TypeError,
                    "expected a file descriptor: a number, or an object with one, found True (bool)",
                ),
                (
                    lambda: send(b"body", [None]),
                    TypeError,
                    "expected a file descriptor: a number, or an object with one, found None",
                ),
                (
                    lambda: send(b"body", [-1]),
                    ValueError,
                    f"expected the number of a file descriptor of 0 to {MOST}, found -1",
                ),
                (
                    lambda: send(b"body", b"\1"),
                    TypeError,
                    "expected a sequence of file descriptors, such as [file], found b'\\x01' (bytes)",
                ),
                (
                    lambda: send(b"body", 1),
                    TypeError,
                    "expected a sequence of file descriptors, such as [file], found 1 (int)",
                ),
                (
                    lambda: Fd.duplicate(True),
                    TypeError,
                    "expected a file descriptor: a number, or an object with one, found True (bool)",
                ),
            ]
        )
        # Nothing was begun.
        one.send(b"next")
        assert other.recv(Expected(4)).body == b"next"


def test_what_is_no_message_of_a_contract_is_refused() -> None:
    ping = Ping(sequence=1)
    one, other = Channel.pair()
    calls: Any = one
    message = "expected a message of a contract, found"
    kind = "expected the class of a contract's messages, found"
    with one, other:
        for name in ("send_declared", "try_send_declared", "send_framed", "try_send_framed"):
            send = getattr(calls, name)
            refused(
                [
                    (partial(send, b"x"), TypeError, f"{message} b'x' (bytes)"),
                    (partial(send, None), TypeError, f"{message} None"),
                    (
                        partial(send, CheckInMessage),
                        TypeError,
                        f"{message} the class wirecontract.contracts.texture.CheckInMessage",
                    ),
                    (
                        partial(send, ping),
                        TypeError,
                        f"{message} an object of wirecontract.contracts.buffer.Ping",
                    ),
                ]
            )
        other.send(b"stays")
        for name in ("recv_declared", "try_recv_declared", "recv_framed", "try_recv_framed"):
            recv = getattr(calls, name)
            refused(
                [
                    (partial(recv, None), TypeError, f"{kind} None"),
                    (partial(recv, int), TypeError, f"{kind} the class int"),
                    (
                        partial(recv, Offer),
                        TypeError,
                        f"{kind} the class wirecontract.contracts.buffer.Offer",
                    ),
                    (
                        partial(recv, BufferKind),
                        TypeError,
                        f"{kind} the class wirecontract.contracts.buffer.BufferKind",
                    ),
                    (
                        partial(recv, ping),
                        TypeError,
                        f"{kind} an object of wirecontract.contracts.buffer.Ping",
                    ),
                ]
            )
        for name in ("recv", "try_recv", "recv_frame", "try_recv_frame"):
            with pytest.raises(TypeError) as caught:
                getattr(calls, name)("5")
            whole = "most_bytes that is a whole number, 0 or more"
            text = whole if name.endswith("recv") else "an Expected, such as Expected(1 << 20)"
            assert str(caught.value) == f"expected {text}, found '5' (str)"
        assert one.recv(Expected(5)).body == b"stays"


def test_what_is_no_buffer_is_not_lent() -> None:
    text = "expected a buffer to be lent that is a HostBuffer, a PooledBuffer or a Lend, found"
    name = f"\0wirecontract-arguments-{os.getpid()}"
    nothing: Any = None
    numbers: Any = [1]
    one, other = Channel.pair()
    with Producer(one) as producer, other, Service(Listener.bind(name)) as service, HostBuffer(4) as buffer:
        shared = buffer.shared()
        refused(
            [
                (lambda: producer.offer(nothing), TypeError, f"{text} None"),
                (lambda: producer.offer_without_waiting(nothing), TypeError, f"{text} None"),
                # Also where nobody has joined.
                (lambda: service.broadcast(nothing), TypeError, f"{text} None"),
                (
                    lambda: Lend(nothing, []),
                    TypeError,
                    "expected a buffer that is a SharedBuffer, found None",
                ),
                (
                    lambda: Lend(shared, numbers),
                    TypeError,
                    "expected a file descriptor of a buffer that is an Fd, which is taken, found 1 (int)",
                ),
            ]
        )
        assert producer.outstanding() == []


def test_a_pool_that_could_make_no_buffer_is_none() -> None:
    refused(
        [
            (
                lambda: pool(-1, 1),
                SizeError,
                "expected a size of at least 1 byte, found -1: what has no bytes needs no buffer",
            ),
            (
                lambda: pool(64, 0),
                SizeError,
                "expected a pool of at least 1 buffer, found 0: say how many there may be",
            ),
            (lambda: pool(64, True), TypeError, "expected a whole number of buffers, found True (bool)"),
            (
                lambda: pool(True, 1),
                TypeError,
                "expected a size that is a whole number of bytes, found True",
            ),
            (
                lambda: pool(64, 1, alignment=3),
                SizeError,
                "expected an alignment that is a power of two of at most"
                f" {mmap.PAGESIZE} bytes, found 3: ask for less",
            ),
            (
                lambda: pool(64, 1, name="a\0b"),
                host.HostError,
                "expected a name without NUL, found one at byte 1: leave it out",
            ),
            (
                lambda: pool(64, 1, consumers=None),
                TypeError,
                "expected consumers that is Access.READ_ONLY or Access.READ_WRITE, found None",
            ),
            (
                lambda: pool(64, 1, huge_pages="advised"),
                TypeError,
                "expected huge_pages that is HugePages, found 'advised' (str)",
            ),
        ]
    )
    assert Pool(64, 1).counts() == PoolCounts(0, 0, 1)


def test_what_is_no_channel_has_no_tasks() -> None:
    nothing: Any = None
    refused(
        [
            (lambda: AsyncChannel(nothing), TypeError, "expected a channel that is a Channel, found None"),
            (lambda: AsyncListener(nothing), TypeError, "expected a listener that is a Listener, found None"),
        ]
    )
