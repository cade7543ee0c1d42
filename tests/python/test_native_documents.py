"""Native classes of recipes and unions beside the pure ones: the same values, text and errors."""

from __future__ import annotations

import copy
import gc
import inspect
import json
import pickle
import random
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pytest
import wirecontract
from native_classes import LIBRARIES, SHIPPED, Library
from wirecontract import WireError
from wirecontract.contracts import texture


class Document:
    """A contract: both classes, and documents of it with what each is."""

    def __init__(self, library: Library, module: Any, vectors: dict[str, Any]) -> None:
        self.library = library
        self.name: str = vectors["contract"]
        self.module = module
        self.pure: Any = getattr(module, self.name)
        self.native: Any = getattr(library.native, self.name)
        self.cases: list[tuple[dict[str, Any], bytes]] = []
        for case in vectors["cases"]:
            data = bytes.fromhex(case["bytes"]) if "bytes" in case else case["document"].encode()
            self.cases.append((case, data.ljust(case.get("padded", 0))))
        self.valid = [case["document"].encode() for case, _ in self.cases if "written" in case]

    def both(self) -> tuple[Any, Any]:
        return self.pure, self.native


DOCUMENTS = {
    library.key(vectors["contract"]): Document(library, module, vectors)
    for library in LIBRARIES
    for module, vectors in library.contracts("recipe", "union")
}


@pytest.fixture(params=DOCUMENTS)
def document(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Document:
    document = DOCUMENTS[request.param]
    document.library.show(monkeypatch)
    return document


def told(error: WireError) -> tuple[Any, ...]:
    return (*error.args, error.code, error.contract, error.field, error.offset, str(error))


def shown(value: Any) -> Any:
    """A value, as both halves have to give it: its text, its bytes, and the text of each field."""
    if isinstance(value, tuple):
        return [shown(item) for item in value]
    if isinstance(value, list):
        return [told(fault) for fault in value]
    if not hasattr(value, "to_json"):
        return value
    # A descriptor has a hash of its own.
    number = 0 if has_descriptor(value) else hash(value)
    return repr(value), number, outcome(value.to_json), outcome(value.to_dict), value.__match_args__


def has_descriptor(value: Any) -> bool:
    """Whether a descriptor is held."""
    if isinstance(value, tuple):
        return any(map(has_descriptor, value))
    names = getattr(value, "__match_args__", ())
    return hasattr(value, "WIRE_SIZE") or any(has_descriptor(getattr(value, name)) for name in names)


def outcome(call: Callable[[], Any]) -> Any:
    """A value, or why there is none."""
    try:
        return shown(call())
    except WireError as error:
        return told(error)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        return (type(error),)


def agree(document: Document, act: Callable[..., Any], *given: Any) -> Any:
    """What both classes make of the same."""
    pure, native = (outcome(partial(act, cls, *given)) for cls in document.both())
    assert native == pure
    return native


def call(cls: Any, name: str, *given: Any) -> Any:
    return getattr(cls, name)(*given)


def asked(cls: Any, data: bytes, name: str, *given: Any) -> Any:
    return getattr(cls.from_json(data), name)(*given)


def fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__match_args__}


def test_every_document_that_ships_has_a_native_class() -> None:
    assert sum(it.library is SHIPPED for it in DOCUMENTS.values()) == 31
    assert all(it.native is not it.pure for it in DOCUMENTS.values())


def signature(cls: Any) -> list[Any]:
    """The parameters; of defaults the literals that a signature of text may have."""
    plain = (int, float, bool, str, bytes, type(None))
    return [
        (it.name, it.kind, it.default if type(it.default) in plain else ...)
        for it in inspect.signature(cls).parameters.values()
    ]


def test_the_classes_say_the_same_of_themselves(document: Document) -> None:
    pairs = [document.both()]
    for cls in document.pure.__subclasses__():
        # A class with slots is made from another of its name.
        if getattr(document.module, cls.__name__) is cls:
            pairs.append((cls, getattr(document.library.native, cls.__name__)))
            assert issubclass(pairs[-1][1], document.native)
    for pure, of_native in pairs:
        public = [{name for name in dir(cls) if not name.startswith("_")} for cls in (pure, of_native)]
        assert public[1] == public[0]
        for name in ("WIRE_ID", "VERSION", "EARLIER", "CONTRACT", "MAX_BYTES", "__match_args__"):
            assert getattr(of_native, name, None) == getattr(pure, name, None)
        if of_native is not document.native or hasattr(of_native, "__match_args__"):
            parameters = [signature(cls) for cls in (pure, of_native)]
            assert parameters[1] == parameters[0]


