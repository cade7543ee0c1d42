//! Which bytes a tensor spans: what rules cannot say, computed so that no size from outside wraps.

use core::fmt;
use core::ops::Range;

use wirecontract::Code;

use super::{ElementType, SharedBuffer};

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
        // Its extents may be of any size, so that nothing may be computed of them.
        if self.elements == 0 {
            return true;
        }
        let mut expected = 1i128;
        for (&extent, &stride) in self.shape().iter().zip(self.strides()).rev() {
            if extent != 1 && i128::from(stride) != expected {
                return false;
            }
            expected *= i128::from(extent);
        }
        true
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
            GeometryError::Strides { strides, rank } => write!(
                f,
                "expected a stride for each of the {rank} dimensions or for none, found {strides}: say all of them"
            ),
            GeometryError::Negative { axis, extent } => write!(
                f,
                "expected 0 elements or more in dimension {axis}, found {extent}: what goes back is the stride"
            ),
            GeometryError::Overflow => {
                f.write_str("expected a tensor that 64 bits can count, found one beyond: no memory holds it")
            }
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
        let elements = elements(shape)?;
        let strides = match self.strides_len {
            0 => row_major(shape, elements)?,
            strides if strides == self.rank => self.strides,
            strides => return Err(GeometryError::Strides { strides, rank: self.rank }),
        };
        let within = Within { first: self.byte_offset, size: self.size, element_bytes };
        let (begin, end) = within.span(shape, &strides, elements)?;
        let (mut said, mut steps) = ([0; 8], [0; 8]);
        said[..rank].copy_from_slice(shape);
        steps[..rank].copy_from_slice(&strides[..rank]);
        let first = self.byte_offset;
        Ok(Geometry { rank, shape: said, strides: steps, element_bytes, elements, first, begin, end })
    }
}

/// How many elements a shape has: none where a dimension has none, however many the others claim.
fn elements(shape: &[i64]) -> Result<u64, GeometryError> {
    let mut elements = Some(1u64);
    let mut empty = false;
    for (axis, &extent) in shape.iter().enumerate() {
        let Ok(count) = u64::try_from(extent) else { return Err(GeometryError::Negative { axis, extent }) };
        empty |= count == 0;
        elements = elements.and_then(|elements| elements.checked_mul(count));
    }
    if empty { Ok(0) } else { elements.ok_or(GeometryError::Overflow) }
}

/// The strides of a shape in row-major order without gaps.
fn row_major(shape: &[i64], elements: u64) -> Result<[i64; 8], GeometryError> {
    let mut strides = [0; 8];
    if elements == 0 {
        return Ok(strides);
    }
    let mut next = Some(1i64);
    for (stride, &extent) in strides.iter_mut().zip(shape).rev() {
        *stride = next.ok_or(GeometryError::Overflow)?;
        next = next.and_then(|stride| stride.checked_mul(extent));
    }
    Ok(strides)
}

/// A buffer, and the elements that are to be in it.
struct Within {
    first: u64,
    size: u64,
    element_bytes: u64,
}

impl Within {
    /// The bytes from the lowest element to the end of the highest one.
    fn span(&self, shape: &[i64], strides: &[i64], elements: u64) -> Result<(u64, u64), GeometryError> {
        let (mut low, mut high) = (0i128, 0i128);
        if elements > 0 {
            for (&extent, &stride) in shape.iter().zip(strides) {
                // Of 63 bits each, so that the product has 126 and the sum of eight may not fit.
                let reach = (i128::from(extent) - 1) * i128::from(stride);
                let end = if reach < 0 { &mut low } else { &mut high };
                *end = end.checked_add(reach).ok_or(GeometryError::Overflow)?;
            }
            high = high.checked_add(1).ok_or(GeometryError::Overflow)?;
        }
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
