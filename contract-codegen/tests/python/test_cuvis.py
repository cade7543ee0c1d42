"""The descriptor and the payload of the cuvis SDK."""

import array
import copy
import ctypes
import dataclasses
import mmap
import pickle
from types import ModuleType
from typing import Any

import pytest
from conftest import vectors
from wirecontract.contracts import WireError

CASES = [pytest.param(case, id=case["name"]) for case in vectors()]


def payload_of(cuvis: ModuleType, case: dict[str, Any]) -> Any:
    fields = case["fields"]
    descriptor = cuvis.CudaIpcDescriptor(
        backend=cuvis.IpcBackend(fields["backend"]),
        device_ordinal=fields["device_ordinal"],
        handle_type=cuvis.IpcHandleType(fields["handle_type"]),
        size=fields["size"],
        alloc_size=fields["alloc_size"],
        offset=fields["offset"],
        exporter_pid=fields["exporter_pid"],
        blob=bytes.fromhex(fields["blob_hex"]),
        ptr_blob=bytes.fromhex(fields["ptr_blob_hex"]),
    )
    return cuvis.CudaIpcPayload(**case["geometry"], descriptor=descriptor)


@pytest.fixture
def valid() -> bytes:
    return bytes.fromhex(vectors()[0]["payload_hex"])


@pytest.mark.parametrize("case", CASES)
def test_real_bytes_match_both_ways(cuvis: ModuleType, case: dict[str, Any]) -> None:
    value = payload_of(cuvis, case)
    wire = bytes.fromhex(case["payload_hex"])
    assert cuvis.CudaIpcPayload.from_bytes(wire) == value
    assert value.to_bytes() == wire
    assert value.descriptor.to_bytes() == bytes.fromhex(case["descriptor_hex"])
    assert cuvis.CudaIpcDescriptor.from_bytes(wire[24:]) == value.descriptor


@pytest.mark.parametrize("case", CASES)
def test_the_sdks_own_module_reads_what_is_written(cuvis: ModuleType, case: dict[str, Any]) -> None:
    cuvis_ipc = pytest.importorskip("cuvis_ipc")
    wire = payload_of(cuvis, case).to_bytes()
    geometry, descriptor = cuvis_ipc._unpack_payload(wire)
    assert geometry == tuple(case["geometry"][key] for key in ("width", "height", "channels", "format_code"))
    assert descriptor == bytes.fromhex(case["descriptor_hex"])
    assert cuvis_ipc.pack_payload(descriptor, *geometry) == wire


def changed(wire: bytes, at: int, new: bytes) -> bytes:
    return wire[:at] + new + wire[at + len(new) :]


@pytest.mark.parametrize(
    ("at", "new", "message"),
    [
        (0, b"X", "magic at byte 0: bad_magic: expected bytes 43564950, found bytes 58564950"),
        (4, b"\2", "version at byte 4: unsupported_version: expected 1, found 2"),
        (4, b"\0", "version at byte 4: unsupported_version: expected 1, found 0"),
        (
            24,
            b"\xff\xff\xff\xff",
            "backend at byte 24: unknown_value: expected a value of IpcBackend, found -1",
        ),
        (
            32,
            b"\4",
            "handle_type at byte 32: unknown_value: expected a value of IpcHandleType, found 4",
        ),
        (36, b"\x41", "blob_len at byte 36: length_exceeds: expected at most 64, found 65"),
        (
            136,
            b"\0\0\0\x80",
            "ptr_blob_len at byte 136: length_exceeds: expected at most 64, found 2147483648",
        ),
    ],
)
def test_a_fault_is_named_with_its_place(
    cuvis: ModuleType, valid: bytes, at: int, new: bytes, message: str
) -> None:
    with pytest.raises(WireError) as raised:
        cuvis.CudaIpcPayload.from_bytes(changed(valid, at, new))
    contract = "CudaIpcPayload" if at < 24 else "CudaIpcDescriptor"
    assert str(raised.value) == f"{contract}.{message}"
    assert raised.value.__context__ is None


@pytest.mark.parametrize(
    ("length", "message"),
    [
        (0, "CudaIpcPayload at byte 0: too_short: expected 208 bytes, found 0"),
        (207, "CudaIpcPayload at byte 207: too_short: expected 208 bytes, found 207"),
        (209, "CudaIpcPayload at byte 208: trailing_bytes: expected 208 bytes, found 209"),
    ],
)
def test_length_comes_before_anything_else(cuvis: ModuleType, length: int, message: str) -> None:
    with pytest.raises(WireError) as raised:
        cuvis.CudaIpcPayload.from_bytes(b"X" * length)
    assert str(raised.value) == message


