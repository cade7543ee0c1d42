"""Planes of video frames in the hands of a library that knows devices which are not here."""

import gc

import tvm_ffi
from wirecontract_tensors import Frame, frames


def test_a_library_takes_the_planes_of_a_device_that_is_not_here() -> None:
    gc.collect()
    before = frames()
    planes = Frame("nv12", 1920, 1080, 2048, device=(2, 3), ordinal=3, address=0x7F00_0000_0000).planes
    taken = [tvm_ffi.from_dlpack(plane) for plane in planes]
    del planes
    assert [tuple(made.shape) for made in taken] == [(1080, 1920), (540, 960, 2)]
    assert [tuple(made.strides) for made in taken] == [(2048, 1), (2048, 2, 1)]
    assert [str(made.device) for made in taken] == ["cuda:3"] * 2
    assert frames() == before + 1
    taken.clear()
    del taken
    gc.collect()
    assert frames() == before
