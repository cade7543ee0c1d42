"""Host memory of `wirecontract.host`: what is made is mapped to the byte, and what could hurt is refused by
name.
"""

import errno
import fcntl
import gc
import mmap
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wirecontract.contracts import Code, WireError
from wirecontract.contracts.buffer import BufferKind, ElementType, SharedBuffer
from wirecontract.contracts.dlpack import DLDataTypeCode
from wirecontract.handoff import Channel, CodedError, Expected, Fd, FdKind
from wirecontract.host import (
    Access,
    Busy,
    Closed,
    FileTooShort,
    HostBuffer,
    HostError,
    HostMapping,
    HostOSError,
    Import,
    NotAllowed,
    NotMemory,
    NotSealed,
    OtherMemory,
    Pool,
    SizeError,
)

pytestmark = pytest.mark.usefixtures("balanced")

PAGE = mmap.PAGESIZE
ADD_SEALS, SHRINK, GROW, WRITE, FUTURE_WRITE = 1033, 2, 4, 8, 16


def memfd(size: int, seals: int = SHRINK) -> Fd:
    fd = Fd(os.memfd_create("foreign", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC))
    os.ftruncate(fd.fileno(), size)
    fcntl.fcntl(fd.fileno(), ADD_SEALS, seals)
    return fd


def refused(
    kind: type[HostError], code: Code, text: str, fd: Fd | int, buffer: SharedBuffer | Import
) -> None:
    """Nothing is mapped, and the descriptor is closed."""
    number = fd if isinstance(fd, int) else fd.fileno()
    with pytest.raises(kind, match=text) as caught:
        HostMapping.open(fd, buffer)
    assert type(caught.value) is kind
    assert caught.value.code is code
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)


