"""Host memory of the native library, and tensors in it and in that of the pure package."""

import gc
import os
import signal
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest
import wirecontract
from wirecontract import Tensor, handoff, host, lease
from wirecontract.contracts import Code, WireError
from wirecontract.contracts.buffer import BufferKind, ElementType, SharedBuffer
from wirecontract.contracts.dlpack import DLDataTypeCode
from wirecontract.host import Access, Busy, Closed, HostError, HugePages, Import, NotAllowed

pytestmark = pytest.mark.usefixtures("balanced")

PACKAGES: dict[str, Any] = {"native": wirecontract, "pure": host}
PAIRS = list(product(PACKAGES, PACKAGES))

FLOAT32 = ElementType(code=DLDataTypeCode.FLOAT, bits=32, lanes=1)


def elements(tensor: Tensor) -> Any:
    """A view of them, whatever they are."""
    return memoryview(tensor)


@pytest.mark.parametrize(("makes", "opens"), PAIRS)
@pytest.mark.parametrize("consumers", list(Access))
def test_a_buffer_of_either_package_is_opened_by_either(makes: str, opens: str, consumers: Access) -> None:
    size, offset = 100_000, 256
    with PACKAGES[makes].HostBuffer(
        size, offset=offset, alignment=256, name="frame", consumers=consumers
    ) as buffer:
        assert (buffer.size, buffer.offset, buffer.allocation_size) == (size, offset, 102_400)
        assert buffer.describe() == Import(size, 102_400, offset, consumers)
        assert (buffer.pages.kind, buffer.is_frozen, buffer.has_views) == ("ordinary", False, False)
        with buffer.view() as view:
            view[:5] = b"frame"
            view[-1] = 7
            assert buffer.has_views
        shared = buffer.shared()
        assert shared.buffer_id != buffer.shared(buffer_id=0).buffer_id == 0
        for told in (shared, buffer.describe()):
            with PACKAGES[opens].HostMapping.open(buffer.consumer_fd(), told) as mapping:
                assert (mapping.size, mapping.describe()) == (size, buffer.describe())
                with mapping.view() as view, mapping.duplicate_fd() as fd:
                    assert (view.nbytes, bytes(view[:5]), view[-1]) == (size, b"frame", 7)
                    assert view.readonly is (consumers is Access.READ_ONLY)
                    assert os.fstat(fd.fileno()).st_size == 102_400
                if consumers is Access.READ_WRITE:
                    with mapping.view() as view:
                        view[0:5] = b"other"
                    with buffer.view() as view:
                        assert bytes(view[:5]) == b"other"
                        view[0:5] = b"frame"
        buffer.zero()
        with buffer.view() as view:
            assert not any(view)


@pytest.mark.parametrize("makes", PACKAGES)
def test_a_tensor_keeps_the_memory_and_outlives_its_mapping(makes: str) -> None:
    with PACKAGES[makes].HostBuffer(24) as buffer:
        written = buffer.tensor(shape=(2, 3), dtype="float32")
        elements(written)[1, 2] = 2.5
        mapping = PACKAGES[makes].HostMapping.open(buffer.consumer_fd(), buffer.shared())
        read = mapping.tensor(shape=[3, 2], dtype="float32", strides=[1, 3])
        assert elements(read).tolist()[2] == [0.0, 2.5]
        assert (written.readonly, read.readonly) == (False, True)
        assert mapping.tensor(offset=20).shape == (4,)
        assert buffer.tensor(readonly=True).readonly
        elements(written)[0, 0] = 1.0
        assert mapping.tensor(shape=(), dtype="float32").tobytes() == b"\0\0\x80\x3f"
        for memory in (buffer, mapping):
            with pytest.raises(Busy, match="no view of the buffer"):
                memory.close()
            assert not memory.closed
        gone = weakref.ref(mapping)
        del memory, mapping
        gc.collect()
        # What keeps the mapping is the tensor; the pure one's pages alone.
        assert (gone() is None) == (makes == "pure")
        assert elements(read).tolist()[2] == [0.0, 2.5]
        del read
        gc.collect()
        assert gone() is None
        with pytest.raises(BufferError):
            buffer.tensor(shape=(7,), dtype="float32")
        with pytest.raises(BufferError):
            buffer.tensor(shape=(1,), dtype="float32", offset=21)
        del written


def test_where_an_exception_ends_a_with_the_memory_ends_with_the_last_of_it() -> None:
    with wirecontract.HostBuffer(4) as buffer:
        mapping = wirecontract.HostMapping.open(buffer.consumer_fd(), buffer.shared())
        tensors = []

        def fail() -> None:
            with mapping:
                tensors.append(mapping.tensor())
                raise LookupError

        with pytest.raises(LookupError):
            fail()
        assert mapping.closed
        assert tensors[0].tobytes() == b"\0\0\0\0"
        with pytest.raises(Closed):
            mapping.view()
        mapping.close()
        tensors.clear()
        with pytest.raises(Busy), mapping_of(buffer) as again:
            view = again.view()
        view.release()
        again.close()
        assert again.closed


