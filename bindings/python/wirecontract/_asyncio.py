"""Connecting and listening for asyncio, by the native library."""

from __future__ import annotations

import wirecontract
from wirecontract.handoff import AsyncChannel, AsyncListener, Options
from wirecontract.handoff._address import Address
from wirecontract.handoff._asyncio import connected


async def aconnect(address: Address, options: Options | None = None) -> AsyncChannel:
    """Connects to a listener, as `connect` does; tasks of an event loop wait for the channel, which is the
    caller's until it is closed, or the end of an `async with`. Cancelling it leaves nothing open.
    """
    return await connected(wirecontract.Channel.try_connect, address, options)


def alisten(address: Address, options: Options | None = None) -> AsyncListener:
    """Listens at an address, as `listen` does, and has tasks of an event loop wait for who connects, by
    `async for` or `accept`. It is the caller's until it is closed, or the end of an `async with`.

    >>> import asyncio, os, tempfile
    >>> import wirecontract
    >>> from wirecontract.handoff import Expected
    >>> async def greet(path):
    ...     async with wirecontract.alisten(path) as listener, await wirecontract.aconnect(path) as ours:
    ...         async for theirs in listener:
    ...             async with theirs:
    ...                 await theirs.send(b"hello")
    ...                 return (await ours.recv(Expected(64))).body
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     asyncio.run(greet(os.path.join(folder, "hello.sock")))
    b'hello'
    """
    return AsyncListener(wirecontract.listen(address, options))
