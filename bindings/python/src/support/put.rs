//! From what a caller gave to the bytes of a field, or to what the pure module raises for it.

use pyo3::exceptions::PyOverflowError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyMemoryView, PyString, PyTuple};
use wirecontract::Code;

use super::get::widened;
use super::layout::{Element, Field, Scalar, put_bits};
use super::pure::{Place, pure};
use super::values::Values;

/// Writes an element.
pub(crate) fn put(value: &Bound<'_, PyAny>, field: &Field, bytes: &mut [u8], at: Place) -> PyResult<()> {
    let bits = match field.element {
        Element::Scalar(of) => scalar(value, of, at)?,
        Element::Closed(values) => closed(value, values, at)?,
        Element::Open(values) => open(value, values, at)?,
        Element::Flags(values) => flags(value, values, at)?,
        Element::Descriptor(layout) => {
            let Some(image) = (layout.kept)(value) else {
                return Err(at.wrong_type(value, layout.class));
            };
            bytes.copy_from_slice(image);
            return Ok(());
        }
    };
    put_bits(bytes, field.endian, bits);
    Ok(())
}

/// The bits of a scalar.
pub(crate) fn scalar(value: &Bound<'_, PyAny>, scalar: Scalar, at: Place) -> PyResult<u64> {
    match scalar {
        Scalar::Bool => match value.cast::<PyBool>() {
            Ok(value) => Ok(value.is_true().into()),
            Err(_) => Err(at.wrong_type(value, "a bool")),
        },
        Scalar::F64 => Ok(float(value, at)?.to_bits()),
        Scalar::F32 => single(value, at),
        _ => within(&index(value, "an integer", at)?, scalar, at),
    }
}

/// The bits of an integer that a type holds.
fn within(number: &Bound<'_, PyInt>, scalar: Scalar, at: Place) -> PyResult<u64> {
    let (low, high) = scalar.range();
    match integer(number) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "its bits are wanted")]
        Some(number) if (low..=high).contains(&number) => Ok(number as u64),
        _ => Err(at.refuse(number.py(), Code::OutOfRange, &format!("{low} to {high}"), shown(number)?)),
    }
}

/// An integer, or what is one by `__index__`; no bool.
pub(crate) fn index<'py>(value: &Bound<'py, PyAny>, what: &str, at: Place) -> PyResult<Bound<'py, PyInt>> {
    if let Ok(number) = value.cast_exact::<PyInt>() {
        return Ok(number.clone());
    }
    // SAFETY: an attached thread asks of an object that it holds.
    let has_index = unsafe { ffi::PyIndex_Check(value.as_ptr()) } == 1;
    if !has_index || value.is_instance_of::<PyBool>() {
        return Err(at.wrong_type(value, what));
    }
    // SAFETY: as before; a new reference, or an exception.
    let number = unsafe { Bound::from_owned_ptr_or_err(value.py(), ffi::PyNumber_Index(value.as_ptr()))? };
    let number = if number.is_exact_instance_of::<PyInt>() {
        number
    } else {
        value.py().get_type::<PyInt>().call1((number,))?
    };
    Ok(number.cast_into::<PyInt>()?)
}

/// The integer, where it is one of −2⁶³…2⁶⁴−1.
pub(crate) fn integer(number: &Bound<'_, PyInt>) -> Option<i128> {
    let mut overflow = 0;
    // SAFETY: an attached thread asks of an integer that it holds.
    let value = unsafe { ffi::PyLong_AsLongLongAndOverflow(number.as_ptr(), &raw mut overflow) };
    match overflow {
        0 => Some(value.into()),
        1 => number.extract::<u64>().ok().map(i128::from),
        _ => None,
    }
}

/// A number in an error: Python refuses to write an integer of some thousand digits.
pub(crate) fn shown<'py>(number: &Bound<'py, PyInt>) -> PyResult<Bound<'py, PyAny>> {
    let size: u64 = number.call_method0("bit_length")?.extract()?;
    if size <= 128 {
        return Ok(number.clone().into_any());
    }
    Ok(PyString::new(number.py(), &format!("an integer of {size} bits")).into_any())
}

/// A float, or an integer that is one.
fn float(value: &Bound<'_, PyAny>, at: Place) -> PyResult<f64> {
    if let Ok(value) = value.cast::<PyFloat>() {
        return Ok(value.value());
    }
    let number = index(value, "a float", at)?;
    let exact = match number.call_method0("__float__") {
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => 0.0,
        exact => exact?.extract()?,
    };
    if PyFloat::new(value.py(), exact).as_any().eq(&number)? {
        return Ok(exact);
    }
    Err(at.refuse(value.py(), Code::OutOfRange, "an integer that f64 holds", shown(&number)?))
}

