"""One side of handoffs between two processes, of which one may be killed at any message, in Python:

`handoff_survivor.py send|take survive|die SOCKET [AT before|half|after]`, as `handoff-survivor.rs` is in
Rust.
"""

import sys
from contextlib import ExitStack
from dataclasses import replace

from relay import LONG, PATIENT_CHANNEL, Relay, opened
from wirecontract.contracts import Code
from wirecontract.contracts.buffer import SharedBuffer
from wirecontract.handoff import Channel, Expected, HandoffError, Listener
from wirecontract.host import HostBuffer, HostMapping

SIZE = 4096
DESCRIPTOR = 448
OPTIONS = replace(PATIENT_CHANNEL, speaks=(SharedBuffer,))


def pattern(seed: int) -> bytes:
    """The bytes of a buffer."""
    return bytes((at * 31 + seed) & 0xFF for at in range(SIZE))


def give(channel: Channel, *seeds: int) -> None:
    """Sends buffers of these seeds."""
    with ExitStack() as stack:
        body, fds = bytearray(), []
        for seed in seeds:
            buffer = stack.enter_context(HostBuffer(SIZE, name="handed"))
            with buffer.view() as view:
                view[:] = pattern(seed)
            body += buffer.shared().to_bytes()
            fds.append(stack.enter_context(buffer.consumer_fd()))
        channel.send(body, fds)


def get(channel: Channel, *seeds: int) -> None:
    """Receives as many, and looks at every byte of them."""
    with channel.recv(Expected(len(seeds) * DESCRIPTOR, fds=len(seeds)), LONG) as message:
        for number, (fd, seed) in enumerate(zip(message.fds, seeds, strict=True)):
            buffer = SharedBuffer.from_bytes(message.body[number * DESCRIPTOR :][:DESCRIPTOR])
            with HostMapping.open(fd, buffer) as mapping, mapping.view() as view:
                if bytes(view) != pattern(seed):
                    raise SystemExit(f"expected buffer {seed}, found another")


def hear(channel: Channel, word: bytes) -> None:
    """Receives that word."""
    with channel.recv(Expected(16), LONG) as message:
        if message.body != word:
            raise SystemExit(f"expected {word!r}, found {message.body!r}")


def exchange(channel: Channel, sends: bool) -> None:
    """A buffer, two more, and one back."""
    if channel.agreed(SharedBuffer, LONG).wire_id != SharedBuffer.WIRE_ID:
        raise SystemExit("another contract than this build's")
    if sends:
        give(channel, 1)
        hear(channel, b"taken")
        give(channel, 2, 3)
        get(channel, 4)
        channel.send(b"done")
        return
    get(channel, 1)
    channel.send(b"taken")
    get(channel, 2, 3)
    give(channel, 4)
    hear(channel, b"done")
    if not channel.wait_closed(LONG):
        raise SystemExit("expected the other side to close")


def survive_one(channel: Channel, sends: bool) -> str:
    """Meets one peer, and says what became of it."""
    with channel:
        try:
            exchange(channel, sends)
        except HandoffError as error:
            if error.code is not Code.PEER_CLOSED:
                raise
            return "died"
    return "whole"


def survive(sends: bool, socket: str) -> None:
    """Meets one peer for each line of the standard input."""
    before = opened()
    with Listener.bind(socket, OPTIONS) as listener:
        print("ready", flush=True)
        for _ in sys.stdin:
            print(survive_one(listener.accept(LONG), sends), flush=True)
    after = opened()
    if before != after:
        raise SystemExit(f"expected {before} to be open at the end, found {after}")
    print("clean", flush=True)


def die(sends: bool, socket: str, at: str = "0", when: str = "") -> None:
    """Meets one peer, and is killed at a message."""
    relay = Relay(Channel.connect(socket, PATIENT_CHANNEL), OPTIONS, int(at), when)
    with relay.side as side:
        exchange(side, sends)
    relay.join()


if __name__ == "__main__":
    (survive if sys.argv[2] == "survive" else die)(sys.argv[1] == "send", *sys.argv[3:])
