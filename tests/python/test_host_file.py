"""Files of memory that nobody sealed, read by `wirecontract.host.HostFile` without a mapping."""

import fcntl
import os

import pytest
from wirecontract.contracts import Code
from wirecontract.contracts.buffer import SharedBuffer
from wirecontract.handoff import Fd
from wirecontract.host import (
    Access,
    Closed,
    FileTooShort,
    HostBuffer,
    HostError,
    HostFile,
    Import,
    NotAllowed,
    NotMemory,
    NotSealed,
    Shrunk,
    SizeError,
)

pytestmark = pytest.mark.usefixtures("balanced")

PAGE = 4096
ADD_SEALS, SHRINK, GROW, WRITE = 1033, 2, 4, 8


def memfd(content: bytes, seals: int = 0) -> Fd:
    fd = Fd(os.memfd_create("foreign", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC))
    os.write(fd.fileno(), content)
    fcntl.fcntl(fd.fileno(), ADD_SEALS, seals)
    return fd


def test_what_nobody_sealed_is_read_by_copies() -> None:
    content = bytes(range(256)) * 40
    with HostFile.open(memfd(content), Import(1000, len(content), 300)) as file:
        assert (file.size, file.is_sealed, file.describe().offset) == (1000, False, 300)
        assert file.read_at(0, 1000) == content[300:1300]
        assert file.read_at(990, 10) == content[1290:1300]
        assert file.read_at(1000, 0) == b""
        place = bytearray(b"\xaa" * 7)
        file.read_into(3, memoryview(place)[1:6])
        assert place == b"\xaa" + content[303:308] + b"\xaa"
        for position, length in ((0, 1001), (1000, 1), (1 << 70, 0), (-1, 1), (5, -1)):
            with pytest.raises(SizeError, match="copy what is inside") as caught:
                file.read_at(position, length)
            assert caught.value.code is Code.OUT_OF_RANGE
        with pytest.raises(NotAllowed, match="a buffer that was imported for reading"):
            file.write_at(0, b"x")


def test_what_is_gone_is_said_and_not_died_of() -> None:
    fd = memfd(bytes(3 * PAGE))
    with Fd.duplicate(fd) as owners, HostFile.open(fd, Import(3 * PAGE, 3 * PAGE)) as file:
        os.ftruncate(owners.fileno(), PAGE + 5)
        out = bytearray(b"\xff" * (2 * PAGE))
        with pytest.raises(Shrunk, match=f"expected {PAGE - 5} bytes at {PAGE + 5}, found the end") as caught:
            file.read_into(0, out)
        assert (caught.value.code, caught.value.position) == (Code.TOO_SHORT, PAGE + 5)
        assert out[: PAGE + 5] == bytes(PAGE + 5)


def test_what_may_be_written_is_until_its_exporter_seals_it() -> None:
    writes = Import(10, PAGE, 5, Access.READ_WRITE)
    fd = memfd(bytes(PAGE))
    with Fd.duplicate(fd) as owners, HostFile.open(fd, writes) as file:
        file.write_at(2, memoryview(b"mine"))
        assert os.pread(owners.fileno(), 10, 5) == b"\0\0mine\0\0\0\0"
        with pytest.raises(SizeError):
            file.write_at(8, b"out")
        fcntl.fcntl(owners.fileno(), ADD_SEALS, GROW)
        os.ftruncate(owners.fileno(), 8)
        with pytest.raises(Shrunk, match="expected 3 bytes at 2"):
            file.write_at(2, b"end")
        fcntl.fcntl(owners.fileno(), ADD_SEALS, WRITE)
        with pytest.raises(NotAllowed, match="sealed against writing"):
            file.write_at(0, b"x")


def test_all_but_the_seals_is_looked_at() -> None:
    cases: list[tuple[int, type[HostError]]] = [
        (os.open("/proc/self/comm", os.O_RDONLY), NotMemory),
        (memfd(b"12").detach(), FileTooShort),
    ]
    for number, kind in cases:
        with pytest.raises(kind):
            HostFile.open(number, Import(3, 3))
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(number)
    with memfd(bytes(9)) as fd:
        reads = os.open(f"/proc/self/fd/{fd.fileno()}", os.O_RDONLY)
        with pytest.raises(NotAllowed, match="open for reading only"):
            HostFile.open(reads, Import(9, 9, 0, Access.READ_WRITE))


def test_one_that_is_sealed_is_mapped() -> None:
    with HostBuffer(6) as buffer:
        with buffer.view() as view:
            view[:] = b"sealed"
        shared = SharedBuffer.from_bytes(buffer.shared().to_bytes())
        file = HostFile.open(buffer.consumer_fd(), shared)
        assert file.is_sealed
        with file.map() as mapping, mapping.view() as view:
            assert bytes(view) == b"sealed"
        assert file.closed
        with pytest.raises(Closed):
            file.read_at(0, 1)
    unsealed = HostFile.open(memfd(b"123"), Import(3, 3))
    with pytest.raises(NotSealed, match="without mapping it"):
        unsealed.map()
    assert unsealed.closed
    with HostFile.open(memfd(b"123"), Import(3, 3)) as file, file.detach() as fd:
        assert os.pread(fd.fileno(), 9, 0) == b"123"
