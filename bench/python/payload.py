"""The Python side of `cargo xtask bench`.

    payload.py INPUTS SAMPLE BINDINGS

Compares the generated module under the folder BINDINGS with `cuvis_ipc`, the SDK's own reader from PyPI. They
must agree on INPUTS; then each takes its turn on SAMPLE, again and again, and the best turn of each counts.
Prints a line for each pair: its name, then nanoseconds a call of the generated code and of the SDK's.
"""

from __future__ import annotations

import struct
import sys
from typing import Any

import cuvis_ipc
from turns import compare

CALLS = 1000

HEAD = struct.Struct("<iiiIQQQQ")


def peer_read(payload: bytes) -> Any:
    """What `cuvis_ipc.open` does before it calls CUDA, by the statement, without the object that it fills."""
    geometry, descriptor = cuvis_ipc._unpack_payload(payload)
    (
        backend,
        device,
        htype,
        blob_len,
        size,
        alloc,
        offset,
        pid,
    ) = cuvis_ipc._HEAD.unpack_from(descriptor, 0)
    if blob_len > cuvis_ipc._BLOB_MAX:
        raise ValueError(f"blob_len {blob_len} exceeds {cuvis_ipc._BLOB_MAX}")
    blob = bytes(descriptor[cuvis_ipc._BLOB_OFF : cuvis_ipc._BLOB_OFF + blob_len])
    (ptr_blob_len,) = struct.unpack_from("<I", descriptor, cuvis_ipc._PTR_LEN_OFF)
    if ptr_blob_len > cuvis_ipc._PTR_BLOB_MAX:
        raise ValueError(f"ptr_blob_len {ptr_blob_len} exceeds {cuvis_ipc._PTR_BLOB_MAX}")
    ptr_blob = bytes(descriptor[cuvis_ipc._PTR_BLOB_OFF : cuvis_ipc._PTR_BLOB_OFF + ptr_blob_len])
    return geometry, backend, device, htype, size, alloc, offset, pid, blob, ptr_blob


def padded(blob: bytes) -> bytes:
    """As `blob` in the SDK's `_descriptor_bytes`, without taking the bytes one by one out of a C array."""
    if len(blob) > 64:
        raise ValueError(f"blob length {len(blob)} exceeds 64")
    return blob.ljust(64, bytes(1))


def peer_write(values: Any) -> bytes:
    """What the SDK's `export_payload` does: its `_descriptor_bytes`, then `cuvis_ipc.pack_payload`."""
    geometry, backend, device, htype, size, alloc, offset, pid, blob, ptr_blob = values
    width, height, channels, format_code = geometry
    out = bytearray(184)
    HEAD.pack_into(
        out,
        0,
        int(backend),
        int(device),
        int(htype),
        len(blob),
        int(size),
        int(alloc),
        int(offset),
        int(pid),
    )
    out[48:112] = padded(blob)
    struct.pack_into("<I", out, 112, len(ptr_blob))
    out[120:184] = padded(ptr_blob)
    packed: bytes = cuvis_ipc.pack_payload(bytes(out), width, height, channels, format_code)
    return packed


def values_of(payload: Any) -> Any:
    """The values of a generated payload, in the form that `peer_read` gives."""
    descriptor = payload.descriptor
    return (
        (payload.width, payload.height, payload.channels, payload.format_code),
        descriptor.backend,
        descriptor.device_ordinal,
        descriptor.handle_type,
        descriptor.size,
        descriptor.alloc_size,
        descriptor.offset,
        descriptor.exporter_pid,
        descriptor.blob,
        descriptor.ptr_blob,
    )


def agree(inputs: list[bytes], payload_class: Any, wire_error: type[Exception]) -> None:
    """See that both read and write the same.

    The SDK's reader keeps unknown numbers and looks at no length, so it accepts more. Whatever it refuses
    must be refused, and whatever is accepted must have the same values and be written as the same bytes.
    """
    accepted = 0
    for data in inputs:
        try:
            theirs = peer_read(data)
        except (ValueError, struct.error):
            theirs = None
        try:
            ours = payload_class.from_bytes(data)
        except wire_error as error:
            lax = error.code.name in ("TOO_SHORT", "TRAILING_BYTES", "UNKNOWN_VALUE")  # type: ignore[attr-defined]
            if theirs is not None and not lax:
                raise SystemExit(f"only the SDK accepts {data.hex()}: {error}") from None
            continue
        if values_of(ours) != theirs:
            raise SystemExit(f"values differ on {data.hex()}:\n  {ours}\n  {theirs}")
        if ours.to_bytes() != peer_write(theirs):
            raise SystemExit(f"bytes differ for {ours}")
        accepted += 1
    if not 0 < accepted < len(inputs):
        raise SystemExit(f"{accepted} of {len(inputs)} inputs are accepted: some must be, and not all")
    print(f"# {len(inputs)} inputs, of which {accepted} accepted")


def main() -> None:
    """Compare, then measure."""
    inputs, data = read_inputs(sys.argv[1]), read_inputs(sys.argv[2])
    sys.path.insert(0, sys.argv[3])
    from wirecontract.contracts._wire import WireError
    from wirecontract.contracts.cuvis import CudaIpcPayload

    agree(inputs, CudaIpcPayload, WireError)
    sample = [CudaIpcPayload.from_bytes(it) for it in data]
    compare("from_bytes", CALLS, (CudaIpcPayload.from_bytes, data), (peer_read, data))
    read = [peer_read(it) for it in data]
    compare("to_bytes", CALLS, (CudaIpcPayload.to_bytes, sample), (peer_write, read))


def read_inputs(path: str) -> list[bytes]:
    """The inputs of a file: each after its length in 32 bits."""
    with open(path, "rb") as file:
        rest = file.read()
    inputs = []
    while rest:
        (length,) = struct.unpack_from("<I", rest)
        inputs.append(rest[4 : 4 + length])
        rest = rest[4 + length :]
    return inputs


if __name__ == "__main__":
    main()
