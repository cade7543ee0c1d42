//! The planes of a frame as arrays of samples.

use core::fmt;
use core::ops::Range;

use wirecontract::{Code, WireContract, WireError};

use super::extent::Extent;
use super::{PixelFormat, PlaneLayout, VideoFrame};
use crate::buffer::SharedBuffer;
use crate::dlpack::{DLDataType, DLDataTypeCode};

/// The planes of a frame: one, two or three, every sample of which is within the frame's `size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planes {
    planes: [Plane; 3],
    count: usize,
}

impl Planes {
    /// Y, then U and V, of which NV12, P010 and P016 have one plane together; or all of a packed format.
    pub fn as_slice(&self) -> &[Plane] {
        &self.planes[..self.count]
    }
}

/// A plane as an array: of one sample a place (rows, columns), of several (rows, columns, samples).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    format: PixelFormat,
    rank: usize,
    shape: [i64; 3],
    byte_strides: [i64; 3],
    element_strides: Result<[i64; 3], ElementStridesError>,
    begin: u64,
    end: u64,
}

impl Plane {
    /// Samples in each dimension: rows, places in a row, and samples of a place where it has several.
    pub fn shape(&self) -> &[i64] {
        &self.shape[..self.rank]
    }

    /// Bytes from one index to the next in each dimension, as the CUDA Array Interface and Python's buffers count.
    pub fn byte_strides(&self) -> &[i64] {
        &self.byte_strides[..self.rank]
    }

    /// Samples from one index to the next in each dimension, as `DLPack` counts.
    ///
    /// # Errors
    /// Where rows are no whole number of samples apart, and where samples are not in the machine's byte order, which a
    /// `DLPack` tensor cannot say. Bytes are counted all the same.
    pub fn element_strides(&self) -> Result<&[i64], ElementStridesError> {
        match &self.element_strides {
            Ok(strides) => Ok(&strides[..self.rank]),
            Err(error) => Err(*error),
        }
    }

    /// The type of a sample.
    pub fn element(&self) -> DLDataType {
        let bits = u8::try_from(8 * self.format.sample_bytes()).unwrap_or(u8::MAX);
        DLDataType { code: DLDataTypeCode::UInt.into(), bits, lanes: 1 }
    }

    /// The type of a sample in the array interface, its byte order included.
    pub fn typestr(&self) -> &'static str {
        self.format.typestr()
    }

    /// Bytes from the start of the buffer to the first sample.
    pub fn offset(&self) -> u64 {
        self.begin
    }

    /// The bytes of the buffer from the first sample to the end of the last one.
    pub fn span(&self) -> Range<u64> {
        self.begin..self.end
    }

    /// A plane that the frame's rules have passed.
    fn new(frame: &VideoFrame, index: usize, layout: PlaneLayout) -> Plane {
        let extent = Extent::of(frame.format, index, frame.width, frame.height);
        let Extent { rows, columns, samples, sample_bytes } = extent;
        let pitch = i64::from(layout.pitch);
        let (rank, byte_strides) = match samples {
            1 => (2, [pitch, sample_bytes, 0]),
            _ => (3, [pitch, samples * sample_bytes, sample_bytes]),
        };
        let element_strides = if sample_bytes > 1 && cfg!(target_endian = "big") {
            Err(ElementStridesError::ByteOrder)
        } else if pitch % sample_bytes > 0 {
            Err(ElementStridesError::Pitch { pitch: layout.pitch, sample_bytes: sample_bytes.unsigned_abs() })
        } else {
            Ok(byte_strides.map(|bytes| bytes / sample_bytes))
        };
        // The rules found all of it within `size`. There is a row, so that no number is negative.
        let before_last = u64::from(layout.pitch) * (rows - 1).unsigned_abs();
        let end = layout.offset + before_last + extent.row_bytes().unsigned_abs();
        Plane {
            format: frame.format,
            rank,
            shape: [rows, columns, samples],
            byte_strides,
            element_strides,
            begin: layout.offset,
            end,
        }
    }
}

impl VideoFrame {
    /// The planes, after the rules of an importer were asked.
    ///
    /// That the buffer has the frame's `size` is not known here: [`planes_in`](Self::planes_in) looks.
    ///
    /// # Errors
    /// What `validate_import` refuses.
    pub fn planes(&self) -> Result<Planes, WireError> {
        self.validate_import()?;
        let first = Plane::new(self, 0, self.plane0);
        let mut planes = [first; 3];
        let count = self.format.plane_count();
        for (index, layout) in
            [self.plane0, self.plane1, self.plane2].into_iter().enumerate().take(count).skip(1)
        {
            planes[index] = Plane::new(self, index, layout);
        }
        Ok(Planes { planes, count })
    }

    /// The planes, every sample of which is within that buffer. That the buffer is within its allocation, its own
    /// `validate_import` says.
    ///
    /// # Errors
    /// What `validate_import` refuses, and a buffer of fewer bytes than the frame needs.
    pub fn planes_in(&self, buffer: &SharedBuffer) -> Result<Planes, PlanesError> {
        let planes = self.planes().map_err(PlanesError::Frame)?;
        if self.size > buffer.size {
            return Err(PlanesError::Buffer { needed: self.size, size: buffer.size });
        }
        Ok(planes)
    }
}

/// Why a frame has no planes in a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanesError {
    /// The frame is none that can be imported.
    Frame(WireError),
    /// The buffer is too small.
    Buffer {
        /// Bytes that the frame needs.
        needed: u64,
        /// Bytes of the buffer.
        size: u64,
    },
}

impl PlanesError {
    /// The code of the refusal.
    pub fn code(&self) -> Code {
        match self {
            PlanesError::Frame(error) => error.code,
            PlanesError::Buffer { .. } => Code::RuleViolated,
        }
    }
}

impl fmt::Display for PlanesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanesError::Frame(error) => error.fmt(f),
            PlanesError::Buffer { needed, size } => write!(
                f,
                "expected a buffer of at least the {needed} bytes that the frame needs, found {size}: take the frame \
                 with the buffer that came beside it"
            ),
        }
    }
}

impl core::error::Error for PlanesError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            PlanesError::Frame(error) => Some(error),
            PlanesError::Buffer { .. } => None,
        }
    }
}

/// Why a plane cannot be a `DLPack` tensor, whose strides count elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementStridesError {
    /// Rows are no whole number of samples apart.
    Pitch {
        /// Bytes from one row to the next.
        pitch: u32,
        /// Bytes of a sample.
        sample_bytes: u64,
    },
    /// Samples are little endian, and the machine is not.
    ByteOrder,
}

impl ElementStridesError {
    /// The code of the refusal.
    pub fn code(&self) -> Code {
        Code::Refused
    }
}

impl fmt::Display for ElementStridesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElementStridesError::Pitch { pitch, sample_bytes } => write!(
                f,
                "expected a pitch that is a whole number of samples of {sample_bytes} bytes, found {pitch} bytes: take \
                 the plane by its byte strides, or have the exporter pad its rows otherwise"
            ),
            ElementStridesError::ByteOrder => f.write_str(
                "expected samples in the machine's byte order, found little endian on a big-endian machine: take the \
                 plane by its byte strides and typestr",
            ),
        }
    }
}

impl core::error::Error for ElementStridesError {}
