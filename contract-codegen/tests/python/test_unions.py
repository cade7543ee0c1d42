"""Unions: which variant a document is, what is kept of one that nobody knows, how each is written."""

import dataclasses
import pickle
from typing import Any

import pytest
from conftest import Recipes
from test_recipes import refused


def test_the_tag_says_the_variant(recipes: Recipes) -> None:
    request = recipes("Request")
    for name, document, tag in [
        ("Register", b'{"op":"register","width":1,"format":"gray8"}', "register"),
        ("Lookup", b'{"op":"lookup","surface_id":"a"}', "lookup"),
        ("CheckOut", b'{"op":"check_out","surface_id":"a"}', "check_out"),
        ("Ping", b'{"op":"ping"}', "ping"),
    ]:
        value = request.from_json(document)
        assert type(value) is recipes(f"Request{name}")
        assert isinstance(value, request)
        assert value.tag == tag
        assert value.to_json() == document
        assert request.from_dict(value.to_dict()) == value
        assert pickle.loads(pickle.dumps(value)) == value
    alias = request.from_json(b'{"surface_id":"a","op":"find"}')
    assert alias.to_json() == b'{"op":"lookup","surface_id":"a"}'


FAULTS = [
    ("Request", b"[]", "Request at byte 0: wrong_type: expected an object, found an array"),
    ("Request", b" null", "Request at byte 1: null_not_allowed: expected an object, found null"),
    ("Request", b'{"surface_id":1}', "Request.op at byte 0: missing_key: expected the key `op`"),
    ("Request", b'{"op":null}', "Request.op at byte 6: null_not_allowed: expected a string, found null"),
    ("Request", b'{"op":1}', "Request.op at byte 6: wrong_type: expected a string, found 1"),
    ("Request", b'{"op":"x"}', 'Request.op at byte 6: unknown_tag: expected a tag of Request, found "x"'),
    ("Request", b'{"op":"lookup"}', "Named.surface_id at byte 0: missing_key: expected the key `surface_id`"),
    ("Measure", b'{"type":"ratio"}', "Measure.value at byte 0: missing_key: expected the key `value`"),
    (
        "Measure",
        b'{"value":null}',
        "Measure.value at byte 9: null_not_allowed: expected an integer, found null",
    ),
    ("Answer", b'{"error":1}', "Fault.error at byte 9: wrong_type: expected a string, found 1"),
    ("Answer", b"{}", "Surface.width at byte 0: missing_key: expected the key `width`"),
    (
        "Command",
        b'{"do":"strict","name":"a","x":1}',
        'Strict at byte 26: unknown_key: expected a key of Strict, found "x"',
    ),
    (
        "Cell",
        b'{"t":"truth","c":true}',
        "Cell at byte 0: rule_violated: expected variant != Truth, found variant = 1",
    ),
    (
        "Tree",
        b'{"do":"stop","t":"decimal","c":"1"}',
        "Tree at byte 0: rule_violated: expected command != Stop || cell == Nothing, "
        "found command = 2, cell = 0",
    ),
    (
        "Tree",
        b'{"do":"stop","t":"nothing","c":1}',
        'Tree at byte 27: unknown_key: expected a key of Tree, found "c"',
    ),
]


@pytest.mark.parametrize(("name", "document", "said"), FAULTS)
def test_faults_of_unions(recipes: Recipes, name: str, document: bytes, said: str) -> None:
    assert refused(recipes(name).from_json, document) == said


def test_an_absent_tag_may_say_a_variant(recipes: Recipes) -> None:
    kind, measure = recipes("SurfaceKind"), recipes("Measure")
    implied = kind.from_json(b'{"format":"gray"}')
    assert type(implied) is recipes("SurfaceKindImplied")
    assert implied.tag is None
    assert implied.to_json() == b'{"format":"gray8"}'
    # A variant without a tag has none: the word is one that nobody knows.
    assert type(kind.from_json(b'{"resource_type":"implied"}')) is recipes("SurfaceKindOther")
    count = measure.from_json(b"{}")
    assert (count, count.tag) == (recipes("MeasureCount")(), "count")
    assert count.to_json() == b'{"type":"count","value":-1}'


