# Types: what a key, an item or a content holds. Each reads a node of a document, makes
# what is kept of what a caller gave (`take`), takes what the `json` module has read or
# raises a doubt (`quick`), and gives what JSON has for a value (`plain`, `text`).

DOUBTS: _typing.Final = (
    LookupError,
    ValueError,
    ArithmeticError,
    RecursionError,
    TypeError,
    _struct.error,
)
"""What the fast way of reading raises when it leaves a document to the one that is
sure.
"""


def _fault(
    code: Code, place: Place, at: int, expected: str, found: int | str | None
) -> WireError:
    return WireError(code, place[0], place[1], at, expected, found)


def _fd_count(given: int) -> int:
    """How many file descriptors a caller says that came."""
    count = _operator.index(given)
    if not 0 <= count < 1 << 64:
        found = _spelled(count)
        raise OverflowError(f"expected 0 file descriptors or more, found {found}")
    return count


def _other_class(value: object, cls: type[object], place: Place) -> WireError:
    """Of a value of another class than its key takes."""
    code = Code.NULL_NOT_ALLOWED if value is None else Code.WRONG_TYPE
    found = _told_apart(_brief(_spelled(value)), cls.__name__, value)
    return _fault(code, place, 0, cls.__name__, found)


class Shape:
    """A type of JSON; this one is that of the things that need no look inside."""

    words: str
    """What `wrong_type` expects."""
    kinds: tuple[_Kind, ...]
    imports: bool = False
    """Whether something in it has conditions at import."""
    keeps_defaults: bool = False
    """Whether something in it keeps that a key with a default is absent."""
    deepens: bool = False
    """Whether something in it is as deep as a caller likes."""
    keeps_rest: bool = False
    """Whether something in it keeps members that are nobody's."""
    may_misread: bool = False
    """Whether such members may make a union in it another variant."""

    def read(self, node: _Node, place: Place, lenient: Faults) -> _typing.Any:
        raise NotImplementedError

    def take(self, value: object, place: Place) -> _typing.Any:
        raise NotImplementedError

    def quick(self, value: _typing.Any) -> _typing.Any:
        raise NotImplementedError

    def plain(self, value: _typing.Any) -> _typing.Any:
        return value

    def text(self, value: _typing.Any) -> str:
        raise NotImplementedError

    def check_import(self, value: _typing.Any, fd_count: int) -> None:
        """Nothing in it is checked at import."""

    def filled(self, value: _typing.Any) -> _typing.Any:
        return value

    def has_rest(self, value: _typing.Any) -> bool:
        """Whether it has kept such members."""
        return False

    def begin_again(self, value: _typing.Any, node: _Node) -> None:
        """Refuse what was written of a value where it says another variant."""

    def expect(self, node: _Node, place: Place) -> None:
        """Refuse null, and what is of another type."""
        if node.kind in self.kinds:
            return
        code = Code.NULL_NOT_ALLOWED if node.kind == _Kind.NULL else Code.WRONG_TYPE
        raise _fault(code, place, node.at, self.words, _found(node))

    def refused(self, value: object, place: Place) -> WireError:
        """The fault of a value of another type."""
        code = Code.NULL_NOT_ALLOWED if value is None else Code.WRONG_TYPE
        return _fault(code, place, 0, self.words, _brief(_spelled(value)))
