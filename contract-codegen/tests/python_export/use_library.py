"""What a user writes: the type checker takes it, and a test runs it."""

from __future__ import annotations

import array
import ctypes
from pathlib import Path

from wirecontract.contracts import CallError, library, sensor


def use(path: Path) -> list[object]:
    """Each form once."""
    library.load(path)
    seen: list[object] = [library.version()]

    def on_frame(
        index: int,
        mode: sensor.Mode,
        features: sensor.Features,
        extent: sensor.Extent,
        samples: memoryview[float],
        label: str,
    ) -> None:
        seen.append((index, mode, features, extent.width, sum(samples), label))

    with library.Camera.open("left") as camera:
        camera.set_gain(0.5)
        gain: float = camera.gain()
        seen.append(gain)
        camera.set_mode(sensor.Mode.LIVE, sensor.Features.COOLED)
        count: int = camera.each(on_frame)
        seen.append(count)
        width, height = camera.size()
        seen.append((width, height))
        extent = sensor.Extent()
        dropped = ctypes.c_uint64(4)
        samples = array.array("f", bytes(16))
        frame: library.Frame = camera.grab(samples, extent, None, dropped)
        seen.append((samples[3], extent.width, dropped.value))
        try:
            library.Camera.open("none")
        except CallError as error:
            seen.append((error.code.name, error.detail))
        library.join(camera, frame, extent, ctypes.c_int32(1), None)
        assert frame.closed
    seen.append(library.mean([1.0, 2.0], (), array.array("I")))
    return seen
