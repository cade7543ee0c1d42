"""One side of a handoff between two processes, in Python:

`handoff_peer.py listen|connect SOCKET SIZE OFFSET FDS [packets]`, as `handoff-peer.rs` is in Rust.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack

from wirecontract.contracts.buffer import SharedBuffer
from wirecontract.handoff import Channel, Expected, Listener, Options, SeqPacket, Stream
from wirecontract.host import HostBuffer, HostMapping

SECONDS = 60
PATIENCE = 30
WHOLE = 1 << 20
END = 65_536
DESCRIPTOR = 448


def fail(text: str) -> SystemExit:
    """The end, with what was wrong."""
    return SystemExit(text)


class Case:
    """The buffers of one message."""

    def __init__(self, size: int, offset: int, fds: int) -> None:
        self.size, self.offset, self.fds = size, offset, fds

    def send(self, channel: Channel, side: int) -> None:
        """Makes and fills buffers, and sends them."""
        with ExitStack() as stack:
            body, fds = bytearray(), []
            for number in range(self.fds):
                buffer = stack.enter_context(HostBuffer(self.size, offset=self.offset))
                with buffer.view() as view:
                    for start, end in self.written():
                        view[start:end] = pattern(start, end, number, side)
                body += buffer.shared().to_bytes()
                fds.append(stack.enter_context(buffer.consumer_fd()))
            channel.send(body, fds)

    def receive(self, channel: Channel, side: int) -> None:
        """Receives buffers, and compares them."""
        length = self.fds * DESCRIPTOR
        with ExitStack() as stack:
            message = stack.enter_context(channel.recv(Expected(length, fds=self.fds)))
            if len(message.body) != length:
                raise fail(f"expected {length} bytes, found {len(message.body)}")
            for number, fd in enumerate(message.fds):
                start = number * DESCRIPTOR
                buffer = SharedBuffer.from_bytes(message.body[start : start + DESCRIPTOR])
                if (buffer.size, buffer.offset) != (self.size, self.offset):
                    found = f"{buffer.size} at {buffer.offset}"
                    raise fail(f"expected {self.size} at {self.offset}, found {found}")
                mapping = stack.enter_context(HostMapping.open(fd, buffer))
                self.check(mapping, buffer.allocation_size, number, side)

    def check(self, mapping: HostMapping, allocation_size: int, number: int, side: int) -> None:
        """Every byte that was written, and that around the buffer there are zeros."""
        with mapping.view() as view:
            if not view.readonly:
                raise fail("expected memory for reading")
            for start, end in self.written():
                same(bytes(view[start:end]), pattern(start, end, number, side), start, number)
        behind = self.offset + self.size
        with mapping.duplicate_fd() as fd:
            for start, end in ((0, self.offset), (behind, allocation_size)):
                same(os.pread(fd.fileno(), end - start, start), bytes(end - start), start, number)

    def written(self) -> Iterator[tuple[int, int]]:
        """The parts of the window that are written."""
        if self.size <= WHOLE:
            yield 0, self.size
        else:
            yield 0, END
            yield self.size - END, self.size


def pattern(start: int, end: int, number: int, side: int) -> bytes:
    """The bytes of a window, of the buffer of that number."""
    seed = number * 7 + side * 101
    return bytes((at * 31 + (at >> 12) + seed) & 0xFF for at in range(start, end))


def same(found: bytes, expected: bytes, start: int, number: int) -> None:
    """Names the first byte that is another one."""
    if found == expected:
        return
    if len(found) != len(expected):
        raise fail(f"buffer {number}: expected {len(expected)} bytes at {start}, found {len(found)}")
    at = next(at for at, byte in enumerate(found) if byte != expected[at])
    raise fail(f"buffer {number}, byte {start + at}: expected {expected[at]}, found {found[at]}")


def connect(socket: str, options: Options) -> Channel:
    """Connects as soon as somebody listens."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return Channel.connect(socket, options)
        except (FileNotFoundError, ConnectionRefusedError):
            if time.monotonic() > until:
                raise
            time.sleep(0.005)


def main(role: str, socket: str, size: str, offset: str, fds: str, *rest: str) -> None:
    """Meets the other side, and says that all was right."""
    opened = len(os.listdir("/proc/self/fd"))
    case = Case(int(size), int(offset), int(fds))
    framing = SeqPacket() if rest == ("packets",) else Stream()
    options = Options(framing=framing, message_timeout=SECONDS, idle_timeout=SECONDS)
    if role == "listen":
        with Listener.bind(socket, options) as listener, listener.accept(SECONDS) as channel:
            case.send(channel, 0)
            case.receive(channel, 1)
    else:
        with connect(socket, options) as channel:
            case.receive(channel, 0)
            case.send(channel, 1)
    left = len(os.listdir("/proc/self/fd"))
    if left != opened:
        raise fail(f"expected {opened} open file descriptors at the end, found {left}")
    print("ok", case.fds, case.size)


if __name__ == "__main__":
    main(*sys.argv[1:])
