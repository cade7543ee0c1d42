# Messages: what owns file descriptors


class Owner:
    """Owns file descriptors until it is closed, or gives them away."""

    __slots__ = ("_counts", "_fds", "_open")

    # Nothing of it is assigned anew once it is made: these two lists only lose items,
    # each of them to one thread.
    _open: list[None]
    """One item until somebody closes it or takes what it owns."""
    _fds: list[int]
    _counts: tuple[int, ...]
    """How many each group has."""

    @property
    def closed(self) -> bool:
        """Whether it was closed, or gave its file descriptors away."""
        return not getattr(self, "_open", None)

    def close(self) -> None:
        """Close the file descriptors, all of them whatever closing one of them raises.
        Once more, it does nothing.
        """
        if self._ended():
            close_all(self._fds)

    def detach(self) -> list[int]:
        """Give the file descriptors to the caller, in the order of their groups; none
        where it is closed. It is closed then.
        """
        fds: list[int] = []
        if self._ended():
            fds.extend(self._fds)
            self._fds.clear()
        return fds

    def _ended(self) -> bool:
        """Whether this call ended it: that is so for one of all threads."""
        try:
            self._open.pop()
        except (AttributeError, IndexError):
            return False
        return True

    def _owned(self) -> tuple[int, ...]:
        fds = tuple(self._fds)
        # It is ended before a number leaves the list: none is missing where it is open.
        if self.closed:
            raise ValueError("expected an open message, found one that is closed")
        return fds

    def _group(self, index: int) -> tuple[int, ...]:
        start = sum(self._counts[:index])
        return self._owned()[start : start + self._counts[index]]

    def __enter__(self) -> _typing.Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        fds: list[int] | None = getattr(self, "_fds", None)
        if not fds:
            return
        try:
            # A filter may make an exception of it.
            text = f"unclosed message {type(self).__name__}"
            _warnings.warn(text, ResourceWarning, stacklevel=2, source=self)
        finally:
            close_all(fds)

    def __reduce_ex__(self, protocol: _typing.SupportsIndex, /) -> _typing.NoReturn:
        raise no_copies(self)

    def __repr__(self) -> str:
        names: tuple[str, ...] = _typing.cast("_typing.Any", self).__match_args__
        first = len(names) - len(self._counts)
        texts = [f"{name}={getattr(self, name)!r}" for name in names[:first]]
        try:
            texts += [f"{name}={getattr(self, name)}" for name in names[first:]]
        except ValueError:
            texts.append("closed")
        return f"{type(self).__name__}({', '.join(texts)})"


def no_copies(owner: object) -> TypeError:
    """Of what is to be copied or pickled, and would have two owners."""
    return TypeError(
        f"cannot copy or pickle {type(owner).__name__}, which owns file descriptors: "
        "make another of duplicates of them (os.dup), or send what to_message gives"
    )


def made_already(value: object) -> TypeError:
    """Of a second call of a constructor."""
    return TypeError(f"this {type(value).__name__} is made: construct another one")
