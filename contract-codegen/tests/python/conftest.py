"""The generated modules under test, in both forms; the Rust test puts them on the path."""

import importlib
import json
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FORMS = ["package", "standalone"]


@pytest.fixture(params=FORMS)
def cuvis(request: pytest.FixtureRequest) -> ModuleType:
    """The cuvis contracts."""
    name = {"package": "wirecontract.contracts.cuvis", "standalone": "standalone.wirecontract_gpu"}
    return importlib.import_module(name[request.param])


@pytest.fixture(params=FORMS)
def sink(request: pytest.FixtureRequest) -> "Sink":
    """The sink's contracts."""
    return Sink(request.param)


@pytest.fixture(params=FORMS)
def recipes(request: pytest.FixtureRequest) -> "Recipes":
    """Recipes, unions and what they hold."""
    return Recipes(request.param)


class Recipes:
    """Contracts by name: of the families `texture` and `odd`."""

    def __init__(self, form: str) -> None:
        self.form = form
        names = ["recipe_contracts.texture", "recipe_contracts.odd"]
        self.modules = [importlib.import_module(name) for name in names]
        self.wire = importlib.import_module("recipe_contracts._wire")
        if form == "standalone":
            self.wire = importlib.import_module("standalone.recipes")
            self.modules = [self.wire]

    def __call__(self, name: str) -> Any:
        """The class `name`."""
        places = [*self.modules, self.wire]
        return next(found for it in places if (found := getattr(it, name, None)) is not None)

    def helper(self, name: str) -> Any:
        """What generated code takes from `_wire`."""
        return getattr(self.wire, name if self.form == "package" else f"_{name}")

    def companion(self, role: str, name: str) -> Any:
        """`_recipe_X` and the like."""
        word = f"_{role}_{name}"
        return next(found for it in self.modules if (found := getattr(it, word, None)) is not None)


class Sink:
    """Contracts by family and name, wherever the form has put them."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.wire = importlib.import_module(
            "sink_contracts._wire" if form == "package" else "standalone.sink"
        )

    def __call__(self, path: str) -> Any:
        """`shapes.Outer`; `other.Point` for the other package's."""
        return getattr(self.module(path), self.name(path))

    def module(self, path: str) -> ModuleType:
        family = path.split(".")[0]
        package = "other.contracts.base" if family == "other" else f"sink_contracts.{family}"
        return importlib.import_module(package if self.form == "package" else "standalone.sink")

    def name(self, path: str) -> str:
        _, name = path.split(".")
        renamed = {
            "left.Inner": "LeftInner",
            "right.Inner": "RightInner",
            "import_.Code": "ImportCode",
            "import_.WireError": "ImportWireError",
            "import_.ValueError": "ImportValueError",
            "import_.int": "Importint",
            "import_.tuple": "Importtuple",
        }
        return name if self.form == "package" else renamed.get(path, name)


def verdicts() -> list[dict[str, Any]]:
    """Documents with what the interpreter of the catalog says of them; the Rust test writes them."""
    path = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0]).parent / "verdicts.jsonl"
    # Not lines: a document may hold what Python takes for the end of one.
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def vectors() -> list[dict[str, Any]]:
    """Payloads that the cuvis SDK's own module packed."""
    path = Path(__file__).with_name("cuvis_ipc_payload.json")
    cases: list[dict[str, Any]] = json.loads(path.read_text())["cases"]
    return cases
