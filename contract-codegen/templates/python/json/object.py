# Recipes and unions: the tables that stand for them


class Key:
    """One key of a recipe."""

    def __init__(
        self,
        name: str,
        key: str,
        shape: Shape,
        *,
        is_flat: bool = False,
        is_optional: bool = False,
        default: _typing.Any = None,
        is_nullable: bool = False,
        is_lenient: bool = False,
        is_skipped: bool = False,
        is_null: bool = False,
        is_imported: bool = True,
    ) -> None:
        self.name = name
        """The attribute."""
        self.key = key
        """As the document spells it."""
        self.shape = shape
        self.is_flat = is_flat
        self.is_optional = is_optional
        self.default = default
        self.is_nullable = is_nullable
        self.is_lenient = is_lenient
        self.is_skipped = is_skipped
        """Whether the default is left out in writing."""
        self.is_null = is_null
        """Whether absence is written as null."""
        self.imports = is_imported and shape.imports
        self.is_required = not is_optional and default is None
        self.absent = None if is_optional else default


class _Claims:
    """The keys of an object that somebody has."""

    __slots__ = ("is_lenient", "keeper", "keys")

    def __init__(self, is_lenient: bool) -> None:
        self.is_lenient = is_lenient
        """Whether lenient tags at fault count as absent."""
        self.keys: set[str] = set()
        self.keeper: Union | None = None
        """The union that keeps all others: the first one, if there are two."""


class _Object(Shape):
    """A recipe or a union: something whose keys may stand in another one's object."""

    words = "an object"
    kinds = (_Kind.OBJECT,)
    contract: str
    max_bytes: int
    max_depth: int

    def claim(self, node: _Node, claims: _Claims) -> None:
        """Say which of the object's keys are its own."""
        raise NotImplementedError

    def fields(self, node: _Node, lenient: Faults, claims: _Claims) -> _typing.Any:
        """What the keys in declared order hold."""
        raise NotImplementedError

    def denier(self, fields: _typing.Any) -> str | None:
        """The contract that refuses unknown keys, where one does."""
        raise NotImplementedError

    def finish(self, fields: _typing.Any, node: _Node) -> _typing.Any:
        """The value, once its conditions and rules hold."""
        raise NotImplementedError

    def known(self, members: dict[str, _typing.Any]) -> _abc.Set[str]:
        """Its keys in an object that the `json` module has read."""
        raise NotImplementedError

    def members(self, value: _typing.Any, out: list[str]) -> None:
        """Append what stands between the braces."""
        raise NotImplementedError

    def plain_members(self, value: _typing.Any, out: dict[str, _typing.Any]) -> None:
        raise NotImplementedError

    def nested_again(self, value: _typing.Any, node: _Node) -> None:
        """Begin to read what is nested in an object again."""
        raise NotImplementedError

    def says(self, value: _typing.Any, node: _Node) -> None:
        """Refuse an object of which a union would be another variant."""
        raise NotImplementedError

    def begin_again(self, value: _typing.Any, node: _Node) -> None:
        self.nested_again(value, node)
        self.says(value, node)

    def read(self, node: _Node, place: Place, lenient: Faults) -> _typing.Any:
        self.expect(node, place)
        claims = _Claims(is_lenient=lenient is not None)
        self.claim(node, claims)
        fields = self.fields(node, lenient, claims)
        denier = self.denier(fields)
        if denier is not None and claims.keeper is None:
            for text, (key, _) in node.keys.items():
                if text not in claims.keys:
                    expected, found = f"a key of {denier}", _brief(key.token)
                    raise WireError(
                        Code.UNKNOWN_KEY, denier, "", key.at, expected, found
                    )
        return self.finish(fields, node)

    def text(self, value: _typing.Any) -> str:
        out: list[str] = []
        self.members(value, out)
        return f"{{{','.join(out)}}}"

    def plain(self, value: _typing.Any) -> dict[str, _typing.Any]:
        out: dict[str, _typing.Any] = {}
        self.plain_members(value, out)
        return out

    # Documents

    def read_document(self, data: Buffer | str, to: Faults = None) -> _typing.Any:
        """The value of a document, or its first fault with its place."""
        node = _scanned(data, self.max_bytes, self.max_depth, self.contract)
        return self.read(node, (self.contract, ""), to)

    def read_plain(self, value: object) -> _typing.Any:
        """The value of what the `json` module would have read."""
        place = (self.contract, "")
        node = _noded(value, self.max_bytes, self.max_depth, place)
        return self.read(node, place, None)

    def document(self, value: _typing.Any, out: list[str]) -> bytes:
        """A document of what stands between its braces, where it may be that long."""
        text = f"{{{','.join(out)}}}"
        data = text.encode()
        place = (self.contract, "")
        if len(data) > self.max_bytes:
            expected = f"at most {self.max_bytes} bytes"
            raise _fault(Code.TOO_LARGE, place, 0, expected, len(data))
        if self.deepens and depth_of(text, self.max_depth) > self.max_depth:
            expected = f"at most {self.max_depth} levels"
            raise _fault(Code.TOO_DEEP, place, 0, expected, None)
        if self.keeps_rest and self.has_rest(value):
            self.check_rest(value, data)
        return data

    def check_rest(self, value: _typing.Any, data: bytes) -> None:
        """Refuse members that are nobody's, and whose key is another's too, or makes a
        union another variant.
        """
        self.check_keys(data)
        if self.may_misread:
            node = _Scanner(data, _ANY_DEPTH, self.contract).document()
            self.begin_again(value, node)

    def check_keys(self, data: bytes) -> None:
        try:
            decode_plain(data.decode(), 0)
        except DOUBTS:
            pass
        else:
            return
        try:
            _Scanner(data, _ANY_DEPTH, self.contract).document()
        except WireError as fault:
            raise _moved(fault, 0) from None

    def plain_document(self, value: _typing.Any) -> dict[str, _typing.Any]:
        """What the `json` module would have read."""
        if self.keeps_rest and self.has_rest(value):
            self.check_rest(value, self.text(value).encode())
        return self.plain(value)
