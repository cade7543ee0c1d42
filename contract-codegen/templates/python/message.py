# Messages: bytes, and the file descriptors beside them


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


class Part:
    """A contract that a message begins with. The attribute is given where Python has
    another name for it than errors.
    """

    def __init__(
        self,
        name: str,
        cls: type[_typing.Any],
        *,
        is_document: bool = False,
        attribute: str | None = None,
    ) -> None:
        self.name = name
        self.cls = cls
        self.is_document = is_document
        self.attribute = attribute or name

    def read(self, data: bytes, at: int) -> tuple[_typing.Any, int]:
        """The value at a byte, and where it ends."""
        if self.is_document:
            return self.cls.from_json(data), len(data)
        try:
            value, rest = self.cls.read_prefix(memoryview(data)[at:])
        except WireError as error:
            raise moved_fault(error, at) from None
        return value, len(data) - rest.nbytes

    def write(self, value: _typing.Any, at: int) -> bytes:
        """The bytes of a value that is written at a byte."""
        return self.write_by(
            self.cls.to_json if self.is_document else self.cls.to_bytes, value, at
        )

    @staticmethod
    def write_by(
        write: _abc.Callable[[_typing.Any], bytes], value: _typing.Any, at: int
    ) -> bytes:
        """The bytes, with faults that count from the start of the message."""
        try:
            return write(value)
        except WireError as error:
            raise moved_fault(error, at) from None

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


class Tail:
    """What stands behind the parts: descriptors of a class, `bytes` or `str`."""

    def __init__(
        self,
        name: str,
        cls: type[_typing.Any],
        *,
        count: Number | None = None,
        size: Number | None = None,
        attribute: str | None = None,
    ) -> None:
        self.name = name
        self.attribute = attribute or name
        self.cls = cls
        self.count = count
        self.size = size
        self.unit = 1 if cls in (bytes, str) else int(cls.WIRE_SIZE)

    def taken(self, value: object, contract: str) -> _typing.Any:
        """What a caller gave, as it is kept."""
        if self.cls is str:
            return _taken_instance(value, str, contract, self.name)
        if self.cls is bytes:
            if isinstance(value, str):
                raise type_error(value, "bytes", contract, self.name, 0)
            return bytes(view_bytes(_typing.cast("Buffer", value)))
        items = tuple(_typing.cast("_abc.Iterable[object]", value))
        for item in items:
            _taken_instance(item, self.cls, contract, self.name)
        return items

    def length(self, value: _typing.Any) -> int:
        """The bytes of a value."""
        if self.cls is str:
            return len(value.encode("utf-8", "surrogatepass"))
        return len(value) * self.unit

    def read(self, data: bytes, at: int, contract: str) -> _typing.Any:
        """What the bytes from one on are."""
        if self.cls is bytes:
            return data[at:]
        if self.cls is str:
            try:
                return data[at:].decode()
            except UnicodeDecodeError as error:
                place = (contract, self.name, at + error.start)
                raise WireError(Code.BAD_UTF8, *place, "UTF-8") from None
        items = []
        for start in range(at, len(data), self.unit):
            try:
                items.append(self.cls.from_bytes(data[start : start + self.unit]))
            except WireError as error:
                raise moved_fault(error, start) from None
        return tuple(items)

    def write(self, value: _typing.Any, at: int, contract: str) -> bytes:
        """The bytes of a value that is written at a byte."""
        if self.cls is bytes:
            return bytes(value)
        if self.cls is str:
            text: str = value
            try:
                return text.encode()
            except UnicodeEncodeError as error:
                start = at + len(text[: error.start].encode())
                place = (contract, self.name, start)
                raise WireError(Code.BAD_UTF8, *place, "UTF-8") from None
        parts = []
        for index, item in enumerate(value):
            try:
                parts.append(item.to_bytes())
            except WireError as error:
                raise moved_fault(error, at + index * self.unit) from None
        return b"".join(parts)


class Group:
    """File descriptors: how many the declaration allows, and what says how many."""

    def __init__(
        self,
        name: str,
        least: int,
        most: int,
        *,
        count: Number | None = None,
        present: Rule | None = None,
    ) -> None:
        self.name = name
        self.least = least
        self.most = most
        self.count = count
        self.present = present

    def numbers(self, draft: _typing.Any, contract: str) -> tuple[int, int]:
        """The least and the greatest number, given the parts."""
        if self.present is not None:
            is_there = self.present.verdict(draft, 0)
            if is_there is None:
                found = self.present.shown(draft, 0)
                expected = f"a file descriptor only when {self.present.text}"
                place = (contract, self.name, 0)
                raise WireError(Code.CONDITION_VIOLATED, *place, expected, found)
            return int(is_there), int(is_there)
        if self.count is not None:
            number = self.count.of(draft)
            if number is None or not self.least <= number <= self.most:
                expected = fd_words(self.least, self.most)
                place = (contract, self.name, 0)
                raise WireError(Code.FD_COUNT, *place, expected, number)
            return number, number
        return self.least, self.most


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


