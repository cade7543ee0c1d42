"""Native classes of messages beside the pure ones: the same values, texts and errors, and the same owner of
every file descriptor on every path.
"""

from __future__ import annotations

import array
import copy
import gc
import itertools
import os
import pickle
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from operator import call
from typing import Any

import pytest
import wirecontract
from native_classes import EVERY_FORM, LIBRARIES, SHIPPED, Library
from test_forks import in_child
from wirecontract import WireError, handoff

pytestmark = pytest.mark.usefixtures("balanced")


class Contract:
    """A message, or several: both classes, and what was recorded of it."""

    def __init__(self, library: Library, module: Any, vectors: dict[str, Any]) -> None:
        self.library = library
        self.module = module
        self.pure: Any = getattr(module, vectors["contract"])
        self.native: Any = getattr(library.native, vectors["contract"])
        self.cases: list[tuple[str, bytes, int, bool]] = [
            (case["name"], bytes.fromhex(case["bytes"]), case["fds"], "fault" not in case)
            for case in vectors["cases"]
        ]

    def both(self) -> tuple[Any, Any]:
        return self.pure, self.native


CONTRACTS = {
    library.key(vectors["contract"]): Contract(library, module, vectors)
    for library in LIBRARIES
    for module, vectors in library.contracts("message", "messages")
}
ONE = {name: it for name, it in CONTRACTS.items() if hasattr(it.pure, "__match_args__")}
SEVERAL = {name: it for name, it in CONTRACTS.items() if name not in ONE}
OWNERS = {name: it for name, it in CONTRACTS.items() if it.pure.MAX_FDS}


@pytest.fixture(params=CONTRACTS)
def contract(request: pytest.FixtureRequest) -> Contract:
    return CONTRACTS[request.param]


@pytest.fixture(params=OWNERS)
def owning(request: pytest.FixtureRequest) -> Contract:
    """What has file descriptors."""
    return OWNERS[request.param]


def test_every_message_has_a_native_class() -> None:
    shipped = {name for name in CONTRACTS if name not in SHIPPED.module.__all__}
    assert {name.partition(".")[0] for name in shipped} == {"native_rig"}
    names = {
        "CheckInMessage",
        "RegistrationMessage",
        "RequestMessage",
        "SurfaceMessage",
        "LookupAnswerMessage",
    }
    assert names == CONTRACTS.keys() - shipped
    assert all(getattr(wirecontract, name) is CONTRACTS[name].native for name in names)


def opened() -> int:
    """How many file descriptors this process has."""
    return len(os.listdir("/proc/self/fd"))


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


@contextmanager
def files(count: int) -> Iterator[list[int]]:
    """New file descriptors; those that nobody has closed are closed at the end."""
    fds = [os.open(os.devnull, os.O_RDONLY) for _ in range(count)]
    try:
        yield fds
    finally:
        for fd in filter(is_open, fds):
            os.close(fd)


def told(error: BaseException) -> tuple[Any, ...]:
    """An exception, as both classes have to raise it."""
    # Python says of whom an argument may be given by name only.
    text = str(error).replace("keyword-only", "keyword")
    found = (type(error).__name__, text)
    return (
        (*found, *error.args, error.contract, error.field, error.offset)
        if isinstance(error, WireError)
        else found
    )


def outcome(step: Callable[[], Any]) -> Any:
    """What a call gives, or raises."""
    try:
        return step()
    except Exception as error:
        return told(error)


def groups(message: Any) -> list[Any]:
    return [outcome(partial(getattr, message, name)) for name in message.__match_args__]


def shown(message: Any) -> list[Any]:
    """All that a message says; it is closed then."""
    steps = ("to_message", "validate_import", "__repr__")
    said: list[Any] = [type(message).__name__, message.closed]
    for _ in range(2):
        said += [outcome(getattr(message, step)) for step in steps]
        said += [repr(groups(message)), message.closed]
        message.close()
    return said


