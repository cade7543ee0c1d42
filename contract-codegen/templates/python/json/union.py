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
        self.may_misread = not tag or any(
            it.shape is not None and it.shape.may_misread for it in variants
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

    def construct(self, cls: type[_typing.Any], given: object) -> _typing.Any:
        """A value of a variant, of what a caller gave."""
        variant = self.of[cls]
        value = object.__new__(cls)
        if variant.put is not None:
            place = (self.contract, self.content)
            variant.put(value, _shape(variant).take(given, place))
        self.rules.check(value, 0)
        return value

    def construct_open(
        self, cls: type[_typing.Any], tag: object, content: object
    ) -> _typing.Any:
        """A value of a tag that no variant has, and of what came with it."""
        place = (self.contract, self.tag)
        taken = _ANY_TEXT.take(tag, place)
        if taken in self.named:
            # It would be read as that variant.
            expected, found = "a tag that no variant has", _brief(quote_text(taken))
            raise _fault(Code.UNKNOWN_TAG, place, 0, expected, found)
        if content is not None or not self.content:
            content = _ANY_JSON.take(content, (self.contract, self.content))
            if not self.content and not content.text.startswith("{"):
                is_array = content.text.startswith("[")
                found = "an array" if is_array else _brief(content.text)
                raise _fault(Code.WRONG_TYPE, place, 0, "an object", found)
        value = object.__new__(cls)
        object.__setattr__(value, "tag", taken)
        object.__setattr__(value, "content", content)
        self.rules.check(value, 0)
        return value

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
        fd_count = _fd_count(fd_count)
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

    def nested_again(self, value: _typing.Any, node: _Node) -> None:
        shape = self.of[type(value)].shape
        if shape is None or not shape.keeps_rest:
            return
        if self.content:
            shape.begin_again(value.value, node.keys[self.content][1])
        else:
            _object(shape).nested_again(value.value, node)

    def says(self, value: _typing.Any, node: _Node) -> None:
        variant = self.of[type(value)]
        try:
            said, _ = self.tagged(node)
        except WireError:
            said = None
        if said is not variant:
            place = (self.contract, self.tag)
            expected = "members that say no other variant"
            raise _fault(Code.UNKNOWN_TAG, place, 0, expected, None)
        if not self.content and variant.shape is not None:
            _object(variant.shape).says(value.value, node)


def _shape(variant: Variant) -> Shape:
    return _typing.cast("Shape", variant.shape)


def _object(shape: Shape) -> _Object:
    return _typing.cast("_Object", shape)


def _required(variant: Variant) -> _abc.Set[str]:
    return variant.shape.required if isinstance(variant.shape, Recipe) else frozenset()
