"""What does not go without a copy between this project's tensors and each library, and why.

Whatever is not named here has to arrive at the same address, with the same shape, strides and elements,
and is let go of once. Two faults of others no case comes near: torch 2.15 calls the deleter twice of a
tensor whose sizes overflow, which no tensor of ours has, and mlx 0.32 leaves a capsule that it took with
a new one's name.
"""

from collections.abc import Collection
from dataclasses import dataclass

from elements import COMPLEX, DTYPES, FLOATS_OF_8_BITS
from layouts import LAYOUTS


@dataclass(frozen=True)
class Refused:
    """An exception of this type, whose text has these words."""

    error: str
    text: str


@dataclass(frozen=True)
class Copied:
    """Other memory with the same elements, or with the same numbers as elements of another type."""

    converted: tuple[tuple[str, str], ...] = ()

    def dtype(self, dtype: str) -> str:
        """The type that the elements then have."""
        return dict(self.converted).get(dtype, dtype)


@dataclass(frozen=True)
class Renamed:
    """The same bytes, said to be of another type."""

    dtype: str


@dataclass(frozen=True)
class Unmade:
    """The library has no such array."""


Outcome = Refused | Copied | Renamed | Unmade


@dataclass(frozen=True)
class Row:
    """What becomes of these types in these layouts."""

    library: str
    outcome: Outcome
    reason: str
    dtypes: Collection[str] = tuple(DTYPES)
    layouts: Collection[str] = tuple(layout.name for layout in LAYOUTS)


def outcome(rows: list[Row], library: str, dtype: str, layout: str) -> Outcome | None:
    """What the first row says that has the case; None where it goes without a copy."""
    for row in rows:
        if row.library == library and dtype in row.dtypes and layout in row.layouts:
            return row.outcome
    return None


BACKWARDS = ("backwards", "rows backwards")
REPEATED = ("a row repeated", "an element repeated")
GAPS = ("every other", "rows with gaps")
READ_ONLY = ("read-only",)
OFFSET = ("an offset",)
ROWS = ("rank 1", "no elements", *OFFSET)
NO_ROWS = [layout.name for layout in LAYOUTS if layout.name not in ROWS]
SMALL = ("bfloat16", *FLOATS_OF_8_BITS)
NOT_ARROW = ("bool", *SMALL, *COMPLEX)
NOT_TORCH = ("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz")

# The words of this project's own refusal, which the library passes on.
LEGACY_READ_ONLY = Refused("BufferError", "found a read-only one: a legacy capsule cannot say so")

# Ours to theirs.
TAKEN = [
    Row(
        "numpy",
        Refused("RuntimeError", "Unsupported dtype in DLTensor."),
        "it takes its own types only",
        SMALL,
    ),
    Row("jax", LEGACY_READ_ONLY, "it asks for legacy capsules only", layouts=READ_ONLY),
    Row(
        "jax",
        Refused("JaxRuntimeError", "Only DLPack tensors with trivial (compact) striding are supported"),
        "its arrays have no strides, but for an order of their dimensions",
        layouts=(*GAPS, *REPEATED, *BACKWARDS),
    ),
    Row("jax", Copied(), "it computes at multiples of 64 bytes", layouts=OFFSET),
    Row("tvm_ffi by capsule", LEGACY_READ_ONLY, "it asks for legacy capsules only", layouts=READ_ONLY),
    Row(
        "pyarrow",
        Refused("ArrowInvalid", "unsupported DLPack type"),
        "Arrow has no such type of tensors",
        NOT_ARROW,
    ),
    Row(
        "pyarrow",
        Refused("ArrowInvalid", "negative strides not supported"),
        "Arrow's strides go forwards",
        layouts=BACKWARDS,
    ),
    Row(
        "pyarrow arrays",
        Refused("ArrowInvalid", "Only contiguous one dimensional tensor can be imported as arrays."),
        "an array of Arrow is a row",
        layouts=NO_ROWS,
    ),
    Row(
        "pyarrow arrays",
        Refused("ArrowInvalid", "unsupported DLPack type"),
        "Arrow has bits for bool, and none of the others",
        NOT_ARROW,
    ),
    Row(
        "mlx",
        Refused("ValueError", "[convert] Cannot convert array to mlx."),
        "it has no such type",
        FLOATS_OF_8_BITS,
    ),
    Row(
        "mlx",
        Refused("ValueError", "Cannot convert DLPack arrays with negative strides"),
        "it copies forwards only",
        layouts=BACKWARDS,
    ),
    Row(
        "mlx",
        Copied((("float64", "float32"), ("complex128", "complex64"))),
        "its arrays are in memory of its own, and it computes with 32 bits",
    ),
    Row("torch", Refused("BufferError", "Unsupported code"), "it has five of the eight types", NOT_TORCH),
    Row(
        "torch",
        Refused("RuntimeError", "Storage size calculation overflowed"),
        "its strides go forwards",
        layouts=BACKWARDS,
    ),
]

