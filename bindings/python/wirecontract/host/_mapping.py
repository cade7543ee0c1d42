"""A buffer of another process, mapped."""

from __future__ import annotations

from types import TracebackType

from wirecontract.contracts.buffer import BufferFlag, BufferKind, SharedBuffer
from wirecontract.handoff import Fd
from wirecontract.handoff._arguments import of_type
from wirecontract.handoff._fd import OwnedFd
from wirecontract.host._access import Access
from wirecontract.host._check import WRITE, Import, check, seals_of
from wirecontract.host._create import duplicate
from wirecontract.host._errors import Closed
from wirecontract.host._map import Map
from wirecontract.host._refusals import other_memory
from wirecontract.host._tensor import HasTensors


class HostMapping(HasTensors):
    """A buffer that another process made, mapped here.

    It owns the descriptor and the mapping until it is closed. The memory lives for as long as anybody has it,
    whatever becomes of its exporter.

    Views are lent, and memory is never unmapped under one: `close` refuses (`Busy`, which is a `BufferError`)
    while a memoryview exists that was not released, or an array that is made of one, and may be called again.
    The end of a `with` does the same; where an exception ends it, and views are still in its frames, the
    mapping is given up instead, and ends with the last of them, as it does when this object is dropped.
    """

    def __init__(self, fd: Fd, import_: Import, pages: Map, *, frozen: bool) -> None:
        self._fd = fd
        self._import = import_
        self._map = pages
        self._frozen = frozen

    @classmethod
    def open(cls, fd: OwnedFd, buffer: SharedBuffer | Import) -> HostMapping:
        """Maps a buffer, of which nothing is believed: the file is a memfd that nobody can shrink, has the
        size that was announced, and allows the access. Only the pages of the buffer are mapped, and none is
        touched: 4 GiB cost what 4 KiB cost.

        The descriptor, by its number as well, is the mapping's from then on. It is closed where it is
        refused, and where `buffer` is none (`TypeError`); what is no descriptor, such as a truth value, is
        refused (`TypeError`, `ValueError`), and nothing closed. What is looked at, in this order:
        `NotMemory`, `NotSealed`, `NotAllowed`, `SizeError`, `FileTooShort`, and `HostOSError` for what the
        system refused. A `SharedBuffer` is validated before (`WireError`), and has to be of host memory
        (`OtherMemory`).
        """
        own = Fd.owning(fd)
        try:
            wanted = wanted_of(buffer)
            checked = check(own, wanted)
            private = checked.frozen and not checked.huge and wanted.access is Access.READ_ONLY
            pages = Map(own, checked.span, wanted.access, private=private)
        except BaseException:
            own.close()
            raise
        return cls(own, wanted, pages, frozen=checked.frozen)

    @property
    def size(self) -> int:
        """Bytes of the buffer."""
        return self._import.size

    def describe(self) -> Import:
        """What it was imported with."""
        return self._import

    def view(self) -> memoryview:
        """The buffer, read-only or writable as it was imported. Others may write it at any time, unless it
        `is_frozen`; who reads what is written meanwhile reads any mixture of old and new bytes.
        """
        return self._map.view()

    @property
    def is_frozen(self) -> bool:
        """Whether nobody writes it any more."""
        return self._frozen or bool(seals_of(self._fd) & WRITE)

    def duplicate_fd(self) -> Fd:
        """Another descriptor of the same file, to hand on, with the access of the one that was imported."""
        if self.closed:
            raise Closed
        return duplicate(self._fd)

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._map.closed

    def close(self) -> None:
        """Unmaps it and closes the descriptor; `Busy` while views exist, and nothing has changed then."""
        self._map.close()
        self._fd.close()

    def __enter__(self) -> HostMapping:
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
        return f"<HostMapping {self._fd!r} {self._import}>"


def wanted_of(buffer: SharedBuffer | Import) -> Import:
    """What an importer was told, in either form; `TypeError` for what is neither."""
    if isinstance(buffer, Import):
        return buffer
    return import_of(of_type("a buffer", buffer, "a SharedBuffer or an Import", SharedBuffer))


def import_of(buffer: SharedBuffer) -> Import:
    """What a descriptor tells an importer, where it is of host memory and its rules hold."""
    buffer.validate_import()
    if buffer.kind is not BufferKind.HOST_MEMFD:
        raise other_memory(buffer.kind.name.lower())
    access = Access.READ_ONLY if BufferFlag.READ_ONLY in buffer.flags else Access.READ_WRITE
    return Import(buffer.size, buffer.allocation_size, buffer.offset, access)
