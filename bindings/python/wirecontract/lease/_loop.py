"""What an event loop watches while its tasks wait for a side of leases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import RLock
from typing import Any

from wirecontract.handoff import Fd
from wirecontract.handoff._errors import HandoffError, os_error
from wirecontract.handoff._loop import settle, watch
from wirecontract.handoff._maker import Maker
from wirecontract.handoff._wake import Wake


class Waiting:
    """Tasks that wait, each of which looks again when all are woken."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Future[None]] = set()

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def wake(self) -> None:
        """Has all of them look."""
        for ready in self._tasks:
            settle(ready)

    def fail(self, error: Exception) -> None:
        """Has all of them end with an exception."""
        for ready in self._tasks:
            if not ready.done():
                ready.set_exception(error)

    async def wait(self, seconds: float | None) -> None:
        """Waits until all are woken, no longer than so many seconds."""
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        self._tasks.add(ready)
        timer = None if seconds is None else loop.call_later(seconds, settle, ready)
        try:
            await ready
        finally:
            self._tasks.discard(ready)
            if timer is not None:
                timer.cancel()


class Watched:
    """File descriptors that an event loop watches from `start` to `stop`, and an event that other threads
    wake. Whichever thread closes it, the event loop's own has it stop.
    """

    def __init__(self, event: Wake, call: Callable[[], object]) -> None:
        """Of an event that is closed with it, which is woken by whatever changes."""
        self.event = event
        # Of the channel, which may have to be written, and of the process at the other end.
        self._fds: list[Any] = []
        self._call = call
        self._stops: list[Callable[[], object]] = []
        self._started: tuple[asyncio.AbstractEventLoop, bool] | None = None
        self._closing = False
        self._lock = RLock()
        self._maker = Maker("channel")

    @classmethod
    def of(cls, side: Any, call: Callable[[], object]) -> Watched:
        """Of a side, by duplicates of its file descriptors: when that is closed by whomever, their numbers
        are no other file's.
        """
        watched = cls(Wake(), call)
        try:
            watched._fds = side._watch(watched.event)
        except BaseException as error:
            watched.close()
            if isinstance(error, OSError) and not isinstance(error, HandoffError):
                raise os_error("watching a channel", error) from error
            raise
        return watched

    def watch(self, fd: Fd) -> None:
        """Watches one more, which it owns."""
        self._fds.append(fd)

    def start(self, loop: asyncio.AbstractEventLoop, writes: bool) -> bool:
        """Has the event loop call, also where the first can be written; False where it is closed.
        `RuntimeError` where tasks of another event loop wait.
        """
        with self._lock:
            if self._closing:
                return False
            if self._started == (loop, writes):
                return True
            if self._started is not None and self._started[0] is not loop and self._is_watched:
                raise RuntimeError(
                    "expected tasks of one event loop, found that those of another one wait: have a side, or "
                    "a service, in each"
                )
            self._stop()
            # What is left half done is undone by `stop`.
            self._started = (loop, writes)
            try:
                for number in (self.event.fileno(), *(fd.fileno() for fd in self._fds)):
                    self._stops.append(watch(loop, number, self._call))
                if writes and self._fds:
                    self._stops.append(watch(loop, self._fds[0].fileno(), self._call, writes=True))
            except BaseException:
                self.stop()
                raise
            return True

    def stop(self) -> None:
        """Has it call no more, and closes what is to be closed."""
        with self._lock:
            self._stop()
            if self._closing:
                self._drop()

    def close(self) -> None:
        """Closes all that it has, at once or, while an event loop watches it, when that has stopped. In a
        forked child the event loop is left to its parent.
        """
        if not self._maker.is_here:
            # A thread that has the lock is the parent's.
            self._drop()
            return
        with self._lock:
            self._closing = True
            if self._is_watched:
                self.event.wake()
            else:
                self.stop()

    @property
    def _is_watched(self) -> bool:
        return self._started is not None and not self._started[0].is_closed()

    def _stop(self) -> None:
        self._started = None
        while self._stops:
            self._stops.pop()()

    def _drop(self) -> None:
        for fd in self._fds:
            fd.close()
        self.event.close()