def agree(
    contract: Contract, step: Callable[[Any, list[int]], Any], count: int, *, closed: bool = False
) -> tuple[Any, bool]:
    """Both classes do the same with the same file descriptors: what they said, and whether it was made."""
    results: list[tuple[Any, bool]] = []
    with open(os.devnull, "rb") as spare, files(count) as fds:
        opened_before = opened()
        for cls in contract.both():
            # The same numbers, for the words of refusals.
            for fd in itertools.filterfalse(is_open, fds):
                os.dup2(spare.fileno(), fd)
            assert opened() == opened_before
            message = outcome(partial(step, cls, fds))
            if isinstance(message, tuple):
                # What is refused stays the caller's, or is closed where the caller said so.
                assert [is_open(fd) for fd in fds] == [not closed] * count, message
                results.append((message, False))
                continue
            assert all(map(is_open, fds))
            owned = message.detach()
            results.append(([owned, *shown(step(cls, fds))], True))
            # What it was not given is not its own.
            assert [is_open(fd) for fd in fds] == [fd not in owned for fd in fds]
        assert results[1] == results[0]
    return results[0]


def reads(data: Any, *, close: bool = False) -> Callable[[Any, list[int]], Any]:
    """What reads it with the file descriptors as they are."""
    return lambda cls, fds: cls.from_message(data, fds, close_refused=close)


def test_vectors_are_read_as_the_pure_class_reads_them(contract: Contract) -> None:
    for name, data, count, is_valid in contract.cases:
        for given in (data, bytearray(data), memoryview(data), array.array("B", data)):
            said, is_message = agree(contract, reads(given), count)
            assert is_message is is_valid, (name, said)
        agree(contract, reads(data, close=True), count, closed=True)


class Whole:
    """A number that is no `int`."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


class Failure(Exception):
    """What an iterable raises that fails."""


def failing(fds: list[int]) -> Iterable[int]:
    yield from fds
    raise Failure("on the way")


FDS: dict[str, Callable[[list[int]], Any]] = {
    "a tuple": tuple,
    "an iterator": iter,
    "a generator": lambda fds: (fd for fd in fds),
    "a set": lambda fds: dict.fromkeys(fds),
    "numbers of another class": lambda fds: [Whole(fd) for fd in fds],
    "a text": lambda fds: "3",
    "bytes": lambda fds: bytes(fds),
    "bytes that change": lambda fds: bytearray(fds),
    "an array": lambda fds: array.array("i", fds),
    "a number": lambda fds: 3,
    "nothing": lambda fds: None,
    "a negative number": lambda fds: [*fds, -1],
    "too great a number": lambda fds: [*fds, 2**31],
    "far too great a number": lambda fds: [*fds, 1 << 200],
    "the same twice": lambda fds: [*fds, *fds[:1], *fds[:1]],
    "a truth": lambda fds: [*fds, True],
    "a float": lambda fds: [*fds, 1.0],
    "what fails": failing,
    "too many": lambda fds: [*fds, *range(1000, 1300)],
}


@pytest.mark.parametrize("kind", FDS)
@pytest.mark.parametrize("close", [False, True])
def test_what_comes_beside_the_bytes_is_taken_or_refused_alike(
    owning: Contract, kind: str, close: bool
) -> None:
    data, count = next((data, count) for _, data, count, valid in owning.cases if valid and count)

    def step(cls: Any, fds: list[int]) -> Any:
        return cls.from_message(data, FDS[kind](fds), close_refused=close)

    if kind in ("too many", "the same twice", "what fails", "a truth", "a float") and close:
        # What was not given stays open, whoever's it is.
        results = []
        for cls in owning.both():
            with files(count) as fds:
                before = opened()
                error = outcome(partial(step, cls, fds))
                results.append(("".join(filter(str.isalpha, str(error))), opened() - before))
        assert results[0] == results[1]
        return
    # What is no number of its own is not closed, whatever the caller said.
    given = kind not in ("a text", "bytes", "bytes that change", "a number", "nothing")
    agree(owning, step, count, closed=close and given)


@pytest.mark.parametrize("data", ["{}", None, 3, b"", bytes(2000), memoryview(bytes(24))[::2], [1]])
def test_what_is_no_message_is_refused_alike(contract: Contract, data: Any) -> None:
    for close in (False, True):
        _, is_message = agree(contract, reads(data, close=close), 2, closed=close)
        assert not is_message
    with pytest.raises(TypeError):
        contract.native.from_message()
    with pytest.raises(TypeError):
        contract.native.from_message(b"", [], True)


def kept(contract: Contract, message: Any) -> tuple[list[str], list[str]]:
    """The names of a message's parts and tail, and those of its groups."""
    names = list(message.__match_args__)
    first = len(names) - len(contract.module.__dict__[f"_message_{type(message).__name__}"].groups)
    return names[:first], names[first:]


