"""Native classes of descriptors beside the pure ones.

`native.py VECTORS...`: shows that both give the same verdicts and values on the golden bytes, and on those
with each byte changed. `native.py --measure VECTORS...` prints a line for each descriptor: its name, and
nanoseconds a `from_bytes` of the native class and of the pure one, the best turn of each.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import wirecontract
from turns import compare
from wirecontract import WireError

CALLS = 1000


class Descriptor:
    """Both classes of a contract, and bytes of each of its golden values."""

    def __init__(self, family: str, vectors: dict[str, Any]) -> None:
        self.name: str = vectors["contract"]
        self.native: Any = getattr(wirecontract, self.name)
        self.pure: Any = getattr(importlib.import_module(f"wirecontract.contracts.{family}"), self.name)
        self.given = [bytes.fromhex(case["bytes"]) for case in vectors["cases"] if "bytes" in case]
        self.valid = [data for data in self.given if isinstance(verdict(self.pure, data), tuple)]


def verdict(cls: Any, data: bytes) -> tuple[Any, ...] | str:
    """The values and the bytes that are written of them, or why there are none."""
    try:
        value = cls.from_bytes(data)
    except WireError as error:
        return f"{error.code} {error.field} {error.offset} {error}"
    return repr(value), value.to_bytes()


def agree(descriptor: Descriptor) -> int:
    """Both classes say the same of the golden bytes, and of those with one byte changed."""
    inputs = list(descriptor.given)
    for data in descriptor.valid:
        for at in range(len(data)):
            for bits in (0x01, 0x80, 0xFF):
                inputs.append(data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :])
    for data in inputs:
        native, pure = verdict(descriptor.native, data), verdict(descriptor.pure, data)
        if native != pure:
            raise SystemExit(f"{descriptor.name} of {data.hex()}:\n  native {native}\n  pure   {pure}")
    return len(inputs)


def main() -> None:
    """Compare, or measure."""
    files = [Path(argument) for argument in sys.argv[1:] if argument != "--measure"]
    every = [
        Descriptor(file.stem, vectors)
        for file in files
        for vectors in json.loads(file.read_text())["contracts"]
        if vectors["kind"] == "descriptor"
    ]
    if not every or not all(descriptor.valid for descriptor in every):
        raise SystemExit(f"expected descriptors with golden values in {files}")
    if "--measure" in sys.argv:
        for descriptor in every:
            classes = (descriptor.native, descriptor.pure)
            compare(descriptor.name, CALLS, *((cls.from_bytes, descriptor.valid) for cls in classes))
    else:
        print(f"agree on {sum(map(agree, every))} inputs of {len(every)} descriptors")


if __name__ == "__main__":
    main()
