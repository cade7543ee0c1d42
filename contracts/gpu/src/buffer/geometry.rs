//! Which bytes a tensor spans: what rules cannot say, computed so that no size from outside wraps.

use core::fmt;
use core::ops::Range;

use wirecontract::Code;

use super::{ElementType, SharedBuffer};
use crate::dlpack::shape::{self, ShapeError};

/// A tensor whose every element is within its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    rank: usize,
    shape: [i64; 8],
    strides: [i64; 8],
    element_bytes: u64,
    elements: u64,
    first: u64,
    begin: u64,
    end: u64,
}

impl Geometry {
    /// Elements in each dimension, none of them negative.
    pub fn shape(&self) -> &[i64] {
        &self.shape[..self.rank]
    }

    /// Elements from one index to the next in each dimension, also where the buffer does not say them. Of a tensor
    /// without elements that says none they are zeros.
    pub fn strides(&self) -> &[i64] {
        &self.strides[..self.rank]
    }

    /// Bytes of one element.
    pub fn element_bytes(&self) -> u64 {
        self.element_bytes
    }

    /// How many elements there are: of shape `[]` one, and more than there are bytes for where a stride of 0 repeats
    /// them.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// Bytes from the start of the buffer to the element of index 0.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The bytes of the buffer from the lowest element to the end of the highest one; empty where there are no elements.
    pub fn span(&self) -> Range<u64> {
        self.begin..self.end
    }

    /// Whether the elements stand in row-major order without gaps. The strides of dimensions of one index say nothing.
    pub fn is_row_major(&self) -> bool {
        shape::is_row_major(self.shape(), self.strides())
    }
}

/// Why a tensor is not within its buffer, or is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GeometryError {
    /// The buffer is bytes of no type.
    Untyped,
    /// The type is not complete, or its elements are no whole bytes.
    Element(ElementType),
    /// More dimensions than there are places for.
    Rank {
        /// How many.
        rank: u32,
    },
    /// Strides of some dimensions and not of others.
    Strides {
        /// How many strides are said.
        strides: u32,
        /// How many dimensions there are.
        rank: u32,
    },
    /// A dimension of fewer than no elements.
    Negative {
        /// Which.
        axis: usize,
        /// How many elements it claims.
        extent: i64,
    },
    /// Numbers whose product no 64 bits hold.
    Overflow,
    /// Elements that are not in the buffer.
    Outside {
        /// Bytes from the start of the buffer to the lowest element, which may be before it.
        begin: i128,
        /// Bytes from the start of the buffer to the end of the highest element.
        end: i128,
        /// Bytes of the buffer.
        size: u64,
    },
}

impl GeometryError {
    /// The code of the refusal.
    pub fn code(&self) -> Code {
        match self {
            GeometryError::Rank { .. } => Code::LengthExceeds,
            GeometryError::Negative { .. } | GeometryError::Overflow => Code::OutOfRange,
            _ => Code::RuleViolated,
        }
    }
}

impl fmt::Display for GeometryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GeometryError::Untyped => f.write_str(
                "expected a tensor, found bytes of no type: take them as bytes, or have the exporter say a type",
            ),
            GeometryError::Element(ElementType { code, bits, lanes }) => write!(
                f,
                "expected elements of whole bytes, found code {}, {bits} bits, {lanes} lanes: say all three, and as \
                 many lanes as fill bytes",
                code.raw()
            ),
            GeometryError::Rank { rank } => {
                write!(f, "expected at most 8 dimensions, found {rank}: merge those that have no gaps between them")
            }
            GeometryError::Strides { strides, rank } => {
                ShapeError::Strides { strides: *strides as usize, rank: *rank as usize }.fmt(f)
            }
            GeometryError::Negative { axis, extent } => {
                ShapeError::Negative { axis: *axis, extent: *extent }.fmt(f)
            }
            GeometryError::Overflow => ShapeError::Overflow.fmt(f),
            GeometryError::Outside { begin, end, size } => write!(
                f,
                "expected elements within the {size} bytes of the buffer, found bytes {begin} to {end}: `byte_offset` \
                 is where the element of index 0 begins, and strides count elements"
            ),
        }
    }
}

impl core::error::Error for GeometryError {}

impl SharedBuffer {
    /// The tensor in the buffer, with every element found within its `size` bytes.
    ///
    /// It looks at nothing but the tensor and `size`: that the buffer is within its allocation, `validate_import` says.
    ///
    /// # Errors
    /// Where there is no tensor, where its numbers contradict each other, and where an element is not in the buffer.
    pub fn geometry(&self) -> Result<Geometry, GeometryError> {
        if self.element.is_untyped() {
            return Err(GeometryError::Untyped);
        }
        let element_bytes = self.element.bytes().ok_or(GeometryError::Element(self.element))?;
        let rank = usize::try_from(self.rank).unwrap_or(usize::MAX);
        let shape = self.shape.get(..rank).ok_or(GeometryError::Rank { rank: self.rank })?;
        let elements = shape::elements(shape).map_err(told)?;
        let (mut said, mut steps) = ([0; 8], [0; 8]);
        said[..rank].copy_from_slice(shape);
        match self.strides_len {
            0 => {
                shape::row_major(shape, &mut steps[..rank]).map_err(told)?;
            }
            strides if strides == self.rank => steps[..rank].copy_from_slice(&self.strides[..rank]),
            strides => return Err(GeometryError::Strides { strides, rank: self.rank }),
        }
        let within = Within { first: self.byte_offset, size: self.size, element_bytes };
        let (begin, end) = within.span(shape, &steps[..rank])?;
        let first = self.byte_offset;
        Ok(Geometry { rank, shape: said, strides: steps, element_bytes, elements, first, begin, end })
    }
}

/// What of a shape is wrong, as it is told of a buffer.
fn told(error: ShapeError) -> GeometryError {
    match error {
        ShapeError::Negative { axis, extent } => GeometryError::Negative { axis, extent },
        _ => GeometryError::Overflow,
    }
}

/// A buffer, and the elements that are to be in it.
struct Within {
    first: u64,
    size: u64,
    element_bytes: u64,
}

impl Within {
    /// The bytes from the lowest element to the end of the highest one.
    fn span(&self, shape: &[i64], strides: &[i64]) -> Result<(u64, u64), GeometryError> {
        let (low, high) = shape::reach(shape, strides).map_err(told)?;
        let bytes = |elements: i128| {
            let bytes = elements.checked_mul(i128::from(self.element_bytes))?;
            bytes.checked_add(i128::from(self.first))
        };
        let begin = bytes(low).ok_or(GeometryError::Overflow)?;
        let end = bytes(high).ok_or(GeometryError::Overflow)?;
        match (u64::try_from(begin), u64::try_from(end)) {
            (Ok(low), Ok(high)) if high <= self.size => Ok((low, high)),
            _ => Err(GeometryError::Outside { begin, end, size: self.size }),
        }
    }
}
