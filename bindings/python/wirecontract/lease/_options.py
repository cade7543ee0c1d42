"""What a side of leases is made with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a side is made with. Times are in seconds, and None is for ever.

    `wirecontract.handoff` has another class of this name, which says how a channel frames, waits and admits.
    A program with both says `lease.Options` and `handoff.Options`.
    """

    most_leases: int = 1024
    """How many leases a channel has at once. A consumer may have as many file descriptors waiting to be
    taken.
    """
    answer_timeout: float | None = 10.0
    """How long `Producer.offer` waits for an answer."""
    hello: bool = True
    """Whether each side says which versions it speaks, before anything else. Both sides say it or neither
    does.
    """
    hello_timeout: float | None = 10.0
    """How long the other side may take for its hello."""
    most_consumers: int = 1024
    """How many consumers a `Service` has at once."""
