//! The arithmetic of shapes and strides, computed so that no number from outside wraps.

use core::fmt;

/// Why numbers are not the shape and the strides of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A dimension of fewer than no elements.
    Negative {
        /// Which.
        axis: usize,
        /// How many elements it claims.
        extent: i64,
    },
    /// Strides of some dimensions and not of others.
    Strides {
        /// How many strides are said.
        strides: usize,
        /// How many dimensions there are.
        rank: usize,
    },
    /// Numbers whose product no 64 bits hold.
    Overflow,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShapeError::Negative { axis, extent } => write!(
                f,
                "expected 0 elements or more in dimension {axis}, found {extent}: what goes back is the stride"
            ),
            ShapeError::Strides { strides, rank } => write!(
                f,
                "expected a stride for each of the {rank} dimensions or for none, found {strides}: say all of them"
            ),
            ShapeError::Overflow => {
                f.write_str("expected a tensor that 64 bits can count, found one beyond: no memory holds it")
            }
        }
    }
}

impl core::error::Error for ShapeError {}

/// How many elements a shape has: one without dimensions, and none where a dimension has none, however many the others
/// claim.
///
/// # Errors
/// A dimension below 0, and a product beyond 64 bits.
pub fn elements(shape: &[i64]) -> Result<u64, ShapeError> {
    let mut elements = Some(1u64);
    let mut empty = false;
    for (axis, &extent) in shape.iter().enumerate() {
        let Ok(count) = u64::try_from(extent) else { return Err(ShapeError::Negative { axis, extent }) };
        empty |= count == 0;
        elements = elements.and_then(|elements| elements.checked_mul(count));
    }
    if empty { Ok(0) } else { elements.ok_or(ShapeError::Overflow) }
}

/// Writes the strides of a shape in row-major order without gaps, zeros where there are no elements, and gives the number
/// of elements.
///
/// # Errors
/// A dimension below 0, a number beyond 64 bits, and a place for another number of strides.
pub fn row_major(shape: &[i64], strides: &mut [i64]) -> Result<u64, ShapeError> {
    if strides.len() != shape.len() {
        return Err(ShapeError::Strides { strides: strides.len(), rank: shape.len() });
    }
    let elements = elements(shape)?;
    if elements == 0 {
        strides.fill(0);
        return Ok(0);
    }
    let mut next = Some(1i64);
    for (stride, &extent) in strides.iter_mut().zip(shape).rev() {
        *stride = next.ok_or(ShapeError::Overflow)?;
        next = next.and_then(|stride| stride.checked_mul(extent));
    }
    Ok(elements)
}

/// Whether the elements stand in row-major order without gaps. The strides of dimensions of one index say nothing, and
/// none does where there are no elements.
pub fn is_row_major(shape: &[i64], strides: &[i64]) -> bool {
    if shape.contains(&0) {
        return true;
    }
    let mut expected = Some(1i64);
    for (&extent, &stride) in shape.iter().zip(strides).rev() {
        if extent != 1 && expected != Some(stride) {
            return false;
        }
        expected = expected.and_then(|expected| expected.checked_mul(extent));
    }
    true
}

/// The elements from the lowest to behind the highest one, counted from the element of index 0: `(0, 0)` where there are
/// none.
///
/// # Errors
/// A dimension below 0, another number of strides than of dimensions, and numbers beyond 64 and 128 bits.
pub fn reach(shape: &[i64], strides: &[i64]) -> Result<(i128, i128), ShapeError> {
    if strides.len() != shape.len() {
        return Err(ShapeError::Strides { strides: strides.len(), rank: shape.len() });
    }
    if elements(shape)? == 0 {
        return Ok((0, 0));
    }
    let (mut low, mut high) = (0i128, 0i128);
    for (&extent, &stride) in shape.iter().zip(strides) {
        // Of 63 bits each, so that the product has 126 and a sum of several may not fit.
        let reach = (i128::from(extent) - 1) * i128::from(stride);
        let end = if reach < 0 { &mut low } else { &mut high };
        *end = end.checked_add(reach).ok_or(ShapeError::Overflow)?;
    }
    Ok((low, high.checked_add(1).ok_or(ShapeError::Overflow)?))
}
