"""Messages as generated, in both forms: verdicts of the interpreter, and what values are."""

import dataclasses
import json
import mmap
import os
import socket
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import is_open, kick


def splits(message: Any) -> list[list[int]]:
    """Which positions each group has; file descriptors are numbered from 1000 on."""
    held = getattr(message, "value", message)
    counts = getattr(held, "_counts", ())
    ends = [sum(counts[: index + 1]) for index in range(len(counts))]
    return [[end - count, end] for end, count in zip(ends, counts, strict=True)]


def given_up(message: Any) -> list[int]:
    """The numbers, which are no file descriptors here."""
    held = getattr(message, "value", message)
    return held.detach() if hasattr(held, "detach") else []


def verdicts() -> list[dict[str, Any]]:
    """What the interpreter says; the Rust test writes it."""
    path = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0]).parent / "verdicts.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def said(error: type[Any], call: Callable[[], Any]) -> tuple[Any, str | None]:
    """What a call gives, or the text of its refusal."""
    try:
        return call(), None
    except error as fault:
        return None, str(fault)


def test_every_verdict_is_the_interpreters(module: ModuleType, error: type[Any]) -> None:
    accepted = refused = 0
    for case in verdicts():
        cls = getattr(module, case["contract"])
        numbers = list(range(1000, 1000 + case["fds"]))
        data = bytes.fromhex(case["bytes"])
        message, fault = said(error, partial(cls.from_message, data, numbers))
        if message is None:
            assert fault == case["splits"], case
            refused += 1
            continue
        accepted += 1
        assert splits(message) == case["splits"], case
        written, fault = said(error, message.to_message)
        if written is None:
            assert fault == case["written"], case
        else:
            assert "=" + written[0].hex() == case["written"], case
            assert written[1] == numbers
        assert said(error, message.validate_import)[1] == case["import"], case
        assert given_up(message) == numbers
    assert accepted > 500
    assert refused > 500


def test_a_message_crosses_a_socket(module: ModuleType, fds: list[int]) -> None:
    left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with left, right:
        regions = [module.MemRegion(start=4096 * at, size=8) for at in range(2)]
        with module.MemTableMessage(
            header=module.VhostHeader(request=5, flags=1, size=0),
            table=module.MemTable(regions=2),
            regions=regions,
            memory=fds[:2],
        ) as sent:
            data, passed = sent.to_message()
            socket.send_fds(left, [data], passed)
        several = module.VhostMessage
        data, came, _, _ = socket.recv_fds(right, several.MAX_BYTES + 1, several.MAX_FDS + 1)
        with several.from_message(data, came, close_refused=True) as message:
            assert isinstance(message, module.VhostMessageSetMemTable)
            assert message.value.regions == tuple(regions)
            assert message.value.memory == tuple(came)
            message.validate_import()
        assert not any(map(is_open, came))


def test_values_of_other_types_are_refused(module: ModuleType, error: type[Any]) -> None:
    header = kick(module)
    with pytest.raises(error) as caught:
        module.KickMessage(header=module.MemTable(regions=0), pair=())
    assert str(caught.value) == (
        "KickMessage.header at byte 0: wrong_type: expected VhostHeader, found MemTable"
    )
    with pytest.raises(error, match=r"UnknownMessage\.rest at byte 0: wrong_type"):
        module.UnknownMessage(header=header, rest="text")
    grown = module.Grown(first=1)
    with pytest.raises(error, match=r"GrowingMessage\.regions at byte 0: wrong_type"):
        module.GrowingMessage(grown=grown, table=module.MemTable(regions=0), regions=[1])
    with pytest.raises(error, match="VhostMessage at byte 0: wrong_type: expected KickMessage"):
        module.VhostMessageKick(header)
    with pytest.raises(TypeError, match="one of its variants"):
        module.VhostMessage()
    size = 12 + len("a\ud800".encode("utf-8", "surrogatepass"))
    log = module.VhostHeader(request=6, flags=2, size=size)
    with pytest.raises(error, match=r"LogMessage\.path at byte 13: bad_utf8"):
        module.LogMessage(header=log, path="a\ud800", log=1000, pages=[1001], done=1002)


