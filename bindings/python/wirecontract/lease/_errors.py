"""Why a lease was not begun, or not ended: what was expected, what came, what to do."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar

from wirecontract.contracts import Code, WireError
from wirecontract.contracts.buffer import EndReason, MemoryAfter, OfferRefusal
from wirecontract.handoff._coded import CodedError
from wirecontract.handoff._words import counted, duration


class Doing(enum.Enum):
    """What took too long."""

    HELLO = "waiting for the hello of the other side"
    OFFER = "waiting for an offer"
    ANSWER = "waiting for an offer to be taken or refused"
    RELEASE = "waiting for a buffer to be given back"
    EVENT = "waiting for a change of what is held"
    PONG = "waiting for the answer to a ping"
    CLOSE = "waiting for the other side to close"


@dataclass(frozen=True, slots=True)
class End:
    """The end of a lease that had begun."""

    reason: EndReason
    """Why: of a channel that ended because the other side said what it may not, `REVOKED` to a producer,
    which takes everything back, and `PEER_CLOSED` to a consumer.
    """
    memory: MemoryAfter
    """What may be done with memory that is still mapped."""
    because: Exception | None = None
    """What ended the channel, where that ended the lease."""


class LeaseError(CodedError):
    """A call on a lease, or on one of its sides, that was refused."""

    _ENDS: ClassVar[bool] = False

    @property
    def is_end(self) -> bool:
        """Whether the channel has ended, whatever ended it: each later call says the same."""
        return self._ENDS


class Fault(LeaseError, ValueError):
    """A word that the other side may not say now: the channel is closed."""


class GeometryError(LeaseError, ValueError):
    """A tensor that is not within its buffer, or is none. The text says no code, which is `code`."""

    _SAYS_CODE = False


class FdCount(LeaseError, ValueError):
    """Another number of file descriptors than a buffer's kind has."""

    def __init__(self, expected: int, found: int) -> None:
        super().__init__(
            Code.FD_COUNT,
            f"expected {counted(expected, expected)} beside the buffer, found {found}",
            expected=counted(expected, expected),
            found=found,
            remedy="send what its kind has",
        )


class TooMany(LeaseError, RuntimeError):
    """As many leases as the channel may have."""

    def __init__(self, most: int) -> None:
        super().__init__(
            Code.TOO_MANY,
            f"expected at most {most} outstanding leases, found another",
            expected=f"at most {most} outstanding leases",
            found=most + 1,
            remedy="wait until one is over",
        )


class TooManyConsumers(LeaseError, RuntimeError):
    """As many consumers as a service may have."""

    def __init__(self, most: int) -> None:
        super().__init__(
            Code.TOO_MANY,
            f"expected at most {most} consumers, found another",
            expected=f"at most {most} consumers",
            found=most + 1,
            remedy="raise the bound",
        )


class BadReason(LeaseError, ValueError):
    """A reason that is not the producer's to give."""

    def __init__(self, reason: EndReason) -> None:
        super().__init__(
            Code.OUT_OF_RANGE,
            f"expected a lease to be ended as revoked or timed_out, found {reason.name.lower()}",
            expected="revoked or timed_out",
            found=reason.name.lower(),
            remedy="say one of them",
        )


class Refused(LeaseError):
    """The consumer refused an offer."""

    refusal: OfferRefusal
    """What it said."""

    def __init__(self, refusal: OfferRefusal) -> None:
        super().__init__(
            Code.REFUSED,
            f"the consumer refused the buffer with code {refusal.code}",
            expected="a consumer that takes it",
            found=refusal.code,
            remedy=refusal.message,
        )
        self.refusal = refusal


class Unusable(LeaseError):
    """An offer whose buffer cannot be used. The producer was told; the channel goes on."""

    lease: int
    """The number of the lease."""
    because: Exception
    """Why."""

    def __init__(self, lease: int, because: Exception) -> None:
        code, why = code_of(because), str(because)
        # The code of the refusal stands once, before everything.
        begin = f"{code.name.lower()}: "
        begin = begin if why.startswith(begin) else ""
        text = f"{begin}lease {lease} was refused: {why.removeprefix(begin)}"
        super().__init__(code, text, found=lease, remedy=why, whole=True)
        self.lease = lease
        self.because = because


class Over(LeaseError):
    """A lease that is over."""

    def __init__(self, lease: int, end: End) -> None:
        how = f"is over ({end.reason.name.lower()})"
        super().__init__(
            Code.BAD_HANDLE,
            f"expected a lease that lasts, found lease {lease}, which {how}",
            expected="a lease that lasts",
            found=lease,
            remedy="offer the buffer again",
        )
        self.end = end


class GivenBack(LeaseError, ValueError):
    """A buffer that was given back (`Held.release`), and is held no more."""

    def __init__(self, lease: int) -> None:
        super().__init__(
            Code.BAD_HANDLE,
            f"expected a buffer that is held, found that of lease {lease}, which was given back",
            expected="a buffer that is held",
            found=lease,
            remedy="release it when it is used no more",
        )


class Answered(LeaseError):
    """An offer that was answered before."""

    def __init__(self, lease: int) -> None:
        super().__init__(
            Code.REFUSED,
            f"expected an offer that waits for an answer, found lease {lease}, which has it",
            expected="an offer that waits for an answer",
            found=lease,
            remedy="answer once",
        )


class LeaseTimeout(LeaseError, TimeoutError):
    """Not in time. Everything is as it was, and the call may be made again."""

    doing: Doing
    """What took that long."""
    after: float
    """The limit, in seconds."""

    def __init__(self, doing: Doing, after: float) -> None:
        super().__init__(
            Code.TIMEOUT,
            f"{doing.value} took longer than {duration(after)}",
            expected=f"within {duration(after)}",
            remedy="wait on, or end it",
        )
        self.doing = doing
        self.after = after


class SideClosed(LeaseError, ConnectionError):
    """This side closed the channel."""

    _ENDS = True

    def __init__(self) -> None:
        super().__init__(Code.PEER_CLOSED, "this side closed the channel", remedy="open another one")


class Lost(LeaseError, ConnectionError):
    """The channel has ended, and all leases on it."""

    _ENDS = True

    reason: EndReason
    """Whether the other side closed it or died; `TIMED_OUT` where it was too slow with a message. Where it
    said what it may not, as in `End`.
    """
    because: Exception
    """What was found."""

    def __init__(self, reason: EndReason, because: Exception) -> None:
        gone = ": its process is gone" if reason is EndReason.PEER_DIED else ""
        super().__init__(code_of(because), f"{because}{gone}", whole=True)
        self.reason = reason
        self.because = because


def code_of(error: Exception) -> Code:
    """The code of an error of this package."""
    if isinstance(error, CodedError | WireError):
        return error.code
    return Code.IO