class Owner:
    """Owns file descriptors until it is closed, or gives them away."""

    __slots__ = ("_counts", "_fds")

    _fds: list[int] | None
    """None when it is closed."""
    _counts: tuple[int, ...]
    """How many each group has."""

    @property
    def closed(self) -> bool:
        """Whether it owns nothing any more."""
        return getattr(self, "_fds", None) is None

    def close(self) -> None:
        """Close the file descriptors. Once more, it does nothing."""
        first: OSError | None = None
        for fd in self._given_up():
            try:
                _os.close(fd)
            except OSError as error:
                first = first or error
        if first is not None:
            raise first

    def detach(self) -> list[int]:
        """Give the file descriptors to the caller, in the order of their groups. The
        message is closed then.
        """
        return self._given_up()

    def _given_up(self) -> list[int]:
        fds: list[int] = getattr(self, "_fds", None) or []
        self._fds = None
        return fds

    def _owned(self) -> list[int]:
        if self._fds is None:
            raise ValueError("the message is closed")
        return self._fds

    def _group(self, index: int) -> tuple[int, ...]:
        start = sum(self._counts[:index])
        return tuple(self._owned()[start : start + self._counts[index]])

    def __enter__(self) -> _typing.Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_fds", None):
            text = f"unclosed message {type(self).__name__}"
            _warnings.warn(text, ResourceWarning, stacklevel=2, source=self)
            self.close()


