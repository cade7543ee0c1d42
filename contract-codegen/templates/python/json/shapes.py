# Types: what a key, an item or a content holds. Each reads a node of a document, makes
# what is kept of what a caller gave (`take`), takes what the `json` module has read or
# raises a doubt (`quick`), and gives what JSON has for a value (`plain`, `text`).

DOUBTS: _typing.Final = (
    LookupError,
    ValueError,
    ArithmeticError,
    RecursionError,
    TypeError,
    _struct.error,
)
"""What the fast way of reading raises when it leaves a document to the one that is
sure.
"""


def _fault(
    code: Code, place: Place, at: int, expected: str, found: int | str | None
) -> WireError:
    return WireError(code, place[0], place[1], at, expected, found)


class Shape:
    """A type of JSON; this one is that of the things that need no look inside."""

    words: str
    """What `wrong_type` expects."""
    kinds: tuple[_Kind, ...]
    imports: bool = False
    """Whether something in it has conditions at import."""
    keeps_defaults: bool = False
    """Whether something in it keeps that a key with a default is absent."""
    deepens: bool = False
    """Whether something in it is as deep as a caller likes."""
    keeps_rest: bool = False
    """Whether something in it keeps members that are nobody's."""

    def read(self, node: _Node, place: Place, lenient: Faults) -> _typing.Any:
        raise NotImplementedError

    def take(self, value: object, place: Place) -> _typing.Any:
        raise NotImplementedError

    def quick(self, value: _typing.Any) -> _typing.Any:
        raise NotImplementedError

    def plain(self, value: _typing.Any) -> _typing.Any:
        return value

    def text(self, value: _typing.Any) -> str:
        raise NotImplementedError

    def check_import(self, value: _typing.Any, fd_count: int) -> None:
        """Nothing in it is checked at import."""

    def filled(self, value: _typing.Any) -> _typing.Any:
        return value

    def has_rest(self, value: _typing.Any) -> bool:
        """Whether it has kept such members."""
        return False

    def expect(self, node: _Node, place: Place) -> None:
        """Refuse null, and what is of another type."""
        if node.kind in self.kinds:
            return
        code = Code.NULL_NOT_ALLOWED if node.kind == _Kind.NULL else Code.WRONG_TYPE
        raise _fault(code, place, node.at, self.words, _found(node))

    def refused(self, value: object, place: Place) -> WireError:
        """The fault of a value of another type."""
        code = Code.NULL_NOT_ALLOWED if value is None else Code.WRONG_TYPE
        return _fault(code, place, 0, self.words, _brief(_spelled(value)))


class IntegerShape(Shape):
    """An integer in a range; in decimal digits, where it is spelled as a string."""

    def __init__(self, least: int, most: int, is_string: bool = False) -> None:
        self.least = least
        self.most = most
        self.is_string = is_string
        self.words = "a string" if is_string else "an integer"
        self.kinds = (_Kind.STRING if is_string else _Kind.NUMBER,)

    def read(self, node: _Node, place: Place, lenient: Faults) -> int:
        self.expect(node, place)
        text = node.text if self.is_string else node.token
        if not self.is_string:
            _check_length(node, place)
        if text == "-0" or not _INTEGER.fullmatch(text):
            if self.is_string:
                code, expected = Code.BAD_ENCODING, "decimal digits"
            else:
                code, expected = Code.WRONG_TYPE, self.words
            raise _fault(code, place, node.at, expected, _brief(node.token))
        # Python refuses to read an integer of some thousand digits.
        if len(text) > 40 or not self.least <= int(text) <= self.most:
            raise self.outside(place, node.at, node.token)
        return int(text)

    def take(self, value: object, place: Place) -> int:
        if isinstance(value, _typing.SupportsIndex) and not isinstance(value, bool):
            number = int(_operator.index(value))
            if self.least <= number <= self.most:
                return number
            token = _spelled(number)
            raise self.outside(place, 0, f'"{token}"' if self.is_string else token)
        words = "an integer"
        code = Code.NULL_NOT_ALLOWED if value is None else Code.WRONG_TYPE
        raise _fault(code, place, 0, words, _brief(_spelled(value)))

    def outside(self, place: Place, at: int, token: str) -> WireError:
        expected = f"an integer from {self.least} to {self.most}"
        return _fault(Code.OUT_OF_RANGE, place, at, expected, _brief(token))

    def quick(self, value: _typing.Any) -> int:
        if self.is_string:
            if type(value) is not str or len(value) > 40:
                raise LookupError
            number = int(value)
            if str(number) != value:
                raise LookupError
            value = number
        if type(value) is int and self.least <= value <= self.most:
            return value
        raise LookupError

    def plain(self, value: int) -> int | str:
        return str(int(value)) if self.is_string else int(value)

    def text(self, value: int) -> str:
        return f'"{value:d}"' if self.is_string else f"{value:d}"


