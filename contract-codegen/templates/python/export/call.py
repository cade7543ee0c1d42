Call: _typing.TypeAlias = "_abc.Callable[..., int]"
"""A function of a library; it gives a status."""

_Pointed: _typing.TypeAlias = (
    "_ctypes._Pointer[_typing.Any] | _ctypes.Array[_typing.Any]"
)
Address: _typing.TypeAlias = "int | _ctypes.c_void_p | _Pointed | None"
"""Where something is in memory; None is NULL."""

_T = _typing.TypeVar("_T")
_H = _typing.TypeVar("_H", bound="Handle")
_S = _typing.TypeVar("_S", bound=_ctypes.Structure)

F32_MAX: _typing.Final = (2 - 2**-23) * 2.0**127
F32_MIN: _typing.Final = -F32_MAX

_REFERENCE: _typing.Final = type(_ctypes.byref(_ctypes.c_int()))


# What crosses


class Text(_ctypes.Structure):
    """Bytes that are lent to a call."""

    data: bytes | None
    length: int

    _fields_: _typing.ClassVar = [
        ("data", _ctypes.c_char_p),
        ("length", _ctypes.c_size_t),
    ]


class OwnedBytes(_ctypes.Structure):
    """Bytes that a call gave, and that only the library can free."""

    data: int | None
    length: int
    id: int

    _fields_: _typing.ClassVar = [
        ("data", _ctypes.c_void_p),
        ("length", _ctypes.c_size_t),
        ("id", _ctypes.c_uint64),
    ]


class Number(_ctypes.Structure):
    """What a handle is to the library; 0 is none. Each handle has an heir."""

    id: int

    _fields_: _typing.ClassVar = [("id", _ctypes.c_uint64)]


class _Failure(_ctypes.Structure):
    code: int
    detail: int
    function: bytes | None
    argument: bytes | None
    message: bytes | None

    _fields_: _typing.ClassVar = [
        ("code", _ctypes.c_int32),
        ("detail", _ctypes.c_int32),
        ("function", _ctypes.c_char_p),
        ("argument", _ctypes.c_char_p),
        ("message", _ctypes.c_char_p),
    ]


class Taken:
    """The type of an argument by which a handle is taken: its address. `ctypes` would
    take the handle itself too, and zero a copy of it.
    """

    @classmethod
    def from_param(cls, value: object) -> object:
        """The pointer; `TypeError` for what is none."""
        if isinstance(value, _REFERENCE | _ctypes._Pointer):
            return value
        found = type(value).__name__
        raise TypeError(f"expected a pointer to a handle, found {found}")


def _by_address(function: Call) -> Call:
    """The function of one handle that is taken, where a user may call it by hand: what
    `from_param` raises would come out as `ctypes.ArgumentError`.
    """

    def call(handle: object) -> int:
        return function(Taken.from_param(handle))

    return call


class Library:
    """The library that a module calls, once it is loaded."""

    __slots__ = ("_bytes_free", "_last_error", "_module", "_path", "_prefix", "open")

    def __init__(self, module: str, prefix: str) -> None:
        self._module = module
        self._prefix = prefix
        self._path: str | None = None
        self._last_error: Call = self.unloaded
        self._bytes_free: Call = self.unloaded
        # The numbers of handles that are not closed.
        self.open: set[int] = set()

    def unloaded(self, *_arguments: object) -> int:
        """Stands for every function until the library is loaded."""
        load = f"`{self._module}.load(path)`"
        raise RuntimeError(f"no library is loaded: call {load} first")

    def load(
        self,
        path: str | _os.PathLike[str],
        wire_ids: _abc.Mapping[str, int],
        prototypes: _abc.Mapping[str, tuple[_typing.Any, ...]],
    ) -> dict[str, Call]:
        """Every function by its variable, bound only when all ids are right."""
        name = _os.fspath(path)
        # What is no file is for the system to look for.
        if _os.path.exists(name):
            name = _os.path.realpath(name)
        if name == self._path:
            return {}
        if self.open:
            count = f"{len(self.open)} of its handles"
            raise RuntimeError(f"{self._path} is in use: close {count} before")
        library = _ctypes.CDLL(name)
        for symbol, wire_id in wire_ids.items():
            _check_symbol(library, symbol, wire_id)
        last_error = f"{self._prefix}_last_error"
        bound: dict[str, Call] = {}
        for symbol, types in prototypes.items():
            function = library[symbol]
            function.argtypes = types
            function.restype = None if symbol == last_error else _ctypes.c_int32
            is_destroyed = types == (Taken,)
            bound[f"_c_{symbol}"] = _by_address(function) if is_destroyed else function
        self._last_error = bound[f"_c_{last_error}"]
        self._bytes_free = bound[f"_c_{self._prefix}_bytes_free"]
        self._path = name
        return bound

    def failure(self, status: int, symbol: str) -> _wire.CallError:
        """Why a call failed that this thread made last."""
        found = _Failure()
        self._last_error(_ctypes.byref(found))
        if found.code != status:
            return _wire.CallError(_wire.code_of(status), 0, symbol, "", "")
        function, argument, message = [
            (text or b"").decode("utf-8", "replace")
            for text in (found.function, found.argument, found.message)
        ]
        code = _wire.code_of(status)
        return _wire.CallError(code, found.detail, function, argument, message)

    def free(self, owned: OwnedBytes) -> None:
        """Give back what the library gave; nothing where it gave nothing."""
        status = self._bytes_free(_ctypes.byref(owned))
        if status:
            raise self.failure(status, f"{self._prefix}_bytes_free")