def test_golden_documents_are_read_and_written_alike(document: Document) -> None:
    for case, data in document.cases:
        forms: list[Any] = [data, bytearray(data), memoryview(b"." + data)[1:]]
        if "bytes" not in case:
            forms.append(data.decode())
        for form in forms:
            got = agree(document, call, "from_json", form)
            agree(document, call, "from_json_lenient", form)
        if "fault" in case:
            assert got[6].name.lower() == case["fault"]["code"]
            continue
        assert got[2] == case["written"].encode()
        agree(document, asked, data, "with_defaults")
        for fd_count in (0, 1, 2, 5, 300):
            agree(document, asked, data, "validate_import", fd_count)
        agree(document, call, "from_dict", json.loads(data))


def test_what_is_no_document_is_refused_alike(document: Document) -> None:
    for data in (
        "",
        "\ud800",
        "[]",
        "null",
        "{",
        None,
        7,
        [1],
        memoryview(b"{ } ")[::2],
        b"\xff",
        "{}{}",
        b"{}\0",
    ):
        for name in ("from_json", "from_json_lenient"):
            agree(document, call, name, data)
    mappings: tuple[Any, ...] = (None, [], {1: 2}, {"x": object()}, {"a": float("nan")})
    for mapping in mappings:
        agree(document, call, "from_dict", mapping)
    for fd_count in ("x", None, 1.5, -1, 2**64):
        error = OverflowError if isinstance(fd_count, int) else TypeError
        for cls in document.both():
            with pytest.raises(error):
                cls.from_json(document.valid[0]).validate_import(fd_count)


def test_changed_documents_are_refused_alike(document: Document) -> None:
    chance = random.Random(document.name)
    codes = set()
    pieces = (
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b'"',
        b"0",
        b"-1",
        b"1e3",
        b"null",
        b"true",
        b"\\u0000",
        b"\xff",
        b" ",
    )
    for _ in range(600):
        changed = chance.choice(document.valid)
        for _ in range(chance.choice((1, 1, 2))):
            at = chance.randrange(len(changed))
            end = at + chance.choice((0, 1, 1, 4))
            changed = changed[:at] + chance.choice((b"", *pieces)) + changed[end:]
            if not changed:
                changed = b" "
        got = agree(document, call, "from_json", changed)
        agree(document, call, "from_json_lenient", changed)
        codes.add(got[6].name if len(got) > 5 else "OK")
    assert {"NOT_JSON", "BAD_UTF8"} <= codes


class Seven:
    def __index__(self) -> int:
        return 7


ODD: tuple[Any, ...] = (
    *(-1, 0, 1, 7, 253, 254, 2**32, 2**63, 2**64 - 1, 2**64, 2**200),
    *(True, None, 1.5, 2.0, float("inf"), Seven(), object()),
    *("", "text", "x" * 300, "\ud800", "a\0b", b"", b"x" * 16, bytearray(b"abc"), memoryview(b"abcdef")[::2]),
    *((), (1, 2), [1, 2, 3, 4], [None], (2**64,), {1: 2}, {1, 2}, range(3), [[]]),
)


def is_nested(value: Any) -> bool:
    """Whether it is a value of either half, or has one in it."""
    return hasattr(value, "to_json") or (isinstance(value, tuple) and any(map(is_nested, value)))


def given(others: dict[str, Any], chance: random.Random, member: Any) -> list[Any]:
    """An argument for the pure class and for the native one."""
    if chance.random() < 0.3:
        other = chance.choice(list(DOCUMENTS.values()))
        data = chance.choice(other.valid)
        pair = [cls.from_json(data) for cls in other.both()]
        wrap: Callable[[Any], Any] = chance.choice((lambda it: it, lambda it: [it], lambda it: (it, it)))
        return [wrap(it) for it in pair]
    return [chance.choice((*ODD, *member, *others.values()))] * 2


def test_odd_arguments_are_taken_or_refused_alike(document: Document) -> None:
    chance = random.Random(document.name)
    things = vars(document.module).values()
    enums = [it for it in things if isinstance(it, type) and issubclass(it, int)]
    members = [member for cls in enums for member in vars(cls).values() if isinstance(member, cls)]
    outcomes = set()
    for _ in range(500):
        data = chance.choice(document.valid)
        values: list[Any] = [cls.from_json(data) for cls in document.both()]
        arguments = [fields(value) for value in values]
        if not arguments[0]:
            continue
        plain = {name: it for name, it in arguments[0].items() if not is_nested(it)}
        for _ in range(chance.choice((1, 1, 2))):
            name = chance.choice(list(arguments[0]))
            pair = given(plain, chance, members)
            for each, value in zip(arguments, pair, strict=True):
                each[name] = value
        made = [outcome(partial(it.__class__, **each)) for it, each in zip(values, arguments, strict=True)]
        assert made[1] == made[0], arguments[0]
        outcomes.add(made[0][6].name if len(made[0]) > 5 else "OK")
    assert "WRONG_TYPE" in outcomes


