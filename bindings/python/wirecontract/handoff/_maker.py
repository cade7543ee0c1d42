"""The process that made something. A fork has a copy, with the same file descriptors: what it sends, shuts
down or unregisters would be its parent's.
"""

from __future__ import annotations

import os

from wirecontract.contracts import Code
from wirecontract.handoff._errors import HandoffError


class Forked(HandoffError, RuntimeError):
    """A call on what another process made, of which this one is a fork, and which goes on with it. Closing it
    here closes this process's file descriptors and nothing else.
    """

    _ENDS = True

    maker: int
    """The process that made it."""

    def __init__(self, what: str, maker: int) -> None:
        super().__init__(
            Code.REFUSED,
            f"process {maker} made this {what}, and this process is a fork of it",
            expected=f"a {what} of this process",
            found=maker,
            remedy="make one of the socket here (from_fd)",
        )
        self.maker = maker


class Maker:
    """The process that made something."""

    __slots__ = ("_what", "pid")

    def __init__(self, what: str) -> None:
        """This one, of what it made."""
        self.pid: int = os.getpid()
        self._what = what

    @property
    def is_here(self) -> bool:
        """Whether it is this process, and no fork of it."""
        return os.getpid() == self.pid

    def check(self) -> None:
        """Refuses a fork (`Forked`), before any lock: who has it may be a thread of the parent alone."""
        if not self.is_here:
            raise Forked(self._what, self.pid)
