# Documents: the reader that is sure. It finds every place; the fast way of reading has
# none, and leaves to this one whatever it does not take.


Place: _typing.TypeAlias = "tuple[str, str]"
"""A contract and its key."""

Faults: _typing.TypeAlias = "list[WireError] | None"
"""Where lenient reading puts what it forgives; None where nothing is forgiven."""


class _Kind(_enum.IntEnum):
    NULL = 0
    TRUTH = 1
    NUMBER = 2
    STRING = 3
    ARRAY = 4
    OBJECT = 5


class _Node:
    """A value of a document: what it is and where it stands."""

    __slots__ = ("at", "items", "keys", "kind", "text", "token")

    def __init__(self, kind: _Kind, at: int, token: str = "", text: str = "") -> None:
        self.kind = kind
        self.at = at
        self.token = token
        """A scalar as it is spelled."""
        self.text = text
        """A string without its escapes."""
        self.items = [] if kind is _Kind.ARRAY else _NO_ITEMS
        """What an array holds."""
        self.keys = {} if kind is _Kind.OBJECT else _NO_KEYS
        """An object's keys, each with its own node and that of its value."""


# Nobody adds to them: most nodes are scalars, and need none of their own.
_NO_ITEMS: _typing.Final[list[_Node]] = []
_NO_KEYS: _typing.Final[dict[str, tuple[_Node, _Node]]] = {}


_SPACE: _typing.Final = _re.compile(rb"[ \t\n\r]*")
_PLAIN: _typing.Final = _re.compile(rb'[^"\\\x00-\x1f]*')
_DIGITS: _typing.Final = _re.compile(rb"[0-9]*")
_ESCAPES: _typing.Final = {
    b'"': '"',
    b"\\": "\\",
    b"/": "/",
    b"b": "\b",
    b"f": "\f",
    b"n": "\n",
    b"r": "\r",
    b"t": "\t",
}
_LITERALS: _typing.Final = {b"t": b"true", b"f": b"false", b"n": b"null"}


def _end(pattern: _re.Pattern[bytes], source: bytes, at: int) -> int:
    found = pattern.match(source, at)
    return found.end() if found else at


