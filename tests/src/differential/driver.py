"""Answers requests on standard input with what the generated modules say."""

import dataclasses
import json
import struct
import sys
from collections.abc import Callable, Iterable
from typing import Any

# @IMPORTS@

Tree = Callable[[Any], str]


def text(value: object) -> str:
    assert type(value) is str, value
    return json.dumps(value, ensure_ascii=False)


def boolean(value: object) -> str:
    assert type(value) is bool, value
    return "true" if value else "false"


def integer(value: object) -> str:
    assert type(value) is int, value
    return str(value)


def number(value: int) -> str:
    """Of an enumeration, open or not, or of flags."""
    return str(int(value))


def f64(value: object) -> str:
    assert type(value) is float, value
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    return f'"0x{bits:016x}"'


def f32(value: object) -> str:
    """A NaN goes through integers: converting it between widths would quiet it."""
    assert type(value) is float, value
    if value != value:
        (wide,) = struct.unpack("<Q", struct.pack("<d", value))
        bits = wide >> 63 << 31 | 0x7F800000 | wide >> 29 & 0x7FFFFF
    else:
        (bits,) = struct.unpack("<I", struct.pack("<f", value))
    return f'"0x{bits:08x}"'


def array(element: Tree) -> Tree:
    def tree(items: Iterable[Any]) -> str:
        return "[" + ",".join(map(element, items)) + "]"

    return tree


# @FUNCTIONS@
CONTRACTS: dict[str, tuple[Any, Tree | None]] = {
    # @TABLE@
}


# What not every descriptor can do.
OFFERS = {
    "n": "from_bytes_or_newer",
    "o": "version_of",
    "p": "read_prefix",
    "v": "WIRE_SIZES",
}


def refusal(error: ValueError) -> str:
    wire: Any = error
    code = getattr(error, "code", None)
    if code is None:
        raise error
    return f"err {int(code)} {wire.contract} {wire.field or '-'} {wire.offset} {wire}"


def document(kind: Any, operation: str, data: bytes) -> str:
    faults = []
    try:
        if operation == "l":
            value, faults = kind.from_json_lenient(data)
        else:
            value = kind.from_json(data)
        if operation.startswith("i"):
            value.validate_import(int(operation[1:]))
            return "ok"
    except ValueError as error:
        return refusal(error)
    try:
        written = value.to_json().hex()
    except ValueError as error:
        written = f"unwritten {refusal(error)}"
    return "".join([f"ok {written}", *(f" | {refusal(fault)}" for fault in faults)])


def sizes(kind: Any) -> tuple[int, ...]:
    """Those of each version, or the only one."""
    found: tuple[int, ...] = getattr(kind, "WIRE_SIZES", (kind.WIRE_SIZE,))
    return found


def read(kind: Any, operation: str, data: bytes | memoryview) -> Any:
    return kind.from_bytes_or_newer(data) if operation == "n" else kind.from_bytes(data)


def older(kind: Any, data: bytes, version: int) -> str:
    """As a version has it; what that version has not is what a reader fills in."""
    value = kind.from_bytes(data)
    written = value.to_bytes(version)
    assert len(written) == kind.WIRE_SIZES[version - 1]
    assert kind.version_of(written) == version
    assert kind.from_bytes(written).to_bytes() == value.to_bytes()
    return f"ok - {written.hex()}"


def answer(line: str) -> str:
    contract, operation, digits = line.split()
    kind, tree = CONTRACTS[contract]
    data = b"" if digits == "-" else bytes.fromhex(digits)
    if tree is None:
        return document(kind, operation, data)
    if operation[0] not in "rpinvo" or not hasattr(kind, OFFERS.get(operation[0], "from_bytes")):
        return "-"
    try:
        if operation == "o":
            return f"ok {kind.version_of(data)}"
        if operation == "i":
            kind.from_bytes(data).validate_import()
            return "ok"
        if operation[0] == "v":
            return older(kind, data, int(operation[1:]))
        if operation == "p":
            value, rest = kind.read_prefix(data)
            size = len(data) - len(rest)
            assert bytes(rest) == data[size:]
            assert size in sizes(kind)
        else:
            value = read(kind, operation, data)
        written = value.to_bytes()
    except ValueError as error:
        return refusal(error)
    # What a reader gives, a constructor takes; and any buffer is read.
    assert dataclasses.replace(value).to_bytes() == written
    if operation in ("r", "n"):
        again = read(kind, operation, memoryview(bytearray(data)))
        assert again.to_bytes() == written
        assert tree(again) == tree(value)
    return f"ok {tree(value)} {written.hex()}"


def main() -> None:
    for line in sys.stdin:
        try:
            print(answer(line))
        except Exception:
            print(f"at the request {line}", file=sys.stderr)
            raise


main()
