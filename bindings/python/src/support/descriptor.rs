//! What the classes of descriptors do: each function is one of their methods.

use std::hash::{DefaultHasher, Hasher as _};
use std::ptr;

use pyo3::PyClass;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use wirecontract::__private::{Endian, WireType as _};
use wirecontract::{Code, Expected, WireContract, WireError};

use super::buffer::{self, Held};
use super::construct::fill;
use super::get::get;
use super::image::{Image, found, renewed};
use super::layout::{Element, Field, Layout, Scalar, bits, put_bits};
use super::pure::{Place, wrong_size};
use super::put;

/// The class of a descriptor.
pub(crate) trait Descriptor: PyClass<Frozen = True> + Sync + Into<PyClassInitializer<Self>> {
    /// What is declared.
    type Contract: WireContract;

    /// What stands where.
    const LAYOUT: &'static Layout;

    /// What a descriptor that grows can do besides.
    const GROWN: Option<Grown> = None;

    /// The value of an image.
    fn of(image: Image<Self::Contract>) -> Self;

    /// Its image.
    fn image(&self) -> &Image<Self::Contract>;
}

/// What bytes are asked.
type Asked<T> = fn(&[u8]) -> Result<T, WireError>;

/// Writes an image's value as a version has it, and tells how many bytes that takes.
type Written = fn(&[u8], u32, &mut [u8]) -> Result<usize, WireError>;

/// What only a descriptor that grows can do.
pub(crate) struct Grown {
    version_of: Asked<u32>,
    check_newer: Asked<()>,
    write: Written,
    /// Bytes of the descriptor that others begin with; none where no field says the version.
    prefix: Option<Asked<usize>>,
}

impl Grown {
    /// Of one that says its version by its length.
    pub(crate) const fn by_length<T: WireContract>() -> Grown {
        Grown {
            version_of: T::version_of,
            check_newer: |bytes| T::view_or_newer(bytes).map(drop),
            write: |image, version, bytes| T::from_bytes(image)?.write_version_to(version, bytes),
            prefix: None,
        }
    }

    /// Of one that has a field with its version.
    pub(crate) const fn by_field<T: WireContract>() -> Grown {
        Grown {
            prefix: Some(|bytes| T::read_prefix(bytes).map(|(_, rest)| bytes.len() - rest.len())),
            ..Grown::by_length::<T>()
        }
    }
}

/// `__new__`: of what was given for the fields that are kept, in their order.
pub(crate) fn construct<D: Descriptor>(
    py: Python<'_>,
    given: &[Option<Borrowed<'_, '_, PyAny>>],
) -> PyResult<D> {
    let mut kept = D::Contract::ZEROED;
    fill(py, D::LAYOUT, given, kept.as_mut())?;
    // Rules are checked of the whole.
    found(py, D::Contract::view(renewed::<D::Contract>(D::LAYOUT, &kept).as_ref()).map(drop))?;
    Ok(D::of(Image::of(D::LAYOUT, kept)))
}

/// `from_bytes`.
pub(crate) fn from_bytes<D: Descriptor>(data: &Bound<'_, PyAny>) -> PyResult<D> {
    let py = data.py();
    if let Ok(bytes) = data.cast_exact::<PyBytes>() {
        return found(py, read(bytes.as_bytes()));
    }
    let held = Held::new(data)?;
    let (length, size) = (held.length(), D::LAYOUT.size);
    if length > size || (length < size && D::GROWN.is_none()) {
        return match D::GROWN {
            // What is longer than any version says which one it is of.
            Some(_) => found(py, read(&held.all())),
            None => Err(wrong_size(py, D::LAYOUT.name, length, size)),
        };
    }
    let mut bytes = D::Contract::ZEROED;
    held.copy_to(bytes.as_mut());
    drop(held);
    found(py, read_own(bytes, length))
}

/// `from_bytes_or_newer`.
pub(crate) fn from_bytes_or_newer<D: Descriptor>(data: &Bound<'_, PyAny>) -> PyResult<D> {
    found(data.py(), read_newer(&buffer::all(data)?))
}

/// The value of exactly these bytes.
fn read<D: Descriptor>(bytes: &[u8]) -> Result<D, WireError> {
    let version = checked::<D>(bytes)?;
    Ok(completed(bytes, version))
}

/// The same of so many bytes at the beginning of a place for all, which is the value's own.
#[inline(always)]
fn read_own<D: Descriptor>(own: <D::Contract as WireContract>::Bytes, length: usize) -> Result<D, WireError> {
    let bytes = &own.as_ref()[..length];
    let version = checked::<D>(bytes)?;
    if version < newest::<D>() {
        return Ok(completed(bytes, version));
    }
    Ok(D::of(Image::of(D::LAYOUT, own)))
}

/// The version of bytes that are found to be exactly a value's.
fn checked<D: Descriptor>(bytes: &[u8]) -> Result<u32, WireError> {
    D::Contract::view(bytes)?;
    D::GROWN.map_or(Ok(newest::<D>()), |grown| (grown.version_of)(bytes))
}

