"""What an importer looks at before it maps."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from wirecontract.contracts import Code
from wirecontract.handoff import Fd
from wirecontract.handoff._statx import known_of
from wirecontract.host._errors import (
    FileTooShort,
    NotAllowed,
    NotMemory,
    NotSealed,
    SizeError,
    os_error,
    seal_names,
)

ADD_SEALS = 1033
GET_SEALS = 1034
SEAL, SHRINK, GROW, WRITE, FUTURE_WRITE = 1, 2, 4, 8, 16

_ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR

MOST = sys.maxsize
"""The most bytes that a mapping has."""


class Access(Enum):
    """What may be done with memory."""

    READ_ONLY = "reading"
    READ_WRITE = "reading and writing"


@dataclass(frozen=True, slots=True)
class Import:
    """What an importer is told of a buffer, beside its descriptor. The numbers come from the other side, and
    are checked against each other and against the file.
    """

    size: int
    """Bytes of the buffer, at least 1."""
    allocation_size: int
    """Bytes of the allocation that the buffer is in: the file has at least as many."""
    offset: int = 0
    """Bytes from the start of the allocation to the buffer."""
    access: Access = Access.READ_ONLY
    """What the importer will do with it."""

    def __post_init__(self) -> None:
        for number in (self.size, self.allocation_size, self.offset):
            if not 0 <= number < 1 << 64:
                raise SizeError(
                    Code.OUT_OF_RANGE,
                    f"expected numbers of 64 bits, found {number}",
                    expected="0 to 2**64 - 1",
                    found=number,
                    remedy="have the exporter send the numbers of the buffer that it made",
                )


@dataclass(frozen=True, slots=True)
class Span:
    """The pages that a buffer is on, and where on them it is, in bytes."""

    first: int
    """From the start of the file to the first page."""
    inside: int
    """From the start of the first page to the buffer."""
    size: int
    """Of the buffer."""
    mapped: int
    """To be mapped: of ordinary pages no more than the buffer reaches, since the file may end there."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What is known of a file that passed."""

    span: Span
    frozen: bool
    """Whether nobody writes it any more."""
    huge: bool
    """Whether it is on huge pages."""


def check(fd: Fd, wanted: Import, *, mapped: bool = True) -> Checked:
    """Looks at kind, seals, access, numbers and size, in this order. Where the file is to be mapped it has to
    be one that does not shrink, and what passes stays as it was seen; else it may be shorter the next moment.
    """
    seals = memory(fd)
    # The file systems of memory are those of ordinary pages, and of huge ones, which are their blocks.
    page = _asked(fd, "asking for the file system of a file", lambda number: os.fstatvfs(number).f_bsize)
    huge = page > mmap.PAGESIZE
    missing = _needed(seals, huge) & ~seals
    if mapped and missing:
        raise NotSealed(
            Code.REFUSED,
            f"expected a memfd that is sealed with {seal_names(missing)}, found {seal_names(seals)}",
            expected=seal_names(missing),
            found=seal_names(seals),
            remedy="have the exporter seal it, or read the file without mapping it (HostFile)",
        )
    _access(fd, seals, wanted.access)
    span = span_of(wanted, page if huge else mmap.PAGESIZE, huge)
    # After the seals: a size that was seen before them would be one that may have changed.
    file_size = _asked(fd, "asking what a descriptor is", lambda number: os.fstat(number).st_size)
    if file_size < wanted.allocation_size:
        raise FileTooShort(
            Code.TOO_SHORT,
            f"expected a file of at least {wanted.allocation_size} bytes, found {file_size}",
            expected=f"at least {wanted.allocation_size} bytes",
            found=file_size,
            remedy="have the exporter send the descriptor and the numbers of one buffer",
        )
    return Checked(span, bool(seals & WRITE), huge)


