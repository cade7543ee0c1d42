"""Shapes and strides, the strides in elements."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass


def compact(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of rows one behind the other."""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


@dataclass(frozen=True)
class Layout:
    """A tensor's place in memory of `count` elements."""

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    # Where the element of index 0 is.
    offset: int = 0
    read_only: bool = False

    @property
    def places(self) -> list[int]:
        """Where in the memory each element is, in the order of rows."""
        steps = [
            [index * stride for index in range(extent)]
            for extent, stride in zip(self.shape, self.strides, strict=True)
        ]
        return [self.offset + sum(chosen) for chosen in itertools.product(*steps)]

    @property
    def count(self) -> int:
        """How many elements the memory has."""
        return max(self.places, default=0) + 1

    @property
    def is_compact(self) -> bool:
        """Whether the elements are in the order of rows, without gaps."""
        return self.places == list(range(self.offset, self.offset + len(self.places)))


def _plain(shape: tuple[int, ...]) -> Layout:
    return Layout(f"rank {len(shape)}", shape, compact(shape))


LAYOUTS = [
    *(_plain((2, 3, 2, 1, 2, 2, 1, 3)[:rank]) for rank in range(9)),
    Layout("no elements", (0,), (1,)),
    Layout("no elements in the middle", (3, 0, 2), (0, 2, 1)),
    Layout("columns", (3, 2), (1, 3)),
    Layout("columns of rank 8", (2,) * 8, (1, 2, 4, 8, 16, 32, 64, 128)),
    Layout("every other", (3,), (2,)),
    Layout("rows with gaps", (2, 3), (4, 1)),
    Layout("a row repeated", (2, 3), (0, 1)),
    Layout("an element repeated", (3,), (0,)),
    Layout("backwards", (4,), (-1,), offset=3),
    Layout("rows backwards", (2, 3), (3, -1), offset=2),
    Layout("an offset", (4,), (1,), offset=1),
    Layout("one row with a stride of its own", (1, 4), (77, 1)),
    Layout("read-only", (2, 3), (3, 1), read_only=True),
]
