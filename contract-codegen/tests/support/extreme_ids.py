"""Whether every id here is the one on the command line, and a library of another is refused."""

import importlib
import sys
from pathlib import Path

wire_id = int(sys.argv[1], 16)
package = "wirecontract.contracts"
sensor = importlib.import_module(f"{package}.sensor")
wire = importlib.import_module(f"{package}._wire")
library = importlib.import_module(f"{package}.library")

found = 0
for module in (sensor, library):
    for value in vars(module).values():
        stated = vars(value).get("WIRE_ID") if isinstance(value, type) else None
        if stated is not None:
            assert type(stated) is int, value
            assert stated == wire_id, value
            found += 1
assert found > 3, found


class Nothing:
    """A class that is of no contract."""


class Same:
    """A class of the contract."""

    WIRE_ID = wire_id


class Signed:
    """A class whose id somebody took for a signed number."""

    WIRE_ID = wire_id - (1 << 64)


def refusal(call, *arguments):
    """What a call is refused with."""
    try:
        call(*arguments)
    except wire.WireError as error:
        return error
    raise AssertionError(arguments)


wire.check_id(Same, wire_id)
for other, said in ((Nothing, "none"), (Signed, f"{Signed.WIRE_ID:#018x}")):
    refused = refusal(wire.check_id, other, wire_id)
    assert refused.expected == f"wire id {wire_id:#018x}", refused
    assert refused.found == said, refused

here = Path(__file__).parent.parent
library.load(str(here / "libsame.so"))
for name, other_id in (("sign", wire_id ^ 1 << 63), ("last", wire_id ^ 1)):
    refused = refusal(library.load, str(here / f"lib{name}.so"))
    assert refused.expected == f"wire id {wire_id:#018x}", refused
    assert refused.found.startswith(f"{other_id:#018x} in "), refused
