"""Native classes of descriptors beside the pure ones: the same values, the same bytes, the same errors."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import random
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pytest
import wirecontract
from native_classes import LIBRARIES, NATIVE_ALONE, SHIPPED, Library
from wirecontract import WireError


class Descriptor:
    """A contract: both classes, and bytes of it with what each is."""

    def __init__(self, library: Library, module: Any, vectors: dict[str, Any]) -> None:
        self.library = library
        self.name: str = vectors["contract"]
        self.pure: Any = getattr(module, self.name)
        self.native: Any = getattr(library.native, self.name)
        self.cases: list[dict[str, Any]] = [case for case in vectors["cases"] if "bytes" in case]
        plain = [case for case in self.cases if "value" in case and not {"prefix", "newer"} & case.keys()]
        self.images = [bytes.fromhex(case["bytes"]) for case in plain]

    def both(self) -> tuple[Any, Any]:
        return self.pure, self.native


DESCRIPTORS = {
    library.key(vectors["contract"]): Descriptor(library, module, vectors)
    for library in LIBRARIES
    for module, vectors in library.contracts("descriptor")
}


@pytest.fixture(params=DESCRIPTORS)
def descriptor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Descriptor:
    descriptor = DESCRIPTORS[request.param]
    descriptor.library.show(monkeypatch)
    return descriptor


def outcome(call: Callable[[], Any]) -> tuple[Any, ...]:
    """A value, or why there is none, as both halves have to say it."""
    try:
        value = call()
    except WireError as error:
        return (*error.args, error.code, error.contract, error.field, error.offset, str(error))
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        return (type(error),)
    if isinstance(value, tuple):
        value, view = value
        return repr(value), value.to_bytes(), bytes(view)
    return (repr(value), value.to_bytes()) if hasattr(value, "to_bytes") else (repr(value),)


def agree(descriptor: Descriptor, act: Callable[..., Any], *given: Any) -> tuple[Any, ...]:
    """What both classes make of the same."""
    pure, native = (outcome(partial(act, cls, *given)) for cls in descriptor.both())
    assert native == pure
    return native


def call(cls: Any, name: str, *given: Any) -> Any:
    return getattr(cls, name)(*given)


def checked(cls: Any, data: bytes) -> Any:
    return cls.from_bytes(data).validate_import()


def written(cls: Any, data: bytes, version: Any) -> Any:
    return cls.from_bytes(data).to_bytes(version)


def test_every_descriptor_that_ships_has_a_native_class() -> None:
    assert sum(it.library is SHIPPED for it in DESCRIPTORS.values()) == 7
    assert all(it.native is not it.pure for it in DESCRIPTORS.values())


def shown(default: Any) -> Any:
    """A parameter's default; natively a tuple of one is not said."""
    return ... if isinstance(default, tuple) and len(default) == 1 else default


def test_the_classes_say_the_same_of_themselves(descriptor: Descriptor) -> None:
    pure, native = descriptor.both()
    public = [{name for name in dir(cls) if not name.startswith("_")} for cls in (pure, native)]
    prefix = f"{descriptor.library.package}._contracts.{pure.__name__}."
    by_hand = {name.removeprefix(prefix) for name in NATIVE_ALONE}
    assert public[1] - by_hand == public[0]
    for name in ("WIRE_SIZE", "WIRE_SIZES", "WIRE_ID", "VERSION", "EARLIER", "CONTRACT", "__match_args__"):
        assert getattr(native, name, None) == getattr(pure, name, None)
    parameters = [
        [(it.name, it.kind, shown(it.default)) for it in inspect.signature(cls).parameters.values()]
        for cls in (pure, native)
    ]
    assert parameters[1] == parameters[0]
    for name in public[0]:
        value = getattr(native, name)
        assert value.__doc__ if not isinstance(value, int | tuple) else True
    with pytest.raises(TypeError):
        type("Heir", (native,), {})


