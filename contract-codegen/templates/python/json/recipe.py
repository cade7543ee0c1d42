class Recipe(_Object):
    """A JSON object."""

    def __init__(
        self,
        cls: type[_typing.Any],
        rules: Rules,
        keys: tuple[Key, ...],
        build: _abc.Callable[[dict[str, _typing.Any]], _typing.Any],
        write: _abc.Callable[[_typing.Any, list[str]], None],
        max_bytes: int,
        max_depth: int,
        deny_unknown: bool = False,
    ) -> None:
        self.cls = cls
        self.contract = rules.contract
        self.rules = rules
        self.keys = keys
        self.build = build
        self.write = write
        self.max_bytes = max_bytes
        self.max_depth = max_depth
        self.deny_unknown = deny_unknown
        self.imports = rules.at_import or any(key.imports for key in keys)
        self.keeps_defaults = any(
            (key.is_optional and key.default is not None) or key.shape.keeps_defaults
            for key in keys
        )
        self.deepens = any(key.shape.deepens for key in keys)
        self.keeping = tuple(key for key in keys if key.shape.keeps_rest)
        self.keeps_rest = bool(self.keeping)
        self.own = frozenset(key.key for key in keys if not key.is_flat)
        self.required = frozenset(
            key.key for key in keys if key.is_required and not key.is_flat
        )
        self.flat = tuple(_object(key.shape) for key in keys if key.is_flat)
        self.may_misread = len(self.flat) > 1 or any(
            key.shape.may_misread for key in keys
        )

    def claim(self, node: _Node, claims: _Claims) -> None:
        claims.keys |= self.own
        for shape in self.flat:
            shape.claim(node, claims)

    def fields(
        self, node: _Node, lenient: Faults, claims: _Claims
    ) -> list[_typing.Any]:
        fields = []
        for key in self.keys:
            if key.is_flat:
                # Whole before what comes behind it is looked at, but for unknown keys.
                shape = _object(key.shape)
                part = shape.fields(node, lenient, claims)
                fields.append(shape.finish(part, node))
                continue
            mark = 0 if lenient is None else len(lenient)
            try:
                fields.append(self.field(key, node, lenient))
            except WireError as fault:
                if lenient is None or not key.is_lenient:
                    raise
                # What was forgiven inside is absent with the whole.
                lenient[mark:] = [fault]
                fields.append(key.absent)
        return fields

    def field(self, key: Key, node: _Node, lenient: Faults) -> _typing.Any:
        place = (self.contract, key.key)
        entry = node.keys.get(key.key)
        if entry is None:
            if key.is_required:
                raise missing_key(place, node.at)
            return key.absent
        if key.is_nullable and entry[1].kind == _Kind.NULL:
            return key.absent
        return key.shape.read(entry[1], place, lenient)

    def denier(self, fields: list[_typing.Any]) -> str | None:
        return self.contract if self.deny_unknown else None

    def finish(self, fields: list[_typing.Any], node: _Node) -> _typing.Any:
        value = self.made(fields)
        self.rules.check(value, node.at)
        return value

    def made(self, fields: _abc.Iterable[_typing.Any]) -> _typing.Any:
        """A value of what is known to fit."""
        value = object.__new__(self.cls)
        put = object.__setattr__
        for key, field in zip(self.keys, fields, strict=True):
            put(value, key.name, field)
        return value

    def construct(self, *given: object) -> _typing.Any:
        """A value of what a caller gave, each taken in its turn."""
        value = object.__new__(self.cls)
        put = object.__setattr__
        for key, it in zip(self.keys, given, strict=True):
            if it is None and key.is_optional:
                put(value, key.name, None)
            else:
                put(value, key.name, key.shape.take(it, (self.contract, key.key)))
        self.rules.check(value, 0)
        return value

    def take(self, value: object, place: Place) -> _typing.Any:
        return _taken(self, self.cls, value, place)

    def known(self, members: dict[str, _typing.Any]) -> _abc.Set[str]:
        if not self.flat:
            return self.own
        return self.own.union(*[shape.known(members) for shape in self.flat])

    def quick(self, value: _typing.Any) -> _typing.Any:
        if type(value) is not dict:
            raise LookupError
        if self.deny_unknown and not value.keys() <= self.known(value):
            raise LookupError
        return self.build(value)

    def members(self, value: _typing.Any, out: list[str]) -> None:
        self.write(value, out)

    def plain_members(self, value: _typing.Any, out: dict[str, _typing.Any]) -> None:
        for key in self.keys:
            field = getattr(value, key.name)
            if key.is_flat:
                _object(key.shape).plain_members(field, out)
            elif field is None:
                if key.is_null:
                    out[key.key] = None
            elif not key.is_skipped or field != key.default:
                out[key.key] = key.shape.plain(field)

    def check_import(self, value: _typing.Any, fd_count: int) -> None:
        fd_count = _fd_count(fd_count)
        for key in self.keys:
            if key.imports:
                field = getattr(value, key.name)
                if field is not None:
                    key.shape.check_import(field, fd_count)
        self.rules.check(value, 0, fd_count, at_import=True)

    def filled(self, value: _typing.Any) -> _typing.Any:
        if not self.keeps_defaults:
            return value
        fields = []
        for key in self.keys:
            field = getattr(value, key.name)
            if field is None:
                field = key.default
            elif key.shape.keeps_defaults:
                field = key.shape.filled(field)
            fields.append(field)
        filled = self.made(fields)
        self.rules.check(filled, 0)
        return filled

    def has_rest(self, value: _typing.Any) -> bool:
        for key in self.keeping:
            field = getattr(value, key.name)
            if field is not None and key.shape.has_rest(field):
                return True
        return False

    def nested_again(self, value: _typing.Any, node: _Node) -> None:
        for key in self.keeping:
            field = getattr(value, key.name)
            if key.is_flat:
                _object(key.shape).nested_again(field, node)
            elif field is not None and key.key in node.keys:
                # A default may be left out.
                key.shape.begin_again(field, node.keys[key.key][1])

    def says(self, value: _typing.Any, node: _Node) -> None:
        for key in self.keys:
            if key.is_flat:
                _object(key.shape).says(getattr(value, key.name), node)


def missing_key(place: Place, at: int) -> WireError:
    """A required key that is absent."""
    expected = f"the key `{place[1]}`"
    return _fault(Code.MISSING_KEY, place, at, expected, None)


def _taken(
    shape: Shape, cls: type[_typing.Any], value: object, place: Place
) -> _typing.Any:
    if isinstance(value, cls):
        return value
    raise _other_class(value, cls, place)
