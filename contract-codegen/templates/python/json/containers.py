class ArrayShape(Shape):
    """An array: exactly so many items, at most so many, or any number."""

    words = "an array"
    kinds = (_Kind.ARRAY,)

    def __init__(
        self,
        item: Shape,
        length: int | None = None,
        max_items: int | None = None,
    ) -> None:
        self.item = item
        self.length = length
        self.limit = max_items if length is None else length
        self.imports = item.imports
        self.keeps_defaults = item.keeps_defaults
        self.deepens = item.deepens
        self.keeps_rest = item.keeps_rest
        self.may_misread = item.may_misread

    def read(self, node: _Node, place: Place, lenient: Faults) -> _typing.Any:
        self.expect(node, place)
        items = []
        for at, item in enumerate(node.items):
            if self.limit is not None and at >= self.limit:
                raise self.too_many(place, item.at)
            items.append(self.item.read(item, place, lenient))
        if self.length is not None and len(items) < self.length:
            expected = f"{self.length} items"
            raise _fault(Code.TOO_SHORT, place, node.at, expected, len(items))
        return tuple(items)

    def too_many(self, place: Place, at: int) -> WireError:
        most = "at most " if self.length is None else ""
        return _fault(Code.TOO_MANY, place, at, f"{most}{self.limit} items", None)

    def take(self, value: object, place: Place) -> _typing.Any:
        if not isinstance(value, _abc.Collection) or isinstance(
            value, str | _abc.Mapping | _abc.Set
        ):
            raise self.refused(value, place)
        items = []
        for at, item in enumerate(value):
            if self.limit is not None and at >= self.limit:
                raise self.too_many(place, 0)
            items.append(self.item.take(item, place))
        if self.length is not None and len(items) < self.length:
            expected = f"{self.length} items"
            raise _fault(Code.TOO_SHORT, place, 0, expected, len(items))
        return tuple(items)

    def quick(self, value: _typing.Any) -> _typing.Any:
        if type(value) is not list:
            raise LookupError
        size = len(value)
        if self.limit is not None and size > self.limit:
            raise LookupError
        if self.length is not None and size != self.length:
            raise LookupError
        quick = self.item.quick
        return tuple([quick(item) for item in value])

    def plain(self, value: _typing.Any) -> _typing.Any:
        return [self.item.plain(item) for item in value]

    def text(self, value: _typing.Any) -> str:
        text = self.item.text
        return f"[{','.join([text(item) for item in value])}]"

    def check_import(self, value: _typing.Any, fd_count: int) -> None:
        for item in value:
            self.item.check_import(item, fd_count)

    def filled(self, value: _typing.Any) -> _typing.Any:
        return tuple([self.item.filled(item) for item in value])

    def has_rest(self, value: _typing.Any) -> bool:
        return self.keeps_rest and any(self.item.has_rest(item) for item in value)

    def begin_again(self, value: _typing.Any, node: _Node) -> None:
        if self.may_misread:
            for item, written in zip(value, node.items, strict=False):
                self.item.begin_again(item, written)


class MapShape(Shape):
    """An object of any keys, whose values are text."""

    words = "an object"
    kinds = (_Kind.OBJECT,)

    def __init__(
        self, max_items: int | None = None, max_len: int | None = None
    ) -> None:
        self.max_items = max_items
        self.item = TextShape(max_len)

    def read(self, node: _Node, place: Place, lenient: Faults) -> TextMap:
        self.expect(node, place)
        members: dict[str, str] = {}
        for name, (key, value) in node.keys.items():
            if self.max_items is not None and len(members) >= self.max_items:
                raise self.too_many(place, key.at)
            _bounded(name, self.item.max_len, place, key.at)
            members[name] = self.item.read(value, place, lenient)
        return TextMap(members)

    def too_many(self, place: Place, at: int) -> WireError:
        expected = f"at most {self.max_items} members"
        return _fault(Code.TOO_MANY, place, at, expected, None)

    def take(self, value: object, place: Place) -> TextMap:
        if not isinstance(value, _abc.Mapping):
            raise self.refused(value, place)
        members: dict[str, str] = {}
        # As they are written: the first fault is the same whatever their order is.
        for key in sorted(value, key=lambda key: key if isinstance(key, str) else ""):
            if self.max_items is not None and len(members) >= self.max_items:
                raise self.too_many(place, 0)
            members[self.item.take(key, place)] = self.item.take(value[key], place)
        return TextMap(members)

    def quick(self, value: _typing.Any) -> TextMap:
        if type(value) is not dict:
            raise LookupError
        if self.max_items is not None and len(value) > self.max_items:
            raise LookupError
        quick = self.item.quick
        return TextMap({quick(key): quick(item) for key, item in value.items()})

    def plain(self, value: TextMap) -> dict[str, str]:
        return dict(value)

    def text(self, value: TextMap) -> str:
        return map_text(value)


class JsonShape(Shape):
    """Any JSON, null included."""

    words = "a value"
    kinds = tuple(_Kind)
    deepens = True

    def __init__(self, max_len: int | None = None) -> None:
        self.max_len = max_len

    def read(self, node: _Node, place: Place, lenient: Faults) -> Json:
        text = _compact(node, place)
        return _json_of(_bounded(text, self.max_len, place, node.at))

    def take(self, value: object, place: Place) -> Json:
        if not isinstance(value, Json):
            expected = "Json"
            found = _told_apart(type(value).__name__, expected, value)
            raise _fault(Code.WRONG_TYPE, place, 0, expected, found)
        _bounded(value.text, self.max_len, place, 0)
        return value

    def quick(self, value: _typing.Any) -> Json:
        text = _respelled(value)
        limit = self.max_len
        if limit is not None and len(text) * 4 > limit and len(text.encode()) > limit:
            raise LookupError
        return _json_of(text)

    def plain(self, value: Json) -> _typing.Any:
        return value.value

    def text(self, value: Json) -> str:
        return value.text


class Spelled(float):
    """A number with a point or an exponent, and how it was spelled."""

    __slots__ = ("token",)

    token: str

    def __new__(cls, token: str) -> _typing_extensions.Self:
        if len(token) > 256:
            raise LookupError
        number = float.__new__(cls, token)
        number.token = token
        return number


def _respelled(value: _typing.Any) -> str:
    kind = type(value)
    if kind is str:
        return quote_text(value)
    if kind is int:
        return str(value)
    if kind is Spelled:
        return str(value.token)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is list:
        return f"[{','.join([_respelled(item) for item in value])}]"
    members = [f"{quote_text(key)}:{_respelled(item)}" for key, item in value.items()]
    return f"{{{','.join(members)}}}"
