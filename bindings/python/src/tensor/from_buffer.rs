//! Tensors in the memory of Python's buffers.

use std::ffi::CStr;
use std::slice;

use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use wirecontract_tensor::{CPU, DLDataType, View, element};

use super::memory::{Extent, Keeper, Kept};
use super::{Tensor, view_error, word};
use crate::exported::Exported;

/// How the bytes of a buffer are to be read.
pub(super) struct Asked<'a> {
    pub(super) shape: Option<&'a [i64]>,
    pub(super) dtype: Option<DLDataType>,
    pub(super) strides: Option<&'a [i64]>,
    pub(super) offset: usize,
    pub(super) readonly: Option<bool>,
}

impl Asked<'_> {
    /// Whether the buffer's own geometry is the tensor's.
    fn is_the_buffers(&self) -> bool {
        self.shape.is_none() && self.dtype.is_none() && self.strides.is_none() && self.offset == 0
    }
}

/// A buffer, whose numbers are looked at.
pub(super) struct Source(Exported);

pub(super) fn buffer_error(text: String) -> PyErr {
    PyBufferError::new_err(text)
}

impl Source {
    /// Shows Python's collector the object whose buffer it is.
    ///
    /// # Errors
    /// What the collector said.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let object = &raw const self.0.obj;
        // SAFETY: `Py` is a pointer to an object and nothing else, which the buffer keeps, or NULL.
        visit.call(unsafe { &*object.cast::<Option<Py<PyAny>>>() })
    }

    fn rank(&self) -> usize {
        usize::try_from(self.0.ndim).unwrap_or(0)
    }

    fn numbers(&self, pointer: *const ffi::Py_ssize_t) -> Option<&[ffi::Py_ssize_t]> {
        // SAFETY: NULL, or as many numbers as there are dimensions.
        (!pointer.is_null()).then(|| unsafe { slice::from_raw_parts(pointer, self.rank()) })
    }

    /// The word for its elements, and the type where it is one.
    fn element(&self) -> (String, Option<DLDataType>) {
        let word = if self.0.format.is_null() {
            "B".to_owned()
        } else {
            // SAFETY: a C string that the exporter keeps.
            unsafe { CStr::from_ptr(self.0.format) }.to_string_lossy().into_owned()
        };
        let element = word::read(&word, usize::try_from(self.0.itemsize).unwrap_or(0));
        (word, element)
    }

    fn known_element(&self) -> PyResult<DLDataType> {
        let (word, element) = self.element();
        element.ok_or_else(|| {
            buffer_error(format!(
                "expected elements of one number in this machine's byte order, found the format {word:?} of {} bytes: say \
                 `dtype` to read the bytes of a contiguous buffer otherwise",
                self.0.itemsize
            ))
        })
    }
}

/// The tensor of a buffer.
pub(super) fn tensor(source: &Bound<'_, PyAny>, asked: &Asked<'_>) -> PyResult<Tensor> {
    let python = source.py();
    let flags = if asked.is_the_buffers() { ffi::PyBUF_FULL_RO } else { ffi::PyBUF_ND | ffi::PyBUF_FORMAT };
    let source = Source(Exported::of(source, flags)?);
    let is_read_only = source.0.readonly != 0;
    if asked.readonly == Some(false) && is_read_only {
        return Err(buffer_error(
            "expected a buffer that may be written to, found a read-only one: leave readonly=False out"
                .to_owned(),
        ));
    }
    let mut made = if asked.is_the_buffers() {
        as_it_is(python, &source)?
    } else {
        as_asked(python, &source, asked.shape, asked.dtype, asked.strides, asked.offset)?
    };
    made.is_read_only = is_read_only || asked.readonly == Some(true);
    made.kept = Keeper::new(Kept::Buffer(source));
    Ok(made)
}

