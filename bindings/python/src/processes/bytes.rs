//! Bytes of Python's that a call of the kernel's reads or fills, while other threads run.

use std::ffi::c_int;
use std::io::IoSlice;
use std::slice;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::pure::named;

/// The bytes of an object, which stays as it is: bytes, or whatever exports a buffer without gaps.
pub(super) enum Bytes<'py> {
    Bytes(Bound<'py, PyBytes>),
    Buffer(Buffer),
}

impl<'py> Bytes<'py> {
    /// Those of an object; what has none is refused as the pure package does.
    pub(super) fn of(object: &Bound<'py, PyAny>) -> PyResult<Bytes<'py>> {
        if let Ok(bytes) = object.cast_exact::<PyBytes>() {
            return Ok(Bytes::Bytes(bytes.clone()));
        }
        Buffer::of(object, ffi::PyBUF_SIMPLE).map(Bytes::Buffer).or_else(|error| {
            // The pure package reads it as a memoryview of bytes, and says so where it is none.
            let view = named(object.py(), "builtins", "memoryview")?.call1((object,))?;
            view.call_method1("cast", ("B",))?;
            Err(error)
        })
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Bytes(bytes) => bytes.as_bytes(),
            Bytes::Buffer(buffer) => buffer.as_slice(),
        }
    }
}

/// The parts of a body as the kernel takes them.
pub(super) fn parts<'a>(body: &'a [Bytes<'_>]) -> Vec<IoSlice<'a>> {
    body.iter().map(|part| IoSlice::new(part.as_slice())).collect()
}

/// A buffer that another object exports, until this is dropped by a thread that is attached.
pub(super) struct Buffer(Box<ffi::Py_buffer>);

impl Buffer {
    fn of(object: &Bound<'_, PyAny>, flags: c_int) -> PyResult<Buffer> {
        let mut view = Box::new(ffi::Py_buffer::new());
        // SAFETY: an object that lives, and a place that does not move.
        match unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, flags) } {
            0 => Ok(Buffer(view)),
            _ => Err(PyErr::fetch(object.py())),
        }
    }

    /// One that may be written; another one is refused as the pure package does.
    pub(super) fn writable(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
        Buffer::of(object, ffi::PyBUF_SIMPLE | ffi::PyBUF_WRITABLE).or_else(|error| {
            named(object.py(), "wirecontract.handoff._channel", "writable")?.call1((object,))?;
            Err(error)
        })
    }

    fn length(&self) -> usize {
        if self.0.buf.is_null() { 0 } else { usize::try_from(self.0.len).unwrap_or(0) }
    }

    fn start(&self) -> *mut u8 {
        match self.length() {
            0 => std::ptr::dangling_mut(),
            _ => self.0.buf.cast(),
        }
    }

    fn as_slice(&self) -> &[u8] {
        // SAFETY: so many bytes without gaps, which the object keeps for as long as it exports them. They are read by the
        // kernel, or copied: of what somebody writes meanwhile any mixture of old and new bytes is sent.
        unsafe { slice::from_raw_parts(self.start(), self.length()) }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, of bytes that may be written. They are written by the kernel, or copied to: of what somebody
        // reads meanwhile any mixture of old and new bytes is read.
        unsafe { slice::from_raw_parts_mut(self.start(), self.length()) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: filled in by the object's own function, and given back once; it is dropped where Python called.
        unsafe { ffi::PyBuffer_Release(&raw mut *self.0) };
    }
}
