"""A consumer of the demo in pure Python: maps the cube that is lent, checks every byte, and gives it back.

`consumer.py SOCKET`. What it does it says as JSON on its standard output, a line each; what it is told comes
on its standard input, and the end of that ends it.
"""

import json
import os
import signal
import sys
import time
from array import array

from wirecontract.contracts.dlpack import DLDataTypeCode
from wirecontract.handoff import Channel, Options
from wirecontract.lease import Consumer, Held

LONG = 120.0

STEP, LINE, TURN = 25_717, 40_503, 1 << 16
"""Word `at` of a line is `(line * LINE + at) * STEP`, of which 16 bits are there; so it is the same again
after TURN.
"""


def say(**members: object) -> None:
    """Says something, in one line."""
    print(json.dumps(members), flush=True)


def told(expected: str) -> None:
    """Waits to be told something."""
    line = sys.stdin.readline()
    if line.rstrip("\n") != expected:
        raise SystemExit(f"expected {expected}, found {line!r}")


def opened() -> tuple[int, int]:
    """How many file descriptors are open, and how many memfds are mapped."""
    with open("/proc/self/maps") as maps:
        mapped = sum("/memfd:" in line for line in maps)
    return len(os.listdir("/proc/self/fd")), mapped


def mapping() -> tuple[list[str], dict[str, int]]:
    """The words of the line in `/proc/self/smaps` of the memfd that is mapped, and its numbers in bytes."""
    with open("/proc/self/smaps") as maps:
        lines = iter(maps)
        words = next(line for line in lines if "/memfd:" in line).split()
        numbers = {}
        for line in lines:
            name, _, rest = line.partition(":")
            if name == "VmFlags":
                break
            if rest.split()[1:] == ["kB"]:
                numbers[name] = 1024 * int(rest.split()[0])
    return words, numbers


def check(held: Held) -> int:
    """How many lines of the cube are not as they have to be. Nothing is copied: one memory is compared with
    another.
    """
    lines, samples, bands = held.buffer.shape
    words = samples * bands
    # Every line is a part of one table: as long as a line, behind wherever it may begin.
    turn = array("H", (number * STEP % TURN for number in range(TURN)))
    with memoryview(turn * (words // TURN + 2)) as table, table.cast("B") as expected, held.view() as cube:
        wrong = 0
        before = time.monotonic()
        for line in range(lines):
            start = 2 * (line * LINE % TURN)
            found = cube[line * words * 2 : (line + 1) * words * 2]
            wrong += found != expected[start : start + words * 2]
            if time.monotonic() - before > 1:
                before = time.monotonic()
                say(event="progress", lines=line + 1)
    return wrong


def consume(socket: str) -> None:
    """Takes the cube, checks it, and gives it back."""
    channel = Channel.connect(socket, Options(message_timeout=LONG))
    # The producer says hello before it fills the cube, which takes what it takes; where it ends, this does.
    with Consumer(channel) as consumer, consumer.next() as held:
        element = held.buffer.element
        if (element.code, element.bits, element.lanes) != (DLDataTypeCode.U_INT, 16, 1):
            raise SystemExit(f"expected a cube of u16, found {element}")
        words, _ = mapping()
        with held.view() as view:
            say(
                event="mapped",
                pid=os.getpid(),
                bytes=len(view),
                address=f"0x{int(words[0].split('-')[0], 16):x}",
                permissions=words[1],
                file=f"{words[3]} {words[4]}",
            )
        since = time.monotonic()
        wrong = check(held)
        say(event="checked", wrong=wrong, seconds=time.monotonic() - since)
        told("weigh")
        _, numbers = mapping()
        private = numbers["Private_Clean"] + numbers["Private_Dirty"]
        say(event="weighed", rss=numbers["Rss"], pss=numbers["Pss"], private=private)
        told("release")


def main() -> None:
    """Says what is left behind as well."""
    # Ctrl-C ends it without a word, as it does the others.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fds, _ = opened()
    consume(sys.argv[1])
    left, mapped = opened()
    say(event="left", fds=left - fds, mapped=mapped)


if __name__ == "__main__":
    main()
