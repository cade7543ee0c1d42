"""Prints what the Python half makes of every vector of `tests/data/hello.json`, a line each."""

import json
import sys

from wirecontract.contracts import negotiate
from wirecontract.contracts._wire import WireError


def negotiated(case: dict[str, object]) -> str:
    ours, theirs = (negotiate.read(json.dumps(case[side])) for side in ("ours", "theirs"))
    try:
        agreed = negotiate.negotiate(ours, theirs, str(case["name"]))
    except negotiate.Refusal as refusal:
        is_coded = refusal.code.name == "ID_MISMATCH"
        return f"{refusal.verdict.name.lower()} {refusal}" if is_coded else refusal.code.name
    return f"agreed {agreed.version} {agreed.wire_id:016x}"


def refused(document: str) -> str:
    try:
        negotiate.read(document)
    except WireError as error:
        return f"{error.code.name.lower()} {error.contract} {error.field}"
    return "accepted"


with open(sys.argv[1], encoding="utf-8") as file:
    vectors = json.load(file)
for case in vectors["negotiations"]:
    print(negotiated(case))
for case in vectors["refused"]:
    print(refused(case["document"]))

item = '{"name":"a::B","versions":[{"version":1,"wire_id":"0000000000000000"}]}'
for count in (1_000_000, 513):
    print(refused('{"wirecontract_hello":1,"speaks":[%s]}' % ",".join([item] * count)))
