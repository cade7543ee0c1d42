"""Where a listener is found: the path of a socket file, or a name without a file, which begins with a NUL."""

from __future__ import annotations

import os
from typing import TypeAlias

from wirecontract.handoff._errors import AddressTooLong, BadAddress
from wirecontract.handoff._words import shown

Address: TypeAlias = "str | bytes | os.PathLike[str]"
"""A path, the last part of which has at most 80 bytes where it has more than 107; or a NUL and a name of 1
to 107 bytes in the abstract namespace, which has no permissions: `Options.peers` alone says who is let in.
"""

ROOM = 107
"""The bytes of a path or name: those of `sun_path` without the NUL."""


def to_socket(address: Address) -> bytes:
    """The address as the kernel takes it."""
    raw = checked(address)
    size = len(raw.removeprefix(b"\0"))
    if size > ROOM:
        raise AddressTooLong(ROOM, size)
    return raw


def checked(address: Address) -> bytes:
    """The bytes of an address, however many a path has; those of a name begin with a NUL."""
    raw = os.fsencode(address)
    if not raw.removeprefix(b"\0"):
        raise BadAddress(shown(address), "it is empty")
    if b"\0" in raw and not raw.startswith(b"\0"):
        raise BadAddress(shown(address), "a path holds no NUL")
    return raw