def mapping_of(buffer: Any) -> wirecontract.HostMapping:
    return wirecontract.HostMapping.open(buffer.consumer_fd(), buffer.shared())


def natively(shared: SharedBuffer) -> wirecontract.SharedBuffer:
    """The same descriptor as the native class."""
    return wirecontract.SharedBuffer.from_bytes(shared.to_bytes())


@pytest.mark.parametrize("makes", PACKAGES)
def test_a_shared_buffer_is_opened_as_the_tensor_that_it_says(makes: str) -> None:
    with PACKAGES[makes].HostBuffer(64) as buffer:
        with buffer.view() as view, view.cast("f") as floats:
            for place in range(16):
                floats[place] = place
        shared = buffer.shared(element=FLOAT32, shape=(2, 3), strides=(-4, 1), byte_offset=32)
        descriptor = natively(shared)
        for fd in (buffer.consumer_fd(), handoff.Fd(buffer.consumer_fd().detach())):
            tensor = descriptor.open(fd)
            assert (tensor.shape, tensor.strides, tensor.dtype) == ((2, 3), (-4, 1), "float32")
            assert (tensor.readonly, tensor.device) == (True, (1, 0))
            assert elements(tensor).tolist() == [[8.0, 9.0, 10.0], [4.0, 5.0, 6.0]]
        assert wirecontract.shared_tensor(buffer.view(), shared).tobytes() == tensor.tobytes()
        plain = wirecontract.SharedBuffer.open(natively(buffer.shared()), buffer.consumer_fd().detach())
        assert (plain.shape, plain.dtype) == ((64,), "uint8")
        half = buffer.shared(element=ElementType(code=DLDataTypeCode.BFLOAT, bits=16, lanes=1), shape=(32,))
        assert natively(half).open(buffer.consumer_fd()).dtype == "bfloat16"
    # The exporter's end changes nothing of it.
    assert elements(tensor).tolist()[0] == [8.0, 9.0, 10.0]


def test_a_buffer_that_consumers_write_is_a_tensor_that_is_written() -> None:
    with wirecontract.HostBuffer(8, consumers=Access.READ_WRITE) as buffer:
        tensor = natively(buffer.shared(element=FLOAT32, shape=(2,))).open(buffer.consumer_fd())
        elements(tensor)[1] = 1.0
        with buffer.view() as view:
            assert bytes(view) == b"\0\0\0\0\0\0\x80\x3f"


def test_a_frozen_buffer_is_written_no_more() -> None:
    with wirecontract.HostBuffer(5, consumers=Access.READ_WRITE) as buffer:
        with buffer.view() as view:
            view[:] = b"table"
            with pytest.raises(Busy, match="no view"):
                buffer.freeze()
        with mapping_of(buffer):
            with pytest.raises(Busy, match="nobody to write the buffer"):
                buffer.freeze()
            with buffer.view() as still:
                still[:1] = b"T"
        buffer.freeze()
        buffer.freeze()
        assert (buffer.is_frozen, buffer.describe().access) == (True, Access.READ_ONLY)
        assert (buffer.tensor().tobytes(), buffer.tensor().readonly) == (b"Table", True)
        with pytest.raises(NotAllowed, match="sealed against writing"):
            buffer.zero()
        with mapping_of(buffer) as mapping:
            assert mapping.is_frozen
    with wirecontract.HostBuffer(5, final_seals=True) as buffer:
        with pytest.raises(HostError, match="found final ones"):
            buffer.freeze()
        assert not buffer.is_frozen


def said(call: Callable[[], object]) -> tuple[Any, ...]:
    """All that a refusal says."""
    with pytest.raises((HostError, WireError, TypeError, ValueError)) as caught:
        call()
    return type(caught.value), str(caught.value), vars(caught.value)


def test_what_is_refused_is_refused_with_the_same_class_code_and_words() -> None:
    wanted: list[dict[str, Any]] = [
        {"size": 0},
        {"size": -1},
        {"size": 1 << 63},
        {"size": 1 << 70},
        {"size": "4"},
        {"size": True},
        {"size": 4, "offset": 3, "alignment": 2},
        {"size": 4, "alignment": 3},
        {"size": 4, "alignment": 8192},
        {"size": 4, "offset": -4},
        {"size": 4, "name": "a\0b"},
        {"size": 4, "name": "x" * 250},
        {"size": 4, "name": 7},
        {"size": 4, "consumers": "all"},
        {"size": 4, "huge_pages": True},
        {"size": 4, "huge_pages": HugePages("required", 12345)},
        {"size": 4, "huge_pages": HugePages("required"), "consumers": Access.READ_WRITE},
        {"size": 1 << 50, "populate": True},
    ]
    for asked in wanted:
        native, pure = (said(partial(made.HostBuffer, **asked)) for made in PACKAGES.values())
        assert native == pure, asked


def opened(package: Any, make: Callable[[], int], told: Any) -> tuple[Any, ...]:
    return said(lambda: package.HostMapping.open(make(), told))


def memfd(size: int, flags: int = os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC) -> int:
    number = os.memfd_create("a", flags)
    os.truncate(number, size)
    return number


def pipe() -> int:
    reads, writes = os.pipe()
    os.close(writes)
    return reads


