"""The stubs of what is native hold for the library, and those of contracts for the pure modules as well."""

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import wirecontract
from native_classes import EVERY_FORM, LIBRARIES, Library

ROOT = Path(__file__).parents[2]
FAMILIES = {
    "wirecontract": ("buffer", "cuvis", "hello", "texture", "video"),
    "native_rig": ("documents", "grown", "scalars", "unions"),
}
# Methods by hand of the native classes, which the pure ones have not.
NATIVE_ALONE = ("wirecontract._contracts.SharedBuffer.open", "native_rig._contracts.Frame.grown_by")


def stubtest(package: Path, *modules: str) -> subprocess.CompletedProcess[str]:
    """What mypy's stubtest says of modules of that package."""
    # Which bases may be derived from is each implementation's own.
    command = ["-m", "mypy.stubtest", *modules, "--concise", "--ignore-disjoint-bases"]
    return subprocess.run(
        [sys.executable, *command, "--mypy-config-file", str(ROOT / "mypy.ini")],
        cwd=package,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=os.environ | {"MYPYPATH": str(package), "PYTHONPATH": str(package)},
    )


def test_the_library_is_what_its_stubs_say() -> None:
    package = Path(wirecontract.__file__).parents[1]
    done = stubtest(package, "wirecontract._native", "wirecontract._contracts", "wirecontract._names")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_classes_of_every_form_are_what_their_stub_says() -> None:
    package = Path(EVERY_FORM.module.__file__).parents[1]
    done = stubtest(package, "native_rig._contracts", "native_rig._names")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.package)
def test_the_pure_classes_are_what_the_stub_of_the_native_ones_says(library: Library, tmp_path: Path) -> None:
    source = Path(library.module.__file__).parent
    package = library.package
    shutil.copytree(source, tmp_path / package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    contracts = importlib.import_module(f"{package}._names").CONTRACTS
    lines = [f"__all__ = {list(contracts)!r}"]
    found = set()
    for family in FAMILIES[package]:
        module = importlib.import_module(f"{package}.contracts.{family}")
        names = [name for name in contracts if name in module.__all__ and name not in found]
        found.update(names)
        lines += [f"from {package}.contracts.{family} import {name}" for name in names]
    assert found == set(contracts)
    (tmp_path / f"{package}/_contracts.py").write_text("\n".join(lines) + "\n")
    done = stubtest(tmp_path, f"{package}._contracts")
    missing = [f"{name} is not present at runtime" for name in NATIVE_ALONE if name.startswith(f"{package}.")]
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (1, missing, "")


def test_a_stub_that_lies_is_found(tmp_path: Path) -> None:
    source = Path(wirecontract.__file__).parent
    shutil.copytree(source, tmp_path / "wirecontract", ignore=shutil.ignore_patterns("__pycache__"))
    stub = tmp_path / "wirecontract/_native.pyi"
    text = stub.read_text()
    assert text.count("def tobytes(") == 1
    stub.write_text(text.replace("def tobytes(", "def to_bytes("))
    done = stubtest(tmp_path, "wirecontract._native")
    assert done.returncode == 1
    assert "Tensor.to_bytes" in done.stdout
