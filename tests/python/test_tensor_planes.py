"""Planes of video frames: those that are handed over, and frames of planes that others made."""

import gc
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from producer import Producer, name_of, seen
from typing_extensions import CapsuleType
from wirecontract_tensors import Frame, Plane, Tensor, frames, take, take_frame

READ_ONLY, IS_COPIED = 1, 2
ADDRESS = 0x7F00_0000_0000
CUDA = {"device": (2, 3), "ordinal": 3, "address": ADDRESS}
U1, U2 = "|u1", "<u2"


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    gc.collect()
    before = frames()
    yield
    gc.collect()
    assert frames() == before


def on_cuda(format: str, width: int, height: int, pitch: int, **said: int) -> list[Plane]:
    return Frame(format, width, height, pitch, **CUDA, **said).planes  # type: ignore[arg-type]


# Shape, strides in bytes, and bytes behind the start of the frame.
Place = tuple[tuple[int, ...], tuple[int, ...], int]
KNOWN: list[tuple[str, int, int, int, str, list[Place]]] = [
    (
        "nv12",
        1920,
        1080,
        2048,
        U1,
        [((1080, 1920), (2048, 1), 0), ((540, 960, 2), (2048, 2, 1), 2048 * 1080)],
    ),
    (
        "p010",
        1920,
        1080,
        4096,
        U2,
        [((1080, 1920), (4096, 2), 0), ((540, 960, 2), (4096, 4, 2), 4096 * 1080)],
    ),
    ("nv12", 33, 17, 64, U1, [((17, 33), (64, 1), 0), ((9, 17, 2), (64, 2, 1), 64 * 17)]),
    ("p016", 33, 17, 128, U2, [((17, 33), (128, 2), 0), ((9, 17, 2), (128, 4, 2), 128 * 17)]),
    (
        "i420",
        1920,
        1080,
        2048,
        U1,
        [
            ((1080, 1920), (2048, 1), 0),
            ((540, 960), (1024, 1), 2048 * 1080),
            ((540, 960), (1024, 1), 2048 * 1080 + 1024 * 540),
        ],
    ),
    ("rgba8", 33, 17, 256, U1, [((17, 33, 4), (256, 4, 1), 0)]),
    # Without padding as well, the strides are said.
    ("bgra8", 2, 2, 8, U1, [((2, 2, 4), (8, 4, 1), 0)]),
]


