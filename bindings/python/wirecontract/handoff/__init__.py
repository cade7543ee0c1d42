"""Framed messages and the file descriptors that ride on them, over Unix sockets; on Linux.

A `Channel` is a connected socket on which whole messages go: a body of bytes, and 0 to 253 file descriptors.
It is made as a `pair`, by `connect` to a `Listener`, or `from_fd`. `Options` say how messages are framed, how
long is waited, and whose processes are let in: those of the same user unless said. The wire, the refusals and
their codes are those of the Rust module `wirecontract_runtime::handoff`, with which it speaks.

The receiver says what may come (`Expected`); an open file comes once in a message unless it says `repeated`.
Whatever else comes is refused by a `HandoffError`, which has the code of all languages, what was expected,
what came and what to do; file descriptors that came with it are closed. Behind a refusal
`Channel.can_receive` and `can_send` say whether the channel goes on; what a call says of a direction that is
over is an end (`HandoffError.is_end`), which each later call says as well. No size that a peer announces is
allocated before the bytes come, and no peer that is slow, or says nothing, holds a call longer than its
limit.

On the wire a message of `Stream` is a length of four bytes and so many bytes of body. File descriptors ride
on the `sendmsg` that holds the first byte of the body, or the last byte of the length where the body is
empty; those that come elsewhere are refused. A message of `SeqPacket` is a packet.

A channel whose `Options` say what it speaks sends a hello before everything else, and receives nothing before
the peer's. A peer that speaks another form of a contract is refused by name, with the wire ids of both sides;
of what both speak, `Channel.agreed` says at which version. Both sides say a hello or neither does.

A message that a contract declares is sent as it is (`send_declared`, `recv_declared`), or with the contract's
wire id before it (`send_framed`, `recv_framed`), so that another build's is refused by name.

Calls that wait are ended by Ctrl-C: what came stays in the channel, and of a message that was half sent the
direction is shut down. `try_send`, `try_flush` and `try_recv` never wait; for asyncio there are
`AsyncChannel` and `AsyncListener`. `PidFd.fetch` takes a file descriptor from the peer's process by its
number, where the kernel lets one process trace the other.

What a process made stays its own when it forks: in the child each call is refused (`Forked`), and
closing closes the child's file descriptors alone.
"""

from wirecontract.handoff._address import Address
from wirecontract.handoff._asyncio import AsyncChannel, AsyncListener
from wirecontract.handoff._channel import Channel
from wirecontract.handoff._coded import CodedError
from wirecontract.handoff._declared import Declared, DeclaredType, Frame
from wirecontract.handoff._errors import (
    AddressTooLong,
    BadAddress,
    ChannelClosed,
    ChannelTaken,
    ClosedInMessage,
    Doing,
    EmptyPacket,
    FdCount,
    FdKind,
    FdsInFlight,
    FdsLost,
    FdsMisplaced,
    FdsRepeated,
    FetchRefused,
    HandoffError,
    HandoffOSError,
    HandoffTimeout,
    HelloRefused,
    IdMismatch,
    InUse,
    Locked,
    NoPidFd,
    NoSuchFd,
    NotOurs,
    NoWireId,
    OutOfStep,
    PeerClosed,
    PeerUnmapped,
    PeerUser,
    ProcessEnded,
    TooLarge,
    TooLargeToSend,
    TooManyFds,
)
from wirecontract.handoff._fd import Fd, FileDescriptor, HasFileno, OwnedFd
from wirecontract.handoff._listener import Listener
from wirecontract.handoff._maker import Forked
from wirecontract.handoff._options import (
    MOST_FDS,
    Expected,
    Fds,
    Framing,
    Message,
    Options,
    Peer,
    Peers,
    Received,
    SeqPacket,
    Stream,
)
from wirecontract.handoff._process import PidFd
from wirecontract.handoff._sending import Sent
from wirecontract.handoff._wait import Limit

__all__ = [
    "MOST_FDS",
    "Address",
    "AddressTooLong",
    "AsyncChannel",
    "AsyncListener",
    "BadAddress",
    "Channel",
    "ChannelClosed",
    "ChannelTaken",
    "ClosedInMessage",
    "CodedError",
    "Declared",
    "DeclaredType",
    "Doing",
    "EmptyPacket",
    "Expected",
    "Fd",
    "FdCount",
    "FdKind",
    "Fds",
    "FdsInFlight",
    "FdsLost",
    "FdsMisplaced",
    "FdsRepeated",
    "FetchRefused",
    "FileDescriptor",
    "Forked",
    "Frame",
    "Framing",
    "HandoffError",
    "HandoffOSError",
    "HandoffTimeout",
    "HasFileno",
    "HelloRefused",
    "IdMismatch",
    "InUse",
    "Limit",
    "Listener",
    "Locked",
    "Message",
    "NoPidFd",
    "NoSuchFd",
    "NoWireId",
    "NotOurs",
    "Options",
    "OutOfStep",
    "OwnedFd",
    "Peer",
    "PeerClosed",
    "PeerUnmapped",
    "PeerUser",
    "Peers",
    "PidFd",
    "ProcessEnded",
    "Received",
    "Sent",
    "SeqPacket",
    "Stream",
    "TooLarge",
    "TooLargeToSend",
    "TooManyFds",
]
