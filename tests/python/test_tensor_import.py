"""Tensors of other libraries: taken as they are, checked before use, refused by name, ended once."""

import gc
import re
import sys
from collections.abc import Iterator

import pytest
from producer import DLTENSOR, VERSIONED, Answers, Producer, capsule, name_of
from wirecontract_tensors import Tensor, held, owners, take, take_capsule


def test_a_versioned_tensor_is_taken_as_it_is() -> None:
    producer = Producer(shape=(2, 3, 4), strides=(12, 4, 1), flags=1)
    taken = take(producer)
    assert producer.asked == [{"max_version": (1, 3)}]
    assert (taken.address, taken.shape, taken.strides) == (producer.address, (2, 3, 4), (12, 4, 1))
    assert (taken.dtype, taken.device, taken.read_only, taken.copied, taken.legacy) == (
        "float32",
        (1, 0),
        True,
        False,
        False,
    )
    assert producer.deleted == 0
    del taken
    assert producer.deleted == 1


def test_what_is_asked_for_is_passed_on() -> None:
    producer = Producer()
    take(producer, device=(1, 0), copy=True, stream=-1)
    assert producer.asked == [{"max_version": (1, 3), "stream": -1, "dl_device": (1, 0), "copy": True}]
    with pytest.raises(BufferError, match=re.escape("Cuda 1 (dl_device=(2, 1)), found one of Cpu 0")):
        take(producer, device=(2, 1))
    assert producer.deleted == 2


def test_a_producer_older_than_versions_is_asked_again_without() -> None:
    producer = Producer(versioned=False)

    def older(stream: object = None) -> object:
        return producer.capsule()

    taken = take(Answers(older))
    assert taken.legacy
    assert not taken.read_only
    # What it cannot be asked for must not be left unsaid.
    with pytest.raises(TypeError, match="max_version"):
        take(Answers(older), copy=True)
    del taken
    assert producer.deleted == 1


def test_an_offset_is_honoured_and_a_size_of_zero_has_none() -> None:
    producer = Producer(byte_offset=16)
    assert take(producer).address == producer.address + 16
    empty = Producer(shape=(0, 2**62, 4), strides=None, version=(1, 1), data=0, byte_offset=8)
    assert take(empty).address == 0
    assert (producer.deleted, empty.deleted) == (1, 1)


@pytest.mark.parametrize(("versioned", "version"), [(True, (1, 0)), (True, (1, 1)), (False, (1, 0))])
def test_strides_may_be_null_before_1_2(versioned: bool, version: tuple[int, int]) -> None:
    producer = Producer(shape=(2, 3, 4), strides=None, versioned=versioned, version=version)
    assert take(producer).strides == (12, 4, 1)


def test_a_rank_of_zero_needs_neither_shape_nor_strides() -> None:
    taken = take(Producer(shape=None, strides=None, ndim=0))
    assert (taken.shape, taken.strides) == ((), ())
    assert len(taken.to_bytes()) == 4


def test_dimensions_of_one_or_no_elements_may_carry_any_stride() -> None:
    assert take(Producer(shape=(1, 3), strides=(999_999, 1))).strides == (999_999, 1)
    assert take(Producer(shape=(0, 3), strides=(-7, 2**62))).shape == (0, 3)


def test_negative_and_repeating_strides_are_taken() -> None:
    assert take(Producer(shape=(3,), strides=(-1,), byte_offset=8)).strides == (-1,)
    assert take(Producer(shape=(1000, 1000), strides=(0, 0))).shape == (1000, 1000)


def test_codes_of_later_versions_are_taken() -> None:
    taken = take(Producer(code=200, bits=16, device=(77, 3), version=(1, 9)))
    assert (taken.dtype, taken.device) == ("code 200 of 16 bits", (77, 3))


def test_a_missing_deleter_is_not_called() -> None:
    producer = Producer(no_deleter=True)
    take(producer)
    assert producer.deleted == 0


MAX = 2**63 - 1
REFUSED: list[tuple[str, dict[str, object], str]] = [
    ("rank below zero", {"ndim": -1}, "expected ndim of 0 to 64, found -1"),
    ("rank beyond all use", {"ndim": 2**31 - 1}, "expected ndim of 0 to 64, found 2147483647"),
    ("no shape", {"shape": None, "ndim": 2}, "expected 2 numbers of elements, found a shape that is NULL"),
    ("no strides since 1.2", {"strides": None}, "expected 2 strides, found NULL"),
    ("negative extent", {"shape": (2, -3)}, "expected 0 elements or more in dimension 1, found -3"),
    ("elements that wrap", {"shape": (2**32, 2**32)}, "expected a tensor that 64 bits can count"),
    ("bytes that wrap", {"shape": (2**62, 1), "strides": (1, 1)}, "an address space holds"),
    ("strides that wrap", {"shape": (MAX, 2), "strides": (MAX, 1)}, "an address space holds"),
    ("a reach beyond", {"shape": (2, 2), "strides": (2**61, 1)}, "an address space holds"),
    ("a reach before", {"shape": (2, 2), "strides": (-(2**62), 1)}, "an address space holds"),
    ("no memory", {"data": 0}, "expected memory for 6 elements, found NULL"),
    (
        "an offset beyond",
        {"byte_offset": 2**64 - 1},
        "within an address space, found 18446744073709551615",
    ),
    ("no bits", {"bits": 0}, "expected elements of 1 bit or more"),
    ("no lanes", {"lanes": 0}, "expected elements of 1 bit or more"),
    (
        "packed and strided",
        {"code": 17, "bits": 4, "strides": (6, 2)},
        "strides of packed elements",
    ),
]


