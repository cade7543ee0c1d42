"""Whose the file descriptors of a message are, in both forms."""

import contextlib
import copy
import gc
import os
import pickle
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType, ModuleType
from typing import Any

import pytest
from conftest import is_open, kick, open_fds

HUGE = 2**40


def made(module: ModuleType, fds: list[int]) -> Any:
    """A message with the first three."""
    return module.KickMessage(header=kick(module), kick=fds[0], pair=fds[1:3])


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
    assert message.detach() == []
    with pytest.raises(ValueError, match="closed"):
        _ = message.kick
    with pytest.raises(ValueError, match="closed"):
        message.to_message()


def test_one_of_several_is_as_open_as_what_it_holds(module: ModuleType, fds: list[int]) -> None:
    message = module.VhostMessage.from_message(kick(module).to_bytes(), fds[:3])
    assert not message.closed
    assert message.detach() == fds[:3]
    assert message.closed
    assert message.value.closed
    assert message.detach() == []
    assert all(map(is_open, fds))
    with module.VhostMessageKick(made(module, fds)) as message:
        data, passed = message.to_message()
        assert passed == fds[:3]
    assert message.closed
    assert [is_open(fd) for fd in fds] == [False, False, False, True, True]
    assert data == kick(module).to_bytes()
    # A document alone has nothing to close.
    with module.QueryMessageLookup(module.SurfaceName(surface="a")) as lookup:
        assert lookup.detach() == []
    assert not lookup.closed
    assert lookup.to_message() == (b'{"op":"lookup","surface":"a"}', [])


def refusals(module: ModuleType, fds: list[int]) -> list[Callable[..., Any]]:
    """Calls that refuse the first of the file descriptors, or as many as there are."""
    data = kick(module).to_bytes()
    document = b'{"op":"lookup","surface":"a"}'
    read, several, query = (
        cls.from_message for cls in (module.KickMessage, module.VhostMessage, module.QueryMessage)
    )
    return [
        lambda **how: read(b"", fds[:3], **how),
        lambda **how: read(data, fds[:2], **how),
        lambda **how: read(kick(module, 0).to_bytes(), fds[:3], **how),
        lambda **how: read(data + b"\0", fds[:3], **how),
        lambda **how: several(b"", fds[:3], **how),
        lambda **how: several(data, fds[:2], **how),
        lambda **how: query(document, fds[:1], **how),
        lambda **how: query(b"{", iter(fds[:1]), **how),
        # What is no file descriptor, among some that are.
        *(
            partial(call, body, [*fds[:2], wrong, fds[2]])
            for call in (read, several, query)
            for body in (b"", data, document)
            for wrong in (HUGE, -1, -HUGE, True, 3.5, "3", None, fds[0], 10**5000)
        ),
        lambda **how: read("text", fds[:3], **how),
        lambda **how: several(memoryview(data)[::2], fds[:3], **how),
        lambda **how: query("{}", fds[:3], **how),
    ]


def test_what_is_refused_stays_the_callers(module: ModuleType, error: type[Any], fds: list[int]) -> None:
    for call in refusals(module, fds):
        with pytest.raises((error, TypeError, ValueError)):
            call()
    make = module.KickMessage
    wrong: Any
    for wrong in (HUGE, -1, True, 3.5, "3", [], [fds[3], fds[4]], fds[1], {}):
        with pytest.raises((error, TypeError, ValueError)):
            make(header=kick(module), kick=wrong, pair=fds[1:3])
    for pair in (bytes(fds[1:3]), bytearray(fds[1:3]), "12", 3.5, [fds[1], "3"], [fds[1], fds[0]], fds[1]):
        with pytest.raises((error, TypeError, ValueError)):
            make(header=kick(module), kick=fds[0], pair=pair)
    with pytest.raises(error):
        make(header=kick(module), pair=fds[1:3])
    with pytest.raises(error):
        make(header=kick(module, 1), kick=fds[0], pair=fds[1:3])
    gc.collect()
    assert all(map(is_open, fds))


