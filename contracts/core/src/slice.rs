//! Whole arrays of descriptors as slices over bytes.
//!
//! [`cast`] gives `&[T]` over bytes without a copy, after every element was checked as
//! [`from_bytes`](crate::WireContract::from_bytes) checks it. It takes contracts that also derive the traits of
//! zerocopy (feature `zerocopy`); [`cast_pod`] those of bytemuck (feature `bytemuck`). Their derives prove that
//! any bytes are a sound value of the Rust type; the checks here prove that the values are those of the wire.

use core::fmt;

use crate::WireError;

/// Why bytes are not a slice of contracts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CastError {
    /// The bytes are no whole number of elements.
    Length {
        /// Bytes of an element.
        element: usize,
        /// Bytes that came.
        length: usize,
    },
    /// The bytes do not start where the Rust type may.
    Alignment {
        /// The alignment the Rust type asks for.
        align: usize,
    },
    /// The contract's byte order is not that of this machine: read the elements one by one.
    ByteOrder,
    /// The contract's bytes are not the layout of its Rust struct (it is packed): read the elements one by one.
    Layout,
    /// An element is refused; the offset is from the start of the bytes.
    Element(WireError),
}

impl fmt::Display for CastError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CastError::Length { element, length } => {
                write!(f, "expected a whole number of elements of {element} bytes, found {length} bytes")
            }
            CastError::Alignment { align } => {
                write!(f, "expected bytes aligned to {align}: copy them, or read the elements one by one")
            }
            CastError::ByteOrder => f.write_str(
                "the contract is in another byte order than this machine: read the elements one by one",
            ),
            CastError::Layout => {
                f.write_str("the contract's bytes are not its layout in memory: read the elements one by one")
            }
            CastError::Element(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for CastError {}

#[cfg(any(feature = "zerocopy", feature = "bytemuck"))]
mod check {
    use super::CastError;
    use crate::WireContract;
    use crate::error::At;
    use crate::wire_type::Endian;

    /// Everything but the alignment.
    pub(super) fn elements<T: WireContract>(bytes: &[u8]) -> Result<(), CastError> {
        if !T::SHAPE.mirrored || size_of::<T>() != T::WIRE_SIZE {
            return Err(CastError::Layout);
        }
        if !T::SHAPE.host_order {
            return Err(CastError::ByteOrder);
        }
        if bytes.len() % T::WIRE_SIZE != 0 {
            return Err(CastError::Length { element: T::WIRE_SIZE, length: bytes.len() });
        }
        T::validate_all(bytes, Endian::Native, At::START).map_err(CastError::Element)
    }
}

/// The bytes as contracts, without a copy.
///
/// # Errors
/// When the layout or byte order is not this machine's, when the bytes are no whole number of elements or not
/// aligned, and at the first element that is refused.
#[cfg(feature = "zerocopy")]
pub fn cast<T>(bytes: &[u8]) -> Result<&[T], CastError>
where
    T: crate::WireContract + zerocopy::FromBytes + zerocopy::Immutable + zerocopy::KnownLayout,
{
    check::elements::<T>(bytes)?;
    if bytes.is_empty() {
        return Ok(&[]);
    }
    <[T] as zerocopy::FromBytes>::ref_from_bytes(bytes)
        .map_err(|_| CastError::Alignment { align: align_of::<T>() })
}

/// The bytes as contracts, without a copy, for contracts that derive `bytemuck::AnyBitPattern` or `Pod`.
///
/// # Errors
/// As [`cast`](crate::slice).
#[cfg(feature = "bytemuck")]
pub fn cast_pod<T>(bytes: &[u8]) -> Result<&[T], CastError>
where
    T: crate::WireContract + bytemuck::AnyBitPattern,
{
    check::elements::<T>(bytes)?;
    if bytes.is_empty() {
        return Ok(&[]);
    }
    bytemuck::try_cast_slice(bytes).map_err(|_| CastError::Alignment { align: align_of::<T>() })
}
