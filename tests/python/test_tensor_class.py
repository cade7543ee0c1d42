"""`wirecontract.Tensor`: over buffers, of its own memory, from other libraries, and as a buffer itself."""

import array
import ctypes
import gc
import hashlib
import itertools
import mmap
import os
import pickle
import random
import re
import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import producer
import pytest
from typing_extensions import Buffer
from wirecontract import Tensor

NO_ARRAY: Any = b"no array"


WORDS = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "float32": "f",
    "float64": "d",
}


@pytest.fixture(autouse=True)
def _nothing_is_held() -> Iterator[None]:
    """Every buffer that a test lent is given back."""
    yield
    gc.collect()


def rows(view: memoryview) -> object:
    """Its numbers, in as many lists as there are dimensions."""
    return view.tolist()


# Over buffers


@pytest.mark.parametrize(("dtype", "word"), WORDS.items())
def test_a_buffer_s_own_elements_are_the_tensor_s(dtype: str, word: str) -> None:
    memory = memoryview(bytearray(struct.pack(f"=6{word}", *range(6)))).cast(word, (2, 3))  # type: ignore[call-overload]
    tensor = Tensor(memory)
    width = struct.calcsize(word)
    assert (tensor.dtype, tensor.shape, tensor.strides) == (dtype, (2, 3), (3, 1))
    assert (tensor.itemsize, tensor.nbytes, tensor.size, tensor.ndim) == (width, 6 * width, 6, 2)
    assert (tensor.readonly, tensor.copied, tensor.contiguous, tensor.device) == (False, False, True, (1, 0))
    assert memoryview(tensor).format == word
    assert memoryview(tensor).tolist() == memory.tolist()
    assert tensor.tobytes() == memory.tobytes()


def test_half_floats_have_their_word() -> None:
    tensor = Tensor(struct.pack("=3e", 1, 2, 3), dtype="float16")
    view = memoryview(tensor)
    assert (view.format, view.itemsize, view.shape) == ("e", 2, (3,))
    assert Tensor(view).dtype == "float16"


@pytest.mark.parametrize("letter", ["l", "L", "n", "N", "c"])
def test_words_whose_size_is_the_machine_s_are_read_by_their_size(letter: str) -> None:
    expected = {"l": "int64", "L": "uint64", "n": "int64", "N": "uint64", "c": "uint8"}[letter]
    memory = memoryview(bytearray(16)).cast(letter)  # type: ignore[call-overload]
    assert Tensor(memory).dtype == expected


def test_the_memory_is_the_buffer_s_and_not_a_copy() -> None:
    memory = bytearray(8)
    tensor = Tensor(memory, dtype="uint16")
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert tensor.data_ptr == address
    memoryview(tensor)[3] = 0x0102
    assert memory == b"\0\0\0\0\0\0\2\1"


def test_a_buffer_stays_exported_as_long_as_anything_of_the_tensor_is_there() -> None:
    memory = bytearray(8)

    def is_lent() -> bool:
        gc.collect()
        try:
            memory.append(0)
        except BufferError:
            return True
        memory.pop()
        return False

    tensor: Tensor | None = Tensor(memory)
    assert tensor is not None
    view: memoryview | None = memoryview(tensor)
    capsule: object = tensor.__dlpack__()
    taken: Tensor | None = Tensor.from_dlpack(tensor)
    assert is_lent()
    tensor = None
    assert is_lent()
    view = None
    assert is_lent()
    capsule = None
    assert is_lent()
    taken = None
    assert not is_lent()
    assert (view, capsule, taken) == (None, None, None)


def test_strides_of_a_buffer_in_bytes_are_strides_of_elements() -> None:
    memory = memoryview(array.array("i", range(12)))[::-3]
    tensor = Tensor(memory)
    assert (tensor.shape, tensor.strides, tensor.contiguous) == ((4,), (-3,), False)
    assert memoryview(tensor).tolist() == [11, 8, 5, 2]
    assert struct.unpack("=4i", tensor.tobytes()) == (11, 8, 5, 2)