def test_nothing_of_what_is_opened_is_believed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(4096))
    with host.HostBuffer(4096) as buffer:
        shared = buffer.shared()
        whole = Import(4096, 4096)

        def good() -> int:
            return buffer.consumer_fd().detach()

        cases: list[tuple[Callable[[], int], Any]] = [
            (lambda: os.open(tmp_path / "file", os.O_RDONLY), whole),
            (lambda: os.open(tmp_path, os.O_RDONLY), whole),
            (lambda: os.open("/dev/null", os.O_RDWR), whole),
            (pipe, whole),
            (lambda: memfd(4096), whole),
            (lambda: memfd(4096, 0), whole),
            (good, Import(4096, 4096, 0, Access.READ_WRITE)),
            (good, Import(0, 4096)),
            (good, Import(4096, 4096, 1)),
            (good, Import(1 << 63, (1 << 64) - 1, 1 << 62)),
            (good, Import((1 << 64) - 1, (1 << 64) - 1, 1)),
            (good, Import(4096, 8192)),
            (good, 7),
            (good, None),
            (good, b"bytes"),
        ]
        for make, told in cases:
            assert opened(wirecontract, make, told)[:2] == opened(host, make, told)[:2] or told == b"bytes", (
                told
            )
        for kind in BufferKind:
            raw = shared.to_bytes()
            other = SharedBuffer.from_bytes(raw[:8] + int(kind).to_bytes(4, "little") + raw[12:])
            if kind is not BufferKind.HOST_MEMFD:
                assert opened(wirecontract, good, other) == opened(host, good, other)
        for wrong in (b"", shared.to_bytes()[:-1], b"X" + shared.to_bytes()[1:]):
            native = said(partial(wirecontract.SharedBuffer.from_bytes, wrong))
            assert native == said(partial(SharedBuffer.from_bytes, wrong))
        of_another_kind = wirecontract.SharedBuffer.from_bytes(
            raw[:8] + int(BufferKind.DMA_BUF).to_bytes(4, "little") + raw[12:]
        )
        with pytest.raises(host.OtherMemory, match="found dma_buf") as caught:
            of_another_kind.open(good())
        assert caught.value.code is Code.REFUSED
        with pytest.raises(TypeError, match=r"'open' for 'wirecontract\.SharedBuffer' objects"):
            wirecontract.SharedBuffer.open(cast("wirecontract.SharedBuffer", shared), 0)
        with host.HostBuffer(1 << 20) as large, pytest.raises(host.FileTooShort):
            natively(large.shared()).open(good())


def test_what_was_closed_is_refused() -> None:
    for package in PACKAGES.values():
        buffer = package.HostBuffer(4)
        mapping = package.HostMapping.open(buffer.consumer_fd(), buffer.shared())
        for memory in (mapping, buffer):
            memory.close()
            memory.close()
            assert memory.closed
            calls = [memory.view, memory.tensor]
            calls += [memory.duplicate_fd] if memory is mapping else [memory.consumer_fd, memory.freeze]
            for call in calls:
                with pytest.raises(Closed, match="found a closed one"):
                    call()


def test_a_mapping_outlives_the_process_that_made_it(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with wirecontract.listen(path) as listener:
        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                buffer = wirecontract.HostBuffer(1 << 20, name="frame")
                elements(buffer.tensor())[-1] = 42
                channel = wirecontract.connect(path)
                channel.send(buffer.shared().to_bytes(), [buffer.consumer_fd()])
                signal.pause()
            os._exit(1)
        with listener.accept(120) as channel, channel.recv(4096, fds=1, within=120) as message:
            tensor = wirecontract.SharedBuffer.from_bytes(message.body).open(message.fds[0])
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert (tensor.nbytes, elements(tensor)[-1]) == (1 << 20, 42)
    del tensor


def test_what_is_held_by_a_lease_is_a_tensor() -> None:
    ours, theirs = handoff.Channel.pair()
    with lease.Producer(ours) as producer, lease.Consumer(theirs) as consumer, host.HostBuffer(24) as buffer:
        with buffer.view() as view:
            view[4] = 9
        element = ElementType(code=DLDataTypeCode.INT, bits=32, lanes=1)
        lend = lease.Lend.host(buffer, buffer.shared(element=element, shape=(2, 3)))
        lent = producer.offer_without_waiting(lend)
        held = consumer.next(60)
        tensor = held.tensor()
        assert (tensor.shape, tensor.dtype, tensor.readonly) == ((2, 3), "int32", True)
        assert elements(tensor).tolist() == [[0, 9, 0], [0, 0, 0]]
        with pytest.raises(Busy):
            held.release()
        del tensor
        held.release()
        assert lent.wait_released(60).reason.name == "RELEASED"
        with pytest.raises(lease.GivenBack):
            held.tensor()


def test_without_the_native_library_there_are_no_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wirecontract._native", None)
    for name in ("Tensor", "shared_tensor"):
        monkeypatch.delitem(vars(wirecontract), name, raising=False)
    with host.HostBuffer(4) as buffer, pytest.raises(ImportError, match="pip install wirecontract"):
        buffer.tensor()
