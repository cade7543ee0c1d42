"""Wire contracts: descriptors that cross a language or process boundary.

The contracts are in the modules of `wirecontract.contracts`, one a family.
"""

from wirecontract.contracts._wire import CallError, Code, WireError

__all__ = ["CallError", "Code", "WireError"]
