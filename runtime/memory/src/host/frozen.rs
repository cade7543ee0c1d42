//! A buffer that nobody writes any more.

use std::ops::Deref;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{SealFlags, fcntl_add_seals};
use rustix::io::Errno;
use wirecontract_gpu::buffer::SharedBuffer;

use super::map::{Map, Protection};
use super::span::Span;
use super::{Access, HostError, Import, Pages, reopen, shared};

/// A buffer that nobody writes any more, of the process that made it.
///
/// The kernel refuses every write, of whoever has a descriptor or makes a mapping: so it is `&[u8]`.
///
/// ```
/// use wirecontract_runtime::host::{HostBuffer, HostMapping, HostOptions};
///
/// # fn main() -> Result<(), wirecontract_runtime::host::HostError> {
/// let mut buffer = HostBuffer::create(&HostOptions::new(5))?;
/// buffer.copy_from(b"table")?;
/// let frozen = buffer.freeze()?;
/// assert_eq!(&*frozen, b"table");
///
/// let mapping = HostMapping::import(frozen.try_clone_fd()?, &frozen.describe())?;
/// assert_eq!(mapping.bytes(), Some(&b"table"[..]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct FrozenBuffer {
    map: Map,
    fd: OwnedFd,
    numbers: Import,
    id: u64,
}

impl FrozenBuffer {
    /// What a consumer imports it with, beside the descriptor.
    pub fn describe(&self) -> Import {
        self.numbers
    }

    /// The same as the contract of buffers that cross processes has it, as [`HostBuffer::shared`](super::HostBuffer::shared)
    /// does, with the number that the buffer had.
    pub fn shared(&self) -> SharedBuffer {
        shared::describe(&self.numbers, self.id)
    }

    /// A descriptor to send to a consumer; it only reads, and is close-on-exec.
    ///
    /// # Errors
    /// [`Os`](HostError::Os): no descriptors are left, or `/proc` is not mounted.
    pub fn try_clone_fd(&self) -> Result<OwnedFd, HostError> {
        reopen::read_only(self.fd.as_fd())
    }

    /// The descriptor of [`try_clone_fd`](Self::try_clone_fd), without the buffer.
    ///
    /// # Errors
    /// As [`try_clone_fd`](Self::try_clone_fd).
    pub fn into_fd(self) -> Result<OwnedFd, HostError> {
        self.try_clone_fd()
    }
}

impl Deref for FrozenBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the file was sealed against writing, which the kernel does only while nobody has a writable mapping or
        // its pages, and takes back never.
        unsafe { self.map.slice() }
    }
}

impl AsRef<[u8]> for FrozenBuffer {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// Why a buffer was not frozen, and its descriptor.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct FreezeError {
    /// Why.
    pub error: HostError,
    /// The memfd of the buffer, open for reading and writing. With the numbers of the buffer it can be imported.
    pub fd: OwnedFd,
}

impl From<FreezeError> for HostError {
    fn from(refused: FreezeError) -> HostError {
        refused.error
    }
}

/// Seals a memfd that this process maps no more against writing, and maps it for reading.
pub(super) fn freeze(
    fd: OwnedFd,
    span: Span,
    numbers: Import,
    pages: Pages,
    id: u64,
) -> Result<FrozenBuffer, FreezeError> {
    if let Err(errno) = fcntl_add_seals(&fd, SealFlags::WRITE) {
        let error = match errno {
            Errno::BUSY => HostError::StillWritten,
            // By the options, or by a consumer: who may write a memfd may also seal it.
            Errno::PERM => HostError::FinalSeals,
            other => HostError::os("sealing a memfd against writing")(other),
        };
        return Err(FreezeError { error, fd });
    }
    match map(fd.as_fd(), span, pages) {
        Ok(map) => {
            let numbers = Import { access: Access::ReadOnly, ..numbers };
            Ok(FrozenBuffer { map, fd, numbers, id })
        }
        Err(error) => Err(FreezeError { error, fd }),
    }
}

/// Maps what is sealed against writing.
fn map(fd: BorrowedFd<'_>, span: Span, pages: Pages) -> Result<Map, HostError> {
    let reader;
    let (fd, protection) = match pages {
        Pages::Ordinary | Pages::Advised => (fd, Protection::Frozen),
        // Of huge pages the kernel would reserve a second set for a private mapping; a shared one takes a descriptor that
        // only reads.
        Pages::Huge { .. } => {
            reader = reopen::read_only(fd)?;
            (reader.as_fd(), Protection::Read)
        }
    };
    // SAFETY: the file is sealed against shrinking since it was made, with the buffer inside, and now against writing.
    unsafe { Map::new(fd, span, protection, false) }.map_err(HostError::os("mapping a memfd"))
}
