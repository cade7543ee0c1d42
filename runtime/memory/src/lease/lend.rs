//! What is lent.

use std::fmt;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use wirecontract_gpu::buffer::{ElementType, SharedBuffer};

use super::Error;
use crate::host::{FrozenBuffer, HostBuffer, PooledBuffer};

/// What is kept for as long as a lease lasts.
pub(super) type Owner = Arc<dyn Send + Sync>;

/// A buffer to be lent: its descriptor, its file descriptors, and what is to be kept until every lease on it is over.
///
/// One may be offered many times, to one consumer or to many; clones share the file descriptors and the owner.
#[derive(Clone)]
pub struct Lend {
    buffer: SharedBuffer,
    fds: Arc<[OwnedFd]>,
    owner: Option<Owner>,
}

impl Lend {
    /// A buffer of host memory. Who has it keeps the file's memory; that nobody writes it meanwhile is its owner's
    /// to see to, or [`owner`](Self::owner)'s.
    ///
    /// # Errors
    /// [`Error::Host`]: no file descriptor is left.
    pub fn host(buffer: &HostBuffer) -> Result<Lend, Error> {
        Ok(Lend::memfd(buffer.shared(), buffer.try_clone_fd()?))
    }

    /// A buffer of a pool, which is used again only when every lease on it is over.
    ///
    /// # Errors
    /// [`Error::Host`]: no file descriptor is left.
    pub fn pooled(buffer: &PooledBuffer) -> Result<Lend, Error> {
        Ok(Lend::host(buffer)?.owner(buffer.hold()))
    }

    /// A buffer that nobody writes any more.
    ///
    /// # Errors
    /// [`Error::Host`]: no file descriptor is left.
    pub fn frozen(buffer: &FrozenBuffer) -> Result<Lend, Error> {
        Ok(Lend::memfd(buffer.shared(), buffer.try_clone_fd()?))
    }

    /// A buffer of whatever kind, and the file descriptors of its kind.
    ///
    /// # Errors
    /// [`Error::Offer`] for a buffer that no importer may use, [`Error::FdCount`].
    pub fn shared(buffer: SharedBuffer, fds: Vec<OwnedFd>) -> Result<Lend, Error> {
        let lend = Lend { buffer, fds: fds.into(), owner: None };
        lend.check()?;
        Ok(lend)
    }

    /// Keeps something until every lease on the buffer is over, and until this is dropped.
    #[must_use]
    pub fn owner(mut self, owner: impl Send + Sync + 'static) -> Lend {
        self.owner = Some(match self.owner.take() {
            Some(before) => Arc::new((before, owner)),
            None => Arc::new(owner),
        });
        self
    }

    /// Says which tensor is in the buffer: in row-major order without gaps, from its first byte on.
    ///
    /// # Errors
    /// [`Error::Offer`] where it is not within the buffer, or has more than 8 dimensions.
    pub fn tensor(mut self, element: ElementType, shape: &[i64]) -> Result<Lend, Error> {
        (self.buffer.element, self.buffer.byte_offset, self.buffer.strides_len) = (element, 0, 0);
        self.buffer.rank = u32::try_from(shape.len()).unwrap_or(u32::MAX);
        self.buffer.shape = [0; 8];
        self.buffer.shape.iter_mut().zip(shape).for_each(|(to, from)| *to = *from);
        self.check()?;
        Ok(self)
    }

    /// The buffer.
    pub fn buffer(&self) -> &SharedBuffer {
        &self.buffer
    }

    /// The buffer, for whatever else is to be said of it. What no importer may use is refused when it is offered.
    pub fn buffer_mut(&mut self) -> &mut SharedBuffer {
        &mut self.buffer
    }

    /// The file descriptors that go with it.
    pub fn fds(&self) -> &[OwnedFd] {
        &self.fds
    }

    pub(super) fn parts(&self) -> (Arc<[OwnedFd]>, Option<Owner>) {
        (Arc::clone(&self.fds), self.owner.clone())
    }

    /// Whether there are as many file descriptors as the kind has, and an importer may use it.
    ///
    /// # Errors
    /// [`Error::Offer`], [`Error::FdCount`].
    pub fn check(&self) -> Result<(), Error> {
        let offer = wirecontract_gpu::buffer::Offer::new(1, &self.buffer)?;
        let (expected, found) = (offer.fds as usize, self.fds.len());
        if expected == found { Ok(()) } else { Err(Error::FdCount { expected, found }) }
    }

    fn memfd(buffer: SharedBuffer, fd: OwnedFd) -> Lend {
        Lend { buffer, fds: Arc::new([fd]), owner: None }
    }
}

impl fmt::Debug for Lend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lend")
            .field("buffer", &self.buffer)
            .field("fds", &self.fds)
            .field("owned", &self.owner.is_some())
            .finish()
    }
}
