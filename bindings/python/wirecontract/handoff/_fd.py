"""File descriptors that somebody owns, on every path.

A signal handler of Python runs between two instructions of bytecode, also directly behind a call of C, before
what it returned is kept. A `KeyboardInterrupt` there would lose a file descriptor that the kernel has just
made. So every call that makes or ends one goes through functions of C alone that call each other, such as
`map` and `list.extend`: the result is in a list before another instruction runs, and the list's owner closes
what is in it. The finalizer of an `Fd` is such a function too, since an exception in one of Python would be
printed and dropped.

What remains: what `socket` of the standard library does between its own instructions when it makes a socket;
`detach`, whose number nobody has until it is returned; a second exception while the first one has a channel
closed; and interpreters that collect late, which close late.
"""

from __future__ import annotations

import os
from array import array
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter, call
from socket import SCM_RIGHTS, SOL_SOCKET
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypeVar

from wirecontract.handoff._arguments import MOST_INT, found, whole

if TYPE_CHECKING:
    from wirecontract._native import Fd as NativeFd

_T = TypeVar("_T")


class HasFileno(Protocol):
    """What has a file descriptor: a file, a socket, an `Fd`."""

    def fileno(self) -> int:
        """The number."""
        ...


class GivesAway(HasFileno, Protocol):
    """What owns a file descriptor, and gives it away by its number: an `Fd`, also a native one."""

    def detach(self) -> int:
        """The number, which is the caller's to close from then on."""
        ...

    def close(self) -> None:
        """Closes it, where that was not done."""
        ...


FileDescriptor: TypeAlias = "int | HasFileno"
"""A file descriptor that is lent for the time of a call."""


OwnedFd: TypeAlias = "Fd | NativeFd | int"
"""A file descriptor that a call takes from its owner, the native library's among them, or by its number."""


def is_native(value: object, name: str) -> bool:
    """Whether it is an object of that class of the native library's."""
    return (type(value).__module__, type(value).__name__) == ("wirecontract", name)


def keep(into: list[_T], call: Callable[..., _T], *arguments: Any) -> None:
    """Appends what a function of C gives for some arguments, with no instruction between its return and the
    list.
    """
    into.extend(map(call, *((argument,) for argument in arguments)))


def number_of(fd: FileDescriptor) -> int:
    """The number of a file descriptor that stays its owner's; `TypeError` for what is none, as truth values
    are.
    """
    if isinstance(fd, bool) or not (isinstance(fd, int) or hasattr(fd, "fileno")):
        raise TypeError(f"expected a file descriptor: a number, or an object with one, found {found(fd)}")
    return whole("the number of a file descriptor", fd if isinstance(fd, int) else fd.fileno(), 0, MOST_INT)


class Fd:
    """A file descriptor that this object owns: closed by `close`, at the end of a `with`, or when it is
    dropped.
    """

    __slots__ = ("__weakref__", "_end", "_held")

    def __init__(self, number: int) -> None:
        """Takes a number that nobody else will close; what is none is refused (`TypeError`, `ValueError`)."""
        self._hold([])
        self._held.append(whole("the number of a file descriptor", number, 0, MOST_INT))

    @classmethod
    def duplicate(cls, fd: FileDescriptor) -> Self:
        """Another file descriptor of the same file, closed on exec."""
        return cls.made_by(os.dup, number_of(fd))

    @classmethod
    def made_by(cls, call: Callable[..., int], *arguments: Any) -> Self:
        """What a function of C makes."""
        fd = cls.__new__(cls)
        fd._hold([])
        keep(fd._held, call, *arguments)
        return fd

    @classmethod
    def owning(cls, fd: OwnedFd) -> Self:
        """What was given, which is this object's from then on: another object's, the native library's among
        them, or a number.
        """
        if isinstance(fd, Fd):
            fd.fileno()
            return cls.made_by(fd.held.pop, -1)
        if isinstance(fd, int) or not is_native(fd, "Fd"):
            # What is no number is refused.
            return cls(fd)  # type: ignore[arg-type]
        # That of a native one gives its number away.
        return cls.made_by(call, fd.detach)  # pyright: ignore[reportArgumentType]

    def _hold(self, held: list[int]) -> None:
        self._held = held
        # The iterator looks into the list when it is asked: behind `close` and `detach` nothing is there.
        self._end: Callable[[], object] = partial(deque, map(os.close, held), 0)

    # What the descriptor gives is called without an argument, and no function of Python is.
    __del__: property = property(attrgetter("_end"))

    @property
    def held(self) -> list[int]:
        """The number in a list, from which who takes it over pops it; nothing where it was closed or given
        away.
        """
        return self._held

    @property
    def closed(self) -> bool:
        """Whether it was closed or given away."""
        return not self._held

    def fileno(self) -> int:
        """The number, which stays this object's; `ValueError` where it was closed or given away."""
        if not self._held:
            raise ValueError("expected an open file descriptor, found one that was closed or given away")
        return self._held[0]

    def detach(self) -> int:
        """The number, which is the caller's to close from then on."""
        number = self.fileno()
        self._held.clear()
        return number

    def take(self) -> Fd:
        """Another object that owns it; this one has it no more."""
        self.fileno()
        return Fd.made_by(self._held.pop, -1)

    def close(self) -> None:
        """Closes it, where that was not done."""
        close_all(self._held)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Fd({self._held[0]})" if self._held else "Fd(closed)"


def close_all(numbers: list[int], _close: Callable[[int], None] = os.close) -> None:
    """Closes each number as it leaves the list; all of them, though closing one may fail."""
    try:
        while numbers:
            deque(map(_close, map(numbers.pop, (-1,))), maxlen=0)
    finally:
        if numbers:
            close_all(numbers)


class Arriving:
    """What one read brings: until its file descriptors are moved they are owned here, whatever happens."""

    __slots__ = ("_numbers", "_read")

    def __init__(self) -> None:
        self._read: list[tuple[int, list[tuple[int, int, bytes]], int, Any]] = []
        self._numbers: list[int] = []

    def read(self, call: Callable[..., Any], *arguments: Any) -> tuple[int, int]:
        """Calls `recvmsg_into`: how many bytes came, and the flags."""
        self.close()
        keep(self._read, call, *arguments)
        count, control, flags, _ = self._read[0]
        self._numbers = _numbers(control)
        # From here on the numbers count, and no more what they were made of.
        self._read.clear()
        return count, flags

    def move(self, into: list[Fd]) -> None:
        """Moves all of them to the end of a list, in their order."""
        self._numbers.reverse()
        while self._numbers:
            into.append(Fd.made_by(self._numbers.pop, -1))

    def close(self) -> None:
        """Closes what an exception left here."""
        if self._read:
            self._numbers = _numbers(self._read[0][1])
            self._read.clear()
        close_all(self._numbers)

    def __del__(self) -> None:
        self.close()


def _numbers(control: Iterable[tuple[int, int, bytes]]) -> list[int]:
    """The file descriptors of a read. No socket of this package is told to deliver anything else."""
    numbers = array("i")
    for level, kind, data in control:
        if (level, kind) == (SOL_SOCKET, SCM_RIGHTS):
            # Of a list that was cut off the last item may be a part of one.
            numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
    return numbers.tolist()
