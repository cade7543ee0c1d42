"""How a memfd is made, sized, sealed and mapped."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
from dataclasses import dataclass, replace
from operator import index
from typing import SupportsIndex

from wirecontract.contracts import Code
from wirecontract.handoff import Fd
from wirecontract.handoff._arguments import of_type
from wirecontract.handoff._statx import own
from wirecontract.host._access import Access
from wirecontract.host._check import (
    ADD_SEALS,
    FUTURE_WRITE,
    GROW,
    MOST,
    SEAL,
    SHRINK,
    Import,
    Span,
    span_of,
)
from wirecontract.host._errors import HostError, NoHugePages, SizeError, os_error
from wirecontract.host._map import Map
from wirecontract.host._pages import NEVER, HugePages, Pages
from wirecontract.host._refusals import (
    bad_alignment,
    empty,
    misaligned,
    more_than_memory,
    name_too_long,
    name_with_nul,
    negative,
    no_huge_pages,
    too_large,
    written_huge_pages,
)

_NOEXEC_SEAL = 8
"""`MFD_NOEXEC_SEAL`, of Linux 6.3."""

_MOST_NAME = 249
"""The most bytes of a memfd's name: what `/proc` puts before it counts as well."""

_STEP = 64 << 20
"""The most bytes that are allocated by one call."""

_NO_HUGE_PAGES = (errno.EINVAL, errno.ENODEV, errno.ENOMEM, errno.ENOSPC, errno.EOPNOTSUPP)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a buffer is asked to be; `HostBuffer` says what each is, and what is refused. What the machine
    does not have is found when it is made.
    """

    size: int
    offset: int = 0
    alignment: int = 1
    name: str = "wirecontract"
    consumers: Access = Access.READ_ONLY
    huge_pages: HugePages = NEVER
    populate: bool = False
    final_seals: bool = False

    def __post_init__(self) -> None:
        for what, field in (("a size", "size"), ("an offset", "offset"), ("an alignment", "alignment")):
            object.__setattr__(self, field, whole(what, getattr(self, field)))
        _check_name(of_type("a name", self.name, "a text", str))
        of_type("consumers", self.consumers, "Access.READ_ONLY or Access.READ_WRITE", Access)
        of_type("huge_pages", self.huge_pages, "HugePages", HugePages)
        _numbers(self, mmap.PAGESIZE)


@dataclass(frozen=True, slots=True)
class Created:
    """A memfd, and its only writable mapping that its seals let be."""

    fd: Fd
    map: Map
    span: Span
    numbers: Import
    pages: Pages


def whole(what: str, number: SupportsIndex) -> int:
    """A number of bytes, which a truth value is none."""
    if isinstance(number, bool) or not isinstance(number, SupportsIndex):
        raise TypeError(f"expected {what} that is a whole number of bytes, found {number!r}")
    return index(number)


def create(wanted: Wanted) -> Created:
    """Makes what is wanted."""
    if wanted.huge_pages.wanted not in ("preferred", "required"):
        return _on_pages(wanted, None)
    try:
        return _on_pages(wanted, wanted.huge_pages.size)
    except (NoHugePages, SizeError) as error:
        # Too large may be what it is only when rounded up to such a page.
        falls_back = isinstance(error, NoHugePages) or error.code is Code.TOO_LARGE
        if wanted.huge_pages.wanted == "required" or not falls_back:
            raise
    return _on_pages(replace(wanted, huge_pages=HugePages("advised")), None)


def _on_pages(wanted: Wanted, huge: int | None) -> Created:
    """Makes it on huge pages of so many bytes, or on ordinary ones."""
    if huge is not None and wanted.consumers is Access.READ_WRITE:
        raise written_huge_pages()
    page = mmap.PAGESIZE if huge is None else _huge_page(huge)
    numbers = _numbers(wanted, page)
    span = span_of(numbers, page, huge=huge is not None)
    if wanted.populate:
        _within_machine(numbers.allocation_size)
    fd = _memfd(wanted.name, huge)
    try:
        read_only = wanted.consumers is Access.READ_ONLY
        # Whoever has a descriptor can open the file anew, as the file's mode says. So consumers of other
        # users get nothing by it that the descriptor they were sent does not have.
        os.fchmod(fd.fileno(), 0o400 if read_only else 0o600)
        os.ftruncate(fd.fileno(), numbers.allocation_size)
        if wanted.populate:
            # Populating a mapping fails silently; this says that there is not enough memory.
            _allocate(fd, numbers.allocation_size)
        seal(fd, SHRINK | GROW)
        pages = Map(fd, span, Access.READ_WRITE, populate=wanted.populate)
        # This seal is for mappings that come later, and so it comes after ours.
        seal(fd, (FUTURE_WRITE if read_only else 0) | (SEAL if wanted.final_seals else 0))
        if huge is not None:
            got = Pages("huge", huge)
        else:
            advised = wanted.huge_pages.wanted == "advised" and pages.advise_huge()
            got = Pages("advised" if advised else "ordinary", page)
    except BaseException as error:
        fd.close()
        if huge is not None and isinstance(error, OSError) and error.errno in _NO_HUGE_PAGES:
            raise no_huge_pages(huge, error.errno) from error
        if isinstance(error, OSError) and not isinstance(error, HostError):
            raise os_error("making a memfd", error) from error
        raise
    return Created(fd, pages, span, numbers, got)


def _allocate(fd: Fd, size: int) -> None:
    """Has the file's pages be there. A signal ends a step without any: small ones go on between signals."""
    for start in range(0, size, _STEP):
        os.posix_fallocate(fd.fileno(), start, min(_STEP, size - start))


