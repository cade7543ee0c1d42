"""File descriptors that an event loop of asyncio watches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


def watch(
    loop: asyncio.AbstractEventLoop, number: int, call: Callable[[], object], *, writes: bool = False
) -> Callable[[], object]:
    """Has an event loop call something while a file descriptor can be read, or written, and gives what ends
    that. `RuntimeError` for an event loop that watches none.
    """
    add, remove = (loop.add_writer, loop.remove_writer) if writes else (loop.add_reader, loop.remove_reader)
    try:
        add(number, call)
    except NotImplementedError:
        name = type(loop).__name__
        raise RuntimeError(
            f"expected an event loop that watches file descriptors (add_reader), found {name}: "
            "run it in an asyncio.SelectorEventLoop"
        ) from None
    # A loop that was closed meanwhile watches nothing.
    return lambda: None if loop.is_closed() else remove(number)


def settle(ready: asyncio.Future[None]) -> None:
    """Has who waits for it go on; in an event loop that was closed nobody does."""
    if not ready.done() and not ready.get_loop().is_closed():
        ready.set_result(None)
