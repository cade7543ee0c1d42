"""The Python side of the JSON rows of `cargo xtask bench`.

    json_messages.py DOCUMENTS BINDINGS

Compares the generated module under the folder BINDINGS with a reader and writer as
somebody writes it by hand who has no contract and is as strict. They must agree on
DOCUMENTS; then each takes its turn on the sample, again and again, and the best turn
of each counts, and so does the bare parser of the standard library. Prints a line for
each work: its name, then nanoseconds a call of the generated code and of the others.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
import sys
from typing import Any

from turns import compare

CALLS = 300

U32 = 2**32 - 1
U64 = 2**64 - 1
UUID = re.compile("[0-9a-f]{32}").fullmatch

PIXELS = {
    name: name
    for name in [
        "unknown",
        "bgra32",
        "rgba32",
        "argb32",
        "rgba64",
        "rgba16_float",
        "rgba32_float",
        "nv12_video_range",
        "nv12_full_range",
        "uyvy422",
        "yuyv422",
        "gray8",
    ]
} | {
    "bgra": "bgra32",
    "rgba": "rgba32",
    "argb": "argb32",
    "nv12": "nv12_video_range",
    "uyvy": "uyvy422",
    "yuyv": "yuyv422",
    "gray": "gray8",
}
TEXELS = {
    name: name
    for name in [
        "unknown",
        "rgba8_unorm",
        "rgba8_unorm_srgb",
        "bgra8_unorm",
        "bgra8_unorm_srgb",
        "rgba16_float",
        "rgba32_float",
        "nv12",
    ]
}
HANDLES = {"dma_buf", "opaque_fd"}


class MessageError(ValueError):
    """A message that is refused."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a surface is to a consumer."""

    surface_id: str
    width: int | None
    height: int | None
    format: Any
    resource_type: str | None
    handle_type: str | None
    plane_sizes: tuple[int, ...] | None
    plane_offsets: tuple[int, ...] | None
    plane_strides: tuple[int, ...] | None
    drm_format_modifier: int | None
    has_produce_done_fd: bool | None
    has_consume_done_fd: bool | None
    current_image_layout: int | None
    vk_image_type: int | None
    vk_image_mip_levels: int | None
    vk_image_array_layers: int | None
    vk_image_samples: int | None
    vk_image_tiling: int | None
    vk_image_usage: int | None
    vk_image_allocation_size: int | None
    vk_memory_type_index: int | None
    exporting_device_uuid: bytes | None


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, each of whose keys came once."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise MessageError("a key came twice")
    return members


def no_constant(name: str) -> Any:
    """`NaN` and its like, which are no JSON."""
    raise MessageError(f"{name} is not JSON")


DECODER = json.JSONDecoder(object_pairs_hook=unique, parse_constant=no_constant)


def integer(members: dict[str, Any], key: str, least: int, most: int) -> int | None:
    """An integer in its range, and `true` is none."""
    value = members.get(key, members)
    if value is members:
        return None
    if type(value) is not int:
        raise MessageError(f"{key}: expected an integer, found {value!r}")
    if not least <= value <= most:
        raise MessageError(f"{key}: expected an integer from {least} to {most}, found {value}")
    return value


def boolean(members: dict[str, Any], key: str) -> bool | None:
    """True or false, and nothing else."""
    value = members.get(key, members)
    if value is members:
        return None
    if value is True or value is False:
        return value
    raise MessageError(f"{key}: expected true or false, found {value!r}")


def planes(members: dict[str, Any], key: str) -> tuple[int, ...] | None:
    """At most four numbers."""
    value = members.get(key, members)
    if value is members:
        return None
    if type(value) is not list:
        raise MessageError(f"{key}: expected an array, found {value!r}")
    if len(value) > 4:
        raise MessageError(f"{key}: expected at most 4 items, found {len(value)}")
    for item in value:
        if type(item) is not int or not 0 <= item <= U64:
            raise MessageError(f"{key}: expected an integer from 0 to {U64}, found {item!r}")
    return tuple(value)


def read_format(members: dict[str, Any], resource_type: str | None) -> Any:
    """A format, in the words of what the surface is."""
    value = members.get("format", members)
    if value is members:
        return None
    if resource_type is None or resource_type == "pixel_buffer":
        names = PIXELS
    elif resource_type == "texture":
        names = TEXELS
    else:
        return value
    if type(value) is not str:
        raise MessageError(f"format: expected a string, found {value!r}")
    name = names.get(value)
    if name is None and names is PIXELS and value.isascii():
        name = names.get(value.strip(" \t\n\r\f").lower())
    if name is None:
        raise MessageError(f"format: expected a format, found {value!r}")
    return name


