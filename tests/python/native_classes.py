"""The libraries with native classes of contracts: what ships, and every form of them (`tests/native`)."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Methods by hand of the native classes, which the pure ones have not.
NATIVE_ALONE = ("wirecontract._contracts.SharedBuffer.open", "native_rig._contracts.Frame.grown_by")


class Library:
    """A package whose classes are there twice, and the golden vectors of its contracts."""

    def __init__(self, package: str, vectors: str) -> None:
        self.package = package
        self.module: Any = importlib.import_module(package)
        try:
            self.native: Any = importlib.import_module(f"{package}._native")
        except ModuleNotFoundError as error:
            text = f"expected {package} with its library on PYTHONPATH: `cargo xtask test python` builds it"
            raise RuntimeError(text) from error
        self.files = sorted(ROOT.glob(vectors))

    def contracts(self, *kinds: str) -> Iterator[tuple[Any, dict[str, Any]]]:
        """The pure module of each contract of these kinds, and its vectors."""
        for file in self.files:
            for vectors in json.loads(file.read_text())["contracts"]:
                # Of what is in native order, those of this machine's.
                if vectors["kind"] in kinds and vectors.get("host", "any") in ("any", sys.byteorder):
                    yield importlib.import_module(f"{self.package}.contracts.{file.stem}"), vectors

    def key(self, name: str) -> str:
        """What tests call a contract."""
        return name if self is SHIPPED else f"{self.package}.{name}"

    def show(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Puts the native classes where a pickle looks for them."""
        for name in dir(self.native):
            if not name.startswith("_"):
                monkeypatch.setattr(self.module, name, getattr(self.native, name), raising=False)


SHIPPED = Library("wirecontract", "contracts/*/generated/vectors/wirecontract/*.json")
EVERY_FORM = Library("native_rig", "tests/native/vectors/wirecontract_tests_native/*.json")
LIBRARIES = (SHIPPED, EVERY_FORM)
