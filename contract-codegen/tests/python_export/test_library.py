"""The generated module against a library in C."""

import array
import copy
import ctypes
import gc
import importlib
import math
import mmap
import os
import pickle
import subprocess
import sys
import threading
import warnings
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from wirecontract.contracts import CallError, Code, WireError, sensor

FOLDER = Path(os.environ["PYTHONPATH"]).parent
FAKE = FOLDER / "libfake.so"
# Buffers of nothing.
FLOATS, FLAGS = array.array("f"), array.array("I")
NAME = "wirecontract.contracts.library"


def fresh() -> ModuleType:
    """The module as it is before anything is loaded."""
    sys.modules.pop(NAME, None)
    return importlib.import_module(NAME)


@pytest.fixture
def fake() -> Iterator[ctypes.CDLL]:
    """The library, in the state that it begins in; nothing of it may be left over."""
    found = ctypes.CDLL(str(FAKE))
    found.fake_address.restype = ctypes.c_uint64
    found.wc_reset()
    live = found.fake_live()
    yield found
    found.wc_reset()
    gc.collect()
    assert found.fake_owned() == 0, "bytes were not freed"
    assert found.fake_live() == live, "handles were not destroyed"


@pytest.fixture
def library(fake: ctypes.CDLL) -> ModuleType:
    """The module with the library loaded."""
    module = fresh()
    module.load(FAKE)
    return module


@pytest.fixture
def camera(library: ModuleType) -> Iterator[Any]:
    """A camera, which a test may close."""
    with library.Camera.open("left") as made:
        yield made
        library.reset()


# Loading


def test_a_call_before_load_says_what_to_do() -> None:
    module = fresh()
    for call in (module.version, module.reset, lambda: module.Camera.open("left")):
        with pytest.raises(RuntimeError, match=rf"no library is loaded: call `{NAME}.load\(path\)` first"):
            call()


def test_another_id_is_refused_with_both_and_nothing_is_loaded() -> None:
    module = fresh()
    with pytest.raises(WireError) as caught:
        module.load(FOLDER / "libother.so")
    error = caught.value
    expected = module._WIRE_IDS["wc_mean"]
    assert (error.code, error.contract) == (Code.ID_MISMATCH, "wc_mean")
    assert error.expected == f"wire id {expected:#018x}"
    assert f"{expected ^ 1:#018x} in " in str(error)
    with pytest.raises(RuntimeError, match="no library is loaded"):
        module.version()
    module.load(FAKE)
    assert module.version() == "1.4.0"


@pytest.mark.parametrize(
    ("file", "symbol"), [("libunstated.so", "wc_reset_wire_id"), ("libless.so", "wc_reset")]
)
def test_a_missing_symbol_is_refused_by_its_name(file: str, symbol: str) -> None:
    module = fresh()
    with pytest.raises(WireError) as caught:
        module.load(FOLDER / file)
    assert (caught.value.code, caught.value.contract) == (Code.ID_MISMATCH, "wc_reset")
    assert f"no symbol {symbol} in " in str(caught.value)
    with pytest.raises(RuntimeError, match="no library is loaded"):
        module.version()


def test_every_symbol_is_compared() -> None:
    module = fresh()
    assert set(module._WIRE_IDS) == set(module._PROTOTYPES)
    text = Path(module.__file__ or "").read_text("utf-8")
    for symbol, wire_id in module._WIRE_IDS.items():
        assert f'\n    "{symbol}": 0x{wire_id:016X},\n' in text
    assert module._WIRE_IDS["wc_last_error"] == module._WIRE_IDS["wc_bytes_free"]
    assert module._WIRE_IDS["wc_camera_destroy"] == module.Camera.WIRE_ID


def test_a_file_that_is_no_library_is_an_os_error() -> None:
    with pytest.raises(OSError, match="no such library"):
        fresh().load("no such library")