def test_golden_bytes_are_read_and_written_alike(descriptor: Descriptor) -> None:
    for case in descriptor.cases:
        data = bytes.fromhex(case["bytes"])
        if "at" in case:
            at, image = case["at"], descriptor.images[0]
            data = image[:at] + data + image[at + len(data) :]
        name = "from_bytes"
        if {"prefix", "newer"} & case.keys():
            name = "read_prefix" if "prefix" in case else "from_bytes_or_newer"
        for form in (data, bytearray(data), memoryview(data), memoryview(b"." + data)[1:]):
            told = agree(descriptor, call, name, form)
        if "fault" in case:
            assert told[6].name.lower() == case["fault"]["code"]
            continue
        assert told[1].hex() == case["written"]
        agree(descriptor, checked, data)
        if hasattr(descriptor.pure, "read_prefix"):
            agree(descriptor, call, "read_prefix", data + b"more")
            agree(descriptor, call, "read_prefix", data[:-1])
        if hasattr(descriptor.pure, "version_of"):
            agree(descriptor, call, "version_of", data)
            agree(descriptor, call, "from_bytes_or_newer", data)
            for version in (None, 0, 1, 2, -1, 2**70, "1", True):
                agree(descriptor, written, data, version)


def test_what_is_no_contiguous_buffer_is_refused_alike(descriptor: Descriptor) -> None:
    size = descriptor.native.WIRE_SIZE
    wide = memoryview(bytes(size)).cast("H" if size % 2 == 0 else "b")
    for data in ("x", None, 7, [1], memoryview(bytes(2 * size))[::2], wide, b""):
        for name in {"from_bytes", "read_prefix"} & set(dir(descriptor.pure)):
            agree(descriptor, call, name, data)


def test_other_bytes_are_refused_alike(descriptor: Descriptor) -> None:
    chance = random.Random(descriptor.name)
    codes = set()
    for _ in range(3000):
        changed = bytearray(chance.choice(descriptor.images))
        for _ in range(chance.choice((1, 1, 1, 2))):
            at = chance.randrange(len(changed))
            flipped = changed[at] ^ 1 << chance.randrange(8)
            changed[at] = chance.choice((0, 1, 255, flipped, chance.randrange(256)))
        if chance.random() < 0.05:
            del changed[chance.randrange(len(changed)) :]
        elif chance.random() < 0.05:
            changed += bytes(chance.randrange(1, 300))
        data = bytes(changed)
        told = agree(descriptor, call, "from_bytes", data)
        codes.add(told[6].name if len(told) > 2 else "OK")
        if len(told) == 2:
            agree(descriptor, checked, data)
        if hasattr(descriptor.pure, "version_of"):
            for name in {"from_bytes_or_newer", "version_of", "read_prefix"} & set(dir(descriptor.pure)):
                agree(descriptor, call, name, changed)
    assert {"OK", "TOO_SHORT", "TRAILING_BYTES"} <= codes
    for image in descriptor.images[:3]:
        for at, byte in enumerate(image):
            for other in (byte ^ 1, byte ^ 0x80, byte ^ 0xFF):
                agree(descriptor, call, "from_bytes", image[:at] + bytes((other,)) + image[at + 1 :])


class Seven:
    def __index__(self) -> int:
        return 7


class Broken:
    def __index__(self) -> int:
        raise ZeroDivisionError

    def __len__(self) -> int:
        raise ZeroDivisionError


class Wide(int):
    pass


SIGNS = ((1, 0), (1, -1), (-1, 0), (-1, -1))
ODD: tuple[Any, ...] = (
    *(sign * 2**bits + more for bits in (0, 7, 8, 15, 16, 31, 32, 63, 64, 200) for sign, more in SIGNS),
    *range(-2, 60),
    Wide(3),
    True,
    None,
    1.5,
    2.0,
    float("nan"),
    Seven(),
    Broken(),
    "",
    "text",
    "x" * 300,
    "\ud800",
    "a\0b",
    b"",
    b"x" * 16,
    b"x" * 64,
    b"x" * 65,
    bytearray(b"abc"),
    memoryview(b"abcdef")[::2],
    memoryview(b"abcdefgh").cast("I"),
    (),
    (1, 2, 3, 4),
    [1, 2, 3, 4, 5, 6, 7, 8],
    [None],
    {1: 2},
    {1, 2},
    range(8),
    object(),
    wirecontract.Code.OK,
)  # fmt: skip


def fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__match_args__}


