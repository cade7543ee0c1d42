"""A refusal as all modules that are written by hand have it."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from wirecontract.contracts import Code


class CodedError(Exception):
    """A refusal: a code, what was expected, what came, what to do."""

    code: Code
    """The number that every language of a contract knows."""
    expected: str
    """What would have been accepted."""
    found: int | str | None
    """What came instead, where that says something."""
    remedy: str
    """What to do, where that is not plain."""

    _SAYS_CODE: ClassVar[bool] = True

    def __init__(
        self,
        code: Code,
        text: str,
        *,
        expected: str = "",
        found: int | str | None = None,
        remedy: str = "",
        whole: bool = False,
    ) -> None:
        """`whole` where the text is another refusal's, which says its code and what to do."""
        if not whole:
            text = f"{code.name.lower()}: {text}" if self._SAYS_CODE else text
            text = f"{text}: {remedy}" if remedy else text
        super().__init__(text)
        self.code = code
        self.expected = expected
        self.found = found
        self.remedy = remedy

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return (_again, (type(self), self.args, getattr(self, "errno", None), self.__dict__.copy()))


_E = TypeVar("_E", bound=BaseException)


def without_frames(error: _E) -> _E:
    """An error that is kept: its frames, and those of what caused it, would keep all that is in them."""
    chain: list[BaseException | None] = [error]
    seen: set[int] = set()
    while chain:
        found = chain.pop()
        if found is not None and id(found) not in seen:
            seen.add(id(found))
            found.__traceback__ = None
            chain += [found.__cause__, found.__context__]
    return error


def _again(
    cls: type[CodedError], args: tuple[Any, ...], errno: int | None, state: dict[str, Any]
) -> CodedError:
    error = cls.__new__(cls)
    error.args = args
    error.__dict__.update(state)
    if errno is not None and isinstance(error, OSError):
        error.errno = errno
    return error
