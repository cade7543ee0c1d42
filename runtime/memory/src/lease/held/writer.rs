//! Writing what is held.

use crate::host::{HostError, HostMapping};

/// Writes host memory that is held.
///
/// It gives nobody a `&mut HostMapping`, by which another mapping could be put in its place: what is unmapped when the
/// buffer is given back is what was lent.
#[derive(Debug)]
pub struct HostWriter<'a> {
    mapping: &'a mut HostMapping,
}

impl<'a> HostWriter<'a> {
    pub(super) fn new(mapping: &'a mut HostMapping) -> HostWriter<'a> {
        HostWriter { mapping }
    }

    /// As [`HostMapping::write_at`].
    ///
    /// # Errors
    /// The same.
    pub fn write_at(&mut self, position: u64, bytes: &[u8]) -> Result<(), HostError> {
        self.mapping.write_at(position, bytes)
    }

    /// As [`HostMapping::copy_from`].
    ///
    /// # Errors
    /// The same.
    pub fn copy_from(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        self.mapping.copy_from(bytes)
    }

    /// As [`HostMapping::as_mut_ptr`]. The pointer may be used for as long as the buffer is held.
    ///
    /// # Errors
    /// The same.
    pub fn as_mut_ptr(&mut self) -> Result<*mut u8, HostError> {
        self.mapping.as_mut_ptr()
    }

    /// As [`HostMapping::as_mut_slice`].
    ///
    /// # Safety
    /// The same.
    ///
    /// # Errors
    /// The same.
    pub unsafe fn as_mut_slice(&mut self) -> Result<&mut [u8], HostError> {
        // SAFETY: the caller promises what it takes.
        unsafe { self.mapping.as_mut_slice() }
    }
}
