"""Recipes: what is read, refused, written, built; each fault with its place and its words."""

import copy
import dataclasses
import inspect
import json
import math
import pickle
import struct
from collections.abc import Callable
from typing import Any

import pytest
from conftest import Recipes


def refused(call: Callable[..., object], *arguments: Any, **named: Any) -> str:
    """What the error says."""
    with pytest.raises(ValueError, match="expected") as raised:
        call(*arguments, **named)
    assert type(raised.value).__name__ == "WireError"
    return str(raised.value)


# Steps 1 to 4: the document as text. The contract is the outermost, the field is empty.
TEXTS = [
    (b" " * 4097, "4096: too_large: expected at most 4096 bytes, found 4097"),
    (b'{"u8_field":\xff}', "12: bad_utf8: expected UTF-8"),
    (b'{"a":"\xc3\xa9\xed\xa0\x80"}', "8: bad_utf8: expected UTF-8"),
    (b'{"a":"x\\ud800y"}', "7: bad_utf8: expected a pair of surrogates"),
    (b'{"a":"\\udc00"}', "6: bad_utf8: expected a pair of surrogates"),
    (b'{"a":"\\ud800\\ud800"}', "6: bad_utf8: expected a pair of surrogates"),
    (b"", "0: not_json: expected a value, found the end"),
    (b"\xef\xbb\xbf{}", "0: not_json: expected a value, found byte 0xef"),
    (b"Nan", "0: not_json: expected a value, found byte 0x4e"),
    (b"[", "1: not_json: expected a value or `]`, found the end"),
    (b"{", "1: not_json: expected a key or `}`, found the end"),
    (b'{"a":1,}', "7: not_json: expected a key, found byte 0x7d"),
    (b"[1,]", "3: not_json: expected a value, found byte 0x5d"),
    (b'{"a" 1}', "5: not_json: expected `:`, found byte 0x31"),
    (b'{"a":1 2}', "7: not_json: expected `,` or `}`, found byte 0x32"),
    (b"[1 2]", "3: not_json: expected `,` or `]`, found byte 0x32"),
    (b"[1}", "2: not_json: expected `,` or `]`, found byte 0x7d"),
    (b"tru", "3: not_json: expected `true`, found the end"),
    (b"fals3", "4: not_json: expected `false`, found byte 0x33"),
    (b"nULL", "1: not_json: expected `null`, found byte 0x55"),
    (b"-", "1: not_json: expected a digit, found the end"),
    (b"1.", "2: not_json: expected a digit, found the end"),
    (b"1.e", "2: not_json: expected a digit, found byte 0x65"),
    (b"1e+", "3: not_json: expected a digit, found the end"),
    (b"01", "1: not_json: expected no digit after a leading zero, found byte 0x31"),
    (b'"\n"', "1: not_json: expected an escape, found byte 0x0a"),
    (b'"\\x"', "2: not_json: expected an escape, found byte 0x78"),
    (b'"\\u12g4"', "5: not_json: expected four hexadecimal digits, found byte 0x67"),
    (b'"abc', "4: not_json: expected the end of the string, found the end"),
    (b"{} {", "3: not_json: expected the end, found byte 0x7b"),
    (b"{}\x0b", "2: not_json: expected the end, found byte 0x0b"),
    (b"[[[[[[[[[", "8: too_deep: expected at most 8 levels"),
    (b'{"a":{"b":1,"\\u0062":2}}', '12: duplicate_key: expected each key once, found "\\u0062"'),
    (b'{"a":1,"a":2}', '7: duplicate_key: expected each key once, found "a"'),
]

