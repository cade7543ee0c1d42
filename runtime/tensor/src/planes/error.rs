//! Why a frame is none, or its planes are others than was expected.

use core::fmt;

use wirecontract::WireError;
use wirecontract_gpu::dlpack::{DLDataType, DLDevice};
use wirecontract_gpu::video::{ElementStridesError, PixelFormat, PlanesError};

use crate::cuda_array::CudaArrayError;
use crate::driver::DriverError;
use crate::element;
use crate::export::Device;
use crate::import::ImportError;
use crate::python::{ExceptionKind, Python};

/// Why memory holds no frame.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// The frame is none that can be imported, or the memory is too small for it.
    Planes(PlanesError),
    /// A frame that says a CUDA device, and memory of none, or the other way round.
    Device {
        /// What the frame says: -1 of memory of no CUDA device.
        ordinal: i32,
        /// Where the memory is.
        device: DLDevice,
    },
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::Planes(error) => error.fmt(f),
            FrameError::Device { ordinal, device } if *ordinal < 0 => write!(
                f,
                "expected memory of no CUDA device, as device_ordinal {ordinal} of the frame says, found {}: say its number \
                 in the frame",
                Device(*device)
            ),
            FrameError::Device { ordinal, device } => write!(
                f,
                "expected memory of a CUDA device, as device_ordinal {ordinal} of the frame says, found {}: say -1 in the \
                 frame of what was copied from there",
                Device(*device)
            ),
        }
    }
}

impl std::error::Error for FrameError {}

holds! { FrameError {
    PlanesError: Planes;
}}

/// Why no frame was taken.
#[derive(Debug)]
#[non_exhaustive]
pub enum FrameImportError {
    /// A frame of no pixels, or of more than 64 bits count.
    Frame(WireError),
    /// Another number of objects than the format has planes.
    Count {
        /// The format.
        format: PixelFormat,
        /// How many planes it has.
        expected: usize,
        /// How many objects came.
        found: usize,
    },
    /// An object that is not that plane.
    Plane {
        /// Which plane, from 0 on.
        plane: usize,
        /// The format.
        format: PixelFormat,
        /// What is wrong.
        problem: Box<PlaneProblem>,
    },
}

impl FrameImportError {
    /// The class that Python is told it in.
    pub fn kind(&self) -> ExceptionKind {
        match self {
            FrameImportError::Plane { problem, .. } => problem.kind(),
            _ => ExceptionKind::ValueError,
        }
    }

    /// Sets it as the thread's exception: that of the object as it was, all others as [`FrameImportError::kind`] says.
    pub fn raise(self, python: Python<'_>) {
        let (kind, text) = (self.kind(), self.to_string());
        match self {
            FrameImportError::Plane { problem, .. } => match *problem {
                PlaneProblem::Import(ImportError::Raised(error))
                | PlaneProblem::Array(CudaArrayError::Raised(error)) => error.restore(python),
                _ => kind.raise(python, &text),
            },
            _ => kind.raise(python, &text),
        }
    }
}

impl FrameImportError {
    pub(super) fn of_plane(plane: usize, format: PixelFormat, problem: PlaneProblem) -> FrameImportError {
        FrameImportError::Plane { plane, format, problem: Box::new(problem) }
    }
}

impl fmt::Display for FrameImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameImportError::Frame(error) => error.fmt(f),
            FrameImportError::Count { format, expected, found } => {
                write!(f, "expected {expected} objects for the planes of {format:?}, found {found}")
            }
            FrameImportError::Plane { plane, format, problem } => {
                write!(f, "plane {plane} of {format:?}: {problem}")
            }
        }
    }
}

impl std::error::Error for FrameImportError {}

