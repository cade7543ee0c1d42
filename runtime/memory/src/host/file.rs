//! A buffer of a foreign exporter, read without a mapping.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::SealFlags;
use rustix::io::{Errno, pread, pwrite};

use super::check::{AGAINST_WRITING, check, memory};
use super::{Access, Barrier, HostError, HostMapping, Import};

const READING: &str = "reading a file of memory";
const WRITING: &str = "writing a file of memory";

/// A buffer in a file of memory that its exporter may not have sealed, as one of `shm_open`.
///
/// Such a file may be made shorter at any time, and a mapping of it would end this process. So it has no pointer: every
/// copy is a system call, which says that bytes are gone instead.
///
/// ```
/// use wirecontract_runtime::host::{HostError, HostFile, HostMapping, Import};
///
/// fn first_byte(fd: std::os::fd::OwnedFd, numbers: &Import) -> Result<u8, HostError> {
///     let file = HostFile::import(fd, numbers)?;
///     let mut byte = [0];
///     if file.is_sealed()? {
///         file.map()?.read_at(0, &mut byte)?;
///     } else {
///         file.read_at(0, &mut byte)?;
///     }
///     Ok(byte[0])
/// }
/// ```
#[derive(Debug)]
pub struct HostFile {
    fd: OwnedFd,
    import: Import,
}

impl HostFile {
    /// Takes a buffer that need not be sealed. All else is looked at as [`HostMapping::import`] does; the size can be
    /// another one the next moment.
    ///
    /// # Errors
    /// As [`HostMapping::import`], but for [`NotSealed`](HostError::NotSealed). The descriptor is closed then.
    pub fn import(fd: OwnedFd, import: &Import) -> Result<HostFile, HostError> {
        check(fd.as_fd(), import, false)?;
        Ok(HostFile { fd, import: *import })
    }

    /// Whether it can be mapped: it is sealed against shrinking by now.
    ///
    /// # Errors
    /// [`Os`](HostError::Os).
    pub fn is_sealed(&self) -> Result<bool, HostError> {
        Ok(memory(self.fd.as_fd())?.contains(SealFlags::SHRINK))
    }

    /// Maps it, if it is sealed.
    ///
    /// # Errors
    /// As [`HostMapping::import`]. The descriptor is closed then.
    pub fn map(self) -> Result<HostMapping, HostError> {
        HostMapping::import(self.fd, &self.import)
    }

    /// Bytes of the buffer.
    pub fn size(&self) -> u64 {
        self.import.size
    }

    /// What it was imported with.
    pub fn describe(&self) -> Import {
        self.import
    }

    /// The descriptor that was imported.
    pub fn into_fd(self) -> OwnedFd {
        self.fd
    }

    /// Copies the `out.len()` bytes at `position`, in bytes from the start of the buffer.
    ///
    /// # Errors
    /// [`OutOfBounds`](HostError::OutOfBounds): they are not all inside; nothing is copied.
    /// [`Shrunk`](HostError::Shrunk): the file has them no more; those before that are copied.
    pub fn read_at(&self, position: u64, out: &mut [u8]) -> Result<(), HostError> {
        let mut at = self.place(position, out.len())?;
        let mut rest = out;
        while !rest.is_empty() {
            match pread(&self.fd, &mut *rest, at) {
                Ok(0) => return Err(self.shrunk(at, rest.len())),
                Ok(read) => {
                    at += read as u64;
                    rest = &mut rest[read..];
                }
                Err(Errno::INTR) => {}
                Err(errno) => return Err(HostError::os(READING)(errno)),
            }
        }
        Ok(())
    }

    /// Writes `bytes` at `position`, in bytes from the start of the buffer.
    ///
    /// # Errors
    /// [`OutOfBounds`](HostError::OutOfBounds): they are not all inside. [`Access`](HostError::Access): it was imported
    /// for reading. Nothing is written then. Of what its exporter did since, [`Access`](HostError::Access) says that it was
    /// sealed against writing, [`Shrunk`](HostError::Shrunk) that it was made shorter and cannot grow again.
    pub fn write_at(&mut self, position: u64, bytes: &[u8]) -> Result<(), HostError> {
        let barred = |barrier| HostError::Access { wanted: Access::ReadWrite, barrier };
        if self.import.access == Access::ReadOnly {
            return Err(barred(Barrier::ImportedReadOnly));
        }
        let mut at = self.place(position, bytes.len())?;
        let mut rest = bytes;
        while !rest.is_empty() {
            match pwrite(&self.fd, rest, at) {
                Ok(0) => return Err(HostError::os(WRITING)(Errno::IO)),
                Ok(written) => {
                    at += written as u64;
                    rest = &rest[written..];
                }
                Err(Errno::INTR) => {}
                Err(Errno::PERM) if memory(self.fd.as_fd())?.intersects(AGAINST_WRITING) => {
                    return Err(barred(Barrier::SealedAgainstWriting));
                }
                // What is shorter and sealed against growing takes nothing behind its end.
                Err(Errno::PERM) => return Err(self.shrunk(at, rest.len())),
                Err(errno) => return Err(HostError::os(WRITING)(errno)),
            }
        }
        Ok(())
    }

    /// Where a copy begins in the file; refused when it is not all inside the buffer.
    fn place(&self, position: u64, length: usize) -> Result<u64, HostError> {
        let (length, size) = (length as u64, self.import.size);
        match position.checked_add(length) {
            // The end of the buffer was within 64 bits when it was imported.
            Some(end) if end <= size => Ok(self.import.offset + position),
            _ => Err(HostError::OutOfBounds { position, length, size }),
        }
    }

    /// The file ends at `at`, before the last of so many bytes.
    fn shrunk(&self, at: u64, left: usize) -> HostError {
        HostError::Shrunk { position: at - self.import.offset, length: left as u64 }
    }
}
