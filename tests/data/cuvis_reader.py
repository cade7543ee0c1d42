"""The cuvis SDK's own reader and writer of payloads, as a program.

Each line of standard input is a payload in hexadecimal, or `pack` and the values of
one as JSON. Each line of standard output is what `cuvis_ipc` makes of it: the values
as JSON, or the payload in hexadecimal. The reader's code runs as the SDK ships it, up
to the first call into CUDA.
"""

import contextlib
import json
import struct
import sys
import types
from typing import Any

import cuvis_ipc


class _NoCuda(Exception):
    """Raised where the reader would touch a device; all is parsed by then."""


def _stop(_device: int) -> None:
    raise _NoCuda


def _stand_in() -> None:
    runtime = types.ModuleType("cuda.bindings.runtime")
    runtime.__dict__["cudaSetDevice"] = _stop
    bindings = types.ModuleType("cuda.bindings")
    bindings.__dict__["runtime"] = runtime
    sys.modules.update(
        {
            "cuda": types.ModuleType("cuda"),
            "cuda.bindings": bindings,
            "cuda.bindings.runtime": runtime,
        }
    )


def unpack(payload: bytes) -> dict[str, Any]:
    """The values that the SDK's reader takes out of a payload."""
    (width, height, channels, code), descriptor = cuvis_ipc._unpack_payload(payload)
    cube = cuvis_ipc.ImportedCube.__new__(cuvis_ipc.ImportedCube)
    with contextlib.suppress(_NoCuda):
        cube.__init__(descriptor)
    return {
        "version": 1,
        "width": width,
        "height": height,
        "channels": channels,
        "format_code": code,
        "descriptor": {
            "backend": cube.backend,
            "device_ordinal": cube.device,
            "handle_type": cube.htype,
            "blob_len": len(cube._blob),
            "size": cube.size,
            "alloc_size": cube.alloc,
            "offset": cube.offset,
            "exporter_pid": cube.pid,
            "blob": cube._blob.hex(),
            "ptr_blob_len": len(cube._ptr_blob),
            "ptr_blob": cube._ptr_blob.hex(),
        },
    }


def pack(value: dict[str, Any]) -> bytes:
    """A payload as the SDK's writer packs it; the SDK fills the descriptor in C."""
    inner = value["descriptor"]
    blob, ptr_blob = bytes.fromhex(inner["blob"]), bytes.fromhex(inner["ptr_blob"])
    descriptor = bytearray(cuvis_ipc._DESC_LEN)
    head = cuvis_ipc._HEAD
    head.pack_into(
        descriptor,
        0,
        inner["backend"],
        inner["device_ordinal"],
        inner["handle_type"],
        len(blob),
        inner["size"],
        inner["alloc_size"],
        inner["offset"],
        inner["exporter_pid"],
    )
    at = cuvis_ipc._BLOB_OFF
    descriptor[at : at + len(blob)] = blob
    struct.pack_into("<I", descriptor, cuvis_ipc._PTR_LEN_OFF, len(ptr_blob))
    at = cuvis_ipc._PTR_BLOB_OFF
    descriptor[at : at + len(ptr_blob)] = ptr_blob
    payload = cuvis_ipc.pack_payload(
        bytes(descriptor),
        value["width"],
        value["height"],
        value["channels"],
        value["format_code"],
    )
    return bytes(payload)


def main() -> None:
    """Answer every line."""
    _stand_in()
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "pack":
            print(pack(json.loads(rest)).hex())
        else:
            value = unpack(bytes.fromhex(word))
            print(json.dumps(value, separators=(",", ":")))


if __name__ == "__main__":
    main()
