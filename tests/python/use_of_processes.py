"""A program of `handoff`, `host` and `lease` that type checkers read twice: as it is, and with the native
classes in the place of these (`test_stubs.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Protocol, assert_type

import wirecontract
import wirecontract.handoff
import wirecontract.host
from wirecontract.contracts.buffer import (
    BufferKind,
    EndReason,
    MemoryAfter,
    OfferRefusal,
    SharedBuffer,
)
from wirecontract.contracts.negotiate import Agreed
from wirecontract.contracts.texture import RequestMessage
from wirecontract.handoff import (
    Channel,
    Expected,
    Fd,
    Frame,
    Limit,
    Listener,
    Message,
    Options,
    OwnedFd,
    Peer,
    PidFd,
    Received,
    Sent,
    SeqPacket,
)
from wirecontract.host import Access, HostBuffer, HostMapping, HugePages, Import, Pages
from wirecontract.lease import Consumer, End, Event, Held, Lease, Lost, Outstanding, Producer, State
from wirecontract.lease import Options as LeaseOptions


def sockets(path: str, fd: int) -> None:
    """Channels, and what they say of themselves."""
    options = Options(framing=SeqPacket())
    with Listener.bind(path, options) as listener, Channel.connect(path, options=options) as channel:
        assert_type(listener.accept(within=1), Channel)
        assert_type(listener.try_accept(), Channel | None)
        assert_type(channel.options, Options)
        assert_type(channel.peer, Peer)
        assert_type(channel.peer_process(), PidFd)
        assert_type(channel.recv_limit(), tuple[bool, Limit | None])
        assert_type(channel.send_limit(), tuple[bool, Limit | None])
        assert_type(channel.hello_limit(), Limit | None)
        assert_type(channel.agreed(RequestMessage, within=1), Agreed)
        assert_type(channel.try_agreed("RequestMessage"), Agreed | None)
        assert_type(channel.detach(), Fd)
    assert_type(Channel.try_connect(os.fsencode(path)), Channel | None)
    assert_type(Channel.pair(), tuple[Channel, Channel])
    assert_type(Channel.from_fd(fd, options), Channel)
    assert_type(Channel.from_fd(Fd(fd)), Channel)
    assert_type(Listener.from_fd(Fd.duplicate(fd)), Listener)


def messages(channel: Channel, message: RequestMessage) -> Iterator[int]:
    """Messages, with what they carry."""
    with open("/proc/self/comm", "rb") as file:
        channel.send(b"body", [file, file.fileno()])
        assert_type(channel.try_send(memoryview(b"body"), fds=(file,)), Sent)
        channel.send_vectored([b"a", bytearray(b"b")], [file])
        assert_type(channel.try_send_vectored([b"a"]), Sent)
    with channel.recv(Expected(64, fds=(0, 2)), within=1) as came:
        assert_type(came, Message)
        assert_type(came.fds, list[Fd])
        yield from (fd.fileno() for fd in came.fds)
    assert_type(channel.try_recv(Expected(64)), Message | None)
    assert_type(channel.recv_into(bytearray(64), Expected(64), within=1), Received)
    assert_type(channel.try_recv_into(bytearray(64), Expected(64)), Received | None)
    channel.send_declared(message)
    channel.send_framed(message)
    assert_type(channel.try_send_declared(message), Sent)
    assert_type(channel.recv_declared(RequestMessage, within=1, repeated=True), RequestMessage)
    assert_type(channel.try_recv_declared(RequestMessage), RequestMessage | None)
    assert_type(channel.recv_framed(RequestMessage), RequestMessage)
    assert_type(channel.try_recv_framed(RequestMessage), RequestMessage | None)
    assert_type(channel.recv_frame(Expected(64), 1), Frame)
    assert_type(channel.try_recv_frame(Expected(64)), Frame | None)


class Receives(Protocol):
    """What has messages: a channel of either package."""

    def recv(
        self,
        expected: Expected | int,
        within: float | None = None,
        *,
        fds: int | tuple[int, int] | range | None = None,
        repeated: bool = False,
    ) -> object: ...

    def recv_into(
        self,
        buffer: bytearray,
        expected: Expected | int | None = None,
        within: float | None = None,
        *,
        fds: int | tuple[int, int] | range | None = None,
        repeated: bool = False,
    ) -> object: ...

    def try_recv(
        self,
        expected: Expected | int,
        *,
        fds: int | tuple[int, int] | range | None = None,
        repeated: bool = False,
    ) -> object: ...

    def try_recv_into(
        self,
        buffer: bytearray,
        expected: Expected | int | None = None,
        *,
        fds: int | tuple[int, int] | range | None = None,
        repeated: bool = False,
    ) -> object: ...


class OfSocket(Protocol):
    """What takes a socket from its owner, whichever that is."""

    def __call__(self, fd: OwnedFd, options: Options | None = None) -> object: ...


class OfFile(Protocol):
    """What takes a file from its owner."""

    def __call__(self, fd: OwnedFd, buffer: SharedBuffer | Import) -> object: ...


def either(
    native: wirecontract.Channel, pure: wirecontract.handoff.Channel
) -> tuple[list[Receives], list[OfSocket], list[OfFile]]:
    """Both packages take the same arguments, by the same names and in the same order."""
    sockets: list[OfSocket] = [wirecontract.handoff.Channel.from_fd, wirecontract.Channel.from_fd]
    sockets += [wirecontract.handoff.Listener.from_fd, wirecontract.Listener.from_fd]
    for each in sockets:
        each(wirecontract.handoff.Fd(3))
        each(wirecontract.Fd(4), Options())
        each(5)
    assert_type(pure.recv(64, 1, fds=(0, 2), repeated=True), wirecontract.handoff.Message)
    assert_type(native.recv(64, 1, fds=(0, 2), repeated=True), wirecontract.Message)
    return [native, pure], sockets, [wirecontract.host.HostMapping.open, wirecontract.HostMapping.open]


def memory(fd: int) -> None:
    """Buffers, and their mappings."""
    with HostBuffer(64, consumers=Access.READ_WRITE, huge_pages=HugePages(), name="frame") as buffer:
        assert_type(buffer.describe(), Import)
        assert_type(buffer.pages, Pages)
        assert_type(buffer.shared(shape=(64,), buffer_id=None), SharedBuffer)
        assert_type(buffer.view(), memoryview)
        with HostMapping.open(buffer.consumer_fd(), buffer.shared()) as mapping:
            assert_type(mapping.describe(), Import)
            assert_type(mapping.duplicate_fd(), Fd)
        assert_type(HostMapping.open(fd, buffer.describe()), HostMapping)


def leases(producer: Producer, consumer: Consumer, buffer: HostBuffer) -> None:
    """Both sides of a lease."""
    lease = producer.offer(buffer)
    assert_type(lease, Lease)
    assert_type(producer.offer_without_waiting(buffer), Lease)
    assert_type(lease.state, State)
    assert_type(lease.outcome, End | OfferRefusal | None)
    assert_type(lease.end(EndReason.REVOKED, MemoryAfter.GONE), End)
    assert_type(lease.revoke(within=1), End)
    assert_type(lease.wait_released(1), End)
    assert_type(lease.try_released(), End | None)
    assert_type(producer.outstanding(), list[Outstanding])
    assert_type(producer.lost, Lost | None)
    assert_type(producer.peer, Peer)
    assert_type(producer.wait_closed(), Lost)
    assert_type(consumer.events(), list[Event])
    assert_type(consumer.next_event(1), Event)
    assert_type(consumer.try_next(), Held | None)
    with consumer.next(within=1) as held:
        assert_type(held.buffer, SharedBuffer)
        assert_type(held.buffer.kind, BufferKind)
        assert_type(held.is_over(), End | None)
        assert_type(held.take_fds(), list[Fd])
        assert_type(held.view(), memoryview)


def sides() -> None:
    """A program that runs."""
    ours, theirs = Channel.pair()
    with Producer(ours, LeaseOptions(hello=False)) as producer, Consumer(theirs, LeaseOptions(hello=False)):
        assert_type(producer.deadline, float | None)