/// The value of bytes that may be of a newer version.
fn read_newer<D: Descriptor>(bytes: &[u8]) -> Result<D, WireError> {
    let Some(grown) = D::GROWN else { return read(bytes) };
    (grown.check_newer)(bytes)?;
    // What has no version that is known is of a newer one.
    Ok(match (grown.version_of)(bytes) {
        Ok(version) => completed(bytes, version),
        Err(_) => {
            let mut kept = D::Contract::ZEROED;
            kept.as_mut().copy_from_slice(&bytes[..D::LAYOUT.size]);
            D::Contract::say_version(kept.as_mut(), newest::<D>().into());
            D::of(Image::of(D::LAYOUT, kept))
        }
    })
}

/// The newest version of the bytes.
fn newest<D: Descriptor>() -> u32 {
    u32::try_from(D::Contract::WIRE_SIZES.len()).unwrap_or(u32::MAX)
}

/// The value of bytes of a version, which were found to be one.
fn completed<D: Descriptor>(bytes: &[u8], version: u32) -> D {
    let mut kept = D::Contract::ZEROED;
    match D::Contract::SHAPE.growth {
        Some(growth) if version < newest::<D>() => growth.complete(kept.as_mut(), bytes, version.into()),
        _ => kept.as_mut().copy_from_slice(bytes),
    }
    D::of(Image::of(D::LAYOUT, kept))
}

/// `read_prefix`.
pub(crate) fn read_prefix<'py, D: Descriptor>(data: &Bound<'py, PyAny>) -> PyResult<(D, Bound<'py, PyAny>)> {
    let py = data.py();
    let view = buffer::view(data)?;
    let mut head = D::Contract::ZEROED;
    let buffer = Held::new(&view)?;
    buffer.copy_to(head.as_mut());
    let (length, whole) = (buffer.length(), D::LAYOUT.size);
    drop(buffer);
    let head = &head.as_ref()[..length.min(whole)];
    let size = match D::GROWN.and_then(|grown| grown.prefix) {
        Some(prefix) => found(py, prefix(head))?,
        None if length < whole => return Err(wrong_size(py, D::LAYOUT.name, length, whole)),
        None => whole,
    };
    Ok((found(py, read(&head[..size]))?, buffer::rest(&view, size)?))
}

/// The value that bytes begin with, and how many of them it takes.
#[allow(dead_code, reason = "no message that ships begins with a descriptor")]
pub(crate) fn prefixed<'py, D: Descriptor>(
    py: Python<'py>,
    bytes: &[u8],
) -> PyResult<(Bound<'py, PyAny>, usize)> {
    let size = match D::GROWN.and_then(|grown| grown.prefix) {
        Some(prefix) => found(py, prefix(bytes))?,
        None => D::LAYOUT.size.min(bytes.len()),
    };
    let value: D = found(py, read(&bytes[..size]))?;
    Ok((Bound::new(py, value)?.into_any(), size))
}

/// `version_of`.
pub(crate) fn version_of<D: Descriptor>(data: &Bound<'_, PyAny>) -> PyResult<u32> {
    let bytes = buffer::all(data)?;
    match D::GROWN {
        Some(grown) => found(data.py(), (grown.version_of)(&bytes)),
        None => Ok(newest::<D>()),
    }
}

/// `to_bytes`.
pub(crate) fn to_bytes<'py, D: Descriptor>(py: Python<'py>, this: &D) -> Bound<'py, PyBytes> {
    PyBytes::new(py, this.image().written())
}

/// `to_bytes` of a version.
pub(crate) fn to_bytes_of<'py, D: Descriptor>(
    py: Python<'py>,
    this: &D,
    version: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (Some(version), Some(grown)) = (version, D::GROWN) else { return Ok(to_bytes(py, this)) };
    let at = Place { contract: D::LAYOUT.name, field: "", offset: 0 };
    let number = put::index(version, "an integer", at)?;
    let known = put::integer(&number).and_then(|number| u32::try_from(number).ok());
    let newest = newest::<D>();
    let Some(version) = known.filter(|version| (1..=newest).contains(version)) else {
        let expected = Expected::Version(newest.into()).to_string();
        return Err(at.refuse(py, Code::UnsupportedVersion, &expected, put::shown(&number)?));
    };
    let mut bytes = D::Contract::ZEROED;
    let length = found(py, (grown.write)(this.image().written(), version, bytes.as_mut()))?;
    Ok(PyBytes::new(py, &bytes.as_ref()[..length]))
}

/// The value, as it is declared: an image is of one.
pub(crate) fn declared<D: Descriptor>(this: &D) -> D::Contract {
    D::Contract::decode(this.image().written(), Endian::Little)
}

/// `validate_import`.
pub(crate) fn validate_import<D: Descriptor>(py: Python<'_>, this: &D) -> PyResult<()> {
    found(py, declared(this).validate_import())
}

/// The value of a field.
pub(crate) fn value<'py, D: Descriptor>(
    py: Python<'py>,
    this: &D,
    field: usize,
) -> PyResult<Bound<'py, PyAny>> {
    get(py, D::LAYOUT, this.image().kept(), &D::LAYOUT.fields[field])
}

