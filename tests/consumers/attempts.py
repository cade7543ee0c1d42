"""What comes of a call that a library may refuse, held against a table of refusals."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from outcomes import Outcome, Refused


@dataclass(frozen=True)
class Raised:
    """What was raised, without what it holds."""

    error: str
    text: str


def attempt(call: Callable[[Any], Any], argument: object) -> Any:
    """What a call gives, or what it raised."""
    try:
        return call(argument)
    except Exception as error:
        return Raised(type(error).__name__, str(error))


def differs(expected: Outcome | None, found: Any) -> str | None:
    """What was raised and is not the refusal of the table, and the reverse."""
    if isinstance(found, Raised):
        is_expected = (
            isinstance(expected, Refused) and expected.error == found.error and expected.text in found.text
        )
        return None if is_expected else f"{found.error}: {found.text}"
    return f"no refusal, where {expected} is expected" if isinstance(expected, Refused) else None
