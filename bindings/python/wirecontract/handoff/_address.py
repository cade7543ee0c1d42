"""Where a listener is found: the path of a socket file, or a name without a file, which begins with a NUL."""

from __future__ import annotations

import os
from typing import TypeAlias

from wirecontract.handoff._errors import AddressTooLong, BadAddress

Address: TypeAlias = "str | bytes | os.PathLike[str]"
"""A path of at most 107 bytes; or a NUL and a name of 1 to 107 bytes in the abstract namespace, which has no
permissions: `Options.peers` alone says who is let in.
"""

_ROOM = 107
"""The bytes of a path or name: those of `sun_path` without the NUL."""


def to_socket(address: Address) -> bytes:
    """The address as the kernel takes it."""
    raw = os.fsencode(address)
    is_abstract = raw.startswith(b"\0")
    name = raw[1:] if is_abstract else raw
    if not name:
        raise BadAddress(shown(address), "it is empty: say one")
    if len(name) > _ROOM:
        raise AddressTooLong(_ROOM, len(name))
    if not is_abstract and b"\0" in name:
        raise BadAddress(shown(address), "a path holds no NUL: leave it out")
    return raw


def shown(address: Address) -> str:
    """The address as messages have it."""
    text = os.fsdecode(address)
    return "@" + text[1:] if text.startswith("\0") else text
