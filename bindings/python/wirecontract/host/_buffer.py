"""A buffer of the process that makes it."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType

from wirecontract.contracts.buffer import (
    BufferFlag,
    BufferKind,
    ElementType,
    SharedBuffer,
)
from wirecontract.contracts.dlpack import DLDataTypeCode
from wirecontract.handoff import Fd
from wirecontract.host._access import Access, Barrier
from wirecontract.host._check import FUTURE_WRITE, SEAL, WRITE, Import, seals_of
from wirecontract.host._create import Wanted, create, duplicate, read_only, seal
from wirecontract.host._errors import Closed, HostOSError, os_error
from wirecontract.host._identity import identity, next_buffer
from wirecontract.host._map import Map
from wirecontract.host._pages import NEVER, HugePages, Pages
from wirecontract.host._refusals import final_seals as have_final_seals
from wirecontract.host._refusals import not_allowed, still_written
from wirecontract.host._tensor import HasTensors

UNTYPED = ElementType(code=DLDataTypeCode.INT, bits=0, lanes=0)
"""Bytes of no type."""


class HostBuffer(HasTensors):
    """A buffer of host memory that this process made, and writes.

    It owns a memfd that nobody can shrink or grow, and a mapping of it, until it is closed; memory is never
    unmapped under a view, as `HostMapping` says. Who imported it keeps the memory for as long as their own
    mapping lives.
    """

    def __init__(
        self,
        size: int,
        *,
        offset: int = 0,
        alignment: int = 1,
        name: str = "wirecontract",
        consumers: Access = Access.READ_ONLY,
        huge_pages: HugePages = NEVER,
        populate: bool = False,
        final_seals: bool = False,
    ) -> None:
        """Makes a buffer of zeros, which takes no memory until it is touched.

        `offset` is bytes from the start of the allocation to the buffer, a multiple of `alignment`: what its
        address is a multiple of, here and in every importer's process; a power of two, at most a page.
        `consumers` with `Access.READ_ONLY` has the kernel refuse whatever writes but this mapping. On huge
        pages the allocation is a multiple of them, and consumers only read (`NoHugePages`). `populate` has
        all pages made at once, where the machine has so many. `final_seals` keeps consumers that write from
        adding seals; such a buffer cannot be frozen.

        `SizeError` for numbers that no buffer has, and `TypeError` for what is no whole number; `HostError`
        of the code `bad_text` for a name with a NUL, or of more than 249 bytes.
        """
        self._hold(Wanted(size, offset, alignment, name, consumers, huge_pages, populate, final_seals))

    @classmethod
    def of(cls, wanted: Wanted) -> HostBuffer:
        """What was found to be right before."""
        buffer = cls.__new__(cls)
        buffer._hold(wanted)
        return buffer

    def _hold(self, wanted: Wanted) -> None:
        created = create(wanted)
        self._fd, self._map, self._span = created.fd, created.map, created.span
        self._import, self._pages = created.numbers, created.pages
        self._populated = wanted.populate
        self._number = next_buffer()

    @property
    def size(self) -> int:
        """Bytes of the buffer."""
        return self._import.size

    def describe(self) -> Import:
        """What a consumer imports it with, beside the descriptor."""
        return self._import

    def shared(
        self,
        *,
        element: ElementType = UNTYPED,
        shape: Sequence[int] = (),
        strides: Sequence[int] = (),
        byte_offset: int = 0,
        buffer_id: int | None = None,
    ) -> SharedBuffer:
        """The descriptor of the buffer, and of a tensor in it where its type is said. `buffer_id` is a number
        that no other buffer of this process has, unless said.
        """
        number = self._number if buffer_id is None else buffer_id
        return shared_of(self._import, element, shape, strides, byte_offset, number)

    def view(self) -> memoryview:
        """The buffer: writable, until it is frozen. Consumers read it, and write it where they may."""
        return self._map.view()

    def consumer_fd(self) -> Fd:
        """A descriptor to send to a consumer, which has just the access that consumers are given."""
        if self.closed:
            raise Closed
        if self._import.access is Access.READ_WRITE:
            return duplicate(self._fd)
        return read_only(self._fd)

    def zero(self) -> None:
        """Has all bytes of the buffer be zero, and touches no page that nobody touched before; one that
        consumers may write gives its pages back. `NotAllowed` where it is frozen.
        """
        if self.is_frozen:
            raise not_allowed(Access.READ_WRITE, Barrier.FROZEN)
        start, end = self._import.offset, self._import.offset + self._import.size
        if self._import.access is Access.READ_WRITE and not self._populated:
            # A consumer that may write may have sealed it against new writers, which the kernel takes for
            # this.
            with suppress(PermissionError):
                first, behind = self._map.take_out_pages()
                self._overwrite(start, min(first, end))
                self._overwrite(max(behind, start), end)
                return
        # Sealed against whatever writes but our mapping, the file keeps its pages.
        self._overwrite(start, end)

    @property
    def pages(self) -> Pages:
        """The pages that it got."""
        return self._pages

    @property
    def offset(self) -> int:
        """Bytes from the start of the file to the buffer."""
        return self._import.offset

    @property
    def allocation_size(self) -> int:
        """Bytes of the whole file: a multiple of its pages."""
        return self._import.allocation_size

    @property
    def has_views(self) -> bool:
        """Whether a view exists that was not released, or an array that is made of one."""
        return self._map.has_views

    @property
    def is_frozen(self) -> bool:
        """Whether nobody writes it any more."""
        return not self.closed and bool(seals_of(self._fd) & WRITE)

    def freeze(self) -> None:
        """Has nobody write the buffer any more, this process included; views of it are read-only from then
        on.

        `Busy` where views exist, or where somebody else can still write it; `HostError` of the code `refused`
        where its seals were made final. It is as it was then.
        """
        if self.closed:
            raise Closed
        seals = seals_of(self._fd)
        if seals & WRITE:
            return
        if seals & SEAL:
            raise have_final_seals()
        self._map.close()
        try:
            seal(self._fd, WRITE)
            self._import = Import(self._import.size, self._import.allocation_size, self._import.offset)
        except HostOSError as error:
            if error.errno != errno.EBUSY:
                raise
            raise still_written() from None
        finally:
            frozen = bool(seals_of(self._fd) & WRITE)
            # Whoever else may write it, this side no more where new writers are sealed off.
            writes = not frozen and not seals & FUTURE_WRITE
            access = Access.READ_WRITE if writes else Access.READ_ONLY
            if frozen and self._pages.kind == "huge":
                # Of huge pages the kernel would reserve a second set for a private mapping; a shared one
                # takes a descriptor that only reads.
                with read_only(self._fd) as reader:
                    self._map = Map(reader, self._span, access)
            else:
                self._map = Map(self._fd, self._span, access, private=frozen)

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._map.closed

    def close(self) -> None:
        """Unmaps it and closes the descriptor; `Busy` while views exist, and nothing has changed then."""
        self._map.close()
        self._fd.close()

    def __enter__(self) -> HostBuffer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        try:
            self.close()
        except BufferError:
            if error is None:
                raise
            self._map.drop()
            self._fd.close()

    def __repr__(self) -> str:
        return f"<HostBuffer {self._fd!r} {self._import}>"

    def _overwrite(self, start: int, end: int) -> None:
        """Writes zeros over what was touched between two places of the file, which says where pages are."""
        at = start
        with self._map.view() as view:
            while at < end:
                try:
                    data = os.lseek(self._fd.fileno(), at, os.SEEK_DATA)
                except OSError as error:
                    # Nothing but a hole is left.
                    if error.errno == errno.ENXIO:
                        return
                    raise os_error("seeking the pages of a memfd", error) from error
                if data >= end:
                    return
                at = min(os.lseek(self._fd.fileno(), data, os.SEEK_HOLE), end)
                for step in range(data, at, len(_ZEROS)):
                    zeros = _ZEROS[: at - step]
                    here = step - self._import.offset
                    view[here : here + len(zeros)] = zeros


_ZEROS = bytes(1 << 16)


def shared_of(
    numbers: Import,
    element: ElementType = UNTYPED,
    shape: Sequence[int] = (),
    strides: Sequence[int] = (),
    byte_offset: int = 0,
    buffer_id: int = 0,
) -> SharedBuffer:
    """The descriptor of a memfd of this process's."""
    return SharedBuffer(
        kind=BufferKind.HOST_MEMFD,
        flags=BufferFlag.READ_ONLY if numbers.access is Access.READ_ONLY else BufferFlag(0),
        size=numbers.size,
        allocation_size=numbers.allocation_size,
        offset=numbers.offset,
        byte_offset=byte_offset,
        buffer_id=buffer_id,
        exporter=identity(),
        device_uuid=b"",
        driver_uuid=b"",
        memory_type_index=0,
        buffer_usage=0,
        handle=b"",
        pointer=b"",
        element=element,
        shape=shape,
        strides=strides,
    )
