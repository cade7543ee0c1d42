"""Reads a frame header from standard input and writes the next one to standard output."""

import dataclasses
import sys

from sensor.frame import FrameFlag, FrameHeader, Region


def main() -> None:
    """Read, change, write."""
    header = FrameHeader.from_bytes(sys.stdin.buffer.read())
    following = dataclasses.replace(
        header,
        sequence=header.sequence + 1,
        flags=header.flags | FrameFlag.AFTER_GAP,
        hot_spots=(*header.hot_spots, Region(x=1, y=2, width=3, height=4)),
    )
    sys.stdout.buffer.write(following.to_bytes())


if __name__ == "__main__":
    main()