def _check_symbol(library: _ctypes.CDLL, symbol: str, wire_id: int) -> None:
    missing = symbol
    try:
        library[symbol]
        missing = f"{symbol}_wire_id"
        found = _ctypes.c_uint64.in_dll(library, missing).value
    except (AttributeError, ValueError):
        what = f"no symbol {missing} in {library._name}"
    else:
        if found == wire_id:
            return
        what = f"{found:#018x} in {library._name}"
    expected = f"wire id {wire_id:#018x}"
    raise _wire.WireError(_wire.Code.ID_MISMATCH, symbol, "", 0, expected, what)


def owned_bytes(owned: OwnedBytes) -> bytes:
    """A copy of bytes that the library gave."""
    return _ctypes.string_at(owned.data, owned.length) if owned.data else b""


# Handles


_BAD_HANDLE: _typing.Final = int(_wire.Code.BAD_HANDLE)


class Handle:
    """Something that lives in a library."""

    __slots__ = ("__weakref__", "_number")

    _number: Number | None

    def __new__(cls, *_arguments: _typing.Any, **_named: _typing.Any) -> _typing.Self:
        """Always refused: the library makes it."""
        raise TypeError(f"no {cls.__name__} is made by hand: functions give it")

    @property
    def closed(self) -> bool:
        """Whether it can be used no more: it was closed, or a call took it."""
        return self._number is None

    def close(self) -> None:
        """End it, in the library too. Nothing happens where it is closed."""
        raise NotImplementedError

    def __enter__(self) -> _typing.Self:
        """Itself; it is closed behind the block."""
        if self._number is None:
            raise closed_error(type(self))
        return self

    def __exit__(self, *_raised: object) -> None:
        """Close it."""
        self.close()

    def __reduce_ex__(self, _protocol: object) -> _typing.NoReturn:
        """Always refused: two objects would end one handle."""
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled")

    def __repr__(self) -> str:
        cls = type(self)
        number = self._number
        state = "closed" if number is None else f"{number.id:#x}"
        return f"<{cls.__module__}.{cls.__qualname__} {state}>"

    def __del__(self, errors: type[Exception] = Exception) -> None:
        if self._number is None:
            return
        try:
            try:
                _warnings.warn(f"unclosed {self!r}", ResourceWarning, 2, source=self)
            finally:
                self.close()
        except ResourceWarning:
            # The user's filters make errors of warnings: as files do it.
            raise
        except errors:
            # At the interpreter's end what this needs may be gone already.
            self._number = None


def adopt(cls: type[_H], number: Number, library: Library) -> _H:
    """The object of a handle that the library gave."""
    made = object.__new__(cls)
    made._number = number
    library.open.add(number.id)
    return made


def end(
    handle: Handle, cls: type, destroy: Call, library: Library, symbol: str
) -> None:
    """Close a handle, once; one that the library has in use stays open."""
    number = handle._number
    if type(handle) is not cls:
        raise number_error(handle, cls, symbol, "handle")
    if number is None:
        return
    # No other thread is to do it a second time.
    handle._number = None
    key = number.id
    status = destroy(_ctypes.byref(number))
    # It is zero where ending it failed, and known to nobody where its thread has ended.
    if not number.id or status == _BAD_HANDLE:
        library.open.discard(key)
    else:
        handle._number = number
    if status:
        raise library.failure(status, symbol)


