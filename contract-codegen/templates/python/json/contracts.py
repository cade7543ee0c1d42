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
        max_len: int | None = None,
    ) -> None:
        self.contract = contract
        self.cls = cls
        self.names = names
        self.spelled = spelled
        self.is_open = is_open
        self.folds = folds
        self.max_len = max_len
        """The most bytes of a name that is kept."""

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
            return _bounded(node.text, self.max_len, place, node.at)
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
            if member is None:
                return _bounded(text, self.max_len, place, 0)
            return member
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
        limit = self.max_len
        if self.is_open and (limit is None or len(value.encode()) <= limit):
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

    def take(self, value: object, place: Place) -> _enum.IntFlag:
        taken = super().take(value, place)
        rest = int(taken)
        for bits in self.spelled:
            if taken & bits == bits:
                rest &= ~bits
        if rest:
            # A part of a mask may have no name of its own.
            raise _bits_error(int(taken), self.known or 0, place[0], place[1], 0)
        return taken

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
        raise _other_class(value, self.cls, place)

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
