"""Wire contracts: descriptors that cross a language or process boundary, and the memory that they describe.

The contracts are in the modules of `wirecontract.contracts`, one a family; those modules, and
`wirecontract.handoff`, `wirecontract.host` and `wirecontract.lease`, need the standard library alone. What is
native is loaded at the first use of its name: `Tensor`, what crosses processes (`connect`, `listen`), and the
contracts as native classes under the names that they have in their modules.
"""

from __future__ import annotations

import importlib as _importlib
import sys as _sys
import typing as _typing

from wirecontract._names import CONTRACTS as _CONTRACTS
from wirecontract.contracts._wire import CallError, Code, WireError

if _typing.TYPE_CHECKING:
    from wirecontract import _contracts
    from wirecontract._asyncio import aconnect, alisten
    from wirecontract._contracts import *  # noqa: F403
    from wirecontract._native import (
        Channel,
        Consumer,
        Fd,
        Held,
        HostBuffer,
        HostMapping,
        Lease,
        Listener,
        Message,
        Producer,
        Received,
        Tensor,
        connect,
        listen,
        shared_tensor,
    )

    __version__: str

__all__ = [
    "CallError",
    "Channel",
    "Code",
    "Consumer",
    "Fd",
    "Held",
    "HostBuffer",
    "HostMapping",
    "Lease",
    "Listener",
    "Message",
    "Producer",
    "Received",
    "Tensor",
    "WireError",
    "aconnect",
    "alisten",
    "connect",
    "listen",
    "shared_tensor",
]

_PURE: _typing.Final = frozenset({"CallError", "Code", "WireError"})

if _typing.TYPE_CHECKING:
    __all__ += _contracts.__all__
else:
    __all__ += _CONTRACTS

_ASYNC: _typing.Final = frozenset({"aconnect", "alisten"})

_NATIVE: _typing.Final = frozenset(__all__) - _PURE


def __getattr__(name: str) -> object:
    if name == "__version__":
        return _version()
    if name not in _NATIVE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        native = _importlib.import_module("wirecontract._native")
    except ModuleNotFoundError as error:
        raise ImportError(
            f"expected the native library of wirecontract for {name!r}, found the pure modules alone: "
            "install the wheel (`pip install wirecontract`)",
            name="wirecontract._native",
        ) from error
    home = _importlib.import_module("wirecontract._asyncio") if name in _ASYNC else native
    value: object = getattr(home, name)
    globals()[name] = value
    return value


def _version() -> str:
    metadata = _importlib.import_module("importlib.metadata")
    try:
        version: str = metadata.version(__name__)
    except metadata.PackageNotFoundError as error:
        text = f"module {__name__!r} has no version here: it was not installed (`pip install wirecontract`)"
        raise AttributeError(text, name="__version__", obj=_sys.modules[__name__]) from error
    return version


def __dir__() -> list[str]:
    return sorted({*globals(), *_NATIVE})
