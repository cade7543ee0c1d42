# Messages: one of several


class Several:
    """One of several messages, by a tag in the first part or by the body."""

    def __init__(
        self,
        contract: str,
        variants: tuple[
            tuple[type[_typing.Any], type[_typing.Any], Message | None, object], ...
        ],
        max_bytes: int,
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
        self.max_bytes = max_bytes
        self.tag = tag
        self.body = body
        self.by_class = {variant[0]: variant for variant in variants}
        self.by_tag = {variant[3]: variant for variant in variants}

    def read(
        self, data: Buffer, fds: _abc.Iterable[int], close_refused: bool
    ) -> _typing.Any:
        """The variant's value, which owns the file descriptors."""
        with Handed(close=close_refused) as given:
            take_fds(given, fds)
            if self.tag is None:
                return self.read_document(view_bytes(data), given)
            # Of one that is longer than any, the beginning says which it would be.
            copy, length = copied_bytes(data, self.max_bytes)
            _, first, tag_of = self.tag
            found = tag_of(first.read_prefix(copy)[0])
            variant = self.by_tag.get(found, self.by_tag.get(None))
            if variant is None:
                raise self.unknown(f"a tag of {self.contract}", found)
            cls, held, message, _ = variant
            message = _typing.cast("Message", message)
            inner = object.__new__(held)
            message.complete(inner, message.drafted(copy, length), given)
            return _variant_of(cls, inner)

    def read_document(self, data: memoryview, given: list[int]) -> _typing.Any:
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
        if hasattr(value, "value"):
            raise made_already(value)
        cls = self.by_class[type(value)][1]
        put = object.__setattr__
        put(value, "value", taken_instance(held, cls, self.contract, ""))

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
    """What the variants of several messages have alike: they are as open as what they
    hold. A document alone owns nothing, and is never closed.
    """

    __slots__ = ()

    @property
    def closed(self) -> bool:
        """Whether what it holds was closed, or gave its file descriptors away."""
        held = self._owner()
        return held is not None and held.closed

    def close(self) -> None:
        """Close the file descriptors of what it holds."""
        held = self._owner()
        if held is not None:
            held.close()

    def detach(self) -> list[int]:
        """Give the file descriptors of what it holds to the caller, in the order of
        their groups. What it holds is closed then.
        """
        held = self._owner()
        return [] if held is None else held.detach()

    def _owner(self) -> Owner | None:
        held = getattr(self, "value", None)
        return held if isinstance(held, Owner) else None

    def __enter__(self) -> _typing.Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __reduce_ex__(
        self, protocol: _typing.SupportsIndex, /
    ) -> str | tuple[_typing.Any, ...]:
        if self._owner() is not None:
            raise no_copies(self)
        return super().__reduce_ex__(protocol)


def _variant_of(cls: type[_typing.Any], held: object) -> _typing.Any:
    value = object.__new__(cls)
    object.__setattr__(value, "value", held)
    return value
