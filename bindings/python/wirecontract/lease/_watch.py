"""What a service watches by one epoll."""

from __future__ import annotations

import select
from contextlib import suppress
from threading import Lock

from wirecontract.handoff._errors import os_error
from wirecontract.lease._producer import Producer


class Watched:
    """A channel that a service watches until it is closed, by whomever: its number may be another file's
    then.
    """

    def __init__(self, watch: select.epoll, numbers: dict[int, int], producer: Producer, number: int) -> None:
        """Watches it, and its peer's process, of which a child may have the channel's other end; each file
        descriptor stands in `numbers` for the consumer's number.
        """
        handle = producer.link.process.handle
        self._fd = producer.fileno()
        self._fds = [self._fd] if handle is None else [self._fd, handle.fileno()]
        self._watch = watch
        self._numbers = numbers
        self._writes = False
        self._left = False
        self._lock = Lock()
        try:
            for fd in self._fds:
                numbers[fd] = number
                watch.register(fd, select.EPOLLIN)
        except OSError as error:
            self.leave()
            raise os_error("watching a channel", error) from error

    def want(self, writes: bool) -> None:
        """Watches it for being writable as well, or no more."""
        with self._lock:
            if self._left or writes is self._writes:
                return
            try:
                self._watch.modify(self._fd, select.EPOLLIN | (select.EPOLLOUT if writes else 0))
            except OSError as error:
                raise os_error("watching a channel", error) from error
            self._writes = writes

    def leave(self) -> None:
        """Watches it no more; it is open still."""
        with self._lock:
            if self._left:
                return
            self._left = True
            for fd in self._fds:
                self._numbers.pop(fd, None)
                # Of an epoll that is closed it has left already.
                with suppress(OSError, ValueError):
                    self._watch.unregister(fd)