def read(contract: Contract) -> Iterator[tuple[tuple[Any, Any], int]]:
    """Each valid message, of both classes, without its file descriptors."""
    for _, data, count, is_valid in contract.cases:
        if is_valid:
            with files(count) as fds:
                pair = []
                for cls in contract.both():
                    pair.append(cls.from_message(data, fds))
                    pair[-1].detach()
                yield (pair[0], pair[1]), count


GIVEN: tuple[Callable[[list[int]], Any], ...] = (
    lambda fds: fds,
    tuple,
    iter,
    lambda fds: fds[0] if len(fds) == 1 else fds,
    lambda fds: fds if fds else None,
    lambda fds: [*fds[:-1]],
    lambda fds: [Whole(fd) for fd in fds],
    lambda fds: [*fds, 2**31],
    lambda fds: [*fds, None],
    lambda fds: "3",
    lambda fds: failing(fds),
    lambda fds: 1.5,
)


class Making:
    """What makes a message as one that was read, with one group as said."""

    def __init__(self, contract: Contract, pair: tuple[Any, Any]) -> None:
        self.values = dict(zip(contract.both(), pair, strict=True))
        self.parts, self.groups = kept(contract, pair[0])
        self.sizes: tuple[int, ...] = pair[0]._counts

    def parts_of(self, cls: Any, without: str | None = None) -> dict[str, Any]:
        return {it: getattr(self.values[cls], it) for it in self.parts if it != without}

    def with_group(self, index: int, how: Callable[[list[int]], Any]) -> Callable[[Any, list[int]], Any]:
        def step(cls: Any, fds: list[int]) -> Any:
            numbers, given = iter(fds), {}
            for place, (group, size) in enumerate(zip(self.groups, self.sizes, strict=True)):
                its = list(itertools.islice(numbers, size))
                given[group] = how(its) if place == index else its
            return cls(**self.parts_of(cls), **given)

        return step

    def with_another(self, name: str, value: object) -> Callable[[Any, list[int]], Any]:
        return lambda cls, _: cls(**self.parts_of(cls, name), **{name: value})


@pytest.mark.parametrize("name", ONE)
def test_messages_are_made_as_the_pure_class_makes_them(name: str) -> None:
    contract = ONE[name]
    made = set()
    for pair, count in itertools.islice(read(contract), 3):
        making = Making(contract, pair)
        for index, how in itertools.product(range(max(len(making.groups), 1)), GIVEN):
            made.add(agree(contract, making.with_group(index, how), count)[1])
        # Too few, and one that is none.
        for it in (*making.parts, *making.groups):
            less = making.parts_of(contract.native, it)
            assert isinstance(outcome(partial(contract.native, **less, another=1)), tuple)
            wrongs: tuple[Any, ...] = (None, -1, "text", b"bytes", [-1], [None], {}, object)
            for wrong in wrongs:
                agree(contract, making.with_another(it, wrong), 0)
    assert made == ({True, False} if contract.pure.MAX_FDS else {True})


