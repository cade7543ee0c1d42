"""What the other side may not say: each says the same in every language. What it says next cannot be relied
on, so the channel is closed.
"""

from __future__ import annotations

from wirecontract.contracts import Code
from wirecontract.lease._errors import Fault


def id_in_use(lease: int) -> Fault:
    """An offer under the number of another lease."""
    return Fault(
        Code.BUSY,
        f"expected an offer of a new lease, found the number {lease}, which is in use",
        expected="a new lease",
        found=lease,
        remedy="count on",
    )


def unknown(word: str, lease: int, was: bool) -> Fault:
    """A word of a lease that there is not; `was` where it is known that the number was a lease's."""
    how = "is over" if was else "was never offered, or is over"
    return Fault(
        Code.BAD_HANDLE,
        f"expected `{word}` of a lease that is outstanding, found lease {lease}, which {how}",
        expected="a lease that is outstanding",
        found=lease,
        remedy="say it once, of what was offered",
    )


def out_of_order(word: str, lease: int, phase: str) -> Fault:
    """A word that does not follow on what was said before."""
    return Fault(
        Code.RULE_VIOLATED,
        f"expected no `{word}` of lease {lease}, which is {phase}",
        expected=f"no `{word}`",
        found=lease,
        remedy="say each word once, in its turn",
    )


def bad_reason(lease: int, reason: str) -> Fault:
    """A lease that is ended for a reason that only the other side can find."""
    return Fault(
        Code.RULE_VIOLATED,
        f"expected lease {lease} to be ended as released, revoked or timed_out, found {reason}",
        expected="released, revoked or timed_out",
        found=reason,
        remedy="what the socket says needs no word",
    )


def too_many_leases(most: int) -> Fault:
    """More leases than are let be."""
    return Fault(
        Code.TOO_MANY,
        f"expected at most {most} outstanding leases, found another offer",
        expected=f"at most {most} outstanding leases",
        found=most + 1,
        remedy="wait for some to be over, or raise the bound",
    )


def bad_pong(expected: int | None, found: int) -> Fault:
    """An answer that nobody asked for, or not now; None where nothing was asked."""
    answer = "no answer" if expected is None else f"the answer to `ping` {expected}"
    return Fault(
        Code.RULE_VIOLATED,
        f"expected {answer}, found `pong` {found}",
        expected=answer,
        found=found,
        remedy="answer each `ping` once, in their order",
    )


def too_many_pings(most: int) -> Fault:
    """More questions than answers can be sent."""
    return Fault(
        Code.TOO_MANY,
        f"expected at most {most} pings that wait for an answer, found another",
        expected=f"at most {most} pings",
        found=most + 1,
        remedy="receive the answers first",
    )