def test_loading_again_changes_nothing_and_another_waits_for_handles(
    library: ModuleType, tmp_path: Path
) -> None:
    library.load(str(FAKE))
    link = tmp_path / "link.so"
    link.symlink_to(FAKE)
    twin = tmp_path / "twin.so"
    twin.write_bytes(FAKE.read_bytes())
    with library.Camera.open("left"):
        library.load(link)
        with pytest.raises(RuntimeError, match=r"libfake\.so is in use: close 1 of its handles before"):
            library.load(twin)
        assert library.version() == "1.4.0"
    library.load(twin)
    with library.Camera.open("left") as camera:
        assert ctypes.CDLL(str(twin)).fake_live() == 1
        assert camera.gain() == 1.5


# Errors


def test_a_refusal_is_an_error_with_all_that_the_library_says(library: ModuleType) -> None:
    with pytest.raises(CallError) as caught:
        library.Camera.open("none")
    error = caught.value
    assert (error.code, error.detail) == (Code.REFUSED, -7)
    assert (error.function, error.argument) == ("wc_camera_open", "name")
    assert error.message == "no camera is called none: grüß"
    assert str(error) == "wc_camera_open: refused (-7): no camera is called none: grüß"
    assert isinstance(error, RuntimeError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_code_of_a_newer_library_keeps_its_number(library: ModuleType) -> None:
    with pytest.raises(CallError) as caught:
        library.Camera.open("later")
    assert caught.value.code == 77
    assert isinstance(caught.value.code, Code)
    assert str(caught.value) == "wc_camera_open: code_77"


def test_what_was_said_of_another_failure_is_not_said_again(library: ModuleType) -> None:
    with pytest.raises(CallError):
        library.Camera.open("none")
    with pytest.raises(CallError) as caught:
        library.Camera.open("silent")
    assert (caught.value.code, caught.value.message) == (36, "")


def test_each_thread_is_told_its_own_failure(library: ModuleType) -> None:
    found = []

    def work(name: str, detail: int) -> None:
        for _ in range(200):
            with pytest.raises(CallError) as caught:
                library.Camera.open(name)
            found.append(caught.value.detail == detail)

    threads = [threading.Thread(target=work, args=it) for it in [("none", -7), ("later", 0)] * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1200
    assert all(found)


# Handles


def test_a_closed_handle_is_a_value_error_and_closing_again_is_nothing(
    library: ModuleType, fake: ctypes.CDLL
) -> None:
    before = fake.fake_live()
    camera = library.Camera.open("left")
    assert not camera.closed
    assert fake.fake_live() == before + 1
    camera.close()
    assert camera.closed
    assert fake.fake_live() == before
    camera.close()
    with pytest.raises(ValueError, match="wc_camera_gain: `self` is closed"):
        camera.gain()
    with pytest.raises(ValueError, match="the Camera is closed"), camera:
        pass
    assert repr(camera) == f"<{NAME}.Camera closed>"


def test_a_block_closes_what_it_was_given_whatever_happens(library: ModuleType) -> None:
    with pytest.raises(KeyError), library.Camera.open("left") as camera:
        raise KeyError
    assert camera.closed


def test_a_handle_is_made_copied_and_pickled_by_nobody(library: ModuleType, camera: Any) -> None:
    with pytest.raises(TypeError, match="no Camera is made by hand"):
        library.Camera()
    with pytest.raises(TypeError, match="no Camera is made by hand"):
        library.Camera(3, number=4)
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="a Camera cannot be copied or pickled"):
            copied(camera)
    with pytest.raises(AttributeError):
        camera.name = "left"


def test_handles_are_equal_to_themselves_alone(library: ModuleType, camera: Any) -> None:
    with library.Camera.open("left") as other:
        assert camera == camera
        assert camera != other
        assert len({camera, other, camera}) == 2
    assert weakref.ref(camera)() is camera


def test_a_handle_that_nobody_closed_is_a_resource_warning_and_is_closed(
    library: ModuleType, fake: ctypes.CDLL
) -> None:
    before = fake.fake_live()
    held = [library.Camera.open("left")]
    with pytest.warns(ResourceWarning, match=r"unclosed <wirecontract\.contracts\.library\.Camera 0x"):
        held.clear()
    assert fake.fake_live() == before


def test_a_handle_that_cannot_be_destroyed_raises_nothing_when_it_is_collected(
    library: ModuleType, fake: ctypes.CDLL
) -> None:
    held = [library.Camera.open("left")]
    held[0].set_gain(99.0)
    with pytest.warns(ResourceWarning, match="unclosed"):
        held.clear()
    library.reset()
    for key in library._library.open:
        number = library._number_Camera(key)
        assert library._c_wc_camera_destroy(ctypes.byref(number)) == 0


def test_a_handle_that_is_left_at_the_end_ends_the_interpreter_in_silence() -> None:
    text = (
        f"import sys; from {NAME} import *; load(sys.argv[1])\n"
        "a = Camera.open('left'); b = [Camera.open('left')]\n"
        "b.append(b); sys.modules['kept'] = b; import builtins; builtins.kept = Camera.open('left')"
    )
    found = subprocess.run([sys.executable, "-c", text, FAKE], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


def test_a_handle_that_is_busy_stays_open(library: ModuleType, camera: Any) -> None:
    camera.set_gain(99.0)
    for call in (camera.close, camera.into_frame):
        with pytest.raises(CallError) as caught:
            call()
        assert caught.value.code == Code.BUSY
        assert not camera.closed
    library.reset()
    assert camera.gain() == 1.5


def test_a_handle_whose_end_fails_is_closed_and_in_nobodys_way(
    library: ModuleType,
) -> None:
    stuck, gone = library.Camera.open("left"), library.Camera.open("left")
    stuck.set_gain(98.0)
    with pytest.raises(CallError, match="the shutter is stuck") as caught:
        stuck.close()
    assert caught.value.code == Code.PANIC
    library.reset()
    # As when the thread that made it has ended.
    number = library._number_Camera(gone._number.id)
    assert library._c_wc_camera_destroy(ctypes.byref(number)) == 0
    with pytest.raises(CallError, match="destroyed") as caught:
        gone.close()
    assert caught.value.code == Code.BAD_HANDLE
    assert (stuck.closed, gone.closed, library._library.open) == (True, True, set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del stuck, gone
        gc.collect()


def test_a_call_that_takes_a_handle_closes_it(library: ModuleType, camera: Any) -> None:
    with camera.into_frame() as frame:
        assert camera.closed
        with pytest.raises(ValueError, match="`self` is closed"):
            camera.into_frame()
        extent = sensor.Extent(4, 2)
        kind = ctypes.c_int32(1)
        byte = ctypes.c_uint8(0)
        with library.Camera.open("right") as other:
            library.join(other, frame, extent, kind, ctypes.pointer(byte))
            assert frame.closed
            assert (kind.value, byte.value) == (43, 42)
            with pytest.raises(ValueError, match="wc_join: `frame` is closed"):
                library.join(other, frame, extent, kind, None)


def test_a_handle_is_gone_where_the_call_that_took_it_fails(library: ModuleType, fake: ctypes.CDLL) -> None:
    before = fake.fake_live()
    camera = library.Camera.open("left")
    camera.set_gain(4.0)
    with pytest.raises(CallError, match="it has no frame"):
        camera.into_frame()
    assert camera.closed
    assert fake.fake_live() == before
    assert not library._library.open


def test_rusts_own_close_has_an_underscore(library: ModuleType, camera: Any) -> None:
    frame = camera.into_frame()
    frame.close_()
    assert frame.closed
    frame.close()


def test_a_handle_of_another_type_is_a_type_error(library: ModuleType, camera: Any) -> None:
    with pytest.raises(TypeError, match="wc_join: `frame` takes a handle of Frame, found Camera"):
        library.join(camera, camera, sensor.Extent(), ctypes.c_int32(), None)
    with pytest.raises(TypeError, match="wc_join: `camera` takes a handle of Camera, found NoneType"):
        library.join(None, camera, sensor.Extent(), ctypes.c_int32(), None)


def test_a_handle_by_value_is_a_type_error_before_the_call(library: ModuleType, camera: Any) -> None:
    destroy = library._c_wc_camera_destroy
    number = library._number_Camera(camera._number.id)
    for wrong in (number, number.id, None, camera):
        with pytest.raises(TypeError, match="expected a pointer to a handle"):
            destroy(wrong)
    assert camera.gain() == 1.5
    assert destroy(ctypes.pointer(library._number_Camera())) == 0
    take = library._c_wc_camera_into_frame
    with pytest.raises(ctypes.ArgumentError, match="TypeError: expected a pointer to a handle"):
        take(number, ctypes.byref(library._number_Frame()))
    assert camera.gain() == 1.5


def test_many_threads_make_and_close_handles(library: ModuleType) -> None:
    def work() -> None:
        for _ in range(100):
            with library.Camera.new() as camera:
                camera.gain()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not library._library.open


def test_one_of_several_threads_closes_a_handle(library: ModuleType) -> None:
    for _ in range(50):
        camera = library.Camera.new()
        threads = [threading.Thread(target=camera.close) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert camera.closed


# Numbers, enumerations, texts, documents


def test_floats_are_taken_as_a_field_takes_them(camera: Any) -> None:
    for given, expected in [(0.5, 0.5), (3, 3.0), (math.inf, math.inf), (0.1, ctypes.c_float(0.1).value)]:
        camera.set_gain(given)
        assert camera.gain() == expected
    camera.set_gain(math.nan)
    assert math.isnan(camera.gain())
    for wrong, code in [(1e39, Code.OUT_OF_RANGE), (16777217, Code.OUT_OF_RANGE), ("1", Code.WRONG_TYPE)]:
        with pytest.raises(WireError) as caught:
            camera.set_gain(wrong)
        assert (caught.value.code, caught.value.contract, caught.value.field) == (
            code,
            "wc_camera_set_gain",
            "gain",
        )


def test_closed_values_and_flags_are_checked_before_the_call(camera: Any) -> None:
    camera.set_mode(sensor.Mode.IDLE, sensor.Features.COOLED | sensor.Features.TRIGGERED)
    assert camera.mode() is sensor.Mode.IDLE
    assert camera.gain() == 3.0
    camera.set_mode(1, 0)
    assert camera.mode() is sensor.Mode.LIVE
    for mode, features, code in [
        (2, 0, Code.UNKNOWN_VALUE),
        (sensor.Features.COOLED, 0, Code.WRONG_TYPE),
        (0, 4, Code.UNKNOWN_BITS),
        (0, 1 << 40, Code.OUT_OF_RANGE),
    ]:
        with pytest.raises(WireError) as caught:
            camera.set_mode(mode, features)
        assert caught.value.code == code
    assert camera.mode() is sensor.Mode.LIVE


def test_a_value_that_the_library_should_not_give_is_refused(camera: Any, fake: ctypes.CDLL) -> None:
    fake.fake_set_mode(9)
    with pytest.raises(WireError) as caught:
        camera.mode()
    assert (caught.value.code, caught.value.contract) == (Code.UNKNOWN_VALUE, "wc_camera_mode")


def test_texts_cross_in_utf8_and_are_freed(library: ModuleType, camera: Any) -> None:
    assert camera.describe("grün 🎥").endswith(": grün 🎥")
    assert camera.describe("").endswith(": ")
    assert camera.describe(None).endswith(": (null)")
    for wrong, code in [("a\0b", Code.BAD_TEXT), ("\ud800", Code.BAD_UTF8), (b"a", Code.WRONG_TYPE)]:
        with pytest.raises(WireError) as caught:
            camera.describe(wrong)
        assert (caught.value.code, caught.value.field) == (code, "label")
    with pytest.raises(WireError):
        library.Camera.open(None)


def test_bytes_are_copied_and_freed(camera: Any) -> None:
    assert camera.snapshot() == b"\0\1\2"
    camera.set_gain(0.0)
    assert camera.snapshot() == b""


def test_descriptors_and_documents_cross_as_their_classes(camera: Any) -> None:
    given = sensor.Calibration(gain=0.25, mode=sensor.Mode.LIVE)
    assert camera.calibrate(given) == sensor.Calibration(gain=0.25, mode=sensor.Mode.IDLE)
    settings = sensor.Settings(is_live=True)
    assert camera.configure(settings) == settings
    camera.set_gain(2.0)
    with pytest.raises(WireError) as caught:
        camera.configure(settings)
    assert caught.value.code == Code.MISSING_KEY
    for call, wrong in [(camera.calibrate, given.to_bytes()), (camera.configure, {"is_live": True})]:
        with pytest.raises(WireError) as caught:
            call(wrong)
        assert caught.value.code == Code.WRONG_TYPE


def test_several_results_are_a_tuple_and_a_bad_one_leaks_nothing(
    library: ModuleType, camera: Any, fake: ctypes.CDLL
) -> None:
    assert camera.size() == (640, 4_000_000_000)
    with camera.into_frame() as frame:
        first, text, calibration, mode, features, extent, is_last = frame.split(frame)
        assert (text, calibration.gain, mode, is_last) == ("both", 0.5, 7, True)
        assert features == sensor.Features.COOLED | sensor.Features.TRIGGERED
        assert (extent.width, extent.height) == (1, 2)
        first.close()
        fake.fake_set_mode(2)
        with pytest.raises(UnicodeDecodeError):
            frame.split(frame)


# References and slices


def test_references_are_written_where_they_are(camera: Any) -> None:
    extent = sensor.Extent()
    dropped = ctypes.c_uint64(2**40)
    camera.grab(FLOATS, extent, sensor.Extent(7, 8), dropped).close()
    assert (extent.width, extent.height, dropped.value) == (0, 7, 2**40 + 1)
    for wrong in [
        (FLOATS, None, None, None),
        (FLOATS, extent, extent, 4),
        (FLOATS, extent, 4, None),
        (FLOATS, extent, None, ctypes.c_int64()),
    ]:
        with pytest.raises(TypeError, match=r"takes an instance of .*, found"):
            camera.grab(*wrong)


def address(buffer: Any) -> int:
    """Where a buffer that may be written begins."""
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))


def test_buffers_are_read_where_they_are(library: ModuleType, fake: ctypes.CDLL) -> None:
    numbers = array.array("f", [1.0, 2.0, 4.0])
    carray = (ctypes.c_float * 3)(1.0, 2.0, 4.0)
    pages = mmap.mmap(-1, 4096)
    pages[:12] = numbers.tobytes()
    view = memoryview(pages)[:12].cast("f")
    for buffer in (numbers, memoryview(numbers), carray, view, view.cast("B").cast("f", [3, 1])):
        assert library.mean(buffer, (), FLAGS) == 7.0
        assert fake.fake_address() == address(buffer)
    frozen = memoryview(numbers.tobytes()).cast("f")
    assert library.mean(frozen, (), FLAGS) == 7.0
    assert library.mean(memoryview(numbers).toreadonly()[1:], (), FLAGS) == 6.0
    assert fake.fake_address() == address(numbers) + 4
    nothing: list[Any] = [array.array("f"), (), [], memoryview(array.array("f")).toreadonly()]
    for empty in nothing:
        assert library.mean(empty, (), FLAGS) == 0.0
        assert fake.fake_address() == 0
    # None of them is held any longer.
    del buffer
    numbers.append(8.0)
    view.release()
    pages.close()


def test_a_buffer_is_let_go_behind_the_call(library: ModuleType) -> None:
    data = bytearray(16)
    library.mean(memoryview(data).cast("f").toreadonly(), (), FLAGS)
    library.mean(memoryview(data).cast("f"), (), FLAGS)
    data.append(1)


def test_sequences_are_copied_and_each_item_is_checked(library: ModuleType) -> None:
    assert library.mean([1, 2.5], [sensor.Mode.LIVE, 0, 1], FLAGS) == 2003.5
    assert library.mean(range(4), (), FLAGS) == 6.0
    assert library.mean([math.inf], (), FLAGS) == math.inf
    for samples, modes, code, field, offset in [
        ([1.0, 1e39], (), Code.OUT_OF_RANGE, "samples", 4),
        ([1.0, 2.0, "3"], (), Code.WRONG_TYPE, "samples", 8),
        ((), [0, 2**31], Code.OUT_OF_RANGE, "modes", 4),
        ((), [0.5], Code.WRONG_TYPE, "modes", 0),
        ([1.0, True], (), Code.WRONG_TYPE, "samples", 4),
        ((), (0, False), Code.WRONG_TYPE, "modes", 4),
    ]:
        with pytest.raises(WireError) as caught:
            library.mean(samples, modes, FLAGS)
        assert (caught.value.code, caught.value.field, caught.value.offset) == (code, field, offset)


@pytest.mark.parametrize(
    "wrong",
    [
        array.array("d", [1.0]),
        array.array("i", [1]),
        b"1234",
        "1234",
        {1.0: 2.0},
        {1.0},
        iter([1.0]),
        1.0,
        None,
        memoryview(array.array("f", [1.0, 2.0, 3.0]))[::2],
        memoryview(bytes(8)).cast("f")[::-1],
    ],
)
def test_what_is_no_buffer_of_that_format_and_no_sequence_is_a_type_error(
    library: ModuleType, wrong: Any
) -> None:
    with pytest.raises(TypeError, match=r"wc_mean: `samples` takes a .*buffer"):
        library.mean(wrong, (), FLAGS)


def test_a_buffer_in_the_other_byte_order_is_a_type_error(library: ModuleType) -> None:
    kind = ctypes.c_float.__ctype_be__ if sys.byteorder == "little" else ctypes.c_float.__ctype_le__
    with pytest.raises(TypeError, match="found one of format"):
        library.mean((kind * 2)(), (), FLAGS)


def test_what_is_written_has_to_be_a_writable_buffer(
    library: ModuleType, camera: Any, fake: ctypes.CDLL
) -> None:
    samples = array.array("f", [0.0] * 3)
    camera.grab(samples, sensor.Extent(), None, None).close()
    assert samples.tolist() == [0.5, 1.5, 2.5]
    assert fake.fake_address() == address(samples)
    flags = array.array("I", [1, 4])
    library.mean((), (), flags)
    assert flags.tolist() == [3, 6]
    for wrong in ([0.0], (0.0,), 1.0, None, "", memoryview(samples).toreadonly(), bytes(8)):
        with pytest.raises(TypeError, match="wc_camera_grab: `into` takes a writable buffer"):
            camera.grab(wrong, sensor.Extent(), None, None)
    with pytest.raises(TypeError, match="C-contiguous buffer of f32, found one of format 'd'"):
        camera.grab(array.array("d", [0.0]), sensor.Extent(), None, None)


def test_structs_by_value_are_of_their_class(library: ModuleType, camera: Any) -> None:
    with camera.into_frame() as frame, library.Camera.new() as other:
        for wrong in ((1, 2), ctypes.c_uint64(), None):
            with pytest.raises(WireError) as caught:
                library.join(other, frame, wrong, ctypes.c_int32(), None)
            assert (caught.value.code, caught.value.field) == (Code.WRONG_TYPE, "extent")
        assert not frame.closed


def test_addresses_and_function_pointers_cross(library: ModuleType) -> None:
    told: list[int] = []
    done = library.attach_done(lambda: told.append(1))
    data = ctypes.create_string_buffer(4)
    size_max = 2 ** (8 * ctypes.sizeof(ctypes.c_size_t)) - 1
    assert library.attach(ctypes.addressof(data), done) == (ctypes.addressof(data), size_max)
    assert told == [1]
    for given in (data, ctypes.pointer(data), ctypes.c_void_p(ctypes.addressof(data)), ctypes.byref(data)):
        assert library.attach(given, None)[0] == ctypes.addressof(data)
    assert library.attach(None, None)[0] is None
    assert library.attach(size_max, None)[0] == size_max
    for address, function, code in [
        (-1, None, Code.OUT_OF_RANGE),
        (size_max + 1, None, Code.OUT_OF_RANGE),
        (True, None, Code.WRONG_TYPE),
        (b"bytes", None, Code.WRONG_TYPE),
        (None, lambda: None, Code.WRONG_TYPE),
        (None, ctypes.CFUNCTYPE(None, ctypes.c_int)(lambda _: None), Code.WRONG_TYPE),
    ]:
        with pytest.raises(WireError) as caught:
            library.attach(address, function)
        assert caught.value.code == code
    assert "Unsafe: " in library.attach.__doc__


# Callbacks


def test_a_callback_is_told_python_values_that_it_may_keep(camera: Any) -> None:
    kept: list[tuple[Any, ...]] = []
    assert camera.each(lambda *values: kept.append(values)) == 3
    assert [it[0] for it in kept] == [0, 1, 2]
    _, mode, features, extent, samples, label = kept[1]
    assert mode is sensor.Mode.LIVE
    assert features == sensor.Features.COOLED | sensor.Features.TRIGGERED
    assert (type(extent), extent.width, extent.height) == (sensor.Extent, 1, 480)
    assert samples.tolist() == [10.0, 11.0, 12.0, 13.0]
    assert samples.readonly
    assert label == "grün"
    assert (kept[2][4].tolist(), kept[2][4].format) == ([], "f")


class Odd(BaseException):
    """What nobody expects."""


@pytest.mark.parametrize("raised", [ValueError("no"), KeyboardInterrupt(), Odd()])
def test_what_a_callback_raises_is_raised_behind_the_call(camera: Any, raised: BaseException) -> None:
    calls: list[int] = []

    def on_frame(index: int, *_rest: object) -> None:
        calls.append(index)
        if index == 1:
            raise raised

    with pytest.raises(type(raised)) as caught:
        camera.each(on_frame)
    assert caught.value is raised
    assert calls == [0, 1]
    assert camera.each(lambda *_: 35) == 3
    # A library that goes on regardless calls nobody any more, and its success is none.
    camera.set_gain(3.0)
    calls.clear()
    with pytest.raises(type(raised)):
        camera.each(on_frame)
    assert calls == [0, 1]


def test_a_callable_of_another_signature_raises_its_own_type_error(camera: Any) -> None:
    with pytest.raises(TypeError, match="positional argument"):
        camera.each(lambda index: None)
    with pytest.raises(TypeError, match="wc_camera_each: `on_frame` takes a callable, found int"):
        camera.each(3)


def test_a_value_that_the_library_should_not_tell_is_raised_behind_the_call(
    camera: Any, fake: ctypes.CDLL
) -> None:
    fake.fake_set_mode(5)
    with pytest.raises(WireError) as caught:
        camera.each(lambda *_: None)
    assert (caught.value.code, caught.value.field) == (Code.UNKNOWN_VALUE, "mode")


def test_a_callback_may_call_the_library(library: ModuleType, camera: Any) -> None:
    seen: list[object] = []

    def outer(index: int, *_rest: object) -> None:
        if index == 0:
            seen.append(camera.each(lambda *_: seen.append(library.version())))
            raise KeyError

    with pytest.raises(KeyError):
        camera.each(outer)
    assert seen == ["1.4.0"] * 3 + [3]


def test_nobody_is_called_behind_the_call(camera: Any, fake: ctypes.CDLL) -> None:
    seen: list[object] = []
    camera.each(lambda *values: seen.append(values))
    assert fake.fake_call_again() == Code.REFUSED
    assert len(seen) == 3


def test_callbacks_of_many_threads_are_told_apart(library: ModuleType) -> None:
    failures: list[object] = []

    def work(number: int) -> None:
        with library.Camera.new() as camera:
            for _ in range(50):
                seen: list[int] = []

                def on_frame(index: int, *_rest: object, seen: list[int] = seen) -> None:
                    seen.append(index)
                    if number % 2:
                        raise KeyError(number)

                try:
                    camera.each(on_frame)
                except KeyError as error:
                    seen.append(-error.args[0])
                if seen != ([0, -number] if number % 2 else [0, 1, 2]):
                    failures.append(seen)

    threads = [threading.Thread(target=work, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_user_calls_all_of_it() -> None:
    sys.modules.pop(NAME, None)
    sys.modules.pop("use_library", None)
    use = importlib.import_module("use_library")
    both = sensor.Features.COOLED | sensor.Features.TRIGGERED
    assert use.use(FAKE) == [
        "1.4.0",
        0.5,
        (0, sensor.Mode.LIVE, both, 0, 6.0, "grün"),
        (1, sensor.Mode.LIVE, both, 1, 46.0, "grün"),
        (2, sensor.Mode.LIVE, both, 2, 0.0, "grün"),
        3,
        (640, 4_000_000_000),
        (3.5, 4, 5),
        ("REFUSED", -7),
        3.0,
    ]
