//! Why a buffer cannot be said in the other form.

use core::fmt;

use wirecontract::{Code, WireError};

use crate::buffer::{BufferKind, ElementType, GeometryError};
use crate::cuvis::IpcHandleType;

/// Why a buffer has no counterpart.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotConvertible {
    /// No importer may use it, as it came or as it would be.
    Import(WireError),
    /// Its tensor is none.
    Geometry(GeometryError),
    /// The SDK has no such mechanism.
    Kind(BufferKind),
    /// A handle of Windows, which no Linux imports.
    Handle(IpcHandleType),
    /// A payload's tensor has three dimensions, and this one another number.
    Rank(usize),
    /// The elements are not in row-major order without gaps, which a payload's are.
    Strides,
    /// A dimension that a payload cannot say.
    Extent {
        /// Which.
        axis: usize,
        /// How many elements it has.
        extent: i64,
    },
    /// The SDK has no samples of that type.
    Element(ElementType),
    /// The kind has a file descriptor, whose number the caller did not give.
    NoFd(BufferKind),
}

impl NotConvertible {
    /// The code of the refusal.
    pub fn code(&self) -> Code {
        match self {
            NotConvertible::Import(error) => error.code,
            NotConvertible::Geometry(error) => error.code(),
            NotConvertible::NoFd(_) => Code::FdCount,
            NotConvertible::Extent { .. } => Code::OutOfRange,
            _ => Code::Refused,
        }
    }
}

impl From<WireError> for NotConvertible {
    fn from(error: WireError) -> NotConvertible {
        NotConvertible::Import(error)
    }
}

impl From<GeometryError> for NotConvertible {
    fn from(error: GeometryError) -> NotConvertible {
        NotConvertible::Geometry(error)
    }
}

impl fmt::Display for NotConvertible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotConvertible::Import(error) => error.fmt(f),
            NotConvertible::Geometry(error) => error.fmt(f),
            NotConvertible::Kind(kind) => write!(
                f,
                "expected memory that the cuvis SDK exports, found {kind:?}: copy it to memory of CUDA, of the kind \
                 CudaLegacy, CudaPool or CudaVmm"
            ),
            NotConvertible::Handle(handle) => write!(
                f,
                "expected a handle that Linux imports, found {handle:?}: have the exporter use a POSIX file descriptor, \
                 or the legacy backend"
            ),
            NotConvertible::Rank(rank) => write!(
                f,
                "expected a tensor of height, width and channels, found {rank} dimensions: say those that are missing as \
                 1"
            ),
            NotConvertible::Strides => f.write_str(
                "expected elements in row-major order without gaps, found other strides: copy the tensor first",
            ),
            NotConvertible::Extent { axis, extent } => write!(
                f,
                "expected 1 to 4294967295 elements in dimension {axis}, found {extent}: a payload cannot say it"
            ),
            NotConvertible::Element(ElementType { code, bits, lanes }) => write!(
                f,
                "expected samples of 8, 16 or 32 bits unsigned, or of single precision, found code {}, {bits} bits, \
                 {lanes} lanes: convert the samples first",
                code.raw()
            ),
            NotConvertible::NoFd(kind) => write!(
                f,
                "expected the number of the file descriptor that rides beside {kind:?}, found none: give it as `fd`"
            ),
        }
    }
}

impl core::error::Error for NotConvertible {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            NotConvertible::Import(error) => Some(error),
            NotConvertible::Geometry(error) => Some(error),
            _ => None,
        }
    }
}
