//! Numbers that take the place of others.

use wirecontract_codegen::model::Scalar;

/// Scalars of the same size that mean something else.
pub(super) fn same_size(scalar: Scalar) -> impl Iterator<Item = Scalar> {
    let others: &[Scalar] = match scalar {
        Scalar::Bool | Scalar::I8 => &[Scalar::U8],
        Scalar::U8 => &[Scalar::I8],
        Scalar::U16 => &[Scalar::I16],
        Scalar::I16 => &[Scalar::U16],
        Scalar::U32 => &[Scalar::I32, Scalar::F32],
        Scalar::I32 | Scalar::F32 => &[Scalar::U32],
        Scalar::U64 => &[Scalar::I64, Scalar::F64],
        Scalar::I64 | Scalar::F64 => &[Scalar::U64],
    };
    others.iter().copied()
}

/// `64` or `4 × 2`.
pub(super) fn written(dims: &[u32]) -> String {
    dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(" × ")
}