@pytest.mark.parametrize("size", [1, 7, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE + 5])
@pytest.mark.parametrize("offset", [0, 1, 256, PAGE - 1, PAGE, 2 * PAGE + 3])
def test_every_size_and_offset_is_exact_to_the_byte(size: int, offset: int) -> None:
    pattern = bytes(number % 251 for number in range(size))
    with HostBuffer(size, offset=offset) as buffer:
        with buffer.view() as view:
            assert (len(view), view.readonly, bytes(view[:1])) == (size, False, b"\0")
            view[:] = pattern
        assert buffer.describe() == Import(size, -(-(offset + size) // PAGE) * PAGE, offset)
        for numbers in (buffer.describe(), buffer.shared()):
            with HostMapping.open(buffer.consumer_fd(), numbers) as mapping, mapping.view() as seen:
                assert (bytes(seen), seen.readonly, mapping.size) == (pattern, True, size)
        with buffer.consumer_fd() as fd:
            # Nothing is before the buffer or behind it.
            whole = os.pread(fd.fileno(), 1 << 20, 0)
            assert whole == bytes(offset) + pattern + bytes(len(whole) - offset - size)


def test_only_the_pages_of_the_buffer_are_mapped_and_four_gibibytes_take_what_is_touched() -> None:
    with HostBuffer(4 << 30, name="large") as buffer:
        with buffer.view() as view:
            view[-1] = 7
        with buffer.consumer_fd() as fd:
            assert os.fstat(fd.fileno()).st_blocks * 512 <= 2 * PAGE
        numbers = Import(1, 4 << 30, (4 << 30) - 1)
        with HostMapping.open(buffer.consumer_fd(), numbers) as mapping:
            with mapping.view() as view:
                assert bytes(view) == b"\7"
            with open("/proc/self/maps") as maps:
                lengths = [
                    int(line.split("-")[1].split()[0], 16) - int(line.split("-")[0], 16)
                    for line in maps
                    if "/memfd:large" in line
                ]
            assert sorted(lengths) == [PAGE, 4 << 30]


def test_what_is_no_memory_is_refused_by_what_it_is_and_closed() -> None:
    numbers = Import(1, 1)

    def no_memory(fd: int, text: str) -> None:
        refused(NotMemory, Code.FD_KIND, f"expected a memfd, found {text}", fd, numbers)

    no_memory(os.open("/dev/null", os.O_RDWR), "a character device")
    no_memory(os.open("/", os.O_RDONLY), "a directory")
    no_memory(os.open("/proc/self/comm", os.O_RDONLY), "a file that is no memory")
    no_memory(os.open("/", os.O_PATH), r"a path that is not opened \(O_PATH\)")
    no_memory(socket.socket(socket.AF_UNIX).detach(), "a socket")
    no_memory(os.eventfd(0), "a descriptor of no file")
    reads, writes = os.pipe()
    no_memory(reads, "a pipe")
    no_memory(writes, "a pipe")


def test_what_can_shrink_is_not_mapped_and_what_is_mapped_does_not_shrink() -> None:
    text = "sealed with F_SEAL_SHRINK, found no seal"
    refused(NotSealed, Code.REFUSED, text, memfd(PAGE, 0), Import(1, PAGE))
    refused(NotSealed, Code.REFUSED, "found F_SEAL_GROW", memfd(PAGE, GROW), Import(1, PAGE))
    with HostBuffer(PAGE, consumers=Access.READ_WRITE) as buffer, buffer.consumer_fd() as fd:
        for size in (0, PAGE - 1, PAGE + 1):
            with pytest.raises(PermissionError):
                os.ftruncate(fd.fileno(), size)


def test_a_file_that_is_shorter_than_announced_is_refused() -> None:
    text = f"at least 8193 bytes, found {2 * PAGE}"
    refused(FileTooShort, Code.TOO_SHORT, text, memfd(2 * PAGE), Import(1, 8193))
    # A file that ends within a page is mapped to its end.
    with HostMapping.open(memfd(PAGE + 5), Import(5, PAGE + 5, PAGE)) as mapping, mapping.view() as view:
        assert bytes(view) == bytes(5)


def test_numbers_that_do_not_fit_each_other_are_refused() -> None:
    most = (1 << 64) - 1
    for size, allocation, offset in [
        (2, 1, 0),
        (1, 1, 1),
        (1, most, most),
        (most, most, most),
        (most, most, 1),
        (most - 4095, most, 4096),
    ]:
        text = rf"offset \+ size of at most the allocation's {allocation} bytes, found {offset} \+ {size}"
        refused(SizeError, Code.OUT_OF_RANGE, text, memfd(PAGE), Import(size, allocation, offset))
    refused(SizeError, Code.OUT_OF_RANGE, "at least 1 byte, found 0", memfd(PAGE), Import(0, PAGE))
    for size in (most, sys.maxsize + 1, sys.maxsize):
        refused(SizeError, Code.TOO_LARGE, "use smaller buffers", memfd(PAGE), Import(size, most))
    for number in (-1, most + 1):
        with pytest.raises(SizeError, match="numbers of 64 bits"):
            Import(number, PAGE)


def test_what_is_refused_first_is_what_is_looked_at_first() -> None:
    # Kind, seals, access, numbers, size: each of these has all the faults behind it as well.
    wrong = Import(2, 1, 5, Access.READ_WRITE)

    def reads(fd: Fd) -> int:
        return os.open(f"/proc/self/fd/{fd.fileno()}", os.O_RDONLY)

    refused(NotMemory, Code.FD_KIND, "a directory", os.open("/", os.O_RDONLY), wrong)
    with memfd(0, 0) as unsealed:
        refused(NotSealed, Code.REFUSED, "no seal", reads(unsealed), wrong)
    with memfd(0) as sealed:
        refused(NotAllowed, Code.REFUSED, "reading only", reads(sealed), wrong)
        refused(SizeError, Code.OUT_OF_RANGE, r"5 \+ 2", Fd.duplicate(sealed), wrong)
        refused(FileTooShort, Code.TOO_SHORT, "found 0", Fd.duplicate(sealed), Import(1, 1))


def test_an_access_that_the_descriptor_does_not_give_is_refused_by_name() -> None:
    writes = Import(1, PAGE, 0, Access.READ_WRITE)

    def reopened(fd: Fd, flags: int) -> int:
        return os.open(f"/proc/self/fd/{fd.fileno()}", flags)

    with memfd(PAGE) as fd:
        for flags, numbers, text in [
            (os.O_WRONLY, Import(1, PAGE), "open for writing only"),
            (os.O_RDONLY, writes, "open for reading only"),
            (os.O_RDWR | os.O_APPEND, writes, "a descriptor that appends"),
        ]:
            refused(NotAllowed, Code.REFUSED, text, reopened(fd, flags), numbers)
    refused(NotAllowed, Code.REFUSED, "sealed against writing", memfd(PAGE, SHRINK | FUTURE_WRITE), writes)
    with pytest.raises(PermissionError):
        HostMapping.open(memfd(PAGE, SHRINK | WRITE), writes)


def test_a_descriptor_of_another_kind_or_against_its_rules_is_refused() -> None:
    with HostBuffer(8) as buffer:
        shared = buffer.shared().to_bytes()
        foreign = bytearray(shared)
        foreign[8] = BufferKind.CUDA_VMM
        foreign[80] = 16
        cuda = SharedBuffer.from_bytes(bytes(foreign))
        refused(OtherMemory, Code.REFUSED, "found cuda_vmm", memfd(PAGE), cuda)
        outside = bytearray(shared)
        outside[16:24] = b"\xff" * 8
        with pytest.raises(WireError, match="within_allocation"):
            HostMapping.open(buffer.consumer_fd(), SharedBuffer.from_bytes(bytes(outside)))


def test_consumers_that_read_cannot_write_by_any_door() -> None:
    with HostBuffer(PAGE) as buffer, buffer.consumer_fd() as fd:
        assert not os.get_inheritable(fd.fileno())
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.write(fd.fileno(), b"x")
        with pytest.raises(PermissionError):
            mmap.mmap(fd.fileno(), PAGE)
        writes = Import(1, PAGE, 0, Access.READ_WRITE)
        refused(NotAllowed, Code.REFUSED, "open for reading only", Fd.duplicate(fd), writes)
        with HostMapping.open(Fd.duplicate(fd), buffer.describe()) as mapping, mapping.view() as view:
            with pytest.raises(TypeError, match="read-only"):
                view[0] = 1
            assert not mapping.is_frozen


def test_consumers_that_write_are_seen() -> None:
    with HostBuffer(10, offset=5, consumers=Access.READ_WRITE) as buffer, buffer.view() as ours:
        with HostMapping.open(buffer.consumer_fd(), buffer.shared()) as mapping, mapping.view() as theirs:
            assert not theirs.readonly
            theirs[:] = b"0123456789"
            with mapping.duplicate_fd() as fd:
                assert os.pread(fd.fileno(), 10, 5) == b"0123456789"
        assert bytes(ours) == b"0123456789"


def test_memory_is_not_unmapped_under_a_view() -> None:
    buffer = HostBuffer(4, consumers=Access.READ_WRITE)
    mapping = HostMapping.open(buffer.consumer_fd(), buffer.describe())
    for owner in (buffer, mapping):
        view = owner.view()
        array = view.cast("I")
        view.release()
        with pytest.raises(Busy, match="release each memoryview") as caught:
            owner.close()
        assert isinstance(caught.value, BufferError)
        assert caught.value.code is Code.BUSY
        # Nothing has changed.
        array[0] = 7
        still_open = not owner.closed
        assert still_open
        array.release()
        owner.close()
        owner.close()
        assert owner.closed
        with pytest.raises(Closed):
            owner.view()


def test_an_exception_is_not_hidden_by_views_in_its_frames() -> None:
    def fail(view: memoryview) -> None:
        raise LookupError(len(view))

    def import_and_fail() -> None:
        with HostMapping.open(buffer.consumer_fd(), buffer.describe()) as mapping:
            fail(mapping.view())

    with HostBuffer(4) as buffer:
        with pytest.raises(LookupError, match="4"):
            import_and_fail()
        gc.collect()
        mapping = HostMapping.open(buffer.consumer_fd(), buffer.describe())
        view = mapping.view()
        with pytest.raises(Busy), mapping:
            assert not mapping.closed
        view.release()
        mapping.close()


def test_a_frozen_buffer_is_written_no_more() -> None:
    with HostBuffer(5, consumers=Access.READ_WRITE) as buffer:
        view = buffer.view()
        view[:] = b"table"
        with pytest.raises(Busy, match="no view"):
            buffer.freeze()
        view.release()
        with HostMapping.open(buffer.consumer_fd(), buffer.describe()) as writer:
            with pytest.raises(Busy, match="nobody to write the buffer"):
                buffer.freeze()
            frozen = buffer.is_frozen
            assert not frozen
            with buffer.view() as still:
                still[0:1] = b"T"
            del writer
        buffer.freeze()
        buffer.freeze()
        assert buffer.is_frozen
        assert buffer.describe().access is Access.READ_ONLY
        with buffer.view() as view:
            assert (bytes(view), view.readonly) == (b"Table", True)
        with HostMapping.open(buffer.consumer_fd(), buffer.shared()) as mapping, mapping.view() as view:
            assert (bytes(view), mapping.is_frozen) == (b"Table", True)
    with HostBuffer(5, final_seals=True) as buffer, pytest.raises(HostError, match="found final ones"):
        buffer.freeze()


def test_options_that_are_none_are_refused() -> None:
    cases: list[tuple[Callable[[], HostBuffer], Code, str]] = [
        (lambda: HostBuffer(0), Code.OUT_OF_RANGE, "at least 1 byte"),
        (lambda: HostBuffer(sys.maxsize), Code.TOO_LARGE, "use smaller buffers"),
        (lambda: HostBuffer(-1), Code.OUT_OF_RANGE, "a size of at least 1 byte, found -1"),
        (lambda: HostBuffer(9, offset=-8), Code.OUT_OF_RANGE, "an offset of at least 0 bytes, found -8"),
        (lambda: HostBuffer(9, alignment=-8), Code.OUT_OF_RANGE, "a power of two of at most"),
        (lambda: HostBuffer(1, offset=1 << 63), Code.TOO_LARGE, "use smaller buffers"),
        (lambda: HostBuffer(1, alignment=3), Code.OUT_OF_RANGE, "a power of two"),
        (lambda: HostBuffer(1, alignment=2 * PAGE), Code.OUT_OF_RANGE, "a power of two"),
        (lambda: HostBuffer(1, alignment=64, offset=32), Code.OUT_OF_RANGE, "a multiple of 64, found 32"),
        (lambda: HostBuffer(1, name="x" * 250), Code.BAD_TEXT, "found 250 bytes"),
        (lambda: HostBuffer(1, name="x" * 249 + "\0"), Code.BAD_TEXT, "found 250 bytes"),
        (
            lambda: HostBuffer(1, name="aé\0b\0"),
            Code.BAD_TEXT,
            "without NUL, found one at byte 3",
        ),
    ]
    for make, code, text in cases:
        with pytest.raises(CodedError, match=text) as caught:
            make()
        assert caught.value.code is code


def test_what_the_system_refuses_says_what_it_was_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise OSError(errno.EMFILE, "")

    with (
        HostBuffer(8, consumers=Access.READ_WRITE) as buffer,
        HostMapping.open(buffer.consumer_fd(), buffer.shared()) as mapping,
    ):
        monkeypatch.setattr(os, "dup", fail)
        for duplicate in (buffer.consumer_fd, mapping.duplicate_fd):
            with pytest.raises(
                HostOSError, match=r"^duplicating the descriptor of a memfd: .* \(os error 24\)$"
            ) as caught:
                duplicate()
            assert (caught.value.code, caught.value.errno) == (Code.IO, errno.EMFILE)


def test_what_is_no_number_of_bytes_is_refused_as_that() -> None:
    size: Any
    for size in (True, False, 4.0, "4", None):
        with pytest.raises(TypeError, match=f"a size that is a whole number of bytes, found {size!r}"):
            HostBuffer(size)
    with pytest.raises(TypeError, match="an offset that is a whole number of bytes, found True"):
        HostBuffer(4, offset=True)

    class Four:
        def __index__(self) -> int:
            return 4

    size = Four()
    with HostBuffer(size) as buffer:
        assert buffer.size == 4


def test_populated_pages_are_there_from_the_start() -> None:
    with HostBuffer(10 * PAGE, populate=True) as buffer, buffer.consumer_fd() as fd:
        assert os.fstat(fd.fileno()).st_blocks * 512 == 10 * PAGE


def test_a_descriptor_says_the_tensor() -> None:
    with HostBuffer(24) as buffer:
        element = ElementType(code=DLDataTypeCode.FLOAT, bits=32, lanes=1)
        shared = buffer.shared(element=element, shape=[2, 3], buffer_id=9)
        shared.validate_import()
        assert (shared.shape, shared.buffer_id, shared.exporter.pid) == ((2, 3), 9, os.getpid())
        with pytest.raises(WireError, match="tensor_within_buffer"):
            buffer.shared(element=element, shape=[2, 4]).validate_import()


def test_a_descriptor_says_which_process_and_which_buffer() -> None:
    def check() -> tuple[int, ...]:
        with open("/proc/self/stat") as stat:
            start = int(stat.read().rpartition(")")[2].split()[19])
        with HostBuffer(1) as one, HostBuffer(1) as other:
            exporter = one.shared().exporter
            assert exporter == other.shared().exporter
            assert (exporter.pid, exporter.start_time) == (os.getpid(), start)
            assert exporter.pid_namespace == os.stat("/proc/self/ns/pid").st_ino
            numbers = [one.shared().buffer_id, other.shared().buffer_id]
            assert one.shared().buffer_id == numbers[0]
            assert one.shared(buffer_id=0).buffer_id == 0
        assert 0 < numbers[0] < numbers[1]
        return exporter.pid, exporter.start_time

    ours = check()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if check() != ours else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    pool = Pool(10, 2)
    with pool.take() as first, pool.take() as second:
        numbers = {first.shared().buffer_id, second.shared().buffer_id}
    with pool.take() as again:
        assert again.shared().buffer_id in numbers
    assert len(numbers) == 2


OTHER = """
import os, sys
from wirecontract.contracts.buffer import SharedBuffer
from wirecontract.handoff import Channel, Expected
from wirecontract.host import HostMapping
channel = Channel.from_fd(int(sys.argv[1]))
message = channel.recv(Expected(4096, fds=1))
mapping = HostMapping.open(message.fds[0], SharedBuffer.from_bytes(message.body))
"""


@pytest.mark.parametrize("killed", [False, True])
def test_another_process_maps_writes_and_dies(killed: bool) -> None:
    script = (
        OTHER
        + """
view = mapping.view()
view[:6] = bytes(view[:6])[::-1]
channel.send(b"written")
channel.recv(Expected(10))
"""
        + ("os.kill(os.getpid(), 9)" if killed else "view.release(); mapping.close()")
    )
    ours, theirs = Channel.pair()
    with ours, theirs.detach() as end, HostBuffer(100_000, offset=64, consumers=Access.READ_WRITE) as buffer:
        number = end.fileno()
        process = subprocess.Popen([sys.executable, "-c", script, str(number)], pass_fds=[number])
        end.close()
        with buffer.view() as view, buffer.consumer_fd() as fd:
            view[:6] = b"pixels"
            ours.send(buffer.shared().to_bytes(), [fd])
            assert ours.recv(Expected(10)).body == b"written"
            assert bytes(view[:6]) == b"slexip"
            ours.send(b"end")
            assert process.wait(60) == (-signal.SIGKILL if killed else 0)
            assert bytes(view[:6]) == b"slexip"
        # Whatever became of the consumer, nobody writes it any more.
        buffer.freeze()


def test_memory_outlives_its_exporter() -> None:
    script = """
import sys
from wirecontract.handoff import Channel
from wirecontract.host import HostBuffer
channel = Channel.from_fd(int(sys.argv[1]))
buffer = HostBuffer(1 << 20)
buffer.view()[-5:] = b"table"
with buffer.consumer_fd() as fd:
    channel.send(buffer.shared().to_bytes(), [fd])
"""
    ours, theirs = Channel.pair()
    with ours, theirs.detach() as end:
        number = end.fileno()
        process = subprocess.Popen([sys.executable, "-c", script, str(number)], pass_fds=[number])
        end.close()
        with ours.recv(Expected(4096, fds=1)) as message:
            assert process.wait(60) == 0
            with HostMapping.open(message.fds[0], SharedBuffer.from_bytes(message.body)) as mapping:
                assert message.fds[0].closed
                with mapping.view() as view:
                    assert bytes(view[-6:]) == b"\0table"


def test_of_what_is_no_memory_no_file_system_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(PAGE))
    reader, writer = os.pipe()
    os.close(writer)
    found = [
        (os.open(file, os.O_RDWR), "a file that is no memory"),
        (os.open(tmp_path, os.O_RDONLY), "a directory"),
        (os.open("/dev/null", os.O_RDWR), "a character device"),
        (os.open(file, os.O_PATH), "not opened"),
        (reader, "a pipe"),
    ]

    def fail(number: int) -> None:
        # A process may serve that file system, and say nothing.
        raise AssertionError(number)

    for number, text in found:
        with monkeypatch.context() as patch:
            for ask in ("fstat", "fstatvfs", "lseek"):
                patch.setattr(os, ask, fail)
            with pytest.raises(NotMemory, match=text) as caught:
                HostMapping.open(number, Import(1, PAGE))
            with pytest.raises(FdKind, match="found no socket"):
                Channel.from_fd(os.open(file, os.O_RDONLY))
        assert caught.value.code is Code.FD_KIND
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(number)


def test_pages_are_made_in_steps_between_which_signals_are_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[int, int]] = []
    allocate = os.posix_fallocate

    def note(fd: int, start: int, length: int) -> None:
        steps.append((start, length))
        allocate(fd, start, length)

    monkeypatch.setattr(os, "posix_fallocate", note)
    with HostBuffer((128 << 20) + PAGE, populate=True):
        assert steps == [(0, 64 << 20), (64 << 20, 64 << 20), (128 << 20, PAGE)]