# Step 5: the values, by key.
KEYS = [
    ("u8_field", "null", "null_not_allowed: expected an integer, found null"),
    ("u8_field", "true", "wrong_type: expected an integer, found true"),
    ("u8_field", '"1"', 'wrong_type: expected an integer, found "1"'),
    ("u8_field", "1.0", "wrong_type: expected an integer, found 1.0"),
    ("u8_field", "1e1", "wrong_type: expected an integer, found 1e1"),
    ("u8_field", "-0", "wrong_type: expected an integer, found -0"),
    ("u8_field", "256", "out_of_range: expected an integer from 0 to 255, found 256"),
    ("u8_field", "-1", "out_of_range: expected an integer from 0 to 255, found -1"),
    ("u8_field", "1" * 41, f"out_of_range: expected an integer from 0 to 255, found {'1' * 40}…"),
    ("u8_field", "1" * 257, f"too_large: expected at most 256 characters, found {'1' * 40}…"),
    ("u64_field", str(2**64), f"out_of_range: expected an integer from 0 to {2**64 - 1}, found {2**64}"),
    ("bounded", "11", "out_of_range: expected an integer from -10 to 10, found 11"),
    ("decimal", "5", "wrong_type: expected a string, found 5"),
    ("decimal", '""', 'bad_encoding: expected decimal digits, found ""'),
    ("decimal", '"+1"', 'bad_encoding: expected decimal digits, found "+1"'),
    ("decimal", '"01"', 'bad_encoding: expected decimal digits, found "01"'),
    ("decimal", '"-0"', 'bad_encoding: expected decimal digits, found "-0"'),
    ("decimal", '"1.0"', 'bad_encoding: expected decimal digits, found "1.0"'),
    ("decimal", '"-1"', f'out_of_range: expected an integer from 0 to {2**64 - 1}, found "-1"'),
    ("truth", "1", "wrong_type: expected true or false, found 1"),
    ("f32_field", '"1"', 'wrong_type: expected a number, found "1"'),
    ("f32_field", "3.5e38", "out_of_range: expected a finite number, found 3.5e38"),
    ("f64_field", "1e400", "out_of_range: expected a finite number, found 1e400"),
    ("f64_field", "-2", "out_of_range: expected a number from -1.5 to 1000000000, found -2"),
    ("f64_field", f"0.{'0' * 255}", f"too_large: expected at most 256 characters, found 0.{'0' * 38}…"),
    ("label", "[1]", "wrong_type: expected a string, found an array"),
    ("label", '"éééééééé1"', "too_large: expected at most 16 bytes, found 17"),
    ("note", "{}", "wrong_type: expected a string, found an object"),
    ("blob", '"AR=="', 'bad_encoding: expected base64, found "AR=="'),
    ("blob", f'"{"AAAA" * 22}"', "too_large: expected at most 64 bytes, found 66"),
    ("token", '"0A"', 'bad_encoding: expected lower-case hex, found "0A"'),
    ("uuid", '"00"', 'bad_encoding: expected a UUID in lower case, found "00"'),
    ("tags", "[]", "wrong_type: expected an object, found an array"),
    ("extra", f'"{"x" * 255}"', "too_large: expected at most 256 bytes, found 257"),
    ("tiling", '"Linear"', 'wrong_type: expected an integer, found "Linear"'),
    ("tiling", "7", "unknown_value: expected a value of Tiling, found 7"),
    ("tiling", str(2**40), f"unknown_value: expected a value of Tiling, found {2**40}"),
    ("access", "3", "wrong_type: expected an array, found 3"),
    ("extent", '"00"', 'bad_encoding: expected 12 bytes as lower-case hex, found "00"'),
    ("image", "3", "wrong_type: expected an object, found 3"),
    ("measure", "[]", "wrong_type: expected an object, found an array"),
    ("measures", "null", "null_not_allowed: expected an array, found null"),
]

# As above, where the place is inside the value: its offset from the value, contract and key.
PLACES = [
    ("matrix", "[[1,2]]", 0, "Everything.matrix", "too_short: expected 2 items, found 1"),
    ("matrix", "[[1,2],[3,4],[5]]", 13, "Everything.matrix", "too_many: expected 2 items"),
    (
        "matrix",
        "[[1,2],[3,null]]",
        10,
        "Everything.matrix",
        "null_not_allowed: expected an integer, found null",
    ),
    ("labels", '["a","b","c","d"]', 13, "Everything.labels", "too_many: expected at most 3 items"),
    ("labels", '["a","123456789"]', 5, "Everything.labels", "too_large: expected at most 8 bytes, found 9"),
    (
        "tags",
        '{"a":"","b":"","c":"","d":"","e":5}',
        29,
        "Everything.tags",
        "too_many: expected at most 4 members",
    ),
    (
        "tags",
        '{"12345678901234567":1}',
        1,
        "Everything.tags",
        "too_large: expected at most 16 bytes, found 17",
    ),
    ("tags", '{"a":1}', 5, "Everything.tags", "wrong_type: expected a string, found 1"),
    ("access", '["r","x"]', 5, "Everything.access", 'unknown_value: expected a value of Access, found "x"'),
    (
        "access",
        '["r","read"]',
        5,
        "Everything.access",
        'duplicate_key: expected each flag once, found "read"',
    ),
    ("access", "[1]", 1, "Everything.access", "wrong_type: expected a string, found 1"),
    (
        "extent",
        '"ffff0000ffff000000000000"',
        0,
        "Extent",
        "rule_violated: expected fits: width * height <= 16777216, found width = 65535, height = 65535",
    ),
    (
        "extent",
        '"000000000000000001000000"',
        0,
        "Extent.pitch",
        "condition_violated: expected zero unless width > 1, found width = 0",
    ),
    (
        "image",
        '{"tiling":1,"device_uuid":"00000000000000000000000000000000"}',
        0,
        "Image.device_uuid",
        "condition_violated: expected no key `device_uuid` unless !(tiling == Linear), found tiling = 1",
    ),
    ("measure", '{"type":null}', 8, "Measure.type", "null_not_allowed: expected a string, found null"),
    ("measure", '{"type":1}', 8, "Measure.type", "wrong_type: expected a string, found 1"),
    ("measure", '{"type":"ratio"}', 0, "Measure.value", "missing_key: expected the key `value`"),
    (
        "measures",
        '[{},{"type":"ratio","value":1000001.5}]',
        28,
        "Measure.value",
        "out_of_range: expected a number of at most 1000000, found 1000001.5",
    ),
]


