"""Buffers that are lent from process to process, until both sides know that it is over; on Linux.

A `Producer` offers a buffer over a `Channel` and keeps it as it is for as long as its `Lease` lasts; a
`Consumer` takes it as `Held`, which gives it back at the end of a `with`. The words are those of the
contracts `buffer`, and the rules those of the Rust module `wirecontract_runtime::lease`, with which it
speaks.

A side has the channel that it is made of, on which nobody else sends or receives (`handoff.ChannelTaken`).
There is no thread behind it: each call on a side first takes what came. Whatever the other side may not say
ends the channel, and all leases on it, with an error that names it. An offer alone whose buffer cannot be
used is refused, and the channel goes on. A process that dies is told from one that closes where the kernel
gives a pidfd of it (Linux 6.5). A `Service` lends to all that connect to a listener.

>>> import threading
>>> from wirecontract.handoff import Channel
>>> from wirecontract.host import HostBuffer
>>> from wirecontract.lease import Consumer, Producer
>>> ours, theirs = Channel.pair()
>>> def read():  # in another process
...     with Consumer(theirs) as consumer, consumer.next(10) as held, held.view() as view:
...         print(bytes(view))
>>> other = threading.Thread(target=read)
>>> other.start()
>>> with Producer(ours) as producer, HostBuffer(6) as buffer:
...     with buffer.view() as view:
...         view[:] = b"pixels"
...     lease = producer.offer(buffer)
...     lease.wait_released(10).reason.name
...     other.join()
b'pixels'
'RELEASED'
"""

from wirecontract.lease._asyncio import AsyncConsumer, AsyncLease, AsyncProducer
from wirecontract.lease._asyncio_service import AsyncService
from wirecontract.lease._consumer import Consumer, Ended, Event, Held, Revoked
from wirecontract.lease._errors import (
    Answered,
    BadReason,
    Doing,
    End,
    Fault,
    FdCount,
    GeometryError,
    GivenBack,
    LeaseError,
    LeaseTimeout,
    Lost,
    Over,
    Refused,
    SideClosed,
    TooMany,
    TooManyConsumers,
    Unusable,
)
from wirecontract.lease._options import Options
from wirecontract.lease._producer import Lease, Lend, Outstanding, Producer, State
from wirecontract.lease._service import Joined, Left, Service, ServiceEvent, TurnedAway

__all__ = [
    "Answered",
    "AsyncConsumer",
    "AsyncLease",
    "AsyncProducer",
    "AsyncService",
    "BadReason",
    "Consumer",
    "Doing",
    "End",
    "Ended",
    "Event",
    "Fault",
    "FdCount",
    "GeometryError",
    "GivenBack",
    "Held",
    "Joined",
    "Lease",
    "LeaseError",
    "LeaseTimeout",
    "Left",
    "Lend",
    "Lost",
    "Options",
    "Outstanding",
    "Over",
    "Producer",
    "Refused",
    "Revoked",
    "Service",
    "ServiceEvent",
    "SideClosed",
    "State",
    "TooMany",
    "TooManyConsumers",
    "TurnedAway",
    "Unusable",
]