# Versions before 1.2 may leave the strides out, and the legacy struct is older.
FORMS = [
    (row, versioned) for row in REFUSED for versioned in (True, False) if versioned or "1.2" not in row[0]
]


@pytest.mark.parametrize(
    ("fault", "text", "versioned"),
    [(*row[1:], versioned) for row, versioned in FORMS],
    ids=[f"{row[0]}, {'versioned' if versioned else 'legacy'}" for row, versioned in FORMS],
)
def test_numbers_of_no_tensor_are_refused_and_ended(
    fault: dict[str, object], text: str, versioned: bool
) -> None:
    producer = Producer(**fault, versioned=versioned)  # type: ignore[arg-type]
    with pytest.raises(BufferError, match=re.escape(text)):
        take(producer)
    assert producer.deleted == 1


def test_another_major_version_is_ended_and_not_looked_into() -> None:
    producer = Producer(version=(2, 0), ndim=-1, shape=None)
    with pytest.raises(BufferError, match=re.escape("expected DLPack 1.x, found 2.0")):
        take(producer)
    assert producer.deleted == 1


def test_a_capsule_is_taken_once() -> None:
    for versioned, used in [(True, b"used_dltensor_versioned"), (False, b"used_dltensor")]:
        producer = Producer(versioned=versioned)
        made = producer.capsule()
        first = take_capsule(made)
        assert name_of(made) == used
        with pytest.raises(ValueError, match="found a used one"):
            take_capsule(made)
        with pytest.raises(ValueError, match="found a used one"):
            take(made)
        assert producer.deleted == 0
        del first
        assert producer.deleted == 1


def test_what_is_no_capsule_of_a_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match="found an object of type int"):
        take(Answers(lambda **_: 7))
    with pytest.raises(TypeError, match="found an object of type NoneType"):
        take_capsule(None)
    producer = Producer(name=b"dltensor_verzioned")
    with pytest.raises(ValueError, match="found `dltensor_verzioned`"):
        take(producer)
    # Of a capsule of another name nothing may be ended.
    assert producer.deleted == 0
    with pytest.raises(AttributeError, match=r"expected an object with __dlpack__ .* type int"):
        take(3)


def test_what_the_object_raises_comes_through() -> None:
    class Own(Exception):
        pass

    def fails(**_: object) -> object:
        raise Own("said so")

    with pytest.raises(Own, match="said so") as caught:
        take(Answers(fails))
    assert caught.traceback[-1].name == "fails"

    class Attribute:
        @property
        def __dlpack__(self) -> object:
            raise Own("at the attribute")

    with pytest.raises(Own, match="at the attribute"):
        take(Attribute())

    def twice(**_: object) -> object:
        raise TypeError("both times")

    with pytest.raises(TypeError, match="both times"):
        take(Answers(twice))


def test_an_object_of_ours_comes_by_its_exchange_table() -> None:
    tensor = Tensor("int16", [4, 5], [1, 4])
    taken = take(tensor)
    assert (taken.address, taken.shape, taken.strides) == (tensor.address, (4, 5), (1, 4))
    assert not taken.legacy
    assert not taken.read_only
    assert take(Tensor("int16", [4], read_only=True)).read_only
    count = sys.getrefcount(tensor)
    again = take(tensor)
    assert sys.getrefcount(tensor) == count + 1
    del again
    assert sys.getrefcount(tensor) == count


def test_a_table_that_is_none_is_passed_by() -> None:
    class Odd:
        __dlpack_c_exchange_api__ = capsule(1, b"something_else")

        def __init__(self) -> None:
            self.producer = Producer()

        def __dlpack__(self, **_: object) -> object:
            return self.producer.capsule()

    assert take(Odd()).dtype == "float32"


def test_names_of_capsules_are_the_standard_s() -> None:
    assert name_of(Producer().capsule()) == VERSIONED
    assert name_of(Producer(versioned=False).capsule()) == DLTENSOR


def test_a_tensor_that_was_taken_is_handed_on_and_ended_last() -> None:
    producer = Producer(byte_offset=4, flags=1)
    first = take(producer)
    second = take(first)
    assert (second.address, second.read_only) == (producer.address + 4, True)
    del first
    gc.collect()
    assert producer.deleted == 0
    del second
    gc.collect()
    assert producer.deleted == 1


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    gc.collect()
    before = held(), owners()
    yield
    gc.collect()
    assert (held(), owners()) == before


@pytest.mark.parametrize(
    ("data", "byte_offset"), [(2**64 - 1, 0), (2**64 - 64, 64), (2**64 - 64, 128), (2**64 - 64, 56)]
)
def test_memory_beyond_the_last_address_is_refused_and_ended(data: int, byte_offset: int) -> None:
    producer = Producer(shape=(6,), strides=(1,), data=data, byte_offset=byte_offset)
    with pytest.raises(BufferError, match="address space"):
        take(producer)
    assert producer.deleted == 1
    last = Producer(shape=(6,), strides=(1,), data=2**64 - 64, byte_offset=24)
    take(last)
    assert last.deleted == 1
