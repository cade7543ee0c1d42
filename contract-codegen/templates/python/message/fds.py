# Messages: file descriptors as numbers, and whose they are until a message has them


MAX_FD: _typing.Final = 2**31 - 1
"""The greatest number that a file descriptor has: they are C's `int`."""

# Their items would pass for numbers, or have none.
_UNFIT: _typing.Final = (str, bytes, bytearray)


class Handed:
    """File descriptors that a caller hands over: a list that a message keeps once all
    is right. An exception before that leaves them the caller's, or closes them.
    """

    __slots__ = ("close", "fds")

    def __init__(self, *, close: bool) -> None:
        self.close = close
        self.fds: list[_typing.Any] = []

    def __enter__(self) -> list[_typing.Any]:
        return self.fds

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> None:
        if error is None:
            return
        if not self.close:
            # A message that has the list already is left with nothing.
            self.fds.clear()
            return
        # Among them may be what is no file descriptor, or is there twice.
        self.fds[:] = {_operator.index(fd) for fd in self.fds if is_fd(fd)}
        # What the caller has to know is why they were refused.
        with _contextlib.suppress(OSError):
            close_all(self.fds)


def take_fds(into: list[_typing.Any], given: _abc.Iterable[_typing.Any]) -> None:
    """Appends the numbers that a caller gave: file descriptors, each of them once."""
    if isinstance(given, _UNFIT):
        raise TypeError(f"expected file descriptors, found {type(given).__name__}")
    into.extend(given)
    numbers: list[int] = []
    for fd in into:
        if isinstance(fd, bool) or not isinstance(fd, _typing.SupportsIndex):
            found = type(fd).__name__
            raise TypeError(f"expected the number of a file descriptor, found {found}")
        number = _operator.index(fd)
        if not 0 <= number <= MAX_FD:
            size = number.bit_length()
            shown = number if size <= 128 else f"an integer of {size} bits"
            raise ValueError(f"expected 0 to {MAX_FD}, found {shown}")
        numbers.append(number)
    if len(set(numbers)) != len(numbers):
        found = ", ".join(map(str, numbers))
        raise ValueError(f"expected file descriptors, each of them once, found {found}")
    into[:] = numbers


def is_fd(value: object) -> bool:
    """Whether it is a number that a file descriptor has."""
    if isinstance(value, bool) or not isinstance(value, _typing.SupportsIndex):
        return False
    return 0 <= _operator.index(value) <= MAX_FD


def group_fds(given: object) -> tuple[_typing.Any, ...]:
    """What was given for a group: one, none or several."""
    if given is None:
        return ()
    if isinstance(given, _typing.SupportsIndex):
        return (given,)
    if isinstance(given, _abc.Iterable) and not isinstance(given, _UNFIT):
        return tuple(given)
    raise TypeError(f"expected file descriptors, found {type(given).__name__}")


def close_all(fds: list[int]) -> None:
    """Closes each as it leaves the list, all of them although closing one may fail: the
    first failure is raised at the end.
    """
    first: OSError | None = None
    closed: list[None] = []
    try:
        while fds:
            try:
                # No instruction of Python, at which a signal's handler could lose a
                # number, stands between leaving the list and being closed.
                closed.extend(map(_os.close, map(fds.pop, (0,))))
            except OSError as error:
                first = first or error
    finally:
        if fds:
            close_all(fds)
    if first is not None:
        raise first


def fd_words(least: int, most: int) -> str:
    """`no file descriptor`, `1 file descriptor`, `0 to 4 file descriptors`."""
    if least == most <= 1:
        return "1 file descriptor" if most else "no file descriptor"
    return f"{most if least == most else f'{least} to {most}'} file descriptors"
