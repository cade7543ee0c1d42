"""The texture wire's messages as the golden vectors have them, with real descriptors."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from wirecontract import contracts
from wirecontract.contracts import texture

VECTORS = Path(__file__).resolve().parents[2] / "contracts/gpu/generated/vectors/wirecontract/texture.json"
MESSAGES = (
    "RegistrationMessage",
    "CheckInMessage",
    "RequestMessage",
    "SurfaceMessage",
    "LookupAnswerMessage",
)


def cases(name: str) -> list[dict[str, Any]]:
    entries = json.loads(VECTORS.read_text())["contracts"]
    (entry,) = (entry for entry in entries if entry["contract"] == name)
    assert "host" not in entry, "a document is the same on every machine"
    found: list[dict[str, Any]] = entry["cases"]
    return found


def said(error: Any) -> dict[str, Any]:
    return {
        "code": error.code.name.lower(),
        "contract": error.contract,
        "field": error.field,
        "offset": error.offset,
        "expected": error.expected,
        "found": "" if error.found is None else str(error.found),
    }


def shown(message: Any) -> tuple[str | None, list[tuple[int, ...]]]:
    """The variant of a message, and the file descriptors of each of its groups."""
    variant = None
    if isinstance(message, (texture.RequestMessage, texture.LookupAnswerMessage)):
        (base,) = (cls for cls in type(message).__bases__ if cls is not object)
        variant = type(message).__name__.removeprefix(base.__name__)
        message = getattr(message, "value", None)
    if not isinstance(message, (texture.RegistrationMessage, texture.CheckInMessage, texture.SurfaceMessage)):
        return variant, []
    groups = []
    for name in type(message).__match_args__[1:]:
        group = getattr(message, name)
        groups.append(group if isinstance(group, tuple) else () if group is None else (group,))
    return variant, groups


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


@pytest.mark.parametrize("name", MESSAGES)
def test_the_vectors_replay(name: str) -> None:
    cls = getattr(texture, name)
    replayed = 0
    for case in cases(name):
        replayed += 1
        fds = [os.open(os.devnull, os.O_RDONLY) for _ in range(case["fds"])]
        data = bytes.fromhex(case["bytes"])
        if "fault" in case:
            with pytest.raises(contracts.WireError) as refused:
                cls.from_message(data, fds)
            expected = {"found": "", **case["fault"]}
            assert said(refused.value) == expected, case["name"]
            # What is refused stays the caller's, unless it says otherwise.
            assert all(is_open(fd) for fd in fds), case["name"]
            with pytest.raises(contracts.WireError):
                cls.from_message(data, fds, close_refused=True)
            assert not any(is_open(fd) for fd in fds), case["name"]
            continue
        assert len(data) <= cls.MAX_BYTES
        assert len(fds) <= cls.MAX_FDS
        message = cls.from_message(data, fds, close_refused=True)
        variant, groups = shown(message)
        assert variant == case.get("variant"), case["name"]
        assert groups == [tuple(fds[start:end]) for start, end in case["splits"]], case["name"]
        if "written" in case:
            assert message.to_message() == (bytes.fromhex(case["written"]), fds)
        else:
            with pytest.raises(contracts.WireError) as unwritten:
                message.to_message()
            assert said(unwritten.value) == {"found": "", **case["unwritten"]}, case["name"]
        if case["import"] is None:
            message.validate_import()
        else:
            with pytest.raises(contracts.WireError) as unimported:
                message.validate_import()
            assert said(unimported.value) == {"found": "", **case["import"]}, case["name"]
        message.close()
        assert not any(is_open(fd) for fd in fds), case["name"]
    assert replayed >= 10
