"""One side of leases between two processes, in Python:

`lease_peer.py produce|consume survive|die SOCKET [AT before|half|after]`, as `lease-peer.rs` is in Rust.
"""

import gc
import sys

from relay import LONG, PATIENT_CHANNEL, Relay, opened
from wirecontract.contracts import Code
from wirecontract.contracts.buffer import EndReason, MemoryAfter
from wirecontract.handoff import Channel, HandoffError, Listener, NoPidFd
from wirecontract.host import Pool, PoolCounts
from wirecontract.lease import (
    Consumer,
    End,
    Ended,
    Event,
    Held,
    LeaseError,
    Lend,
    Lost,
    Producer,
    Revoked,
)
from wirecontract.lease import Options as LeaseOptions

SIZE = 4096
PATIENT = LeaseOptions(answer_timeout=LONG, hello_timeout=LONG)


def pattern(seed: int) -> bytes:
    """The bytes of a buffer."""
    return bytes((at * 31 + seed) & 0xFF for at in range(SIZE))


def produce(producer: Producer, pool: Pool) -> None:
    """Three leases: one that is released, one that is revoked, one that is ended."""

    def lend(seed: int) -> Lend:
        with pool.take(LONG) as frame:
            with frame.view() as view:
                view[:] = pattern(seed)
            return Lend.pooled(frame)

    released(producer.offer(lend(1)).wait_released(LONG))
    released(producer.offer(lend(2)).revoke(LONG))
    producer.offer(lend(3)).end()
    producer.ping(LONG)
    producer.close()


def released(end: End) -> None:
    """A lease that ended with the channel is the channel's error."""
    if end.because is not None:
        raise Lost(end.reason, end.because)
    if end.reason is not EndReason.RELEASED:
        raise SystemExit(f"expected a buffer that is given back, found {end}")


def consume(consumer: Consumer) -> None:
    """Reads the three, and gives back two of them."""

    def following(seed: int) -> Held:
        held = consumer.next(LONG)
        with held.view() as view:
            if bytes(view) != pattern(seed):
                raise SystemExit(f"expected buffer {seed}, found another")
        return held

    following(1).release()
    with following(2) as held:
        event = consumer.next_event(LONG)
        if event != Revoked(held.lease):
            raise ended_by(event)
    with following(3):
        event = consumer.next_event(LONG)
        if not (isinstance(event, Ended) and event.end == End(EndReason.REVOKED, MemoryAfter.STAYS)):
            raise ended_by(event)
    lost = consumer.wait_closed(LONG)
    if lost.code is not Code.PEER_CLOSED:
        raise lost


def ended_by(event: Event) -> BaseException:
    """What ended a lease that was to end otherwise."""
    if isinstance(event, Ended) and event.end.because is not None:
        return Lost(event.end.reason, event.end.because)
    return SystemExit(f"expected another event, found {event}")


def survive_one(role: str, channel: Channel, pool: Pool) -> str:
    """Meets one peer, and says what became of it."""
    expected = EndReason.PEER_DIED
    try:
        channel.peer_process().close()
    except NoPidFd:
        # Without a handle of its process one that dies looks like one that closes.
        expected = EndReason.PEER_CLOSED
    except HandoffError:
        # It is gone already.
        expected = EndReason.PEER_DIED
    said = "whole"
    side = Producer(channel, PATIENT) if role == "produce" else Consumer(channel, PATIENT)
    with side:
        try:
            if isinstance(side, Producer):
                produce(side, pool)
            else:
                consume(side)
        except LeaseError as error:
            lost = side.lost
            if error.code is not Code.PEER_CLOSED or lost is None or lost.reason is not expected:
                raise SystemExit(f"expected {expected.name}, found {lost} and {error}") from None
            said = "died"
        left = side.outstanding() if isinstance(side, Producer) else []
    gc.collect()
    if left or pool.counts().in_use:
        raise SystemExit(f"expected nothing to be lent any more, found {left}, {pool.counts()}")
    return said


def survive(role: str, socket: str) -> None:
    """Meets one peer for each line of the standard input."""
    before = opened()
    pool = Pool(SIZE, 1, name="lent")
    with Listener.bind(socket, PATIENT_CHANNEL) as listener:
        print("ready", flush=True)
        for _ in sys.stdin:
            print(survive_one(role, listener.accept(LONG), pool), flush=True)
    pool.trim()
    after = opened()
    if before != after:
        raise SystemExit(f"expected {before} to be open at the end, found {after}")
    print("clean", flush=True)


def die(role: str, socket: str, at: str = "0", when: str = "") -> None:
    """Meets one peer, and is killed at a message."""
    relay = Relay(Channel.connect(socket, PATIENT_CHANNEL), PATIENT_CHANNEL, int(at), when)
    if role == "produce":
        pool = Pool(SIZE, 1, name="lent")
        with Producer(relay.side, PATIENT) as producer:
            produce(producer, pool)
        if pool.counts() != PoolCounts(1, 0, 1):
            raise SystemExit(f"expected the buffer to be free, found {pool.counts()}")
    else:
        with Consumer(relay.side, PATIENT) as consumer:
            consume(consumer)
    relay.join()


if __name__ == "__main__":
    if sys.argv[2] == "survive":
        survive(sys.argv[1], sys.argv[3])
    else:
        die(sys.argv[1], *sys.argv[3:])