def seal(fd: Fd, seals: int) -> None:
    """Adds seals to a memfd."""
    if not seals:
        return
    try:
        fcntl.fcntl(fd.fileno(), ADD_SEALS, seals)
    except OSError as error:
        raise os_error("sealing a memfd", error) from error


def duplicate(fd: Fd) -> Fd:
    """Another descriptor of the same file, with the same access; it is the caller's."""
    try:
        return Fd.duplicate(fd)
    except OSError as error:
        raise os_error("duplicating the descriptor of a memfd", error) from error


def read_only(fd: Fd) -> Fd:
    """Opens the file of a descriptor anew, for reading only: a duplicate would write as it does."""
    doing = "opening a memfd for reading (which takes a mounted /proc)"
    path = own(f"fd/{fd.fileno()}")
    try:
        opened = Fd.made_by(os.open, path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY)
        # Somebody may have mounted something else there.
        if not os.path.sameopenfile(opened.fileno(), fd.fileno()):
            raise OSError(errno.ESTALE, "")
    except OSError as error:
        raise os_error(doing, error) from error
    return opened


def _numbers(wanted: Wanted, page: int) -> Import:
    """The numbers of the buffer on pages of so many bytes."""
    size, offset, alignment = wanted.size, wanted.offset, wanted.alignment
    if size < 1:
        raise empty(size)
    if offset < 0:
        raise negative("an offset", offset)
    if not 0 < alignment <= mmap.PAGESIZE or alignment & (alignment - 1):
        raise bad_alignment(alignment, mmap.PAGESIZE)
    if offset % alignment:
        raise misaligned(offset, alignment)
    allocation_size = -(-(offset + size) // page) * page
    if allocation_size > MOST:
        raise too_large(offset, size, MOST)
    return Import(size, allocation_size, offset, wanted.consumers)


def _within_machine(pages: int) -> None:
    """Refuses pages that the machine cannot have: the kernel makes them until processes are killed for it."""
    with open("/proc/meminfo", encoding="ascii") as lines:
        kilobytes = {name: int(rest.split()[0]) for name, rest in (line.split(":", 1) for line in lines)}
    memory = 1024 * (kilobytes["MemTotal"] + kilobytes["SwapTotal"])
    if pages > memory:
        raise more_than_memory(pages, memory)


def _check_name(name: str) -> None:
    raw = os.fsencode(name)
    if len(raw) > _MOST_NAME:
        raise name_too_long(len(raw), _MOST_NAME)
    if b"\0" in raw:
        raise name_with_nul(raw.index(b"\0"))


def _memfd(name: str, huge: int | None) -> Fd:
    flags = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
    if huge is not None:
        flags |= os.MFD_HUGETLB | (huge.bit_length() - 1) << os.MFD_HUGE_SHIFT
    try:
        try:
            return Fd.made_by(os.memfd_create, name, flags | _NOEXEC_SEAL)
        except OSError as error:
            # Kernels before 6.3 know no memory that cannot be executed.
            if error.errno != errno.EINVAL:
                raise
            return Fd.made_by(os.memfd_create, name, flags)
    except OSError as error:
        if huge is not None and error.errno in _NO_HUGE_PAGES:
            raise no_huge_pages(huge, error.errno) from error
        raise os_error("creating a memfd", error) from error


def _huge_page(size: int) -> int:
    """Bytes of a huge page, where a page can have as many."""
    if size <= mmap.PAGESIZE or size & (size - 1):
        raise no_huge_pages(size, errno.EINVAL)
    return size