class Message:
    """Parts one behind the other, a tail, and groups of file descriptors."""

    def __init__(
        self,
        rules: Rules,
        parts: tuple[Part, ...],
        tail: Tail | None,
        groups: tuple[Group, ...],
        max_bytes: int | None = None,
    ) -> None:
        self.rules = rules
        self.contract = rules.contract
        self.parts = parts
        self.tail = tail
        self.groups = groups
        self.max_bytes = max_bytes

    def read(self, value: _typing.Any, data: Buffer, fds: _abc.Iterable[int]) -> None:
        """Fills a new message, which owns what came with it once nothing is wrong."""
        given = taken_fds(fds)
        copy = self.copied(data)
        parts, at = [], 0
        for part in self.parts:
            it, at = part.read(copy, at)
            parts.append(it)
        draft = Draft(tuple(parts))
        if self.tail is None:
            self.check_length(at, len(copy))
        else:
            self.check_tail(self.tail, draft, at, len(copy))
            draft.tail = self.tail.read(copy, at, self.contract)
        self.complete(value, draft, given)

    def copied(self, data: Buffer) -> bytes:
        """Bytes that nobody can change, once they are not too many."""
        view = view_bytes(data)
        self.check_bound(view.nbytes)
        return view.tobytes()

    def complete(self, value: _typing.Any, draft: Draft, given: list[int]) -> None:
        """Splits what came, checks the rules, and fills a new message."""
        draft.counts = self.split(draft, len(given))
        self.rules.check(draft, 0)
        self.fill(value, draft, given)

    def fill(self, value: _typing.Any, draft: Draft, given: list[int]) -> None:
        """Puts what is right into a new message, the file descriptors last."""
        for part, it in zip(self.parts, draft.parts, strict=True):
            setattr(value, part.attribute, it)
        if self.tail is not None:
            setattr(value, self.tail.attribute, draft.tail)
        value._counts = draft.counts
        value._fds = given

    def construct(
        self,
        value: _typing.Any,
        parts: tuple[object, ...],
        tail: object,
        groups: tuple[object, ...],
    ) -> None:
        """Puts what a caller gave into a new message, which owns the file descriptors
        once nothing is wrong.
        """
        taken = tuple(
            _taken_instance(it, part.cls, self.contract, part.name)
            for part, it in zip(self.parts, parts, strict=True)
        )
        draft = Draft(taken)
        if self.tail is not None:
            draft.tail = self.tail.taken(tail, self.contract)
        several = [_several(it) for it in groups]
        draft.counts = tuple(len(it) for it in several)
        given = taken_fds(_itertools.chain.from_iterable(several))
        self.encoded(draft)
        self.fill(value, draft, given)

    def draft(self, value: _typing.Any) -> Draft:
        """A message as its rules see it."""
        parts = tuple(getattr(value, part.attribute) for part in self.parts)
        tail = None if self.tail is None else getattr(value, self.tail.attribute)
        return Draft(parts, tail, value._counts)

    def write(self, value: _typing.Any) -> tuple[bytes, list[int]]:
        """The bytes, and the file descriptors, which stay the message's."""
        fds = list(value._owned())
        return self.encoded(self.draft(value)), fds

    def encoded(self, draft: Draft) -> bytes:
        """The bytes, once nothing is wrong with what they are of."""
        written = b""
        for part, it in zip(self.parts, draft.parts, strict=True):
            written += part.write(it, len(written))
        return written + self.checked(draft, len(written))

    def checked(self, draft: Draft, at: int) -> bytes:
        """The bytes of the tail, once nothing is wrong with all behind the parts."""
        tail = b""
        if self.tail is not None:
            length = at + self.tail.length(draft.tail)
            self.check_bound(length)
            self.check_tail(self.tail, draft, at, length)
            tail = self.tail.write(draft.tail, at, self.contract)
        numbers = [group.numbers(draft, self.contract) for group in self.groups]
        for group, (least, most), found in zip(
            self.groups, numbers, draft.counts, strict=True
        ):
            if not least <= found <= most:
                expected = fd_words(least, most)
                place = (self.contract, group.name, 0)
                raise WireError(Code.FD_COUNT, *place, expected, found)
        self.rules.check(draft, 0)
        return tail

    def check_import(self, value: _typing.Any) -> None:
        """Check what an importer has to hold."""
        draft = self.draft(value)
        count, at = sum(draft.counts), 0
        for part, it in zip(self.parts, draft.parts, strict=True):
            at = part.check_import(it, at, count)
        if self.tail is not None and self.tail.cls not in (bytes, str):
            for index, it in enumerate(draft.tail):
                try:
                    it.validate_import()
                except WireError as error:
                    start = at + index * self.tail.unit
                    raise moved_fault(error, start) from None
        self.check_own_import(draft)

    def check_own_import(self, draft: Draft) -> None:
        """The same of the message alone."""
        self.rules.check(draft, 0, at_import=True)

    def check_bound(self, length: int) -> None:
        """Refuse what is longer than the bound."""
        most = self.max_bytes
        if most is not None and length > most:
            expected = f"at most {_bytes_words(most)}"
            raise WireError(Code.TOO_LARGE, self.contract, "", most, expected, length)

    def check_length(self, size: int, length: int) -> None:
        """Refuse another length."""
        if length != size:
            raise size_error(length, size, self.contract)

    def check_tail(self, tail: Tail, draft: Draft, at: int, length: int) -> None:
        """Refuse a tail that is as long as the parts do not say, or of no whole
        elements.
        """
        said = tail.count or tail.size
        if said is not None:
            unit = tail.unit if tail.count is not None else 1
            most = ((self.max_bytes or 0) - at) // unit
            found = said.of(draft)
            if found is not None and 0 <= found <= most and found * unit % tail.unit:
                most = found - found % tail.unit
            if found is None or not 0 <= found <= most:
                place = (self.contract, tail.name, at)
                raise WireError(Code.LENGTH_EXCEEDS, *place, f"at most {most}", found)
            self.check_length(at + found * unit, length)
        self.check_length(length + (at - length) % tail.unit, length)

    def split(self, draft: Draft, found: int) -> tuple[int, ...]:
        """How many file descriptors each group has, of so many."""
        numbers = [group.numbers(draft, self.contract) for group in self.groups]
        least = sum(low for low, _ in numbers)
        most = sum(high for _, high in numbers)
        if not least <= found <= most:
            expected = fd_words(least, most)
            raise WireError(Code.FD_COUNT, self.contract, "", 0, expected, found)
        # One group at most is not exact: it takes what the others leave.
        return tuple(
            low if low == high else low + found - least for low, high in numbers
        )


