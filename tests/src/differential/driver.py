"""Answers requests on standard input with what the generated modules say."""

import dataclasses
import json
import struct
import sys

# @IMPORTS@


def text(value):
    assert type(value) is str, value
    return json.dumps(value, ensure_ascii=False)


def boolean(value):
    assert type(value) is bool, value
    return "true" if value else "false"


def integer(value):
    assert type(value) is int, value
    return str(value)


def number(value):
    """Of an enumeration, open or not, or of flags."""
    return str(int(value))


def f64(value):
    assert type(value) is float, value
    return '"0x%016x"' % struct.unpack("<Q", struct.pack("<d", value))


def f32(value):
    """A NaN goes through integers: converting it between widths would quiet it."""
    assert type(value) is float, value
    if value != value:
        (bits,) = struct.unpack("<Q", struct.pack("<d", value))
        return '"0x%08x"' % (bits >> 63 << 31 | 0x7F800000 | bits >> 29 & 0x7FFFFF)
    return '"0x%08x"' % struct.unpack("<I", struct.pack("<f", value))


def array(element):
    return lambda items: "[" + ",".join(map(element, items)) + "]"


# @FUNCTIONS@
CONTRACTS = {
    # @TABLE@
}


def answer(line):
    contract, operation, digits = line.split()
    if operation not in ("r", "p"):
        return "-"
    kind, tree = CONTRACTS[contract]
    data = b"" if digits == "-" else bytes.fromhex(digits)
    try:
        if operation == "p":
            value, rest = kind.read_prefix(data)
            assert bytes(rest) == data[kind.WIRE_SIZE :]
        else:
            value = kind.from_bytes(data)
        written = value.to_bytes()
    except ValueError as error:
        if not hasattr(error, "code"):
            raise
        return f"err {int(error.code)} {error.contract} {error.field or '-'} {error.offset} {error}"
    # What a reader gives, a constructor takes, and from any buffer.
    assert dataclasses.replace(value).to_bytes() == written
    if operation == "r":
        assert kind.from_bytes(memoryview(bytearray(data))).to_bytes() == written
    return f"ok {tree(value)} {written.hex()}"


def main():
    for line in sys.stdin:
        try:
            print(answer(line))
        except Exception:
            print(f"at the request {line}", file=sys.stderr)
            raise


main()
