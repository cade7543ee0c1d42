"""Each refusal says what it says in every language: the table has the texts of Rust."""

import inspect
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wirecontract import handoff, host, lease
from wirecontract.contracts import Code
from wirecontract.contracts.buffer import EndReason, MemoryAfter, OfferRefusal
from wirecontract.contracts.hello import Hello
from wirecontract.handoff import CodedError, Peers
from wirecontract.handoff._errors import os_error
from wirecontract.handoff._greeting import agreement
from wirecontract.handoff._receiving import IN_PREFIX, LATER
from wirecontract.handoff._words import duration, quoted, shown
from wirecontract.host import _refusals as memory
from wirecontract.host._access import Access, Barrier
from wirecontract.host._errors import os_error as host_os_error
from wirecontract.lease import _faults as faults
from wirecontract.lease._offer import outside, overflow
from wirecontract.lease._rules import Phase

TABLE = Path(__file__).parents[1] / "data" / "refusals.jsonl"

OWN = {
    "Expected::repeated": "Expected, repeated=True",
    "Peers::Anyone": "Peers.anyone",
    "HugePages::Preferred": 'HugePages("preferred")',
    "HugePages::Advised": 'HugePages("advised")',
    "HostOptions::final_seals": "final_seals",
    "Pool::take": "Pool.take",
}
"""What texts name that is called otherwise in Python."""

NOT_HERE = {("host", "Length")}
"""What Python has no call for: a view has the buffer's length."""


def hello(contract: str) -> CodedError:
    nothing = Hello(format=1, speaks=[])
    with pytest.raises(handoff.HelloRefused) as caught:
        agreement(nothing, nothing, contract)
    return caught.value


def system(make: Callable[[str, OSError], CodedError]) -> Callable[..., CodedError]:
    return lambda doing, errno: make(doing, OSError(errno, "as Python says it"))


def unusable(of: int, because: str) -> CodedError:
    why = {"fd_count": lease.FdCount(1, 3), "empty": memory.empty()}[because]
    return lease.Unusable(of, why)


def lost(reason: str) -> CodedError:
    return lease.Lost(EndReason[reason.upper()], handoff.PeerClosed(unread=False))


MADE: dict[tuple[str, str], Callable[..., CodedError]] = {
    ("handoff", "FdCount"): handoff.FdCount,
    ("handoff", "FdsMisplaced"): lambda found, at: handoff.FdsMisplaced(
        found, {"prefix": IN_PREFIX, "later": LATER}[at]
    ),
    ("handoff", "FdsRepeated"): handoff.FdsRepeated,
    ("handoff", "FdsLost"): handoff.FdsLost,
    ("handoff", "TooManyFds"): handoff.TooManyFds,
    ("handoff", "FdsInFlight"): handoff.FdsInFlight,
    ("handoff", "TooLarge"): handoff.TooLarge,
    ("handoff", "TooLargeToSend"): handoff.TooLargeToSend,
    ("handoff", "EmptyPacket"): handoff.EmptyPacket,
    ("handoff", "Timeout"): lambda doing, after_ms, crossed: handoff.HandoffTimeout(
        handoff.Doing[doing.upper()], after_ms / 1000, crossed
    ),
    ("handoff", "PeerClosed"): handoff.PeerClosed,
    ("handoff", "ClosedInMessage"): handoff.ClosedInMessage,
    ("handoff", "OutOfStep"): lambda direction, because: handoff.OutOfStep(direction, Code[because.upper()]),
    ("handoff", "Hello"): hello,
    ("handoff", "InUse"): lambda address: handoff.InUse(shown(address)),
    ("handoff", "Locked"): handoff.Locked,
    ("handoff", "NotOurs"): handoff.NotOurs,
    ("handoff", "AddressTooLong"): handoff.AddressTooLong,
    ("handoff", "BadAddress"): handoff.BadAddress,
    ("handoff", "PeerUser"): lambda expected, uid, pid: handoff.PeerUser(str(Peers.of(*expected)), uid, pid),
    ("handoff", "PeerUnmapped"): handoff.PeerUnmapped,
    ("handoff", "FdKind"): handoff.FdKind,
    ("handoff", "Forked"): handoff.Forked,
    ("handoff", "ProcessEnded"): handoff.ProcessEnded,
    ("handoff", "NoPidFd"): handoff.NoPidFd,
    ("handoff", "FetchRefused"): handoff.FetchRefused,
    ("handoff", "NoSuchFd"): handoff.NoSuchFd,
    ("handoff", "Io"): system(os_error),
    ("declared", "IdMismatch"): handoff.IdMismatch,
    ("declared", "NoId"): handoff.NoWireId,
    ("host", "Empty"): memory.empty,
    ("host", "MoreThanMemory"): memory.more_than_memory,
    ("host", "TooLarge"): memory.too_large,
    ("host", "Range"): memory.outside_allocation,
    ("host", "FileTooShort"): memory.file_too_short,
    ("host", "Kind"): memory.not_memory,
    ("host", "NotSealed"): memory.not_sealed,
    ("host", "Access"): lambda wanted, barrier: memory.not_allowed(
        Access[wanted.upper()], Barrier[barrier.upper()]
    ),
    ("host", "OtherMemory"): memory.other_memory,
    ("host", "OutOfBounds"): memory.out_of_bounds,
    ("host", "Shrunk"): host.Shrunk,
    ("host", "Alignment"): memory.bad_alignment,
    ("host", "Misaligned"): memory.misaligned,
    ("host", "NameWithNul"): memory.name_with_nul,
    ("host", "Name"): memory.name_too_long,
    ("host", "HugePages"): lambda bytes, errno: memory.no_huge_pages(bytes, errno),
    ("host", "WrittenHugePages"): memory.written_huge_pages,
    ("host", "FinalSeals"): memory.final_seals,
    ("host", "StillWritten"): memory.still_written,
    ("host", "EmptyPool"): lambda: memory.empty_pool(0),
    ("host", "Busy"): memory.all_in_use,
    ("host", "Timeout"): lambda most, waited_ms: host.PoolTimeout(most, waited_ms / 1000),
    ("host", "Forked"): host.Forked,
    ("host", "Os"): system(host_os_error),
    ("lease", "FdCount"): lease.FdCount,
    ("lease", "TooMany"): lease.TooMany,
    ("lease", "TooManyConsumers"): lease.TooManyConsumers,
    ("lease", "Reason"): lambda reason: lease.BadReason(EndReason[reason.upper()]),
    ("lease", "Refused"): lambda lease, code, message: _refused(lease, code, message),
    ("lease", "Unusable"): lambda lease, because: unusable(lease, because),
    ("lease", "Over"): lambda lease, reason: _over(lease, reason),
    ("lease", "Answered"): lease.Answered,
    ("lease", "Timeout"): lambda doing, after_ms: lease.LeaseTimeout(
        lease.Doing[doing.upper()], after_ms / 1000
    ),
    ("lease", "Lost"): lost,
    ("lease", "Closed"): lease.SideClosed,
    ("geometry", "Overflow"): overflow,
    ("geometry", "Outside"): outside,
    ("fault", "IdInUse"): faults.id_in_use,
    ("fault", "Unknown"): faults.unknown,
    ("fault", "OutOfOrder"): lambda word, lease, phase: faults.out_of_order(
        word, lease, Phase[phase.upper()].value
    ),
    ("fault", "Reason"): faults.bad_reason,
    ("fault", "TooManyLeases"): faults.too_many_leases,
    ("fault", "Pong"): faults.bad_pong,
    ("fault", "TooManyPings"): faults.too_many_pings,
}