def span_of(wanted: Import, page: int, huge: bool) -> Span:
    """The pages of a buffer; refuses what is empty, not inside its allocation, or more than can be mapped."""
    size, offset, allocation_size = wanted.size, wanted.offset, wanted.allocation_size
    if size == 0:
        raise SizeError(
            Code.OUT_OF_RANGE,
            "expected a size of at least 1 byte, found 0",
            expected="at least 1 byte",
            found=0,
            remedy="what has no bytes needs no buffer",
        )
    if offset + size > allocation_size:
        most = f"the allocation's {allocation_size} bytes"
        raise SizeError(
            Code.OUT_OF_RANGE,
            f"expected offset + size of at most {most}, found {offset} + {size}",
            expected=f"at most {most}",
            found=offset + size,
            remedy="have the exporter send the numbers of the buffer that it made",
        )
    first = offset & ~(page - 1)
    inside = offset - first
    pages = -(-(inside + size) // page) * page
    if pages > MOST:
        raise SizeError(
            Code.TOO_LARGE,
            f"expected offset + size of at most {MOST} bytes, found {offset} + {size}",
            expected=f"at most {MOST} bytes",
            found=offset + size,
            remedy="use smaller buffers",
        )
    return Span(first, inside, size, pages if huge else inside + size)


def seals_of(fd: Fd) -> int:
    """The seals of a file of memory."""
    return _asked(fd, "asking for the seals of a file", lambda number: fcntl.fcntl(number, GET_SEALS))


def _asked(fd: Fd, doing: str, ask: Callable[[int], int]) -> int:
    try:
        return ask(fd.fileno())
    except OSError as error:
        raise os_error(doing, error) from error


def _needed(seals: int, huge: bool) -> int:
    """The seals without which a page may be missing when it is touched."""
    # A writer may punch holes. Of ordinary pages there are others for as long as there is memory; a huge page
    # that was reserved when the file was mapped goes to whoever is next.
    return SHRINK | FUTURE_WRITE if huge and not seals & (WRITE | FUTURE_WRITE) else SHRINK


_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
    stat.S_IFLNK: "a symbolic link",
}


def memory(fd: Fd) -> int:
    """The seals of a memfd, or of another file of memory; whatever else it is, is refused by what it is."""
    flags = _asked(fd, "asking how a descriptor is open", lambda number: fcntl.fcntl(number, fcntl.F_GETFL))
    if flags & os.O_PATH:
        raise _not_memory("a path that is not opened (O_PATH)")
    try:
        # Before anything that asks a file system, which may be a process that does not answer.
        return fcntl.fcntl(fd.fileno(), GET_SEALS)
    except OSError as error:
        # Only files of memory have seals.
        if error.errno == errno.EINVAL:
            raise _not_memory(_kind_of(fd)) from None
        raise os_error("asking for the seals of a file", error) from error


def _kind_of(fd: Fd) -> str:
    """What a descriptor is that is no memory."""
    known = known_of(fd.fileno())
    if known is None or stat.S_ISREG(known.mode):
        return "a file that is no memory"
    return _KINDS.get(stat.S_IFMT(known.mode), "a descriptor of no file")


def _not_memory(found: str) -> NotMemory:
    remedy = "have the exporter send the descriptor of its buffer"
    return NotMemory(
        Code.FD_KIND, f"expected a memfd, found {found}", expected="a memfd", found=found, remedy=remedy
    )


def _access(fd: Fd, seals: int, wanted: Access) -> None:
    """Refuses an access that the kernel would refuse later, by name."""
    flags = _asked(fd, "asking how a descriptor is open", lambda number: fcntl.fcntl(number, fcntl.F_GETFL))
    mode = flags & _ACCESS
    if mode == os.O_WRONLY:
        raise not_allowed(
            wanted, "a descriptor that is open for writing only", "have the exporter open it for reading"
        )
    if wanted is Access.READ_ONLY:
        return
    if mode != os.O_RDWR:
        raise not_allowed(
            wanted,
            "a descriptor that is open for reading only",
            "import it for reading, or have the exporter open it for writing",
        )
    if flags & os.O_APPEND:
        raise not_allowed(wanted, "a descriptor that appends", "have the exporter open it without O_APPEND")
    if seals & (WRITE | FUTURE_WRITE):
        raise not_allowed(
            wanted,
            "a file that is sealed against writing",
            "import it for reading, or have the exporter make it writable",
        )


def not_allowed(wanted: Access, found: str, remedy: str) -> NotAllowed:
    """An access that something stands against."""
    return NotAllowed(
        Code.REFUSED,
        f"expected memory for {wanted.value}, found {found}",
        expected=f"memory for {wanted.value}",
        found=found,
        remedy=remedy,
    )
