"""The pages of `wirecontract.host.HostBuffer`: huge ones on request, and zeros that take no memory."""

import fcntl
import mmap
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from wirecontract.contracts import Code
from wirecontract.handoff import Fd
from wirecontract.host import (
    Access,
    HostBuffer,
    HostMapping,
    HugePages,
    Import,
    NoHugePages,
    NotAllowed,
    NotSealed,
    Pages,
    Pool,
    SizeError,
)

pytestmark = pytest.mark.usefixtures("balanced")

PAGE = mmap.PAGESIZE
MIB = 1 << 20


OVERCOMMIT = Path("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_overcommit_hugepages")


@pytest.fixture
def huge_pages() -> Iterator[None]:
    """Has the machine give huge pages of 2 MiB while a test runs, which only root can have it do."""
    if os.geteuid() != 0:
        text = "only root has the machine give huge pages"
        if os.environ.get("WIRECONTRACT_TEST_ALL"):
            pytest.fail(f"{text}: run all tests as root")
        pytest.skip(text)
    try:
        before = OVERCOMMIT.read_text()
        OVERCOMMIT.write_text("16")
    except OSError as error:
        pytest.skip(f"this machine gives no huge pages: {error}")
    try:
        yield
    finally:
        OVERCOMMIT.write_text(before)


def resident(buffer: HostBuffer) -> int:
    """Bytes that the file has memory for."""
    with buffer.consumer_fd() as fd:
        return os.fstat(fd.fileno()).st_blocks * 512


def test_huge_pages_that_are_not_there_are_refused_by_name() -> None:
    # As many as no machine has.
    with pytest.raises(NoHugePages, match="expected free huge pages of 2097152 bytes, found none") as caught:
        HostBuffer(1 << 46, huge_pages=HugePages("required", 2 * MIB))
    assert caught.value.code is Code.REFUSED


@pytest.mark.usefixtures("huge_pages")
def test_huge_pages_are_mapped_zeroed_and_frozen() -> None:
    wanted = HugePages("required", 2 * MIB)
    with HostBuffer(3 * MIB, offset=5, huge_pages=wanted) as buffer:
        assert (buffer.pages, buffer.allocation_size) == (Pages("huge", 2 * MIB), 4 * MIB)
        with buffer.view() as view:
            view[-5:] = b"large"
        with HostMapping.open(buffer.consumer_fd(), buffer.describe()) as mapping, mapping.view() as view:
            assert bytes(view[-6:]) == b"\0large"
        buffer.zero()
        with buffer.view() as view:
            assert bytes(view[-6:]) == bytes(6)
            view[:3] = b"end"
        buffer.freeze()
        with HostMapping.open(buffer.consumer_fd(), buffer.describe()) as mapping, mapping.view() as view:
            assert (bytes(view[:4]), mapping.is_frozen) == (b"end\0", True)


@pytest.mark.usefixtures("huge_pages")
def test_huge_pages_that_are_preferred_are_used_again_by_a_pool() -> None:
    pool = Pool(3 * MIB, 1, zeroed=True, huge_pages=HugePages("preferred", 2 * MIB), populate=True)
    for _ in range(3):
        with pool.take() as frame, frame.view() as view:
            assert (bytes(view[:1]), bytes(view[-1:])) == (b"\0", b"\0")
            view[0] = view[-1] = 7
            with HostMapping.open(frame.consumer_fd(), frame.shared()) as mapping, mapping.view() as theirs:
                assert theirs[-1] == 7
                with mapping.duplicate_fd() as fd:
                    assert os.fstatvfs(fd.fileno()).f_bsize == 2 * MIB
    pool.trim()


@pytest.mark.usefixtures("huge_pages")
def test_huge_pages_of_who_may_write_them_are_not_mapped() -> None:
    flags = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING | os.MFD_HUGETLB | os.MFD_HUGE_2MB
    with Fd(os.memfd_create("huge", flags)) as fd:
        os.ftruncate(fd.fileno(), 2 * MIB)
        fcntl.fcntl(fd.fileno(), 1033, 2)
        with pytest.raises(NotSealed, match="expected a memfd that is sealed with F_SEAL_FUTURE_WRITE"):
            HostMapping.open(Fd.duplicate(fd), Import(1, 2 * MIB))


def test_huge_pages_that_are_preferred_give_way() -> None:
    for wanted in (HugePages("preferred", 1 << 50), HugePages("preferred", 3)):
        with HostBuffer(10, huge_pages=wanted) as buffer:
            assert (buffer.pages.kind in ("advised", "ordinary"), buffer.pages.size) == (True, PAGE)
            assert buffer.allocation_size == PAGE
    with HostBuffer(10, huge_pages=HugePages("preferred"), consumers=Access.READ_WRITE) as buffer:
        assert buffer.pages.size == PAGE
    with HostBuffer(10) as buffer:
        assert buffer.pages == Pages("ordinary", PAGE)
    with HostBuffer(4 * MIB, huge_pages=HugePages("advised")) as buffer:
        with open("/proc/self/smaps") as maps:
            flags = maps.read().split("VmFlags:")[1:]
        advised = any(" hg " in line.split("\n")[0] + " " for line in flags)
        assert (buffer.pages.kind == "advised") == advised


def test_huge_pages_that_nobody_has_are_refused() -> None:
    for size in (0, 1, PAGE, 3 * MIB):
        with pytest.raises(NoHugePages):
            HostBuffer(10, huge_pages=HugePages("required", size))
    with pytest.raises(NoHugePages, match="found consumers that write"):
        HostBuffer(10, huge_pages=HugePages("required"), consumers=Access.READ_WRITE)
    with pytest.raises(SizeError, match="at least 1 byte"):
        HostBuffer(0, huge_pages=HugePages("preferred"))
    with pytest.raises(ValueError, match="found 'sometimes'"):
        HugePages("sometimes")  # type: ignore[arg-type]


@pytest.mark.parametrize("consumers", list(Access), ids=str)
@pytest.mark.parametrize("populate", [False, True])
@pytest.mark.parametrize(("size", "offset"), [(1, 0), (PAGE, 0), (3 * PAGE + 5, 7), (10 * PAGE, PAGE - 1)])
def test_a_buffer_is_zero_and_takes_no_more_memory(
    consumers: Access, populate: bool, size: int, offset: int
) -> None:
    with HostBuffer(size, offset=offset, consumers=consumers, populate=populate) as buffer:
        before = resident(buffer)
        with buffer.view() as view:
            view[:1] = view[-1:] = b"x"
            touched = resident(buffer)
            # Under a view as well: nothing is unmapped.
            buffer.zero()
            assert bytes(view) == bytes(size)
            view[:] = b"y" * size
        buffer.zero()
        # Before it is read, which makes pages.
        left = resident(buffer)
        with buffer.view() as view:
            assert bytes(view) == bytes(size)
        if populate:
            assert left == before
        elif consumers is Access.READ_WRITE:
            # But for pages that are not the buffer's alone.
            assert left <= min(touched, 2 * PAGE)


def test_four_gibibytes_are_zero_as_soon_as_what_was_touched_is() -> None:
    with HostBuffer(4 << 30) as buffer:
        with buffer.view() as view:
            view[-1] = view[1 << 31] = 7
        buffer.zero()
        with buffer.view() as view:
            assert (view[-1], view[1 << 31]) == (0, 0)
        assert resident(buffer) <= 2 * PAGE


def test_what_is_frozen_is_zeroed_no_more() -> None:
    with HostBuffer(5) as buffer:
        buffer.freeze()
        with pytest.raises(NotAllowed, match="sealed against writing"):
            buffer.zero()
