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
            self.check_keys(data)
        return data

    def check_keys(self, data: bytes) -> None:
        """Refuse members that are nobody's, and whose key is another's too."""
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
            self.check_keys(self.text(value).encode())
        return self.plain(value)


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

    def construct(self, value: _typing.Any, *given: object) -> None:
        """Puts what a caller gave into a new value, each in its turn."""
        put = object.__setattr__
        for key, it in zip(self.keys, given, strict=True):
            if it is None and key.is_optional:
                put(value, key.name, None)
            else:
                put(value, key.name, key.shape.take(it, (self.contract, key.key)))
        self.rules.check(value, 0)

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


def missing_key(place: Place, at: int) -> WireError:
    """A required key that is absent."""
    expected = f"the key `{place[1]}`"
    return _fault(Code.MISSING_KEY, place, at, expected, None)


def _taken(
    shape: Shape, cls: type[_typing.Any], value: object, place: Place
) -> _typing.Any:
    if isinstance(value, cls):
        return value
    code = Code.NULL_NOT_ALLOWED if value is None else Code.WRONG_TYPE
    raise _fault(code, place, 0, cls.__name__, _brief(_spelled(value)))


class Variant:
    """One variant of a union."""

    def __init__(
        self,
        cls: type[_typing.Any],
        tags: tuple[str, ...],
        shape: Shape | None = None,
        *,
        default: _typing.Any = None,
        is_open: bool = False,
    ) -> None:
        self.cls = cls
        self.tags = tags
        """The tag and its aliases; none where it has none."""
        self.shape = shape
        self.default = default
        """What an absent content is read as."""
        self.is_open = is_open
        self.put = None if shape is None else value_setter(cls)
        self.denies = isinstance(shape, Recipe) and shape.deny_unknown


def value_setter(cls: type[_typing.Any]) -> _abc.Callable[[object, object], None]:
    """What puts a variant's value into its slot: it goes round the guard of a frozen
    class.
    """
    setter: _abc.Callable[[object, object], None] = cls.value.__set__
    return setter