def test_the_first_fault_by_precedence_wins(cuvis: ModuleType) -> None:
    wire = bytearray(b"\xff" * 208)
    places = []
    for at, new in [
        (0, b"CVIP"),
        (4, b"\1\0\0\0"),
        (24, bytes(4)),
        (32, bytes(4)),
        (36, bytes(4)),
        (136, bytes(4)),
    ]:
        with pytest.raises(WireError) as raised:
            cuvis.CudaIpcPayload.from_bytes(wire)
        places.append(raised.value.offset)
        wire[at : at + len(new)] = new
    assert places == [0, 4, 24, 32, 36, 136]
    cuvis.CudaIpcPayload.from_bytes(wire)


def test_any_contiguous_buffer_is_read(cuvis: ModuleType, valid: bytes) -> None:
    expected = cuvis.CudaIpcPayload.from_bytes(valid)
    words = array.array("I", valid)
    typed = (ctypes.c_uint64 * 26).from_buffer_copy(valid)
    mapped = mmap.mmap(-1, 208)
    mapped.write(valid)
    buffers: list[Any] = [
        bytearray(valid),
        memoryview(valid),
        words,
        memoryview(words),
        memoryview(valid).cast("B", (2, 104)),
        memoryview(b"x" + valid)[1:],
        typed,
        mapped,
    ]
    for buffer in buffers:
        assert cuvis.CudaIpcPayload.from_bytes(buffer) == expected
        value, rest = cuvis.CudaIpcPayload.read_prefix(buffer)
        assert (value, bytes(rest)) == (expected, b"")
    empty = (ctypes.c_uint8 * 0 * 3)()
    for read in (cuvis.CudaIpcPayload.from_bytes, cuvis.CudaIpcPayload.read_prefix):
        with pytest.raises(WireError, match="expected 208 bytes, found 0"):
            read(empty)
    broken = array.array("I", changed(valid, 0, b"X"))
    with pytest.raises(WireError, match="bad_magic"):
        cuvis.CudaIpcPayload.from_bytes(broken)
    with pytest.raises(WireError, match="found 216"):
        cuvis.CudaIpcPayload.from_bytes(array.array("Q", bytes(216)))


@pytest.mark.parametrize("wrong", ["text", 208, None, [0] * 208, 1.5, object()])
def test_what_is_no_buffer_is_a_type_error(cuvis: ModuleType, wrong: object) -> None:
    with pytest.raises(TypeError):
        cuvis.CudaIpcPayload.from_bytes(wrong)
    with pytest.raises(TypeError):
        cuvis.CudaIpcPayload.read_prefix(wrong)


def test_a_buffer_with_gaps_is_a_type_error(cuvis: ModuleType, valid: bytes) -> None:
    gaps = memoryview(valid * 2)[::2]
    with pytest.raises(TypeError, match="C-contiguous"):
        cuvis.CudaIpcPayload.from_bytes(gaps)
    with pytest.raises(TypeError, match="C-contiguous"):
        cuvis.CudaIpcPayload.read_prefix(gaps)


def test_a_prefix_leaves_the_rest(cuvis: ModuleType, valid: bytes) -> None:
    value, rest = cuvis.CudaIpcPayload.read_prefix(valid + b"rest")
    assert value.to_bytes() == valid
    assert isinstance(rest, memoryview)
    assert bytes(rest) == b"rest"
    with pytest.raises(WireError) as raised:
        cuvis.CudaIpcPayload.read_prefix(valid[:100])
    assert str(raised.value) == "CudaIpcPayload at byte 100: too_short: expected 208 bytes, found 100"


