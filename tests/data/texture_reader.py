"""The generated module of the texture messages, as a program.

Each line of standard input is a JSON object: `contract`, `document`, and `fds` or
null. Each line of standard output is one too: what reading, lenient reading and
importing said, and the document with its defaults filled in.
"""

import json
import sys
from typing import Any

from wirecontract.contracts import texture
from wirecontract.contracts._wire import WireError


def fault(error: WireError) -> dict[str, Any]:
    return {
        "code": error.code.name.lower(),
        "contract": error.contract,
        "field": error.field,
        "offset": error.offset,
        "text": str(error),
    }


def answer(request: dict[str, Any]) -> dict[str, Any]:
    kind = getattr(texture, request["contract"])
    data = request["document"].encode()
    out: dict[str, Any] = {"import": None}
    try:
        value = kind.from_json(data)
    except WireError as error:
        out["read"] = {"fault": fault(error)}
    else:
        out["read"] = {"written": value.to_json().decode()}
        out["filled"] = value.with_defaults().to_json().decode()
        # Every form of a document, and of a value, is read alike.
        for form in (request["document"], bytearray(data), memoryview(data)):
            assert kind.from_json(form) == value, form
        # But for how the numbers of JSON that is kept as it came are spelled.
        again = kind.from_dict(value.to_dict()).to_json()
        assert json.loads(again) == json.loads(value.to_json()), again
        if request["fds"] is not None:
            try:
                value.validate_import(request["fds"])
                out["import"] = {}
            except WireError as error:
                out["import"] = {"fault": fault(error)}
    try:
        value, faults = kind.from_json_lenient(data)
        out["lenient"] = {"written": value.to_json().decode(), "faults": list(map(fault, faults))}
    except WireError as error:
        out["lenient"] = {"fault": fault(error)}
    return out


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))))


main()
