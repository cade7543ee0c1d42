"""A buffer of the process that makes it."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
from collections.abc import Sequence
from types import TracebackType

from wirecontract.contracts import Code
from wirecontract.contracts.buffer import (
    BufferFlag,
    BufferKind,
    ElementType,
    ProcessIdentity,
    SharedBuffer,
)
from wirecontract.contracts.dlpack import DLDataTypeCode
from wirecontract.handoff import Fd
from wirecontract.host._check import (
    ADD_SEALS,
    FUTURE_WRITE,
    GROW,
    MOST,
    SEAL,
    SHRINK,
    WRITE,
    Access,
    Import,
    seals_of,
    span_of,
)
from wirecontract.host._errors import Busy, Closed, HostError, HostOSError, SizeError, os_error
from wirecontract.host._map import Map

_NOEXEC_SEAL = 8
"""`MFD_NOEXEC_SEAL`, of Linux 6.3."""

_MOST_NAME = 249
"""The most bytes of a memfd's name: what `/proc` puts before it counts as well."""

UNTYPED = ElementType(code=DLDataTypeCode.INT, bits=0, lanes=0)
"""Bytes of no type."""


class HostBuffer:
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
        populate: bool = False,
        final_seals: bool = False,
    ) -> None:
        """Makes a buffer of zeros, which takes no memory until it is touched.

        `offset` is bytes from the start of the allocation to the buffer, a multiple of `alignment`: what its
        address is a multiple of, here and in every importer's process; a power of two, at most a page.
        `consumers` with `Access.READ_ONLY` has the kernel refuse whatever writes but this mapping. `populate`
        has all pages made at once, where the machine has so many. `final_seals` keeps consumers that write
        from adding seals; such a buffer cannot be frozen.
        """
        numbers = _numbers(size, offset, alignment, consumers)
        span = span_of(numbers, mmap.PAGESIZE, huge=False)
        if populate:
            _within_machine(numbers.allocation_size)
        self._import = numbers
        self._fd = _memfd(name)
        try:
            # Whoever has a descriptor can open the file anew, as the file's mode says. So consumers of other
            # users get nothing by it that the descriptor they were sent does not have.
            os.fchmod(self._fd.fileno(), 0o400 if consumers is Access.READ_ONLY else 0o600)
            os.ftruncate(self._fd.fileno(), numbers.allocation_size)
            if populate:
                # Populating a mapping fails silently; this says that there is not enough memory.
                os.posix_fallocate(self._fd.fileno(), 0, numbers.allocation_size)
            self._seal(SHRINK | GROW)
            self._map = Map(self._fd, span, Access.READ_WRITE, populate=populate)
            # This seal is for mappings that come later, and so it comes after ours.
            self._seal((FUTURE_WRITE if consumers is Access.READ_ONLY else 0) | (SEAL if final_seals else 0))
        except BaseException as error:
            self._fd.close()
            if isinstance(error, OSError) and not isinstance(error, HostError):
                raise os_error("making a memfd", error) from error
            raise
        self._span = span

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
        buffer_id: int = 0,
    ) -> SharedBuffer:
        """The descriptor of the buffer, and of a tensor in it where its type is said."""
        return shared_of(self._import, element, shape, strides, byte_offset, buffer_id)

    def view(self) -> memoryview:
        """The buffer: writable, until it is frozen. Consumers read it, and write it where they may."""
        return self._map.view()

    def consumer_fd(self) -> Fd:
        """A descriptor to send to a consumer, which has just the access that consumers are given."""
        if self.closed:
            raise Closed
        if self._import.access is Access.READ_WRITE:
            try:
                return Fd.duplicate(self._fd)
            except OSError as error:
                raise os_error("duplicating the descriptor of a memfd", error) from error
        return _read_only(self._fd)

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
            raise HostError(
                Code.REFUSED,
                "expected seals that can be added to, found final ones",
                expected="seals that can be added to",
                found="final ones",
                remedy="make the buffer without final_seals",
            )
        self._map.close()
        try:
            self._seal(WRITE)
            self._import = Import(self._import.size, self._import.allocation_size, self._import.offset)
        except HostOSError as error:
            if error.errno != errno.EBUSY:
                raise
            raise Busy(
                Code.BUSY,
                "expected nobody to write the buffer, found a writable mapping or pages that a device has",
                expected="nobody to write the buffer",
                remedy="end these first, then freeze",
            ) from None
        finally:
            frozen = bool(seals_of(self._fd) & WRITE)
            # Whoever else may write it, this side no more where new writers are sealed off.
            writes = not frozen and not seals & FUTURE_WRITE
            access = Access.READ_WRITE if writes else Access.READ_ONLY
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

    def _seal(self, seals: int) -> None:
        if not seals:
            return
        try:
            fcntl.fcntl(self._fd.fileno(), ADD_SEALS, seals)
        except OSError as error:
            raise os_error("sealing a memfd", error) from error


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
        exporter=ProcessIdentity(pid=os.getpid(), start_time=0, pid_namespace=0),
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


def _numbers(size: int, offset: int, alignment: int, consumers: Access) -> Import:
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
    allocation_size = -(-(offset + size) // mmap.PAGESIZE) * mmap.PAGESIZE
    if size < 0 or offset < 0 or allocation_size > MOST:
        raise SizeError(
            Code.TOO_LARGE,
            f"expected offset + size of at most {MOST} bytes, found {offset} + {size}",
            expected=f"0 to {MOST} bytes",
            found=offset + size,
            remedy="use smaller buffers",
        )
    return Import(size, allocation_size, offset, consumers)


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


def _memfd(name: str) -> Fd:
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
    try:
        try:
            return Fd.made_by(os.memfd_create, name, flags | _NOEXEC_SEAL)
        except OSError as error:
            # Kernels before 6.3 know no memory that cannot be executed.
            if error.errno != errno.EINVAL:
                raise
            return Fd.made_by(os.memfd_create, name, flags)
    except OSError as error:
        raise os_error("creating a memfd", error) from error


def _read_only(fd: Fd) -> Fd:
    """Opens the file of a descriptor anew, for reading only: a duplicate would write as it does."""
    doing = "opening a memfd for reading (which takes a mounted /proc)"
    # The thread's own folder: that of the process is empty once its first thread has ended.
    path = f"/proc/thread-self/fd/{fd.fileno()}"
    try:
        opened = Fd.made_by(os.open, path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY)
        # Somebody may have mounted something else there.
        if not os.path.sameopenfile(opened.fileno(), fd.fileno()):
            raise OSError(errno.ESTALE, "")
    except OSError as error:
        raise os_error(doing, error) from error
    return opened