@pytest.mark.parametrize(("document", "said"), TEXTS)
def test_text_that_is_no_document_is_refused(recipes: Recipes, document: bytes, said: str) -> None:
    assert refused(recipes("Everything").from_json, document) == f"Everything at byte {said}"


@pytest.mark.parametrize(("key", "value", "said"), KEYS)
def test_a_value_is_refused_at_its_place(recipes: Recipes, key: str, value: str, said: str) -> None:
    before = "{" if key == "u8_field" else '{"u8_field":1,'
    document = f'{before}"é":1, "{key}":{value}}}'
    at = len(document[: document.index(f'"{key}":') + len(key) + 3].encode())
    everything = recipes("Everything")
    assert refused(everything.from_json, document) == f"Everything.{key} at byte {at}: {said}"
    if len(value) < 200 and "1e400" not in value and "." not in value and "e1" not in value and value != "-0":
        members = json.loads(document)
        del members["é"]
        assert refused(everything.from_dict, members).startswith(f"Everything.{key} at byte 0: {said[:20]}")


@pytest.mark.parametrize(("key", "value", "inside", "where", "said"), PLACES)
def test_a_fault_inside_a_value_has_its_own_place(
    recipes: Recipes, key: str, value: str, inside: int, where: str, said: str
) -> None:
    document = f'{{"u8_field":1,"{key}":{value}}}'
    at = document.index(f'"{key}":') + len(key) + 3 + inside
    everything = recipes("Everything")
    assert refused(everything.from_json, document) == f"{where} at byte {at}: {said}"
    assert refused(everything.from_dict, json.loads(document)) == f"{where} at byte 0: {said}"


PRECEDENCE = [
    # Each is at fault in what the next one is, and in what comes before.
    (b'{"zz":1,"label":5,"u8_field":7,\xff', "Everything at byte 31: bad_utf8: expected UTF-8"),
    (b'{"zz":1,"zz":2,"label":5', "Everything at byte 24: not_json"),
    (b'{"zz":1,"zz":2,"label":5}', "Everything at byte 8: duplicate_key"),
    (b'{"zz":1,"label":5}', "Everything.u8_field at byte 0: missing_key: expected the key `u8_field`"),
    (b'{"zz":1,"label":5,"u8_field":300}', "Everything.u8_field at byte 29: out_of_range"),
    (b'{"zz":1,"label":5,"u8_field":7}', "Everything.label at byte 16: wrong_type"),
    (
        b'{"zz":1,"label":"","u8_field":7}',
        'Everything at byte 1: unknown_key: expected a key of Everything, found "zz"',
    ),
    (
        b' {"label":"","u8_field":7,"access":["w"]}',
        "Everything at byte 1: rule_violated: expected readable: has(access, Read) || u8_field == 0, "
        "found has(access, Read) = false, u8_field = 7",
    ),
    (
        b'{"label":"","u8_field":7}',
        "Everything at byte 0: rule_violated: expected "
        "i64_field * i64_field - 1 >= bounded / (u8_field - 7), "
        "found i64_field = -5, bounded = 3, u8_field = 7",
    ),
    (
        b'{"label":"1234567890123456","u8_field":1}',
        "Everything at byte 0: rule_violated: expected present(uuid) || len(label) < 16, "
        "found present(uuid) = false, len(label) = 16",
    ),
]


@pytest.mark.parametrize(("document", "said"), PRECEDENCE)
def test_faults_have_their_order(recipes: Recipes, document: bytes, said: str) -> None:
    assert refused(recipes("Everything").from_json, document).startswith(said)


def test_a_document_may_be_deep_long_and_of_many_digits_without_harm(recipes: Recipes) -> None:
    surface = recipes("Surface")
    assert "at byte 64: too_deep" in refused(surface.from_json, "[" * 100_000)
    assert "too_deep" in refused(surface.from_json, '{"a":' * 100_000)
    assert surface.from_json(f'{{"width":1,"a":{"1" * 5000},"b":-{"9" * 5000}}}').width == 1
    assert "at most 256 characters" in refused(surface.from_json, f'{{"width":{"1" * 5000}}}')
    nested: list[Any] = []
    nested.append(nested)
    assert "too_deep" in refused(surface.from_dict, {"width": 1, "a": nested})
    assert "at most 256 characters" in refused(surface.from_dict, {"width": 10**6000})


