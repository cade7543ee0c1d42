"""The pages that a buffer is on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class HugePages:
    """Whether a buffer is on huge pages."""

    wanted: Literal["never", "advised", "preferred", "required"] = "never"
    """`never`: on ordinary pages. `advised`: on ordinary pages, of which the kernel is asked to make huge
    ones where it can. `preferred`: on huge pages of `size` bytes where the machine has enough that are free
    and consumers only read, and else as with `advised`. `required`: on these, or not at all.
    """
    size: int = 2 << 20
    """Bytes of a page: 2 MiB and 1 GiB are those of x86-64."""

    def __post_init__(self) -> None:
        if self.wanted not in ("never", "advised", "preferred", "required"):
            raise ValueError(f"expected never, advised, preferred or required, found {self.wanted!r}")


NEVER = HugePages()
"""On ordinary pages."""


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages that a buffer got."""

    kind: Literal["ordinary", "advised", "huge"]
    """`advised`: ordinary ones, of which the kernel makes huge ones where it can."""
    size: int
    """Bytes of a page."""