def _refused(of: int, code: int, message: str) -> CodedError:
    return lease.Refused(OfferRefusal(lease_id=of, code=code, message=message))


def _over(of: int, reason: str) -> CodedError:
    return lease.Over(of, lease.End(EndReason[reason.upper()], MemoryAfter.STAYS))


def table() -> list[dict[str, Any]]:
    with TABLE.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_each_refusal_says_what_it_says_in_rust() -> None:
    seen = set()
    for case in table():
        key = (case["module"], case["error"])
        seen.add(key)
        if key in NOT_HERE:
            continue
        text = case["text"]
        for there, here in OWN.items():
            text = text.replace(there, here)
        error = MADE[key](**case["with"])
        assert (error.code.name.lower(), str(error)) == (case["code"], text), case
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert seen == MADE.keys() | NOT_HERE


def test_each_class_of_refusal_is_in_the_table() -> None:
    made = {
        type(MADE[case["module"], case["error"]](**case["with"]))
        for case in table()
        if (case["module"], case["error"]) not in NOT_HERE
    }
    # What this side closed, gave away or gave back has no name in Rust any more; the others are what classes
    # have in common.
    without = {CodedError, handoff.HandoffError, handoff.HandoffOSError, handoff.ChannelClosed}
    without |= {handoff.ChannelTaken, host.HostError, host.Closed, lease.LeaseError, lease.GivenBack}
    for module in (handoff, host, lease):
        for _, found in inspect.getmembers(module, inspect.isclass):
            if issubclass(found, CodedError) and found not in without:
                assert found in made, found


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0ns"),
        (1e-9, "1ns"),
        (1.5e-6, "1.5µs"),
        (0.02, "20ms"),
        (0.1, "100ms"),
        (0.999999999, "999.999999ms"),
        (1, "1s"),
        (1.000000001, "1.000000001s"),
        (86400.5, "86400.5s"),
    ],
)
def test_a_length_of_time_is_said_in_its_largest_unit(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_names_are_shown_as_they_can_be_printed() -> None:
    assert shown(b"/tmp/\xff\xc3\xa9") == "/tmp/\N{REPLACEMENT CHARACTER}é"
    assert shown(b"\0a\xff'\0\x7f") == r"@a\xff\'\x00\x7f"
    assert quoted("é\x01\\") == '"é\\u{1}\\\\"'
