"""The error, and how copies of it know each other."""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from conftest import Sink

ROOT = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0])


def test_it_says_what_was_expected_and_what_came(sink: Sink) -> None:
    wire = sink.wire
    error = wire.WireError(wire.Code.BAD_TEXT, "X", "y", 7, "UTF-8 text ended by NUL")
    assert str(error) == "X.y at byte 7: bad_text: expected UTF-8 text ended by NUL"
    assert str(wire.WireError(wire.Code.TOO_SHORT, "X", "", 0, "4 bytes", 0)) == (
        "X at byte 0: too_short: expected 4 bytes, found 0"
    )
    assert isinstance(error, ValueError)
    assert error.args == (wire.Code.BAD_TEXT, "X", "y", 7, "UTF-8 text ended by NUL", None)


def test_it_can_cross_a_process(sink: Sink) -> None:
    wire = sink.wire
    error = wire.WireError(wire.Code.BAD_MAGIC, "X", "m", 0, "bytes 00", b"\1")
    twin = pickle.loads(pickle.dumps(error))
    assert str(twin) == str(error)
    assert (twin.code, twin.found) == (error.code, error.found)


def test_the_codes_are_the_projects(sink: Sink) -> None:
    code = sink.wire.Code
    assert [int(member) for member in code] == list(range(36))
    assert (code.OK, code.LENGTH_EXCEEDS, code.OUT_OF_RANGE, code.REFUSED) == (0, 7, 20, 35)


def test_a_copy_is_caught_as_the_packages_own(sink: Sink, cuvis: ModuleType) -> None:
    import wirecontract.contracts as package

    assert issubclass(sink.wire.WireError, package.WireError)
    assert sink.wire.WireError is not package.WireError
    assert package.WireError.__mro__[1] is ValueError
    with pytest.raises(package.WireError) as raised:
        cuvis.CudaIpcPayload.from_bytes(b"")
    code: int = raised.value.code
    assert code == package.Code.TOO_SHORT


def run(folder: Path, script: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-W", "error", "-c", script]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.fixture(params=["package", "standalone"])
def vendored(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with `vendored`, a copy of the sink's Python half, and no `wirecontract`."""
    if request.param == "package":
        shutil.copytree(ROOT / "sink_contracts", tmp_path / "vendored")
        shutil.copytree(ROOT / "other", tmp_path / "other")
    else:
        (tmp_path / "vendored").mkdir()
        shutil.copy(ROOT / "standalone/sink.py", tmp_path / "vendored/_wire.py")
        (tmp_path / "vendored/__init__.py").write_text("")
    return tmp_path


BASE = (
    "from vendored._wire import WireError; base = WireError.__mro__[1]; print(base.__module__, base.__name__)"
)


def test_without_the_package_it_is_a_value_error(vendored: Path) -> None:
    assert run(vendored, BASE) == "builtins ValueError"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "WireError = 3",
        "class WireError: pass",
        "raise RuntimeError('broken')",
        "raise SystemError",
        "1 +",
    ],
)
def test_a_stranger_of_that_name_does_no_harm(vendored: Path, text: str) -> None:
    (vendored / "wirecontract.py").write_text(text)
    assert run(vendored, BASE) == "builtins ValueError"


def install(folder: Path, init: str) -> None:
    shutil.copytree(ROOT / "wirecontract", folder / "wirecontract")
    (folder / "wirecontract/__init__.py").write_text(init)


def test_the_installed_package_is_the_base(vendored: Path) -> None:
    install(vendored, "from .contracts import WireError\n")
    assert run(vendored, BASE) == "wirecontract.contracts._wire WireError"


def test_the_package_may_import_a_copy_while_it_is_imported(vendored: Path) -> None:
    install(vendored, "import vendored._wire\nfrom .contracts import WireError\n")
    assert run(vendored, "import wirecontract; " + BASE) == "wirecontract.contracts._wire WireError"
    assert (
        run(
            vendored, BASE + "; import wirecontract; print(wirecontract.WireError is WireError.__mro__[1])"
        ).split()[-1]
        == "True"
    )


def test_nothing_heavy_is_imported(vendored: Path) -> None:
    heavy = {"asyncio", "ctypes", "numpy", "typing_extensions", "uuid", "decimal"}
    script = f"import sys; import vendored._wire; print({heavy} & {{*sys.modules}})"
    assert run(vendored, script) == "set()"


def test_another_packages_class_has_to_be_the_one_declared(vendored: Path) -> None:
    if not (vendored / "vendored/shapes.py").exists():
        pytest.skip("a standalone file holds everything itself")
    base = vendored / "other/contracts/base.py"
    base.write_text(
        base.read_text().replace(
            "WIRE_ID: _typing.ClassVar[int] = 0x", "WIRE_ID: _typing.ClassVar[int] = 0x1"
        )
    )
    script = """
try:
    import vendored.shapes
except ValueError as error:
    print(error.code.name, error.contract)
"""
    assert run(vendored, script) == "ID_MISMATCH Point"
