"""What the tests of this folder share: the libraries, imported once and in a state of their own."""

import gc
import importlib
import os
from collections.abc import Generator, Iterator

import pytest

# Before jax is imported: no other device is looked for, and numbers of 64 bits stay what they are.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"

_NEEDED = {
    "cargo xtask test consumers": (
        "jax",
        "ml_dtypes",
        "mlx.core",
        "numpy",
        "pyarrow",
        "tvm_ffi",
        "wirecontract._native",
        "wirecontract_tensors",
    ),
    "cargo xtask test consumers --all": ("torch",) if os.environ.get("WIRECONTRACT_TEST_ALL") else (),
}

for command, modules in _NEEDED.items():
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise pytest.UsageError(
                f"cannot import {module} ({error}): run `{command}`, which sets it up"
            ) from error

from ours import IMPLEMENTATIONS, Ours, left_behind  # noqa: E402

# What the libraries made when they were imported is there to the end: no collection has to look through it.
gc.collect()
gc.freeze()

_FAILED = pytest.StashKey[bool]()


def pytest_configure(config: pytest.Config) -> None:
    """numpy's own file hands a generator to `parametrize`, which is numpy's to change."""
    config.addinivalue_line(
        "filterwarnings", "ignore:Passing a non-Collection:pytest.PytestRemovedIn10Warning"
    )


@pytest.fixture(params=IMPLEMENTATIONS, ids=lambda ours: ours.name)
def ours(request: pytest.FixtureRequest) -> Iterator[Ours]:
    """Each implementation of this project's tensors, of which a test leaves nothing."""
    one: Ours = request.param
    before = one.counts()
    yield one
    # What a test that failed had in its hands, its traceback has.
    if _FAILED not in request.node.stash:
        assert left_behind(one, before) is None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Notes for the fixtures of a test that it failed."""
    report = yield
    if call.excinfo is not None:
        item.stash[_FAILED] = True
    return report