def peer_read(data: bytes) -> Answer:
    """Read a surface."""
    if len(data) > 1 << 20:
        raise MessageError("too large")
    try:
        members = DECODER.decode(data.decode())
    except MessageError:
        raise
    except ValueError as error:
        raise MessageError(str(error)) from None
    if type(members) is not dict:
        raise MessageError("expected an object")
    if "surface_id" not in members:
        raise MessageError("expected the key surface_id")
    surface_id = members["surface_id"]
    if type(surface_id) is not str:
        raise MessageError(f"surface_id: expected a string, found {surface_id!r}")
    if not surface_id.isascii():
        try:
            surface_id.encode()
        except UnicodeEncodeError:
            raise MessageError("surface_id: half a surrogate pair") from None
    resource_type = members.get("resource_type", members)
    if resource_type is members:
        resource_type = None
    elif type(resource_type) is not str:
        raise MessageError(f"resource_type: expected a string, found {resource_type!r}")
    handle_type = members.get("handle_type", members)
    if handle_type is members:
        handle_type = None
    elif type(handle_type) is not str or handle_type not in HANDLES:
        raise MessageError(f"handle_type: expected a handle type, found {handle_type!r}")
    uuid = members.get("exporting_device_uuid", members)
    if uuid is members:
        uuid = None
    elif type(uuid) is not str or UUID(uuid) is None:
        raise MessageError(f"exporting_device_uuid: expected 16 bytes, found {uuid!r}")
    else:
        uuid = bytes.fromhex(uuid)
    return Answer(
        surface_id=surface_id,
        width=integer(members, "width", 0, U32),
        height=integer(members, "height", 0, U32),
        format=read_format(members, resource_type),
        resource_type=resource_type,
        handle_type=handle_type,
        plane_sizes=planes(members, "plane_sizes"),
        plane_offsets=planes(members, "plane_offsets"),
        plane_strides=planes(members, "plane_strides"),
        drm_format_modifier=integer(members, "drm_format_modifier", 0, U64),
        has_produce_done_fd=boolean(members, "has_produce_done_fd"),
        has_consume_done_fd=boolean(members, "has_consume_done_fd"),
        current_image_layout=integer(members, "current_image_layout", -(2**31), 2**31 - 1),
        vk_image_type=integer(members, "vk_image_type", -(2**31), 2**31 - 1),
        vk_image_mip_levels=integer(members, "vk_image_mip_levels", 0, U32),
        vk_image_array_layers=integer(members, "vk_image_array_layers", 0, U32),
        vk_image_samples=integer(members, "vk_image_samples", -(2**31), 2**31 - 1),
        vk_image_tiling=integer(members, "vk_image_tiling", -(2**31), 2**31 - 1),
        vk_image_usage=integer(members, "vk_image_usage", 0, U32),
        vk_image_allocation_size=integer(members, "vk_image_allocation_size", 0, U64),
        vk_memory_type_index=integer(members, "vk_memory_type_index", 0, U32),
        exporting_device_uuid=uuid,
    )


FIELDS = tuple(field.name for field in dataclasses.fields(Answer))
COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def peer_write(answer: Answer) -> bytes:
    """Write a surface."""
    members = {}
    for name in FIELDS:
        value = getattr(answer, name)
        if value is not None:
            members[name] = value.hex() if name == "exporting_device_uuid" else value
    return COMPACT.encode(members).encode()


def bare_loads(data: bytes) -> Any:
    """Nothing but the parser of the standard library."""
    return json.loads(data)


def agree(documents: list[str], kind: Any, wire_error: type[Exception]) -> None:
    """See that both accept the same, and write the same of it."""
    accepted = 0
    # The parser of the standard library reads -0 as 0, and nobody sees it afterwards.
    documents = [document for document in documents if ":-0," not in document]
    for document in documents:
        data = document.encode()
        ours = theirs = None
        with contextlib.suppress(wire_error):
            ours = kind.from_json(data).to_json()
        with contextlib.suppress(MessageError):
            theirs = peer_write(peer_read(data))
        if ours != theirs:
            raise SystemExit(f"the sides differ on {document}:\n  ours {ours!r}\n  theirs {theirs!r}")
        accepted += ours is not None
    if not 0 < accepted < len(documents):
        raise SystemExit(f"{accepted} of {len(documents)} are accepted: some must be, not all")
    print(f"# {len(documents)} documents, of which {accepted} accepted")


def main() -> None:
    """Compare, then measure."""
    with open(sys.argv[1], encoding="utf-8") as file:
        answers = json.load(file)["answers"]
    sys.path.insert(0, sys.argv[2])
    from wirecontract.contracts._wire import WireError
    from wirecontract.contracts.texture import SurfaceAnswer

    agree([*answers["sample"], *answers["good"], *answers["bad"]], SurfaceAnswer, WireError)
    data = [document.encode() for document in answers["sample"]]
    ours = [SurfaceAnswer.from_json(it) for it in data]
    theirs = [peer_read(it) for it in data]
    compare("from_json", CALLS, (SurfaceAnswer.from_json, data), (peer_read, data), (bare_loads, data))
    compare("to_json", CALLS, (SurfaceAnswer.to_json, ours), (peer_write, theirs))


if __name__ == "__main__":
    main()