def test_values_do_not_change(module: ModuleType, error: type[Any], fds: list[int]) -> None:
    message = module.KickMessage(header=kick(module), kick=fds[0], pair=fds[1:3])
    held = module.VhostMessageKick(message)
    for value, name in [(message, "header"), (held, "value")]:
        before = getattr(value, name)
        with pytest.raises(dataclasses.FrozenInstanceError, match=name):
            setattr(value, name, None)
        with pytest.raises(dataclasses.FrozenInstanceError, match=name):
            delattr(value, name)
        assert getattr(value, name) is before
    for name in ("kick", "pair", "_fds", "_open", "_counts", "other"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(message, name, 7)
    with pytest.raises(TypeError, match="this KickMessage is made: construct another one"):
        message.__init__(header=kick(module), kick=fds[3], pair=[fds[4], fds[0]])
    with pytest.raises(TypeError, match="this VhostMessageKick is made"):
        held.__init__(message)
    # What was refused may be tried again.
    new = object.__new__(module.KickMessage)
    with pytest.raises(error):
        new.__init__(header=kick(module), kick=None, pair=fds[1:3])
    new.__init__(header=kick(module), kick=fds[3], pair=[fds[4], fds[2]])
    assert message.detach() == fds[:3]
    assert new.detach() == [fds[3], fds[4], fds[2]]


def test_values_say_what_they_are(module: ModuleType, fds: list[int]) -> None:
    header = kick(module)
    message = module.KickMessage(header=header, kick=fds[0], pair=fds[1:3])
    shown = f"KickMessage(header={header!r}, kick={fds[0]}, pair=({fds[1]}, {fds[2]}))"
    assert repr(message) == shown
    held = module.VhostMessageKick(message)
    assert repr(held) == f"VhostMessageKick(value={shown})"
    message.close()
    assert repr(message) == f"KickMessage(header={header!r}, closed)"
    other = module.KickMessage(header=kick(module, 1), kick=None, pair=fds[3:5])
    with other:
        assert repr(other).endswith(f", kick=None, pair=({fds[3]}, {fds[4]}))")
    grown = module.Grown(first=1, second=2)
    table = module.MemTable(regions=0)
    growing = module.GrowingMessage(grown=grown, table=table, regions=[])
    assert repr(growing) == f"GrowingMessage(grown={grown!r}, table={table!r}, regions=())"
    lookup = module.QueryMessageLookup(module.SurfaceName(surface="a"))
    assert repr(lookup) == "QueryMessageLookup(value=SurfaceName(surface='a'))"


def test_values_match(module: ModuleType, fds: list[int]) -> None:
    message = module.KickMessage(header=kick(module), kick=fds[0], pair=fds[1:3])
    assert module.KickMessage.__match_args__ == ("header", "kick", "pair")
    match module.VhostMessageKick(message):
        case module.VhostMessageSetLog(_):
            pytest.fail("it is no log")
        case module.VhostMessageKick(module.KickMessage(header, first, (_, last))):
            assert (header, first, last) == (kick(module), fds[0], fds[2])
        case _:
            pytest.fail("nothing matches")
    message.detach()


def test_a_value_equals_itself_alone(module: ModuleType) -> None:
    made = [module.KickMessage(header=kick(module, 1), pair=[1000, 1001]) for _ in range(2)]
    held = [module.VhostMessageKick(message) for message in made]
    lookups = [module.QueryMessageLookup(module.SurfaceName(surface="a")) for _ in range(2)]
    for one, other in (made, held, lookups):
        assert one == one
        assert one != other
        assert len({one, other}) == 2
    for message in made:
        message.detach()


def test_how_long_a_message_is_and_how_many_file_descriptors_it_has(module: ModuleType) -> None:
    for name, most in {
        "MemTableMessage": (148, 8),
        "LogMessage": (64, 5),
        "KickMessage": (12, 3),
        "UnknownMessage": (1 << 20, 8),
        "GrowingMessage": (52, 0),
        "VhostMessage": (1 << 20, 8),
        "ClosedMessage": (148, 8),
        "RegisterMessage": (4096, 6),
        "QueryMessage": (4096, 6),
        "VhostMessageKick": (1 << 20, 8),
    }.items():
        cls = getattr(module, name)
        found = (cls.MAX_BYTES, cls.MAX_FDS)
        assert found == most, name


def test_what_is_longer_than_any_is_refused_without_a_copy(
    module: ModuleType, error: type[Any], tmp_path: Path
) -> None:
    size = 1 << 28
    file = tmp_path / "message"
    for name, request, fault in [
        ("ClosedMessage", 5, "MemTableMessage at byte 148: too_large: expected at most 148 bytes, "),
        ("ClosedMessage", 12, "KickMessage at byte 12: trailing_bytes: expected 12 bytes, "),
        ("KickMessage", 12, "KickMessage at byte 12: trailing_bytes: expected 12 bytes, "),
        ("LogMessage", 6, "LogMessage at byte 64: too_large: expected at most 64 bytes, "),
        ("QueryMessage", 0, "Query at byte 4096: too_large: expected at most 4096 bytes, "),
        ("RegisterMessage", 0, "Registration at byte 4096: too_large: expected at most 4096 bytes, "),
    ]:
        file.write_bytes(request.to_bytes(4, "little"))
        os.truncate(file, size)
        with file.open("rb") as opened, mmap.mmap(opened.fileno(), size, access=mmap.ACCESS_READ) as memory:
            tracemalloc.start()
            text = refusal(error, partial(getattr(module, name).from_message, memory))
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        assert text == f"{fault}found {size}"
        assert peak < 1 << 20
    file.write_bytes((9).to_bytes(4, "little"))
    os.truncate(file, size)
    text = refusal(error, lambda: module.ClosedMessage.from_message(file.read_bytes()))
    wanted = "unknown_tag: expected a tag of ClosedMessage, found 9"
    assert text == f"ClosedMessage.header.request at byte 0: {wanted}"


def refusal(error: type[Any], call: Callable[[], Any]) -> str:
    """What a call is refused with; nothing of the exception, which has frames, remains."""
    value, text = said(error, call)
    assert text is not None, value
    return text


def test_memory_that_changes_is_read_once(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytearray(kick(module, 1).to_bytes())
    read_prefix = module.VhostHeader.read_prefix

    def read_and_change(view: Any) -> Any:
        found = read_prefix(view)
        data[:4] = (5).to_bytes(4, "little")
        return found

    monkeypatch.setattr(module.VhostHeader, "read_prefix", staticmethod(read_and_change))
    message = module.VhostMessage.from_message(data, [1000, 1001])
    assert data[0] == 5
    # The header is the one by which the variant was chosen: another would not be written.
    assert type(message) is module.VhostMessageKick
    assert message.value.header.request == 12
    assert message.to_message() == (kick(module, 1).to_bytes(), [1000, 1001])
    assert message.detach() == [1000, 1001]