def test_a_tag_that_nobody_knows_is_kept_with_what_came(recipes: Recipes) -> None:
    kind, measure, surface, json_of = (recipes(it) for it in ("SurfaceKind", "Measure", "Surface", "Json"))
    volume = kind.from_json(b'{"depth": 4.0, "resource_type":"volume","a":"\\u0041"}')
    assert (volume.tag, volume.content) == ("volume", json_of('{"depth":4.0,"a":"A"}'))
    assert volume.to_json() == b'{"depth":4.0,"a":"A","resource_type":"volume"}'
    inner = surface.from_json(b'{"width":1,"depth":4,"resource_type":"volume","tiling":1,"x":[ ]}')
    assert inner.kind.content == json_of('{"depth":4,"x":[]}')
    assert inner.to_json() == b'{"width":1,"depth":4,"x":[],"resource_type":"volume","tiling":1}'
    other = measure.from_json(b'{"type":"new","value":[1, 2],"more":1}')
    assert other == recipes("MeasureOther")("new", json_of.of([1, 2]))
    assert other.to_json() == b'{"type":"new","value":[1,2]}'
    bare = measure.from_json(b'{"type":"new"}')
    assert (bare.content, bare.to_json()) == (None, b'{"type":"new"}')
    make: Any = recipes("SurfaceKindOther")
    assert "expected an object, found an array" in refused(make, "x", json_of("[]"))
    assert refused(make, "x", json_of("1.50")) == (
        "SurfaceKind.resource_type at byte 0: wrong_type: expected an object, found 1.50"
    )
    assert "expected Json, found dict" in refused(make, "x", {})


def test_a_tag_of_a_variant_is_none_that_nobody_knows(recipes: Recipes) -> None:
    json_of, kind, measure = (recipes(it) for it in ("Json", "SurfaceKindOther", "MeasureOther"))
    for make, tag, where in [
        (kind, "texture", "SurfaceKind.resource_type"),
        (measure, "ratio", "Measure.type"),
    ]:
        said = f'{where} at byte 0: unknown_tag: expected a tag that no variant has, found "{tag}"'
        # The tag comes first, then what is with it.
        assert refused(make, tag, json_of("[]")) == said
        assert refused(dataclasses.replace, make("new", json_of("{}")), tag=tag) == said
    # A variant without a tag has none, and is no alias either.
    assert kind("implied", json_of("{}")).tag == "implied"


def test_no_key_is_written_twice(recipes: Recipes) -> None:
    surface, json_of, other = recipes("Surface"), recipes("Json"), recipes("SurfaceKindOther")
    alone = other("x", json_of('{"a":1,"resource_type":1}'))
    said = 'at byte 0: duplicate_key: expected each key once, found "'
    for call in (alone.to_json, alone.to_dict):
        assert refused(call) == f'SurfaceKind {said}resource_type"'
    for key in ("width", "tiling", "resource_type"):
        inner = surface(width=1, kind=other("x", json_of.of({key: 1})), image=recipes("Image")(tiling=1))
        for call in (inner.to_json, inner.to_dict):
            assert refused(call) == f'Surface {said}{key}"'
    # What is too long or too deep is that first.
    levels = "[" * 64 + "]" * 64
    deep = other("x", json_of(f'{{"resource_type":{levels}}}'))
    assert "too_deep" in refused(deep.to_json)
    assert "duplicate_key" in refused(deep.to_dict)
    size = recipes("SurfaceKind").MAX_BYTES
    long = other("x", json_of.of({"resource_type": "x" * size}, max_bytes=2 * size))
    assert "too_large" in refused(long.to_json)
    fine = surface(width=1, kind=other("x", json_of('{"a":{"width":1,"x":2}}')), image=recipes("Image")())
    assert fine.to_json() == b'{"width":1,"a":{"width":1,"x":2},"resource_type":"x"}'
    assert fine.to_dict() == {"width": 1, "a": {"width": 1, "x": 2}, "resource_type": "x"}


def answer(recipes: Recipes, content: str) -> Any:
    """An answer whose surface keeps that."""
    kind = recipes("SurfaceKindOther")("x", recipes("Json")(content))
    surface = recipes("Surface")(width=1, kind=kind, image=recipes("Image")())
    return recipes("AnswerSurface")(surface)


