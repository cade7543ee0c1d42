"""What a call through ctypes costs: the generated module against ctypes by hand with the same checks.

Both first give the same, for good arguments and for bad ones.
"""

from __future__ import annotations

import array
import ctypes
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

library_path, generated = sys.argv[1:3]
sys.path.insert(0, generated)

from calls import library  # noqa: E402
from calls._wire import CallError  # noqa: E402

TIMES = 20_000
TURNS = 15


class Number(ctypes.Structure):
    """A handle as C has it."""

    _fields_ = (("id", ctypes.c_uint64),)


class HandError(Exception):
    """A status that is not 0."""


class Owned:
    """The handle by hand: arguments are checked, the status is, and nothing is called when it is closed."""

    def __init__(self, c: ctypes.CDLL, count: int) -> None:
        c.calls_owned_create.argtypes = (ctypes.c_uint64, ctypes.POINTER(Number))
        c.calls_owned_create.restype = ctypes.c_int32
        c.calls_owned_read.argtypes = (Number, ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64))
        c.calls_owned_read.restype = ctypes.c_int32
        c.calls_owned_sum.argtypes = (
            Number,
            ctypes.c_void_p,
            ctypes.c_size_t,
            ctypes.POINTER(ctypes.c_float),
        )
        c.calls_owned_sum.restype = ctypes.c_int32
        self._c = c
        self._number: Number | None = Number()
        if c.calls_owned_create(count, ctypes.byref(self._number)):
            raise HandError

    def read(self, amount: int) -> int:
        """What it has counted, and an amount."""
        number = self._number
        if number is None:
            raise ValueError("closed")
        if type(amount) is not int or not 0 <= amount <= 0xFFFF_FFFF_FFFF_FFFF:
            raise HandError(f"amount: {amount}")
        out = ctypes.c_uint64()
        if self._c.calls_owned_read(number, amount, ctypes.byref(out)):
            raise HandError
        return out.value

    def sum(self, samples: array.array[float]) -> float:
        """The sum of samples."""
        number = self._number
        if number is None:
            raise ValueError("closed")
        view = memoryview(samples)
        if view.format != "f" or not view.c_contiguous:
            raise HandError("samples")
        out = ctypes.c_float()
        items = (ctypes.c_float * len(view)).from_buffer(view)
        if self._c.calls_owned_sum(number, items, len(view), ctypes.byref(out)):
            raise HandError
        return out.value


library.load(library_path)
ours = library.Owned.create(41)
hand = Owned(ctypes.CDLL(library_path), 41)
samples = array.array("f", [1.0, 2.0, 4.0])


def verdict(call: Callable[[], object]) -> object:
    """What a call gives, or that it refuses."""
    try:
        return call()
    except (CallError, HandError, ValueError, TypeError):
        return "refused"


amounts: list[Any] = [0, 1, 2**64 - 42, 2**64, -1, 1.5, "1"]
for amount in amounts:
    found, expected = verdict(partial(ours.read, amount)), verdict(partial(hand.read, amount))
    assert found == expected, (amount, found, expected)
for buffer in (samples, array.array("f"), array.array("d", [1.0])):
    found, expected = verdict(partial(ours.sum, buffer)), verdict(partial(hand.sum, buffer))
    assert found == expected, (buffer, found, expected)


def best(call: Callable[[], object], before: float) -> float:
    """Nanoseconds of a call."""
    start = time.process_time_ns()
    for _ in range(TIMES):
        call()
    return min(before, (time.process_time_ns() - start) / TIMES)


if len(sys.argv) > 3 and sys.argv[3] == "measure":
    figures: dict[str, list[Callable[[], object]]] = {
        "read": [lambda: ours.read(7), lambda: hand.read(7)],
        "sum": [lambda: ours.sum(samples), lambda: hand.sum(samples)],
    }
    for name, calls in figures.items():
        times = [float("inf")] * len(calls)
        for _ in range(TURNS):
            times = [best(call, time) for call, time in zip(calls, times, strict=True)]
        print(name, *times)
ours.close()
