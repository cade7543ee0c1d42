"""Host memory that several processes map; on Linux.

The exporter makes a `HostBuffer`: a memfd that nobody can shrink or grow, which only the exporter writes
unless it says otherwise. It sends the descriptor of `consumer_fd` and the numbers of `describe`, or the
`SharedBuffer` of `shared`, over whatever channel it has; the importer gives both to `HostMapping.open`, which
believes none of them: kind, seals, access and size of the file are looked at before anything is mapped.

>>> from wirecontract.host import HostBuffer, HostMapping
>>> with HostBuffer(5, name="frame") as buffer:
...     with buffer.view() as view:
...         view[:] = b"frame"
...     # In another process:
...     with HostMapping.open(buffer.consumer_fd(), buffer.shared()) as mapping:
...         with mapping.view() as view:
...             bytes(view)
b'frame'

A mapped file that shrinks kills who touches what is gone (SIGBUS), so nothing is mapped that can shrink.
Files of foreign exporters that seal nothing are read through `HostFile`. A `Pool` uses equal buffers again.

Pages come into being when they are first touched, also by a reader, and a machine that has none left ends the
process that touched them; `populate` has them from the start.
"""

from wirecontract.host._access import Access
from wirecontract.host._buffer import UNTYPED, HostBuffer
from wirecontract.host._check import Import
from wirecontract.host._errors import (
    Busy,
    Closed,
    FileTooShort,
    Forked,
    HostError,
    HostOSError,
    NoHugePages,
    NotAllowed,
    NotMemory,
    NotSealed,
    OtherMemory,
    PoolTimeout,
    Shrunk,
    SizeError,
)
from wirecontract.host._file import HostFile
from wirecontract.host._mapping import HostMapping
from wirecontract.host._pages import HugePages, Pages
from wirecontract.host._pool import Hold, Pool, PoolCounts, PooledBuffer

__all__ = [
    "UNTYPED",
    "Access",
    "Busy",
    "Closed",
    "FileTooShort",
    "Forked",
    "Hold",
    "HostBuffer",
    "HostError",
    "HostFile",
    "HostMapping",
    "HostOSError",
    "HugePages",
    "Import",
    "NoHugePages",
    "NotAllowed",
    "NotMemory",
    "NotSealed",
    "OtherMemory",
    "Pages",
    "Pool",
    "PoolCounts",
    "PoolTimeout",
    "PooledBuffer",
    "Shrunk",
    "SizeError",
]
