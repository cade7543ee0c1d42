"""Types of elements, and as bytes a value for each index, which every library reads back unchanged."""

import struct
from collections.abc import Callable

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
FLOATS_OF_8_BITS = [
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool", *INTEGERS, *FLOATS, "bfloat16", *FLOATS_OF_8_BITS, *COMPLEX]


def _of(form: str) -> Callable[[int], bytes]:
    return lambda index: struct.pack("=" + form, index + 1)


def _bool(index: int) -> bytes:
    # No period that a stride of the tests has.
    return bytes([(index * 11 >> 3) & 1])


def _pattern(index: int) -> bytes:
    # All of the patterns that are neither a NaN nor negative in some type.
    return bytes([index % 100 + 8])


_FORMS = {
    "int8": lambda index: bytes([(index * 7 + 1) & 0x7F]),
    "uint8": lambda index: bytes([index & 0xFF]),
    "int16": _of("h"),
    "int32": _of("i"),
    "int64": _of("q"),
    "uint16": _of("H"),
    "uint32": _of("I"),
    "uint64": _of("Q"),
    "float16": _of("e"),
    "float32": _of("f"),
    "float64": _of("d"),
    "bfloat16": lambda index: struct.pack("=H", struct.unpack("=I", _of("f")(index))[0] >> 16),
    "complex64": lambda index: struct.pack("=2f", index + 1, -index),
    "complex128": lambda index: struct.pack("=2d", index + 1, -index),
    "bool": _bool,
} | dict.fromkeys(FLOATS_OF_8_BITS, _pattern)


def value(dtype: str, index: int) -> bytes:
    """The element at an index of a test's memory."""
    return _FORMS[dtype](index)


def size(dtype: str) -> int:
    """How many bytes an element takes."""
    return len(value(dtype, 0))


def memory(dtype: str, count: int) -> bytes:
    """That many elements, one behind the other."""
    return b"".join(value(dtype, index) for index in range(count))
