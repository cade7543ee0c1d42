"""The module of tests/c, in plain C."""

from collections.abc import Sequence
from typing import final

from typing_extensions import CapsuleType

@final
class Tensor:
    __dlpack_c_exchange_api__: CapsuleType
    __cuda_array_interface__: dict[str, object]
    address: int
    def __new__(
        cls,
        shape: Sequence[int],
        strides: Sequence[int] | None = None,
        code: int = 2,
        bits: int = 32,
        device: tuple[int, int] = (1, 0),
        address: int = 0,
        flags: int = 0,
        stream: int = 0,
        offset: int = 0,
        by_context: bool = False,
        ndim: int = -2,
    ) -> Tensor: ...
    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: object = None,
        dl_device: object = None,
        copy: object = None,
    ) -> CapsuleType: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

@final
class Taken:
    def said(
        self,
    ) -> tuple[
        int,
        tuple[int, ...],
        tuple[int, ...],
        tuple[int, int, int],
        tuple[int, int],
        int,
        tuple[int, int],
        int,
    ]: ...

def take(object: object, device: tuple[int, int] = (0, 0), copy: int = 0, stream: int = 0) -> Taken: ...
def take_cuda_array(object: object, device: int) -> tuple[Taken, int]: ...
def take_null() -> None: ...
def hollow_table(major: int) -> CapsuleType: ...
def counts() -> tuple[int, int, int, int]: ...
