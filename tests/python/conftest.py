"""What tests of this folder share."""

import gc
import os
import signal
from collections.abc import Iterator

import pytest

# Who starts this in the background ignores Ctrl-C, and so would every process that is started here.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _open_files() -> dict[str, str]:
    """What this process has open, by number."""
    found = {}
    for number in os.listdir("/proc/self/fd"):
        try:
            found[number] = os.readlink(f"/proc/self/fd/{number}")
        except FileNotFoundError:
            # The folder itself, which was open while it was listed.
            continue
    return found


def _shared_maps() -> list[str]:
    """The mappings of memfds."""
    with open("/proc/self/maps") as maps:
        return sorted(line.split()[-2] for line in maps if "/memfd:" in line)


@pytest.fixture
def balanced() -> Iterator[None]:
    """A test behind which as much is open and mapped as before it."""
    gc.collect()
    before = _open_files(), _shared_maps()
    yield
    gc.collect()
    assert (_open_files(), _shared_maps()) == before


@pytest.fixture
def another_user() -> int:
    """A user that this process may become; where all tests have to run, one is asked for."""
    if os.geteuid() != 0:
        text = "only root becomes another user"
        if os.environ.get("WIRECONTRACT_TEST_ALL"):
            pytest.fail(f"{text}: run all tests as root")
        pytest.skip(text)
    return 65533
