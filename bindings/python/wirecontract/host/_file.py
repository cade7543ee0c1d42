"""A buffer of a foreign exporter, read without a mapping."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from wirecontract.contracts.buffer import SharedBuffer
from wirecontract.handoff import Fd
from wirecontract.handoff._fd import OwnedFd
from wirecontract.host._access import Access, Barrier
from wirecontract.host._check import FUTURE_WRITE, SHRINK, WRITE, Import, check, memory
from wirecontract.host._errors import Closed, Shrunk, os_error
from wirecontract.host._mapping import HostMapping, wanted_of
from wirecontract.host._refusals import not_allowed, out_of_bounds

if TYPE_CHECKING:
    from typing_extensions import Buffer


class HostFile:
    """A buffer in a file of memory that its exporter may not have sealed, as one of `shm_open`.

    Such a file may be made shorter at any time, and a mapping of it would end this process. So there is no
    view of it: every copy is a system call, which says that bytes are gone instead (`Shrunk`).

    It owns the descriptor until it is closed.
    """

    def __init__(self, fd: Fd, import_: Import) -> None:
        self._fd = fd
        self._import = import_

    @classmethod
    def open(cls, fd: OwnedFd, buffer: SharedBuffer | Import) -> HostFile:
        """Takes a buffer that need not be sealed. All else is looked at as `HostMapping.open` does; the size
        can be another one the next moment. The descriptor is this object's from then on, or closed, as
        `HostMapping.open` says.
        """
        own = Fd.owning(fd)
        try:
            wanted = wanted_of(buffer)
            check(own, wanted, mapped=False)
        except BaseException:
            own.close()
            raise
        return cls(own, wanted)

    @property
    def size(self) -> int:
        """Bytes of the buffer."""
        return self._import.size

    def describe(self) -> Import:
        """What it was imported with."""
        return self._import

    @property
    def is_sealed(self) -> bool:
        """Whether it can be mapped: it is sealed against shrinking by now."""
        return bool(memory(self._open()) & SHRINK)

    def map(self) -> HostMapping:
        """Maps it, if it is sealed, and has the descriptor no more."""
        return HostMapping.open(self._open(), self._import)

    def read_at(self, position: int, length: int) -> bytes:
        """So many bytes at a position, counted from the start of the buffer."""
        out = bytearray(self._within(position, length))
        self.read_into(position, out)
        return bytes(out)

    def read_into(self, position: int, out: Buffer) -> None:
        """Fills a buffer with the bytes at a position. `SizeError` where they are not all inside, and nothing
        is read; `Shrunk` where the file has them no more, and those before that are read.
        """
        with memoryview(out) as view, view.cast("B") as place:
            done = 0
            self._within(position, len(place))
            while done < len(place):
                try:
                    read = os.preadv(
                        self._open().fileno(), [place[done:]], self._import.offset + position + done
                    )
                except OSError as error:
                    raise os_error("reading a file of memory", error) from error
                if read == 0:
                    raise Shrunk(position + done, len(place) - done)
                done += read

    def write_at(self, position: int, data: Buffer) -> None:
        """Writes bytes at a position. `SizeError` where they are not all inside, `NotAllowed` where it was
        imported for reading; nothing is written then. Of what its exporter did since, `NotAllowed` says that
        it was sealed against writing, `Shrunk` that it was made shorter and cannot grow again.
        """
        if self._import.access is Access.READ_ONLY:
            raise not_allowed(Access.READ_WRITE, Barrier.IMPORTED_READ_ONLY)
        with memoryview(data) as view, view.cast("B") as bytes_left:
            done = 0
            self._within(position, len(bytes_left))
            while done < len(bytes_left):
                at = self._import.offset + position + done
                try:
                    done += os.pwrite(self._open().fileno(), bytes_left[done:], at)
                except PermissionError:
                    if memory(self._open()) & (WRITE | FUTURE_WRITE):
                        raise not_allowed(Access.READ_WRITE, Barrier.SEALED_AGAINST_WRITING) from None
                    # What is shorter and sealed against growing takes nothing behind its end.
                    raise Shrunk(position + done, len(bytes_left) - done) from None
                except OSError as error:
                    raise os_error("writing a file of memory", error) from error

    def detach(self) -> Fd:
        """The descriptor, which is the caller's from then on."""
        return self._open().take()

    @property
    def closed(self) -> bool:
        """Whether it was closed, mapped or given away."""
        return self._fd.closed

    def close(self) -> None:
        """Closes the descriptor."""
        self._fd.close()

    def __enter__(self) -> HostFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<HostFile {self._fd!r} {self._import}>"

    def _open(self) -> Fd:
        if self._fd.closed:
            raise Closed
        return self._fd

    def _within(self, position: int, length: int) -> int:
        if position < 0 or length < 0 or position + length > self._import.size:
            raise out_of_bounds(position, length, self._import.size)
        return length