def _check_length(node: _Node, place: Place) -> None:
    if len(node.token) > 256:
        expected, found = "at most 256 characters", _brief(node.token)
        raise _fault(Code.TOO_LARGE, place, node.at, expected, found)


class TruthShape(Shape):
    """True or false."""

    words = "true or false"
    kinds = (_Kind.TRUTH,)

    def read(self, node: _Node, place: Place, lenient: Faults) -> bool:
        self.expect(node, place)
        return node.token == "true"

    def take(self, value: object, place: Place) -> bool:
        if isinstance(value, bool):
            return value
        raise self.refused(value, place)

    def quick(self, value: _typing.Any) -> bool:
        if value is True or value is False:
            return bool(value)
        raise LookupError

    def text(self, value: bool) -> str:
        return "true" if value else "false"


_F32: _typing.Final = _struct.Struct("<f")


class FloatShape(Shape):
    """A finite number."""

    words = "a number"
    kinds = (_Kind.NUMBER,)

    def __init__(
        self, least: float | None, most: float | None, is_single: bool = False
    ) -> None:
        self.least = least
        self.most = most
        self.is_single = is_single

    def read(self, node: _Node, place: Place, lenient: Faults) -> float:
        self.expect(node, place)
        _check_length(node, place)
        return self.fitted(float(node.token), place, node.at, node.token)

    def fitted(self, value: float, place: Place, at: int, token: str) -> float:
        expected = "a finite number"
        try:
            if self.is_single and _math.isfinite(value):
                (value,) = _F32.unpack(_F32.pack(value))
        except OverflowError:
            value = _math.inf
        if _math.isfinite(value):
            low, high = self.least, self.most
            if (low is None or low <= value) and (high is None or value <= high):
                return value
            if low is not None and high is not None:
                expected = f"a number from {float_text(low)} to {float_text(high)}"
            elif low is not None:
                expected = f"a number of at least {float_text(low)}"
            elif high is not None:
                expected = f"a number of at most {float_text(high)}"
        raise _fault(Code.OUT_OF_RANGE, place, at, expected, _brief(token))

    def take(self, value: object, place: Place) -> float:
        if isinstance(value, float):
            return self.fitted(float(value), place, 0, _spelled(value))
        if isinstance(value, _typing.SupportsIndex) and not isinstance(value, bool):
            number = int(_operator.index(value))
            token = _spelled(number)
            try:
                wide = float(number)
            except OverflowError:
                wide = _math.inf
            taken = self.fitted(wide, place, 0, token)
            if taken == number:
                return taken
            expected = f"an integer that {'f32' if self.is_single else 'f64'} holds"
            raise _fault(Code.OUT_OF_RANGE, place, 0, expected, _brief(token))
        raise self.refused(value, place)

    def quick(self, value: _typing.Any) -> float:
        if type(value) is int:
            # More digits than a number may have.
            if not -_MANY <= value <= _MANY:
                raise LookupError
        elif not isinstance(value, float):
            raise LookupError
        number = float(value)
        if self.is_single:
            (number,) = _F32.unpack(_F32.pack(number))
        low, high = self.least, self.most
        if (
            number - number == 0.0
            and (low is None or low <= number)
            and (high is None or number <= high)
        ):
            return number
        raise LookupError

    def text(self, value: float) -> str:
        return float_text(value)


_MANY: _typing.Final = 10**250