def test_elements_that_are_asked_for_are_those_that_one_reads_by_index() -> None:
    memory = bytes(range(64))
    chosen = random.Random(5)
    refused = taken = 0
    for _ in range(2000):
        rank = chosen.randrange(4)
        shape = tuple(chosen.randrange(4) for _ in range(rank))
        strides = tuple(chosen.randrange(-9, 10) for _ in range(rank))
        offset = chosen.randrange(64)
        where = [
            offset + sum(i * s for i, s in zip(index, strides, strict=True))
            for index in itertools.product(*map(range, shape))
        ]
        if all(0 <= at < 64 for at in where):
            tensor = Tensor(memory, shape=shape, strides=strides, offset=offset, dtype="uint8")
            assert tensor.tobytes() == bytes(memory[at] for at in where), (shape, strides, offset)
            taken += 1
        else:
            with pytest.raises(BufferError, match="within the 64 bytes"):
                Tensor(memory, shape=shape, strides=strides, offset=offset, dtype="uint8")
            refused += 1
    assert refused > 100
    assert taken > 1000


def test_every_source_of_memory_is_taken() -> None:
    class Pair(ctypes.Structure):
        _fields_ = (("a", ctypes.c_uint8), ("b", ctypes.c_uint8))

    with mmap.mmap(-1, 4096) as pages:
        tensor = Tensor(pages, shape=(64, 64))
        memoryview(tensor)[63, 63] = 7
        assert pages[4095] == 7
        del tensor
    assert Tensor((ctypes.c_float * 3)(1, 2, 3)).dtype == "float32"
    assert Tensor(Pair(1, 2), dtype="uint16").tobytes() == b"\1\2"
    assert Tensor(Tensor(b"abcd"), shape=(2, 2)).tobytes() == b"abcd"


def test_read_only_memory_is_read_only_and_writable_memory_may_be_made_so() -> None:
    assert Tensor(b"ab").readonly
    assert Tensor(bytearray(b"ab"), readonly=True).readonly
    assert not Tensor(bytearray(b"ab"), readonly=False).readonly
    with pytest.raises(TypeError, match="read-only"):
        memoryview(Tensor(b"ab"))[0] = 1
    with pytest.raises(BufferError, match="read-only"):
        Tensor(b"ab").__dlpack__()
    assert producer.seen(Tensor(b"ab").__dlpack__(max_version=(1, 3))).flags == 1


