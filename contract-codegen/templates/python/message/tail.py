# Messages: what stands behind the parts


class Tail:
    """Descriptors of a class, `bytes` or `str`, and what says how long they are."""

    def __init__(
        self,
        name: str,
        cls: type[_typing.Any],
        *,
        count: Number | None = None,
        size: Number | None = None,
    ) -> None:
        self.name = name
        self.cls = cls
        self.count = count
        self.size = size
        self.unit = 1 if cls in (bytes, str) else int(cls.WIRE_SIZE)

    def taken(self, value: object, contract: str) -> _typing.Any:
        """What a caller gave, as it is kept."""
        if self.cls is str:
            return taken_instance(value, str, contract, self.name)
        if self.cls is bytes:
            try:
                return view_bytes(_typing.cast("Buffer", value)).tobytes()
            except TypeError:
                raise type_error(value, "bytes", contract, self.name, 0) from None
        if not isinstance(value, _abc.Iterable):
            raise type_error(value, "a sequence", contract, self.name, 0)
        return tuple(
            [taken_instance(item, self.cls, contract, self.name) for item in value]
        )

    def length(self, value: _typing.Any) -> int:
        """The bytes of a value."""
        if self.cls is str:
            return len(value.encode("utf-8", "surrogatepass"))
        return len(value) * self.unit

    def check_length(
        self, draft: Draft, at: int, length: int, most: int, contract: str
    ) -> None:
        """Refuse a message of that length whose tail, which begins at a byte, is of no
        whole elements, or not as long as the parts say: `most` is the longest message.
        """
        said = self.count or self.size
        if said is not None:
            unit = self.unit if self.count is not None else 1
            fit = (most - at) // unit
            found = said.of(draft)
            if found is not None and 0 <= found <= fit:
                if found * unit % self.unit == 0:
                    check_size(at + found * unit, length, contract)
                    return
                fit = found - found % self.unit
            place = (contract, self.name, at)
            raise WireError(Code.LENGTH_EXCEEDS, *place, f"at most {fit}", found)
        check_size(length + (at - length) % self.unit, length, contract)

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

    def check_import(self, value: _typing.Any, at: int) -> None:
        """Check what an importer of a value that is written at a byte has to hold."""
        if self.cls in (bytes, str):
            return
        for index, item in enumerate(value):
            try:
                item.validate_import()
            except WireError as error:
                raise moved_fault(error, at + index * self.unit) from None


def check_size(size: int, length: int, contract: str) -> None:
    """Refuse a message of another length than it has to have."""
    if length != size:
        raise size_error(length, size, contract)
