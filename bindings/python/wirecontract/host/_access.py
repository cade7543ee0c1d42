"""What may be done with memory."""

from __future__ import annotations

from enum import Enum


class Access(Enum):
    """What may be done with memory."""

    READ_ONLY = "reading"
    READ_WRITE = "reading and writing"


class Barrier(Enum):
    """What stands against an access, and what to do about it."""

    OPEN_READ_ONLY = (
        "a descriptor that is open for reading only",
        "import it for reading, or have the exporter open it for writing",
    )
    OPEN_WRITE_ONLY = (
        "a descriptor that is open for writing only",
        "have the exporter open it for reading",
    )
    OPEN_APPEND = ("a descriptor that appends", "have the exporter open it without O_APPEND")
    SEALED_AGAINST_WRITING = (
        "a file that is sealed against writing",
        "import it for reading, or have the exporter make it writable",
    )
    IMPORTED_READ_ONLY = ("a buffer that was imported for reading", "import it for reading and writing")
    FROZEN = ("a file that is sealed against writing", "make another buffer")
    """This process's own buffer, by its doing."""
