# Messages: what they begin with, and numbers that it says


class Part:
    """A contract that a message begins with."""

    def __init__(
        self, name: str, cls: type[_typing.Any], *, is_document: bool = False
    ) -> None:
        self.name = name
        self.cls = cls
        self.is_document = is_document

    def read(self, data: bytes, at: int) -> tuple[_typing.Any, int]:
        """The descriptor at a byte, and where it ends."""
        try:
            value, rest = self.cls.read_prefix(memoryview(data)[at:])
        except WireError as error:
            raise moved_fault(error, at) from None
        return value, len(data) - rest.nbytes

    def write(self, value: _typing.Any, at: int) -> bytes:
        """The bytes of a value that is written at a byte."""
        try:
            written: bytes = value.to_json() if self.is_document else value.to_bytes()
        except WireError as error:
            raise moved_fault(error, at) from None
        return written

    def check_import(self, value: _typing.Any, at: int, fd_count: int) -> int:
        """Check what an importer has to hold; where the value ends when written."""
        if self.is_document:
            value.validate_import(fd_count)
            return at
        try:
            value.validate_import()
        except WireError as error:
            raise moved_fault(error, at) from None
        return at + int(self.cls.WIRE_SIZE)


class Draft:
    """A message as its rules see it."""

    __slots__ = ("counts", "parts", "tail")

    def __init__(
        self,
        parts: tuple[_typing.Any, ...],
        tail: _typing.Any = None,
        counts: tuple[int, ...] = (),
    ) -> None:
        self.parts = parts
        self.tail = tail
        self.counts = counts


class Number:
    """A number that the parts of a message say."""

    def __init__(
        self,
        operands: _abc.Callable[[_typing.Any, int], tuple[_typing.Any, ...]],
        number: _abc.Callable[..., int],
    ) -> None:
        self.operands = operands
        self.number = number

    def of(self, draft: _typing.Any) -> int | None:
        """The number; None when it cannot be computed."""
        try:
            return self.number(*self.operands(draft, 0))
        except ArithmeticError:
            return None


def copied_bytes(data: Buffer, most: int) -> tuple[bytes, int]:
    """The first bytes, as nobody can change them, and how many there are in all."""
    view = view_bytes(data)
    return view[:most].tobytes(), view.nbytes


def moved_fault(fault: WireError, at: int) -> WireError:
    """A fault of what begins at a byte."""
    code, contract, field = fault.code, fault.contract, fault.field
    offset = at + fault.offset
    return WireError(code, contract, field, offset, fault.expected, fault.found)


def taken_instance(
    value: object, cls: type[_typing.Any], contract: str, field: str
) -> _typing.Any:
    """What a caller gave for a field of that class."""
    if isinstance(value, cls):
        return value
    raise type_error(value, cls.__name__, contract, field, 0)
