"""Messages as their contracts declare them, on a channel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import call
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from wirecontract.handoff._arguments import found
from wirecontract.handoff._errors import IdMismatch, NoWireId
from wirecontract.handoff._fd import Fd, FileDescriptor, GivesAway
from wirecontract.handoff._options import Expected, Message, close_fds
from wirecontract.handoff._sending import Sent

if TYPE_CHECKING:
    from typing_extensions import Buffer

_ID_BYTES = 8
"""Bytes of a wire id before a body."""

_M_co = TypeVar("_M_co", covariant=True)
_M = TypeVar("_M")


class Declared(Protocol):
    """A message of a contract, such as a class that is generated: its bytes, and file descriptors that stay
    the message's.
    """

    WIRE_ID: ClassVar[int]

    def to_message(self) -> tuple[bytes, list[int]]:
        """The bytes, and the numbers of the file descriptors beside them, which stay the message's: pass them
        before it is closed. `WireError` where no reader would take it.
        """
        ...


class DeclaredType(Protocol[_M_co]):
    """The class of such messages."""

    @property
    def WIRE_ID(self) -> int:
        """Equal on two sides that understand each other."""
        ...

    @property
    def CONTRACT(self) -> str:
        """The contract's path in Rust."""
        ...

    @property
    def MAX_BYTES(self) -> int:
        """The most bytes that a message has."""
        ...

    @property
    def MAX_FDS(self) -> int:
        """The most file descriptors that a message has."""
        ...

    def from_message(self, data: Buffer, fds: Iterable[int] = ..., *, close_refused: bool = ...) -> _M_co:
        """The message of these bytes and file descriptors, which it owns from then on and closes. What is
        refused (`WireError`) leaves them the caller's, or with `close_refused` closes them.
        """
        ...


@dataclass(frozen=True, slots=True)
class Frame:
    """A message that begins with the wire id of its contract, while nobody has looked further. Where messages
    of several contracts cross one channel, the id says which one came.

    Its file descriptors are the receiver's: closed with them, or at the end of a `with`.
    """

    wire_id: int
    """The wire id of its contract."""
    body: bytes
    """The message, without the id."""
    fds: list[Fd]
    """The file descriptors in the order in which they were sent, closed on exec."""

    def is_of(self, contract: DeclaredType[object]) -> bool:
        """Whether it is of that contract."""
        return self.wire_id == type_of(contract).WIRE_ID

    def read(self, contract: DeclaredType[_M]) -> _M:
        """The message, which is one of that contract, and owns the file descriptors from then on.
        `IdMismatch`, `WireError`: they are closed then. Not where `contract` is no class of messages
        (`TypeError`).
        """
        if not self.is_of(contract):
            self.close()
            raise IdMismatch(contract.CONTRACT.rpartition("::")[2], contract.WIRE_ID, self.wire_id)
        return read(contract, self.body, self.fds)

    def close(self) -> None:
        """Closes what was not closed or given away."""
        close_fds(self.fds)

    def __enter__(self) -> Frame:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def parts_of(message: Declared) -> tuple[bytes, list[int]]:
    """The bytes of a message of a contract, and its file descriptors; `TypeError` for what is none."""
    if isinstance(message, type) or not all(hasattr(message, name) for name in ("to_message", "WIRE_ID")):
        raise TypeError(f"expected a message of a contract, found {found(message)}")
    return message.to_message()


def type_of(contract: DeclaredType[_M]) -> DeclaredType[_M]:
    """The class of messages that was given; `TypeError` for what is none."""
    if not isinstance(contract, type) or not all(hasattr(contract, name) for name in _OF_TYPE):
        raise TypeError(f"expected the class of a contract's messages, found {found(contract)}")
    return contract


_OF_TYPE = ("from_message", "WIRE_ID", "CONTRACT", "MAX_BYTES", "MAX_FDS")
"""What the class of a message has, and no other of a contract has all of it."""


def expected_of(contract: DeclaredType[object], *, repeated: bool = False) -> Expected:
    """What a message of a contract may have. How many file descriptors exactly, its bytes say."""
    contract = type_of(contract)
    return Expected(contract.MAX_BYTES, fds=(0, contract.MAX_FDS), repeated=repeated)


def read(contract: DeclaredType[_M], body: bytes, fds: Sequence[GivesAway]) -> _M:
    """The message of what came, which owns the file descriptors; they are closed where it is refused."""
    # Each number leaves its owner when the message takes it, with no instruction between.
    numbers = map(call, [fd.held.pop if isinstance(fd, Fd) else fd.detach for fd in fds])
    try:
        return contract.from_message(body, numbers, close_refused=True)
    finally:
        close_fds(fds)


