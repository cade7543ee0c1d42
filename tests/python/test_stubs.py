"""The stubs of what is native hold for the library, and those of contracts for the pure modules as well."""

import ast
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import wirecontract
from native_classes import EVERY_FORM, LIBRARIES, NATIVE_ALONE, Library

ROOT = Path(__file__).parents[2]
FAMILIES = {
    "wirecontract": ("buffer", "cuvis", "hello", "texture", "video"),
    "native_rig": ("documents", "grown", "messages", "scalars", "unions"),
}


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


ANY = {
    "_native.pyi": [
        # A protocol that stands for whatever arguments a library declares.
        "def __dlpack__(self, *args: typing.Any, **kwargs: typing.Any) -> object: ...",
        # A dictionary whose keys have values of several types.
        "def __cuda_array_interface__(self, /) -> dict[str, typing.Any]:",
    ],
    # A document, as `json` has it.
    "_contracts.pyi": ["def to_dict(self) -> dict[str, _typing.Any]:"],
}
"""What may be anything by nature."""


@pytest.mark.parametrize("stub", ANY)
def test_what_may_be_anything_is_named_here(stub: str) -> None:
    text = (ROOT / "bindings/python/wirecontract" / stub).read_text()
    lines = (line.strip() for line in text.splitlines() if re.search(r"\bAny\b(?! of these)", line))
    assert list(dict.fromkeys(lines)) == ANY[stub]


PURE = {"wirecontract.handoff", "wirecontract.host", "wirecontract.lease"}
USE = ROOT / "tests/python/use_of_processes.py"


def natively(program: str) -> str:
    """A program with the native classes in the place of the pure ones of their names."""
    lines = program.splitlines()
    for node in reversed(ast.parse(program).body):
        if isinstance(node, ast.ImportFrom) and node.module in PURE:
            pure = [name for name in node.names if name.asname or name.name not in wirecontract.__all__]
            native = [name for name in node.names if name not in pure]
            imports = [ast.ImportFrom(node.module, pure, 0), ast.ImportFrom("wirecontract", native, 0)]
            lines[node.lineno - 1 : node.end_lineno] = [ast.unparse(each) for each in imports if each.names]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("checker", ["mypy", "basedpyright"])
@pytest.mark.parametrize("kind", ["pure", "native"])
def test_programs_of_the_pure_classes_are_programs_of_the_native_ones(
    checker: str, kind: str, tmp_path: Path
) -> None:
    program = USE.read_text()
    path = tmp_path / "program.py"
    if kind == "native":
        program = natively(program)
        assert program.count("from wirecontract import ") == len(PURE)
    path.write_text(program)
    done = checked(checker, path)
    assert done.returncode == 0, done.stdout + done.stderr
    # A checker that saw nothing would say nothing.
    path.write_text(program.replace("(channel.peer, Peer)", "(channel.peer, int)"))
    done = checked(checker, path)
    assert (done.returncode, done.stdout.count("error:")) == (1, 1), done.stdout


def unknown(package: Path) -> list[str]:
    """The public names of the package whose type is not known to whoever does not infer it."""
    basedpyright = Path(sys.executable).with_name("basedpyright")
    command = ["--verifytypes", "wirecontract", "--ignoreexternal", "--outputjson"]
    done = subprocess.run(
        [str(basedpyright), *command, "--pythonpath", sys.executable],
        cwd=package,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=os.environ | {"PYTHONPATH": str(package)},
    )
    said = json.loads(done.stdout)["typeCompleteness"]
    assert Path(said["moduleRootDirectory"]) == package / "wirecontract"
    assert said["exportedSymbolCounts"]["withKnownType"] > 1000
    return [symbol["name"] for symbol in said["symbols"] if not symbol["isTypeKnown"]]


def test_every_public_name_has_a_type_that_nobody_has_to_infer(tmp_path: Path) -> None:
    package = Path(wirecontract.__file__).parents[1]
    assert unknown(package) == []
    shutil.copytree(
        package / "wirecontract", tmp_path / "wirecontract", ignore=shutil.ignore_patterns("*.so")
    )
    fd = tmp_path / "wirecontract/handoff/_fd.py"
    text = fd.read_text()
    assert text.count("    __del__: property = ") == 1
    fd.write_text(text.replace("    __del__: property = ", "    __del__ = "))
    assert "wirecontract.handoff._fd.Fd.__del__" in unknown(tmp_path)


def checked(checker: str, path: Path) -> subprocess.CompletedProcess[str]:
    """What a type checker says of a program that uses the package of this repository."""
    package = ROOT / "bindings/python"
    if checker == "mypy":
        command = [
            sys.executable,
            "-m",
            "mypy",
            "--config-file",
            str(ROOT / "mypy.ini"),
            "--strict",
            str(path),
        ]
    else:
        settings = path.with_name("pyrightconfig.json")
        settings.write_text(
            json.dumps({"include": [path.name], "extraPaths": [str(package)], "typeCheckingMode": "strict"})
        )
        basedpyright = Path(sys.executable).with_name("basedpyright")
        command = [str(basedpyright), "-p", str(settings), "--pythonpath", sys.executable]
    environment = os.environ | {"MYPYPATH": str(package)}
    return subprocess.run(
        command, cwd=path.parent, capture_output=True, text=True, timeout=600, check=False, env=environment
    )