@pytest.mark.parametrize(("format", "width", "height", "pitch", "typestr", "places"), KNOWN)
def test_planes_have_the_known_numbers(
    format: str, width: int, height: int, pitch: int, typestr: str, places: list[Place]
) -> None:
    planes = on_cuda(format, width, height, pitch)
    assert len(planes) == len(places)
    sample = int(typestr[2])
    for plane, (shape, strides, offset) in zip(planes, places, strict=True):
        assert plane.__cuda_array_interface__ == {
            "shape": shape,
            "typestr": typestr,
            "data": (ADDRESS + offset, True),
            "version": 3,
            "strides": strides,
            "stream": None,
        }
        made = seen(plane.__dlpack__(max_version=(1, 0)))
        assert (made.data, made.byte_offset) == (ADDRESS + offset, 0)
        assert (made.shape, made.strides) == (shape, tuple(stride // sample for stride in strides))
        assert (made.dtype, made.device, made.flags) == ((1, 8 * sample, 1), (2, 3), READ_ONLY)
        assert plane.__dlpack_device__() == (2, 3)


def test_a_legacy_capsule_cannot_say_that_a_plane_is_read_only() -> None:
    for plane in on_cuda("nv12", 4, 2, 4) + Frame("nv12", 4, 2, 4).planes:
        for asked in (None, (0, 8)):
            with pytest.raises(BufferError, match="a legacy capsule cannot say so"):
                plane.__dlpack__(max_version=asked)
        assert name_of(plane.__dlpack__(max_version=(1, 0))) == b"dltensor_versioned"


def test_rows_that_are_no_whole_number_of_samples_apart_are_for_the_array_interface() -> None:
    luma = on_cuda("p010", 3, 2, 9)[0]
    text = "samples of 2 bytes, found 9 bytes: take the plane by its byte strides"
    for asked in (None, (1, 3)):
        with pytest.raises(BufferError, match=text):
            luma.__dlpack__(max_version=asked)
    assert luma.__cuda_array_interface__["strides"] == (9, 2)
    assert luma.__dlpack_device__() == (2, 3)


def test_the_stream_and_the_context_are_those_that_were_said() -> None:
    for plane in on_cuda("i420", 4, 4, 4, pending=7, context=0xC0DE):
        assert plane.__cuda_array_interface__["stream"] == 7
        assert plane.cuda_context == 0xC0DE
        assert seen(plane.__dlpack__(stream=7, max_version=(1, 0))).device == (2, 3)
        with pytest.raises(BufferError, match="that lets one stream wait for another"):
            plane.__dlpack__(stream=8, max_version=(1, 0))
    assert [plane.cuda_context for plane in on_cuda("nv12", 4, 4, 4)] == [0, 0]
    for made in (
        on_cuda("nv12", 4, 4, 4, pending=0)[0],
        Tensor("uint8", [4], device=(2, 3), address=8, pending=0),
    ):
        with pytest.raises(ValueError, match="found 0, which may mean two of them"):
            made.__cuda_array_interface__  # noqa: B018


def test_planes_of_host_memory_are_read_where_they_are() -> None:
    luma, chroma = Frame("nv12", 3, 2, 8).planes
    assert luma.__dlpack_device__() == chroma.__dlpack_device__() == (1, 0)
    assert not hasattr(luma, "__cuda_array_interface__")
    made = seen(chroma.__dlpack__(max_version=(1, 0)))
    assert (made.data, made.flags, made.strides) == (luma.address + 16, READ_ONLY, (8, 2, 1))
    # Through the exchange table, which keeps the plane.
    shared = take(luma)
    assert (shared.address, shared.strides, shared.read_only) == (luma.address, (8, 1), True)
    copied = take(luma, copy=True)
    assert (copied.to_bytes(), copied.read_only) == (bytes([0, 1, 2, 8, 9, 10]), False)
    assert take(chroma, copy=True).to_bytes() == bytes([16, 17, 18, 19])
    with pytest.raises(RuntimeError, match="expected stream=None of host memory"):
        luma.__dlpack__(stream=1)


def test_a_frame_on_another_device_than_its_memory_is_refused() -> None:
    with pytest.raises(ValueError, match=r"as device_ordinal -1 of the frame says, found Cuda 3"):
        Frame("nv12", 4, 2, 4, device=(2, 3), address=ADDRESS)
    with pytest.raises(ValueError, match=r"as device_ordinal 0 of the frame says, found Cpu 0"):
        Frame("nv12", 4, 2, 4, ordinal=0)


def test_a_frame_s_memory_is_there_until_the_last_of_its_exports_ends() -> None:
    frame = Frame("i420", 8, 8, 8)
    planes = frame.planes
    held: list[object] = [
        planes[0].__dlpack__(max_version=(1, 0)),
        take(planes[1]),
        take(planes[2], stream=None),
    ]
    held.append(take(planes[2].__dlpack__(max_version=(1, 0))))
    del frame, planes
    assert frames() == 1
    while len(held) > 1:
        held.pop()
        assert frames() == 1
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    assert frames() == 0
    refused = on_cuda("nv12", 4, 4, 4)
    with pytest.raises(BufferError):
        refused[0].__dlpack__()
    del refused
    assert frames() == 0


# What others made.


@dataclass
class Array:
    """An object with the array interface alone."""

    __cuda_array_interface__: object


@dataclass
class InContext(Array):
    """One that says its context too."""

    cuda_context: object = None


@dataclass
class Unsayable(Array):
    """One that has a tensor, which it does not give."""

    error: type[Exception] = BufferError
    asked: list[object] = field(default_factory=list)

    def __dlpack__(self, **asked: object) -> CapsuleType:
        self.asked.append(asked)
        raise self.error("no whole number of samples")


def interface(shape: Sequence[int], strides: Sequence[int] | None, **changed: object) -> dict[str, object]:
    return {
        "shape": tuple(shape),
        "typestr": U1,
        "data": (ADDRESS, False),
        "version": 3,
        "strides": None if strides is None else tuple(strides),
        "stream": None,
    } | changed


def luma(**changed: object) -> dict[str, object]:
    return interface((4, 6), (8, 1)) | changed


def chroma(**changed: object) -> dict[str, object]:
    return interface((2, 3, 2), (8, 2, 1), data=(ADDRESS + 32, True)) | changed


def tensor(at: int, shape: Sequence[int], strides: Sequence[int] | None, **said: object) -> Producer:
    return Producer(
        **({"shape": shape, "strides": strides, "code": 1, "bits": 8, "device": (2, 3), "data": at} | said)  # type: ignore[arg-type]
    )


def test_planes_are_taken_by_the_array_interface() -> None:
    frame = take_frame([Array(luma()), Array(chroma(stream=7))], "nv12", 6, 4, device=(2, 5))
    first, second = frame.planes
    assert (first.address, first.shape, first.strides) == (ADDRESS, (4, 6), (8, 1))
    assert (second.address, second.shape, second.strides) == (ADDRESS + 32, (2, 3, 2), (8, 2, 1))
    assert [plane.device for plane in frame.planes] == [(2, 5)] * 2
    assert [plane.read_only for plane in frame.planes] == [False, True]
    # What may be written to is handed on as such.
    assert first.__cuda_array_interface__["data"] == (ADDRESS, False)
    assert name_of(first.__dlpack__()) == b"dltensor"
    assert [plane.pending for plane in frame.planes] == [None, 7]
    assert frame.layout() == (32 + 8 + 6, 5, [(0, 8), (32, 8)])
    # Where nobody says the device, the driver does.
    assert take_frame([Array(luma()), Array(chroma())], "nv12", 6, 4, driver=1).layout() == (
        46,
        1,
        [(0, 8), (32, 8)],
    )
    # Without strides, rows stand one behind the other.
    packed = take_frame([Array(interface((2, 2, 4), None))], "rgba8", 2, 2, driver=0)
    assert packed.planes[0].strides == (8, 4, 1)


def test_planes_are_taken_as_tensors_of_every_form() -> None:
    ours = Tensor("uint8", [2, 3], [8, 1], device=(2, 3), address=ADDRESS + 48)
    versioned = tensor(ADDRESS, (4, 6), (8, 1), flags=READ_ONLY)
    legacy = tensor(ADDRESS + 32, (2, 3), (8, 1), versioned=False)
    frame = take_frame([versioned, legacy, ours], "i420", 6, 4)
    assert [plane.address - ADDRESS for plane in frame.planes] == [0, 32, 48]
    assert [plane.read_only for plane in frame.planes] == [True, False, False]
    assert frame.layout() == (48 + 8 + 3, 3, [(0, 8), (32, 8), (48, 8)])
    # The offset that a producer says counts.
    with_offset = tensor(ADDRESS - 4, (2, 2, 4), (8, 4, 1), byte_offset=4)
    assert take_frame([with_offset], "bgra8", 2, 2).planes[0].address == ADDRESS
    wide = tensor(ADDRESS, (2, 2), (4, 1), bits=16)
    wide_chroma = tensor(ADDRESS + 16, (1, 1, 2), (4, 2, 1), bits=16)
    frame = take_frame([wide, wide_chroma], "p010", 2, 2)
    assert [plane.strides for plane in frame.planes] == [(8, 2), (4, 4, 2)]
    # Some by one protocol, some by the other.
    mixed = take_frame([tensor(ADDRESS, (4, 6), (8, 1)), Array(chroma())], "nv12", 6, 4, driver=3)
    assert [plane.device for plane in mixed.planes] == [(2, 3)] * 2


@pytest.mark.parametrize("format", ["nv12", "p010", "p016", "i420", "rgba8", "bgra8"])
def test_what_is_handed_over_is_taken_as_the_same_frame(format: str) -> None:
    made = on_cuda(format, 33, 17, 264)
    frame = take_frame(made, format, 33, 17)
    assert [(p.address, p.shape, p.strides, p.dtype, p.device, p.read_only) for p in frame.planes] == [
        (p.address, p.shape, p.strides, p.dtype, p.device, p.read_only) for p in made
    ]
    layout = frame.layout()
    assert layout is not None
    assert [offset for offset, _ in layout[2]] == [plane.address - ADDRESS for plane in made]
    # And on from there, by both protocols, with the last of them keeping the memory.
    capsules = [plane.__dlpack__(max_version=(1, 0)) for plane in frame.planes]
    assert [seen(capsule).data for capsule in capsules] == [plane.address for plane in made]
    assert frame.planes[0].__cuda_array_interface__ == made[0].__cuda_array_interface__
    del made, frame
    assert frames() == 1
    del capsules
    assert frames() == 0


def test_what_no_tensor_says_is_taken_by_the_array_interface() -> None:
    made = on_cuda("p010", 3, 4, 9)
    with pytest.raises(
        BufferError, match=r"plane 0 of P010: expected to be told the device .*: say the device"
    ):
        take_frame(made, "p010", 3, 4)
    frame = take_frame(made, "p010", 3, 4, device=(2, 3))
    assert [plane.strides for plane in frame.planes] == [(9, 2), (9, 4, 2)]
    assert frame.layout() == (36 + 9 + 8, 3, [(0, 9), (36, 9)])
    # What was asked for with the tensor was asked for.
    odd = Unsayable(luma())
    take_frame([odd, Array(chroma())], "nv12", 6, 4, driver=0, stream=2)
    assert odd.asked == [{"max_version": (1, 3), "stream": 2}]
    # Other exceptions are no answer, and neither is BufferError of what has nothing else.
    with pytest.raises(ZeroDivisionError, match="no whole number"):
        take_frame([Unsayable(luma(), ZeroDivisionError), Array(chroma())], "nv12", 6, 4, driver=0)

    class Alone:
        def __dlpack__(self, **_: object) -> CapsuleType:
            raise BufferError("not today")

    with pytest.raises(BufferError, match=r"^not today$"):
        take_frame([Alone(), Array(chroma())], "nv12", 6, 4, driver=0)


def test_gaps_are_for_the_caller_to_know() -> None:
    frame = take_frame([Array(luma()), Array(chroma(data=(ADDRESS + 64, False)))], "nv12", 6, 4, driver=0)
    assert frame.layout() is None
    assert frame.layout_within(ADDRESS - 8, 128) == (72 + 14, 0, [(8, 8), (72, 8)])
    with pytest.raises(ValueError, match="plane 1 within the 85 bytes of the memory, found bytes 72 to 86"):
        frame.layout_within(ADDRESS - 8, 85)


def test_the_context_is_that_of_the_planes() -> None:
    def in_context(first: object, second: object) -> int:
        planes = [InContext(luma(), first), InContext(chroma(), second)]
        frame = take_frame(planes, "nv12", 6, 4, driver=0)
        assert [plane.cuda_context for plane in frame.planes] == [first or 0, second or 0]
        return frame.cuda_context

    assert in_context(0xC0DE, 0xC0DE) == 0xC0DE
    assert in_context(None, 2**64 - 1) == 2**64 - 1
    assert in_context(0, None) == 0
    assert take_frame(on_cuda("nv12", 4, 4, 4, context=5), "nv12", 4, 4).cuda_context == 5
    text = "plane 1 of Nv12: expected cuda_context 0xc0, as of the planes before, found 0xc1"
    with pytest.raises(ValueError, match=text):
        in_context(0xC0, 0xC1)
    for strange in ("0", 1.0, -1, 2**64):
        text = f"expected cuda_context to be None or the address .* type {type(strange).__name__}"
        with pytest.raises(TypeError, match=text):
            in_context(strange, None)


def at(**changed: object) -> Array:
    return Array(chroma(**changed))


def given(
    shape: Sequence[int] = (2, 3, 2), strides: Sequence[int] | None = (8, 2, 1), **said: object
) -> Producer:
    return tensor(ADDRESS + 32, shape, strides, **said)


PACKED = "expected the samples of a row one behind the other, "
ROWS = "expected rows 6 to 4294967295 bytes apart, found "
# The second plane of a frame of 6 x 4 pixels on device 3.
REFUSED: list[tuple[object, type[Exception], str]] = [
    (at(shape=(2, 6), strides=(8, 1)), ValueError, "expected the shape [2, 3, 2], found [2, 6]"),
    (given((2, 6), (8, 1)), ValueError, "expected the shape [2, 3, 2], found [2, 6]"),
    (at(shape=(4, 3, 2)), ValueError, "expected the shape [2, 3, 2], found [4, 3, 2]"),
    (at(shape=(0, 3, 2)), ValueError, "expected the shape [2, 3, 2], found [0, 3, 2]"),
    (at(typestr="|i1"), ValueError, "expected samples of type uint8 (|u1), found int8 (|i1)"),
    (at(typestr=U2), ValueError, "expected samples of type uint8 (|u1), found uint16 (<u2)"),
    (at(typestr=">u2"), ValueError, 'this machine\'s byte order, such as |u1 or <f4, found ">u2"'),
    (given(code=4, bits=16), ValueError, "expected samples of type uint8 (|u1), found bfloat16"),
    (given(lanes=2), ValueError, "expected samples of type uint8 (|u1), found uint8x2"),
    (at(strides=(16, 4, 1)), ValueError, PACKED + "2 bytes apart in dimension 1, found 4"),
    (at(strides=(16, 2, 2)), ValueError, PACKED + "1 bytes apart in dimension 2, found 2"),
    (given(strides=(16, 4, 1)), ValueError, PACKED + "2 bytes apart in dimension 1, found 4"),
    (given(strides=(8, 2, -1)), ValueError, PACKED + "1 bytes apart in dimension 2, found -1"),
    (at(strides=(5, 2, 1)), ValueError, ROWS + "5"),
    (at(strides=(-8, 2, 1)), ValueError, ROWS + "-8"),
    (at(strides=(0, 2, 1)), ValueError, ROWS + "0"),
    (at(strides=(2**32, 2, 1)), ValueError, ROWS + "4294967296"),
    (given(strides=(5, 2, 1)), ValueError, ROWS + "5"),
    (given(strides=(2**32, 2, 1)), ValueError, ROWS + "4294967296"),
    (at(strides=(8, 1)), ValueError, "expected a stride for each of the 3 dimensions, found 2"),
    (given(strides=None), BufferError, "expected 3 strides, found NULL"),
    (at(data=(0, True)), ValueError, "expected memory for the elements, found the pointer 0"),
    (given(data=0), BufferError, "expected memory for 12 elements, found NULL"),
    (given(ndim=-1), BufferError, "expected ndim of 0 to 64, found -1"),
    (given(version=(2, 0)), BufferError, "expected DLPack 1.x, found 2.0"),
    (
        at(stream=0),
        TypeError,
        "`stream` in __cuda_array_interface__ to be None, 1, 2 or a cudaStream_t, found 0",
    ),
    (at(data=(2**64 - 12, True)), ValueError, "expected a tensor that an address space holds"),
    (given(device=(2, 4)), ValueError, "expected memory of Cuda 3 (dl_device=(2, 3)), found Cuda 4"),
    (given(device=(1, 0)), ValueError, "expected memory of Cuda 3 (dl_device=(2, 3)), found Cpu 0"),
    (given(device=(9999, 3)), ValueError, "found a device of an unknown type, 3"),
    (given(device=(2, -1)), ValueError, "expected a CUDA device's number of 0 or more, found -1"),
    ([], TypeError, "expected an object with __dlpack__ or __cuda_array_interface__, found one of type list"),
    (Array((1, 2)), TypeError, "a dictionary, found an object of type tuple"),
]


@pytest.mark.parametrize(("second", "kind", "text"), REFUSED)
def test_another_plane_is_refused_and_all_is_ended(second: object, kind: type[Exception], text: str) -> None:
    first = tensor(ADDRESS, (4, 6), (8, 1))
    ended = second.deleted if isinstance(second, Producer) else 0
    count = sys.getrefcount(second)
    with pytest.raises(kind) as raised:
        take_frame([first, second], "nv12", 6, 4, driver=3)
    said = str(raised.value)
    assert said.startswith("plane 1 of Nv12: expected ")
    assert text in said
    assert first.deleted == 1
    if isinstance(second, Producer):
        assert second.deleted == ended + 1
    else:
        assert sys.getrefcount(second) == count


def test_a_frame_has_as_many_objects_as_planes() -> None:
    made = tensor(ADDRESS, (4, 6), (8, 1))
    for format, name, planes in (("nv12", "Nv12", 2), ("i420", "I420", 3), ("rgba8", "Rgba8", 1)):
        for count in {1, 2, 3, 4} - {planes}:
            text = f"expected {planes} objects for the planes of {name}, found {count}"
            with pytest.raises(ValueError, match=text):
                take_frame([made] * count, format, 6, 4)
    with pytest.raises(ValueError, match=r"plane0_pitch|not_empty"):
        take_frame([made, made], "nv12", 0, 4)
    # Nothing was asked for.
    assert (made.asked, made.deleted) == ([], 0)


def test_an_array_of_cuda_is_on_no_other_device() -> None:
    text = "plane 0 of Nv12: expected memory of Rocm 0 (dl_device=(10, 0)), found that of a CUDA device"
    with pytest.raises(ValueError, match=re.escape(text)):
        take_frame([Array(luma()), Array(chroma())], "nv12", 6, 4, device=(10, 0))
    text = "plane 0 of Nv12: expected memory of Cuda 1 (dl_device=(2, 1)), found Cuda 3 (dl_device=(2, 3))"
    with pytest.raises(ValueError, match=re.escape(text)):
        take_frame(on_cuda("nv12", 4, 4, 4), "nv12", 4, 4, device=(2, 1))


@pytest.mark.parametrize("on_thread", [False, True])
def test_what_was_taken_is_kept_for_as_long_as_the_frame_and_ended_once(on_thread: bool) -> None:
    array = Array(chroma())
    made = tensor(ADDRESS, (4, 6), (8, 1))
    count = sys.getrefcount(array)
    held: list[object] = [take_frame([made, array], "nv12", 6, 4, driver=3)]
    assert (made.deleted, sys.getrefcount(array)) == (0, count + 1)
    frame = held[0]
    assert not isinstance(frame, Plane)
    held.append(frame.planes[1])  # type: ignore[attr-defined]
    del frame
    del held[0]
    # The plane that is left keeps its own memory.
    assert (made.deleted, sys.getrefcount(array)) == (1, count + 1)
    if on_thread:
        thread = threading.Thread(target=held.clear)
        thread.start()
        thread.join()
    else:
        held.clear()
    assert (made.deleted, sys.getrefcount(array)) == (1, count)
