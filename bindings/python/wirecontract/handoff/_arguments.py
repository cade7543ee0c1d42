"""Arguments that cannot work, refused by name before anything is done with them."""

from __future__ import annotations

from operator import index
from typing import SupportsIndex, TypeVar

_T = TypeVar("_T")

_LONGEST = 80
"""The most characters of a value that a text shows."""

_LONG = 128
"""The most bits of a number that a text shows."""

MOST_INT = 2**31 - 1
"""The greatest of C's `int`."""


def of_type(what: str, value: object, expected: str, *kinds: type[_T]) -> _T:
    """A value of one of these kinds; `TypeError` for another one, which says what was expected."""
    if isinstance(value, kinds):
        return value
    raise TypeError(f"expected {what} that is {expected}, found {found(value)}")


def whole(what: str, number: object, least: int, most: int | None = None) -> int:
    """A whole number, which a truth value is none: `TypeError`, and `ValueError` for one out of bounds."""
    span = f"{least} or more" if most is None else f"{least} to {most}"
    if isinstance(number, bool | type) or not isinstance(number, SupportsIndex):
        raise TypeError(f"expected {what} that is a whole number, {span}, found {found(number)}")
    value = index(number)
    if value < least or (most is not None and value > most):
        shown = value if value.bit_length() <= _LONG else f"one of {value.bit_length()} bits"
        raise ValueError(f"expected {what} of {span}, found {shown}")
    return value


def found(value: object) -> str:
    """A value as texts show it: a class as one, and of what is long the type."""
    if isinstance(value, type):
        return f"the class {named(value)}"
    kind = named(type(value))
    if value is None:
        return "None"
    if isinstance(value, float) or (isinstance(value, int) and value.bit_length() <= _LONG):
        return f"{value!r} ({kind})"
    if isinstance(value, str | bytes) and len(value) <= _LONGEST:
        return f"{value!r} ({kind})"
    return f"an object of {kind}"


def named(kind: type) -> str:
    """A class by its name and, where it is none of Python's own, the module that one imports it of."""
    module = kind.__module__
    if module == "builtins":
        return kind.__qualname__
    parts = [part for part in module.split(".") if not part.startswith("_")]
    return ".".join([*parts, kind.__qualname__])