/// Why an object is not the plane that it is to be.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlaneProblem {
    /// An object that offers neither a tensor nor an array.
    NoProtocol {
        /// Its class.
        class: String,
    },
    /// What `__dlpack__` or the exchange table gave is no tensor.
    Import(ImportError),
    /// What `__cuda_array_interface__` gave is no array.
    Array(CudaArrayError),
    /// Another shape: rows, places in a row, and samples of a place where it has several.
    Shape {
        /// What was expected.
        expected: Vec<i64>,
        /// What came.
        found: Vec<i64>,
    },
    /// Samples of another type.
    Element {
        /// What was expected.
        expected: DLDataType,
        /// What came.
        found: DLDataType,
    },
    /// Samples in another byte order than the frame's.
    Samples(ElementStridesError),
    /// Samples of a row that do not stand one behind the other.
    NotPacked {
        /// The dimension.
        axis: usize,
        /// Bytes from one index to the next.
        expected: i64,
        /// What came.
        found: i128,
    },
    /// Rows that overlap, go backwards, or are further from each other than 32 bits count.
    Pitch {
        /// Bytes of a row.
        least: i64,
        /// Bytes from one row to the next.
        found: i128,
    },
    /// Another device than the one that was asked for, or than that of the plane before.
    Device {
        /// What was expected.
        expected: DLDevice,
        /// What came.
        found: DLDevice,
    },
    /// A CUDA array, where a device of another kind was asked for.
    NotCuda {
        /// What was expected.
        expected: DLDevice,
    },
    /// A CUDA device of a number that none has.
    Ordinal {
        /// What came.
        found: i32,
    },
    /// A CUDA array, whose device nobody says.
    DeviceUnsaid {
        /// Why the driver does not.
        error: DriverError,
    },
    /// Another context than that of the planes before.
    Context {
        /// What was expected.
        expected: usize,
        /// What came.
        found: usize,
    },
    /// A context that is no number of an address.
    ContextForm {
        /// The class that came.
        class: String,
    },
}

holds! { PlaneProblem {
    ImportError: Import;
    CudaArrayError: Array;
    ElementStridesError: Samples;
}}

impl PlaneProblem {
    /// The class that Python is told it in.
    pub fn kind(&self) -> ExceptionKind {
        match self {
            PlaneProblem::NoProtocol { .. } | PlaneProblem::ContextForm { .. } => ExceptionKind::TypeError,
            PlaneProblem::Import(error) => error.kind(),
            PlaneProblem::Array(error) => error.kind(),
            PlaneProblem::DeviceUnsaid { .. } => ExceptionKind::BufferError,
            _ => ExceptionKind::ValueError,
        }
    }
}

/// A type of samples for people, as `DLPack` and as the array interface spell it.
struct Sample(DLDataType);

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&element::name(self.0))?;
        match element::typestr(self.0) {
            Some(word) => write!(f, " ({word})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for PlaneProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaneProblem::NoProtocol { class } => write!(
                f,
                "expected an object with __dlpack__ or __cuda_array_interface__, found one of type {class}: pass a tensor, or \
                 an array of a CUDA device"
            ),
            PlaneProblem::Import(error) => error.fmt(f),
            PlaneProblem::Array(error) => error.fmt(f),
            PlaneProblem::Shape { expected, found } => {
                write!(f, "expected the shape {expected:?}, found {found:?}")
            }
            PlaneProblem::Element { expected, found } => {
                write!(f, "expected samples of type {}, found {}", Sample(*expected), Sample(*found))
            }
            PlaneProblem::Samples(error) => error.fmt(f),
            PlaneProblem::NotPacked { axis, expected, found } => write!(
                f,
                "expected the samples of a row one behind the other, {expected} bytes apart in dimension {axis}, found \
                 {found}: make a contiguous copy"
            ),
            PlaneProblem::Pitch { least, found } => {
                write!(f, "expected rows {least} to {} bytes apart, found {found}", u32::MAX)
            }
            PlaneProblem::Device { expected, found } => write!(
                f,
                "expected memory of {}, found {}: all planes of a frame are on one device",
                Device(*expected),
                Device(*found)
            ),
            PlaneProblem::NotCuda { expected } => write!(
                f,
                "expected memory of {}, found that of a CUDA device: what offers __cuda_array_interface__ alone is there",
                Device(*expected)
            ),
            PlaneProblem::Ordinal { found } => {
                write!(f, "expected a CUDA device's number of 0 or more, found {found}")
            }
            PlaneProblem::DeviceUnsaid { error } => write!(
                f,
                "expected to be told the device of a plane that offers __cuda_array_interface__ alone, found nobody that \
                 knows it ({error}): say the device, or pass what has __dlpack__"
            ),
            PlaneProblem::Context { expected, found } => write!(
                f,
                "expected cuda_context {expected:#x}, as of the planes before, found {found:#x}: all planes of a frame are \
                 in one context"
            ),
            PlaneProblem::ContextForm { class } => write!(
                f,
                "expected cuda_context to be None or the address of a CUcontext, found an object of type {class}"
            ),
        }
    }
}

impl std::error::Error for PlaneProblem {}