def test_what_is_refused_can_be_closed(module: ModuleType, error: type[Any]) -> None:
    before = open_fds()
    count = len(refusals(module, [0, 1, 2]))
    for index in range(count):
        fds = [os.open("/dev/null", os.O_RDONLY) for _ in range(3)]
        given = fds[: (2 if index in (1, 5) else 1 if index in (6, 7) else 3)]
        with pytest.raises((error, TypeError, ValueError)):
            refusals(module, fds)[index](close_refused=True)
        assert not any(map(is_open, given)), index
        for fd in fds[len(given) :]:
            os.close(fd)
    assert open_fds() == before


def test_a_refusal_says_why_also_where_closing_fails(
    module: ModuleType, error: type[Any], fds: list[int]
) -> None:
    os.close(fds[0])
    with pytest.raises(error, match="too_short"):
        module.KickMessage.from_message(b"", fds[:3], close_refused=True)
    assert [is_open(fd) for fd in fds] == [False, False, False, True, True]


def test_what_is_accepted_is_not_closed(module: ModuleType, fds: list[int]) -> None:
    for cls in (module.KickMessage, module.VhostMessage):
        message = cls.from_message(kick(module).to_bytes(), fds[:3], close_refused=True)
        assert message.detach() == fds[:3]
    assert all(map(is_open, fds))


def test_what_is_no_file_descriptor_is_said_before_the_bodyare_read(module: ModuleType) -> None:
    for cls in (module.KickMessage, module.VhostMessage, module.ClosedMessage, module.QueryMessage):
        for wrong, kind, text in [
            ([HUGE], ValueError, f"expected 0 to 2147483647, found {HUGE}"),
            ([2**31], ValueError, "expected 0 to 2147483647, found 2147483648"),
            ([-1], ValueError, "expected 0 to 2147483647, found -1"),
            ([10**5000], ValueError, "found an integer of 16610 bits"),
            ([True], TypeError, "expected the number of a file descriptor, found bool"),
            (["1"], TypeError, "expected the number of a file descriptor, found str"),
            ([1000, 1001, 1000], ValueError, "each of them once, found 1000, 1001, 1000"),
            (b"\x03", TypeError, "expected file descriptors, found bytes"),
        ]:
            with pytest.raises(kind, match=text) as caught:
                cls.from_message(b"", wrong)
            assert type(caught.value) is kind
    message = module.UnknownMessage(header=kick(module), all=[2**31 - 1])
    assert message.detach() == [2**31 - 1]


def test_what_is_given_away_is_not_closed(module: ModuleType, fds: list[int]) -> None:
    with module.KickMessage(header=kick(module), kick=fds[0], pair=iter(fds[1:3])) as message:
        assert message.detach() == fds[:3]
        assert message.closed
    assert all(map(is_open, fds))


def test_all_are_closed_although_one_cannot_be(module: ModuleType, fds: list[int]) -> None:
    message = made(module, fds)
    os.close(fds[0])
    with pytest.raises(OSError, match="Bad file descriptor"):
        message.close()
    assert message.closed
    assert [is_open(fd) for fd in fds] == [False, False, False, True, True]
    message.close()


def test_what_nobody_closes_is_closed_and_said(module: ModuleType, fds: list[int]) -> None:
    message = made(module, fds)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del message
        gc.collect()
    assert [str(it.message) for it in caught] == ["unclosed message KickMessage"]
    assert [it.category for it in caught] == [ResourceWarning]
    assert [is_open(fd) for fd in fds] == [False, False, False, True, True]


def test_what_nobody_closes_is_closed_where_warnings_are_errors(
    module: ModuleType, fds: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[type[BaseException] | None] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda it: raised.append(it.exc_type))
    message = made(module, fds)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del message
        gc.collect()
    assert raised == [ResourceWarning]
    assert [is_open(fd) for fd in fds] == [False, False, False, True, True]


