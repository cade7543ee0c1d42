"""Each library takes our tensors and gives us theirs, of every type in every layout, without a copy.

What goes otherwise is in `outcomes`, with its reason.
"""

import gc
import sys

import elements
import libraries
import pytest
from attempts import Raised, attempt, differs
from elements import DTYPES
from layouts import LAYOUTS, Layout
from libraries import GIVING, LIBRARIES, Library
from ours import Ours, left_behind
from outcomes import GIVEN, TAKEN, Copied, Renamed, Row, Unmade, outcome
from producer import Producer, seen


def wanted(dtype: str, layout: Layout) -> bytes:
    """The elements in the order of rows."""
    return b"".join(elements.value(dtype, place) for place in layout.places)


def strides_that_count(layout: Layout, strides: tuple[int, ...] | None) -> tuple[int, ...]:
    """The strides by which an element is found; of the others libraries say what they like."""
    if strides is None:
        strides = layout.strides
    extents = layout.shape if layout.places else ()
    return tuple(stride for stride, extent in zip(strides, extents, strict=False) if extent > 1)


def take_one(ours: Ours, library: Library, dtype: str, layout: Layout) -> str | None:
    """What is wrong with how a library takes one tensor."""
    expected = outcome(TAKEN, library.name, dtype, layout.name)
    tensor = ours.tensor(dtype, layout)
    address = ours.address(tensor)
    count = sys.getrefcount(tensor)
    array = attempt(library.take, tensor)
    if fault := differs(expected, array):
        return fault
    if isinstance(array, Raised):
        return None if sys.getrefcount(tensor) == count else "a refusal holds our tensor"
    # From here on it is the library that keeps the memory, or has its own.
    del tensor
    is_copied = isinstance(expected, Copied)
    of = expected.dtype(dtype) if isinstance(expected, Copied) else dtype
    if library.read(array, of) != wanted(of, layout):
        return "other elements"
    if library.shape(array) != layout.shape:
        return f"shape {library.shape(array)}"
    if layout.places and (library.address(array) == address) == is_copied:
        return "a copy" if not is_copied else "no copy, where one is expected"
    found = library.strides(array)
    if not is_copied and strides_that_count(layout, found) != strides_that_count(layout, layout.strides):
        return f"strides {found}"
    said = library.read_only(array)
    if layout.places and said not in (None, library.immutable or layout.read_only):
        return f"read-only is {said}"
    return None


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_a_library_takes_ours(ours: Ours, library: Library, dtype: str) -> None:
    before = ours.counts()
    wrong = {}
    for layout in LAYOUTS:
        fault = take_one(ours, library, dtype, layout)
        fault = fault or left_behind(ours, before)
        if fault is not None:
            wrong[layout.name] = fault
    assert wrong == {}


def give_one(ours: Ours, library: Library, dtype: str, layout: Layout) -> str | None:
    """What is wrong with how a library gives one tensor."""
    expected = outcome(GIVEN, library.name, dtype, layout.name)
    try:
        array = library.make(dtype, layout)
    except libraries.Unmade as error:
        return None if isinstance(expected, Unmade) else str(error)
    if isinstance(expected, Unmade):
        return "made, where no such array is expected"
    address, said = library.address(array), library.read_only(array)
    count = sys.getrefcount(array)
    taken = attempt(ours.take, array)
    if (fault := differs(expected, taken)) or isinstance(taken, Raised):
        return fault
    capsule = seen(array.__dlpack__(max_version=(1, 3)))
    if layout.places and not taken.address == address == (capsule.data or 0) + capsule.byte_offset:
        return f"at {taken.address}, where theirs is at {address}"
    if (taken.shape, taken.device) != (layout.shape, (1, 0)):
        return f"shape {taken.shape} of device {taken.device}"
    if layout.places and taken.strides != capsule.strides:
        return f"strides {taken.strides}, where they say {capsule.strides}"
    if strides_that_count(layout, taken.strides) != strides_that_count(layout, layout.strides):
        return f"strides {taken.strides}"
    if taken.dtype != (expected.dtype if isinstance(expected, Renamed) else dtype):
        return f"elements of {taken.dtype}"
    if taken.read_only != bool(said):
        return f"read-only is {taken.read_only}, where they say {said}"
    # It is the tensor alone that keeps their memory, for the reading.
    held = sys.getrefcount(array)
    del array
    size = elements.size(dtype)
    if libraries.memory_at(taken.address, taken.shape, taken.strides, size) != wanted(dtype, layout):
        return "other elements"
    return None if held in (count, count + 1) else f"{held - count} references to theirs"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("library", GIVING, ids=lambda library: library.name)
def test_a_library_gives_theirs(ours: Ours, library: Library, dtype: str) -> None:
    before = ours.counts()
    wrong = {}
    for layout in LAYOUTS:
        fault = give_one(ours, library, dtype, layout)
        fault = fault or left_behind(ours, before)
        if fault is not None:
            wrong[layout.name] = fault
    assert wrong == {}


@pytest.mark.parametrize("library", GIVING, ids=lambda library: library.name)
def test_what_is_theirs_is_let_go_of(ours: Ours, library: Library) -> None:
    array = library.make("int32", LAYOUTS[1])
    count = sys.getrefcount(array)
    for _ in range(3):
        taken = ours.take(array)
        again = ours.take(taken.tensor)
        del taken
        assert libraries.memory_at(again.address, again.shape, again.strides, 4) == wanted(
            "int32", LAYOUTS[1]
        )
        del again
    assert sys.getrefcount(array) == count


def test_a_deleter_of_python_s_takes_no_exception_away(ours: Ours) -> None:
    producer = Producer()

    def fails(_: object) -> None:
        raise KeyError("on its way")

    # The tensor dies where the call ends, with the exception set.
    with pytest.raises(KeyError, match="on its way"):
        fails(ours.take(producer))
    with pytest.raises(ValueError, match="expected copy"):
        ours.take(producer).tensor.__dlpack__(copy="always")
    gc.collect()
    assert producer.deleted == 2


@pytest.mark.parametrize("rows", [TAKEN, GIVEN], ids=["taken", "given"])
def test_a_row_of_the_table_that_says_nothing_is_none(rows: list[Row]) -> None:
    cases = [
        (library.name, dtype, layout.name) for library in LIBRARIES for dtype in DTYPES for layout in LAYOUTS
    ]
    names = {library.name for library in LIBRARIES}
    for row in rows:
        if row.library in names:
            others = [other for other in rows if other is not row]
            assert any(outcome(rows, *case) != outcome(others, *case) for case in cases), row
        else:
            # torch's, whose part runs where everything is tested.
            assert row.library == "torch"