def members() -> list[Any]:
    """Members of all enumerations and flags of the families, and combinations."""
    found: list[Any] = []
    for it in DESCRIPTORS.values():
        for thing in vars(sys.modules[it.pure.__module__]).values():
            if isinstance(thing, type) and issubclass(thing, int):
                found += list(cast(Any, thing))
    return found


def test_odd_arguments_are_taken_or_refused_alike(descriptor: Descriptor) -> None:
    chance = random.Random(descriptor.name)
    odd = [*ODD, *members()]
    outcomes = set()
    for _ in range(4000):
        image = chance.choice(descriptor.images)
        arguments = [fields(cls.from_bytes(image)) for cls in descriptor.both()]
        for _ in range(chance.choice((1, 1, 2, 3))):
            name = chance.choice(list(arguments[0]))
            if chance.random() < 0.1:
                other = chance.choice(list(DESCRIPTORS.values()))
                data = chance.choice(other.images)
                given = [cls.from_bytes(data) for cls in other.both()]
            else:
                given = [chance.choice(odd)] * 2
            for each, value in zip(arguments, given, strict=True):
                each[name] = value
        pure, native = (
            outcome(partial(cls, **each)) for cls, each in zip(descriptor.both(), arguments, strict=True)
        )
        assert native == pure, arguments[0]
        outcomes.add(native[6].name if len(native) > 2 else len(native))
    least = {2, "WRONG_TYPE", "OUT_OF_RANGE"} if descriptor.library is SHIPPED else {"WRONG_TYPE"}
    assert least <= outcomes


def test_classes_of_one_name_are_told_apart() -> None:
    holder, tail = DESCRIPTORS["native_rig.Holder"], DESCRIPTORS["native_rig.Tail"]
    pure, native = (cls.from_bytes(tail.images[0]) for cls in tail.both())
    with pytest.raises(WireError, match=r"expected Tail, found Tail of native_rig$"):
        holder.pure(sequence=1, tail=native)
    with pytest.raises(WireError, match=r"expected Tail, found Tail of native_rig\.contracts\.grown$"):
        holder.native(sequence=1, tail=pure)


def test_an_argument_too_few_or_unknown_is_a_type_error(descriptor: Descriptor) -> None:
    both = descriptor.both()
    image = descriptor.images[0]
    arguments = fields(descriptor.native.from_bytes(image))
    for name in arguments:
        less = [{it: its for it, its in fields(cls.from_bytes(image)).items() if it != name} for cls in both]
        pure, native = (outcome(partial(cls, **each)) for cls, each in zip(both, less, strict=True))
        assert native == pure
    with pytest.raises(TypeError, match="another"):
        descriptor.native(**arguments, another=1)
    with pytest.raises(TypeError):
        descriptor.native(*arguments.values())


def test_a_value_is_one_of_its_class(descriptor: Descriptor) -> None:
    pure, native = descriptor.both()
    for image in descriptor.images:
        value, again = native.from_bytes(image), native.from_bytes(image)
        assert value is not again
        assert hash(value) == hash(again) == hash(native(**fields(value)))
        # No NaN is equal to another.
        is_number = pure.from_bytes(image) == pure.from_bytes(image)
        assert (value == again) is (value == native(**fields(value))) is is_number
        assert (value != again) is not is_number
        assert value == value
        assert value != pure.from_bytes(image)
        assert value != value.to_bytes()
        with pytest.raises(TypeError):
            _ = value < again
        copies = [pickle.loads(pickle.dumps(value, it)) for it in range(pickle.HIGHEST_PROTOCOL + 1)]
        for other in [*copies, copy.copy(value), copy.deepcopy(value), value.__replace__()]:
            assert type(other) is native
            assert (other == value) is (is_number or other is value)
            assert (repr(other), other.to_bytes()) == (repr(value), value.to_bytes())
            assert repr(value) == repr(pure.from_bytes(image))
    assert len({native.from_bytes(image) for image in descriptor.images}) == len(
        {pure.from_bytes(image) for image in descriptor.images}
    )