WRONG: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "no buffer": (lambda: Tensor(3), TypeError, "bytes-like"),  # type: ignore[arg-type]
    "no dtype": (lambda: Tensor(b"ab", dtype="i4"), ValueError, 'expected a dtype such as .* found "i4"'),
    "parts of an element": (lambda: Tensor(b"abc", dtype="uint16"), ValueError, "found 3 bytes"),
    "an offset outside": (lambda: Tensor(b"abc", offset=4), ValueError, "within the 3 bytes, found 4"),
    "too large": (lambda: Tensor(b"abc", shape=(4,)), BufferError, "bytes 0 to 4"),
    "below the start": (lambda: Tensor(b"abc", shape=(2,), strides=(-1,)), BufferError, "bytes -1 to 1"),
    "a negative size": (lambda: Tensor(b"abc", shape=(-1,)), BufferError, "found -1"),
    "too few strides": (lambda: Tensor(b"abc", shape=(1, 1), strides=(1,)), BufferError, "stride"),
    "sizes that overflow": (lambda: Tensor(b"abc", shape=(1 << 62, 8)), BufferError, "64 bits"),
    "strides that overflow": (
        lambda: Tensor(b"abc", shape=(3,), strides=((1 << 63) - 1,)),
        BufferError,
        "address space|within the 3 bytes",
    ),
    "beyond 64 bits": (lambda: Tensor(b"abc", shape=(1 << 70,)), OverflowError, "too large"),
    "no numbers": (lambda: Tensor(b"abc", shape=("a",)), TypeError, "integer"),  # type: ignore[arg-type]
    "rank 65": (lambda: Tensor(b"abc", shape=(1,) * 65), BufferError, "at most 64 dimensions, found 65"),
    "writable wanted": (lambda: Tensor(b"abc", readonly=False), BufferError, "written to"),
    "another byte order": (
        lambda: Tensor(memoryview((ctypes.c_uint16.__ctype_be__ * 2)())),
        BufferError,
        "byte order, found the format '?\"?>H",
    ),
    "a struct": (
        lambda: Tensor(memoryview(type("S", (ctypes.Structure,), {"_fields_": [("a", ctypes.c_int)]})())),
        BufferError,
        "elements of one number",
    ),
    "zeros without end": (lambda: Tensor.zeros((1 << 62,)), BufferError, "address space"),
    "zeros that are not there": (lambda: Tensor.zeros((1 << 42,)), MemoryError, "found that there are not"),
    "zeros of nothing": (lambda: Tensor.zeros((1,), "void"), ValueError, "expected a dtype"),
    "a scalar's length": (lambda: len(Tensor(b"a", shape=())), TypeError, "a single element"),
    "no tensor": (lambda: Tensor.from_dlpack(NO_ARRAY), AttributeError, "__dlpack__"),
    "no array": (lambda: Tensor.from_cuda_array(NO_ARRAY, 0), TypeError, "__cuda_array_interface__"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_tensor_is_refused_by_name(case: str) -> None:
    make, error, words = WRONG[case]
    with pytest.raises(error, match=words):
        make()


def test_a_refused_buffer_is_given_back() -> None:
    memory = bytearray(3)
    for _ in range(100):
        with pytest.raises(BufferError):
            Tensor(memory, shape=(4,))
    gc.collect()
    memory.append(0)


# As a buffer


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float4_e2m1fn"])
def test_types_that_buffers_have_no_word_for_are_refused_as_such(dtype: str) -> None:
    tensor = Tensor.zeros((4,), dtype)
    with pytest.raises(BufferError, match=dtype):
        memoryview(tensor)
    assert Tensor.from_dlpack(tensor).dtype == dtype
    assert set(tensor.tobytes()) == {0}


def test_gaps_are_refused_where_none_are_expected() -> None:
    tensor = Tensor(bytearray(range(8)), shape=(4,), strides=(2,))
    assert bytes(memoryview(tensor)) == b"\0\2\4\6"
    with pytest.raises(BufferError, match="without gaps"):
        hashlib.sha256(tensor)
    assert hashlib.sha256(tensor.copy()).digest() == hashlib.sha256(b"\0\2\4\6").digest()


def test_columns_are_a_buffer_in_fortran_s_order() -> None:
    tensor = Tensor(bytearray(range(6)), shape=(2, 3), strides=(1, 2))
    view = memoryview(tensor)
    assert (view.f_contiguous, view.c_contiguous) == (True, False)
    assert rows(view) == [[0, 2, 4], [1, 3, 5]]
    assert view.tobytes(order="A") == bytes(range(6))


def test_what_repeats_is_a_buffer_and_one_without_elements_is_as_well() -> None:
    repeated = Tensor(b"\7", shape=(2, 3), strides=(0, 0))
    assert rows(memoryview(repeated)) == [[7, 7, 7], [7, 7, 7]]
    empty = Tensor(b"", shape=(2, 0, 3))
    assert memoryview(empty).shape == (2, 0, 3)
    assert (empty.data_ptr, empty.size, empty.nbytes, bytes(empty)) == (0, 0, 0, b"")
    assert producer.seen(empty.__dlpack__(max_version=(1, 0))).data is None


def test_a_scalar_has_one_element_and_no_dimensions() -> None:
    scalar = Tensor(struct.pack("=d", 1.5), dtype="float64", shape=())
    assert (scalar.shape, scalar.ndim, scalar.size) == ((), 0, 1)
    assert rows(memoryview(scalar)) == 1.5
    assert repr(scalar) == "Tensor(shape=(), dtype='float64', device=(1, 0), readonly=True)"


# To and from other libraries


def test_what_it_exports_it_takes_back_from_the_same_memory() -> None:
    tensor = Tensor(bytearray(range(24)), shape=(2, 3, 2), strides=(12, 4, 2), dtype="uint8")
    for taken in (Tensor.from_dlpack(tensor), Tensor.from_dlpack(tensor.__dlpack__(max_version=(1, 3)))):
        assert (taken.data_ptr, taken.shape, taken.strides) == (tensor.data_ptr, (2, 3, 2), (12, 4, 2))
        assert (taken.readonly, taken.copied) == (False, False)


@pytest.mark.parametrize("is_older", [False, True])
@pytest.mark.parametrize("says_so", [False, True])
def test_copy_true_is_always_a_copy(is_older: bool, says_so: bool) -> None:
    tensor = Tensor(bytearray(b"abcd"))

    class Producer:
        """Takes the argument and copies, takes it and does not, or does not know it."""

        def __dlpack__(self, **asked: Any) -> object:
            if is_older and asked:
                raise TypeError("older than that")
            asked["copy"] = says_so
            return tensor.__dlpack__(**asked)

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    taken = Tensor.from_dlpack(Producer(), copy=True)
    assert taken.copied
    assert taken.data_ptr != tensor.data_ptr
    memoryview(taken)[0] = 0
    assert tensor.tobytes() == b"abcd"


def test_copy_false_is_never_a_copy() -> None:
    tensor = Tensor(bytearray(b"abcd"))
    assert Tensor.from_dlpack(tensor, copy=False).data_ptr == tensor.data_ptr

    class Copies:
        def __dlpack__(self, **_: object) -> object:
            return tensor.__dlpack__(max_version=(1, 3), copy=True)

    with pytest.raises(BufferError, match="copy=False"):
        Tensor.from_dlpack(Copies(), copy=False)


def test_host_memory_is_where_it_is_asked_for_and_no_other_device_is() -> None:
    tensor = Tensor(b"abcd")
    assert Tensor.from_dlpack(tensor, device=(1, 0)).data_ptr == tensor.data_ptr
    with pytest.raises(BufferError, match="expected the device of the tensor, Cpu 0"):
        Tensor.from_dlpack(tensor, device=(2, 0))


def test_memory_of_a_device_is_said_and_never_touched() -> None:
    class Array:
        @property
        def __cuda_array_interface__(self) -> dict[str, object]:
            return {"shape": (2, 3), "typestr": "<f4", "data": (0x1000, True), "version": 3, "stream": 7}

    owner = Array()
    alive = weakref.ref(owner)
    tensor = Tensor.from_cuda_array(owner, 5)
    del owner
    gc.collect()
    assert alive() is not None
    assert (tensor.device, tensor.dtype, tensor.shape) == ((2, 5), "float32", (2, 3))
    assert tensor.__dlpack_device__() == (2, 5)
    assert tensor.__cuda_array_interface__ == {
        "shape": (2, 3),
        "typestr": "<f4",
        "data": (0x1000, True),
        "version": 3,
        "strides": None,
        "stream": 7,
    }
    with pytest.raises(BufferError, match="host memory"):
        tensor.tobytes()
    with pytest.raises(BufferError, match="host memory"):
        tensor.copy()
    with pytest.raises(BufferError, match="host memory"):
        memoryview(tensor)
    # A stream that has still to write, and no driver that waits.
    with pytest.raises(BufferError, match="driver"):
        tensor.__dlpack__(max_version=(1, 3), stream=9)
    assert producer.seen(tensor.__dlpack__(max_version=(1, 3), stream=7)).device == (2, 5)
    with pytest.raises(BufferError, match="driver"):
        tensor.__dlpack__(max_version=(1, 3), dl_device=(1, 0))
    with pytest.raises(ValueError, match=re.escape("expected the shape [3, 2], found [2, 3]")):
        Tensor.from_cuda_array(Array(), 5, shape=(3, 2))
    del tensor
    gc.collect()
    assert alive() is None


def test_host_memory_has_no_cuda_array_interface() -> None:
    assert not hasattr(Tensor(b"ab"), "__cuda_array_interface__")
    assert isinstance(
        Tensor.__dlpack_c_exchange_api__, type(Tensor(b"", shape=(0,)).__dlpack__(max_version=(1, 0)))
    )


# An object of Python's


def test_nothing_of_it_changes_and_it_is_no_base() -> None:
    tensor = Tensor(b"ab")
    with pytest.raises(AttributeError):
        tensor.shape = (1, 2)  # type: ignore[misc]
    with pytest.raises(AttributeError):
        tensor.other = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Mine", (Tensor,), {})
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(tensor)


def test_threads_share_one_tensor() -> None:
    tensor = Tensor(bytearray(range(256)))
    before = sys.getrefcount(tensor)
    failed: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(2000):
                assert Tensor.from_dlpack(tensor).data_ptr == tensor.data_ptr
                assert memoryview(tensor)[255] == 255
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert sys.getrefcount(tensor) == before


def run(program: str) -> subprocess.CompletedProcess[str]:
    """A program of its own, with the package that this one has."""
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_a_tensor_that_is_left_when_python_ends_is_no_crash() -> None:
    done = run(
        "from wirecontract import Tensor\n"
        "import os, sys\n"
        "tensor = Tensor(bytearray(64))\n"
        "view = memoryview(tensor)\n"
        "capsule = tensor.__dlpack__()\n"
        "class Late:\n"
        "    def __init__(self, held): self.held, self.write = held, os.write\n"
        "    def __del__(self): self.write(1, b'late %d\\n' % self.held.from_dlpack(self.held).size)\n"
        "sys.kept = Late(tensor)\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "late 64\n", "")


def test_a_forked_child_lets_go_of_what_its_parent_keeps() -> None:
    done = run(
        "import os, sys\n"
        "from wirecontract import Tensor\n"
        "memory = bytearray(b'abcd')\n"
        "tensor = Tensor(memory)\n"
        "taken = Tensor.from_dlpack(tensor)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    del taken, tensor\n"
        "    memory.append(0)\n"
        "    os._exit(memory != b'abcd\\0')\n"
        "status = os.waitpid(child, 0)[1]\n"
        "print(status, taken.tobytes())\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 b'abcd'\n", "")


@pytest.mark.parametrize("first", ["main", "sub"])
def test_a_subinterpreter_is_refused_by_name(first: str) -> None:
    done = run(
        "import sys\n"
        "try:\n"
        "    import _interpreters as interpreters\n"
        "except ImportError:\n"
        "    import _xxsubinterpreters as interpreters\n"
        f"if {first == 'main'}:\n"
        "    from wirecontract import Tensor\n"
        "other = interpreters.create()\n"
        "program = 'import sys; sys.path[:] = ' + repr(sys.path) + '''\n"
        "try:\n"
        "    from wirecontract import Tensor\n"
        "except ImportError as error:\n"
        "    print('refused:', error, flush=True)\n"
        "'''\n"
        "interpreters.run_string(other, program)\n"
        "from wirecontract import Tensor\n"
        "print(Tensor(b'a').size)\n"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("refused: ")
    assert "subinterpreter" in done.stdout
    # The interpreter that is not refused is not taken for one that came second.
    assert done.stdout.endswith("\n1\n")


# Words


def lent(value: Buffer) -> memoryview:
    """Whether a type checker takes a tensor for a buffer."""
    return memoryview(value)


def test_a_tensor_is_a_buffer_to_type_checkers() -> None:
    assert lent(Tensor(b"ab")).tolist() == [97, 98]


# What others hand on, and what is kept in circles and chains


class HandsOn(bytearray):
    """Of another type, with the attributes of a tensor."""

    __dlpack_c_exchange_api__ = Tensor.__dlpack_c_exchange_api__


def test_the_exchange_table_on_another_type_is_refused() -> None:
    with pytest.raises(
        TypeError,
        match="expected an object of the type whose exchange table this is, found one of type HandsOn",
    ):
        Tensor.from_dlpack(HandsOn(4000))  # type: ignore[arg-type]


class Frame(bytearray):
    kept: object


def cuda_array(owner: Frame) -> object:
    interface = {"shape": (2,), "typestr": "<f4", "data": (4096, False), "version": 3}
    owner.__dict__["__cuda_array_interface__"] = interface
    return Tensor.from_cuda_array(owner, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("keep", [Tensor, lambda frame: memoryview(Tensor(frame)), cuda_array])
def test_a_cycle_through_a_tensor_is_collected(keep: Callable[[Frame], object]) -> None:
    frame = Frame(64)
    frame.kept = keep(frame)
    seen = weakref.ref(frame)
    gc.collect()
    assert seen() is frame
    del frame
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize("link", ["Tensor(it)", "memoryview(Tensor(it))", "Tensor.from_dlpack(it)"])
def test_a_chain_of_any_length_is_let_go_of(link: str) -> None:
    done = run(
        "import weakref\n"
        "from wirecontract import Tensor\n"
        "class Frame(bytearray): pass\n"
        "first = Frame(3)\n"
        "seen = weakref.ref(first)\n"
        "it = Tensor(first)\n"
        "del first\n"
        "for _ in range(200_000):\n"
        f"    it = {link}\n"
        "del it\n"
        "print(seen())\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "None\n", "")


class Either(ctypes.Union):
    _fields_ = (("a", ctypes.c_uint16), ("b", ctypes.c_float))


class Both(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("a", ctypes.c_uint16), ("b", ctypes.c_uint16))


@pytest.mark.parametrize("element", [Either, Both])
def test_elements_whose_word_and_size_differ_are_refused(element: type[Either | Both]) -> None:
    values = (element * 2)()
    with pytest.raises(BufferError, match=f"found the format .* of {ctypes.sizeof(element)} bytes"):
        Tensor(values)
    assert Tensor(values, dtype="uint16").shape == (ctypes.sizeof(values) // 2,)


@pytest.mark.parametrize("shape", [None, (0,)])
def test_an_offset_is_within_the_bytes(shape: tuple[int, ...] | None) -> None:
    assert Tensor(b"abcd", offset=4, shape=(0,)).size == 0
    with pytest.raises(ValueError, match="expected an offset within the 4 bytes, found 5"):
        Tensor(b"abcd", offset=5, shape=shape)
    with pytest.raises(ValueError, match="expected an offset in bytes, from 0 on, found -1"):
        Tensor(b"abcd", offset=-1, shape=shape)


# Streams


class Array:
    """What a library computes on a stream."""

    def __init__(self, **more: object) -> None:
        described = {"shape": (2,), "typestr": "<f4", "data": (4096, False), "version": 3}
        self.__cuda_array_interface__ = described | more


def on_stream(stream: int | None) -> Tensor:
    return Tensor.from_cuda_array(Array(stream=stream), 0)


def stream_of(tensor: Tensor) -> object:
    return tensor.__cuda_array_interface__["stream"]


def test_what_a_stream_has_still_to_make_is_not_taken_without_saying_where() -> None:
    pending = on_stream(7)
    with pytest.raises(BufferError, match="stream 7 has still to make them"):
        Tensor.from_dlpack(pending)
    with pytest.raises(BufferError, match="lets one stream wait for another"):
        Tensor.from_dlpack(pending, stream=8)


def test_a_tensor_that_was_taken_for_a_stream_is_there_on_that_one() -> None:
    taken = Tensor.from_dlpack(on_stream(7), stream=7)
    assert stream_of(taken) == 7
    assert taken.__dlpack__(stream=7) is not None
    with pytest.raises(BufferError, match="lets one stream wait for another"):
        taken.__dlpack__(stream=1)
    # Whoever says nothing reads on the legacy default stream.
    cuda = producer.Producer(device=(2, 0))
    assert stream_of(Tensor.from_dlpack(cuda)) == 1
    # So it is through the exchange table, which says that stream.
    assert stream_of(Tensor.from_dlpack(Tensor.from_dlpack(cuda))) == 1
    # Whoever waits by itself has waited.
    assert stream_of(Tensor.from_dlpack(cuda, stream=-1)) is None
    # A table cannot say that nothing is pending.
    assert stream_of(Tensor.from_dlpack(on_stream(None))) == 1


def test_a_device_has_a_number() -> None:
    with pytest.raises(ValueError, match="expected the number of a device, from 0 on, found device_id=-1"):
        Tensor.from_cuda_array(Array(), -1)


# Exceptions without words


class Speechless(Exception):
    def __str__(self) -> str:
        raise self


def test_an_exception_that_has_no_words_comes_through_as_it_was() -> None:
    def refuse(*_: object, **asked: object) -> object:
        raise Speechless

    source: Any = producer.Answers(refuse)
    with pytest.raises(Speechless):
        Tensor.from_dlpack(source)

    class Index:
        __index__ = refuse

    index: Any = Index()
    for asked in ({"max_version": (index, 0)}, {"stream": index}, {"dl_device": (index, 0)}):
        with pytest.raises(Speechless):
            Tensor(b"a").__dlpack__(**asked)


def test_near_the_limit_of_recursion_an_exception_has_no_words() -> None:
    done = run(
        "import sys\n"
        "from wirecontract import Tensor\n"
        "class Deep:\n"
        "    def __dlpack__(self, **asked): return Tensor(b'a').__dlpack__(**asked)\n"
        "    def __dlpack_device__(self): return (1, 0)\n"
        "def down(depth): return down(depth - 1) if depth else Tensor.from_dlpack(Deep())\n"
        "sys.setrecursionlimit(200)\n"
        "found = set()\n"
        "for depth in range(150, 200):\n"
        "    try:\n"
        "        found.add(type(down(depth)).__name__)\n"
        "    except RecursionError:\n"
        "        found.add('RecursionError')\n"
        "print(sorted(found))\n"
    )
    assert (done.returncode, done.stdout) == (0, "['RecursionError', 'Tensor']\n"), done.stderr
