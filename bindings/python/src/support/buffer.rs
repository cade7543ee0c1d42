//! The bytes of whatever has the buffer protocol.

use std::ops::Deref;
use std::ptr;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PySlice};

use crate::exported::{Exported, in_place};

/// Bytes that nobody else changes.
pub(crate) enum Bytes<'a> {
    /// Those of a `bytes`.
    Shared(&'a [u8]),
    /// A copy.
    Own(Vec<u8>),
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Shared(bytes) => bytes,
            Bytes::Own(bytes) => bytes,
        }
    }
}

/// The bytes of an object's C-contiguous buffer, held; those of a `bytearray` are there until code of Python's runs.
pub(crate) enum Held {
    Exported(Exported),
    InPlace(*mut [u8]),
}

impl Held {
    /// The bytes of any C-contiguous buffer, whatever its items are.
    ///
    /// # Errors
    /// `TypeError` for what has no buffer, or none that is C-contiguous; what the object raised.
    pub(crate) fn new(data: &Bound<'_, PyAny>) -> PyResult<Held> {
        if let Some(bytes) = in_place(data) {
            return Ok(Held::InPlace(bytes));
        }
        Exported::of(data, ffi::PyBUF_SIMPLE).map(Held::Exported).map_err(|error| {
            if error.is_instance_of::<PyBufferError>(data.py()) {
                scattered(data).unwrap_or(error)
            } else {
                error
            }
        })
    }

    /// How many bytes there are.
    pub(crate) fn length(&self) -> usize {
        match self {
            Held::Exported(buffer) => buffer.length(),
            Held::InPlace(bytes) => bytes.len(),
        }
    }

    fn start(&self) -> *const u8 {
        match self {
            Held::Exported(buffer) => buffer.buf.cast(),
            Held::InPlace(bytes) => bytes.cast(),
        }
    }

    /// A copy of all bytes.
    pub(crate) fn all(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.length()];
        self.copy_to(&mut bytes);
        bytes
    }

    /// Copies as many of the first bytes as there is room for.
    pub(crate) fn copy_to(&self, room: &mut [u8]) {
        let length = room.len().min(self.length());
        if length > 0 {
            // SAFETY: as many bytes are there while the buffer is held. Another thread may write them meanwhile, as of
            // any buffer that Python shares; each is copied once, and only the copy is looked at.
            unsafe { ptr::copy_nonoverlapping(self.start(), room.as_mut_ptr(), length) };
        }
    }
}

/// That a buffer is not contiguous, where that is why it was refused.
#[cold]
fn scattered(data: &Bound<'_, PyAny>) -> Option<PyErr> {
    let view = PyMemoryView::from(data).ok()?;
    let is_contiguous: bool = view.getattr("c_contiguous").ok()?.extract().ok()?;
    (!is_contiguous).then(|| PyTypeError::new_err("expected a C-contiguous buffer"))
}

/// All bytes; those of a `bytes` as they are.
pub(crate) fn all<'a>(data: &'a Bound<'_, PyAny>) -> PyResult<Bytes<'a>> {
    if let Ok(bytes) = data.cast_exact::<PyBytes>() {
        return Ok(Bytes::Shared(bytes.as_bytes()));
    }
    Ok(Bytes::Own(Held::new(data)?.all()))
}

/// A view of the bytes, as numbers of one byte.
pub(crate) fn view<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = data.py();
    let view = PyMemoryView::from(data)?.into_any();
    if !view.getattr("c_contiguous")?.extract::<bool>()? {
        return Err(PyTypeError::new_err("expected a C-contiguous buffer"));
    }
    if view.getattr("ndim")?.extract::<usize>()? == 1 && view.getattr("format")?.eq("B")? {
        return Ok(view);
    }
    if view.getattr("nbytes")?.extract::<usize>()? == 0 {
        // Python casts no view of an empty shape.
        return Ok(PyMemoryView::from(PyBytes::new(py, b"").as_any())?.into_any());
    }
    view.call_method1("cast", ("B",))
}

/// What stands behind the first bytes of a view.
pub(crate) fn rest<'py>(view: &Bound<'py, PyAny>, start: usize) -> PyResult<Bound<'py, PyAny>> {
    // `PySlice::new` keeps the numbers that it makes for ever.
    let slice = view.py().get_type::<PySlice>().call1((start, view.py().None()))?;
    view.get_item(slice)
}
