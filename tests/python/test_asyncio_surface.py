"""What plain classes have, those for asyncio have as well, or it is said here why not."""

import inspect
from typing import Any

import pytest
import wirecontract
from wirecontract import handoff, lease

HANDS = {
    "fileno": "the event loop watches it",
    "interest": "the event loop watches for it",
    "deadline": "the event loop wakes at it",
}
CHANNEL = {
    "pair": "waits for nothing: AsyncChannel takes both",
    "from_fd": "waits for nothing: AsyncChannel takes it",
    "try_connect": "`connect` waits for no thread",
    "fileno": "the event loop watches it",
    "recv_limit": "the event loop wakes at it",
    "send_limit": "the event loop wakes at it",
    "hello_limit": "the event loop wakes at it",
    "owes_hello": "the first receiving sends it",
    "try_agreed": "what waits does so",
    "try_finish": "what waits does so",
    "try_flush": "what waits does so",
    "try_recv": "what waits does so",
    "try_recv_declared": "what waits does so",
    "try_recv_frame": "what waits does so",
    "try_recv_framed": "what waits does so",
    "try_recv_into": "what waits does so",
    "try_send": "what waits does so",
    "try_send_declared": "what waits does so",
    "try_send_framed": "what waits does so",
    "try_send_vectored": "what waits does so",
    "is_closed": "waits for nothing: of the channel",
    "closed": "waits for nothing: of the channel",
    "options": "waits for nothing: of the channel",
    "detach": "waits for nothing: of the channel, for which no task may wait",
    "shutdown": "waits for nothing: of the channel",
    "knows_peer": "waits for nothing: of the channel",
    "taken_by": "of sides of leases",
    "take_again": "of sides of leases",
}
LISTENER = {
    "from_fd": "waits for nothing: AsyncListener takes it",
    "fileno": "the event loop watches it",
    "watched": "the event loop watches it",
    "try_accept": "waits for nothing: of the listener",
    "closed": "waits for nothing: of the listener",
    "options": "waits for nothing: of the listener",
}
PRODUCER = HANDS | {"offer_into": "of `offer`", "link": "of services"}
LEASE = {"take_back": "of `offer`"}
SERVICE = {
    "fileno": "the event loop watches it",
    "deadline": "the event loop wakes at it",
    "turn": "a task that waits does so",
    "has_news": "a task that waits looks",
}

CLASSES: list[tuple[Any, Any, dict[str, str]]] = [
    (handoff.Channel, handoff.AsyncChannel, CHANNEL),
    (wirecontract.Channel, handoff.AsyncChannel, CHANNEL),
    (handoff.Listener, handoff.AsyncListener, LISTENER),
    (wirecontract.Listener, handoff.AsyncListener, LISTENER),
    (lease.Producer, lease.AsyncProducer, PRODUCER),
    (wirecontract.Producer, lease.AsyncProducer, PRODUCER),
    (lease.Consumer, lease.AsyncConsumer, HANDS),
    (wirecontract.Consumer, lease.AsyncConsumer, HANDS),
    (lease.Lease, lease.AsyncLease, LEASE),
    (wirecontract.Lease, lease.AsyncLease, LEASE),
    (lease.Service, lease.AsyncService, SERVICE),
]


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


@pytest.mark.parametrize(("plain", "waited", "without"), CLASSES)
def test_what_a_plain_class_has_tasks_have_or_do_not_need(
    plain: Any, waited: Any, without: dict[str, str]
) -> None:
    assert public(plain) - public(waited) <= without.keys()
    # Nothing is excused that is there.
    assert not public(waited) & without.keys()


@pytest.mark.parametrize(("plain", "waited"), [(plain, waited) for plain, waited, _ in CLASSES])
def test_what_waits_for_so_long_may_be_told_so_by_tasks(plain: Any, waited: Any) -> None:
    for name in public(plain) & public(waited):
        call, other = getattr(plain, name), getattr(waited, name)
        if callable(call) and "within" in inspect.signature(call).parameters:
            assert inspect.iscoroutinefunction(other), name
            assert "within" in inspect.signature(other).parameters, name


def test_each_reason_is_one_of_a_method() -> None:
    for reasons in (CHANNEL, LISTENER, PRODUCER, HANDS, LEASE, SERVICE):
        named = {name for plain, _, without in CLASSES if without is reasons for name in public(plain)}
        assert reasons.keys() <= named


@pytest.mark.parametrize("waited", sorted({waited for _, waited, _ in CLASSES}, key=str))
def test_tasks_end_it_with_an_async_with(waited: Any) -> None:
    assert inspect.iscoroutinefunction(waited.__aenter__)
    assert inspect.iscoroutinefunction(waited.__aexit__)
