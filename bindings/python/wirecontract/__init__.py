"""Wire contracts: descriptors that cross a language or process boundary.

The contracts are in the modules of `wirecontract.contracts`, one a family.
"""

from wirecontract.contracts._wire import Code, WireError

__all__ = ["Code", "WireError"]
