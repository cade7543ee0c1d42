"""How refusals read, in the words that every language has."""

from __future__ import annotations

import os

_ESCAPES = {"\0": "\\0", "\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
"""What stands for itself in no quoted text."""

_UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"))
"""Nanoseconds of each unit that has more than one."""


def counted(least: int, most: int) -> str:
    """A number of file descriptors that may come."""
    if least == most:
        return {0: "no file descriptor", 1: "one file descriptor"}.get(most, f"{most} file descriptors")
    if least == 0:
        return "at most one file descriptor" if most == 1 else f"at most {most} file descriptors"
    return f"{least} to {most} file descriptors"


def duration(seconds: float) -> str:
    """A length of time, in the largest unit of which it has one or more: `10s`, `1.5s`, `250ms`."""
    nanoseconds = round(seconds * 1_000_000_000)
    for unit, name in _UNITS:
        if nanoseconds >= unit:
            whole, rest = divmod(nanoseconds, unit)
            digits = f"{rest:0{len(str(unit)) - 1}}".rstrip("0")
            return f"{whole}.{digits}{name}" if digits else f"{whole}{name}"
    return f"{nanoseconds}ns"


def said(errno: int) -> str:
    """What the operating system said."""
    return f"{os.strerror(errno)} (os error {errno})"


def shown(text: str | bytes | os.PathLike[str]) -> str:
    """A path, or a name behind a NUL, as texts have it: of what is no UTF-8, the replacement character."""
    raw = os.fsencode(text)
    if not raw.startswith(b"\0"):
        return raw.decode(errors="replace")
    return "@" + "".join(_ascii(byte) for byte in raw[1:])


def quoted(text: str) -> str:
    """A text in quotation marks, of which what cannot be printed is escaped."""
    escaped = [
        _ESCAPES.get(character) or (character if character.isprintable() else f"\\u{{{ord(character):x}}}")
        for character in text
    ]
    return f'"{"".join(escaped)}"'


def _ascii(byte: int) -> str:
    """A byte of a name, which has no encoding."""
    character = chr(byte)
    if character == "'":
        return "\\'"
    if character in _ESCAPES and character != "\0":
        return _ESCAPES[character]
    return character if 0x20 <= byte < 0x7F else f"\\x{byte:02x}"