def test_zeros_of_both_signs_are_equal() -> None:
    descriptor = DESCRIPTORS["native_rig.Scalars"]
    value = descriptor.native.from_bytes(bytes(descriptor.native.WIRE_SIZE))
    other = value.__replace__(f32=-0.0, f64=-0.0, matrix=((-0.0, 0.0), (0.0, -0.0)))
    assert (value == other, hash(value) == hash(other), value.to_bytes() == other.to_bytes()) == (
        True,
        True,
        False,
    )
    cell = DESCRIPTORS["native_rig.Cell"].native(x=-0.0, values=())
    holders = [
        DESCRIPTORS["native_rig.Gaps"].native(cells=(it,) * 33) for it in (cell, cell.__replace__(x=0.0))
    ]
    assert holders[0] == holders[1]
    assert hash(holders[0]) == hash(holders[1])


def test_each_field_is_part_of_the_value(descriptor: Descriptor) -> None:
    values, pure = ([cls.from_bytes(it) for it in descriptor.images] for cls in descriptor.both()[::-1])
    for name in descriptor.native.__match_args__:
        if name == "version":
            continue
        others = [at for at, it in enumerate(values) if getattr(it, name) != getattr(values[0], name)]
        assert others, "the vectors have two values of every field"
        for at in others:
            change = [partial(it[0].__replace__, **{name: getattr(it[at], name)}) for it in (values, pure)]
            made = [outcome(it) for it in change]
            assert made[0] == made[1]
            if len(made[0]) == 2:
                assert change[0]() != values[0]
    with pytest.raises(TypeError):
        values[0].__replace__(another=1)
    if sys.version_info >= (3, 13):
        assert copy.replace(values[0]) == values[0]


def test_a_value_stays_as_it_was_made(descriptor: Descriptor) -> None:
    value = descriptor.native.from_bytes(descriptor.images[0])
    for name in (*descriptor.native.__match_args__, "another"):
        with pytest.raises(AttributeError):
            setattr(value, name, 1)
        with pytest.raises(AttributeError):
            delattr(value, name)
    view = memoryview(value)
    assert (view.readonly, view.format, view.nbytes) == (True, "B", descriptor.native.WIRE_SIZE)
    with pytest.raises(TypeError):
        view[0] = 1
    del value
    gc.collect()
    assert view.tobytes() == bytes(view) == descriptor.pure.from_bytes(descriptor.images[0]).to_bytes()


def test_values_match_by_position() -> None:
    match wirecontract.PlaneLayout(offset=7, pitch=8):
        case wirecontract.PlaneLayout(offset, pitch):
            assert (offset, pitch) == (7, 8)
        case _:
            pytest.fail("it is a plane")


def test_members_are_those_of_the_pure_module(descriptor: Descriptor) -> None:
    for image in descriptor.images:
        pure, native = (fields(cls.from_bytes(image)) for cls in descriptor.both())
        for name, value in pure.items():
            if isinstance(value, int):
                assert type(native[name]) is type(value)
                assert native[name] == value


def test_nothing_is_kept(descriptor: Descriptor) -> None:
    image = descriptor.images[0]
    arguments = fields(descriptor.native.from_bytes(image))
    wrong = {**arguments, descriptor.native.__match_args__[-1]: object()}

    def everything() -> None:
        value = descriptor.native.from_bytes(bytearray(image))
        value.__replace__(**fields(value))
        outcome(lambda: descriptor.native(**wrong))
        outcome(lambda: descriptor.native.from_bytes(image[:-1]))
        outcome(value.validate_import)
        repr(value), hash(value), value == descriptor.native(**arguments)
        pickle.loads(pickle.dumps(value))
        if hasattr(descriptor.native, "read_prefix"):
            descriptor.native.read_prefix(image + b"x")
        memoryview(value).release()

    # What Python keeps to be quicker has an end.
    for _ in range(400):
        everything()
    gc.collect()
    kept = (*arguments.values(), image, descriptor.native)
    before = [sys.getrefcount(it) for it in kept]
    start = sys.getallocatedblocks()
    for _ in range(400):
        everything()
    gc.collect()
    end = sys.getallocatedblocks()
    after = [sys.getrefcount(it) for it in kept]
    assert max(abs(later - earlier) for later, earlier in zip(after, before, strict=True)) < 40
    assert end - start < 200
