"""A process that is killed at a message: between its side and the socket, a relay hands messages on and knows
which one it is. And what a process has open, to be compared by the one that survives.
"""

import gc
import os
import signal
import socket
import threading
from collections.abc import Sequence
from glob import glob

from wirecontract.handoff import Channel, Expected, Fd, HandoffError, Options

LONG = 120.0
PATIENT_CHANNEL = Options(message_timeout=LONG)


def opened() -> tuple[int, list[str], int]:
    """The file descriptors, the memfds that are mapped, and names of this library's in `/dev/shm`."""
    gc.collect()
    with open("/proc/self/maps") as maps:
        mapped = [line for line in maps if "memfd:" in line]
    return len(os.listdir("/proc/self/fd")), mapped, len(glob("/dev/shm/wirecontract*"))


def send_half(there: Channel, body: bytes, fds: Sequence[Fd]) -> None:
    """Sends half of a message as a channel sends the whole of it: the length, then the body and what rides on
    its first byte.
    """
    with socket.socket(fileno=os.dup(there.fileno())) as bare:
        bare.sendall(len(body).to_bytes(4, "big"))
        numbers = [fd.fileno() for fd in fds]
        if numbers:
            socket.send_fds(bare, [body[: len(body) // 2]], numbers)
        else:
            bare.sendall(body[: len(body) // 2])


class Relay:
    """Hands messages on between a side and the socket, and kills this process at the one that it was told."""

    def __init__(self, far: Channel, options: Options, at: int, when: str) -> None:
        one, other = socket.socketpair(socket.AF_UNIX)
        self.side = Channel.from_fd(one.detach(), options)
        self._other = Channel.from_fd(other.detach(), PATIENT_CHANNEL)
        self._at, self._when = at, when
        self._count = 0
        self._lock = threading.Lock()
        ways = ((self._other, far), (far, self._other))
        self._threads = [threading.Thread(target=self._forward, args=way, daemon=True) for way in ways]
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        """Waits until all is handed on."""
        for thread in self._threads:
            thread.join()

    def _forward(self, here: Channel, there: Channel) -> None:
        try:
            while True:
                with here.recv(Expected(1 << 20, fds=(0, 253))) as message:
                    # Who hands on the message that this process is killed at keeps it: none goes behind it.
                    self._lock.acquire()
                    self._count += 1
                    when = self._when if self._count == self._at else ""
                    if not when:
                        self._lock.release()
                    if when == "half":
                        send_half(there, message.body, message.fds)
                    if when in ("before", "half"):
                        os.kill(os.getpid(), signal.SIGKILL)
                    try:
                        there.send(message.body, message.fds)
                    finally:
                        if when == "after":
                            os.kill(os.getpid(), signal.SIGKILL)
        except HandoffError:
            here.shutdown()
            there.shutdown()
