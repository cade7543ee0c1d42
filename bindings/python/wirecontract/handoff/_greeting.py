"""What the sides of a channel tell each other before anything else, and what they agree on."""

from __future__ import annotations

from wirecontract.contracts import WireError, negotiate
from wirecontract.contracts.hello import Hello
from wirecontract.contracts.negotiate import Agreed
from wirecontract.handoff._coded import without_frames
from wirecontract.handoff._errors import HelloRefused
from wirecontract.handoff._options import Expected, Options
from wirecontract.handoff._wait import Limit

HELLO = Expected(256 << 10)
"""What may come as a hello."""


class Greeting:
    """The hellos of a channel."""

    def __init__(self, options: Options) -> None:
        """Of a channel that says one; `HelloRefused` where it may not be sent."""
        self._ours = hello_of(options)
        optional = {str(getattr(contract, "CONTRACT", "")) for contract in options.may_speak}
        self._required = [spoken.name for spoken in self._ours.speaks if spoken.name not in optional]
        self._theirs: Hello | None = None
        self._refused: tuple[WireError, str] | None = None
        self.until = Limit.of(options.hello_timeout)
        """Until when theirs has to come."""

    @staticmethod
    def of(options: Options) -> Greeting | None:
        """None where the options say no hello."""
        says = options.hello is not None or options.speaks or options.may_speak
        return Greeting(options) if says else None

    def document(self) -> bytes:
        """Ours, to be sent."""
        try:
            negotiate.check(self._ours)
            return self._ours.to_json()
        except WireError as error:
            raise HelloRefused(error, "our hello: ") from None

    @property
    def is_heard(self) -> bool:
        """Whether the peer's hello has come; refused where it was."""
        if self._refused is not None:
            raise HelloRefused(*self._refused)
        return self._theirs is not None

    @property
    def is_refused(self) -> bool:
        """Whether the peer's hello has come, and was refused."""
        return self._refused is not None

    def hear(self, document: bytes) -> None:
        """Takes the peer's hello, which has to have every contract that is required."""
        try:
            theirs = negotiate.read(document)
            for name in self._required:
                negotiate.negotiate(self._ours, theirs, name)
        except WireError as error:
            whose = "" if isinstance(error, negotiate.Refusal) else "their hello: "
            self._refused = (without_frames(error), whose)
        else:
            self._theirs = theirs
        _ = self.is_heard

    def agreed(self, contract: type | str) -> Agreed | None:
        """The version of a contract that both speak; None where the peer's hello has not come."""
        if not self.is_heard or self._theirs is None:
            return None
        return agreement(self._ours, self._theirs, contract)


def agreement(ours: Hello, theirs: Hello, contract: type | str) -> Agreed:
    """The version of a contract that both speak; `HelloRefused` where there is none."""
    try:
        return negotiate.negotiate(ours, theirs, contract)
    except WireError as error:
        raise HelloRefused(error) from None


def hello_of(options: Options) -> Hello:
    """What a side with these options says."""
    said = negotiate.of(*options.speaks, *options.may_speak)
    if options.hello is None:
        return said
    named = {spoken.name for spoken in said.speaks}
    before = [spoken for spoken in options.hello.speaks if spoken.name not in named]
    return Hello(format=options.hello.format, speaks=[*before, *said.speaks])
