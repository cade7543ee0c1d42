"""Equal buffers that are used again."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import index
from threading import Condition, Lock
from types import TracebackType
from typing import SupportsIndex

from wirecontract.contracts.buffer import ElementType, SharedBuffer
from wirecontract.handoff import Fd
from wirecontract.handoff._arguments import found
from wirecontract.handoff._maker import Maker
from wirecontract.handoff._options import check_seconds
from wirecontract.host._access import Access
from wirecontract.host._buffer import UNTYPED, HostBuffer
from wirecontract.host._check import Import
from wirecontract.host._create import Wanted
from wirecontract.host._errors import Closed, Forked, PoolTimeout
from wirecontract.host._pages import NEVER, HugePages
from wirecontract.host._refusals import all_in_use, empty_pool, views_left

_LOOK = 0.02
"""Seconds until it is looked again whether a view was released: nobody is told of that."""


@dataclass(frozen=True, slots=True)
class PoolCounts:
    """How many buffers a pool has."""

    free: int
    """Made, and taken by nobody."""
    in_use: int
    """Taken, or being made for who takes it."""
    most: int
    """The most of both together."""


class Pool:
    """Equal buffers that are used again: making one takes system calls, and its pages come into being one by
    one.

    A buffer is taken as a `PooledBuffer` and goes back when that is closed, every `Hold` on it is, and no
    view of it is left: a producer closes its handle when it has sent the buffer, and a lease keeps a hold
    until the consumer is done. Buffers are made when they are first needed. When the pool is dropped the free
    buffers end with it, and those in use with their last hold.

    >>> from wirecontract.host import Pool
    >>> pool = Pool(1 << 20, 3, name="frame")
    >>> with pool.take(1) as frame:
    ...     with frame.view() as view:
    ...         view[:6] = b"pixels"
    ...     hold = frame.hold()
    >>> pool.counts()
    PoolCounts(free=0, in_use=1, most=3)
    >>> hold.close()
    >>> pool.counts()
    PoolCounts(free=1, in_use=0, most=3)
    """

    def __init__(
        self,
        size: int,
        most: int,
        *,
        zeroed: bool = False,
        offset: int = 0,
        alignment: int = 1,
        name: str = "wirecontract",
        consumers: Access = Access.READ_ONLY,
        huge_pages: HugePages = NEVER,
        populate: bool = False,
        final_seals: bool = False,
    ) -> None:
        """At most `most` buffers, each as `HostBuffer` says. One that is used again has in it what was left
        there, which the next consumer sees as well; `zeroed` is for buffers that go to consumers which may
        not see each other's. What no buffer can be is refused here as `HostBuffer` refuses it; what the
        machine does not have, by `take`.
        """
        if isinstance(most, bool) or not isinstance(most, SupportsIndex):
            raise TypeError(f"expected a whole number of buffers, found {found(most)}")
        if index(most) < 1:
            raise empty_pool(index(most))
        wanted = Wanted(size, offset, alignment, name, consumers, huge_pages, populate, final_seals)
        self._shared = _Shared(partial(HostBuffer.of, wanted), index(most), zeroed)

    def take(self, within: float | None = None) -> PooledBuffer:
        """A buffer, which is waited for until so many seconds have passed (`PoolTimeout`)."""
        return PooledBuffer(_Home(self._shared, self._shared.take(within)))

    def try_take(self) -> PooledBuffer:
        """A buffer, if one is free or can be made (`Busy`)."""
        try:
            return self.take(0)
        except PoolTimeout:
            raise all_in_use(self._shared.most) from None

    def counts(self) -> PoolCounts:
        """How many buffers there are."""
        return self._shared.counts()

    def trim(self) -> None:
        """Closes the buffers that nobody has, and with them their memory ends; they are made anew when they
        are needed.
        """
        self._shared.trim()

    def __del__(self) -> None:
        shared: _Shared | None = getattr(self, "_shared", None)
        if shared is not None:
            shared.end()


class _Shared:
    """What a pool has, and what its buffers go back to."""

    def __init__(self, make: Callable[[], HostBuffer], most: int, zeroed: bool) -> None:
        self.most = most
        self.maker: Maker = Maker("pool")
        self._make = make
        self._zeroed = zeroed
        self._ended = False
        self._free: list[HostBuffer] = []
        # By numbers: what had the buffers themselves might be collected in a ring, and the collector
        # finalizes all that it finds in one, also file descriptors that are to be used again.
        self._used: dict[int, HostBuffer | None] = {}
        self._next = 0
        # What nobody has any more but, it may be, a view: a finalizer may add to it while this very thread
        # has the lock.
        self._left: deque[int] = deque()
        self._lock = Lock()
        self._returned = Condition(self._lock)

    def take(self, within: float | None) -> int:
        """A buffer, which is in use from then on, by a number of its own."""
        self._check_maker()
        check_seconds(within)
        until = None if within is None else time.monotonic() + within
        while True:
            with self._lock:
                self._sweep()
                if len(self._used) < self.most:
                    number, self._next = self._next, self._next + 1
                    buffer = self._used[number] = self._free.pop() if self._free else None
                    break
                left = _LOOK if until is None else min(_LOOK, until - time.monotonic())
                if left <= 0:
                    raise PoolTimeout(self.most, within or 0)
                self._returned.wait(left)
        try:
            if buffer is None:
                self._used[number] = self._make()
            elif self._zeroed:
                buffer.zero()
            return number
        except BaseException:
            self.give_back(number)
            raise

    def buffer(self, number: int) -> HostBuffer:
        """A buffer that is in use."""
        self._check_maker()
        buffer = self._used[number]
        if buffer is None:
            raise AssertionError("what is taken is made")
        return buffer

    def give_back(self, number: int) -> None:
        """Ends a use: the buffer is free as soon as no view of it is left. In a forked child its copy ends
        with the last view.
        """
        if not self.maker.is_here:
            self._used.pop(number, None)
            return
        self._left.append(number)
        if self._lock.acquire(blocking=False):
            try:
                self._sweep()
            finally:
                self._lock.release()

    def counts(self) -> PoolCounts:
        """How many buffers there are."""
        self._check_maker()
        with self._lock:
            self._sweep()
            return PoolCounts(len(self._free), len(self._used), self.most)

    def trim(self) -> None:
        """Closes the buffers that nobody has."""
        self._check_maker()
        with self._lock:
            self._sweep()
            free, self._free = self._free, []
        for buffer in free:
            buffer.close()

    def end(self) -> None:
        """Keeps no buffer any more: those that are free end, and those in use with their last hold. It may be
        called by a finalizer.
        """
        self._ended = True
        self._free.clear()

    def _check_maker(self) -> None:
        """Refuses a fork of the process that made the pool: its buffers are the same memory, which the other
        one lends.
        """
        if not self.maker.is_here:
            raise Forked(self.maker.pid)

    def _sweep(self) -> None:
        """Finds who is free of what was left."""
        for _ in range(len(self._left)):
            number = self._left.popleft()
            buffer = self._used[number]
            # What a view is left of ends with that, where there is no pool any more.
            if buffer is not None and buffer.has_views and not self._ended:
                self._left.append(number)
                continue
            del self._used[number]
            if buffer is not None and not self._ended:
                self._free.append(buffer)
            self._returned.notify()


class _Home:
    """Shared by a buffer's handle and its holds; the last of them gives the buffer back."""

    def __init__(self, shared: _Shared, number: int) -> None:
        # Not a weak reference: the collector clears those in what it collects before this is finalized.
        self._shared = shared
        self._number = number

    @property
    def buffer(self) -> HostBuffer:
        """The buffer."""
        return self._shared.buffer(self._number)

    @property
    def has_views(self) -> bool:
        """Whether a view of it is left in this process, which is that of the pool."""
        return self._shared.maker.is_here and self.buffer.has_views

    def __del__(self) -> None:
        self._shared.give_back(self._number)


