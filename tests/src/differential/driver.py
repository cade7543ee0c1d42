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


def hexed(value: object) -> str:
    assert type(value) is bytes, value
    return f'"{value.hex()}"'


def array(element: Tree) -> Tree:
    def tree(items: Iterable[Any]) -> str:
        return "[" + ",".join(map(element, items)) + "]"

    return tree


class Shape:
    """The attributes of a message: its parts and its tail, each with what shows it, and
    its groups, each with whether it has several file descriptors.
    """

    def __init__(
        self,
        parts: list[tuple[str, Tree | None]],
        tail: tuple[str, Tree] | None,
        groups: list[tuple[str, bool]],
    ) -> None:
        self.parts = parts
        self.tail = tail
        self.groups = groups

    def group(self, value: Any, index: int) -> list[int]:
        name, is_many = self.groups[index]
        held = getattr(value, name)
        if is_many:
            return list(held)
        return [] if held is None else [held]

    def tree(self, value: Any) -> str:
        shown = []
        for name, tree in self.parts:
            if tree is None:
                return "-"
            shown.append(tree(getattr(value, name)))
        tail = self.tail
        return f"[{','.join(shown)}]{'' if tail is None else tail[1](getattr(value, tail[0]))}"

    def arguments(self, value: Any) -> dict[str, Any]:
        """What the constructor takes for an equal message."""
        names = [name for name, _ in self.parts] + [name for name, _ in self.groups]
        if self.tail is not None:
            names.append(self.tail[0])
        return {name: getattr(value, name) for name in names}


# @FUNCTIONS@
CONTRACTS: dict[str, tuple[Any, Tree | None]] = {
    # @TABLE@
}


MESSAGES: dict[str, tuple[Any, Any, list[tuple[str, str, Any]]]] = {
    # @MESSAGES@
}

# The number of the first file descriptor that comes with a message. Nobody opens or
# closes it: a message gives up what it has before it could.
FIRST_FD = 100


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


def given(value: Any, fds: list[int]) -> None:
    """Takes back all file descriptors of a message."""
    held = getattr(value, "value", value) if not hasattr(value, "detach") else value
    if hasattr(held, "detach"):
        assert held.detach() == fds, "file descriptors go in the order in which they came"


def groups(shape: Shape, value: Any) -> str:
    shown = []
    for index in range(len(shape.groups)):
        fds = shape.group(value, index)
        assert fds == list(range(fds[0], fds[0] + len(fds))) if fds else True
        shown.append(f"{fds[0] - FIRST_FD}+{len(fds)}" if fds else "-")
    return f"[{','.join(shown)}]"


def imported(value: Any) -> str:
    try:
        value.validate_import()
    except ValueError as error:
        return refusal(error)
    return "ok"


def message(contract: str, operation: str, data: bytes) -> str:
    kind, shape, probes = MESSAGES[contract]
    count, _, probe = operation[1:].partition("w")
    fds = list(range(FIRST_FD, FIRST_FD + int(count)))
    try:
        value = kind.from_message(data, fds)
    except ValueError as error:
        return refusal(error)
    name, held = "-", value
    if not isinstance(shape, Shape):
        name, shape = shape[type(value)]
        held = getattr(value, "value", value)
    try:
        if probe:
            return changed(value, held, shape, name, probes[int(probe)], len(fds))
        try:
            written, beside = value.to_message()
            assert beside == fds, "file descriptors go in the order in which they came"
            line = written.hex() or "-"
        except ValueError as error:
            line = f"unwritten {refusal(error)}"
        shown = groups(shape, held) if shape.groups else "[]"
        return f"ok {name} {shown} {line} | {imported(value)} | {shape.tree(held)}"
    finally:
        given(value, fds)


def changed(value: Any, held: Any, shape: Shape, name: str, probe: tuple[str, str, Any], came: int) -> str:
    """What is written of a message once it is changed. No message can be made that is not
    right, so that what the constructor says is what writing would.
    """
    variant, change, what = probe
    if variant and variant != name:
        return "-"
    arguments = shape.arguments(held)
    spare = FIRST_FD + came
    if change in ("more", "fewer"):
        key = shape.groups[what][0]
        fds = shape.group(held, what)
        if change == "fewer" and not fds:
            return "-"
        arguments[key] = [*fds, spare] if change == "more" else fds[:-1]
    elif change == "other":
        key = shape.groups[what][0]
        arguments[key] = spare if arguments[key] is None else None
    elif change in ("longer", "shorter"):
        assert shape.tail is not None
        key = shape.tail[0]
        tail = arguments[key]
        if not tail and (change == "shorter" or type(tail) is tuple):
            return "-"
        more = "a" if type(tail) is str else b"a" if type(tail) is bytes else tail[-1:]
        arguments[key] = tail + more if change == "longer" else tail[:-1]
    else:
        steps, number = what
    try:
        if change == "tag":
            key = shape.parts[0][0]
            arguments[key] = replaced(arguments[key], steps, number)
        made = type(held)(**arguments)
    except ValueError as error:
        # Of several messages the tag is asked first, and of one its own rules.
        return "-" if change == "tag" else refusal(error)
    fds = [fd for index in range(len(shape.groups)) for fd in shape.group(made, index)]
    whole = made if value is held else type(value)(made)
    try:
        written, beside = whole.to_message()
        assert beside == fds, "file descriptors go in the order of their groups"
        return f"ok - {written.hex() or '-'} | {imported(whole)}"
    except ValueError as error:
        return refusal(error)
    finally:
        given(whole, fds)


def replaced(value: Any, steps: list[str], number: int) -> Any:
    """An equal descriptor with another number at the end of these steps."""
    first, *rest = steps
    within = replaced(getattr(value, first), rest, number) if rest else number
    return dataclasses.replace(value, **{first: within})


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
    data = b"" if digits == "-" else bytes.fromhex(digits)
    if operation.startswith("m"):
        return message(contract, operation, data)
    kind, tree = CONTRACTS[contract]
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
