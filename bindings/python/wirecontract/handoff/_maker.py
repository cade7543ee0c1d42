"""The process that made something. A child that is forked has a copy, with the same file descriptors: what it
sends, shuts down or unregisters would be the parent's.
"""

from __future__ import annotations

import os

from wirecontract.contracts import Code
from wirecontract.handoff._coded import CodedError


class OtherProcess(CodedError, RuntimeError):
    """A call in a forked child on what its parent made, and goes on with. Closing it there closes the child's
    copy of the file descriptors and nothing else.
    """

    def __init__(self, what: str, made_by: int) -> None:
        super().__init__(
            Code.BAD_HANDLE,
            f"expected {what} that process {os.getpid()} made, found one of its parent's, process {made_by}",
            expected=f"{what} of this process",
            found=made_by,
            remedy="make another one in the child, or give the socket away before (`detach`, `from_fd`)",
        )
        self.made_by = made_by


class Maker:
    """The process that made something."""

    __slots__ = ("_pid", "_what")

    def __init__(self, what: str) -> None:
        """This one."""
        self._pid = os.getpid()
        self._what = what

    @property
    def is_here(self) -> bool:
        """Whether it is this process."""
        return os.getpid() == self._pid

    def check(self) -> None:
        """Refuses another process (`OtherProcess`), before any lock: who has it may be a thread of the parent
        alone.
        """
        if not self.is_here:
            raise OtherProcess(self._what, self._pid)
