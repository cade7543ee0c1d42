"""What the array-API standard asks of whoever takes a tensor, by sentences: `array_api` has the list."""

import ctypes
from typing import Any

import numpy
import pytest
import wirecontract
from layouts import Layout
from ours import Ours
from producer import Answers, Producer, capsule, name_of

READ_ONLY = 1
ROWS = Layout("rows", (2, 3), (3, 1))


def test_the_version_of_what_came_is_looked_at(ours: Ours) -> None:
    for version in ((1, 0), (1, 3), (1, 99)):
        producer = Producer(version=version)
        assert ours.take(producer).address == producer.address
    producer = Producer(version=(2, 0))
    with pytest.raises(BufferError, match=r"2\.0"):
        ours.take(producer)
    assert producer.deleted == 1


def test_who_does_not_know_the_version_is_asked_without(ours: Ours) -> None:
    producer = Producer(versioned=False)
    asked: list[dict[str, object]] = []

    def older(**arguments: object) -> object:
        asked.append(arguments)
        if "max_version" in arguments:
            raise TypeError("an unexpected keyword argument")
        return producer.capsule()

    assert ours.take(Answers(older)).address == producer.address
    assert asked == [{"max_version": (1, 3)}, {}]


def test_read_only_memory_is_taken_and_said_to_be_so(ours: Ours) -> None:
    assert ours.take(Producer(flags=READ_ONLY)).read_only
    assert not ours.take(Producer()).read_only


def test_the_object_is_passed_by_position_alone() -> None:
    from_dlpack: Any = wirecontract.Tensor.from_dlpack
    assert from_dlpack(numpy.ones(3)).shape == (3,)
    with pytest.raises(TypeError):
        from_dlpack(x=numpy.ones(3))
    with pytest.raises(TypeError):
        from_dlpack(numpy.ones(3), (1, 0))


def test_without_a_device_it_is_the_object_s(ours: Ours) -> None:
    for device in ((1, 0), (2, 3), (10, 1), (13, 0)):
        producer = Producer(device=device)
        assert (ours.take(producer).device, producer.asked) == (device, [{"max_version": (1, 3)}])


def test_host_memory_is_asked_for_by_its_device(ours: Ours) -> None:
    assert ours.take(numpy.ones(3), device=(1, 0)).device == (1, 0)


def test_a_producer_that_stays_on_its_device_is_refused(ours: Ours) -> None:
    producer = Producer(device=(2, 1))
    with pytest.raises(BufferError):
        ours.take(producer, device=(1, 0))
    assert producer.deleted == 1


def test_a_copy_that_must_not_be_and_has_to_be_is_refused(ours: Ours) -> None:
    def refuses(**asked: object) -> object:
        assert (asked["dl_device"], asked["copy"]) == ((1, 0), False)
        raise BufferError("it takes a copy")

    with pytest.raises((BufferError, ValueError)):
        ours.take(Answers(refuses), device=(1, 0), copy=False)
    with pytest.raises((BufferError, ValueError)):
        ours.take(ours.elsewhere("float32", ROWS, (2, 1), 4096), device=(1, 0), copy=False)


def test_a_copy_is_made_when_it_is_asked_for_and_else_not(ours: Ours) -> None:
    array = numpy.arange(6.0)
    own = ours.take(array, copy=True)
    assert own.address != array.ctypes.data
    assert numpy.from_dlpack(own.tensor).tolist() == array.tolist()
    for copy in (None, False):
        assert ours.take(array, copy=copy).address == array.ctypes.data


def test_what_the_object_raises_comes_through(ours: Ours) -> None:
    class Own(Exception):
        pass

    def fails(**_: object) -> object:
        raise Own("said so")

    with pytest.raises(Own, match="said so"):
        ours.take(Answers(fails))


def test_an_object_without_the_protocol_is_an_attribute_error() -> None:
    nothing: Any
    for nothing in (3, [1.0], "text", None):
        with pytest.raises(AttributeError):
            wirecontract.Tensor.from_dlpack(nothing)


def test_a_device_of_a_strange_type_is_taken_and_not_looked_at(ours: Ours) -> None:
    assert ours.take(Producer(device=(77, 3))).device == (77, 3)


def test_the_stream_that_will_be_used_is_passed(ours: Ours) -> None:
    producer = Producer(device=(2, 0))
    for stream in (-1, 1, 2, 0x5555_0000):
        ours.take(producer, stream=stream)
        assert producer.asked[-1] == {"max_version": (1, 3), "stream": stream}
    ours.take(producer)
    assert "stream" not in producer.asked[-1]


@pytest.mark.parametrize(
    ("versioned", "used"), [(True, b"used_dltensor_versioned"), (False, b"used_dltensor")]
)
def test_a_capsule_that_was_taken_is_called_used(ours: Ours, versioned: bool, used: bytes) -> None:
    producer = Producer(versioned=versioned)
    made = producer.capsule()
    taken = ours.take(Answers(lambda **_: made))
    assert (name_of(made), producer.deleted) == (used, 0)
    del taken
    assert producer.deleted == 1


def test_a_missing_deleter_is_not_called(ours: Ours) -> None:
    producer = Producer(no_deleter=True)
    assert ours.take(producer).address == producer.address
    assert producer.deleted == 0


def test_strides_that_are_not_said_are_those_of_rows_before_version_1_2(ours: Ours) -> None:
    for producer in (
        Producer(shape=(2, 3, 4), strides=None, versioned=False),
        Producer(shape=(2, 3, 4), strides=None, version=(1, 1)),
    ):
        assert ours.take(producer).strides == (12, 4, 1)
    with pytest.raises(BufferError):
        ours.take(Producer(strides=None, version=(1, 2)))


def test_memory_that_is_not_there_is_of_no_elements(ours: Ours) -> None:
    assert ours.take(Producer(shape=(0, 3), data=0)).shape == (0, 3)
    with pytest.raises(BufferError):
        ours.take(Producer(shape=(1, 3), data=0))


def test_a_capsule_is_taken_once(ours: Ours) -> None:
    producer = Producer()
    made = producer.capsule()
    first = ours.take(Answers(lambda **_: made))
    with pytest.raises(ValueError, match="used"):
        ours.take(Answers(lambda **_: made))
    assert producer.deleted == 0
    del first
    assert producer.deleted == 1


def test_a_capsule_of_another_name_is_left_alone(ours: Ours) -> None:
    number = ctypes.c_int64(7)
    made = capsule(ctypes.addressof(number), b"something_else")
    with pytest.raises(ValueError, match="something_else"):
        ours.take(Answers(lambda **_: made))
    assert (name_of(made), number.value) == (b"something_else", 7)


def test_the_object_stays_of_use(ours: Ours) -> None:
    array = numpy.arange(6.0)
    taken = ours.take(array)
    array[2] = 77
    assert numpy.from_dlpack(taken.tensor)[2] == 77
    assert ours.take(array).address == taken.address