def test_bytes_that_change_between_two_looks_are_read_again(
    cuvis: ModuleType, valid: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread repairs the buffer after the fast way gave up: the copy decides."""
    name = "snapshot_bytes"
    holder = cuvis._wire if hasattr(cuvis, "_wire") else cuvis
    name = name if holder is not cuvis else f"_{name}"
    real = getattr(holder, name)
    buffer = bytearray(changed(valid, 0, b"X"))

    def repairing(data: bytearray, size: int, contract: str) -> bytes:
        data[0:1] = b"C"
        return bytes(real(data, size, contract))

    monkeypatch.setattr(holder, name, repairing)
    assert cuvis.CudaIpcPayload.from_bytes(buffer).to_bytes() == valid


def test_two_ways_of_reading_that_disagree_are_noticed(
    cuvis: ModuleType, valid: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuvis, "_check_CudaIpcPayload", lambda data, at: None)
    for wrong in (changed(valid, 0, b"X"), bytearray(changed(valid, 0, b"X"))):
        with pytest.raises(AssertionError, match="disagree"):
            cuvis.CudaIpcPayload.from_bytes(wrong)


def test_enumerations_have_their_names_and_aliases(cuvis: ModuleType) -> None:
    assert cuvis.IpcBackend.NONE is cuvis.IpcBackend.AUTO
    assert [member.name for member in cuvis.IpcBackend] == ["AUTO", "POOL", "LEGACY", "VMM"]
    assert [member.name for member in cuvis.IpcHandleType] == ["NONE", "WIN32", "WIN32_KMT", "POSIX_FD"]
    assert isinstance(cuvis.IpcBackend.WIRE_ID, int)


def test_constants_are_there(cuvis: ModuleType) -> None:
    assert cuvis.CudaIpcPayload.WIRE_SIZE == 208
    assert cuvis.CudaIpcDescriptor.WIRE_SIZE == 184
    assert cuvis.CudaIpcPayload.magic == b"CVIP"
    assert cuvis.CudaIpcPayload.WIRE_ID != cuvis.CudaIpcDescriptor.WIRE_ID


def test_values_are_values(cuvis: ModuleType, valid: bytes) -> None:
    value = cuvis.CudaIpcPayload.from_bytes(valid)
    again = cuvis.CudaIpcPayload.from_bytes(valid)
    assert value == again
    assert value is not again
    assert hash(value) == hash(again)
    assert {value: 1}[again] == 1
    assert type(value) is cuvis.CudaIpcPayload
    for twin in [copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))]:
        assert twin == value
        assert type(twin) is cuvis.CudaIpcPayload
    wider = dataclasses.replace(value, width=7)
    assert (wider.width, wider.height) == (7, value.height)
    assert wider != value
    assert cuvis.CudaIpcPayload.__match_args__[:3] == ("version", "width", "height")
    match value:
        case cuvis.CudaIpcPayload(width=width, descriptor=cuvis.CudaIpcDescriptor(blob=blob)):
            assert (width, blob) == (1080, b"\xde\xad\xbe\xef")
        case _:
            pytest.fail("the value does not match its class")
    assert repr(value).startswith("CudaIpcPayload(version=1, width=1080, ")
    assert "blob=b'\\xde\\xad\\xbe\\xef'" in repr(value)


def test_values_cannot_be_changed(cuvis: ModuleType, valid: bytes) -> None:
    value = cuvis.CudaIpcPayload.from_bytes(valid)
    for name in ("width", "magic", "blob_len", "something"):
        with pytest.raises((dataclasses.FrozenInstanceError, AttributeError, TypeError)):
            setattr(value, name, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        del value.width
    with pytest.raises((AttributeError, TypeError)):
        value.descriptor.blob_len = 3
    assert not hasattr(value, "__dict__")
    with pytest.raises(TypeError):
        cuvis.CudaIpcPayload(1, 2, 3, 4, 5, value.descriptor)


def test_a_count_is_the_length_of_what_it_counts(cuvis: ModuleType, valid: bytes) -> None:
    descriptor = cuvis.CudaIpcDescriptor.from_bytes(valid[24:])
    assert (descriptor.blob_len, descriptor.ptr_blob_len) == (4, 2)
    longer = dataclasses.replace(descriptor, blob=bytes(64))
    assert longer.blob_len == 64
    assert longer.to_bytes()[12] == 64
    with pytest.raises(TypeError):
        dataclasses.replace(descriptor, blob_len=4)


def test_bytes_past_the_count_and_reserved_ones_are_not_kept(cuvis: ModuleType, valid: bytes) -> None:
    noisy = changed(changed(valid, 24 + 48 + 4, b"\xaa"), 24 + 116, b"\xbb\xbb\xbb\xbb")
    assert cuvis.CudaIpcPayload.from_bytes(noisy).to_bytes() == valid


def test_a_nested_value_is_of_its_own_class(cuvis: ModuleType, valid: bytes) -> None:
    value = cuvis.CudaIpcPayload.from_bytes(valid)
    other = type("Other", (cuvis.CudaIpcDescriptor,), {"to_bytes": lambda self: b"evil"})
    fields = {
        field.name: getattr(value.descriptor, field.name) for field in dataclasses.fields(value.descriptor)
    }
    # Who derives from a final class all the same gets its values, and goes behind its back for another one.
    assert type(other(**fields)) is cuvis.CudaIpcDescriptor
    inner: object = object.__new__(other)
    for name, field in fields.items():
        object.__setattr__(inner, name, field)
    with pytest.raises(WireError, match=r"CudaIpcPayload.descriptor at byte 24: wrong_type"):
        dataclasses.replace(value, descriptor=inner)
