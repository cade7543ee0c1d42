"""The package without its library, and what is loaded when."""

import os
import subprocess
import sys
from pathlib import Path

import wirecontract
from wirecontract._names import CONTRACTS

PURE = Path(__file__).parents[2] / "bindings/python"


def run(program: str, *, path: Path) -> subprocess.CompletedProcess[str]:
    """A program with the package that is in a folder."""
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | {"PYTHONPATH": str(path)},
    )


def test_the_pure_modules_need_no_library() -> None:
    done = run(
        "import wirecontract, wirecontract.handoff, wirecontract.host, wirecontract.lease\n"
        "from wirecontract.contracts.video import PlaneLayout\n"
        "print(PlaneLayout(offset=1, pitch=2).to_bytes()[0])\n"
        "for name in ('Tensor', 'VideoFrame', 'connect', 'aconnect'):\n"
        "    try:\n"
        "        getattr(wirecontract, name)\n"
        "    except ImportError as error:\n"
        "        print(error)\n",
        path=PURE,
    )
    assert done.returncode == 0, done.stderr
    first, *refused = done.stdout.splitlines()
    assert first == "1"
    assert refused == [
        f"expected the native library of wirecontract for {name!r}, found the pure modules alone: "
        "install the wheel (`pip install wirecontract`)"
        for name in ("Tensor", "VideoFrame", "connect", "aconnect")
    ]


def test_the_version_is_the_one_that_is_installed(tmp_path: Path) -> None:
    program = "import wirecontract\nprint(wirecontract.__version__)\n"
    (tmp_path / "wirecontract").symlink_to(PURE / "wirecontract")
    done = run(program, path=tmp_path)
    assert done.returncode == 1
    assert "module 'wirecontract' has no version here: it was not installed" in done.stderr
    metadata = tmp_path / "wirecontract-1.2.3.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.4\nName: wirecontract\nVersion: 1.2.3\n")
    done = run(program, path=tmp_path)
    assert (done.returncode, done.stdout) == (0, "1.2.3\n")


def test_the_library_is_loaded_at_the_first_use_of_one_of_its_names() -> None:
    done = run(
        "import sys, wirecontract\n"
        "from wirecontract.contracts import buffer, cuvis, hello, texture, video, vulkan\n"
        "import wirecontract.handoff, wirecontract.host, wirecontract.lease\n"
        "print('wirecontract._native' in sys.modules)\n"
        "wirecontract.Tensor\n"
        "print('wirecontract._native' in sys.modules)\n",
        path=Path(wirecontract.__file__).parents[1],
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "False\nTrue\n", "")


def test_every_name_is_there_and_listed() -> None:
    assert set(CONTRACTS) < set(wirecontract.__all__)
    assert len(set(wirecontract.__all__)) == len(wirecontract.__all__)
    for name in wirecontract.__all__:
        value = getattr(wirecontract, name)
        assert value.__doc__, name
        assert name in dir(wirecontract)
    assert not hasattr(wirecontract, "NoSuchName")
