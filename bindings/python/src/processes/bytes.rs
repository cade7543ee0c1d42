//! Bytes of Python's that a call of the kernel's reads or fills, while other threads run.

use std::io::IoSlice;
use std::slice;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::fd::Few;
use super::pure::named;
use crate::exported::Exported;

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
        Exported::of(object, ffi::PyBUF_SIMPLE).map(|buffer| Bytes::Buffer(Buffer(buffer))).or_else(|error| {
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
pub(super) fn parts<'a>(body: &'a [Bytes<'_>]) -> Few<IoSlice<'a>> {
    body.iter().map(|part| IoSlice::new(part.as_slice())).collect()
}

/// A buffer of bytes.
pub(super) struct Buffer(Exported);

impl Buffer {
    /// One that may be written; another one is refused as the pure package does.
    pub(super) fn writable(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
        Exported::of(object, ffi::PyBUF_SIMPLE | ffi::PyBUF_WRITABLE).map(Buffer).or_else(|error| {
            named(object.py(), "wirecontract.handoff._channel", "writable")?.call1((object,))?;
            Err(error)
        })
    }

    fn length(&self) -> usize {
        if self.0.buf.is_null() { 0 } else { self.0.length() }
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