def settle(handle: Handle, number: Number, key: int, library: Library) -> None:
    """Close a handle that a call may have taken; then it is zero."""
    if not number.id:
        handle._number = None
        library.open.discard(key)


def closed_error(cls: type) -> ValueError:
    """Of a handle that is used when it is no more."""
    return ValueError(f"the {cls.__name__} is closed")


def number_error(value: object, cls: type, symbol: str, name: str) -> Exception:
    """Of a handle that is of another type or closed."""
    if type(value) is cls:
        return ValueError(f"{symbol}: `{name}` is closed")
    return _type_error(value, f"a handle of {cls.__name__}", symbol, name)


def _type_error(value: object, what: str, symbol: str, name: str) -> TypeError:
    return TypeError(f"{symbol}: `{name}` takes {what}, found {type(value).__name__}")


# Arguments: each takes what a caller gave, and gives what crosses


def _integer(ctype: type[_ctypes._SimpleCData[int]]) -> _wire.Take[int]:
    bits = _ctypes.sizeof(ctype) * 8
    if ctype(-1).value > 0:
        return _wire.take_within(0, (1 << bits) - 1)
    return _wire.take_within(-(1 << bits - 1), (1 << bits - 1) - 1)


# Of C's own widths.
take_schar: _typing.Final = _integer(_ctypes.c_byte)
take_uchar: _typing.Final = _integer(_ctypes.c_ubyte)
take_short: _typing.Final = _integer(_ctypes.c_short)
take_ushort: _typing.Final = _integer(_ctypes.c_ushort)
take_int: _typing.Final = _integer(_ctypes.c_int)
take_uint: _typing.Final = _integer(_ctypes.c_uint)
take_long: _typing.Final = _integer(_ctypes.c_long)
take_ulong: _typing.Final = _integer(_ctypes.c_ulong)
take_longlong: _typing.Final = _integer(_ctypes.c_longlong)
take_ulonglong: _typing.Final = _integer(_ctypes.c_ulonglong)
take_size: _typing.Final = _integer(_ctypes.c_size_t)
take_ptrdiff: _typing.Final = _integer(_ctypes.c_ssize_t)

SIZE_MAX: _typing.Final = _ctypes.c_size_t(-1).value


def take_char(value: object, symbol: str, name: str, at: int) -> bytes:
    """One byte."""
    if type(value) is bytes and len(value) == 1:
        return value
    raise _wire.type_error(value, "one byte", symbol, name, at)


def take_struct(cls: type[_S]) -> _wire.Take[_S]:
    """A C struct of a class."""

    def take(value: object, symbol: str, name: str, at: int) -> _S:
        if isinstance(value, cls):
            return value
        raise _wire.type_error(value, cls.__name__, symbol, name, at)

    return take


def take_address(value: object, symbol: str, name: str, at: int) -> _typing.Any:
    """What `ctypes` takes for an address."""
    if isinstance(value, int) and not isinstance(value, bool):
        return take_size(value, symbol, name, at)
    pointers = _ctypes.c_void_p | _ctypes._Pointer | _ctypes.Array | _REFERENCE
    if value is None or isinstance(value, pointers):
        return value
    raise _wire.type_error(value, "an address", symbol, name, at)


def take_function(cls: type, value: object, symbol: str, name: str) -> _typing.Any:
    """A function of a type of `ctypes`; None is NULL."""
    if value is None or isinstance(value, cls):
        return value
    what = "a function of the type beside, or None"
    raise _wire.type_error(value, what, symbol, name, 0)


def take_text(value: object, symbol: str, name: str) -> bytes:
    """Text, ended by NUL."""
    if not isinstance(value, str):
        raise _wire.type_error(value, "a str", symbol, name, 0)
    try:
        encoded = value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        code = _wire.Code.BAD_UTF8
        raise _wire.WireError(code, symbol, name, 0, "text in UTF-8") from None
    if b"\0" in encoded:
        code = _wire.Code.BAD_TEXT
        raise _wire.WireError(code, symbol, name, 0, "text without NUL")
    return encoded


def take_part(value: object, cls: type[_T], symbol: str, name: str) -> _T:
    """A descriptor, a recipe or a variant of a union."""
    if isinstance(value, cls):
        return value
    raise _wire.type_error(value, cls.__name__, symbol, name, 0)


