# Text: what is written, and JSON that is kept as it came

quote_text: _typing.Final = _encoder.encode_basestring
"""A string as JSON: quotes, backslashes and control characters are escaped."""


def float_text(value: float) -> str:
    """A finite number as ECMAScript writes it; -0.0 keeps its sign."""
    text = repr(value)
    if "e" not in text:
        return text.removesuffix(".0")
    mantissa, _, power = text.partition("e")
    sign, mantissa = ("-", mantissa[1:]) if mantissa[0] == "-" else ("", mantissa)
    whole, _, part = mantissa.partition(".")
    digits = (whole + part).rstrip("0")
    point = len(whole) + int(power)
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    dot = "." if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{dot}{digits[1:]}e{point - 1:+d}"


def uuid_text(value: bytes) -> str:
    """16 bytes as 8-4-4-4-12 lower-case hexadecimal digits."""
    digits = value.hex()
    parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    return "-".join(parts)


def base64_text(value: bytes) -> str:
    """Bytes in the standard alphabet of RFC 4648, padded."""
    return _binascii.b2a_base64(value, newline=False).decode()


def integers_text(value: tuple[int, ...]) -> str:
    """An array of integers."""
    return f"[{','.join([str(item) for item in value])}]"


def map_text(value: _abc.Mapping[str, str]) -> str:
    """An object of texts, by key."""
    members = [f"{quote_text(key)}:{quote_text(it)}" for key, it in value.items()]
    return f"{{{','.join(members)}}}"


def _compact(root: _Node, place: Place) -> str:
    """A value without white space, its strings as they are written, its numbers as they
    came.
    """
    parts: list[str] = []
    due: list[_Node | str] = [root]
    while due:
        node = due.pop()
        if isinstance(node, str):
            parts.append(node)
        elif node.kind == _Kind.STRING:
            parts.append(quote_text(node.text))
        elif node.kind == _Kind.ARRAY:
            parts.append("[")
            due.append("]")
            for at, item in enumerate(reversed(node.items)):
                due.extend((",", item) if at else (item,))
        elif node.kind == _Kind.OBJECT:
            parts.append("{")
            due.append("}")
            for at, (key, value) in enumerate(reversed(node.keys.values())):
                due.extend((",", value) if at else (value,))
                due.append(quote_text(key.text) + ":")
        else:
            if node.token in _NOT_FINITE:
                raise _fault(
                    Code.OUT_OF_RANGE, place, node.at, "a finite number", node.token
                )
            parts.append(node.token)
    return "".join(parts)


_NOT_FINITE: _typing.Final = frozenset(("NaN", "Infinity", "-Infinity"))


def _plain(root: _Node) -> _typing.Any:
    """A value as Python has it: dict, list, str, int, float, bool, None."""
    holder: list[_typing.Any] = []
    due: list[tuple[_Node, _abc.Callable[[_typing.Any], object]]] = [
        (root, holder.append)
    ]
    while due:
        node, put = due.pop()
        if node.kind == _Kind.ARRAY:
            items: list[_typing.Any] = [None] * len(node.items)
            put(items)
            due.extend(
                (item, _functools.partial(items.__setitem__, at))
                for at, item in enumerate(node.items)
            )
        elif node.kind == _Kind.OBJECT:
            members: dict[str, _typing.Any] = dict.fromkeys(node.keys)
            put(members)
            due.extend(
                (value, _functools.partial(members.__setitem__, key))
                for key, (_, value) in node.keys.items()
            )
        elif node.kind == _Kind.STRING:
            put(node.text)
        elif node.kind == _Kind.NUMBER:
            put(_numeral(node))
        else:
            put({"true": True, "false": False, "null": None}[node.token])
    return holder[0]


def _numeral(node: _Node) -> int | float:
    token = node.token
    if token != "-0" and _INTEGER.fullmatch(token):
        try:
            return int(token)
        except ValueError:
            digits = len(token.lstrip("-"))
            expected = f"at most {_sys.get_int_max_str_digits()} digits"
            place = ("Json", "")
            raise _fault(Code.TOO_LARGE, place, node.at, expected, digits) from None
    # No integer of Python has a sign and no size.
    number = float(token)
    if _math.isinf(number):
        expected, found = "a finite number", _brief(token)
        raise _fault(Code.OUT_OF_RANGE, ("Json", ""), node.at, expected, found)
    return number


def _noded(value: object, max_bytes: int, max_depth: int, place: Place) -> _Node:
    """The nodes of a value as Python has it, all of them at 0.

    What is there many times, or in itself, is bounded by what it would be as text.
    """
    root = _Node(_Kind.ARRAY, 0)
    # What is written is no shorter.
    size = 1

    def check(size: int) -> None:
        if size > max_bytes:
            expected = f"at most {max_bytes} bytes"
            raise _fault(Code.TOO_LARGE, place, 0, expected, None)

    due: list[tuple[object, _abc.Callable[[_Node], object], int]] = [
        (value, root.items.append, 1)
    ]
    while due:
        value, put, level = due.pop()
        if isinstance(value, _abc.Mapping):
            node = _Node(_Kind.OBJECT, 0)
        elif isinstance(value, list | tuple):
            node = _Node(_Kind.ARRAY, 0)
        elif isinstance(value, Json):
            text = value.text
            size += len(text) - 1
            check(size)
            if depth_of(text, max_depth - level + 1) > max_depth - level + 1:
                expected = f"at most {max_depth} levels"
                raise _fault(Code.TOO_DEEP, place, 0, expected, None)
            put(_Scanner(text.encode(), _ANY_DEPTH, "Json").document())
            continue
        else:
            node = _scalar_node(value, place)
            if isinstance(value, str | int) and not isinstance(value, bool):
                size += len(node.text or node.token) - 1
                check(size)
            put(node)
            continue
        put(node)
        if level > max_depth:
            raise _fault(Code.TOO_DEEP, place, 0, f"at most {max_depth} levels", None)
        size += len(value)
        check(size)
        if isinstance(value, _abc.Mapping):
            for key, item in value.items():
                if not isinstance(key, str):
                    raise _fault(Code.WRONG_TYPE, place, 0, "a string", _spelled(key))
                size += len(key)
                check(size)
                name = _scalar_node(key, place)
                node.keys[name.text] = (name, name)
                due.append(
                    (item, _functools.partial(_put_member, node, name), level + 1)
                )
        else:
            node.items = [node] * len(value)
            due.extend(
                (item, _functools.partial(node.items.__setitem__, at), level + 1)
                for at, item in enumerate(value)
            )
    return root.items[0]


