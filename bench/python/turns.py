"""What a call costs: functions take turns, again and again, and the best turn of each counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

ROUNDS = 100


def turn(function: Callable[[Any], object], arguments: list[Any], calls: int) -> float:
    """Nanoseconds of processor time a call, of about that many."""
    rounds = calls // len(arguments) or 1
    start = time.process_time_ns()
    for _ in range(rounds):
        for argument in arguments:
            function(argument)
    return (time.process_time_ns() - start) / (rounds * len(arguments))


def compare(name: str, calls: int, *sides: tuple[Callable[[Any], object], list[Any]]) -> None:
    """Print the best turns of all sides."""
    best = [float("inf")] * len(sides)
    for _ in range(ROUNDS):
        for index, (function, arguments) in enumerate(sides):
            best[index] = min(best[index], turn(function, arguments, calls))
    print(name, *best)
