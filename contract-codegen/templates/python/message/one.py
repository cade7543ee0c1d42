# Messages: one, as a table of what it is made of


class Message:
    """Parts one behind the other, a tail, and groups of file descriptors."""

    def __init__(
        self,
        rules: Rules,
        parts: tuple[Part, ...],
        tail: Tail | None,
        groups: tuple[Group, ...],
        max_bytes: int,
    ) -> None:
        self.rules = rules
        self.contract = rules.contract
        self.parts = parts
        self.tail = tail
        self.groups = groups
        self.max_bytes = max_bytes

    def read(
        self,
        value: _typing.Any,
        data: Buffer,
        fds: _abc.Iterable[int],
        close_refused: bool,
    ) -> None:
        """Fills a new message, which owns what came with it once nothing is wrong."""
        with Handed(close=close_refused) as given:
            take_fds(given, fds)
            if self.parts[0].is_document:
                # It takes one copy itself, once it is not too long.
                draft = Draft((self.parts[0].cls.from_json(view_bytes(data)),))
            else:
                draft = self.drafted(*copied_bytes(data, self.max_bytes))
            self.complete(value, draft, given)

    def drafted(self, copy: bytes, length: int) -> Draft:
        """The parts and the tail of a message of that length; of one that is longer
        than any may be, the copy is the beginning.
        """
        if self.tail is not None:
            self.check_bound(length)
        parts, at = [], 0
        for part in self.parts:
            it, at = part.read(copy, at)
            parts.append(it)
        draft = Draft(tuple(parts))
        if self.tail is None:
            check_size(at, length, self.contract)
        else:
            self.tail.check_length(draft, at, length, self.max_bytes, self.contract)
            draft.tail = self.tail.read(copy, at, self.contract)
        return draft

    def complete(self, value: _typing.Any, draft: Draft, given: list[int]) -> None:
        """Splits what came, checks the rules, and fills a new message."""
        draft.counts = split_fds(self.groups, draft, len(given), self.contract)
        self.rules.check(draft, 0)
        self.fill(value, draft, given)

    def fill(self, value: _typing.Any, draft: Draft, given: list[int]) -> None:
        """Puts what is right into a new message, the file descriptors last."""
        put = object.__setattr__
        for part, it in zip(self.parts, draft.parts, strict=True):
            put(value, part.attribute, it)
        if self.tail is not None:
            put(value, self.tail.attribute, draft.tail)
        put(value, "_counts", draft.counts)
        put(value, "_fds", given)
        put(value, "_open", [None])

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
        if hasattr(value, "_open"):
            raise made_already(value)
        taken = tuple(
            taken_instance(it, part.cls, self.contract, part.name)
            for part, it in zip(self.parts, parts, strict=True)
        )
        draft = Draft(taken)
        if self.tail is not None:
            draft.tail = self.tail.taken(tail, self.contract)
        several = [group_fds(it) for it in groups]
        draft.counts = tuple(len(it) for it in several)
        with Handed(close=False) as given:
            take_fds(given, _itertools.chain.from_iterable(several))
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
            self.tail.check_length(draft, at, length, self.max_bytes, self.contract)
            tail = self.tail.write(draft.tail, at, self.contract)
        check_groups(self.groups, draft, self.contract)
        self.rules.check(draft, 0)
        return tail

    def check_import(self, value: _typing.Any) -> None:
        """Check what an importer has to hold; `WireError` where it does not."""
        draft = self.draft(value)
        count, at = sum(draft.counts), 0
        for part, it in zip(self.parts, draft.parts, strict=True):
            at = part.check_import(it, at, count)
        if self.tail is not None:
            self.tail.check_import(draft.tail, at)
        self.check_own_import(draft)

    def check_own_import(self, draft: Draft) -> None:
        """The same of the message alone."""
        self.rules.check(draft, 0, at_import=True)

    def check_bound(self, length: int) -> None:
        """Refuse what is longer than the bound."""
        most = self.max_bytes
        if length > most:
            expected = f"at most {_bytes_words(most)}"
            raise WireError(Code.TOO_LARGE, self.contract, "", most, expected, length)


def _bytes_words(count: int) -> str:
    return "1 byte" if count == 1 else f"{count} bytes"
