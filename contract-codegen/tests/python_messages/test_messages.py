"""Messages as generated, in both forms: verdicts of the interpreter, and who owns what."""

import gc
import importlib
import json
import os
import socket
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FORMS = {"package": "message_contracts.vhost", "standalone": "standalone.messages"}


@pytest.fixture(params=FORMS)
def module(request: pytest.FixtureRequest) -> ModuleType:
    """The messages."""
    return importlib.import_module(FORMS[request.param])


@pytest.fixture
def error(module: ModuleType) -> type[Any]:
    """The error of that form."""
    found: type[Any] | None = getattr(module, "WireError", None)
    if found is None:
        found = importlib.import_module("message_contracts._wire").WireError
    return found


@pytest.fixture
def fds() -> Iterator[list[int]]:
    """Open file descriptors, all of which somebody has to close."""
    made = [os.open("/dev/null", os.O_RDONLY) for _ in range(5)]
    yield made
    for fd in made:
        if is_open(fd):
            os.close(fd)


def is_open(fd: int) -> bool:
    """Whether a number is a file descriptor at present."""
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


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


def kick(module: ModuleType, flags: int = 2) -> Any:
    return module.VhostHeader(request=12, flags=flags, size=0)


def test_a_message_owns_what_it_took(module: ModuleType, fds: list[int]) -> None:
    data = kick(module).to_bytes()
    message = module.KickMessage.from_message(data, fds[:3])
    assert message.kick == fds[0]
    assert message.pair == (fds[1], fds[2])
    assert not message.closed
    assert message.to_message() == (data, fds[:3])
    assert all(map(is_open, fds))
    message.close()
    assert message.closed
    assert [is_open(fd) for fd in fds] == [False, False, False, True, True]
    message.close()
    with pytest.raises(ValueError, match="closed"):
        _ = message.kick
    with pytest.raises(ValueError, match="closed"):
        message.to_message()


def test_what_is_refused_stays_the_callers(module: ModuleType, error: type[Any], fds: list[int]) -> None:
    for data, given in [
        (b"", fds[:3]),
        (kick(module).to_bytes(), fds[:2]),
        (kick(module, 0).to_bytes(), fds[:3]),
        (kick(module).to_bytes() + b"\0", fds[:3]),
    ]:
        with pytest.raises(error):
            module.KickMessage.from_message(data, given)
    with pytest.raises(error):
        module.KickMessage(header=kick(module), kick=None, pair=fds[1:3])
    with pytest.raises(error):
        module.KickMessage(header=kick(module, 1), kick=fds[0], pair=fds[1:3])
    with pytest.raises(ValueError, match="each of them once"):
        module.KickMessage(header=kick(module), kick=fds[0], pair=[fds[1], fds[0]])
    with pytest.raises(ValueError, match="each of them once"):
        module.KickMessage.from_message(kick(module).to_bytes(), [fds[0], -1, fds[1]])
    gc.collect()
    assert all(map(is_open, fds))


def test_what_is_given_away_is_not_closed(module: ModuleType, fds: list[int]) -> None:
    with module.KickMessage(header=kick(module), kick=fds[0], pair=iter(fds[1:3])) as message:
        assert message.detach() == fds[:3]
        assert message.closed
    assert all(map(is_open, fds))


def test_a_block_closes_what_is_left(module: ModuleType, fds: list[int]) -> None:
    with module.VhostMessageKick(
        module.KickMessage(header=kick(module), kick=fds[0], pair=fds[1:3])
    ) as message:
        data, passed = message.to_message()
        assert passed == fds[:3]
    assert [is_open(fd) for fd in fds] == [False, False, False, True, True]
    assert data == kick(module).to_bytes()


def test_what_nobody_closes_is_closed_and_said(module: ModuleType, fds: list[int]) -> None:
    message = module.KickMessage(header=kick(module), kick=fds[0], pair=fds[1:3])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del message
        gc.collect()
    assert [str(it.message) for it in caught] == ["unclosed message KickMessage"]
    assert [it.category for it in caught] == [ResourceWarning]
    assert [is_open(fd) for fd in fds] == [False, False, False, True, True]


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
        data, came, _, _ = socket.recv_fds(right, 4096, 16)
        with module.VhostMessage.from_message(data, came) as message:
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


def test_an_unknown_message_owns_what_came_with_it(
    module: ModuleType, error: type[Any], fds: list[int]
) -> None:
    data = b'{"op":"later","x":[1]}'
    message = module.WordMessage.from_message(data, fds[:2])
    assert isinstance(message, module.WordMessageOther)
    assert (message.body.tag, message.body.content.text) == ("later", '{"x":[1]}')
    assert message.fds == tuple(fds[:2])
    assert message.to_message() == (data, fds[:2])
    # Passed on by another one, which owns them then.
    given = message.detach()
    with module.WordMessageOther(message.body, given) as again:
        assert again.to_message() == (data, fds[:2])
    assert [is_open(fd) for fd in fds] == [False, False, True, True, True]
    with pytest.raises(ValueError, match="closed"):
        _ = again.fds
    with pytest.raises(ValueError, match="closed"):
        again.to_message()
    with pytest.raises(error, match="WordMessage at byte 0: wrong_type: expected WordOther"):
        module.WordMessageOther(module.WordStop(), fds[2:])
    with pytest.raises(error, match="expected 0 to 253 file descriptors, found 254"):
        module.WordMessageOther(message.body, range(1000, 1254))
    with pytest.raises(error, match="unknown_tag: expected a tag that no variant has"):
        module.WordOther("stop", {})
    assert all(map(is_open, fds[2:]))


def test_variants_without_a_message_are_as_in_the_union(module: ModuleType, error: type[Any]) -> None:
    stop = module.WordMessageStop()
    assert stop.to_message() == (b'{"op":"stop"}', [])
    stop.validate_import()
    with stop, pytest.raises(error, match="expected no file descriptor, found 1"):
        module.WordMessage.from_message(b'{"op":"stop"}', [1000])
    pair = module.SettingMessagePair([1, -2])
    assert pair.value == (1, -2)
    assert pair.to_message() == (b'{"kind":"pair","value":[1,-2]}', [])
    with pytest.raises(error) as caught:
        module.SettingMessageCount(65536)
    assert str(caught.value) == (
        "Setting.value at byte 0: out_of_range: expected an integer from 0 to 65535, found 65536"
    )
    assert module.SettingMessageReset().to_message() == (b'{"kind":"reset"}', [])
    go = module.SignalMessage.from_message(b'{"signal":"go"}')
    assert isinstance(go, module.SignalMessageGo)
    assert not hasattr(go, "value")
