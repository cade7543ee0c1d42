"""Random and mutated bytes: the fast way of reading and the check by hand agree on everything."""

import random
import re
from typing import Any

import pytest
from conftest import Sink
from hypothesis import given, settings
from hypothesis import strategies as st
from test_shapes import HEADER, OUTER
from wirecontract.contracts import WireError

SINKS = {form: Sink(form) for form in ("package", "standalone")}
PATHS = [
    "shapes.Little",
    "shapes.Big",
    "shapes.Native",
    "shapes.Mixed",
    "shapes.Header",
    "shapes.Kinds",
    "shapes.Arrays",
    "shapes.Counted",
    "shapes.Outer",
    "shapes.Fields300",
    "shapes.Pair",
    "import_.Code",
    "import_.WireError",
    "other.Point",
    "left.Whole",
    "right.Inner",
]


def seed(path: str) -> bytes:
    """Bytes that the contract takes, as far as zeros are not enough."""
    known = {
        "shapes.Header": HEADER,
        "shapes.Outer": OUTER,
        "shapes.Pair": b'\0\n"\xff' * 2 + bytes(4),
        "import_.WireError": bytes(46) + b"\1" + bytes(22),
    }
    if path == "shapes.Kinds":
        wire = bytearray(75)
        wire[0], wire[60] = 1, 0x80
        wire[61:69] = b"\xff" * 8
        return bytes(wire)
    return known.get(path, bytes(SINKS["package"](path).WIRE_SIZE))


def verdict(cls: Any, data: bytes) -> tuple[Any, ...]:
    try:
        return ("taken", cls.from_bytes(data))
    except WireError as error:
        return ("refused", str(error))


def agree(path: str, data: bytes) -> str:
    verdicts = []
    for sink in SINKS.values():
        cls = sink(path)
        outcome, what = verdict(cls, data)
        check = getattr(sink.module(path), f"_check_{sink.name(path)}")
        if outcome == "taken":
            check(data, 0)
        else:
            with pytest.raises(WireError, match=f"^{re.escape(what)}$"):
                check(data, 0)
        if outcome == "taken":
            written = what.to_bytes()
            assert len(written) == cls.WIRE_SIZE
            again = cls.from_bytes(written)
            assert again.to_bytes() == written
            made = cls(**{name: getattr(what, name) for name in cls.__match_args__})
            assert made.to_bytes() == written
            if "nan" not in repr(what):
                assert made == what
            verdicts.append(written)
        else:
            verdicts.append(what)
    assert verdicts[0] == verdicts[1]
    return str(outcome)


@pytest.mark.parametrize("path", PATHS)
def test_seeds_are_taken(path: str) -> None:
    assert agree(path, seed(path)) == "taken"


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_mutated_bytes(path: str, data: st.DataObject) -> None:
    wire = bytearray(seed(path))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(wire) - 1))
        wire[at] = data.draw(st.sampled_from([0, 1, 2, 3, 4, 5, 0x7F, 0x80, 0xC3, 0xFF]))
    agree(path, bytes(wire))


@pytest.mark.parametrize("path", PATHS)
def test_random_bytes(path: str) -> None:
    source = random.Random(path)
    for _ in range(200):
        agree(path, source.randbytes(SINKS["package"](path).WIRE_SIZE))
