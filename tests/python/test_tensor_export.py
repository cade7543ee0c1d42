"""Tensors for other libraries: what each argument of `__dlpack__` gets, and that all is ended once."""

import contextlib
import ctypes
import gc
import os
import re
import subprocess
import sys
import sysconfig
import textwrap
import threading
from collections.abc import Iterator

import pytest
from producer import name_of, raw, seen
from wirecontract_tensors import Tensor, owners, rust_memory, take, take_capsule

READ_ONLY, IS_COPIED, PADDED = 1, 2, 4
# A device whose memory nobody here touches.
CUDA = {"device": (2, 3), "address": 0x7F00_0000_0000}


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    gc.collect()
    before = owners()
    yield
    gc.collect()
    assert owners() == before


@pytest.mark.parametrize("asked", [None, (0, 0), (0, 8), (0, 99), (-1, 0), (-(2**70), 0)])
def test_who_knows_no_version_gets_the_legacy_capsule(asked: tuple[int, int] | None) -> None:
    made = Tensor("float64", [2, 3]).__dlpack__(max_version=asked)
    assert name_of(made) == b"dltensor"


@pytest.mark.parametrize("asked", [(1, 0), (1, 3), (1, 99), (2, 0), (2**70, 0)])
def test_who_knows_versions_gets_ours(asked: tuple[int, int]) -> None:
    made = Tensor("float64", [2, 3]).__dlpack__(max_version=asked)
    assert name_of(made) == b"dltensor_versioned"
    assert seen(made).version == (1, 3)


def test_no_arguments_at_all_are_the_legacy_ones() -> None:
    assert name_of(Tensor("float32", [1]).__dlpack__()) == b"dltensor"


def test_the_offset_is_folded_and_strides_are_said() -> None:
    tensor = Tensor("int32", [2, 3], [6, -1], size=64, offset=8)
    made = seen(tensor.__dlpack__(max_version=(1, 0)))
    assert (made.byte_offset, made.data) == (0, tensor.address)
    assert (made.shape, made.strides, made.dtype) == ((2, 3), (6, -1), (0, 32, 1))


def test_a_tensor_without_elements_has_no_memory() -> None:
    made = seen(Tensor("float32", [3, 0, 2]).__dlpack__(max_version=(1, 0)))
    assert (made.data, made.shape) == (None, (3, 0, 2))


def test_a_rank_of_zero_is_one_element() -> None:
    tensor = Tensor("float64", [])
    made = seen(tensor.__dlpack__(max_version=(1, 0)))
    assert (made.shape, made.data) == ((), tensor.address)


def test_read_only_is_said_or_refused() -> None:
    tensor = Tensor("uint8", [4], read_only=True)
    assert seen(tensor.__dlpack__(max_version=(1, 0))).flags == READ_ONLY
    with pytest.raises(BufferError, match="a legacy capsule cannot say so"):
        tensor.__dlpack__()
    # A copy is the consumer's own.
    assert name_of(tensor.__dlpack__(copy=True)) == b"dltensor"
    assert seen(tensor.__dlpack__(copy=True, max_version=(1, 0))).flags == IS_COPIED


def test_a_copy_has_the_elements_in_order() -> None:
    tensor = Tensor("uint8", [2, 3], [1, 2], size=6)
    ctypes.memmove(tensor.address, bytes(range(6)), 6)
    copied = take_capsule(tensor.__dlpack__(copy=True, max_version=(1, 0)))
    assert copied.address != tensor.address
    assert copied.address % 64 == 0
    assert (copied.shape, copied.strides, copied.copied) == ((2, 3), (3, 1), True)
    assert copied.to_bytes() == bytes([0, 2, 4, 1, 3, 5])
    backwards = Tensor("int16", [2, 2, 3], [0, 0, -1], size=6, offset=4)
    ctypes.memmove(backwards.address - 4, bytes([1, 0, 2, 0, 3, 0]), 6)
    copied = take_capsule(backwards.__dlpack__(copy=True, max_version=(1, 0)))
    assert copied.to_bytes() == bytes([3, 0, 2, 0, 1, 0]) * 4
    for shape in ([0, 3], [], [1, 1, 1]):
        made = take(Tensor("complex128", shape), copy=True)
        assert list(made.shape) == shape