class _Scanner:
    """Reads a whole document, without recursion, and stops at its first fault."""

    def __init__(self, source: bytes, max_depth: int, contract: str) -> None:
        self.source = source
        self.max_depth = max_depth
        self.contract = contract
        self.twice: _Node | None = None

    def document(self) -> _Node:
        """The outermost value; syntax and depth come before keys that stand twice."""
        root = self._value(_end(_SPACE, self.source, 0))
        if self.twice is not None:
            key = self.twice
            expected, found = "each key once", _brief(key.token)
            raise WireError(
                Code.DUPLICATE_KEY, self.contract, "", key.at, expected, found
            )
        return root

    def _value(self, at: int) -> _Node:
        source = self.source
        root: _Node | None = None
        stack: list[_Node] = []
        key: _Node | None = None
        expected = "a value"
        while True:
            first = source[at : at + 1]
            if first in (b"{", b"["):
                if len(stack) >= self.max_depth:
                    expected = f"at most {self.max_depth} levels"
                    raise WireError(Code.TOO_DEEP, self.contract, "", at, expected)
                node = _Node(_Kind.OBJECT if first == b"{" else _Kind.ARRAY, at)
                after = at + 1
            else:
                node, after = self._scalar(at, expected)
            if root is None:
                root = node
            elif key is None:
                stack[-1].items.append(node)
            else:
                stack[-1].keys.setdefault(key.text, (key, node))
            at = _end(_SPACE, source, after)
            if node.kind >= _Kind.ARRAY:
                is_object = node.kind == _Kind.OBJECT
                if source[at : at + 1] != (b"}" if is_object else b"]"):
                    stack.append(node)
                    key = None
                    expected = "a value or `]`"
                    if is_object:
                        key, at = self._key(at, "a key or `}`", node)
                        expected = "a value"
                    continue
                at = _end(_SPACE, source, at + 1)
            while stack and source[at : at + 1] == _closing(stack[-1]):
                stack.pop()
                at = _end(_SPACE, source, at + 1)
            if not stack:
                if at != len(source):
                    raise self._syntax(at, "the end")
                return root
            is_object = stack[-1].kind == _Kind.OBJECT
            if source[at : at + 1] != b",":
                raise self._syntax(at, "`,` or `}`" if is_object else "`,` or `]`")
            at = _end(_SPACE, source, at + 1)
            key = None
            expected = "a value"
            if is_object:
                key, at = self._key(at, "a key", stack[-1])

    def _key(self, at: int, expected: str, node: _Node) -> tuple[_Node, int]:
        if self.source[at : at + 1] != b'"':
            raise self._syntax(at, expected)
        text, end = self._string(at)
        key = _Node(_Kind.STRING, at, self.source[at:end].decode(), text)
        if self.twice is None and text in node.keys:
            self.twice = key
        end = _end(_SPACE, self.source, end)
        if self.source[end : end + 1] != b":":
            raise self._syntax(end, "`:`")
        return key, _end(_SPACE, self.source, end + 1)

    def _scalar(self, at: int, expected: str) -> tuple[_Node, int]:
        first = self.source[at : at + 1]
        text = ""
        if first == b'"':
            kind = _Kind.STRING
            text, end = self._string(at)
        elif first in _LITERALS:
            word = _LITERALS[first]
            kind = _Kind.NULL if first == b"n" else _Kind.TRUTH
            for end in range(at + 1, at + len(word)):
                if self.source[end : end + 1] != word[end - at : end - at + 1]:
                    raise self._syntax(end, f"`{word.decode()}`")
            end = at + len(word)
        elif first.isdigit() or first == b"-":
            kind = _Kind.NUMBER
            end = self._number(at)
        else:
            raise self._syntax(at, expected)
        return _Node(kind, at, self.source[at:end].decode(), text), end

    def _number(self, at: int) -> int:
        source = self.source
        start = at + (source[at : at + 1] == b"-")
        end = self._digits(start)
        if end > start + 1 and source[start : start + 1] == b"0":
            raise self._syntax(start + 1, "no digit after a leading zero")
        if source[end : end + 1] == b".":
            end = self._digits(end + 1)
        if source[end : end + 1] in (b"e", b"E"):
            end += 1
            end = self._digits(end + (source[end : end + 1] in (b"+", b"-")))
        return end

    def _digits(self, at: int) -> int:
        end = _end(_DIGITS, self.source, at)
        if end == at:
            raise self._syntax(at, "a digit")
        return end

    def _string(self, at: int) -> tuple[str, int]:
        source = self.source
        parts: list[str] = []
        start = at + 1
        while True:
            end = _end(_PLAIN, source, start)
            parts.append(source[start:end].decode())
            stop = source[end : end + 1]
            if stop == b'"':
                return "".join(parts), end + 1
            if stop != b"\\":
                raise self._syntax(
                    end, "an escape" if stop else "the end of the string"
                )
            letter = source[end + 1 : end + 2]
            if letter in _ESCAPES:
                parts.append(_ESCAPES[letter])
                start = end + 2
            elif letter == b"u":
                text, start = self._unit(end)
                parts.append(text)
            else:
                raise self._syntax(end + 1, "an escape")

    def _unit(self, at: int) -> tuple[str, int]:
        high = self._hex(at + 2)
        if not 0xD800 <= high <= 0xDFFF:
            return chr(high), at + 6
        pair = _PAIR.match(self.source, at)
        if pair is None:
            expected = "a pair of surrogates"
            raise WireError(Code.BAD_UTF8, self.contract, "", at, expected)
        low = int(pair[1], 16)
        return chr(0x10000 + (high - 0xD800) * 0x400 + low - 0xDC00), at + 12

    def _hex(self, at: int) -> int:
        for end in range(at, at + 4):
            if self.source[end : end + 1] not in _HEX:
                raise self._syntax(end, "four hexadecimal digits")
        return int(self.source[at : at + 4], 16)

    def _syntax(self, at: int, expected: str) -> WireError:
        byte = self.source[at : at + 1]
        found = f"byte {byte[0]:#04x}" if byte else "the end"
        return WireError(Code.NOT_JSON, self.contract, "", at, expected, found)


_PAIR: _typing.Final = _re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u([dD][c-fC-F][0-9a-fA-F]{2})"
)
_HEX: _typing.Final = frozenset(bytes([digit]) for digit in b"0123456789abcdefABCDEF")


def _closing(node: _Node) -> bytes:
    return b"}" if node.kind == _Kind.OBJECT else b"]"


def _scanned(
    data: Buffer | str, max_bytes: int, max_depth: int, contract: str
) -> _Node:
    """A document's outermost value, once all is well with it as JSON."""
    view = data if isinstance(data, str | bytes) else view_bytes(data)
    # Before it is copied, however long it is.
    size = len(view)
    if isinstance(view, str) and not view.isascii():
        size = _utf8_size(view)
    if size > max_bytes:
        expected = f"at most {max_bytes} bytes"
        raise WireError(Code.TOO_LARGE, contract, "", max_bytes, expected, size)
    if isinstance(view, str):
        # Half of a surrogate pair becomes bytes that are no UTF-8, which is then said.
        source = view.encode("utf-8", "surrogatepass")
    else:
        source = bytes(view)
    try:
        source.decode()
    except UnicodeDecodeError as error:
        raise WireError(Code.BAD_UTF8, contract, "", error.start, "UTF-8") from None
    return _Scanner(source, max_depth, contract).document()


def _utf8_size(text: str) -> int:
    """How many bytes a text takes, without a copy of it."""
    parts = range(0, len(text), 65_536)
    return sum(
        [len(text[at : at + 65_536].encode("utf-8", "surrogatepass")) for at in parts]
    )


def _brief(token: str) -> str:
    """A scalar as it is spelled, or as much of it as a message has room for."""
    if len(token) <= 10:
        return token
    spelled = token[:41].encode("utf-8", "replace")
    if len(spelled) <= 40:
        return token
    return spelled[:40].decode("utf-8", "ignore") + "…"


def _found(node: _Node) -> str:
    if node.kind == _Kind.ARRAY:
        return "an array"
    return "an object" if node.kind == _Kind.OBJECT else _brief(node.token)
