"""What ends the waiting of another thread."""

from __future__ import annotations

import os
from contextlib import suppress

from wirecontract.handoff._errors import os_error
from wirecontract.handoff._fd import Fd


class Wake:
    """An event of this process's own, by an eventfd that it owns: readable from when somebody is woken until
    it is cleared.
    """

    def __init__(self) -> None:
        try:
            self._fd = Fd.made_by(os.eventfd, 0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        except OSError as error:
            raise os_error("making an event of this process's own", error) from error

    def wake(self) -> None:
        """Ends the waiting, this one or the next. Behind `close` there is none."""
        with suppress(BlockingIOError, ValueError):
            os.eventfd_write(self._fd.fileno(), 1)

    def clear(self) -> None:
        """Has it be readable no more, until somebody is woken again."""
        with suppress(BlockingIOError):
            os.eventfd_read(self._fd.fileno())

    def fileno(self) -> int:
        """The number, to poll it."""
        return self._fd.fileno()

    def close(self) -> None:
        """Closes the file descriptor."""
        self._fd.close()