class TextShape(Shape):
    """Text of at most so many bytes."""

    words = "a string"
    kinds = (_Kind.STRING,)

    def __init__(self, max_len: int | None = None) -> None:
        self.max_len = max_len

    def read(self, node: _Node, place: Place, lenient: Faults) -> str:
        self.expect(node, place)
        return _bounded(node.text, self.max_len, place, node.at)

    def take(self, value: object, place: Place) -> str:
        if not isinstance(value, str):
            raise self.refused(value, place)
        return _bounded(_unicode(value, place), self.max_len, place, 0)

    def quick(self, value: _typing.Any) -> str:
        if type(value) is not str:
            raise LookupError
        limit = self.max_len
        if limit is not None and len(value) * 4 > limit and len(value.encode()) > limit:
            raise LookupError
        return value

    def text(self, value: str) -> str:
        return quote_text(value)


def _unicode(value: str, place: Place) -> str:
    try:
        encoded = value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        raise _fault(Code.BAD_UTF8, place, 0, "UTF-8", None) from None
    return value if type(value) is str else encoded.decode()


def _bounded(text: str, limit: int | None, place: Place, at: int) -> str:
    if limit is not None and len(text) * 4 > limit:
        size = len(text.encode())
        if size > limit:
            raise _fault(Code.TOO_LARGE, place, at, f"at most {limit} bytes", size)
    return text


class BytesShape(Shape):
    """Bytes that are spelled as text: `hex`, `base64` or `uuid`."""

    words = "a string"
    kinds = (_Kind.STRING,)

    def __init__(
        self, spelling: str, length: int | None = None, max_len: int | None = None
    ) -> None:
        self.spelling = spelling
        self.length = length
        self.max_len = max_len
        self.expected = {
            "hex": "lower-case hex"
            if length is None
            else f"{length} bytes as lower-case hex",
            "base64": "base64" if length is None else f"base64 of {length} bytes",
            "uuid": "a UUID in lower case",
        }[spelling]

    def read(self, node: _Node, place: Place, lenient: Faults) -> bytes:
        self.expect(node, place)
        try:
            value = self.decoded(node.text)
        except ValueError:
            value = None
        if value is None or (self.length is not None and len(value) != self.length):
            found = _brief(node.token)
            raise _fault(Code.BAD_ENCODING, place, node.at, self.expected, found)
        return self.bounded(value, place, node.at)

    def decoded(self, text: str) -> bytes:
        """The bytes of a text in the form that is written; `ValueError` otherwise."""
        if self.spelling == "base64":
            value = _binascii.a2b_base64(text)
        else:
            digits = text.replace("-", "") if self.spelling == "uuid" else text
            value = bytes.fromhex(digits)
            if self.spelling == "uuid" and len(value) != 16:
                raise ValueError(text)
        if self.spell(value) != text:
            raise ValueError(text)
        return value

    def spell(self, value: bytes) -> str:
        if self.spelling == "hex":
            return value.hex()
        return base64_text(value) if self.spelling == "base64" else uuid_text(value)

    def bounded(self, value: bytes, place: Place, at: int) -> bytes:
        limit = self.max_len
        if limit is not None and len(value) > limit:
            expected = f"at most {limit} bytes"
            raise _fault(Code.TOO_LARGE, place, at, expected, len(value))
        return value

    def take(self, value: object, place: Place) -> bytes:
        if not isinstance(value, bytes | bytearray | memoryview):
            code = Code.NULL_NOT_ALLOWED if value is None else Code.WRONG_TYPE
            raise _fault(code, place, 0, "bytes", _brief(_spelled(value)))
        taken = bytes(value)
        if self.length is not None and len(taken) != self.length:
            is_uuid = self.spelling == "uuid"
            spelled = f'"{taken.hex() if is_uuid else self.spell(taken)}"'
            code = Code.BAD_ENCODING
            raise _fault(code, place, 0, self.expected, _brief(spelled))
        return self.bounded(taken, place, 0)

    def quick(self, value: _typing.Any) -> bytes:
        if type(value) is not str:
            raise LookupError
        taken = self.decoded(value)
        if self.length is not None and len(taken) != self.length:
            raise LookupError
        if self.max_len is not None and len(taken) > self.max_len:
            raise LookupError
        return taken

    def plain(self, value: bytes) -> str:
        return self.spell(value)

    def text(self, value: bytes) -> str:
        return f'"{self.spell(value)}"'


