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
Pages come into being when they are first touched, also by a reader, and a machine that has none left ends the
process that touched them; `populate` has them from the start.
"""

from wirecontract.host._buffer import UNTYPED, HostBuffer
from wirecontract.host._check import Access, Import
from wirecontract.host._errors import (
    Busy,
    Closed,
    FileTooShort,
    HostError,
    HostOSError,
    NotAllowed,
    NotMemory,
    NotSealed,
    SizeError,
)
from wirecontract.host._mapping import HostMapping

__all__ = [
    "UNTYPED",
    "Access",
    "Busy",
    "Closed",
    "FileTooShort",
    "HostBuffer",
    "HostError",
    "HostMapping",
    "HostOSError",
    "Import",
    "NotAllowed",
    "NotMemory",
    "NotSealed",
    "SizeError",
]
