"""Why host memory was refused: what was expected, what came, what to do."""

from __future__ import annotations

from wirecontract.contracts import Code
from wirecontract.handoff._coded import CodedError
from wirecontract.handoff._words import duration, said


class HostError(CodedError):
    """Host memory that was not made, mapped or closed. What was handed in is closed and unmapped. The text
    says no code, which is `code`.
    """

    _SAYS_CODE = False


class SizeError(HostError, ValueError):
    """Numbers that no buffer has, or that are not inside each other."""


class FileTooShort(HostError, ValueError):
    """A file that is shorter than it was said to be."""


class NotMemory(HostError, ValueError):
    """A descriptor that is no memory."""


class OtherMemory(HostError, ValueError):
    """A descriptor of memory of another kind."""


class NotSealed(HostError, ValueError):
    """A memfd whose pages somebody can take away while it is mapped."""


class NotAllowed(HostError, PermissionError):
    """A descriptor that does not allow what is asked of it."""


class NoHugePages(HostError, RuntimeError):
    """Huge pages that the machine does not have, or that consumers would write: whoever may write a file may
    punch holes into it, and a huge page that is touched there ends its process where no other is free.
    """


class Shrunk(HostError, EOFError):
    """An unsealed file that is shorter than when it was imported."""

    position: int
    """Bytes from the start of the buffer to the first one that is gone."""

    def __init__(self, position: int, length: int) -> None:
        super().__init__(
            Code.TOO_SHORT,
            f"expected {length} bytes at {position}, found the end of the file",
            expected=f"{length} bytes at {position}",
            remedy="its owner made it shorter",
        )
        self.position = position


class Forked(HostError, RuntimeError):
    """A pool of another process, of which this one is a fork: its buffers are the same memory, which the
    other one lends.
    """

    maker: int
    """The process that made it."""

    def __init__(self, maker: int) -> None:
        super().__init__(
            Code.REFUSED,
            f"expected a pool of this process, found one of process {maker}, of which this is a fork",
            expected="a pool of this process",
            found=maker,
            remedy="make a pool here",
        )
        self.maker = maker


class PoolTimeout(HostError, TimeoutError):
    """All buffers of a pool were in use for as long as was waited."""

    def __init__(self, most: int, waited: float) -> None:
        super().__init__(
            Code.TIMEOUT,
            f"expected one of {most} buffers to be free within {duration(waited)}, found all in use",
            expected="a buffer that is free",
            found=most,
            remedy="see who holds them, have their producers hear what was given back (`poll`),"
            " or make the pool larger",
        )


class Busy(HostError, BufferError):
    """Memory that somebody still uses. Everything is as it was."""


class Closed(HostError, ValueError):
    """A buffer or a mapping that this side closed."""

    def __init__(self) -> None:
        super().__init__(
            Code.BAD_HANDLE,
            "expected an open buffer, found a closed one",
            remedy="close it when it is used no more",
        )


class HostOSError(HostError, OSError):
    """What the operating system refused, by the `errno` of an `OSError`."""

    def __init__(self, doing: str, errno: int) -> None:
        super().__init__(Code.IO, f"{doing}: {said(errno)}", found=said(errno))
        self.errno: int | None = errno


def os_error(doing: str, error: OSError) -> HostOSError:
    """What the system said while that was being done."""
    return HostOSError(doing, error.errno or 0)
