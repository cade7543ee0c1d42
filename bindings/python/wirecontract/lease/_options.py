"""What a side of leases is made with."""

from __future__ import annotations

from dataclasses import dataclass

from wirecontract.handoff._arguments import of_type, whole
from wirecontract.handoff._options import check_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a side is made with. Times are in seconds, and None is for ever. What cannot work is refused when
    it is said (`TypeError`, `ValueError`).

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

    def __post_init__(self) -> None:
        whole("most_leases", self.most_leases, 1)
        whole("most_consumers", self.most_consumers, 1)
        check_seconds(self.answer_timeout, "answer_timeout")
        check_seconds(self.hello_timeout, "hello_timeout")
        of_type("hello", self.hello, "True or False", bool)

    @staticmethod
    def of(options: Options | None) -> Options:
        """What was given, or what is usual; `TypeError` for what is none, such as `handoff.Options`."""
        if options is None:
            return Options()
        return of_type("options", options, "lease.Options, or None", Options)