def test_copy_false_shares() -> None:
    tensor = Tensor("float32", [2])
    assert seen(tensor.__dlpack__(copy=False)).data == tensor.address


def test_host_memory_knows_no_stream() -> None:
    for stream in (-1, 1, 2, 12345):
        with pytest.raises(RuntimeError, match="expected stream=None of host memory"):
            Tensor("float32", [2]).__dlpack__(stream=stream)
    with pytest.raises(ValueError, match="found 0, which may mean two"):
        Tensor("float32", [2]).__dlpack__(stream=0)


def test_a_device_s_tensor_of_which_nothing_is_pending_takes_any_stream() -> None:
    tensor = Tensor("float32", [2, 2], **CUDA)  # type: ignore[arg-type]
    for stream in (None, -1, 1, 2, 0x5555_0000):
        made = seen(tensor.__dlpack__(stream=stream, max_version=(1, 3)))
        assert (made.device, made.data) == ((2, 3), CUDA["address"])
    with pytest.raises(ValueError, match="found 0"):
        tensor.__dlpack__(stream=0)
    with pytest.raises(ValueError, match="found -2"):
        tensor.__dlpack__(stream=-2)


def test_rocm_has_one_default_stream_which_is_0() -> None:
    tensor = Tensor("float32", [2], device=(10, 3), address=0x7F00_0000_0000)
    for stream in (None, -1, 0, 3, 0x5555_0000):
        assert seen(tensor.__dlpack__(stream=stream, max_version=(1, 3))).device == (10, 3)
    for stream in (1, 2):
        with pytest.raises(ValueError, match=rf"found {stream}, which is one of CUDA: say 0"):
            tensor.__dlpack__(stream=stream)
    with pytest.raises(ValueError, match="found -2"):
        tensor.__dlpack__(stream=-2)
    # Where nothing is said, the default stream reads; whoever says none waits by itself.
    pending = Tensor("float32", [2], device=(10, 3), address=0x7F00_0000_0000, pending=0)
    for stream in (None, 0, -1):
        pending.__dlpack__(stream=stream)
    with pytest.raises(BufferError, match=r"driver of Rocm 3 .* that lets one stream wait"):
        pending.__dlpack__(stream=3)


def test_what_needs_a_driver_is_refused_and_never_taken_for_done() -> None:
    tensor = Tensor("float32", [2], pending=77, **CUDA)  # type: ignore[arg-type]
    # The same stream needs no waiting, and -1 asks for none.
    tensor.__dlpack__(stream=77)
    tensor.__dlpack__(stream=-1)
    for stream in (None, 1, 2, 78):
        with pytest.raises(BufferError, match=r"driver of Cuda 3 .* that lets one stream wait"):
            tensor.__dlpack__(stream=stream)
    with pytest.raises(BufferError, match="that copies on the device"):
        tensor.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="that copies to the host"):
        tensor.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match="found copy=False: from Cuda 3"):
        tensor.__dlpack__(dl_device=(1, 0), copy=False)


def test_another_device_is_refused() -> None:
    with pytest.raises(BufferError, match=re.escape("(dl_device=(1, 0)), found Cuda 0 (dl_device=(2, 0))")):
        Tensor("float32", [2]).__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="a device of an unknown type, 1"):
        Tensor("float32", [2]).__dlpack__(dl_device=(9999, 1))
    tensor = Tensor("float32", [2])
    assert seen(tensor.__dlpack__(dl_device=(1, 0))).data == tensor.address


