"""Random and mutated bytes: the pure module says of them what the C header says."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wirecontract.contracts import cuvis
from wirecontract.contracts._wire import WireError

INCLUDE = Path(__file__).resolve().parents[2] / "bindings" / "c" / "include"
CONTRACTS = {"CudaIpcDescriptor": "wc_cuda_ipc_descriptor", "CudaIpcPayload": "wc_cuda_ipc_payload"}

SHIM = """
int NAME(const uint8_t *bytes, size_t length, uint8_t *out, char *message, size_t capacity) {
    NAME_t v;
    wc_error error;
    int status = (int)NAME_read(bytes, length, &v, &error);
    if (status == 0) {
        status = (int)NAME_write(&v, out, length, &error);
    }
    if (status != 0) {
        wc_error_message(&error, message, capacity);
    }
    return status;
}
"""

Verdict = tuple[int, bytes | str]


@pytest.fixture(scope="module")
def c(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The header's functions in a library."""
    compiler = shutil.which("gcc")
    assert compiler, "expected `gcc` on the path, found none: apt-get install gcc"
    folder = tmp_path_factory.mktemp("shim")
    source = folder / "shim.c"
    shims = [
        SHIM.replace("NAME_t", name).replace("int NAME", f"int shim_{name}").replace("NAME", name)
        for name in CONTRACTS.values()
    ]
    source.write_text("#include <wirecontract/cuvis.h>\n" + "".join(shims))
    library = folder / "shim.so"
    flags = ["-std=c11", "-O1", "-shared", "-fPIC", f"-I{INCLUDE}"]
    subprocess.run([compiler, *flags, str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def c_verdict(library: ctypes.CDLL, contract: str, data: bytes) -> Verdict:
    out = ctypes.create_string_buffer(len(data))
    message = ctypes.create_string_buffer(512)
    function = getattr(library, f"shim_{CONTRACTS[contract]}")
    sizes = ctypes.c_size_t(len(data)), ctypes.c_size_t(len(message))
    status = int(function(data, sizes[0], out, message, sizes[1]))
    return (0, out.raw) if status == 0 else (status, message.value.decode())


def python_verdict(contract: str, data: bytes) -> Verdict:
    kind: Any = getattr(cuvis, contract)
    try:
        return (0, kind.from_bytes(data).to_bytes())
    except WireError as error:
        return (int(error.code), str(error))


def near(accepted: bytes) -> st.SearchStrategy[bytes]:
    """Bytes that differ from accepted ones in a few places, or in length."""

    def changed(changes: list[tuple[int, int]], length: int | None) -> bytes:
        data = bytearray(accepted)
        for at, byte in changes:
            data[at] = byte
        return bytes(data if length is None else data[:length].ljust(length, b"\xa5"))

    place = st.integers(0, len(accepted) - 1)
    changes = st.lists(st.tuples(place, st.integers(0, 255)), max_size=6)
    return st.builds(changed, changes, st.none() | st.integers(0, len(accepted) + 20))


DESCRIPTOR = cuvis.CudaIpcDescriptor(
    backend=cuvis.IpcBackend.VMM,
    device_ordinal=-1,
    handle_type=cuvis.IpcHandleType.POSIX_FD,
    size=2**64 - 1,
    alloc_size=2**63,
    offset=0,
    exporter_pid=4321,
    blob=b"\xde\xad",
    ptr_blob=b"",
).to_bytes()
PAYLOAD = b"CVIP" + bytes([1, 0, 0, 0, 56, 4, 0, 0, 232, 3, 0, 0, 61, 0, 0, 0, 1, 0, 0, 0]) + DESCRIPTOR


@settings(max_examples=600, deadline=None)
@given(data=near(DESCRIPTOR) | st.binary(min_size=184, max_size=184))
def test_a_descriptor_gets_one_verdict(c: ctypes.CDLL, data: bytes) -> None:
    assert python_verdict("CudaIpcDescriptor", data) == c_verdict(c, "CudaIpcDescriptor", data)


@settings(max_examples=600, deadline=None)
@given(data=near(PAYLOAD) | st.binary(min_size=208, max_size=208))
def test_a_payload_gets_one_verdict(c: ctypes.CDLL, data: bytes) -> None:
    assert python_verdict("CudaIpcPayload", data) == c_verdict(c, "CudaIpcPayload", data)


def test_the_starting_points_are_accepted() -> None:
    assert python_verdict("CudaIpcDescriptor", DESCRIPTOR) == (0, DESCRIPTOR)
    assert python_verdict("CudaIpcPayload", PAYLOAD) == (0, PAYLOAD)
