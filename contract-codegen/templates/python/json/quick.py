# The fast way of reading: the `json` module, and all in which it is laxer than we are


def _distinct(pairs: list[tuple[str, _typing.Any]]) -> dict[str, _typing.Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise LookupError
    return members


def _refused(token: str) -> _typing.NoReturn:
    raise LookupError


def _floated(token: str) -> float:
    if len(token) > 256:
        raise LookupError
    return float(token)


decode_plain: _typing.Final = _json.JSONDecoder(
    object_pairs_hook=_distinct, parse_constant=_refused
).raw_decode
"""For contracts without floats."""
decode_floats: _typing.Final = _json.JSONDecoder(
    object_pairs_hook=_distinct, parse_constant=_refused, parse_float=_floated
).raw_decode
"""For contracts with floats."""
decode_spelled: _typing.Final = _json.JSONDecoder(
    object_pairs_hook=_distinct, parse_constant=_refused, parse_float=Spelled
).raw_decode
"""For contracts that keep numbers as they are spelled."""

# Half of a surrogate pair is let pass, and -0 loses its sign.
_SURROGATE: _typing.Final = _re.compile(r"\\u[dD][89a-fA-F]")
_MINUS_ZERO: _typing.Final = _re.compile(r"-0[ \t\n\r]*[\],}]")
# Also one that does not end, to the end: nothing is looked at twice.
_STRINGS: _typing.Final = _re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', _re.DOTALL)
_BRACKETS: _typing.Final = _re.compile(r"[\[\]{}]")


def load(
    data: Buffer | str,
    max_bytes: int,
    max_depth: int,
    decode: _abc.Callable[[str, int], tuple[_typing.Any, int]],
) -> _typing.Any:
    """What a document holds, or a doubt."""
    if isinstance(data, str):
        text = str(data)
        if len(text) > max_bytes:
            raise LookupError
        if not text.isascii() and len(text.encode()) > max_bytes:
            raise LookupError
    else:
        # Before it is copied, however long it is.
        source = data if type(data) is bytes else view_bytes(data)
        if len(source) > max_bytes:
            raise LookupError
        text = str(source, "utf-8")
    if (
        text.count("[") + text.count("{") > max_depth
        and depth_of(text, max_depth) > max_depth
    ):
        raise LookupError
    if "\\" in text and _SURROGATE.search(text):
        raise LookupError
    if "-" in text and _MINUS_ZERO.search(text):
        raise LookupError
    text = text.strip(" \t\n\r")
    members, end = decode(text, 0)
    if end != len(text) or type(members) is not dict:
        raise LookupError
    return members


def depth_of(text: str, enough: int) -> int:
    """How deep arrays and objects nest; a greater number if that is enough."""
    brackets = text.count("[") + text.count("{")
    if brackets <= enough:
        return brackets
    depth = deepest = 0
    for bracket in _BRACKETS.findall(_STRINGS.sub("", text)):
        if bracket in "[{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return deepest