# Theirs to ours.
GIVEN = [
    Row(
        "numpy",
        Refused("BufferError", "DLPack only supports signed/unsigned integers, float and complex dtypes."),
        "it gives its own types only",
        SMALL,
    ),
    Row(
        "jax",
        Unmade(),
        "its arrays are rows without gaps that may be written to",
        layouts=[
            "columns",
            "columns of rank 8",
            "one row with a stride of its own",
            *GAPS,
            *REPEATED,
            *BACKWARDS,
            *OFFSET,
            *READ_ONLY,
        ],
    ),
    Row("tvm_ffi", Unmade(), "it has no read-only tensors", layouts=READ_ONLY),
    Row("pyarrow", Unmade(), "Arrow's strides go forwards", layouts=BACKWARDS),
    Row("pyarrow", Renamed("uint8"), "Arrow's tensors of numpy's bool are of bytes", ["bool"]),
    Row("pyarrow", Unmade(), "Arrow has no such type of tensors", [*SMALL, *COMPLEX]),
    Row("pyarrow arrays", Unmade(), "an array of Arrow is a row", layouts=NO_ROWS),
    Row("pyarrow arrays", Unmade(), "Arrow has bits for bool, and none of the others", NOT_ARROW),
    Row("mlx", Unmade(), "it has no such type", [*FLOATS_OF_8_BITS, "complex128"]),
    Row("mlx", Unmade(), "it has no read-only arrays", layouts=READ_ONLY),
    Row("torch", Unmade(), "it has five of the eight types", NOT_TORCH),
    Row(
        "torch",
        Unmade(),
        "it has no negative strides and no read-only tensors",
        layouts=(*BACKWARDS, *READ_ONLY),
    ),
]


@dataclass(frozen=True)
class DeviceRow:
    """What a library says of memory of these devices."""

    library: str
    refused: Refused
    reason: str
    devices: Collection[tuple[int, int]]


CUDA, CUDA_HOST, CUDA_MANAGED, ROCM, UNKNOWN = (2, 1), (3, 0), (13, 0), (10, 0), (99, 0)
DEVICES = [CUDA, CUDA_HOST, CUDA_MANAGED, ROCM, UNKNOWN]

# What is not here takes the tensor as it is, or does not look at the memory.
REFUSED_DEVICES = [
    DeviceRow(
        "numpy",
        Refused("RuntimeError", "Unsupported device in DLTensor."),
        "it computes on the host, which reads pinned and managed memory too",
        [CUDA, ROCM, UNKNOWN],
    ),
    DeviceRow("jax", Refused("RuntimeError", "Unknown backend cuda."), "it has no GPU", [CUDA, CUDA_HOST]),
    DeviceRow("jax", Refused("RuntimeError", "Unknown backend rocm."), "it has no GPU", [ROCM]),
    DeviceRow(
        "jax",
        Refused("TypeError", "is on unsupported device type"),
        "it does not know it",
        [CUDA_MANAGED, UNKNOWN],
    ),
    *(
        DeviceRow(
            library,
            Refused("ArrowNotImplementedError", "implemented only for buffers on CPU device"),
            "it takes host memory only",
            DEVICES,
        )
        for library in ("pyarrow", "pyarrow arrays")
    ),
    DeviceRow(
        "mlx", Refused("ValueError", "CUDA import is not supported"), "it has no GPU", [CUDA, CUDA_MANAGED]
    ),
    DeviceRow(
        "mlx", Refused("ValueError", "Unsupported device"), "it does not know it", [CUDA_HOST, ROCM, UNKNOWN]
    ),
    DeviceRow("torch", Refused("RuntimeError", "Found no NVIDIA driver"), "it has no GPU", [CUDA, ROCM]),
    DeviceRow(
        "torch",
        Refused("BufferError", "Unsupported device_type"),
        "it does not know it",
        [CUDA_HOST, CUDA_MANAGED, UNKNOWN],
    ),
]