@pytest.mark.parametrize("name", SEVERAL)
def test_variants_are_made_as_the_pure_class_makes_them(name: str) -> None:
    contract = SEVERAL[name]
    seen = set()
    for data, count in ((data, count) for _, data, count, valid in contract.cases if valid):
        said: list[list[Any]] = []
        with open(os.devnull, "rb") as spare, files(count) as fds:
            for cls in contract.both():
                for fd in itertools.filterfalse(is_open, fds):
                    os.dup2(spare.fileno(), fd)
                first = cls.from_message(data, fds)
                variant: Any = type(first)
                arguments = [getattr(first, it) for it in first.__match_args__]
                # Of one that is open the file descriptors are an argument, which it gives away.
                if hasattr(first, "fds"):
                    first.detach()
                second = variant(*arguments)
                assert isinstance(second, cls)
                assert second.__match_args__ == first.__match_args__
                said.append([variant.__name__, repr(second), outcome(second.to_message)])
                wrongs = (None, (1, 2), 1.5, "\ud800") if arguments else ()
                for wrong in wrongs:
                    said[-1].append(str(outcome(partial(variant, wrong))))
                seen.add(variant.__name__)
                second.close()
                first.close()
                assert second.closed is first.closed
        assert said[0] == said[1]
    assert len(seen) > 1
    with pytest.raises(TypeError, match=f"{contract.native.__name__} is one of its variants"):
        contract.native()


def first_of(contract: Contract) -> tuple[bytes, int]:
    return next((data, count) for _, data, count, valid in contract.cases if valid and count)


def drop(held: list[Any]) -> None:
    """Drops what a list holds, and what is in a ring."""
    held.pop(0)
    held.clear()
    gc.collect()


def owner(message: Any) -> Any:
    """What owns the file descriptors."""
    return getattr(message, "value", message)


def test_a_message_is_nobody_elses(owning: Contract) -> None:
    data, count = first_of(owning)
    with files(count) as fds:
        for cls in owning.both():
            message = cls.from_message(data, fds)
            for name in message.__match_args__:
                with pytest.raises((AttributeError, TypeError)):
                    setattr(message, name, 1)
            with pytest.raises((AttributeError, TypeError)):
                message.another = 1
            assert hash(message) == hash(message)
            for step in (copy.copy, copy.deepcopy, pickle.dumps):
                with pytest.raises(TypeError, match="which owns file descriptors") as caught:
                    step(message)
                assert str(caught.value).startswith(f"cannot copy or pickle {type(message).__name__}")
            arguments = [getattr(message, it) for it in type(message).__match_args__]
            by_name = dict(zip(message.__match_args__, arguments, strict=True))
            with pytest.raises(
                TypeError, match=f"this {type(message).__name__} is made: construct another one"
            ):
                message.__init__(**by_name)
            assert message.detach() == fds
            assert message.detach() == []
            assert message.closed
            message.close()
        assert all(map(is_open, fds))


