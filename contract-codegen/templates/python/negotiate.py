"""What two sides of a channel tell each other, and what they agree on.

Each side sends `of(A, B).to_json()` and gives what comes to `read`. `negotiate` has, for
each contract, the highest version that both list with the same wire id.
"""

from __future__ import annotations

import collections.abc as _abc
import dataclasses as _dataclasses
import typing as _typing

from . import _wire
from .hello import Hello, SpokenContract, SpokenVersion, Verdict

__all__ = ["Agreed", "Explain", "Refusal", "check", "negotiate", "of", "read"]

_WHY: _typing.Final = {
    Verdict.NOT_OURS: "our hello does not name it: say there that this side speaks it",
    Verdict.UNKNOWN_TO_PEER: "the peer's hello does not name it: it does not speak it",
    Verdict.NO_COMMON_VERSION: (
        "no version is spoken by both: update the older side, or have the newer one say `earlier`"
    ),
}

Explain: _typing.TypeAlias = "_abc.Callable[[str, int, int], str | None]"
"""Gives, for a contract's name, our wire id and theirs, what differs between the two
declarations in one line; None where it does not know both."""


@_typing.final
@_dataclasses.dataclass(frozen=True, slots=True)
class Agreed:
    """The version of a contract that two sides speak with each other."""

    version: int
    """The highest that both list with the same wire id."""
    wire_id: int
    """That wire id."""


class Refusal(_wire.WireError):
    """Two hellos that do not meet in a contract."""

    verdict: Verdict
    """Why."""
    ours: tuple[SpokenVersion, ...]
    """The versions that this side lists."""
    theirs: tuple[SpokenVersion, ...]
    """The versions that the peer lists."""
    ids: tuple[int, int] | None
    """The wire ids to compare, ours and theirs: those of the version that has two, or
    else the newest of each side."""
    difference: str | None
    """What differs between the two declarations, where somebody knew both."""

    def __init__(
        self,
        name: str,
        verdict: Verdict,
        ours: tuple[SpokenVersion, ...],
        theirs: tuple[SpokenVersion, ...],
        differing: tuple[SpokenVersion, SpokenVersion] | None = None,
        explain: Explain | None = None,
    ) -> None:
        expected = "a version that both sides speak with one wire id"
        super().__init__(_wire.Code.ID_MISMATCH, "Hello", "speaks", 0, expected, name)
        self.name = name
        self.verdict = verdict
        self.ours = ours
        self.theirs = theirs
        self._differing = differing
        pair = differing or ((ours[-1], theirs[-1]) if ours and theirs else None)
        self.ids = None if pair is None else (_id(pair[0]), _id(pair[1]))
        self.difference = None
        if explain is not None and self.ids is not None:
            self.difference = explain(name, *self.ids)

    def __reduce__(self) -> tuple[_typing.Any, ...]:
        arguments = (self.name, self.verdict, self.ours, self.theirs, self._differing)
        return (type(self), arguments, {"difference": self.difference})

    def __str__(self) -> str:
        if self._differing is None:
            why = _WHY[self.verdict]
        else:
            ours, theirs = self._differing
            why = (
                f"version {ours.version} has two wire ids, ours 0x{ours.wire_id.hex()}"
                f" and theirs 0x{theirs.wire_id.hex()}: the declarations differ, so build"
                " both sides of one, or give the newer one a version of its own"
            )
        text = f"{self.name}: id_mismatch: {why}"
        text += f"; ours: {_listed(self.ours)}; theirs: {_listed(self.theirs)}"
        return text if self.difference is None else f"{text}; what differs: {self.difference}"


def of(*contracts: type) -> Hello:
    """The hello of a side that speaks these contracts, at the versions that they say."""
    said: dict[str, SpokenContract] = {}
    for contract in contracts:
        name = getattr(contract, "CONTRACT", None)
        if not isinstance(name, str):
            raise TypeError(f"{contract!r} is no class of a contract: it has no CONTRACT")
        earlier: tuple[tuple[int, int], ...] = getattr(contract, "EARLIER", ())
        current: tuple[int, int] = (getattr(contract, "VERSION", 1), getattr(contract, "WIRE_ID", 0))
        versions = [
            SpokenVersion(version=version, wire_id=wire_id.to_bytes(8, "big"))
            for version, wire_id in (*earlier, current)
        ]
        said[name] = SpokenContract(name=name, versions=versions)
    return Hello(format=1, speaks=list(said.values()))


def read(document: _wire.Buffer | str) -> Hello:
    """The hello that a document has; `WireError` where it has none."""
    hello = Hello.from_json(document)
    check(hello)
    return hello


def check(hello: Hello) -> None:
    """Check that each contract is there once, and its versions in ascending order, each once."""
    seen: set[str] = set()
    for spoken in hello.speaks:
        for before, after in zip(spoken.versions, spoken.versions[1:], strict=False):
            if before.version >= after.version:
                raise _violated("SpokenContract", "versions", "versions in ascending order, each once", after.version)
        if spoken.name in seen:
            raise _violated("Hello", "speaks", "each contract once", _brief(spoken.name))
        seen.add(spoken.name)


def negotiate(ours: Hello, theirs: Hello, contract: str | type, explain: Explain | None = None) -> Agreed:
    """The highest version of a contract that both sides list with the same wire id.

    The contract is a class, or the name that hellos have for it. `Refusal` where the
    hellos do not meet; what differs is in it where `explain` knows. Both hellos are checked
    first, ours before theirs.
    """
    for whose, hello in (("our hello", ours), ("their hello", theirs)):
        try:
            check(hello)
        except _wire.WireError as error:
            error.add_note(whose)
            raise
    name = contract if isinstance(contract, str) else getattr(contract, "CONTRACT", None)
    if not isinstance(name, str):
        raise TypeError(f"{contract!r} is no class of a contract: it has no CONTRACT")
    here, there = _versions(ours, name), _versions(theirs, name)
    if here is None:
        raise Refusal(name, Verdict.NOT_OURS, (), there or ())
    if there is None:
        raise Refusal(name, Verdict.UNKNOWN_TO_PEER, here, ())
    known = {spoken.version: spoken for spoken in there}
    common = [(spoken, known[spoken.version]) for spoken in reversed(here) if spoken.version in known]
    for mine, other in common:
        if mine.wire_id == other.wire_id:
            return Agreed(mine.version, _id(mine))
    if common:
        raise Refusal(name, Verdict.TWO_IDS, here, there, common[0], explain)
    raise Refusal(name, Verdict.NO_COMMON_VERSION, here, there, None, explain)


def _versions(hello: Hello, name: str) -> tuple[SpokenVersion, ...] | None:
    """What a hello says of a contract, where it names it."""
    return next((tuple(spoken.versions) for spoken in hello.speaks if spoken.name == name), None)


def _id(spoken: SpokenVersion) -> int:
    return int.from_bytes(spoken.wire_id, "big")


def _listed(versions: tuple[SpokenVersion, ...]) -> str:
    said = [f"version {spoken.version} (0x{spoken.wire_id.hex()})" for spoken in versions]
    return ", ".join(said) or "none"


def _violated(contract: str, field: str, expected: str, found: int | str) -> _wire.WireError:
    return _wire.WireError(_wire.Code.RULE_VIOLATED, contract, field, 0, expected, found)


def _brief(text: str) -> str:
    """The first 40 bytes of a text, as errors show it."""
    data = text.encode()
    return text if len(data) <= 40 else data[:40].decode(errors="ignore") + "…"
