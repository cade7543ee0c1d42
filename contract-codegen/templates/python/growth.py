# Growing: descriptors that have had smaller versions, all of which are read


class Growth:
    """How a descriptor has grown at its end: the size of each version, and the bytes
    that stand for what older ones have not.
    """

    def __init__(
        self,
        contract: str,
        sizes: tuple[int, ...],
        tail: bytes,
        *,
        big: bytes | None = None,
        magics: tuple[tuple[int, bytes, str], ...] = (),
        version: tuple[int, str, str] | None = None,
        holes: tuple[tuple[int, int, int], ...] = (),
        added: tuple[tuple[int, int, int, str, str], ...] = (),
    ) -> None:
        """Behind the first version's bytes stands `tail`, or `big` on a big-endian
        machine where that is another. What is constant and what says the version: a
        byte, what is there, a field. Holes, which older versions had reserved, and
        fields that came later: the version they came with, first byte and last.
        """
        if big is not None and NATIVE_ORDER == "big":
            tail = big
        self.contract = contract
        self.sizes = sizes
        self.newest = len(sizes)
        self.defaults = bytes(sizes[0]) + tail
        self.magics = magics
        self.version = version
        self.holes = holes
        self.added = added

    def version_of(self, data: Buffer) -> int:
        """The version of bytes, of which nothing but length, magic and version is
        looked at.
        """
        view = view_bytes(data)
        return self._version(self._head(view), view.nbytes, is_lax=False)

    def prefix(self, view: memoryview) -> int:
        """How many of the first bytes are the descriptor: its version field says it."""
        version = self._said(self._head(view), view.nbytes, is_lax=False)
        size = self.sizes[version - 1]
        if view.nbytes < size:
            raise size_error(view.nbytes, size, self.contract)
        return size

    def image(self, data: Buffer, *, is_lax: bool = False) -> tuple[int, bytes]:
        """The version of bytes, and what they are in the newest one: themselves where
        they are of it and nobody can change them. Of a version that is not known yet,
        which only a lax reader takes, it is as much as is known.
        """
        view = view_bytes(data)
        copy = data if type(data) is bytes else view[: self.sizes[-1]].tobytes()
        version = self._version(copy, view.nbytes, is_lax=is_lax)
        if version == self.newest:
            return version, copy
        if version > self.newest:
            image = bytearray(copy[: self.sizes[-1]])
        else:
            image = bytearray(self.defaults)
            image[: len(copy)] = copy
            for since, start, end in self.holes:
                if version < since:
                    image[start:end] = bytes(end - start)
        if self.version is not None:
            at, form, _field = self.version
            _struct.pack_into(form, image, at, self.newest)
        return min(version, self.newest), bytes(image)

    def written(self, newest: bytes, version: int) -> bytes:
        """The newest version's bytes as another one has them, which is refused where
        that would lose a value.
        """
        contract = self.contract
        number = _index(version, "an integer", contract, "", 0)
        if not 1 <= number <= self.newest:
            raise _version_error(_shown(number), self.newest, contract, "", 0)
        for since, start, end, owner, field in self.added:
            if number < since and newest[start:end] != self.defaults[start:end]:
                code = Code.UNSUPPORTED_VERSION
                expected = f"its default, before version {since}"
                raise WireError(code, owner, field, start, expected)
        image = bytearray(newest[: self.sizes[number - 1]])
        if self.version is not None:
            at, form, _field = self.version
            _struct.pack_into(form, image, at, number)
        return bytes(image)

    def _head(self, view: memoryview) -> bytes:
        # Magic and version are in every version.
        return view[: self.sizes[0]].tobytes()

    def _said(self, head: bytes, length: int, *, is_lax: bool) -> int:
        """What the version field says, behind the least length and magic; 0 where there
        is none.
        """
        if length < self.sizes[0]:
            raise size_error(length, self.sizes[0], self.contract)
        for at, magic, field in self.magics:
            check_magic(head, at, magic, self.contract, field)
        if self.version is None:
            return 0
        found: int
        at, form, field = self.version
        (found,) = _struct.unpack_from(form, head, at)
        if 1 <= found <= self.newest or (is_lax and found > self.newest):
            return found
        raise _version_error(found, self.newest, self.contract, field, at)

    def _version(self, head: bytes, length: int, *, is_lax: bool) -> int:
        """The version of so many bytes; one beyond the newest is not known yet."""
        said = self._said(head, length, is_lax=is_lax)
        if said:
            size = self.sizes[min(said, self.newest) - 1]
            if length == size or (said > self.newest and length > size):
                return said
            raise size_error(length, size, self.contract)
        for version, size in enumerate(self.sizes, 1):
            if length == size:
                return version
            if length < size:
                raise size_error(length, size, self.contract)
        if is_lax:
            return self.newest + 1
        raise size_error(length, self.sizes[-1], self.contract)


def with_version(value: _T, name: str, version: int) -> _T:
    """A frozen value that is nobody else's yet, with the version that its bytes say."""
    object.__setattr__(value, name, version)
    return value
