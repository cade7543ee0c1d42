"""What a document costs: time in proportion to its length, and no memory before its bounds are known."""

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from conftest import Recipes
from test_fast_path import ways

# Each in proportion to a size, and hard for a reader that looks at some of it again and again.
HOSTILE: dict[str, Callable[[int], str]] = {
    "escapes": lambda size: "[" * 70 + '"' + '\\"' * (size // 2),
    "backslash": lambda size: "[" * 70 + '"' + "\\" * (size | 1),
    "quotes": lambda size: "[" * 70 + '"' * (size | 1),
    "unended": lambda size: '["' * 70 + "a" * size,
    "zeros": lambda size: "[" + "-0 " * (size // 3),
    "spaces": lambda size: '{"a":-0' + " " * size,
    "digits": lambda size: "[0." + "1" * size,
    "brackets": lambda size: "[]" * (size // 2),
    "surrogates": lambda size: '["' + "\\ud83d" * (size // 6),
    "members": lambda size: "{" + '"":0,' * (size // 5),
}


def seconds(call: Callable[[str], object], text: str) -> float:
    """The shortest of some tries; one where it is long."""
    tries = []
    for _ in range(5 if len(text) < 1 << 16 else 1):
        start = time.process_time()
        with pytest.raises((LookupError, ValueError)):
            call(text)
        tries.append(time.process_time() - start)
    return min(tries)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_takes_time_in_proportion(recipes: Recipes, name: str) -> None:
    load, decode, json_of = recipes.helper("load"), recipes.helper("decode_plain"), recipes("Json")

    def fast(text: str) -> object:
        return load(text, 1 << 20, 64, decode)

    make = HOSTILE[name]
    for call in (fast, json_of):
        # Eight times the size takes eight times as long; sixty-four times where it is looked at again.
        few, many = (seconds(call, make(size)) for size in (1 << 12, 1 << 15))
        assert many < 24 * max(few, 1e-3)
        few, many = (seconds(call, make(size)) for size in (1 << 16, 1 << 19))
        assert many < 24 * max(few, 5e-3)


def peak(call: Callable[[Any], object], argument: Any) -> int:
    """The most memory that a call takes, in bytes."""
    tracemalloc.start()
    try:
        call(argument)
    except ValueError:
        pass
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return most


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, bytes.decode])
def test_what_is_too_long_is_not_copied(recipes: Recipes, kind: Callable[[bytes], Any]) -> None:
    everything = recipes("Everything")
    for data in (b'{"u8_field":1}' + b" " * (1 << 22), '{"é":1}'.encode() + b" " * (1 << 22)):
        for read in (everything.from_json, everything.from_json_lenient):
            document = kind(data)
            with pytest.raises(ValueError, match=f"at most 4096 bytes, found {len(data)}"):
                read(document)
            assert peak(read, document) < 1 << 18


def test_a_scalar_holds_nothing(recipes: Recipes) -> None:
    scanned: Callable[[str], object] = recipes("Json")
    assert peak(scanned, "[" + "7," * 20_000 + "7]") < 20_000 * 240


def test_lenient_reading_tries_the_fast_way(recipes: Recipes, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, document in [("Image", b'{"tiling":1}'), ("Request", b'{"op":"ping"}')]:
        ways(recipes, name, monkeypatch)
        value, faults = recipes(name).from_json_lenient(document)
        assert (value, faults) == (recipes(name).from_json(document), [])