class ArrayShape(Shape):
    """An array: exactly so many items, at most so many, or any number."""

    words = "an array"
    kinds = (_Kind.ARRAY,)

    def __init__(
        self,
        item: Shape,
        length: int | None = None,
        max_items: int | None = None,
    ) -> None:
        self.item = item
        self.length = length
        self.limit = max_items if length is None else length
        self.imports = item.imports
        self.keeps_defaults = item.keeps_defaults
        self.deepens = item.deepens
        self.keeps_rest = item.keeps_rest

    def read(self, node: _Node, place: Place, lenient: Faults) -> _typing.Any:
        self.expect(node, place)
        items = []
        for at, item in enumerate(node.items):
            if self.limit is not None and at >= self.limit:
                raise self.too_many(place, item.at)
            items.append(self.item.read(item, place, lenient))
        if self.length is not None and len(items) < self.length:
            expected = f"{self.length} items"
            raise _fault(Code.TOO_SHORT, place, node.at, expected, len(items))
        return tuple(items)

    def too_many(self, place: Place, at: int) -> WireError:
        most = "at most " if self.length is None else ""
        return _fault(Code.TOO_MANY, place, at, f"{most}{self.limit} items", None)

    def take(self, value: object, place: Place) -> _typing.Any:
        if not isinstance(value, _abc.Collection) or isinstance(
            value, str | _abc.Mapping | _abc.Set
        ):
            raise self.refused(value, place)
        items = []
        for at, item in enumerate(value):
            if self.limit is not None and at >= self.limit:
                raise self.too_many(place, 0)
            items.append(self.item.take(item, place))
        if self.length is not None and len(items) < self.length:
            expected = f"{self.length} items"
            raise _fault(Code.TOO_SHORT, place, 0, expected, len(items))
        return tuple(items)

    def quick(self, value: _typing.Any) -> _typing.Any:
        if type(value) is not list:
            raise LookupError
        size = len(value)
        if self.limit is not None and size > self.limit:
            raise LookupError
        if self.length is not None and size != self.length:
            raise LookupError
        quick = self.item.quick
        return tuple([quick(item) for item in value])

    def plain(self, value: _typing.Any) -> _typing.Any:
        return [self.item.plain(item) for item in value]

    def text(self, value: _typing.Any) -> str:
        text = self.item.text
        return f"[{','.join([text(item) for item in value])}]"

    def check_import(self, value: _typing.Any, fd_count: int) -> None:
        for item in value:
            self.item.check_import(item, fd_count)

    def filled(self, value: _typing.Any) -> _typing.Any:
        return tuple([self.item.filled(item) for item in value])

    def has_rest(self, value: _typing.Any) -> bool:
        return self.keeps_rest and any(self.item.has_rest(item) for item in value)


class MapShape(Shape):
    """An object of any keys, whose values are text."""

    words = "an object"
    kinds = (_Kind.OBJECT,)

    def __init__(
        self, max_items: int | None = None, max_len: int | None = None
    ) -> None:
        self.max_items = max_items
        self.item = TextShape(max_len)

    def read(self, node: _Node, place: Place, lenient: Faults) -> TextMap:
        self.expect(node, place)
        members: dict[str, str] = {}
        for name, (key, value) in node.keys.items():
            if self.max_items is not None and len(members) >= self.max_items:
                raise self.too_many(place, key.at)
            _bounded(name, self.item.max_len, place, key.at)
            members[name] = self.item.read(value, place, lenient)
        return TextMap(members)

    def too_many(self, place: Place, at: int) -> WireError:
        expected = f"at most {self.max_items} members"
        return _fault(Code.TOO_MANY, place, at, expected, None)

    def take(self, value: object, place: Place) -> TextMap:
        if not isinstance(value, _abc.Mapping):
            raise self.refused(value, place)
        members: dict[str, str] = {}
        # As they are written: the first fault is the same whatever their order is.
        for key in sorted(value, key=lambda key: key if isinstance(key, str) else ""):
            if self.max_items is not None and len(members) >= self.max_items:
                raise self.too_many(place, 0)
            members[self.item.take(key, place)] = self.item.take(value[key], place)
        return TextMap(members)

    def quick(self, value: _typing.Any) -> TextMap:
        if type(value) is not dict:
            raise LookupError
        if self.max_items is not None and len(value) > self.max_items:
            raise LookupError
        quick = self.item.quick
        return TextMap({quick(key): quick(item) for key, item in value.items()})

    def plain(self, value: TextMap) -> dict[str, str]:
        return dict(value)

    def text(self, value: TextMap) -> str:
        return map_text(value)


