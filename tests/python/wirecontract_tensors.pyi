"""The module of tests/tensors, an older PyO3's."""

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
        dtype: str,
        shape: Sequence[int],
        strides: Sequence[int] | None = None,
        *,
        size: int | None = None,
        offset: int = 0,
        device: tuple[int, int] = (1, 0),
        address: int | None = None,
        read_only: bool = False,
        padded: bool = False,
        pending: int | None = None,
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
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    device: tuple[int, int]
    read_only: bool
    copied: bool
    legacy: bool
    def to_bytes(self) -> bytes: ...
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
class Frame:
    planes: list[Plane]
    def __new__(
        cls,
        format: str,
        width: int,
        height: int,
        pitch: int,
        *,
        device: tuple[int, int] = (1, 0),
        ordinal: int = -1,
        address: int | None = None,
        context: int | None = None,
        pending: int | None = None,
    ) -> Frame: ...

@final
class Plane:
    __dlpack_c_exchange_api__: CapsuleType
    __cuda_array_interface__: dict[str, object]
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    device: tuple[int, int]
    read_only: bool
    cuda_context: int
    pending: int | None
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
class TakenFrame:
    planes: list[Plane]
    cuda_context: int
    def layout(self) -> tuple[int, int, list[tuple[int, int]]] | None: ...
    def layout_within(self, start: int, size: int) -> tuple[int, int, list[tuple[int, int]]]: ...

def take_frame(
    objects: Sequence[object],
    format: str,
    width: int,
    height: int,
    *,
    device: tuple[int, int] | None = None,
    stream: int | None = None,
    driver: int | None = None,
) -> TakenFrame: ...
def frames() -> int: ...
def take(
    object: object,
    *,
    device: tuple[int, int] | None = None,
    copy: bool | None = None,
    stream: int | None = None,
) -> Taken: ...
def take_capsule(object: object) -> Taken: ...
def rust_memory(kind: str, versioned: bool) -> CapsuleType: ...
def read_cuda_array(
    object: object,
    *,
    shape: Sequence[int] | None = None,
    typestr: str | None = None,
    packed_rows: bool = False,
    max_pitch: int | None = None,
) -> tuple[int, list[int], list[int], str, bool, int | None]: ...
def share_cuda_array(object: object, device: int) -> CapsuleType: ...
def owners() -> int: ...
def held() -> int: ...
