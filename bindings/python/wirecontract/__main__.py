"""`python -m wirecontract`: whether the package that is installed works here, a line for each thing tried."""

from __future__ import annotations

import gc
import platform
import sys
from collections.abc import Callable

import wirecontract
from wirecontract.contracts import video
from wirecontract.handoff import Channel, Expected
from wirecontract.host import HostBuffer, HostMapping


def contracts() -> str:
    """A descriptor goes to bytes and back, and a wrong one is refused by name."""
    layout = video.PlaneLayout(offset=2048, pitch=64)
    data = layout.to_bytes()
    if video.PlaneLayout.from_bytes(data) != layout:
        raise AssertionError("expected the descriptor that was written")
    try:
        video.PlaneLayout.from_bytes(data[:-1])
    except wirecontract.WireError as error:
        if error.code is not wirecontract.Code.TOO_SHORT:
            raise
    else:
        raise AssertionError("expected bytes that are too few to be refused")
    return f"{len(data)} bytes"


def tensors() -> str:
    """A tensor goes to another library's hands and back, and its memory is let go of."""
    memory = bytearray(range(24))
    image = wirecontract.Tensor(memory, shape=(4, 6))
    taken = wirecontract.Tensor.from_dlpack(image)
    if taken.data_ptr != image.data_ptr or memoryview(taken)[3, 5] != 23:
        raise AssertionError("expected the same memory")
    del taken, image
    gc.collect()
    memory.append(24)
    return "no copy made, nothing held"


def memory() -> str:
    """A buffer is mapped as another process would, and its file descriptor crosses a socket."""
    ours, theirs = Channel.pair()
    with ours, theirs, HostBuffer(4096, name="smoke") as buffer:
        ours.send(b"frame", [buffer.consumer_fd()])
        message = theirs.recv(Expected(64, fds=1))
        with HostMapping.open(message.fds[0], buffer.shared()) as mapping, mapping.view() as view:
            return f"{len(view)} bytes mapped"


CHECKS: tuple[Callable[[], str], ...] = (contracts, tensors, memory)


def main() -> int:
    """Tries everything, and says what failed."""
    version = getattr(wirecontract, "__version__", "(not installed)")
    python = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"wirecontract {version} on {python}, {sys.platform}")
    failed = 0
    for check in CHECKS:
        if check is memory and sys.platform != "linux":
            print(f"{check.__name__}: not on {sys.platform}")
            continue
        try:
            print(f"{check.__name__}: {check()}")
        except Exception as error:
            failed += 1
            print(f"{check.__name__}: FAILED: {type(error).__name__}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
