"""The generated modules under test, in both forms; the Rust test puts them on the path."""

import importlib
import json
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


def vectors() -> list[dict[str, Any]]:
    """Payloads that the cuvis SDK's own module packed."""
    path = Path(__file__).with_name("cuvis_ipc_payload.json")
    cases: list[dict[str, Any]] = json.loads(path.read_text())["cases"]
    return cases