def test_an_argument_too_few_or_unknown_is_a_type_error(document: Document) -> None:
    for data in document.valid[:5]:
        pure, value = (cls.from_json(data) for cls in document.both())
        for name in fields(value):
            less = [{it: its for it, its in fields(each).items() if it != name} for each in (pure, value)]
            assert outcome(partial(value.__class__, **less[1])) == outcome(partial(pure.__class__, **less[0]))
        with pytest.raises(TypeError, match="another"):
            type(value)(**fields(value), another=1)


def test_a_value_is_one_of_its_class(document: Document) -> None:
    for data in document.valid:
        pure = document.pure.from_json(data)
        value, again = document.native.from_json(data), document.native.from_json(data)
        assert value is not again
        # No NaN of a descriptor is equal to another.
        is_number = pure == document.pure.from_json(data)
        assert (value == again) is is_number
        assert hash(value) == hash(again) == hash(type(value)(**fields(value)))
        assert value != pure
        assert repr(value) == repr(pure)
        assert isinstance(value, document.native)
        copies = [pickle.loads(pickle.dumps(value, it)) for it in range(2, pickle.HIGHEST_PROTOCOL + 1)]
        for other in [*copies, copy.copy(value), copy.deepcopy(value), value.__replace__()]:
            assert type(other) is type(value)
            assert (other == value) is (is_number or other is value)
            assert repr(other) == repr(value)
        for name in (*value.__match_args__, "another"):
            with pytest.raises(AttributeError):
                setattr(value, name, 1)
        with pytest.raises(TypeError):
            value.__replace__(another=1)
        for name in dir(pure):
            if name.endswith("_or_default"):
                assert getattr(value, name) == getattr(pure, name)
                assert type(getattr(value, name)) is type(getattr(pure, name))
    natives = {document.native.from_json(data) for data in document.valid}
    assert len(natives) == len({document.pure.from_json(data) for data in document.valid})