def test_text_with_half_a_pair_is_not_utf8(recipes: Recipes) -> None:
    named = recipes("Named")
    assert refused(named.from_json, '{"é":"\ud800"}') == "Named at byte 7: bad_utf8: expected UTF-8"
    assert refused(named, surface_id="\ud800") == "Named.surface_id at byte 0: bad_utf8: expected UTF-8"
    assert "bad_utf8" in refused(named.from_dict, {"surface_id": "\udfff"})
    assert named.from_json('{"surface_id":"\U0001f600"}').surface_id == "\U0001f600"


def test_absence_is_kept_filled_or_refused(recipes: Recipes) -> None:
    image, tiling, usage = recipes("Image"), recipes("Tiling"), recipes("Usage")
    empty = image.from_json(b"{}")
    assert empty == image()
    assert (empty.tiling, empty.allocation_size, empty.memory_type_index) == (None, None, None)
    assert (empty.tiling_or_default, empty.allocation_size_or_default) == (tiling.OPTIMAL, 0)
    assert empty.usage_or_default == usage(15)
    assert empty.to_json() == b"{}"
    full = empty.with_defaults()
    assert full.to_json() == b'{"tiling":0,"usage":15,"allocation_size":0}'
    assert full.with_defaults() == full
    assert image(tiling=tiling.LINEAR).with_defaults().tiling is tiling.LINEAR
    everything = recipes("Everything")
    value = everything.from_json(b'{"u8_field":1,"truth":null,"note":null}')
    assert (value.truth, value.note, value.i64_field, value.bounded) == (None, None, -5, 3)
    assert value.to_json() == b'{"u8_field":1,"bounded":3,"f64_field":0.25,"label":"unknown","note":null}'
    assert everything(u8_field=1, i64_field=-5) == value
    nested = everything(u8_field=1, image=image()).with_defaults()
    assert nested.image == full


def test_u64_is_exact_on_every_way(recipes: Recipes) -> None:
    everything = recipes("Everything")
    value = everything(u8_field=1, u64_field=2**64 - 1, decimal=2**64 - 2)
    text = value.to_json()
    assert b'"u64_field":18446744073709551615' in text
    assert b'"decimal":"18446744073709551614"' in text
    assert everything.from_json(text) == value
    assert value.to_dict()["u64_field"] == 2**64 - 1
    assert value.to_dict()["decimal"] == "18446744073709551614"
    assert everything.from_dict(value.to_dict()) == value


