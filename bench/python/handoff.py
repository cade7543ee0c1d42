"""Handoffs through the native library of the Python package, as `shared.rs` does them in Rust.

handoff.py agree        says what comes of every variant of a descriptor with every kind of file descriptor
handoff.py measure N    nanoseconds of processor time for a round trip, N times
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

from wirecontract import Channel, HostBuffer, ProcessIdentity, SharedBuffer, WireError
from wirecontract.handoff import CodedError, Fd, Options, Stream

BYTES = 1 << 20
SIZE = SharedBuffer.WIRE_SIZE
BATCH = 100
OPTIONS = Options(framing=Stream("big", "joined"))


def code_of(channel: Channel) -> int:
    """0 where what came is mapped, or the code of its refusal."""
    place = bytearray(SIZE)
    try:
        with channel.recv_into(place, SIZE, fds=1) as came:
            SharedBuffer.from_bytes(place[: came.size]).open(came.fds[0])
    except (CodedError, WireError) as error:
        return int(error.code)
    return 0


def variants(buffer: HostBuffer) -> list[bytes]:
    """The descriptor as it is, and with each of its bytes changed."""
    raw = bytearray(buffer.shared(buffer_id=0).to_bytes())
    said = SharedBuffer.from_bytes(raw).exporter
    start = raw.index(said.to_bytes())
    raw[start : start + ProcessIdentity.WIRE_SIZE] = bytes(ProcessIdentity.WIRE_SIZE)
    made = [bytes(raw)]
    for at in range(SIZE):
        changed = bytearray(raw)
        changed[at] ^= 0xFF
        made.append(bytes(changed))
    return made


def agree() -> None:
    """Prints for each variant its place, and the code that each kind of file descriptor gives."""
    with (
        HostBuffer(BYTES) as buffer,
        buffer.consumer_fd() as good,
        Fd(os.memfd_create("unsealed", 3)) as unsealed,
    ):
        for index, raw in enumerate(variants(buffer)):
            codes = []
            for fds in ([good], [], [good, good], [unsealed]):
                near, far = Channel.pair(OPTIONS)
                with near, far:
                    near.send(raw, fds)
                    codes.append(code_of(far))
            print(index, *codes)


def measure(times: int) -> None:
    """Prints the best batch's time for one round trip."""
    buffer = HostBuffer(BYTES)
    raw, fd = buffer.shared().to_bytes(), buffer.consumer_fd()
    near, far = Channel.pair(OPTIONS)
    place, back = bytearray(SIZE), bytearray(SIZE)

    def once() -> None:
        near.send(raw, [fd])
        came = far.recv_into(place, SIZE, fds=1)
        SharedBuffer.from_bytes(place).open(came.fds[0])
        far.send(place)
        near.recv_into(back, SIZE)
        if back != raw:
            raise AssertionError("another descriptor came back")

    best = float("inf")
    for _ in range(-(-times // BATCH)):
        start = time.thread_time_ns()
        for _ in range(BATCH):
            once()
        best = min(best, time.thread_time_ns() - start)
    print("shared-round-trip", best / BATCH)


with suppress(BrokenPipeError):
    if sys.argv[1] == "agree":
        agree()
    else:
        measure(int(sys.argv[2]))