def test_what_is_plain_is_made_without_the_pure_class(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [document.native.from_json(data) for data in document.valid]
    plain = [(it, repr(document.pure.from_dict(it))) for it in (value.to_dict() for value in values)]
    defaults = [value.with_defaults() for value in values]
    for cls in (document.pure, *document.pure.__subclasses__()):
        monkeypatch.setattr(document.module, cls.__name__, None)
    for value, (members, read), filled in zip(values, plain, defaults, strict=True):
        if not hasattr(value, "content"):
            assert repr(type(value)(**fields(value))) == repr(value)
        assert repr(document.native.from_dict(members)) == read
        assert repr(value.with_defaults()) == repr(filled)


BOUNDS: dict[str, tuple[Any, ...]] = {
    "u8": (255, 256, -1),
    "i64": (-(2**63), -(2**63) - 1, 2**63 - 1, 2**63),
    "bounded": (-6, -5, 5, 6),
    "decimal": (2**64 - 1, 2**64),
    "f32": (0.1, 0.5, 3.4028234663852886e38, 3.5e38, -0.0, 1, 2**24 + 1, float("nan"), float("inf")),
    "f64": (0.1, -0.0, 1, 2**53 + 1, float("nan"), float("-inf")),
    "between": (-1.5, -1.5000000000000002, 2.0, 2.0000000000000004),
    "least": (0.5, 0.49999999, 0.5 - 2**-60),
    "most": (1e21, 1.0000000000000001e22),
    "text": ("abcd", "abcde", "éé", "ééé", "é\0"),
    "hex": (b"ab", b"abc"),
    "hex2": (b"a", b"ab", b"abc"),
    "base64": (b"abcd", b"abcde", bytearray(b"abcd")),
    "uuid": (bytes(15), bytes(16), bytes(17)),
    "list": ([9, 9], (9,), [10], [1, 2, 3]),
    "array": ((1,), (1, 2), [1, 2], (1, 2, 3), (1, 65536)),
    "matrix": ([(1, 2)], ((1,),), [], [[1, 2], [3, 256]]),
    "map": (
        {"abc": "abc"},
        {"abcd": ""},
        {"": "abcd"},
        {"a": "", "b": ""},
        {"a": "", "b": "", "c": ""},
        {1: ""},
    ),
    "name": ("abcde", "abcdef", "unknown", "UNKNOWN", " bgra ", 1),
    "format": (0, 1, 2, "unknown"),
    "tiling": (0, -1, 1, 0.0),
    "open": (-128, -129, 127, 128),
    "abilities": (1, 2, 0x8001, 65536),
    "hints": (2**32 - 1, 2**32, -1),
    "access": (1, 4, 12, 16),
    "points": ([], None),
    "nulled": (None, 0),
}


def test_bounds_are_those_of_the_pure_class(monkeypatch: pytest.MonkeyPatch) -> None:
    types, point = DOCUMENTS["native_rig.Types"], DOCUMENTS["native_rig.Point"]
    codes = set()
    for name, values in BOUNDS.items():
        told = [agree(types, lambda cls, given: cls(**given), {name: value}) for value in values]
        codes |= {it[6].name if len(it) > 5 else "OK" for it in told}
    assert {"OK", "OUT_OF_RANGE", "TOO_LARGE", "TOO_MANY", "TOO_SHORT", "UNKNOWN_VALUE"} <= codes
    # Parts of a mask, which have no name.
    access = types.module.Access
    for bits in (0, 3, 4, 8, 12, 13, 15):
        agree(types, lambda cls, given: cls(access=given), types.module._wire.flag_set(access, bits))
    json_of = types.module._wire.Json
    for text in ('"0123456789"', '"01234567890"', "[1.50, {}]"):
        agree(types, lambda cls, given: cls(json=given), json_of(text))
    for count in (0, 3, 4):
        points = [[cls(x=1)] * count for cls in point.both()]
        made = [outcome(partial(cls, points=it)) for cls, it in zip(types.both(), points, strict=True)]
        assert made[0] == made[1]
    # A name of a value that is longer than other names may be.
    assert types.native(name="unknown").name is types.module.Format.UNKNOWN


def test_variants_match_by_position() -> None:
    match wirecontract.ConsumerMessage.from_json('{"op":"taken","lease_id":"3"}'):
        case wirecontract.ConsumerMessageTaken(wirecontract.LeaseName(lease_id)):
            assert lease_id == 3
        case _:
            pytest.fail("it is that variant")
    with pytest.raises(TypeError, match="ConsumerMessage is one of its variants"):
        wirecontract.ConsumerMessage()


def test_classes_of_one_name_are_told_apart() -> None:
    shape = wirecontract.SurfaceShape.from_json("{}")
    with pytest.raises(WireError, match=r"expected SurfaceShape, found SurfaceShape of wirecontract$"):
        texture.CheckIn(shape=cast(Any, shape))
    with pytest.raises(WireError, match=r"expected CheckIn, found CheckIn of wirecontract$"):
        texture.CheckInMessage(check_in=cast(Any, wirecontract.CheckIn(shape=shape)))


KEEPERS = (
    *("Offer", "ConsumerMessage", "Hello", "ImageRecipe", "LookupAnswer", "ResourceKind"),
    *(f"native_rig.{name}" for name in ("Types", "Defaults", "Surface", "Measure")),
)


@pytest.mark.parametrize("document", KEEPERS, indirect=True)
def test_nothing_is_kept(document: Document) -> None:
    data = document.valid[-1]
    value = document.native.from_json(data)
    wrong = {**fields(value), "another": None}

    def everything() -> None:
        value: Any = document.native.from_json(bytearray(data))
        value.__replace__(**fields(value))
        outcome(lambda: type(value)(**wrong))
        outcome(lambda: document.native.from_json(data[:-1]))
        document.native.from_json_lenient(data)
        outcome(lambda: value.validate_import(3))
        repr(value), hash(value), value == type(value)(**fields(value))
        pickle.loads(pickle.dumps(value))
        document.native.from_dict(value.to_dict()), value.with_defaults(), value.to_json()

    # What Python keeps to be quicker has an end.
    for _ in range(400):
        everything()
    gc.collect()
    kept = (*fields(value).values(), data, document.native, type(value))
    before = [sys.getrefcount(it) for it in kept]
    start = sys.getallocatedblocks()
    for _ in range(400):
        everything()
    gc.collect()
    end = sys.getallocatedblocks()
    after = [sys.getrefcount(it) for it in kept]
    assert max(abs(later - earlier) for later, earlier in zip(after, before, strict=True)) < 40
    assert end - start < 200
