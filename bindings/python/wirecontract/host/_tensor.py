"""Tensors in memory that is mapped, which the native library makes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirecontract._native import Tensor


class HasTensors(ABC):
    """Memory of which tensors are made."""

    @abstractmethod
    def view(self) -> memoryview:
        """Its bytes."""

    def tensor(
        self,
        *,
        shape: Sequence[int] | None = None,
        dtype: str | None = None,
        strides: Sequence[int] | None = None,
        offset: int = 0,
        readonly: bool | None = None,
    ) -> Tensor:
        """A tensor in this memory, without a copy: `shape`, `dtype`, `strides` (which count elements) and
        `offset` (bytes from the start) say how its bytes are to be read; without them it is one of bytes. It
        is a view: the memory stays mapped as long as the tensor, or what is made of it, is there.

        `ImportError` where the package was installed without its native library; `BufferError` for numbers
        that are no tensor or reach outside.
        """
        from wirecontract import Tensor

        return Tensor(
            self.view(), shape=shape, dtype=dtype, strides=strides, offset=offset, readonly=readonly
        )