def framed(expected: Expected) -> Expected:
    """The same with a wire id before the bytes."""
    return Expected.of(expected).behind(_ID_BYTES)


def frame_of(message: Message) -> Frame:
    """A message as its wire id and the rest; `NoWireId` where it has no room for one, and is closed then."""
    if len(message.body) < _ID_BYTES:
        message.close()
        raise NoWireId(len(message.body))
    wire_id = int.from_bytes(message.body[:_ID_BYTES], "little")
    return Frame(wire_id, message.body[_ID_BYTES:], message.fds)


def id_of(message: Declared) -> bytes:
    """A wire id as it is sent."""
    return message.WIRE_ID.to_bytes(_ID_BYTES, "little")


class DeclaredCalls(ABC):
    """What a channel does with messages of contracts.

    What a contract refuses (`WireError`) leaves the channel as it is, which goes on with the next message;
    its file descriptors are closed. `repeated` lets one open file come more than once, as planes of one
    DMA-BUF.
    """

    @abstractmethod
    def send_vectored(self, body: Sequence[Buffer], fds: Sequence[FileDescriptor] = ()) -> None:
        """Sends a message of several parts."""

    @abstractmethod
    def try_send_vectored(self, body: Sequence[Buffer], fds: Sequence[FileDescriptor] = ()) -> Sent:
        """Sends what the kernel takes of it without waiting."""

    @abstractmethod
    def recv(self, expected: Expected, within: float | None = None) -> Message:
        """Receives a message."""

    @abstractmethod
    def try_recv(self, expected: Expected) -> Message | None:
        """Receives a message if it is there."""

    def send_declared(self, message: Declared) -> None:
        """Sends a message of a contract: its bytes, and beside them its file descriptors, which stay the
        message's. `WireError` before anything is sent; what `send` refuses.
        """
        body, fds = parts_of(message)
        self.send_vectored([body], fds)

    def try_send_declared(self, message: Declared) -> Sent:
        """The same without waiting; see `try_send`."""
        body, fds = parts_of(message)
        return self.try_send_vectored([body], fds)

    def recv_declared(
        self, contract: DeclaredType[_M], within: float | None = None, *, repeated: bool = False
    ) -> _M:
        """Receives a message of a contract, with as many bytes and file descriptors as it may have, which it
        owns. What `recv` refuses, and `WireError`.
        """
        message = self.recv(expected_of(contract, repeated=repeated), within=within)
        return read(contract, message.body, message.fds)

    def try_recv_declared(self, contract: DeclaredType[_M], *, repeated: bool = False) -> _M | None:
        """The same where the message is there; None where it is not, or not whole."""
        message = self.try_recv(expected_of(contract, repeated=repeated))
        return None if message is None else read(contract, message.body, message.fds)

    def send_framed(self, message: Declared) -> None:
        """The same as `send_declared`, with the contract's wire id before the bytes: eight bytes,
        little-endian. For wires whose both sides expect it (`recv_framed`, or `recv_frame` where several
        contracts cross one channel).
        """
        body, fds = parts_of(message)
        self.send_vectored([id_of(message), body], fds)

    def try_send_framed(self, message: Declared) -> Sent:
        """The same without waiting; see `try_send`."""
        body, fds = parts_of(message)
        return self.try_send_vectored([id_of(message), body], fds)

    def recv_framed(
        self, contract: DeclaredType[_M], within: float | None = None, *, repeated: bool = False
    ) -> _M:
        """Receives a message that begins with its contract's wire id, and is one of that contract. As
        `recv_declared`; `IdMismatch`, `NoWireId`.
        """
        return self.recv_frame(expected_of(contract, repeated=repeated), within).read(contract)

    def try_recv_framed(self, contract: DeclaredType[_M], *, repeated: bool = False) -> _M | None:
        """The same where the message is there; None where it is not, or not whole."""
        frame = self.try_recv_frame(expected_of(contract, repeated=repeated))
        return None if frame is None else frame.read(contract)

    def recv_frame(self, expected: Expected, within: float | None = None) -> Frame:
        """Receives a message that begins with the wire id of some contract; `expected` says what may come
        behind the id. As `recv`; `NoWireId`.
        """
        return frame_of(self.recv(framed(expected), within=within))

    def try_recv_frame(self, expected: Expected) -> Frame | None:
        """The same where the message is there; None where it is not, or not whole."""
        message = self.try_recv(framed(expected))
        return None if message is None else frame_of(message)