class Several:
    """One of several messages, by a tag in the first part or by the body."""

    def __init__(
        self,
        contract: str,
        variants: tuple[
            tuple[type[_typing.Any], type[_typing.Any], Message | None, object], ...
        ],
        *,
        tag: tuple[str, type[_typing.Any], _abc.Callable[[_typing.Any], int]]
        | None = None,
        body: type[_typing.Any] | None = None,
    ) -> None:
        """Each variant is its class, that of what it holds, the table of that where it
        is a message, and its tag (None where it takes all others) or the body's class.
        The tag is a field, the first part's class and what reads it.
        """
        self.contract = contract
        self.variants = variants
        self.tag = tag
        self.body = body
        self.by_class = {variant[0]: variant for variant in variants}
        self.by_tag = {variant[3]: variant for variant in variants}

    def read(self, data: Buffer, fds: _abc.Iterable[int]) -> _typing.Any:
        """The variant's value, which owns the file descriptors."""
        if self.tag is None:
            return self.read_document(data, taken_fds(fds))
        view = view_bytes(data)
        _, first, tag_of = self.tag
        found = tag_of(first.read_prefix(view)[0])
        variant = self.by_tag.get(found, self.by_tag.get(None))
        if variant is None:
            raise self.unknown(f"a tag of {self.contract}", found)
        cls, held, message, _ = variant
        inner = object.__new__(held)
        _typing.cast("Message", message).read(inner, view, fds)
        return _variant_of(cls, inner)

    def read_document(self, data: Buffer, given: list[int]) -> _typing.Any:
        """The same where the body says which one it is."""
        document = _typing.cast("type[_typing.Any]", self.body).from_json(data)
        cls, held, message, _ = self.by_tag[type(document)]
        if message is None:
            self.takes_none(len(given))
            return _variant_of(cls, document.value)
        inner = object.__new__(held)
        message.complete(inner, Draft((document.value,)), given)
        return _variant_of(cls, inner)

    def construct(self, value: _typing.Any, held: object) -> None:
        """Puts what a caller gave into a new variant."""
        value.value = _taken_instance(
            held, self.by_class[type(value)][1], self.contract, ""
        )

    def write(self, value: _typing.Any) -> tuple[bytes, list[int]]:
        """The bytes, and the file descriptors, which stay the message's."""
        _, _, message, tag = self.by_class[type(value)]
        held = value.value
        if self.tag is not None:
            message = _typing.cast("Message", message)
            fds = list(held._owned())
            draft = message.draft(held)
            message.parts[0].write(draft.parts[0], 0)
            found = self.tag[2](draft.parts[0])
            if tag is not None and found != tag:
                raise self.unknown(str(tag), found)
            if tag is None and found in self.by_tag:
                raise self.unknown("a tag that no variant has", found)
            return message.encoded(draft), fds
        union = _typing.cast("type[_typing.Any]", tag)
        if message is None:
            return bytes(union(held).to_json()), []
        fds = list(held._owned())
        draft = message.draft(held)
        written: bytes = union(draft.parts[0]).to_json()
        return written + message.checked(draft, len(written)), fds

    def check_import(self, value: _typing.Any) -> None:
        """Check what an importer has to hold."""
        _, _, message, tag = self.by_class[type(value)]
        held = value.value
        if self.tag is not None:
            _typing.cast("Message", message).check_import(held)
            return
        union = _typing.cast("type[_typing.Any]", tag)
        if message is None:
            union(held).validate_import(0)
            return
        draft = message.draft(held)
        union(draft.parts[0]).validate_import(sum(draft.counts))
        message.check_own_import(draft)

    def takes_none(self, found: int) -> None:
        """Refuse file descriptors of what is a document alone."""
        if found:
            expected = fd_words(0, 0)
            raise WireError(Code.FD_COUNT, self.contract, "", 0, expected, found)

    def unknown(self, expected: str, found: int) -> WireError:
        """The fault of a tag."""
        field = "" if self.tag is None else self.tag[0]
        return WireError(Code.UNKNOWN_TAG, self.contract, field, 0, expected, found)


class Choice:
    """What the variants of several messages have alike."""

    __slots__ = ()

    def close(self) -> None:
        """Close the file descriptors of what it holds."""
        held = getattr(self, "value", None)
        if isinstance(held, Owner):
            held.close()

    def __enter__(self) -> _typing.Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _variant_of(cls: type[_typing.Any], held: object) -> _typing.Any:
    value = object.__new__(cls)
    value.value = held
    return value


def _several(given: object) -> tuple[int, ...]:
    """What was given for a group: one, none or several."""
    if given is None:
        return ()
    if isinstance(given, _typing.SupportsIndex):
        return (_operator.index(given),)
    return tuple(_typing.cast("_abc.Iterable[int]", given))


def taken_fds(given: _abc.Iterable[int]) -> list[int]:
    """File descriptors, each of them once."""
    fds = [_operator.index(fd) for fd in given]
    if any(fd < 0 for fd in fds) or len(set(fds)) != len(fds):
        raise ValueError(f"expected file descriptors, each of them once, found {fds}")
    return fds


def moved_fault(fault: WireError, at: int) -> WireError:
    """A fault of what begins at a byte."""
    code, contract, field = fault.code, fault.contract, fault.field
    offset = at + fault.offset
    return WireError(code, contract, field, offset, fault.expected, fault.found)


def fd_words(least: int, most: int) -> str:
    """`no file descriptor`, `1 file descriptor`, `0 to 4 file descriptors`."""
    if least == most <= 1:
        return "1 file descriptor" if most else "no file descriptor"
    return f"{most if least == most else f'{least} to {most}'} file descriptors"


def _bytes_words(count: int) -> str:
    return "1 byte" if count == 1 else f"{count} bytes"


def _taken_instance(
    value: object, cls: type[_typing.Any], contract: str, field: str
) -> _typing.Any:
    if isinstance(value, cls):
        return value
    raise type_error(value, cls.__name__, contract, field, 0)
