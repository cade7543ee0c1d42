"""How a memfd is made, sized, sealed and mapped."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
from dataclasses import dataclass, replace

from wirecontract.contracts import Code
from wirecontract.handoff import Fd
from wirecontract.handoff._statx import own
from wirecontract.host._check import (
    ADD_SEALS,
    FUTURE_WRITE,
    GROW,
    MOST,
    SEAL,
    SHRINK,
    Access,
    Import,
    Span,
    span_of,
)
from wirecontract.host._errors import HostError, NoHugePages, SizeError, os_error
from wirecontract.host._map import Map
from wirecontract.host._pages import HugePages, Pages

_NOEXEC_SEAL = 8
"""`MFD_NOEXEC_SEAL`, of Linux 6.3."""

_MOST_NAME = 249
"""The most bytes of a memfd's name: what `/proc` puts before it counts as well."""

_STEP = 64 << 20
"""The most bytes that are allocated by one call."""

_NO_HUGE_PAGES = (errno.EINVAL, errno.ENODEV, errno.ENOMEM, errno.ENOSPC, errno.EOPNOTSUPP)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a buffer is asked to be; `HostBuffer` says what each is."""

    size: int
    offset: int
    alignment: int
    name: str
    consumers: Access
    huge_pages: HugePages
    populate: bool
    final_seals: bool


@dataclass(frozen=True, slots=True)
class Created:
    """A memfd, and its only writable mapping that its seals let be."""

    fd: Fd
    map: Map
    span: Span
    numbers: Import
    pages: Pages


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
        raise NoHugePages(
            Code.REFUSED,
            "expected huge pages that only their exporter writes, found consumers that write",
            expected="huge pages that only their exporter writes",
            found="consumers that write",
            remedy="give these ordinary pages (`advised`), or let them read only",
        )
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
            raise _no_huge_pages(huge, error.errno) from error
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
    size, offset, alignment = wanted.size, wanted.offset, wanted.alignment
    if size == 0:
        span_of(Import(0, 0), mmap.PAGESIZE, huge=False)
    power = f"a power of two of at most {mmap.PAGESIZE} bytes"
    if not 0 < alignment <= mmap.PAGESIZE or alignment & (alignment - 1):
        raise SizeError(
            Code.OUT_OF_RANGE,
            f"expected an alignment that is {power}, found {alignment}",
            expected=power,
            found=alignment,
            remedy="ask for less",
        )
    if offset % alignment:
        raise SizeError(
            Code.OUT_OF_RANGE,
            f"expected an offset that is a multiple of {alignment}, found {offset}",
            expected=f"a multiple of {alignment}",
            found=offset,
            remedy="round it up",
        )
    allocation_size = -(-(offset + size) // page) * page
    if size < 0 or offset < 0 or allocation_size > MOST:
        raise SizeError(
            Code.TOO_LARGE,
            f"expected offset + size of at most {MOST} bytes, found {offset} + {size}",
            expected=f"0 to {MOST} bytes",
            found=offset + size,
            remedy="use smaller buffers",
        )
    return Import(size, allocation_size, offset, wanted.consumers)


def _within_machine(pages: int) -> None:
    """Refuses pages that the machine cannot have: the kernel makes them until processes are killed for it."""
    with open("/proc/meminfo", encoding="ascii") as lines:
        kilobytes = {name: int(rest.split()[0]) for name, rest in (line.split(":", 1) for line in lines)}
    memory = 1024 * (kilobytes["MemTotal"] + kilobytes["SwapTotal"])
    if pages > memory:
        raise SizeError(
            Code.TOO_LARGE,
            f"expected at most {memory} bytes of pages that are made at once, found {pages}",
            expected=f"at most {memory} bytes",
            found=pages,
            remedy="use a smaller buffer, or leave `populate` out",
        )


def _memfd(name: str, huge: int | None) -> Fd:
    length = len(os.fsencode(name))
    if length > _MOST_NAME or "\0" in name:
        raise HostError(
            Code.BAD_TEXT,
            f"expected a name of at most {_MOST_NAME} bytes without NUL, found {length} bytes",
            expected=f"at most {_MOST_NAME} bytes without NUL",
            found=length,
            remedy="use a shorter one",
        )
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
            raise _no_huge_pages(huge, error.errno) from error
        raise os_error("creating a memfd", error) from error


def _huge_page(size: int) -> int:
    """Bytes of a huge page, where a page can have as many."""
    if size <= mmap.PAGESIZE or size & (size - 1):
        raise _no_huge_pages(size, errno.EINVAL)
    return size


def _no_huge_pages(size: int, code: int) -> NoHugePages:
    return NoHugePages(
        Code.REFUSED,
        f"expected free huge pages of {size} bytes, found none ({os.strerror(code)})",
        expected=f"free huge pages of {size} bytes",
        found=os.strerror(code),
        remedy="reserve some (vm.nr_hugepages), or prefer them only (`preferred`)",
    )