def test_a_document_alone_is_copied_and_pickled(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()
    for contract in SEVERAL.values():
        contract.library.show(monkeypatch)
        for _, data, count, is_valid in contract.cases:
            if count or not is_valid:
                continue
            message = contract.native.from_message(data)
            if owner(message) is not message and hasattr(owner(message), "detach"):
                continue
            if hasattr(message, "fds"):
                continue
            for other in (copy.copy(message), copy.deepcopy(message), pickle.loads(pickle.dumps(message))):
                assert type(other) is type(message)
                assert repr(other) == repr(message)
                assert other != message
                assert other.to_message() == message.to_message()
            assert not message.closed
            message.close()
            assert not message.closed
            assert message.detach() == []
            seen.add(type(message).__name__)
    assert {
        "SpokenStop",
        "SpokenCount",
        "SpokenAny",
        "RequestMessageLookup",
        "LookupAnswerMessageError",
    } <= seen


def test_a_new_object_is_made_once() -> None:
    for name, contract in ONE.items():
        (pure, native), count = next(
            it for it in read(contract) if it[1] or name == "native_rig.FrameMessage"
        )
        with files(count) as fds:
            for value in (pure, native):
                cls: Any = type(value)
                new = cls.__new__(cls)
                assert new.closed
                assert new.detach() == []
                new.close()
                with pytest.raises(AttributeError):
                    getattr(new, value.__match_args__[0])
                parts, names = kept(contract, value)
                numbers = iter(fds)
                arguments = {it: getattr(value, it) for it in parts}
                arguments |= {
                    it: list(itertools.islice(numbers, size))
                    for it, size in zip(names, pure._counts, strict=True)
                }
                with pytest.raises(TypeError):
                    new.__init__(**arguments, another=1)
                new.__init__(**arguments)
                assert new.detach() == fds


def test_the_end_of_a_message_closes_what_it_has(owning: Contract) -> None:
    data, count = first_of(owning)
    for end in ("close", "with", "raise", "drop", "drop in a ring"):
        with files(count) as fds:
            message = owning.native.from_message(data, iter(fds))
            if end == "close":
                message.close()
            elif end == "with":
                with message as same:
                    assert same is message
            elif end == "raise":
                with pytest.raises(Failure), message:
                    raise Failure
            else:
                who = type(message).__name__ if hasattr(message, "fds") else type(owner(message)).__name__
                ring: list[Any] = [message]
                if end == "drop in a ring":
                    ring = [[message, ring]]
                    ring[0].append(ring[0])
                del message
                with pytest.warns(ResourceWarning, match=f"unclosed message {who}$"):
                    drop(ring)
            assert not any(map(is_open, fds))


def test_a_warning_that_is_an_exception_ends_nothing(owning: Contract) -> None:
    data, count = first_of(owning)
    seen: list[Any] = []
    hook = sys.unraisablehook
    sys.unraisablehook = lambda it: seen.append(it.exc_type)
    try:
        with files(count) as fds, warnings.catch_warnings():
            warnings.simplefilter("error")
            message = owning.native.from_message(data, fds)
            del message
            assert not any(map(is_open, fds))
    finally:
        sys.unraisablehook = hook
    assert seen == [ResourceWarning]


def test_an_exception_on_its_way_is_not_lost_by_a_message_that_is_dropped(owning: Contract) -> None:
    data, count = first_of(owning)

    def messages(fds: list[int]) -> Iterator[Any]:
        yield owning.native.from_message(data, fds)
        raise Failure("while it is dropped")

    def fails(fds: list[int]) -> None:
        # The tuple that was begun, and all in it, is dropped while the exception is on its way.
        with pytest.raises(Failure, match="while it is dropped"):
            tuple(messages(fds))

    with files(count) as fds:
        with pytest.warns(ResourceWarning):
            fails(fds)
        assert not any(map(is_open, fds))


def test_all_are_closed_although_closing_one_fails(owning: Contract) -> None:
    data, count = max(
        ((data, count) for _, data, count, valid in owning.cases if valid), key=lambda it: it[1]
    )
    said = []
    for cls in owning.both():
        with files(count) as fds:
            message = cls.from_message(data, fds)
            os.close(fds[0])
            with pytest.raises(OSError, match="Bad file descriptor") as caught:
                message.close()
            said.append((type(caught.value), caught.value.args))
            assert not any(map(is_open, fds))
            message.close()
    assert said[0] == said[1]


def test_a_fork_closes_its_own(owning: Contract) -> None:
    data, count = first_of(owning)
    with files(count) as fds:
        message = owning.native.from_message(data, fds)

        def child() -> None:
            assert message.to_message()[1] == fds
            message.close()
            assert not any(map(is_open, fds))

        in_child(child)
        assert all(map(is_open, fds))
        message.close()
        assert not any(map(is_open, fds))


@pytest.mark.parametrize("name", ONE)
def test_parts_may_be_values_of_the_pure_classes(name: str) -> None:
    contract = ONE[name]
    for (pure, native), count in itertools.islice(read(contract), 6):
        parts, names = kept(contract, pure)
        with files(count) as fds:
            numbers = iter(fds)
            given: dict[str, Any] = {
                it: list(itertools.islice(numbers, size))
                for it, size in zip(names, pure._counts, strict=True)
            }
            mixed = contract.native(**{it: getattr(pure, it) for it in parts}, **given)
            assert repr([getattr(mixed, it) for it in parts]) == repr([getattr(native, it) for it in parts])
            assert mixed.to_message()[1] == fds
            mixed.close()
            assert not any(map(is_open, fds))


CHANNELS: dict[str, Any] = {"pure": handoff.Channel, "native": wirecontract.Channel}


@pytest.mark.parametrize("ours", CHANNELS)
@pytest.mark.parametrize("framed", [False, True])
@pytest.mark.parametrize("sends", [0, 1])
def test_messages_cross_channels_of_both(ours: str, framed: bool, sends: int) -> None:
    options = handoff.Options(message_timeout=60, idle_timeout=60)
    for contract in OWNERS.values():
        data, count = first_of(contract)
        one, other = CHANNELS[ours].pair(options)
        with one, other, files(count) as fds:
            before = opened()
            sent: Any = contract.both()[sends].from_message(data, fds)
            (one.send_framed if framed else one.send_declared)(sent)
            receive: Any = other.recv_framed if framed else other.recv_declared
            with receive(contract.both()[1 - sends], within=60, repeated=True) as came:
                assert type(came).__name__ == type(sent).__name__
                assert came.to_message()[0] == sent.to_message()[0]
                assert opened() == before + count
            assert opened() == before
            # What is refused is closed.
            one.send(sent.WIRE_ID.to_bytes(8, "little") if framed else b"", fds)
            with pytest.raises((WireError, handoff.HandoffError)):
                receive(contract.native, within=60, repeated=True)
            assert opened() == before
            sent.close()


def test_file_descriptors_go_from_their_owners_to_a_message(owning: Contract) -> None:
    data, count = first_of(owning)
    for kind in (handoff.Fd, wirecontract.Fd):
        with files(count) as fds:
            owners = [kind(fd) for fd in fds]
            with owning.native.from_message(data, map(call, [it.detach for it in owners])) as message:
                assert all(it.closed for it in owners)
                assert message.to_message()[1] == fds
            assert not any(map(is_open, fds))


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_is_kept(name: str) -> None:
    contract = OWNERS[name]
    data, count = first_of(contract)

    def everything() -> None:
        with files(count) as fds:
            message: Any = contract.native.from_message(data, fds)
            repr(message), message.to_message(), outcome(message.validate_import), groups(message)
            outcome(lambda: contract.native.from_message(data[:-1], fds))
            outcome(lambda: contract.native.from_message(data, [*fds, fds[0]]))
            outcome(lambda: contract.native.from_message("text", fds))
            outcome(lambda: type(message)(None))
            outcome(lambda: copy.copy(message))
            message.close()

    for _ in range(400):
        everything()
    gc.collect()
    values = (data, contract.native, type(contract.native.from_message))
    before = [sys.getrefcount(it) for it in values]
    start, files_before = sys.getallocatedblocks(), opened()
    for _ in range(200):
        everything()
    gc.collect()
    end = sys.getallocatedblocks()
    after = [sys.getrefcount(it) for it in values]
    assert max(abs(later - earlier) for later, earlier in zip(after, before, strict=True)) < 40
    assert end - start < 200
    assert opened() == files_before


def test_a_known_tag_is_not_written_by_another_variant() -> None:
    module, native = CONTRACTS["native_rig.Tagged"].module, EVERY_FORM.native
    said = []
    for classes in (module, native):
        header = classes.Header(request=2, flags=0, size=0)
        with classes.RawMessage(header=header, payload=b"ab") as raw:
            said.append([outcome(classes.TaggedRaw(raw).to_message), raw.to_message()])
        text = classes.TextMessage(header=classes.Header(request=9, flags=0, size=2), text="ab")
        said[-1] += [
            outcome(classes.TaggedText(text).to_message),
            outcome(classes.StrictText(text).to_message),
        ]
        for wrong in (raw, None, header):
            said[-1].append(outcome(partial(classes.TaggedText, wrong)))
    assert said[0] == said[1]
    assert said[1][0][2].name == "UNKNOWN_TAG"


def test_defaults_of_a_signature_are_the_pure_ones(contract: Contract) -> None:
    import inspect

    for pure in (contract.pure, *contract.pure.__subclasses__()):
        if pure is contract.pure and contract in SEVERAL.values():
            continue
        native = getattr(contract.library.native, pure.__name__)
        found = [
            [(it.name, it.kind, it.default) for it in inspect.signature(cls).parameters.values()]
            for cls in (pure, native)
        ]
        assert found[0] == found[1]
    found = [
        [(it.name, it.kind, it.default) for it in inspect.signature(cls.from_message).parameters.values()]
        for cls in contract.both()
    ]
    assert found[0] == found[1]