def test_a_process_whose_first_thread_ended_hands_over() -> None:
    script = """
import ctypes, os, platform, sys, tempfile, threading
from wirecontract.contracts.buffer import SharedBuffer
from wirecontract.handoff import Channel, Expected, Listener, Options, PidFd
from wirecontract.host import HostBuffer, HostMapping
from wirecontract.lease import Consumer, Producer
def others():
    code = 1
    try:
        while open(f"/proc/{os.getpid()}/stat").read().rpartition(") ")[2][0] != "Z":
            pass
        assert not os.path.exists("/proc/self/fd/0")
        with HostBuffer(10) as buffer, tempfile.TemporaryDirectory() as folder:
            with HostMapping.open(buffer.consumer_fd(), buffer.shared()):
                pass
            PidFd.adopt(PidFd.of_process(os.getpid()).detach()).close()
            os.umask(0o777)
            with Listener.bind(folder + "/a.sock", Options(mode=0o600)) as listener:
                with Consumer(Channel.connect(folder + "/a.sock")) as consumer:
                    with Producer(listener.accept(60)) as producer:
                        lease = producer.offer_without_waiting(buffer)
                        consumer.next(60).release()
                        assert lease.wait_released(60).reason.name == "RELEASED"
                    assert consumer.wait_closed(60).reason.name == "PEER_CLOSED"
            one, other = Channel.pair()
            one.send(b"x", [0, 1 if os.fstat(1).st_rdev == 0 else 2, os.dup(0)])
            try:
                other.recv(Expected(1, fds=3))
            except ValueError as error:
                assert "descriptors 0 and 2 of" in str(error), error
                code = 0
    except BaseException:
        import traceback
        traceback.print_exc()
    finally:
        os._exit(code)
threading.Thread(target=others).start()
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, capture_output=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_pages_that_the_machine_cannot_have_are_refused_before_any_is_made() -> None:
    with pytest.raises(SizeError, match="pages that are made at once") as refused:
        HostBuffer(1 << 60, populate=True)
    assert refused.value.code is Code.TOO_LARGE
