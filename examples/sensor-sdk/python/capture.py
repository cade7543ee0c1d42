"""Opens a camera, takes one frame by hand and two in a callback: `capture.py LIBRARY CAMERA`."""

from __future__ import annotations

import array
import sys

from sensor import CallError, library
from sensor.control import CommandStart, Start


def capture(name: str) -> None:
    """Capture, and show what came."""
    with library.Camera.open(name) as camera, library.Palette.between(273.15, 373.15) as palette:
        progress = camera.send(CommandStart(Start(window=(16, 8, 8, 4))))
        print(progress.to_json().decode())
        width, height = camera.size()
        kelvin = array.array("f", bytes(4 * width * height))
        rgba = bytearray(4 * width * height)

        header = camera.grab(kelvin)
        palette.paint(kelvin, rgba)
        spot = header.hot_spots[0]
        grey = rgba[4 * kelvin.index(max(kelvin))]
        print(f"frame {header.sequence}, hot spot at {spot.x}, {spot.y}, grey {grey}")

        def hottest(sequence: int, kelvin: memoryview[float]) -> None:
            print(f"frame {sequence}, at most {max(kelvin):.2f} K")

        camera.each(2, hottest)


def main() -> None:
    """Load the library, and capture from the camera that is named."""
    library.load(sys.argv[1])
    try:
        capture(sys.argv[2] if len(sys.argv) > 2 else "lwir640")
    except CallError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