class Hold:
    """Keeps a buffer of a `Pool` in use, as a lease does for its consumer: until it is closed, or dropped."""

    def __init__(self, home: _Home) -> None:
        self._home: _Home | None = home

    def close(self) -> None:
        """Ends it."""
        self._home = None

    def __enter__(self) -> Hold:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PooledBuffer:
    """A buffer of a `Pool`, for who writes it; otherwise as `HostBuffer`. Once it is closed, and no hold is
    left, it is the pool's again.
    """

    def __init__(self, home: _Home) -> None:
        self._home: _Home | None = home

    @property
    def size(self) -> int:
        """Bytes of the buffer."""
        return self._buffer.size

    def describe(self) -> Import:
        """What a consumer imports it with, beside the descriptor."""
        return self._buffer.describe()

    def shared(
        self,
        *,
        element: ElementType = UNTYPED,
        shape: Sequence[int] = (),
        strides: Sequence[int] = (),
        byte_offset: int = 0,
        buffer_id: int | None = None,
    ) -> SharedBuffer:
        """As `HostBuffer.shared`."""
        return self._buffer.shared(
            element=element, shape=shape, strides=strides, byte_offset=byte_offset, buffer_id=buffer_id
        )

    def view(self) -> memoryview:
        """The buffer, which may be written for as long as this handle or a hold lives."""
        return self._buffer.view()

    def consumer_fd(self) -> Fd:
        """As `HostBuffer.consumer_fd`."""
        return self._buffer.consumer_fd()

    def zero(self) -> None:
        """As `HostBuffer.zero`."""
        self._buffer.zero()

    def hold(self) -> Hold:
        """Keeps the buffer in use, also when this handle is closed."""
        if self._home is None:
            raise Closed
        return Hold(self._home)

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._home is None

    def close(self) -> None:
        """Gives it back, where no hold is left; `Busy` while views exist, and nothing has changed then. In a
        forked child the buffer stays in use, which is the parent's.
        """
        if self._home is not None and self._home.has_views:
            raise views_left()
        self._home = None

    def __enter__(self) -> PooledBuffer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        try:
            self.close()
        except BufferError:
            if error is None:
                raise
            # It goes back as soon as the last view is gone.
            self._home = None

    def __repr__(self) -> str:
        return f"<PooledBuffer {'closed' if self._home is None else self._home.buffer!r}>"

    @property
    def _buffer(self) -> HostBuffer:
        if self._home is None:
            raise Closed
        return self._home.buffer