/// The bits of a float that is rounded to f32, or of an integer that is one.
fn single(value: &Bound<'_, PyAny>, at: Place) -> PyResult<u64> {
    let py = value.py();
    let wide = float(value, at)?;
    if wide.is_nan() {
        let bits = wide.to_bits();
        let rest = match bits >> 29 & 0x007f_ffff {
            0 => 0x0040_0000,
            rest => rest,
        };
        return Ok(bits >> 32 & 0x8000_0000 | 0x7f80_0000 | rest);
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is rounded")]
    let near = wide as f32;
    if near.is_infinite() && wide.is_finite() {
        let found = PyFloat::new(py, wide).repr()?;
        return Err(at.refuse(py, Code::OutOfRange, "a number in f32", found));
    }
    #[expect(clippy::float_cmp, reason = "an integer is taken as it is or not at all")]
    let is_other = f64::from_bits(widened(near.to_bits().into())) != wide;
    if is_other && !value.is_instance_of::<PyFloat>() {
        let number = PyFloat::new(py, wide).call_method0("__int__")?.cast_into::<PyInt>()?;
        return Err(at.refuse(py, Code::OutOfRange, "an integer that f32 holds", shown(&number)?));
    }
    Ok(near.to_bits().into())
}

/// The number of an enumeration's value, or a number given for it, which may be one of any other type.
fn number<'py>(value: &Bound<'py, PyAny>, values: &Values, at: Place) -> PyResult<Bound<'py, PyInt>> {
    let py = value.py();
    if value.is_instance(pure(py)?.enumeration.bind(py))? && !value.is_instance(values.of(py)?.as_any())? {
        return Err(at.wrong_type(value, values.class));
    }
    index(value, values.class, at)
}

/// The bits of a value of an enumeration, or of its number.
fn closed(value: &Bound<'_, PyAny>, values: &Values, at: Place) -> PyResult<u64> {
    let number = number(value, values, at)?;
    if let Some(found) = integer(&number)
        && values.member(value.py(), found)?.is_some()
    {
        return within(&number, values.scalar, at);
    }
    let expected = format!("a value of {}", values.class);
    Err(at.refuse(value.py(), Code::UnknownValue, &expected, shown(&number)?))
}

/// The bits of a value of an enumeration, or of any number of its type.
fn open(value: &Bound<'_, PyAny>, values: &Values, at: Place) -> PyResult<u64> {
    within(&number(value, values, at)?, values.scalar, at)
}

/// Flags, or their bits; all of them named, unless others are kept.
fn flags(value: &Bound<'_, PyAny>, values: &Values, at: Place) -> PyResult<u64> {
    let number = number(value, values, at)?;
    let bits = within(&number, values.scalar, at)?;
    match values.known {
        Some(known) if bits & !known != 0 => {
            Err(at.refuse(value.py(), Code::UnknownBits, &format!("bits within {known:#x}"), number))
        }
        _ => Ok(bits),
    }
}

/// Bytes, of which there are so many where that is said.
pub(crate) fn bytes<'py>(
    value: &Bound<'py, PyAny>,
    length: Option<usize>,
    at: Place,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = value.py();
    let taken = if let Ok(bytes) = value.cast_exact::<PyBytes>() {
        bytes.clone()
    } else if value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyMemoryView>()
    {
        py.get_type::<PyBytes>().call1((value,))?.cast_into::<PyBytes>()?
    } else {
        return Err(at.wrong_type(value, "bytes"));
    };
    let came = taken.as_bytes().len();
    match length {
        Some(length) if length != came => {
            let expected = format!("{length} bytes");
            Err(at.refuse(py, Code::WrongType, &expected, format!("{came} bytes")))
        }
        _ => Ok(taken),
    }
}

/// Writes text that fits, with a NUL behind it.
pub(crate) fn text(value: &Bound<'_, PyAny>, room: &mut [u8], at: Place) -> PyResult<()> {
    let py = value.py();
    let Ok(text) = value.cast::<PyString>() else {
        return Err(at.wrong_type(value, "a str"));
    };
    let wrong = || at.refuse(py, Code::BadText, "UTF-8 text ended by NUL", py.None());
    // Half of a surrogate pair has no encoding.
    let Ok(text) = text.to_cow() else { return Err(wrong()) };
    if text.len() >= room.len() {
        return Err(too_many(py, text.len(), room.len() - 1, at));
    }
    if text.as_bytes().contains(&0) {
        return Err(wrong());
    }
    room[..text.len()].copy_from_slice(text.as_bytes());
    Ok(())
}

/// The elements of a sequence, of which there are so many where that is said.
pub(crate) fn items<'py>(
    value: &Bound<'py, PyAny>,
    length: Option<usize>,
    at: Place,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = value.py();
    let items = if let Ok(items) = value.cast_exact::<PyTuple>() {
        items.clone()
    } else {
        let pure = pure(py)?;
        let [mapping, set] = &pure.unordered;
        let is_sequence = value.is_instance(pure.collection.bind(py))?
            && !value.is_instance_of::<PyString>()
            && !value.is_instance(mapping.bind(py))?
            && !value.is_instance(set.bind(py))?;
        // Without a length it could not have been measured.
        if !is_sequence {
            return Err(at.wrong_type(value, "a sequence"));
        }
        py.get_type::<PyTuple>().call1((value,))?.cast_into::<PyTuple>()?
    };
    match length {
        Some(length) if length != items.len() => {
            let expected = format!("{length} elements");
            Err(at.refuse(py, Code::WrongType, &expected, format!("{} elements", items.len())))
        }
        _ => Ok(items),
    }
}

/// More elements than there is room for.
#[cold]
pub(crate) fn too_many(py: Python<'_>, found: usize, most: usize, at: Place) -> PyErr {
    at.refuse(py, Code::LengthExceeds, &format!("at most {most}"), found)
}

/// How many elements a value has; none of what is of a wrong type, which is said of the array.
pub(crate) fn length(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let py = value.py();
    if value.is_instance_of::<PyString>() || !value.is_instance(pure(py)?.sized.bind(py))? {
        return Ok(None);
    }
    if value.is_instance_of::<PyMemoryView>() {
        return value.getattr("nbytes")?.extract().map(Some);
    }
    value.len().map(Some)
}
