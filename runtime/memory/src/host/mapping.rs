//! A buffer of another process, mapped.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{SealFlags, fcntl_get_seals};

use super::check::check;
use super::map::{Map, Protection};
use super::{Access, HostError, Import};

/// A buffer that another process made, mapped here.
///
/// It owns the descriptor and the mapping: dropping it unmaps and closes. The memory lives for as long as anybody has
/// it, whatever becomes of its exporter.
#[derive(Debug)]
pub struct HostMapping {
    map: Map,
    fd: OwnedFd,
    import: Import,
    frozen: bool,
}

impl HostMapping {
    /// Maps a buffer, of which nothing is believed: the file is a memfd that nobody can shrink, has the size that was
    /// announced, and allows the access. Only the pages of the buffer are mapped, and none is touched: 4 GiB cost what
    /// 4 KiB cost.
    ///
    /// # Errors
    /// In this order: [`Kind`](HostError::Kind), [`NotSealed`](HostError::NotSealed), [`Access`](HostError::Access),
    /// [`Empty`](HostError::Empty), [`Range`](HostError::Range), [`TooLarge`](HostError::TooLarge),
    /// [`FileTooShort`](HostError::FileTooShort), and [`Os`](HostError::Os) for what the operating system refused. The
    /// descriptor is closed then.
    pub fn import(fd: OwnedFd, import: &Import) -> Result<HostMapping, HostError> {
        let checked = check(fd.as_fd(), import, true)?;
        let protection = match import.access {
            Access::ReadWrite => Protection::ReadWrite,
            // Of huge pages the kernel would reserve a second set for a private mapping.
            Access::ReadOnly if checked.frozen && !checked.huge => Protection::Frozen,
            Access::ReadOnly => Protection::Read,
        };
        // SAFETY: the file is sealed against shrinking, and its size was seen after that: the buffer is inside. With
        // `Frozen` it is sealed against writing as well.
        let map = unsafe { Map::new(fd.as_fd(), checked.span, protection, false) }
            .map_err(HostError::os("mapping a memfd"))?;
        Ok(HostMapping { map, fd, import: *import, frozen: checked.frozen })
    }

    /// Bytes of the buffer.
    pub fn size(&self) -> u64 {
        self.import.size
    }

    /// What it was imported with.
    pub fn describe(&self) -> Import {
        self.import
    }

    /// Another descriptor of the same file, with the access of the one that was imported, to be handed on; close-on-exec.
    ///
    /// # Errors
    /// [`Os`](HostError::Os): no descriptors are left.
    pub fn try_clone_fd(&self) -> Result<OwnedFd, HostError> {
        self.fd.try_clone().map_err(|error| HostError::Os {
            operation: "duplicating the descriptor of a memfd",
            errno: error.raw_os_error().unwrap_or_default(),
        })
    }

    /// The descriptor that was imported, without the mapping.
    pub fn into_fd(self) -> OwnedFd {
        self.fd
    }

    /// The first byte. [`size`](Self::size) bytes from it on are readable for as long as the mapping lives; the exporter
    /// may write them at any time. By pointers, threads of this process race as they do in any memory.
    pub fn as_ptr(&self) -> *const u8 {
        self.map.pointer()
    }

    /// The first byte, for writing; otherwise as [`as_ptr`](Self::as_ptr).
    ///
    /// # Errors
    /// [`Access`](HostError::Access): it was imported for reading.
    pub fn as_mut_ptr(&mut self) -> Result<*mut u8, HostError> {
        self.map.writable()?;
        Ok(self.map.pointer())
    }

    /// Copies the `out.len()` bytes at `position`, in bytes from the start of the buffer. Of bytes that the exporter
    /// writes meanwhile it gives any mixture of old and new ones.
    ///
    /// # Errors
    /// [`OutOfBounds`](HostError::OutOfBounds): they are not all inside; nothing is copied.
    pub fn read_at(&self, position: u64, out: &mut [u8]) -> Result<(), HostError> {
        self.map.read_at(position, out)
    }

    /// Writes `bytes` at `position`, in bytes from the start of the buffer.
    ///
    /// # Errors
    /// [`Access`](HostError::Access): it was imported for reading. [`OutOfBounds`](HostError::OutOfBounds): they are not
    /// all inside. Nothing is written then.
    pub fn write_at(&mut self, position: u64, bytes: &[u8]) -> Result<(), HostError> {
        self.map.write_at(position, bytes)
    }

    /// Copies the whole buffer to `out`, which has its size; otherwise as [`read_at`](Self::read_at).
    ///
    /// # Errors
    /// [`Length`](HostError::Length): it has another one; nothing is copied.
    pub fn copy_to(&self, out: &mut [u8]) -> Result<(), HostError> {
        self.map.span().whole(out.len())?;
        self.map.read_at(0, out)
    }

    /// Fills the whole buffer with `bytes`, which have its size.
    ///
    /// # Errors
    /// [`Length`](HostError::Length): they have another one. [`Access`](HostError::Access): it was imported for reading.
    /// Nothing is written then.
    pub fn copy_from(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        self.map.span().whole(bytes.len())?;
        self.map.write_at(0, bytes)
    }

    /// The buffer, if nobody writes it any more: its exporter [froze](super::HostBuffer::freeze) it, before or after it
    /// was imported.
    pub fn bytes(&self) -> Option<&[u8]> {
        let frozen =
            self.frozen || fcntl_get_seals(&self.fd).is_ok_and(|seals| seals.contains(SealFlags::WRITE));
        // SAFETY: the kernel seals against writing only while nobody has a writable mapping, this one included, and takes
        // it back never.
        frozen.then(|| unsafe { self.map.slice() })
    }

    /// The buffer.
    ///
    /// # Safety
    /// While the slice is used, nobody writes the buffer: not its exporter, no other consumer that may, no device, and
    /// nobody in this process by a pointer or by another mapping.
    pub unsafe fn as_slice(&self) -> &[u8] {
        // SAFETY: the caller promises what it takes.
        unsafe { self.map.slice() }
    }

    /// The buffer, for writing.
    ///
    /// # Safety
    /// While the slice is used, nobody else reads or writes the buffer: not its exporter, no other consumer, no device,
    /// and nobody in this process by a pointer or by another mapping.
    ///
    /// # Errors
    /// [`Access`](HostError::Access): it was imported for reading.
    pub unsafe fn as_mut_slice(&mut self) -> Result<&mut [u8], HostError> {
        self.map.writable()?;
        // SAFETY: the caller promises what it takes, and it is mapped for writing.
        Ok(unsafe { self.map.slice_mut() })
    }
}
