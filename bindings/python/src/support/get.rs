//! From an image to what Python sees.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyString, PyTuple};

use super::layout::{Element, Endian, Field, Layout, Role, Scalar, bits};

/// The value of a field.
pub(crate) fn get<'py>(
    py: Python<'py>,
    layout: &Layout,
    image: &[u8],
    field: &Field,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = field.of(image);
    match (field.role, field.dims, field.element) {
        (Role::Text, ..) => {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            Ok(PyString::from_bytes(py, &bytes[..end])?.into_any())
        }
        (_, [], element) => self::element(py, element, bytes, field.endian),
        (_, [_], Element::Scalar(Scalar::U8)) => {
            Ok(PyBytes::new(py, &bytes[..layout.length(field, image)]).into_any())
        }
        (_, dims, _) => {
            let valid = &bytes[..layout.length(field, image) * field.stride()];
            tuple(py, field, valid, dims)
        }
    }
}

/// A tuple of elements, or of tuples of them.
fn tuple<'py>(py: Python<'py>, field: &Field, bytes: &[u8], dims: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let stride = field.element.size() * dims[1..].iter().product::<usize>();
    let item = |bytes: &[u8]| match dims {
        [_] => element(py, field.element, bytes, field.endian),
        _ => tuple(py, field, bytes, &dims[1..]),
    };
    let items = bytes.chunks_exact(stride).map(item).collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new(py, items)?.into_any())
}

fn element<'py>(
    py: Python<'py>,
    element: Element,
    bytes: &[u8],
    endian: Endian,
) -> PyResult<Bound<'py, PyAny>> {
    match element {
        Element::Scalar(of) => scalar(py, of, bits(bytes, endian)),
        Element::Closed(values) | Element::Open(values) => {
            let bits = bits(bytes, endian);
            match values.member(py, number(values.scalar, bits))? {
                Some(member) => Ok(member),
                None => scalar(py, values.scalar, bits),
            }
        }
        Element::Flags(values) => values.flags(py, bits(bytes, endian)),
        Element::Descriptor(layout) => (layout.make)(py, bytes),
    }
}

fn scalar(py: Python<'_>, scalar: Scalar, bits: u64) -> PyResult<Bound<'_, PyAny>> {
    match scalar {
        Scalar::Bool => Ok(PyBool::new(py, bits != 0).to_owned().into_any()),
        Scalar::F32 => Ok(PyFloat::new(py, f64::from_bits(widened(bits))).into_any()),
        Scalar::F64 => Ok(PyFloat::new(py, f64::from_bits(bits)).into_any()),
        _ if scalar.is_signed() => Ok(signed(scalar, bits).into_pyobject(py)?.into_any()),
        _ => Ok(bits.into_pyobject(py)?.into_any()),
    }
}

fn signed(scalar: Scalar, bits: u64) -> i64 {
    let unused = 64 - 8 * scalar.size();
    (bits << unused).cast_signed() >> unused
}

/// The integer of these bits.
fn number(scalar: Scalar, bits: u64) -> i128 {
    if scalar.is_signed() { signed(scalar, bits).into() } else { bits.into() }
}

/// The bits of the f64 that an f32 is; of a NaN the same ones, which a conversion would make a quiet one.
#[expect(clippy::cast_possible_truncation, reason = "the bits of an f32")]
pub(crate) fn widened(bits: u64) -> u64 {
    let value = f32::from_bits(bits as u32);
    if value.is_nan() {
        (bits & 0x8000_0000) << 32 | 0x7ff << 52 | (bits & 0x007f_ffff) << 29
    } else {
        f64::from(value).to_bits()
    }
}
