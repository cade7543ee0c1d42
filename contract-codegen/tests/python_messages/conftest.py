"""What the tests of messages share: both forms, file descriptors, and what a call is refused with."""

import importlib
import os
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

FORMS = {"package": "message_contracts.vhost", "standalone": "standalone.message"}


@pytest.fixture(params=FORMS)
def module(request: pytest.FixtureRequest) -> ModuleType:
    """The messages."""
    return importlib.import_module(FORMS[request.param])


@pytest.fixture
def error(module: ModuleType) -> type[Any]:
    """The error of that form."""
    return error_of(module)


@pytest.fixture
def fds() -> Iterator[list[int]]:
    """Open file descriptors, all of which somebody has to close."""
    made = [os.open("/dev/null", os.O_RDONLY) for _ in range(5)]
    yield made
    for fd in made:
        if is_open(fd):
            os.close(fd)


def error_of(module: ModuleType) -> type[Any]:
    """The error of a module's contracts."""
    found: type[Any] | None = getattr(module, "WireError", None)
    if found is None:
        found = importlib.import_module(f"{module.__package__}._wire").WireError
    return found


def is_open(fd: int) -> bool:
    """Whether a number is a file descriptor at present."""
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def open_fds() -> int:
    """How many file descriptors this process has."""
    return len(os.listdir("/proc/self/fd"))


def kick(module: ModuleType, flags: int = 2) -> Any:
    """The header of a message with one file descriptor for `kick`, or none, and two for `pair`."""
    return module.VhostHeader(request=12, flags=flags, size=0)