def lent(
    value: _typing.Any,
    ctype: type[_typing.Any],
    take: _wire.Take[_typing.Any],
    symbol: str,
    name: str,
) -> _typing.Any:
    """A pointer to a number: to the caller's own, or to one that is made of it."""
    if isinstance(value, ctype):
        return _ctypes.byref(value)
    return _ctypes.byref(ctype(take(value, symbol, name, 0)))


def lent_own(
    value: _typing.Any, ctype: type[_typing.Any], symbol: str, name: str
) -> _typing.Any:
    """A pointer to what the caller has."""
    if isinstance(value, ctype):
        return _ctypes.byref(value)
    raise _type_error(value, f"an instance of {ctype.__name__}", symbol, name)


class _PyBuffer(_ctypes.Structure):
    """Python's own `Py_buffer`."""

    buf: int | None

    _fields_: _typing.ClassVar = [
        ("buf", _ctypes.c_void_p),
        ("obj", _ctypes.c_void_p),
        ("len", _ctypes.c_ssize_t),
        ("itemsize", _ctypes.c_ssize_t),
        ("readonly", _ctypes.c_int),
        ("ndim", _ctypes.c_int),
        ("format", _ctypes.c_char_p),
        ("shape", _ctypes.c_void_p),
        ("strides", _ctypes.c_void_p),
        ("suboffsets", _ctypes.c_void_p),
        ("internal", _ctypes.c_void_p),
    ]


# `ctypes` has no other way to memory that may not be written.
_get_buffer: _typing.Final = _ctypes.pythonapi["PyObject_GetBuffer"]
_get_buffer.argtypes = (_ctypes.py_object, _ctypes.POINTER(_PyBuffer), _ctypes.c_int)
_get_buffer.restype = _ctypes.c_int
_release_buffer: _typing.Final = _ctypes.pythonapi["PyBuffer_Release"]
_release_buffer.argtypes = (_ctypes.POINTER(_PyBuffer),)
_release_buffer.restype = None


class _ReadOnly:
    """The memory of a buffer that may not be written, held for a call."""

    __slots__ = ("_as_parameter_", "_buffer")

    def __init__(self, view: memoryview) -> None:
        self._buffer = _PyBuffer()
        _get_buffer(view, _ctypes.byref(self._buffer), 0)
        self._as_parameter_ = _ctypes.c_void_p(self._buffer.buf)

    def __del__(self) -> None:
        _release_buffer(_ctypes.byref(self._buffer))


_KINDS: _typing.Final = ("bhilqn", "BHILQN", "fd", "?", "c")


def _formats(ctype: _typing.Any) -> frozenset[str]:
    """How buffers call items of this type, in the machine's byte order."""
    code = getattr(ctype, "_type_", None)
    kind = next((kind for kind in _KINDS if isinstance(code, str) and code in kind), "")
    if not kind:
        return frozenset([memoryview((ctype * 1)()).format])
    size = _ctypes.sizeof(ctype)
    native = [
        order + each
        for order in ("", "@")
        for each in kind
        if _struct.calcsize(each) == size
    ]
    standard = [
        order + each
        for order in ("=", _wire.NATIVE)
        for each in kind
        if each not in "nN" and _struct.calcsize("=" + each) == size
    ]
    return frozenset(native + standard)


