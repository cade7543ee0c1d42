# Messages: one of several


MOST_FDS: _typing.Final = 253
"""The most file descriptors beside one message: Linux passes no more at once."""


class Unknown(Owner):
    """A message of a tag that no variant of its union has, as it came."""

    __slots__ = ()

    @property
    def fds(self) -> tuple[int, ...]:
        """The file descriptors beside the document, in order."""
        return self._group(0)


class Several:
    """One of several messages, by a tag in the first part or by the body."""

    def __init__(
        self,
        contract: str,
        variants: tuple[
            tuple[type[_typing.Any], type[_typing.Any] | None, Message | None, object],
            ...,
        ],
        max_bytes: int,
        *,
        tag: tuple[str, type[_typing.Any], _abc.Callable[[_typing.Any], int]]
        | None = None,
        body: type[_typing.Any] | None = None,
    ) -> None:
        """Each variant is its class, class and table of the message that it holds where
        it holds one, and its tag (None where it takes all others) or the body's class.
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
            inner = object.__new__(_typing.cast("type[_typing.Any]", held))
            message.complete(inner, message.drafted(copy, length), given)
            return _variant_of(cls, inner)

    def read_document(self, data: memoryview, given: list[int]) -> _typing.Any:
        """The same where the body says which one it is."""
        document = _typing.cast("type[_typing.Any]", self.body).from_json(data)
        cls, held, message, _ = self.by_tag[type(document)]
        if message is None or held is None:
            value = object.__new__(cls)
            self.check_fds(cls, len(given))
            self.fill(value, document, given)
            return value
        inner = object.__new__(held)
        message.complete(inner, Draft((document.value,)), given)
        return _variant_of(cls, inner)

    def construct(self, value: _typing.Any, held: object) -> None:
        """Puts what a caller gave into a new variant."""
        if hasattr(value, "value"):
            raise made_already(value)
        _, cls, _, union = self.by_class[type(value)]
        if cls is not None:
            held = taken_instance(held, cls, self.contract, "")
            object.__setattr__(value, "value", held)
            return
        make = _typing.cast("type[_typing.Any]", union)
        self.fill(value, make(held) if _holds(value) else make(), [])

    def construct_open(
        self, value: _typing.Any, body: object, fds: _abc.Iterable[int]
    ) -> None:
        """Puts what a caller gave into a new variant of an unknown tag, which owns the
        file descriptors once nothing is wrong.
        """
        if hasattr(value, "_open"):
            raise made_already(value)
        cls = _typing.cast("type[_typing.Any]", self.by_class[type(value)][3])
        taken = taken_instance(body, cls, self.contract, "")
        with Handed(close=False) as given:
            take_fds(given, fds)
            self.check_fds(type(value), len(given))
            self.fill(value, taken, given)

    @staticmethod
    def fill(value: _typing.Any, document: _typing.Any, given: list[int]) -> None:
        """Puts what a document says into a new variant that holds no message."""
        put = object.__setattr__
        if isinstance(value, Unknown):
            put(value, "body", document)
            put(value, "_counts", (len(given),))
            put(value, "_fds", given)
            put(value, "_open", [None])
        elif _holds(value):
            put(value, "value", document.value)

    @staticmethod
    def document(value: _typing.Any, union: type[_typing.Any]) -> _typing.Any:
        """What a variant says that holds no message."""
        if isinstance(value, Unknown):
            return _typing.cast("_typing.Any", value).body
        return union(value.value) if _holds(value) else union()

    def write(self, value: _typing.Any) -> tuple[bytes, list[int]]:
        """The bytes, and the file descriptors, which stay the message's."""
        _, _, message, tag = self.by_class[type(value)]
        if message is None:
            union = _typing.cast("type[_typing.Any]", tag)
            fds = list(value._owned()) if isinstance(value, Unknown) else []
            document: bytes = self.document(value, union).to_json()
            self.check_fds(type(value), len(fds))
            return document, fds
        held = value.value
        if self.tag is not None:
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
        fds = list(held._owned())
        draft = message.draft(held)
        written: bytes = union(draft.parts[0]).to_json()
        return written + message.checked(draft, len(written)), fds

    def check_import(self, value: _typing.Any) -> None:
        """Check what an importer has to hold; `WireError` where it does not."""
        _, _, message, tag = self.by_class[type(value)]
        union = _typing.cast("type[_typing.Any]", tag)
        if message is None:
            count = len(value._owned()) if isinstance(value, Unknown) else 0
            self.document(value, union).validate_import(count)
            return
        held = value.value
        if self.tag is not None:
            message.check_import(held)
            return
        draft = message.draft(held)
        union(draft.parts[0]).validate_import(sum(draft.counts))
        message.check_own_import(draft)

    def check_fds(self, cls: type[_typing.Any], found: int) -> None:
        """Refuse file descriptors of what is a document alone, and too many of an
        unknown tag.
        """
        most = MOST_FDS if issubclass(cls, Unknown) else 0
        if found > most:
            expected = fd_words(0, most)
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


def _holds(value: _typing.Any) -> bool:
    """Whether a variant holds anything beside its tag."""
    return "value" in type(value).__slots__


def _variant_of(cls: type[_typing.Any], held: object) -> _typing.Any:
    value = object.__new__(cls)
    object.__setattr__(value, "value", held)
    return value