def _put_member(node: _Node, name: _Node, value: _Node) -> None:
    node.keys[name.text] = (name, value)


def _scalar_node(value: object, place: Place) -> _Node:
    token = _spelled(value)
    if value is None:
        return _Node(_Kind.NULL, 0, token)
    if isinstance(value, bool):
        return _Node(_Kind.TRUTH, 0, token)
    if isinstance(value, int):
        if value.bit_length() > _LONG_BITS:
            expected = "at most 256 characters"
            raise _fault(Code.TOO_LARGE, place, 0, expected, token)
        return _Node(_Kind.NUMBER, 0, token)
    if isinstance(value, float):
        if token not in _NOT_FINITE and _INTEGER.fullmatch(token):
            # An integer is another thing in Python, and stays one.
            token += ".0"
        return _Node(_Kind.NUMBER, 0, token)
    if isinstance(value, str):
        text = str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            raise _fault(Code.BAD_UTF8, place, 0, "UTF-8", None) from None
        return _Node(_Kind.STRING, 0, token, text)
    raise _fault(Code.WRONG_TYPE, place, 0, "a value of JSON", token)


_INTEGER: _typing.Final = _re.compile(r"-?(?:0|[1-9][0-9]*)")
_LONG_BITS: _typing.Final = 14_000
"""Python refuses to write an integer of some thousand digits."""
_ANY_DEPTH: _typing.Final = _sys.maxsize


def _spelled(value: object) -> str:
    """What a caller gave, as JSON spells it; the type's name where JSON has no such
    thing.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        bits = value.bit_length()
        return (
            int.__repr__(value) if bits <= _LONG_BITS else f"an integer of {bits} bits"
        )
    if isinstance(value, float):
        if _math.isfinite(value):
            return float_text(float(value))
        if _math.isnan(value):
            return "NaN"
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, str):
        return quote_text(str(value))
    if isinstance(value, _abc.Mapping):
        return "an object"
    return "an array" if isinstance(value, list | tuple) else type(value).__name__


class Json:
    """Any JSON, as text: no white space, members in their order, numbers as they are
    spelled.
    """

    __slots__ = ("text",)

    text: str
    """The text."""

    def __init__(self, text: str) -> None:
        """JSON in any form; `WireError` where it is none."""
        put = object.__setattr__
        put(
            self,
            "text",
            _compact(_scanned(text, _ANY_DEPTH, _ANY_DEPTH, "Json"), ("Json", "")),
        )

    @staticmethod
    def of(value: object, *, max_bytes: int = 1 << 20, max_depth: int = 128) -> Json:
        """The JSON of dict, list, tuple, str, int, float, bool, None; `WireError` where
        it is longer or deeper, as of what holds itself.
        """
        place = ("Json", "")
        text = _compact(_noded(value, max_bytes, max_depth, place), place)
        return _json_of(_bounded(text, max_bytes, place, 0))

    @property
    def value(self) -> _typing.Any:
        """A new dict, list, str, int, float, bool or None.

        `-0` is the float -0.0. `WireError` where a number is none of Python's: of more
        digits than `sys.set_int_max_str_digits` allows, or past the greatest float.
        """
        return _plain(_scanned(self.text, _ANY_DEPTH, _ANY_DEPTH, "Json"))

    def __setattr__(self, name: str, value: object) -> None:
        raise _dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise _dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        return self.text == other.text if isinstance(other, Json) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Json({self.text!r})"

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[_typing.Any, ...]:
        return Json, (self.text,)


def _json_of(text: str) -> Json:
    """JSON whose text is known to be as it is kept."""
    result = Json.__new__(Json)
    object.__setattr__(result, "text", text)
    return result


class TextMap(_abc.Mapping[str, str]):
    """A mapping of texts that does not change, by key."""

    __slots__ = ("_members",)

    _members: dict[str, str]

    def __init__(self, members: _abc.Mapping[str, str]) -> None:
        object.__setattr__(self, "_members", {k: members[k] for k in sorted(members)})

    def __getitem__(self, key: str) -> str:
        return self._members[key]

    def __iter__(self) -> _abc.Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __hash__(self) -> int:
        return hash(frozenset(self._members.items()))

    def __repr__(self) -> str:
        return repr(self._members)

    def __setattr__(self, name: str, value: object) -> None:
        raise _dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __reduce__(self) -> tuple[_typing.Any, ...]:
        return TextMap, (dict(self._members),)