class JsonShape(Shape):
    """Any JSON, null included."""

    words = "a value"
    kinds = tuple(_Kind)
    deepens = True

    def __init__(self, max_len: int | None = None) -> None:
        self.max_len = max_len

    def read(self, node: _Node, place: Place, lenient: Faults) -> Json:
        text = _compact(node, place)
        return _json_of(_bounded(text, self.max_len, place, node.at))

    def take(self, value: object, place: Place) -> Json:
        if not isinstance(value, Json):
            expected, found = "Json", type(value).__name__
            raise _fault(Code.WRONG_TYPE, place, 0, expected, found)
        _bounded(value.text, self.max_len, place, 0)
        return value

    def quick(self, value: _typing.Any) -> Json:
        text = _respelled(value)
        limit = self.max_len
        if limit is not None and len(text) * 4 > limit and len(text.encode()) > limit:
            raise LookupError
        return _json_of(text)

    def plain(self, value: Json) -> _typing.Any:
        return value.value

    def text(self, value: Json) -> str:
        return value.text


class Spelled(float):
    """A number with a point or an exponent, and how it was spelled."""

    __slots__ = ("token",)

    token: str

    def __new__(cls, token: str) -> _typing_extensions.Self:
        if len(token) > 256:
            raise LookupError
        number = float.__new__(cls, token)
        number.token = token
        return number


def _respelled(value: _typing.Any) -> str:
    kind = type(value)
    if kind is str:
        return quote_text(value)
    if kind is int:
        return str(value)
    if kind is Spelled:
        return str(value.token)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is list:
        return f"[{','.join([_respelled(item) for item in value])}]"
    members = [f"{quote_text(key)}:{_respelled(item)}" for key, item in value.items()]
    return f"{{{','.join(members)}}}"


class NamedShape(Shape):
    """A value of an enumeration, by its name or one of its aliases."""

    words = "a string"
    kinds = (_Kind.STRING,)

    def __init__(
        self,
        contract: str,
        cls: type[_enum.IntEnum],
        names: _abc.Mapping[str, _enum.IntEnum],
        spelled: _abc.Mapping[int, str],
        is_open: bool = False,
        folds: bool = False,
    ) -> None:
        self.contract = contract
        self.cls = cls
        self.names = names
        self.spelled = spelled
        self.is_open = is_open
        self.folds = folds

    def found(self, text: str) -> _enum.IntEnum | None:
        member = self.names.get(text)
        if member is None and self.folds:
            member = self.names.get(fold_name(text))
        return member

    def read(self, node: _Node, place: Place, lenient: Faults) -> _enum.IntEnum | str:
        self.expect(node, place)
        member = self.found(node.text)
        if member is not None:
            return member
        if self.is_open:
            return node.text
        raise self.unknown(place, node.at, node.token)

    def unknown(self, place: Place, at: int, token: str) -> WireError:
        expected = f"a value of {self.contract}"
        return _fault(Code.UNKNOWN_VALUE, place, at, expected, _brief(token))

    def take(self, value: object, place: Place) -> _enum.IntEnum | str:
        if isinstance(value, self.cls):
            return value
        if self.is_open and isinstance(value, str):
            text = _unicode(value, place)
            member = self.found(text)
            return text if member is None else member
        if self.is_open or isinstance(value, _enum.Enum | bool):
            raise self.mistaken(value, place)
        if not isinstance(value, _typing.SupportsIndex):
            raise self.mistaken(value, place)
        number = int(_operator.index(value))
        if number not in self.spelled:
            raise self.unknown(place, 0, _spelled(number))
        return self.cls(number)

    def mistaken(self, value: object, place: Place) -> WireError:
        code = Code.NULL_NOT_ALLOWED if value is None else Code.WRONG_TYPE
        return _fault(code, place, 0, self.contract, _brief(_spelled(value)))

    def quick(self, value: _typing.Any) -> _typing.Any:
        if type(value) is not str:
            raise LookupError
        member = self.found(value)
        if member is not None:
            return member
        if self.is_open:
            return value
        raise LookupError

    def plain(self, value: _enum.IntEnum | str) -> str:
        return value if isinstance(value, str) else self.spelled[value]

    def text(self, value: _enum.IntEnum | str) -> str:
        return quote_text(self.plain(value))


