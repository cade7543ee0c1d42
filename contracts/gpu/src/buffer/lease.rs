//! Offers, and the buffers in them.

use core::fmt;

use wirecontract::{Code, WireContract as _, WireError};

use super::{BufferKind, GeometryError, MemoryAfter, Offer, SharedBuffer};

/// Why a buffer is not to be offered, or an offered one not to be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OfferError {
    /// The buffer is not as it must be.
    Wire(WireError),
    /// Its tensor is not within it.
    Geometry(GeometryError),
    /// The offer says another number of file descriptors than the buffer's kind has.
    FdCount {
        /// The kind.
        kind: BufferKind,
        /// How many the offer says that there are.
        fds: u32,
    },
}

impl OfferError {
    /// The code of the refusal.
    pub fn code(&self) -> Code {
        match self {
            OfferError::Wire(error) => error.code,
            OfferError::Geometry(error) => error.code(),
            OfferError::FdCount { .. } => Code::FdCount,
        }
    }
}

impl From<WireError> for OfferError {
    fn from(error: WireError) -> OfferError {
        OfferError::Wire(error)
    }
}

impl From<GeometryError> for OfferError {
    fn from(error: GeometryError) -> OfferError {
        OfferError::Geometry(error)
    }
}

impl fmt::Display for OfferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OfferError::Wire(error) => error.fmt(f),
            OfferError::Geometry(error) => error.fmt(f),
            OfferError::FdCount { kind, fds } => {
                let expected = if kind.fds() == 0 { "no file descriptor" } else { "one file descriptor" };
                write!(f, "expected {expected} beside the buffer, found {fds}: send what its kind has")
            }
        }
    }
}

impl core::error::Error for OfferError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            OfferError::Wire(error) => Some(error),
            OfferError::Geometry(error) => Some(error),
            OfferError::FdCount { .. } => None,
        }
    }
}

impl Offer {
    /// The offer of a buffer, with as many file descriptors as its kind has.
    ///
    /// # Errors
    /// For a buffer that no importer may use.
    pub fn new(lease_id: u64, buffer: &SharedBuffer) -> Result<Offer, OfferError> {
        let bytes = buffer.to_bytes()?;
        check(buffer)?;
        Ok(Offer { lease_id, buffer: bytes.into(), fds: fds(buffer.kind) })
    }

    /// The buffer that is offered, as an importer may use it: its rules hold, and of a tensor every element is within
    /// it.
    ///
    /// How many file descriptors came with the message, the message's `validate_import` is told.
    ///
    /// # Errors
    /// For a buffer that no importer may use, and one of a kind that has another number of file descriptors.
    pub fn shared_buffer(&self) -> Result<SharedBuffer, OfferError> {
        let buffer = SharedBuffer::from_bytes(&self.buffer)?;
        check(&buffer)?;
        if self.fds != fds(buffer.kind) {
            return Err(OfferError::FdCount { kind: buffer.kind, fds: self.fds });
        }
        Ok(buffer)
    }
}

/// What rules and geometry say of a buffer.
fn check(buffer: &SharedBuffer) -> Result<(), OfferError> {
    buffer.validate_import()?;
    if !buffer.element.is_untyped() {
        buffer.geometry()?;
    }
    Ok(())
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 or 1")]
fn fds(kind: BufferKind) -> u32 {
    kind.fds() as u32
}

impl MemoryAfter {
    /// What may be done with memory of that kind when its exporter is gone and said nothing.
    pub const fn of(kind: BufferKind) -> MemoryAfter {
        if kind.outlives_exporter() { MemoryAfter::Stays } else { MemoryAfter::Gone }
    }
}
