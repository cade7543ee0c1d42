"""The refusals of host memory by what was found: each says the same in every language."""

from __future__ import annotations

import os

from wirecontract.contracts import Code
from wirecontract.handoff._words import said
from wirecontract.host._access import Access, Barrier
from wirecontract.host._errors import (
    Busy,
    FileTooShort,
    HostError,
    NoHugePages,
    NotAllowed,
    NotMemory,
    NotSealed,
    OtherMemory,
    SizeError,
)

SEALS = {
    1: "F_SEAL_SEAL",
    2: "F_SEAL_SHRINK",
    4: "F_SEAL_GROW",
    8: "F_SEAL_WRITE",
    16: "F_SEAL_FUTURE_WRITE",
    32: "F_SEAL_EXEC",
}
"""The seals by their numbers: Python 3.11 does not know all."""

_OF_EXPORTER = "have the exporter send the numbers of the buffer that it made"


def empty(size: int = 0) -> SizeError:
    """A buffer of no bytes, or fewer."""
    return SizeError(
        Code.OUT_OF_RANGE,
        f"expected a size of at least 1 byte, found {size}",
        expected="at least 1 byte",
        found=size,
        remedy="what has no bytes needs no buffer",
    )


def negative(what: str, found: int) -> SizeError:
    """A number of bytes below 0."""
    return SizeError(
        Code.OUT_OF_RANGE,
        f"expected {what} of at least 0 bytes, found {found}",
        expected="at least 0 bytes",
        found=found,
        remedy="count from the start of the allocation",
    )


def beyond_64_bits(found: int) -> SizeError:
    """A number of an exporter that no descriptor has."""
    return SizeError(
        Code.OUT_OF_RANGE,
        f"expected numbers of 64 bits, found {found}",
        expected="0 to 2**64 - 1",
        found=found,
        remedy=_OF_EXPORTER,
    )


def more_than_memory(pages: int, memory: int) -> SizeError:
    """More bytes of pages to be made at once than the machine has memory for."""
    most = f"at most {memory} bytes of pages that are made at once"
    return SizeError(
        Code.TOO_LARGE,
        f"expected {most}, as many as the machine has, found {pages}",
        expected=most,
        found=pages,
        remedy="use a smaller buffer, or leave `populate` out",
    )


def too_large(offset: int, size: int, most: int) -> SizeError:
    """More bytes than a process can map."""
    return SizeError(
        Code.TOO_LARGE,
        f"expected offset + size of at most {most} bytes, found {offset} + {size}",
        expected=f"at most {most} bytes",
        found=offset + size,
        remedy="use smaller buffers",
    )


def outside_allocation(offset: int, size: int, allocation_size: int) -> SizeError:
    """A buffer that is not inside its allocation."""
    most = f"at most the allocation's {allocation_size} bytes"
    return SizeError(
        Code.OUT_OF_RANGE,
        f"expected offset + size of {most}, found {offset} + {size}",
        expected=most,
        found=offset + size,
        remedy=_OF_EXPORTER,
    )


def out_of_bounds(position: int, length: int, size: int) -> SizeError:
    """A copy of so many bytes that is not inside the buffer's."""
    return SizeError(
        Code.OUT_OF_RANGE,
        f"expected at most the buffer's {size} bytes, found {length} bytes at {position}",
        expected=f"at most {size} bytes",
        found=length,
        remedy="copy what is inside",
    )


def bad_alignment(found: int, most: int) -> SizeError:
    """An alignment in bytes that mappings do not have."""
    power = f"a power of two of at most {most} bytes"
    return SizeError(
        Code.OUT_OF_RANGE,
        f"expected an alignment that is {power}, found {found}",
        expected=power,
        found=found,
        remedy="ask for less",
    )


def misaligned(offset: int, alignment: int) -> SizeError:
    """An offset in bytes that does not have the alignment."""
    return SizeError(
        Code.OUT_OF_RANGE,
        f"expected an offset that is a multiple of {alignment}, found {offset}",
        expected=f"a multiple of {alignment}",
        found=offset,
        remedy="round it up",
    )


def empty_pool(most: int) -> SizeError:
    """A pool of no buffers, or fewer."""
    return SizeError(
        Code.OUT_OF_RANGE,
        f"expected a pool of at least 1 buffer, found {most}",
        expected="at least 1 buffer",
        found=most,
        remedy="say how many there may be",
    )