def fold_name(text: str) -> str:
    """A name without ASCII white space around it, its ASCII letters in lower case."""
    return text.strip(" \t\n\f\r").translate(_LOWER)


_LOWER: _typing.Final = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class NumberedShape(Shape):
    """A value of an enumeration by its number."""

    words = "an integer"
    kinds = (_Kind.NUMBER,)

    def __init__(
        self,
        contract: str,
        cls: type[_enum.IntEnum],
        values: _abc.Mapping[int, _enum.IntEnum],
        integer: IntegerShape | None = None,
    ) -> None:
        self.contract = contract
        self.cls = cls
        self.values = values
        self.integer = integer
        """The numbers that an open one keeps."""

    def read(self, node: _Node, place: Place, lenient: Faults) -> int:
        if self.integer is not None:
            number = self.integer.read(node, place, lenient)
            return self.values.get(number, number)
        self.expect(node, place)
        _check_length(node, place)
        if node.token == "-0" or not _INTEGER.fullmatch(node.token):
            found = _brief(node.token)
            raise _fault(Code.WRONG_TYPE, place, node.at, self.words, found)
        member = self.values.get(int(node.token))
        if member is None:
            raise self.unknown(place, node.at, node.token)
        return member

    def unknown(self, place: Place, at: int, token: str) -> WireError:
        expected = f"a value of {self.contract}"
        return _fault(Code.UNKNOWN_VALUE, place, at, expected, _brief(token))

    def take(self, value: object, place: Place) -> int:
        if isinstance(value, self.cls):
            return value
        if isinstance(value, _enum.Enum | bool) or not isinstance(
            value, _typing.SupportsIndex
        ):
            code = Code.NULL_NOT_ALLOWED if value is None else Code.WRONG_TYPE
            raise _fault(code, place, 0, self.contract, _brief(_spelled(value)))
        number = int(_operator.index(value))
        if number in self.values:
            return self.values[number]
        if self.integer is None:
            raise self.unknown(place, 0, _spelled(number))
        return self.integer.take(number, place)

    def quick(self, value: _typing.Any) -> int:
        if type(value) is not int:
            raise LookupError
        if self.integer is None:
            return self.values[value]
        member = self.values.get(value)
        return self.integer.quick(value) if member is None else member

    def plain(self, value: int) -> int:
        return int(value)

    def text(self, value: int) -> str:
        return f"{value:d}"


class FlagsShape(Shape):
    """Flags as an integer; `known` is None where bits without a name are kept."""

    words = "an integer"
    kinds = (_Kind.NUMBER,)

    def __init__(
        self, cls: type[_enum.IntFlag], integer: IntegerShape, known: int | None
    ) -> None:
        self.cls = cls
        self.integer = integer
        self.known = known

    def read(self, node: _Node, place: Place, lenient: Faults) -> _enum.IntFlag:
        return self.checked(self.integer.read(node, place, lenient), place, node.at)

    def checked(self, bits: int, place: Place, at: int) -> _enum.IntFlag:
        if self.known is not None and bits & ~self.known:
            raise _bits_error(bits, self.known, place[0], place[1], at)
        return flag_set(self.cls, bits)

    def take(self, value: object, place: Place) -> _enum.IntFlag:
        if isinstance(value, _enum.Enum) and not isinstance(value, self.cls):
            raise self.refused(value, place)
        return self.checked(self.integer.take(value, place), place, 0)

    def quick(self, value: _typing.Any) -> _enum.IntFlag:
        bits = self.integer.quick(value)
        if self.known is not None and bits & ~self.known:
            raise LookupError
        return flag_set(self.cls, bits)

    def plain(self, value: int) -> _typing.Any:
        return int(value)

    def text(self, value: int) -> str:
        return f"{value:d}"