def test_pinned_memory_is_host_memory_as_well() -> None:
    pinned = Tensor("float32", [2], device=(3, 0))
    assert pinned.__dlpack_device__() == (3, 0)
    made = seen(pinned.__dlpack__(dl_device=(1, 0), copy=False))
    assert (made.device, made.data) == ((1, 0), pinned.address)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("stream", "1"),
        ("stream", 1.0),
        ("max_version", 1),
        ("max_version", [1, 0]),
        ("max_version", (1,)),
        ("max_version", (1, 0, 0)),
        ("max_version", ("1", 0)),
        ("dl_device", 1),
        ("dl_device", (1, None)),
    ],
)
def test_arguments_of_strange_types_are_refused(argument: str, value: object) -> None:
    with pytest.raises(TypeError, match=f"expected {argument} to be .*, found an object of type"):
        Tensor("float32", [2]).__dlpack__(**{argument: value})


@pytest.mark.parametrize("value", [1, 0, "always", 1.0])
def test_a_copy_that_is_no_word_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="expected copy to be None, True or False, found an object of type"):
        Tensor("float32", [2]).__dlpack__(copy=value)


def test_a_device_beyond_32_bits_is_refused() -> None:
    with pytest.raises(ValueError, match="two numbers of 32 bits"):
        Tensor("float32", [2]).__dlpack__(dl_device=(2**40, 0))


def test_what_an_argument_raises_comes_through() -> None:
    class Odd:
        def __index__(self) -> int:
            raise ZeroDivisionError("in the index")

    with pytest.raises(ZeroDivisionError, match="in the index"):
        Tensor("float32", [2]).__dlpack__(max_version=(Odd(), 0))


def test_small_floats_and_padded_ones_are_said() -> None:
    packed = Tensor("float4_e2m1fn", [4, 8], size=16)
    made = seen(packed.__dlpack__(max_version=(1, 3)))
    assert (made.dtype, made.flags) == ((17, 4, 1), 0)
    padded = Tensor("float6_e2m3fn", [4, 8], [1, 4], size=32, padded=True)
    assert seen(padded.__dlpack__(max_version=(1, 3))).flags == PADDED
    assert take(padded).strides == (1, 4)


def test_a_capsule_holds_the_object_and_nothing_else() -> None:
    tensor = Tensor("float32", [2])
    count = sys.getrefcount(tensor)
    made = tensor.__dlpack__()
    assert sys.getrefcount(tensor) == count + 1
    assert owners() == 1
    del made
    assert sys.getrefcount(tensor) == count
    refused = Tensor("float32", [2], read_only=True)
    count = sys.getrefcount(refused)
    for arguments in ({}, {"dl_device": (2, 0)}, {"stream": 5}, {"copy": True}):
        with contextlib.suppress(BufferError, RuntimeError):
            refused.__dlpack__(**arguments)
    assert sys.getrefcount(refused) == count


@pytest.mark.parametrize(("kind", "strides"), [("vec", (3, 1)), ("arc", (2, 1)), ("box", (-1,))])
def test_memory_of_rust_s_is_exported_without_an_object(kind: str, strides: tuple[int, ...]) -> None:
    taken = take(rust_memory(kind, True))
    assert taken.strides == strides
    assert taken.read_only == (kind == "arc")
    if kind != "box":
        assert taken.to_bytes() == bytes((ctypes.c_float * 6)(*range(6)))
    rust_memory(kind, True)
    if kind == "arc":
        with pytest.raises(ValueError, match="a legacy capsule cannot say so"):
            rust_memory(kind, False)


def test_a_hundred_thousand_exports_leave_nothing() -> None:
    tensor = Tensor("float32", [2, 3])
    count = sys.getrefcount(tensor)
    rounds = 1_000_000 if os.environ.get("WIRECONTRACT_TEST_ALL") else 100_000
    for number in range(rounds):
        made = tensor.__dlpack__(max_version=(1, 0) if number % 2 else None)
        if number % 3 == 0:
            take_capsule(made)
    del made
    assert (owners(), sys.getrefcount(tensor)) == (0, count)


def test_an_exception_on_its_way_survives_the_end_of_a_capsule() -> None:
    tensor = Tensor("float32", [2])

    def fails() -> object:
        raise KeyError("on its way")

    for arguments in ({}, {"max_version": (1, 0)}):
        # The capsule is on the stack, and dies while the exception is being raised.
        with pytest.raises(KeyError, match="on its way"):
            assert [tensor.__dlpack__(**arguments), fails()]


