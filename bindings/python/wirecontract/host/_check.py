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

from wirecontract.handoff import Fd
from wirecontract.handoff._statx import known_of
from wirecontract.host._access import Access, Barrier
from wirecontract.host._errors import os_error
from wirecontract.host._refusals import (
    beyond_64_bits,
    empty,
    file_too_short,
    not_allowed,
    not_memory,
    not_sealed,
    outside_allocation,
    too_large,
)

ADD_SEALS = 1033
GET_SEALS = 1034
SEAL, SHRINK, GROW, WRITE, FUTURE_WRITE = 1, 2, 4, 8, 16

_ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR

MOST = sys.maxsize
"""The most bytes that a mapping has."""


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
                raise beyond_64_bits(number)


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
        raise not_sealed(missing, seals)
    _access(fd, seals, wanted.access)
    span = span_of(wanted, page if huge else mmap.PAGESIZE, huge)
    # After the seals: a size that was seen before them would be one that may have changed.
    file_size = _asked(fd, "asking what a descriptor is", lambda number: os.fstat(number).st_size)
    if file_size < wanted.allocation_size:
        raise file_too_short(wanted.allocation_size, file_size)
    return Checked(span, bool(seals & WRITE), huge)


def span_of(wanted: Import, page: int, huge: bool) -> Span:
    """The pages of a buffer; refuses what is empty, not inside its allocation, or more than can be mapped."""
    size, offset, allocation_size = wanted.size, wanted.offset, wanted.allocation_size
    if size == 0:
        raise empty()
    if offset + size > allocation_size:
        raise outside_allocation(offset, size, allocation_size)
    first = offset & ~(page - 1)
    inside = offset - first
    pages = -(-(inside + size) // page) * page
    if pages > MOST:
        raise too_large(offset, size, MOST)
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
        raise not_memory("a path that is not opened (O_PATH)")
    try:
        # Before anything that asks a file system, which may be a process that does not answer.
        return fcntl.fcntl(fd.fileno(), GET_SEALS)
    except OSError as error:
        # Only files of memory have seals.
        if error.errno == errno.EINVAL:
            raise not_memory(_kind_of(fd)) from None
        raise os_error("asking for the seals of a file", error) from error


def _kind_of(fd: Fd) -> str:
    """What a descriptor is that is no memory."""
    known = known_of(fd.fileno())
    if known is None or stat.S_ISREG(known.mode):
        return "a file that is no memory"
    return _KINDS.get(stat.S_IFMT(known.mode), "a descriptor of no file")


def _access(fd: Fd, seals: int, wanted: Access) -> None:
    """Refuses an access that the kernel would refuse later, by name."""
    flags = _asked(fd, "asking how a descriptor is open", lambda number: fcntl.fcntl(number, fcntl.F_GETFL))
    mode = flags & _ACCESS
    if mode == os.O_WRONLY:
        raise not_allowed(wanted, Barrier.OPEN_WRITE_ONLY)
    if wanted is Access.READ_ONLY:
        return
    if mode != os.O_RDWR:
        raise not_allowed(wanted, Barrier.OPEN_READ_ONLY)
    if flags & os.O_APPEND:
        raise not_allowed(wanted, Barrier.OPEN_APPEND)
    if seals & (WRITE | FUTURE_WRITE):
        raise not_allowed(wanted, Barrier.SEALED_AGAINST_WRITING)
