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