def beside(recipes: Recipes, content: str) -> Any:
    """Two unions beside one that keeps that."""
    return recipes("Beside")(
        outcome=recipes("OutcomeNamed")(recipes("Named")(surface_id="a")),
        kept=recipes("KeptOther")("x", recipes("Json")(content)),
        implied=recipes("ImpliedNothing")(),
    )


def test_what_an_unknown_variant_keeps_makes_no_union_another_variant(recipes: Recipes) -> None:
    another = "at byte 0: unknown_tag: expected members that say no other variant"
    answers = recipes("Answers")
    for content in ('{"error":"no"}', '{"a":1,"error":1}', '{"\\u0065rror":null}', '{"error":1e400}'):
        for union, it in (
            ("Answer", answer(recipes, content)),
            ("Outcome", beside(recipes, content)),
            ("Answer", answers(all=[answer(recipes, "{}"), answer(recipes, content)])),
            ("Outcome", answers(all=[], beside=beside(recipes, content))),
        ):
            assert refused(it.to_json) == refused(it.to_dict) == f"{union} {another}"
        # Alone, there is nothing that it would be instead.
        assert answer(recipes, content).value.to_json().startswith(b'{"width":1,')
    for content in ('{"Error":1}', '{"a":{"error":"no"}}', "{}"):
        for it in (answer(recipes, content), beside(recipes, content)):
            assert type(it).from_json(it.to_json()) == type(it).from_dict(it.to_dict()) == it
    # The tag of a union that is written without one: whatever it holds, that of the variant too.
    for tag in ('"ratio"', '"nothing"', "7"):
        assert refused(beside(recipes, f'{{"said":{tag}}}').to_json) == f"Implied.said {another}"
    both = beside(recipes, '{"said":1,"error":1}')
    assert refused(both.to_json) == f"Outcome {another}"
    # The object that is written first; but what is wrong with the document as JSON is said before.
    it = answers(all=[answer(recipes, '{"error":1}')], beside=both)
    assert refused(it.to_json) == f"Answer {another}"
    it = answers(all=[answer(recipes, '{"error":1,"width":1}')], beside=both)
    assert refused(it.to_json) == 'Answers at byte 0: duplicate_key: expected each key once, found "width"'


def test_variants_are_built_and_checked(recipes: Recipes) -> None:
    request, named = recipes("Request"), recipes("Named")
    with pytest.raises(TypeError, match="is one of its variants"):
        request()
    assert "expected Named, found 5" in refused(recipes("RequestLookup"), 5)
    assert recipes("RequestLookup")(named(surface_id="a")) == request.from_json(
        b'{"op":"find","surface_id":"a"}'
    )
    assert recipes("RequestLookup")(named(surface_id="a")) != recipes("RequestCheckOut")(
        named(surface_id="a")
    )
    assert recipes("MeasureRatio")(1).value == 1.0
    assert "out_of_range" in refused(recipes("MeasureRatio"), 2e6)
    assert "rule_violated" in refused(recipes("CellTruth"), True)
    assert recipes("CellDecimal")(-5).to_json() == b'{"c":"-5","t":"decimal"}'
    assert recipes("RequestPing")() == recipes("RequestPing")()
    with pytest.raises(dataclasses.FrozenInstanceError):
        recipes("MeasureRatio")(1).value = 2.0
    value = recipes("MeasureRatio")(0.5)
    match value:
        case it if type(it).__match_args__ == ("value",):
            assert it.value == 0.5
    assert recipes("MeasureOther").__match_args__ == ("tag", "content")


def test_defaults_and_imports_reach_into_variants(recipes: Recipes) -> None:
    request, command = recipes("Request"), recipes("Command")
    value = request.from_json(b'{"op":"register","width":1,"format":"gray","tiling":1}')
    assert value.with_defaults().value.has_fence is False
    value.validate_import(1)
    assert "fd_count = 2" in refused(value.validate_import, 2)
    assert refused(command.from_json(b'{"do":"stop"}').validate_import) == (
        "Command at byte 0: rule_violated: expected variant != Stop, found variant = 2"
    )
    tree = recipes("Tree").from_json(b'{"surface_id":"s","t":"nothing","pixels":[{}]}')
    tree.validate_import()
