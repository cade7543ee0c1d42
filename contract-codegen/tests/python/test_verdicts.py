"""What the interpreter of the catalog says of some thousand documents: the generated code says the same."""

from types import ModuleType
from typing import Any

import pytest
from conftest import Recipes, verdicts


def fault(error: Any) -> list[Any]:
    found = "" if error.found is None else str(error.found)
    code = error.code.name.lower()
    return [code, error.contract, error.field, error.offset, error.expected, found]


def written(wire: ModuleType, value: Any) -> Any:
    try:
        return value.to_json().decode()
    except wire.WireError as error:
        return fault(error)


def imported(wire: ModuleType, value: Any, fd_count: int) -> Any:
    try:
        value.validate_import(fd_count)
    except wire.WireError as error:
        return fault(error)
    return None


def read(wire: ModuleType, cls: Any, document: bytes) -> Any:
    try:
        value = cls.from_json(document)
    except wire.WireError as error:
        return fault(error)
    imports = [imported(wire, value, fd_count) for fd_count in range(4)]
    return {"written": written(wire, value), "import": imports}


def lenient(wire: ModuleType, cls: Any, document: bytes) -> Any:
    try:
        value, faults = cls.from_json_lenient(document)
    except wire.WireError as error:
        return fault(error)
    return {"written": written(wire, value), "faults": [fault(it) for it in faults]}


def test_every_document_gets_the_interpreters_verdict(recipes: Recipes) -> None:
    codes = set()
    for case in verdicts():
        cls = recipes(case["contract"])
        document = bytes.fromhex(case["document"])
        assert read(recipes.wire, cls, document) == case["read"], document
        assert lenient(recipes.wire, cls, document) == case["lenient"], document
        codes.add(case["read"][0] if isinstance(case["read"], list) else "ok")
    # What a document can be refused for, all of it.
    assert codes == {
        "ok", "too_short", "unknown_value", "unknown_bits", "rule_violated", "not_json", "bad_utf8",
        "too_large",
        "too_deep", "too_many", "duplicate_key", "unknown_key", "missing_key", "wrong_type", "out_of_range",
        "bad_encoding", "unknown_tag", "null_not_allowed", "condition_violated",
    }  # fmt: skip


def test_what_is_written_is_read_as_the_same_value(recipes: Recipes) -> None:
    count = 0
    for case in verdicts():
        if isinstance(case["read"], list) or not isinstance(case["read"]["written"], str):
            continue
        cls = recipes(case["contract"])
        value = cls.from_json(bytes.fromhex(case["document"]))
        text = value.to_json()
        again = cls.from_json(text.decode())
        assert (again, repr(again), again.to_json()) == (value, repr(value), text)
        assert hash(again) == hash(value)
        count += 1
    assert count > 300


@pytest.mark.parametrize("kind", [bytearray, memoryview, bytes.decode])
def test_any_form_of_a_document_is_the_same(recipes: Recipes, kind: Any) -> None:
    for case in verdicts()[::7]:
        document = bytes.fromhex(case["document"])
        try:
            document.decode()
        except UnicodeDecodeError:
            continue
        assert read(recipes.wire, recipes(case["contract"]), kind(document)) == case["read"]