def test_a_tensor_is_ended_by_another_thread() -> None:
    held = [take(Tensor("float32", [64])) for _ in range(64)]
    assert owners() == 0  # the exchange table holds the object itself
    capsules = [Tensor("float32", [64]).__dlpack__(max_version=(1, 0)) for _ in range(64)]

    def end() -> None:
        held.clear()
        capsules.clear()

    thread = threading.Thread(target=end)
    thread.start()
    thread.join()
    assert owners() == 0


def test_a_deleter_is_called_by_a_thread_without_the_lock() -> None:
    # A function of C's that ctypes calls without the GIL: the deleter has to take it.
    tensor = Tensor("float32", [2])
    made = tensor.__dlpack__(max_version=(1, 0))
    managed = raw(made)
    address = ctypes.addressof(managed)
    ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(made), b"used_dltensor_versioned")
    deleter = ctypes.cast(managed.deleter, ctypes.c_void_p).value
    assert deleter is not None
    assert owners() == 1
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(address)
    assert owners() == 0


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


@pytest.mark.parametrize("held_by", ["module", "thread", "atexit", "C after Python"])
def test_tensors_that_are_there_at_shutdown_crash_nothing(held_by: str) -> None:
    done = run(f"""
        import atexit, ctypes, threading, time, sys
        from wirecontract_tensors import Tensor, take
        tensor = Tensor("float32", [1000])
        held = [tensor.__dlpack__(max_version=(1, 0)), take(tensor.__dlpack__()), take(tensor)]
        sys.held = held
        if {held_by!r} == "thread":
            threading.Thread(target=lambda: (time.sleep(30), held.clear()), daemon=True).start()
        if {held_by!r} == "atexit":
            atexit.register(held.clear)
        if {held_by!r} == "C after Python":
            sys.path.insert(0, "tests/python")
            from producer import raw
            managed = raw(held[0])
            # The capsule keeps the address of its name, and outlives this module's constants.
            name = b"used_dltensor_versioned"
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(name))
            ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(held[0]), name)
            deleter = ctypes.cast(managed.deleter, ctypes.c_void_p).value
            # libc calls it when Python is gone.
            libc = ctypes.CDLL(None)
            libc.__cxa_atexit.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
            assert libc.__cxa_atexit(deleter, ctypes.addressof(managed), None) == 0
        print("done", flush=True)
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_a_forked_child_ends_what_it_was_left() -> None:
    done = run("""
        import gc, os
        from wirecontract_tensors import Tensor, take, owners
        tensor = Tensor("float32", [10])
        held = [tensor.__dlpack__(), take(tensor.__dlpack__(max_version=(1, 0)))]
        child = os.fork()
        if child == 0:
            held.clear()
            gc.collect()
            taken = take(tensor)
            os._exit(0 if owners() == 0 and taken.shape == (10,) else 1)
        _, status = os.waitpid(child, 0)
        assert owners() == 2
        held.clear()
        assert owners() == 0
        print(status)
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


def test_a_subinterpreter_is_refused_in_words() -> None:
    # The module makes its exchange table when it is imported, for which it needs the main interpreter.
    done = run("""
        import sys
        try:
            import _interpreters as interpreters
            other = interpreters.create("legacy")
        except ImportError:
            import _xxsubinterpreters as interpreters
            other = interpreters.create()
        program = "import sys; sys.path[:] = " + repr(sys.path) + '''
        try:
            import wirecontract_tensors
        except (ImportError, RuntimeError) as error:
            print(error, flush=True)
        '''
        interpreters.run_string(other, program)
    """)
    assert (done.returncode, done.stderr) == (0, ""), done
    # A free-threaded Python asks the module's table, and refuses before the module is asked.
    ours, theirs = (
        "expected the main interpreter, found a subinterpreter",
        "does not support loading in subinterpreters",
    )
    assert (theirs if sysconfig.get_config_var("Py_GIL_DISABLED") else ours) in done.stdout, done