FLOATS = [
    (0x0000_0000_0000_0000, "0"),
    (0x8000_0000_0000_0000, "-0"),
    (0x0000_0000_0000_0001, "5e-324"),
    (0x8000_0000_0000_0001, "-5e-324"),
    (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
    (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"),
    (0x4340_0000_0000_0000, "9007199254740992"),
    (0xC340_0000_0000_0000, "-9007199254740992"),
    (0x4430_0000_0000_0000, "295147905179352830000"),
    (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"),
    (0x44B5_2D02_C7E1_4AF6, "1e+23"),
    (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"),
    (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
    (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"),
    (0x444B_1AE4_D6E2_EF50, "1e+21"),
    (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"),
    (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
    (0x41B3_DE43_5555_5553, "333333333.3333332"),
    (0x41B3_DE43_5555_5557, "333333333.33333343"),
    (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
    (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
    (0x3FF8_0000_0000_0000, "1.5"),
    (0x4059_0000_0000_0000, "100"),
    (0x3F1A_36E2_EB1C_432D, "0.0001"),
    (0x3E7A_D7F2_9ABC_AF48, "1e-7"),
]


@pytest.mark.parametrize(("bits", "text"), FLOATS)
def test_floats_are_written_as_ecmascript_does(recipes: Recipes, bits: int, text: str) -> None:
    (value,) = struct.unpack("<d", struct.pack("<Q", bits))
    assert recipes.helper("float_text")(value) == text
    assert struct.pack("<d", float(text)) == struct.pack("<d", value)


def test_floats_are_finite_and_f32_is_rounded(recipes: Recipes) -> None:
    everything = recipes("Everything")
    value = everything(u8_field=1, f32_field=0.1, f64_field=-0.0)
    assert value.f32_field == struct.unpack("<f", struct.pack("<f", 0.1))[0]
    assert b'"f32_field":0.10000000149011612,"f64_field":-0' in value.to_json()
    again = everything.from_json(value.to_json())
    assert math.copysign(1, again.f64_field) == -1
    assert everything.from_json(b'{"u8_field":1,"f32_field":16777217}').f32_field == 16777216.0
    for number, found in ((math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity")):
        said = f"Everything.f32_field at byte 0: out_of_range: expected a finite number, found {found}"
        assert refused(everything, u8_field=1, f32_field=number) == said
        assert refused(everything.from_dict, {"u8_field": 1, "f32_field": number}) == said
    assert "an integer that f32 holds" in refused(everything, u8_field=1, f32_field=2**24 + 1)


def test_construction_checks_what_a_reader_checks(recipes: Recipes) -> None:
    everything, access = recipes("Everything"), recipes("Access")
    cases: list[tuple[dict[str, object], str]] = [
        (
            {"u8_field": 256},
            ".u8_field at byte 0: out_of_range: expected an integer from 0 to 255, found 256",
        ),
        ({"u8_field": True}, ".u8_field at byte 0: wrong_type: expected an integer, found true"),
        ({"u8_field": None}, ".u8_field at byte 0: null_not_allowed: expected an integer, found null"),
        ({"u8_field": 1.0}, ".u8_field at byte 0: wrong_type: expected an integer, found 1"),
        ({"label": "x" * 17}, ".label at byte 0: too_large: expected at most 16 bytes, found 17"),
        ({"label": b"x"}, ".label at byte 0: wrong_type: expected a string, found bytes"),
        ({"uuid": b"12"}, '.uuid at byte 0: bad_encoding: expected a UUID in lower case, found "3132"'),
        ({"blob": bytes(65)}, ".blob at byte 0: too_large: expected at most 64 bytes, found 65"),
        ({"matrix": [[1, 2]]}, ".matrix at byte 0: too_short: expected 2 items, found 1"),
        ({"labels": "abc"}, '.labels at byte 0: wrong_type: expected an array, found "abc"'),
        ({"tags": {"b": "", "a": 5}}, ".tags at byte 0: wrong_type: expected a string, found 5"),
        ({"tiling": 7}, ".tiling at byte 0: unknown_value: expected a value of Tiling, found 7"),
        ({"access": 4}, ".access at byte 0: unknown_bits: expected bits within 0x3, found 4"),
        ({"u8_field": 7}, " at byte 0: rule_violated: expected i64_field"),
        ({"access": access.WRITE}, " at byte 0: rule_violated: expected readable"),
    ]
    for named, said in cases:
        assert refused(everything, **{"u8_field": 1, **named}).startswith(f"Everything{said}"), named
    image = recipes("Image")
    assert "no key `device_uuid` unless" in refused(image, tiling=1, device_uuid=bytes(16))
    with pytest.raises(TypeError):
        everything(1)


def test_what_is_kept_does_not_change(recipes: Recipes) -> None:
    everything, json_of = recipes("Everything"), recipes("Json")
    tags, blob = {"b": "2", "a": "1"}, bytearray(b"12")
    value = everything(u8_field=1, tags=tags, blob=blob, matrix=[[1, 2], (3, 4)], extra=json_of.of([1]))
    tags["c"], blob[0] = "3", 0
    assert (dict(value.tags), value.blob, value.matrix) == ({"a": "1", "b": "2"}, b"12", ((1, 2), (3, 4)))
    assert list(value.tags) == ["a", "b"]
    for target, name in ((value, "u8_field"), (value.tags, "_members"), (value.extra, "text")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(target, name, 1)
    with pytest.raises(AttributeError):
        object.__setattr__(value, "other", 1)


def test_values_compare_hash_copy_and_cross_processes(recipes: Recipes) -> None:
    everything, surface = recipes("Everything"), recipes("Surface")
    texels, kind, image = recipes("Texels"), recipes("SurfaceKindTexture"), recipes("Image")
    value = everything.from_json(
        b'{"u8_field":1,"tags":{"a":"1"},"extra":[1.50],"measures":[{"value":2},{"type":"x","value":[]}],'
        b'"extent":"020000000300000001000000","format":"other"}'
    )
    for twin in (
        pickle.loads(pickle.dumps(value)),
        copy.deepcopy(value),
        everything.from_dict(value.to_dict()),
    ):
        assert twin.measures == value.measures
        assert twin.tags == value.tags == {"a": "1"}
    twin = pickle.loads(pickle.dumps(value))
    assert (twin, hash(twin), repr(twin)) == (value, hash(value), repr(value))
    assert dataclasses.replace(value, u8_field=2).u8_field == 2
    assert "rule_violated" in refused(dataclasses.replace, value, u8_field=7)
    match surface(width=1, kind=kind(texels()), image=image(tiling=1)):
        case recipes_surface if recipes_surface.width == 1:
            assert kind.__match_args__ == ("value",)
            assert surface.__match_args__ == tuple(inspect.signature(surface).parameters)
            assert surface.__match_args__[:2] == ("width", "kind")
    assert repr(kind(texels(format=2))) == "SurfaceKindTexture(value=Texels(format=<Format.GRAY8: 2>))"
    parameters = inspect.signature(surface).parameters.values()
    assert all(it.kind is inspect.Parameter.KEYWORD_ONLY for it in parameters)


def test_flattened_keys_stand_where_they_are_declared(recipes: Recipes) -> None:
    surface = recipes("Surface")
    text = b'{"width":3,"format":"nv12","resource_type":"texture",'
    text += b'"plane_sizes":[1],"plane_offsets":[2],"tiling":9}'
    value = surface.from_json(text)
    assert value.to_json() == text
    assert (value.kind.tag, value.kind.value.format.planar, value.image.tiling) == ("texture", True, 9)
    assert refused(surface.from_json, b'{"width":1,"plane_sizes":[1,2]}') == (
        "Surface at byte 0: rule_violated: expected planes: len(plane_sizes) == len(plane_offsets), "
        "found len(plane_sizes) = 2, len(plane_offsets) = 1"
    )
    assert refused(surface.from_json, b'{"width":1,"tiling":"x"}') == (
        'Image.tiling at byte 20: wrong_type: expected an integer, found "x"'
    )


def test_imports_are_checked_from_the_inside_out(recipes: Recipes) -> None:
    surface = recipes("Surface")

    def said(document: bytes, fd_count: int) -> str:
        return refused(surface.from_json(document).validate_import, fd_count)

    assert said(b'{"width":1}', 1) == (
        "Pixels at byte 0: rule_violated: expected known_format: format != Unknown, found format = 0"
    )
    assert said(b'{"width":1,"format":"gray","tiling":0}', 9) == (
        "Image.memory_type_index at byte 0: condition_violated: "
        "expected the key `memory_type_index` when tiling != Linear, found tiling = 0"
    )
    assert said(b'{"width":1,"format":"gray","tiling":1}', 2) == (
        "Surface at byte 0: rule_violated: expected fds: fd_count == len(plane_sizes) + int(has_fence), "
        "found fd_count = 2, len(plane_sizes) = 1, has_fence = false"
    )
    assert said(b'{"width":1,"format":"gray","tiling":1,"resource_type":"texture","has_fence":true}', 2) == (
        "Surface at byte 0: rule_violated: expected kind != Texture || image.allocation_size > 0, "
        "found kind = 2, image.allocation_size = 0"
    )
    surface.from_json(b'{"width":1,"format":"gray","tiling":1}').validate_import(1)
    extent = recipes("Extent")
    extent(width=2, height=1, pitch=3).validate_import()
    assert refused(extent(width=0, height=1, pitch=0).validate_import) == (
        "Extent at byte 0: rule_violated: expected width > 0 && height > 0, found width = 0, height = 1"
    )


def test_descriptors_obey_their_rules_wherever_they_come_from(recipes: Recipes) -> None:
    extent = recipes("Extent")
    assert refused(extent, width=2**16, height=2**16, pitch=0).startswith("Extent at byte 0: rule_violated")
    assert refused(extent.from_bytes, bytes(8) + b"\1\0\0\0") == (
        "Extent.pitch at byte 0: condition_violated: expected zero unless width > 1, found width = 0"
    )
    value = extent.from_bytes(b"\2\0\0\0\1\0\0\0\1\0\0\0")
    assert extent.from_bytes(value.to_bytes()) == value


def test_lenient_reading_lists_what_it_takes_for_absent(recipes: Recipes) -> None:
    image = recipes("Image")
    document = b'{"tiling":"x","usage":-1,"allocation_size":null,"memory_type_index":5,"device_uuid":"AB"}'
    value, faults = image.from_json_lenient(document)
    assert value == image(memory_type_index=5)
    assert [str(fault) for fault in faults] == [
        'Image.tiling at byte 10: wrong_type: expected an integer, found "x"',
        "Image.usage at byte 22: out_of_range: expected an integer from 0 to 4294967295, found -1",
        "Image.allocation_size at byte 43: null_not_allowed: expected an integer, found null",
        'Image.device_uuid at byte 84: bad_encoding: expected 16 bytes as lower-case hex, found "AB"',
    ]
    assert "not_json" in refused(image.from_json_lenient, b"{")
    assert "duplicate_key" in refused(image.from_json_lenient, b'{"a":1,"a":1}')
    uuid = b"0" * 32
    violated = b'{"tiling":1,"device_uuid":"' + uuid + b'"}'
    assert "condition_violated" in refused(image.from_json_lenient, violated)
    assert image.from_json_lenient(b'{"tiling":1}') == (image(tiling=1), [])


def test_a_lenient_tag_at_fault_counts_as_absent(recipes: Recipes) -> None:
    surface, implied = recipes("Surface"), recipes("SurfaceKindImplied")
    document = b'{"usage":-1,"width":1,"format":"nv12","resource_type":null}'
    value, faults = surface.from_json_lenient(document)
    assert type(value.kind) is implied
    assert value.to_json() == b'{"width":1,"format":"nv12"}'
    assert [str(fault) for fault in faults] == [
        "SurfaceKind.resource_type at byte 54: null_not_allowed: expected a string, found null",
        "Image.usage at byte 9: out_of_range: expected an integer from 0 to 4294967295, found -1",
    ]
    assert "null_not_allowed" in refused(surface.from_json, document)
    assert "wrong_type" in refused(surface.from_json_lenient, b'{"width":1,"resource_type":0,"format":1}')
    kept, faults = recipes("SurfaceKind").from_json_lenient(b'{"resource_type":"volume"}')
    assert (kept.tag, faults) == ("volume", [])


def test_enumerations_fold_names_where_they_say_so(recipes: Recipes) -> None:
    pixels, formats = recipes("Pixels"), recipes("Format")
    for text in ("gray8", "GRAY", " Gray8 ", "\\tgray\\n", "gr\\u0061y"):
        assert pixels.from_json(f'{{"format":"{text}"}}').format is formats.GRAY8
    for text in ("gray\\u000b", "\u00a0gray", "gra\u212a"):
        assert "unknown_value" in refused(pixels.from_json, f'{{"format":"{text}"}}')
    everything = recipes("Everything")
    assert everything.from_json(b'{"u8_field":1,"format":" RGB "}').format == " RGB "
    assert everything(u8_field=1, format="BGRA").format is formats.BGRA32
    assert everything(u8_field=1, format="rgb").to_json().endswith(b'"format":"rgb"}')


def test_a_bound_on_an_open_name_is_of_names_that_no_value_has(recipes: Recipes) -> None:
    everything, formats = recipes("Everything"), recipes("Format")

    def read(name: str) -> object:
        return everything.from_json(f'{{"u8_field":1,"format":"{name}"}}').format

    for known in ("bgra32", "BGRA32\\t\\t\\t", "\\u0062gra32"):
        assert read(known) is formats.BGRA32
    for kept in ("tomorrow", "éééé"):
        assert read(kept) == kept
        assert everything(u8_field=1, format=kept).format == kept
    for long in ("tomorrows", "éééé1"):
        told = "too_large: expected at most 8 bytes, found 9"
        assert refused(read, long) == f"Everything.format at byte 23: {told}"
        assert refused(lambda name: everything(u8_field=1, format=name), long).endswith(told)
    assert everything(u8_field=1, format="  BGRA32  ").format is formats.BGRA32


def test_json_is_kept_as_it_is_spelled(recipes: Recipes) -> None:
    json_of = recipes("Json")
    kept = json_of(' {"b" : [1.50, -0, 1E5, 1e400],\t"a": "\\u0041\\u00e9\\/\\u001f"} ')
    assert kept.text == '{"b":[1.50,-0,1E5,1e400],"a":"Aé/\\u001f"}'
    finite = json_of(kept.text.replace("1e400", "1e4"))
    assert finite.value == {"b": [1.5, 0, 100000.0, 10000.0], "a": "Aé/\x1f"}
    assert (
        json_of.of({"a": [1, 2.5, None, True, "x", 2**70]}).text == f'{{"a":[1,2.5,null,true,"x",{2**70}]}}'
    )
    assert json_of.of(1.0) == json_of("1.0") != json_of("1")
    assert hash(json_of("[ ]")) == hash(json_of("[]"))
    assert pickle.loads(pickle.dumps(kept)) == kept
    assert str(kept) == kept.text
    assert json_of("[" * 50_000 + "]" * 50_000).text.count("[") == 50_000
    assert json_of("[" * 50_000 + "]" * 50_000).value
    assert refused(json_of, "[1,]") == "Json at byte 3: not_json: expected a value, found byte 0x5d"
    assert "a finite number, found NaN" in refused(json_of.of, [math.nan])
    assert "expected a value of JSON, found object" in refused(json_of.of, [object()])
    assert "expected a string, found 1" in refused(json_of.of, {1: 2})


def test_numbers_of_json_are_exact_or_refused(recipes: Recipes) -> None:
    json_of, everything = recipes("Json"), recipes("Everything")
    value = json_of("[-0,0,-1]").value
    assert [(type(it), math.copysign(1, it)) for it in value] == [(float, -1), (int, 1), (int, -1)]
    inside = everything(u8_field=1, extra=json_of("-0")).to_dict()["extra"]
    assert (type(inside), math.copysign(1, inside)) == (float, -1)
    for text, said in [
        ("[-1e400]", "Json at byte 1: out_of_range: expected a finite number, found -1e400"),
        ("-" + "9" * 5000, "Json at byte 0: too_large: expected at most 4300 digits, found 5000"),
    ]:
        kept = json_of(text)
        assert kept.text == text
        assert refused(lambda kept=kept: kept.value) == said
    assert refused(everything(u8_field=1, extra=json_of("1e999")).to_dict) == (
        "Json at byte 0: out_of_range: expected a finite number, found 1e999"
    )


def test_what_is_shared_or_in_itself_is_bounded(recipes: Recipes) -> None:
    json_of, everything = recipes("Json"), recipes("Everything")
    itself: list[Any] = []
    itself.append(itself)
    knot: dict[str, Any] = {}
    knot["a"] = knot["b"] = knot
    wide: Any = []
    for _ in range(100):
        wide = [wide, wide]
    assert refused(json_of.of, itself) == "Json at byte 0: too_deep: expected at most 128 levels"
    assert refused(json_of.of, itself, max_depth=5) == "Json at byte 0: too_deep: expected at most 5 levels"
    assert refused(json_of.of, wide, max_bytes=999) == "Json at byte 0: too_large: expected at most 999 bytes"
    assert "too_deep" in refused(json_of.of, knot)
    for shared in (
        [1] * 5000,
        ["x" * 100] * 100,
        {"x" * 100 + str(at): 1 for at in range(100)},
        [json_of.of("x" * 100)] * 100,
        [10**300] * 100,
    ):
        assert refused(everything.from_dict, {"u8_field": 1, "é": shared}) == (
            "Everything at byte 0: too_large: expected at most 4096 bytes"
        )
    for deep in (itself, json_of("[" * 8 + "]" * 8)):
        assert refused(everything.from_dict, {"u8_field": 1, "é": deep}) == (
            "Everything at byte 0: too_deep: expected at most 8 levels"
        )
    levels = "[" * 7 + "]" * 7
    assert everything.from_dict({"u8_field": 1, "extra": json_of(levels)}).extra.text == levels
    assert json_of.of("x" * 5, max_bytes=7).text == '"xxxxx"'
    assert "at most 6 bytes" in refused(json_of.of, "x" * 5, max_bytes=6)
    assert "at most 7 bytes" in refused(json_of.of, [1.5, 2.5], max_bytes=7)
    # What may be written may be read again.
    full = everything(u8_field=1, note="x" * 3900)
    full = dataclasses.replace(full, note="x" * (3900 + 4096 - len(full.to_json())))
    assert len(full.to_json()) == 4096
    assert everything.from_dict(full.to_dict()) == full


def test_what_is_written_has_bounds_too(recipes: Recipes) -> None:
    everything, json_of, tree = recipes("Everything"), recipes("Json"), recipes("Tree")
    long = everything(u8_field=1, note="x" * 4096)
    assert refused(long.to_json).startswith(
        "Everything at byte 0: too_large: expected at most 4096 bytes, found 4"
    )
    deep = everything(u8_field=1, extra=json_of("[" * 8 + "]" * 8))
    assert refused(deep.to_json) == "Everything at byte 0: too_deep: expected at most 8 levels"
    assert everything(u8_field=1, extra=json_of('["[[[[[[[[[[[[[[[[[["]')).to_json()
    assert tree.MAX_BYTES == 2048


def test_strings_are_escaped_as_little_as_json_allows(recipes: Recipes) -> None:
    named = recipes("Named")
    text = '"\\/\b\f\n\r\t\x00\x1f\x7f\u2028é\U0001f600'
    data = named(surface_id=text).to_json()
    assert (
        data == b'{"surface_id":"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f' + '\u2028é\U0001f600"}'.encode()
    )
    assert named.from_json(data).surface_id == text


def test_names_that_are_taken_still_work(recipes: Recipes) -> None:
    names = recipes("Names")
    fields = [field.name for field in dataclasses.fields(names)]
    assert {"self_", "from_json_", "class_", "members", "int", "WIRE_ID_", "_typing_", "Names_"} <= set(
        fields
    )
    value = names(**{name: at for at, name in enumerate(fields[:-1])})
    assert names.from_json(value.to_json()) == value
    assert names.from_dict(value.to_dict()) == value
    keys = list(value.to_dict())
    assert keys[-7:-1] != keys[-6:]
    assert {'a "quoted" \\ key', "{brace}", "ключ", "it's", "", "new\nline"} <= set(keys)
    assert names().self_or_default == 7
    assert names().a_field_with_a_name_of_over_forty_letters_or_default == 'é"'
