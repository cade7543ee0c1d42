"""Pages of a file, mapped; what of them is lent as memoryviews."""

from __future__ import annotations

import mmap

from wirecontract.handoff import Fd
from wirecontract.host._access import Access
from wirecontract.host._check import Span
from wirecontract.host._errors import Closed, os_error
from wirecontract.host._refusals import views_left


class Map:
    """A mapping, until it is closed or, where it is only dropped, until its last view is."""

    def __init__(
        self, fd: Fd, span: Span, access: Access, *, private: bool = False, populate: bool = False
    ) -> None:
        """Maps the pages. The file reaches to the end of the buffer, and nobody can make it shorter."""
        # A private mapping has the file's own pages for as long as nobody writes it, and is the one kind that
        # every kernel allows of a descriptor that is open for writing once the file is not.
        flags = mmap.MAP_PRIVATE if private else mmap.MAP_SHARED
        if populate:
            flags |= mmap.MAP_POPULATE
        protection = mmap.PROT_READ
        if access is Access.READ_WRITE:
            protection |= mmap.PROT_WRITE
        try:
            pages = mmap.mmap(fd.fileno(), span.mapped, flags=flags, prot=protection, offset=span.first)
        except OSError as error:
            raise os_error("mapping a memfd", error) from error
        self._pages: mmap.mmap | None = pages
        self._span = span

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._pages is None

    def view(self) -> memoryview:
        """The bytes of the buffer: read-only where it was mapped so."""
        if self._pages is None:
            raise Closed
        with memoryview(self._pages) as whole:
            return whole[self._span.inside : self._span.inside + self._span.size]

    @property
    def has_views(self) -> bool:
        """Whether a view of it exists that was not released."""
        if self._pages is None:
            return False
        try:
            # No mapping has such a size. That there are views is what is looked at first.
            self._pages.resize(-1)
        except BufferError:
            return True
        except (TypeError, ValueError):
            return False
        raise AssertionError("no mapping has -1 bytes")

    def advise_huge(self) -> bool:
        """Asks for huge pages; whether the kernel will see to it."""
        if self._pages is None:
            raise Closed
        try:
            self._pages.madvise(mmap.MADV_HUGEPAGE)
        except OSError:
            return False
        return True

    def take_out_pages(self) -> tuple[int, int]:
        """Takes those pages out of the file that are the buffer's alone: from where to where in the file.
        `PermissionError` where seals do not let it.
        """
        if self._pages is None:
            raise Closed
        page = mmap.PAGESIZE
        first = -(-self._span.inside // page) * page
        behind = (self._span.inside + self._span.size) // page * page
        if first < behind:
            try:
                self._pages.madvise(mmap.MADV_REMOVE, first, behind - first)
            except PermissionError:
                # Sealed against new writers, which is the caller's to see to.
                raise
            except OSError as error:
                raise os_error("punching a hole into a memfd", error) from error
        return self._span.first + first, self._span.first + max(first, behind)

    def close(self) -> None:
        """Unmaps it; `Busy` where views exist, and nothing has changed then."""
        if self._pages is None:
            return
        try:
            self._pages.close()
        except BufferError:
            raise views_left() from None
        self._pages = None

    def drop(self) -> None:
        """Unmaps it, as soon as its last view is gone."""
        self._pages = None