def file_too_short(allocation_size: int, file_size: int) -> FileTooShort:
    """A file of fewer bytes than it was said to have."""
    return FileTooShort(
        Code.TOO_SHORT,
        f"expected a file of at least {allocation_size} bytes, found {file_size}",
        expected=f"at least {allocation_size} bytes",
        found=file_size,
        remedy="have the exporter send the descriptor and the numbers of one buffer",
    )


def not_memory(found: str) -> NotMemory:
    """A descriptor that is no memory."""
    return NotMemory(
        Code.FD_KIND,
        f"expected a memfd, found {found}",
        expected="a memfd",
        found=found,
        remedy="have the exporter send the descriptor of its buffer",
    )


def other_memory(found: str) -> OtherMemory:
    """A buffer of another kind."""
    return OtherMemory(
        Code.REFUSED,
        f"expected a buffer of the kind host_memfd, found {found}",
        expected="host_memfd",
        found=found,
        remedy="import it by its own library",
    )


def not_sealed(missing: int, seals: int) -> NotSealed:
    """A memfd whose pages somebody can take away while it is mapped."""
    return NotSealed(
        Code.REFUSED,
        f"expected a memfd that is sealed with {seal_names(missing)}, found {seal_names(seals)}",
        expected=seal_names(missing),
        found=seal_names(seals),
        remedy="have the exporter seal it, or read the file without mapping it (HostFile)",
    )


def not_allowed(wanted: Access, barrier: Barrier) -> NotAllowed:
    """An access that something stands against."""
    found, way_out = barrier.value
    return NotAllowed(
        Code.REFUSED,
        f"expected memory for {wanted.value}, found {found}",
        expected=f"memory for {wanted.value}",
        found=found,
        remedy=way_out,
    )


def name_with_nul(at: int) -> HostError:
    """A name that a NUL would end, at that byte of it."""
    return HostError(
        Code.BAD_TEXT,
        f"expected a name without NUL, found one at byte {at}",
        expected="a name without NUL",
        found=at,
        remedy="leave it out",
    )


def name_too_long(length: int, most: int) -> HostError:
    """A name of more bytes than a memfd's has."""
    return HostError(
        Code.BAD_TEXT,
        f"expected a name of at most {most} bytes, found {length} bytes",
        expected=f"at most {most} bytes",
        found=length,
        remedy="use a shorter one",
    )


def no_huge_pages(size: int, errno: int) -> NoHugePages:
    """Huge pages of so many bytes, which the machine does not have."""
    return NoHugePages(
        Code.REFUSED,
        f"expected free huge pages of {size} bytes, found none ({said(errno)})",
        expected=f"free huge pages of {size} bytes",
        found=os.strerror(errno),
        remedy='reserve some (vm.nr_hugepages), or prefer them only (HugePages("preferred"))',
    )


def written_huge_pages() -> NoHugePages:
    """Huge pages that consumers would write."""
    return NoHugePages(
        Code.REFUSED,
        "expected huge pages that only their exporter writes, found consumers that write",
        expected="huge pages that only their exporter writes",
        found="consumers that write",
        remedy='give these ordinary pages (HugePages("advised")), or let them read only',
    )


def final_seals() -> HostError:
    """A buffer that cannot be frozen, since its seals were made final."""
    return HostError(
        Code.REFUSED,
        "expected seals that can be added to, found final ones",
        expected="seals that can be added to",
        found="final ones",
        remedy="make the buffer without final_seals",
    )


def still_written() -> Busy:
    """A buffer that cannot be frozen, since somebody else can still write it."""
    return Busy(
        Code.BUSY,
        "expected nobody to write the buffer, found a writable mapping or pages that a device has",
        expected="nobody to write the buffer",
        remedy="end these first, then freeze",
    )


def all_in_use(most: int) -> Busy:
    """A pool of which no buffer is free."""
    return Busy(
        Code.BUSY,
        f"expected one of {most} buffers to be free, found all in use",
        expected="a buffer that is free",
        found=most,
        remedy="wait (Pool.take), or make the pool larger",
    )


def views_left() -> Busy:
    """A close while memoryviews exist."""
    return Busy(
        Code.BUSY,
        "expected no view of the buffer, found some",
        expected="no view of the buffer",
        remedy="release each memoryview, and drop the arrays that are made of one, before closing",
    )


def seal_names(seals: int) -> str:
    """Seals by their names."""
    return " | ".join(name for bit, name in SEALS.items() if seals & bit) or "no seal"