def test_nothing_has_two_owners(module: ModuleType, fds: list[int]) -> None:
    message = made(module, fds)
    for value in (message, module.VhostMessageKick(message)):
        name = type(value).__name__
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=rf"cannot copy or pickle {name}, .*: make another .*os\.dup"):
                call(value)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(TypeError, match=f"cannot copy or pickle {name}"):
                pickle.dumps(value, protocol)
    with pytest.raises(TypeError, match="cannot copy or pickle KickMessage"):
        copy.deepcopy({"in": [message]})
    lookup = module.QueryMessageLookup(module.SurfaceName(surface="a"))
    for other in (copy.copy(lookup), copy.deepcopy(lookup), pickle.loads(pickle.dumps(lookup))):
        assert type(other) is type(lookup)
        assert other.value == lookup.value
    assert message.detach() == fds[:3]


@pytest.mark.parametrize("ending", ["close", "detach", "both"])
def test_one_of_two_threads_ends_a_message(module: ModuleType, ending: str) -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    before = open_fds()
    try:
        for _ in range(100):
            fds = [os.open("/dev/null", os.O_RDONLY) for _ in range(3)]
            message = made(module, fds)
            ends_together(message, fds, ending)
    finally:
        sys.setswitchinterval(interval)
    assert open_fds() == before


def ends_together(message: Any, fds: list[int], ending: str) -> None:
    """Two threads end a message, and nobody closes or gets anything twice."""
    barrier = threading.Barrier(2)
    given: list[list[int]] = []
    raised: list[BaseException] = []

    def end(call: Callable[[], list[int] | None]) -> None:
        barrier.wait()
        try:
            given.append(call() or [])
        except BaseException as fault:
            raised.append(fault)

    calls = {
        "close": (message.close, message.close),
        "detach": (message.detach, message.detach),
        "both": (message.close, message.detach),
    }[ending]
    threads = [threading.Thread(target=end, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert raised == []
    assert message.closed
    kept = [it for it in given if it]
    assert kept in ([], [fds])
    if ending != "both":
        assert kept == ([fds] if ending == "detach" else [])
    for fd in fds:
        assert is_open(fd) == bool(kept)
        with contextlib.suppress(OSError):
            os.close(fd)


@pytest.mark.parametrize("first", ["close", "detach"])
@pytest.mark.parametrize("second", ["close", "detach"])
def test_a_message_ends_once_whatever_another_thread_does_between(
    module: ModuleType, first: str, second: str, fds: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[int] = []
    monkeypatch.setattr(os, "close", closed.append)
    for steps in range(100):
        closed.clear()
        message = made(module, fds)
        files = {type(message).close.__code__.co_filename}
        given: list[list[int]] = []

        def meanwhile(message: Any = message, given: list[list[int]] = given) -> None:
            given.append(getattr(message, second)() or [])

        with at_line(files, steps, meanwhile) as fell:
            given.append(getattr(message, first)() or [])
        assert sorted(closed + [fd for it in given for fd in it]) == fds[:3], steps
        assert all(it in ([], fds[:3]) for it in given), steps
        if not fell:
            break
    assert steps > 3
    assert not fell


@pytest.mark.parametrize("ending", ["close", "__exit__"])
def test_an_interrupt_anywhere_loses_nothing(module: ModuleType, ending: str) -> None:
    before = open_fds()
    for steps in range(100):
        fds = [os.open("/dev/null", os.O_RDONLY) for _ in range(3)]
        message = made(module, fds)
        files = {type(message).close.__code__.co_filename}
        with contextlib.suppress(KeyboardInterrupt), at_line(files, steps, interrupt) as fell:
            getattr(message, ending)()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            del message
            gc.collect()
        assert not any(map(is_open, fds)), steps
        if not fell:
            break
    assert steps > 3
    assert not fell
    assert open_fds() == before


def interrupt() -> None:
    raise KeyboardInterrupt


@contextlib.contextmanager
def at_line(files: set[str], steps: int, call: Callable[[], None]) -> Iterator[list[int]]:
    """Calls something before one line of some files, which is then in the list."""
    fell: list[int] = []
    left = steps

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal left
        if frame.f_code.co_filename not in files:
            return None
        if event == "line" and not fell:
            if left == 0:
                fell.append(frame.f_lineno)
                call()
            left -= 1
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        yield fell
    finally:
        sys.settrace(previous)
