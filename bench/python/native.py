"""Native classes of contracts beside the pure ones.

`native.py VECTORS...`: shows that both give the same verdicts and values on the golden bytes, documents and
messages, and on those with bytes changed. `native.py --measure VECTORS...` prints a line for each contract:
its name, the method that reads it, and nanoseconds a call of the native class and of the pure one, the best
turn of each.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import wirecontract
from turns import compare
from wirecontract import WireError

CALLS = 1000

READERS = {
    "descriptor": "from_bytes",
    "recipe": "from_json",
    "union": "from_json",
    "message": "from_message",
    "messages": "from_message",
}
MASKS = {"from_bytes": (0x01, 0x80, 0xFF), "from_json": (0x01,), "from_message": (0x01,)}
"""How each byte of a valid input is changed."""

CHANGED = {"from_bytes": None, "from_json": 12, "from_message": 12}
"""How many of the valid inputs of a contract are; None for all."""

FIRST_FD = 1 << 20
"""The numbers that messages are told: none of an open file, and nothing is done with them."""

Given = tuple[bytes, int]


class Contract:
    """Both classes of a contract, and what each of its golden values is read from."""

    def __init__(self, family: str, vectors: dict[str, Any]) -> None:
        self.name: str = vectors["contract"]
        self.method = READERS[vectors["kind"]]
        native = getattr(wirecontract, self.name)
        pure = getattr(importlib.import_module(f"wirecontract.contracts.{family}"), self.name)
        self.classes = (native, pure)
        self.given = [given for case in vectors["cases"] if (given := input_of(case)) is not None]
        self.valid = [given for given in self.given if isinstance(self.verdict(1, given), tuple)]

    def verdict(self, side: int, given: Given) -> tuple[Any, ...] | str:
        """The values and what is written of them, or why there are none."""
        try:
            value = read(getattr(self.classes[side], self.method), given)
        except WireError as error:
            return f"{error.code} {error.contract} {error.field} {error.offset} {error}"
        shown = repr(value)
        try:
            return shown, written(value, self.method)
        except WireError as error:
            return shown, str(error)
        finally:
            release(value, self.method)

    def inputs(self) -> Iterator[Given]:
        """What both are to agree on."""
        yield from self.given
        for data, fds in self.valid[: CHANGED[self.method]]:
            for at in range(len(data)):
                for bits in MASKS[self.method]:
                    yield data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :], fds

    def agree(self) -> int:
        """Both classes say the same of the golden inputs, and of changed ones."""
        count = 0
        for given in self.inputs():
            native, pure = (self.verdict(side, given) for side in (0, 1))
            if native != pure:
                text = f"{self.name} of {given[0].hex()} with {given[1]}:\n  native {native}\n  pure   {pure}"
                raise SystemExit(text)
            count += 1
        return count

    def measure(self) -> None:
        """Print what reading costs: of messages what they come with is taken from them in the same call."""
        readers = [getattr(cls, self.method) for cls in self.classes]
        given: list[Any] = [data for data, _ in self.valid]
        if self.method == "from_message":
            given = self.valid
            readers = [lambda given, method=method: read(method, given).detach() for method in readers]
        compare(f"{self.name} {self.method}", CALLS, *((reader, given) for reader in readers))


def input_of(case: dict[str, Any]) -> Given | None:
    """Bytes, and how many file descriptors come beside them."""
    if "document" in case:
        return case["document"].encode(), 0
    return (bytes.fromhex(case["bytes"]), case.get("fds", 0)) if "bytes" in case else None


def read(method: Callable[..., Any], given: Given) -> Any:
    """What a method makes of an input."""
    data, fds = given
    return (
        method(data, range(FIRST_FD, FIRST_FD + fds)) if method.__name__ == "from_message" else method(data)
    )


def written(value: Any, method: str) -> Any:
    """What is written of a value."""
    return getattr(value, method.replace("from", "to"))()


def release(value: Any, method: str) -> None:
    """Let go of what a message owns, which was never open."""
    if method == "from_message":
        value.detach()


def main() -> None:
    """Compare, or measure."""
    files = [Path(argument) for argument in sys.argv[1:] if argument != "--measure"]
    every = [
        Contract(file.stem, vectors)
        for file in files
        for vectors in json.loads(file.read_text())["contracts"]
        if vectors["kind"] in READERS
    ]
    if not every or not all(contract.valid for contract in every):
        raise SystemExit(f"expected contracts with golden values in {files}")
    if "--measure" in sys.argv:
        for contract in every:
            contract.measure()
    else:
        print(f"agree on {sum(contract.agree() for contract in every)} inputs of {len(every)} contracts")


if __name__ == "__main__":
    main()
