"""The stubs of what is native hold for the library, and those of contracts for the pure modules as well."""

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import wirecontract
from wirecontract._names import CONTRACTS

ROOT = Path(__file__).parents[2]
FAMILIES = ("buffer", "cuvis", "hello", "texture", "video")
# Methods by hand of the native classes, which the pure ones have not.
NATIVE_ALONE = ("wirecontract._contracts.SharedBuffer.open",)


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


def test_the_pure_classes_are_what_the_stub_of_the_native_ones_says(tmp_path: Path) -> None:
    source = Path(wirecontract.__file__).parent
    shutil.copytree(source, tmp_path / "wirecontract", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    lines = [f"__all__ = {list(CONTRACTS)!r}"]
    found = set()
    for family in FAMILIES:
        module = importlib.import_module(f"wirecontract.contracts.{family}")
        names = [name for name in CONTRACTS if name in module.__all__ and name not in found]
        found.update(names)
        lines += [f"from wirecontract.contracts.{family} import {name}" for name in names]
    assert found == set(CONTRACTS)
    (tmp_path / "wirecontract/_contracts.py").write_text("\n".join(lines) + "\n")
    done = stubtest(tmp_path, "wirecontract._contracts")
    missing = [f"{name} is not present at runtime" for name in NATIVE_ALONE]
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