class FlagNamesShape(FlagsShape):
    """Flags as an array of their names."""

    words = "an array"
    kinds = (_Kind.ARRAY,)

    def __init__(
        self,
        contract: str,
        cls: type[_enum.IntFlag],
        integer: IntegerShape,
        known: int,
        names: _abc.Mapping[str, int],
        spelled: _abc.Mapping[int, str],
    ) -> None:
        super().__init__(cls, integer, known)
        self.contract = contract
        self.names = names
        self.spelled = spelled
        """The name of each flag, by ascending bits."""

    def read(self, node: _Node, place: Place, lenient: Faults) -> _enum.IntFlag:
        self.expect(node, place)
        bits = 0
        for item in node.items:
            _ANY_TEXT.expect(item, place)
            flag = self.names.get(item.text)
            if flag is None:
                code, expected = Code.UNKNOWN_VALUE, f"a value of {self.contract}"
                raise _fault(code, place, item.at, expected, _brief(item.token))
            if bits & flag:
                code, expected = Code.DUPLICATE_KEY, "each flag once"
                raise _fault(code, place, item.at, expected, _brief(item.token))
            bits |= flag
        return flag_set(self.cls, bits)

    def quick(self, value: _typing.Any) -> _enum.IntFlag:
        if type(value) is not list:
            raise LookupError
        bits = 0
        for item in value:
            flag = self.names[item]
            if bits & flag:
                raise LookupError
            bits |= flag
        return flag_set(self.cls, bits)

    def plain(self, value: int) -> list[str]:
        return [name for bits, name in self.spelled.items() if value & bits == bits]

    def text(self, value: int) -> str:
        return f"[{','.join([quote_text(name) for name in self.plain(value)])}]"


_ANY_TEXT: _typing.Final = TextShape()
_ANY_JSON: _typing.Final = JsonShape()


def _moved(fault: WireError, at: int) -> WireError:
    # Inside the text that holds a descriptor there are no bytes to point at.
    code, contract, field = fault.code, fault.contract, fault.field
    return WireError(code, contract, field, at, fault.expected, fault.found)


class DescriptorShape(Shape):
    """A descriptor's bytes, spelled as text."""

    words = "a string"
    kinds = (_Kind.STRING,)

    def __init__(self, cls: type[_typing.Any], spelling: str, imports: bool) -> None:
        self.cls = cls
        self.bytes = BytesShape(spelling, cls.WIRE_SIZE)
        self.imports = imports

    def read(self, node: _Node, place: Place, lenient: Faults) -> _typing.Any:
        data = self.bytes.read(node, place, lenient)
        try:
            return self.cls.from_bytes(data)
        except WireError as error:
            raise _moved(error, node.at) from None

    def take(self, value: object, place: Place) -> _typing.Any:
        if type(value) is self.cls:
            return value
        code = Code.NULL_NOT_ALLOWED if value is None else Code.WRONG_TYPE
        found = _brief(_spelled(value))
        raise _fault(code, place, 0, self.cls.__name__, found)

    def quick(self, value: _typing.Any) -> _typing.Any:
        return self.cls.from_bytes(self.bytes.quick(value))

    def plain(self, value: _typing.Any) -> str:
        return self.bytes.spell(value.to_bytes())

    def text(self, value: _typing.Any) -> str:
        return f'"{self.plain(value)}"'

    def check_import(self, value: _typing.Any, fd_count: int) -> None:
        try:
            value.validate_import()
        except WireError as error:
            raise _moved(error, 0) from None
