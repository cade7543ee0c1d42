"""The tests of `handoff` and `host` once more, natively: `pytest -p native_instead tests/python`.

What these tests say of a channel, a listener, a buffer or a mapping holds for both packages. What looks into
the modules of the pure one, or differs by intent, is named here.
"""

from __future__ import annotations

from typing import Any

import pytest
import wirecontract
from wirecontract import handoff, host

for module, names in ((handoff, ("Channel", "Listener")), (host, ("HostBuffer", "HostMapping"))):
    for name in names:
        setattr(module, name, getattr(wirecontract, name))

FILES = {
    "test_handoff.py",
    "test_handoff_asyncio.py",
    "test_handoff_declared.py",
    "test_handoff_hello.py",
    "test_handoff_hostile.py",
    "test_handoff_into.py",
    "test_handoff_processes.py",
    "test_host.py",
    "test_host_pages.py",
}

PURE = {
    "test_one_open_file_comes_once_in_a_message_unless_it_may_come_again": "has the module know no kcmp",
    "test_files_without_an_inode_of_their_own_are_no_repetition": "has the module know no kcmp",
    "test_a_channel_that_this_side_closes_wakes_who_waits_for_a_message": "waits for the module's lock",
    "test_a_channel_that_this_side_closes_wakes_who_waits_to_send": "waits for the module's lock",
    "test_a_call_that_waits_is_interrupted_and_goes_on_later": "the rest of a message is kept natively",
    "test_what_the_system_refuses_says_what_it_was_for": "has the module's calls fail",
    "test_pages_are_made_in_steps_between_which_signals_are_heard": "counts the module's calls",
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[Any]) -> None:
    """Leaves what holds for both."""
    names = {item.originalname for item in items}
    missing = PURE.keys() - names
    if missing and {item.path.name for item in items} >= FILES:
        raise pytest.UsageError(f"expected tests of these names, found none: {sorted(missing)}")
    kept = [item for item in items if item.path.name in FILES and item.originalname not in PURE]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