fn as_it_is(python: Python<'_>, source: &Source) -> PyResult<Tensor> {
    let element = source.known_element()?;
    let suboffsets = source.numbers(source.0.suboffsets).unwrap_or_default();
    if suboffsets.iter().any(|offset| *offset >= 0) {
        return Err(buffer_error(
            "expected elements at strides, found a buffer of pointers (suboffsets): copy it first".to_owned(),
        ));
    }
    let signed =
        |numbers: &[ffi::Py_ssize_t]| -> Vec<i64> { numbers.iter().map(|number| *number as i64).collect() };
    let shape = match source.numbers(source.0.shape) {
        Some(shape) => signed(shape),
        None if source.rank() == 0 => Vec::new(),
        None => vec![(source.0.len / source.0.itemsize.max(1)) as i64],
    };
    let view = View::new(source.0.buf, CPU, element, &shape).map_err(|error| view_error(python, error))?;
    let strides = match source.numbers(source.0.strides) {
        Some(bytes) if view.elements() > 0 => Some(in_elements(&shape, bytes, source.0.itemsize)?),
        _ => None,
    };
    let view = match &strides {
        Some(strides) => view.with_strides(strides).map_err(|error| view_error(python, error))?,
        None => view,
    };
    Tensor::of(&view, Kept::Nothing).map_err(|error| view_error(python, error))
}

/// Strides of bytes as strides of elements. Those of dimensions of one index say nothing.
fn in_elements(shape: &[i64], strides: &[ffi::Py_ssize_t], width: ffi::Py_ssize_t) -> PyResult<Vec<i64>> {
    let each = shape.iter().zip(strides).enumerate();
    each.map(|(axis, (&extent, &stride))| match (stride / width, stride % width) {
        (elements, 0) => Ok(elements as i64),
        (elements, _) if extent <= 1 => Ok(elements as i64),
        _ => Err(buffer_error(format!(
            "expected strides of whole elements of {width} bytes, found {stride} bytes in dimension {axis}: copy it first"
        ))),
    })
    .collect()
}

fn as_asked(
    python: Python<'_>,
    source: &Source,
    shape: Option<&[i64]>,
    dtype: Option<DLDataType>,
    strides: Option<&[i64]>,
    offset: usize,
) -> PyResult<Tensor> {
    let element = match dtype {
        Some(element) => element,
        None => source.known_element()?,
    };
    let extent = Extent { start: source.0.buf.cast(), bytes: source.0.length() };
    let all = match shape {
        Some(_) => [0],
        None => {
            let rest = extent.bytes.checked_sub(offset).ok_or_else(|| outside(extent.bytes, offset))?;
            [all(rest, offset, element)?]
        }
    };
    let view = within(python, extent, element, shape.unwrap_or(&all), strides, offset)?;
    Tensor::of(&view, Kept::Nothing).map_err(|error| view_error(python, error))
}

/// The view of elements in memory, the one of index 0 at `offset` bytes.
pub(super) fn within<'a>(
    python: Python<'_>,
    extent: Extent,
    element: DLDataType,
    shape: &'a [i64],
    strides: Option<&'a [i64]>,
    offset: usize,
) -> PyResult<View<'a>> {
    if offset > extent.bytes {
        return Err(outside(extent.bytes, offset));
    }
    let memory = (extent.start.cast(), extent.bytes);
    View::within(memory, offset, CPU, element, shape, strides).map_err(|error| view_error(python, error))
}

#[cold]
fn outside(bytes: usize, offset: usize) -> PyErr {
    PyValueError::new_err(format!("expected an offset within the {bytes} bytes, found {offset}"))
}

/// As many elements as there are in the rest of the bytes, from an offset on.
fn all(rest: usize, offset: usize, element: DLDataType) -> PyResult<i64> {
    match element::bytes(element) {
        Some(width) if rest.is_multiple_of(width) => Ok(i64::try_from(rest / width)?),
        Some(width) => Err(PyValueError::new_err(format!(
            "expected a whole number of elements of {width} bytes behind offset {offset}, found {rest} bytes: say `shape`"
        ))),
        None => Err(PyValueError::new_err(format!(
            "expected `shape` beside elements of type {}, which are no whole bytes, found none",
            element::name(element)
        ))),
    }
}