class Union(_Object):
    """One of several contracts: internal where it has a tag, adjacent where it has a
    key for the content too, untagged where it has neither.
    """

    def __init__(
        self,
        cls: type[_typing.Any],
        rules: Rules,
        variants: tuple[Variant, ...],
        build: _abc.Callable[[dict[str, _typing.Any]], _typing.Any],
        max_bytes: int,
        max_depth: int,
        *,
        tag: str = "",
        content: str = "",
        is_last: bool = False,
        absent: int | None = None,
        is_lenient: bool = False,
    ) -> None:
        self.cls = cls
        self.contract = rules.contract
        self.rules = rules
        self.variants = variants
        self.build = build
        self.max_bytes = max_bytes
        self.max_depth = max_depth
        self.tag = tag
        self.content = content
        self.is_last = is_last
        """Whether the tag is written behind the content."""
        self.absent = absent
        """The variant that an absent tag says."""
        self.is_lenient = is_lenient
        self.named = {tag: at for at, it in enumerate(variants) for tag in it.tags}
        self.open = next((at for at, it in enumerate(variants) if it.is_open), None)
        self.of = {it.cls: it for it in variants}
        self.positions = {it.cls: at for at, it in enumerate(variants)}
        self.may_deny = not content and any(it.denies for it in variants)
        self.imports = rules.at_import or any(
            it.shape is not None and it.shape.imports for it in variants
        )
        self.keeps_defaults = any(
            it.shape is not None and it.shape.keeps_defaults for it in variants
        )
        self.deepens = any(
            it.is_open or (it.shape is not None and it.shape.deepens) for it in variants
        )
        self.keeps_rest = any(
            (it.is_open and not content)
            or (it.shape is not None and it.shape.keeps_rest)
            for it in variants
        )

    def claim(self, node: _Node, claims: _Claims) -> None:
        claims.keys |= {self.tag} - {""}
        try:
            variant, _ = self.chosen(node, [] if claims.is_lenient else None)
        except WireError:
            # That is said in its turn.
            return
        if self.content:
            if variant.is_open or variant.shape is not None:
                claims.keys.add(self.content)
        elif variant.is_open:
            claims.keeper = claims.keeper or self
        elif variant.shape is not None:
            _object(variant.shape).claim(node, claims)

    def fields(
        self, node: _Node, lenient: Faults, claims: _Claims
    ) -> tuple[Variant, _typing.Any]:
        variant, tag = self.chosen(node, lenient)
        if variant.is_open:
            return variant, (tag, self.rest(node, claims))
        if variant.shape is None:
            return variant, None
        if not self.content:
            return variant, _object(variant.shape).fields(node, lenient, claims)
        place = (self.contract, self.content)
        entry = node.keys.get(self.content)
        if entry is not None:
            return variant, variant.shape.read(entry[1], place, lenient)
        if variant.default is None:
            raise missing_key(place, node.at)
        return variant, variant.default

    def chosen(self, node: _Node, lenient: Faults) -> tuple[Variant, str]:
        """The variant, and the tag that says it."""
        try:
            return self.tagged(node)
        except WireError as fault:
            if lenient is None or not self.is_lenient or self.absent is None:
                raise
            lenient.append(fault)
            return self.variants[self.absent], ""

    def tagged(self, node: _Node) -> tuple[Variant, str]:
        """The same, but that no tag at fault is forgiven."""
        if not self.tag:
            for variant in self.variants[:-1]:
                if _required(variant) <= node.keys.keys():
                    return variant, ""
            return self.variants[-1], ""
        place = (self.contract, self.tag)
        entry = node.keys.get(self.tag)
        if entry is None:
            if self.absent is None:
                raise missing_key(place, node.at)
            return self.variants[self.absent], ""
        tag = entry[1]
        _ANY_TEXT.expect(tag, place)
        at = self.named.get(tag.text, self.open)
        if at is None:
            expected, found = f"a tag of {self.contract}", _brief(tag.token)
            raise _fault(Code.UNKNOWN_TAG, place, tag.at, expected, found)
        return self.variants[at], tag.text

    def denier(self, fields: tuple[Variant, _typing.Any]) -> str | None:
        variant, field = fields
        if self.content or variant.shape is None:
            return None
        return _object(variant.shape).denier(field)

    def finish(self, fields: tuple[Variant, _typing.Any], node: _Node) -> _typing.Any:
        variant, field = fields
        value = object.__new__(variant.cls)
        if variant.is_open:
            object.__setattr__(value, "tag", field[0])
            object.__setattr__(value, "content", field[1])
        elif variant.put is not None:
            if not self.content:
                field = _object(_shape(variant)).finish(field, node)
            variant.put(value, field)
        self.rules.check(value, node.at)
        return value

    def rest(self, node: _Node, claims: _Claims) -> Json | None:
        """What came with a tag that no variant has."""
        place = (self.contract, self.content)
        if self.content:
            entry = node.keys.get(self.content)
            return None if entry is None else _json_of(_compact(entry[1], place))
        rest = _Node(_Kind.OBJECT, node.at)
        if claims.keeper is self:
            rest.keys = {k: it for k, it in node.keys.items() if k not in claims.keys}
        return _json_of(_compact(rest, place))

    def construct(self, value: _typing.Any, given: object) -> None:
        """Puts what a caller gave into a new value of a variant."""
        variant = self.of[type(value)]
        if variant.put is not None:
            place = (self.contract, self.content)
            variant.put(value, _shape(variant).take(given, place))
        self.rules.check(value, 0)

    def construct_open(self, value: _typing.Any, tag: object, content: object) -> None:
        """Puts a tag that no variant has, and what came with it, into a new value."""
        place = (self.contract, self.tag)
        taken = _ANY_TEXT.take(tag, place)
        if taken in self.named:
            # It would be read as that variant.
            expected, found = "a tag that no variant has", _brief(quote_text(taken))
            raise _fault(Code.UNKNOWN_TAG, place, 0, expected, found)
        object.__setattr__(value, "tag", taken)
        if content is not None or not self.content:
            content = _ANY_JSON.take(content, (self.contract, self.content))
            if not self.content and not content.text.startswith("{"):
                is_array = content.text.startswith("[")
                found = "an array" if is_array else _brief(content.text)
                raise _fault(Code.WRONG_TYPE, place, 0, "an object", found)
        object.__setattr__(value, "content", content)
        self.rules.check(value, 0)

    def take(self, value: object, place: Place) -> _typing.Any:
        return _taken(self, self.cls, value, place)

    def known(self, members: dict[str, _typing.Any]) -> _abc.Set[str]:
        own = {self.tag} - {""}
        shape = self.picked(members).shape
        if shape is None:
            return own
        return own | ({self.content} if self.content else _object(shape).known(members))

    def picked(self, members: dict[str, _typing.Any]) -> Variant:
        if not self.tag:
            for variant in self.variants[:-1]:
                if _required(variant) <= members.keys():
                    return variant
            return self.variants[-1]
        tag = members.get(self.tag)
        if tag is None:
            if self.absent is None or self.tag in members:
                raise LookupError
            return self.variants[self.absent]
        return self.variants[self.named[tag]]

    def quick(self, value: _typing.Any) -> _typing.Any:
        if type(value) is not dict:
            raise LookupError
        denies = self.may_deny and self.picked(value).denies
        if denies and not value.keys() <= self.known(value):
            raise LookupError
        return self.build(value)

    def members(self, value: _typing.Any, out: list[str]) -> None:
        variant = self.of[type(value)]
        tags: list[str] = []
        if variant.is_open:
            tags.append(f"{quote_text(self.tag)}:{quote_text(value.tag)}")
        elif variant.tags:
            tags.append(f"{quote_text(self.tag)}:{quote_text(variant.tags[0])}")
        if not self.is_last:
            out += tags
        if self.content:
            if variant.is_open:
                if value.content is not None:
                    out.append(f"{quote_text(self.content)}:{value.content.text}")
            elif variant.shape is not None:
                text = variant.shape.text(value.value)
                out.append(f"{quote_text(self.content)}:{text}")
        elif variant.is_open:
            if value.content.text != "{}":
                out.append(value.content.text[1:-1])
        elif variant.shape is not None:
            _object(variant.shape).members(value.value, out)
        if self.is_last:
            out += tags

    def plain_members(self, value: _typing.Any, out: dict[str, _typing.Any]) -> None:
        variant = self.of[type(value)]
        tags: dict[str, str] = {}
        if variant.is_open:
            tags[self.tag] = value.tag
        elif variant.tags:
            tags[self.tag] = variant.tags[0]
        if not self.is_last:
            out.update(tags)
        if self.content:
            if variant.is_open:
                if value.content is not None:
                    out[self.content] = value.content.value
            elif variant.shape is not None:
                out[self.content] = variant.shape.plain(value.value)
        elif variant.is_open:
            out.update(value.content.value)
        elif variant.shape is not None:
            _object(variant.shape).plain_members(value.value, out)
        if self.is_last:
            out.update(tags)

    def check_import(self, value: _typing.Any, fd_count: int) -> None:
        shape = self.of[type(value)].shape
        if shape is not None and shape.imports:
            shape.check_import(value.value, fd_count)
        self.rules.check(value, 0, fd_count, at_import=True)

    def filled(self, value: _typing.Any) -> _typing.Any:
        variant = self.of[type(value)]
        if variant.put is None or not _shape(variant).keeps_defaults:
            return value
        filled = object.__new__(variant.cls)
        variant.put(filled, _shape(variant).filled(value.value))
        self.rules.check(filled, 0)
        return filled

    def has_rest(self, value: _typing.Any) -> bool:
        variant = self.of[type(value)]
        if variant.is_open:
            return not self.content and value.content.text != "{}"
        shape = variant.shape
        return shape is not None and shape.keeps_rest and shape.has_rest(value.value)


def _shape(variant: Variant) -> Shape:
    return _typing.cast("Shape", variant.shape)


def _object(shape: Shape) -> _Object:
    return _typing.cast("_Object", shape)


def _required(variant: Variant) -> _abc.Set[str]:
    return variant.shape.required if isinstance(variant.shape, Recipe) else frozenset()