class Items:
    """How several numbers or C structs of one type cross."""

    __slots__ = ("_code", "_ctype", "_formats", "_size", "_take", "_viewed", "_what")

    def __init__(
        self, ctype: _typing.Any, what: str, take: _wire.Take[_typing.Any]
    ) -> None:
        self._ctype = ctype
        self._what = what
        self._take = take
        self._size = _ctypes.sizeof(ctype)
        self._formats = _formats(ctype)
        code = getattr(ctype, "_type_", None)
        kind = next((kind for kind in _KINDS if code in [*kind]), "")
        # The letters of the modules `array` and `struct`.
        self._code = code if isinstance(code, str) and kind[:1] in [*"bBf"] else ""
        self._viewed: _typing.Any = code if isinstance(code, str) and kind else ""

    def read(
        self, value: _typing.Any, symbol: str, name: str
    ) -> tuple[_typing.Any, int]:
        """A pointer and a count: to a buffer as it is, or to a copy of a sequence."""
        kind = type(value)
        if kind is list or kind is tuple:
            return self._copied(value, symbol, name)
        if kind is bytes and self._viewed == "B":
            return value, len(value)
        try:
            view = memoryview(value)
        except TypeError:
            return self._copied(value, symbol, name)
        count = self._count(view, symbol, name)
        if count and view.readonly:
            return _ReadOnly(view), count
        return _ctypes.byref(self._ctype.from_buffer(view)) if count else None, count

    def write(
        self, value: _typing.Any, symbol: str, name: str
    ) -> tuple[_typing.Any, int]:
        """A pointer and a count: to a buffer that may be written."""
        try:
            view = memoryview(value)
        except TypeError:
            what = f"a writable buffer of {self._what}"
            raise _type_error(value, what, symbol, name) from None
        if view.readonly:
            raise TypeError(f"{symbol}: `{name}` takes a writable buffer")
        count = self._count(view, symbol, name)
        return _ctypes.byref(self._ctype.from_buffer(view)) if count else None, count

    def view(self, address: int | None, count: int) -> memoryview[_typing.Any]:
        """A copy of numbers that somebody lends, to keep."""
        size = count * self._size
        data = _ctypes.string_at(address, size) if address and size else b""
        viewed: memoryview[_typing.Any] = memoryview(data).cast(self._viewed)
        return viewed

    def several(self, address: int | None, count: int) -> tuple[_typing.Any, ...]:
        """Copies of C structs that somebody lends, to keep."""
        if not address:
            return ()
        lent = (self._ctype * count).from_address(address)
        return tuple((self._ctype * count).from_buffer_copy(lent))

    def _count(self, view: memoryview, symbol: str, name: str) -> int:
        if view.format in self._formats and view.c_contiguous:
            return view.nbytes // self._size
        expected = f"a C-contiguous buffer of {self._what}"
        found = f"one of format {view.format!r} with strides {view.strides}"
        raise TypeError(f"{symbol}: `{name}` takes {expected}, found {found}")

    def _copied(
        self, value: _typing.Any, symbol: str, name: str
    ) -> tuple[_typing.Any, int]:
        if not isinstance(value, _abc.Sequence) or isinstance(value, str):
            what = f"a buffer or a sequence of {self._what}"
            raise _type_error(value, what, symbol, name)
        if not len(value):
            return None, 0
        if self._code:
            copied = self._packed(value)
            if copied is not None:
                return _ctypes.byref(self._ctype.from_buffer(copied)), len(copied)
        take, size = self._take, self._size
        items = [
            take(item, symbol, name, index * size) for index, item in enumerate(value)
        ]
        return (self._ctype * len(items))(*items), len(items)

    def _packed(self, value: _abc.Sequence[_typing.Any]) -> _array.array[float] | None:
        """The sequence as an array; none where each item has to be looked at."""
        # An array takes True for 1, which a number by itself is refused for.
        if bool in set(map(type, value)):
            return None
        try:
            copied: _array.array[float] = _array.array(self._code, value)
        except (TypeError, ValueError, OverflowError):
            return None
        # What f32 cannot hold becomes infinite.
        if self._code == "f" and (_math.inf in copied or -_math.inf in copied):
            return None
        return copied


# Callbacks


class Told:
    """A callable, while a call of the library may call it."""

    __slots__ = ("error", "function", "key")

    def __init__(self, function: object, symbol: str, name: str) -> None:
        if not callable(function):
            raise _type_error(function, "a callable", symbol, name)
        self.function: _abc.Callable[..., object] = function
        self.error: BaseException | None = None
        # By which the library says whom it means.
        self.key = id(self)

    def __enter__(self) -> None:
        """It may be called."""
        _RUNNING[self.key] = self

    def __exit__(self, *_raised: object) -> None:
        """It is called no more."""
        del _RUNNING[self.key]


_RUNNING: _typing.Final[dict[int, Told]] = {}

REFUSED: _typing.Final = int(_wire.Code.REFUSED)

# What somebody who is called may raise: all of it is carried through the library.
RAISED: _typing.Final = (BaseException,)


def told(context: int | None) -> Told | None:
    """Who is called; none where the call is over, or somebody has raised already."""
    found = _RUNNING.get(context or 0)
    return None if found is None or found.error is not None else found


def text_from(lent: bytes | None) -> str:
    """Text that somebody lends, to keep."""
    return (lent or b"").decode()