/// `__eq__`: as the fields are, one by one.
pub(crate) fn is_equal<D: Descriptor>(py: Python<'_>, this: &D, other: &D) -> PyResult<bool> {
    let (kept, others) = (this.image().kept(), other.image().kept());
    if !D::LAYOUT.has_floats || ptr::eq(this, other) {
        return Ok(kept == others);
    }
    // No NaN is equal to another, and both zeros are.
    fields(py, this)?.eq(fields(py, other)?)
}

/// `__hash__`.
pub(crate) fn hash<D: Descriptor>(this: &D) -> u64 {
    let mut kept = D::Contract::ZEROED;
    kept.as_mut().copy_from_slice(this.image().kept());
    unsign(D::LAYOUT, kept.as_mut());
    let mut hasher = DefaultHasher::new();
    hasher.write(kept.as_ref());
    hasher.finish()
}

/// Makes zeros of one sign, which are equal.
fn unsign(layout: &Layout, image: &mut [u8]) {
    if !layout.has_floats {
        return;
    }
    for field in layout.fields {
        let unsigned = match field.element {
            Element::Scalar(Scalar::F32) => u64::from(u32::MAX >> 1),
            Element::Scalar(Scalar::F64) => u64::MAX >> 1,
            Element::Descriptor(layout) => {
                field.of_mut(image).chunks_exact_mut(layout.size).for_each(|bytes| unsign(layout, bytes));
                continue;
            }
            _ => continue,
        };
        for bytes in field.of_mut(image).chunks_exact_mut(field.element.size()) {
            if bits(bytes, field.endian) & unsigned == 0 {
                put_bits(bytes, field.endian, 0);
            }
        }
    }
}

/// The fields that are kept.
fn kept<D: Descriptor>() -> impl Iterator<Item = &'static Field> {
    D::LAYOUT.fields.iter().filter(|field| field.is_kept())
}

fn fields<'py, D: Descriptor>(py: Python<'py>, this: &D) -> PyResult<Bound<'py, PyTuple>> {
    let values = kept::<D>().map(|field| get(py, D::LAYOUT, this.image().kept(), field));
    PyTuple::new(py, values.collect::<PyResult<Vec<_>>>()?)
}

fn arguments<'py, D: Descriptor>(py: Python<'py>, this: &D) -> PyResult<Bound<'py, PyDict>> {
    let arguments = PyDict::new(py);
    for field in kept::<D>() {
        arguments.set_item(field.attribute, get(py, D::LAYOUT, this.image().kept(), field)?)?;
    }
    Ok(arguments)
}

/// `__repr__`.
pub(crate) fn repr<D: Descriptor>(py: Python<'_>, this: &D) -> PyResult<String> {
    let mut text = format!("{}(", D::LAYOUT.class);
    for (index, field) in kept::<D>().enumerate() {
        let value = get(py, D::LAYOUT, this.image().kept(), field)?.repr()?;
        let comma = if index == 0 { "" } else { ", " };
        text.extend([comma, field.attribute, "=", &value.to_cow()?]);
    }
    text.push(')');
    Ok(text)
}

/// `__replace__`: the same with other values of some fields, which are checked as the constructor does.
pub(crate) fn replace<'py, D: Descriptor>(
    py: Python<'py>,
    this: &D,
    changes: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = arguments(py, this)?;
    if let Some(changes) = changes {
        arguments.update(changes.as_mapping())?;
    }
    py.get_type::<D>().call((), Some(&arguments))
}

/// `__reduce__`: the bytes, which are checked when they are loaded; the fields, where the bytes do not say all.
pub(crate) fn reduce<'py, D: Descriptor>(
    py: Python<'py>,
    this: &D,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let class = py.get_type::<D>();
    if this.image().is_newest() {
        let bytes = to_bytes(py, this);
        return Ok((class.getattr("from_bytes")?, PyTuple::new(py, [bytes])?));
    }
    let new = py.import("copyreg")?.getattr("__newobj_ex__")?;
    let parts = [class.into_any(), PyTuple::empty(py).into_any(), arguments(py, this)?.into_any()];
    Ok((new, PyTuple::new(py, parts)?))
}

/// `__getbuffer__`: the bytes that are written, to be read.
///
/// # Safety
/// `view` is null or can be written.
pub(crate) unsafe fn get_buffer<D: Descriptor>(
    this: &Bound<'_, D>,
    view: *mut ffi::Py_buffer,
    flags: i32,
) -> PyResult<()> {
    let bytes = this.get().image().written();
    let length = ffi::Py_ssize_t::try_from(bytes.len()).unwrap_or(ffi::Py_ssize_t::MAX);
    // SAFETY: the bytes live, and stay as they are, as long as the object does, which the view then holds; they are
    // given to be read only.
    let status = unsafe {
        ffi::PyBuffer_FillInfo(view, this.as_ptr(), bytes.as_ptr().cast_mut().cast(), length, 1, flags)
    };
    if status == 0 { Ok(()) } else { Err(PyErr::fetch(this.py())) }
}
