"""Whether every id here is the one that stands on the command line, and a library of another id is refused."""

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


wire.check_id(Same, wire_id)
for other, said in ((Nothing, "none"), (Signed, f"{Signed.WIRE_ID:#018x}")):
    try:
        wire.check_id(other, wire_id)
    except wire.WireError as error:
        assert error.expected == f"wire id {wire_id:#018x}", error
        assert error.found == said, error
    else:
        raise AssertionError(other)

here = Path(__file__).parent.parent
library.load(str(here / "libsame.so"))
for name, other_id in (("sign", wire_id ^ 1 << 63), ("last", wire_id ^ 1)):
    try:
        library.load(str(here / f"lib{name}.so"))
    except wire.WireError as error:
        assert error.expected == f"wire id {wire_id:#018x}", error
        assert error.found.startswith(f"{other_id:#018x} in "), error
    else:
        raise AssertionError(name)
