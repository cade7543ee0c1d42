# C structs in memory: nothing is converted, so that they must be as declared

_DATA_MODELS: _typing.Final = (
    "LP64",
    "LLP64",
    "32 bits with u64 aligned to 4",
    "32 bits with u64 aligned to 8",
)


def data_model(pointer: int, long: int, align: int) -> int:
    """Which of four numbers is for this machine, by the sizes of a pointer and of a
    `long` and by the alignment of a 64-bit integer.
    """
    if pointer == 8:
        return 0 if long == 8 else 1
    return 2 if align == 4 else 3


def check_layout(
    struct: type,
    name: str,
    model: int,
    size: int,
    sizes: tuple[int, int, int, int],
    offsets: _abc.Mapping[str, tuple[int, int, int, int]],
) -> None:
    """Refuse to be imported where a struct is laid out in another way than declared."""
    machine = _DATA_MODELS[model]
    for field, places in offsets.items():
        expected = places[model]
        found = getattr(struct, field).offset
        if found != expected:
            place = f"expected byte {expected} on {machine}, found {found}"
            raise ImportError(f"{name}.{field} is not where it is declared: {place}")
    if size != sizes[model]:
        found = f"expected {sizes[model]} bytes on {machine}, found {size}"
        raise ImportError(f"{name} is not as large as declared: {found}")
