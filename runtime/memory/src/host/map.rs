//! A mapping of a file, which ends when it is dropped.

use std::os::fd::BorrowedFd;
use std::ptr::{self, NonNull};
use std::slice;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};

use super::span::Span;
use super::{Access, Barrier, HostError, volatile};

/// How a file is mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protection {
    /// For reading what others write.
    Read,
    /// For reading and writing, seen by others.
    ReadWrite,
    /// For reading what nobody writes any more. A private mapping has the file's own pages for as long as nobody writes
    /// it, and is the one kind that every kernel allows of a descriptor that is open for writing once the file is not.
    Frozen,
}

/// The pages of a buffer, mapped; unmapped when dropped.
#[derive(Debug)]
pub(super) struct Map {
    start: NonNull<u8>,
    span: Span,
    protection: Protection,
}

// SAFETY: a mapping belongs to the process and not to the thread that made it. Nothing here is bound to a thread.
unsafe impl Send for Map {}
// SAFETY: by `&Map` memory is only read; it is written by `&mut Map`, which no other thread has a part of. Raw pointers
// are used under the promises of who uses them.
unsafe impl Sync for Map {}

impl Map {
    /// Maps the pages; `populate` has them made and mapped at once, where the kernel can.
    ///
    /// # Safety
    /// The file reaches to the end of the buffer, and for as long as the mapping lives nobody can make it shorter. With
    /// [`Protection::Frozen`] nobody can write it either.
    pub(super) unsafe fn new(
        file: BorrowedFd<'_>,
        span: Span,
        protection: Protection,
        populate: bool,
    ) -> rustix::io::Result<Map> {
        let (access, mut flags) = match protection {
            Protection::Read => (ProtFlags::READ, MapFlags::SHARED),
            Protection::ReadWrite => (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED),
            Protection::Frozen => (ProtFlags::READ, MapFlags::PRIVATE),
        };
        flags.set(MapFlags::POPULATE, populate);
        // SAFETY: without an address the kernel chooses a place where nothing is.
        let start = unsafe { mmap(ptr::null_mut(), span.mapped, access, flags, file, span.first) }?;
        // No mapping that the kernel places is at address 0.
        let start = NonNull::new(start.cast()).ok_or(rustix::io::Errno::FAULT)?;
        Ok(Map { start, span, protection })
    }

    /// Asks for huge pages; whether the kernel will see to it.
    pub(super) fn advise_huge(&self) -> bool {
        // SAFETY: the pages are this mapping's, and the advice changes nothing of what is in them.
        unsafe { madvise(self.start.as_ptr().cast(), self.span.mapped, Advice::LinuxHugepage) }.is_ok()
    }

    /// Where the buffer is.
    pub(super) fn span(&self) -> &Span {
        &self.span
    }

    /// The first byte of the buffer; [`Span::size`] bytes are readable, and writable with [`Protection::ReadWrite`].
    pub(super) fn pointer(&self) -> *mut u8 {
        // SAFETY: the buffer begins on the first page.
        unsafe { self.start.as_ptr().add(self.span.inside) }
    }

    /// Refuses what was not mapped for writing.
    pub(super) fn writable(&self) -> Result<(), HostError> {
        match self.protection {
            Protection::ReadWrite => Ok(()),
            Protection::Read | Protection::Frozen => {
                Err(HostError::Access { wanted: Access::ReadWrite, barrier: Barrier::ImportedReadOnly })
            }
        }
    }

    /// Copies `out.len()` bytes at `position` of the buffer.
    pub(super) fn read_at(&self, position: u64, out: &mut [u8]) -> Result<(), HostError> {
        let at = self.span.within(position, out.len())?;
        // SAFETY: `within` holds the bytes inside the buffer, which is mapped for as long as `self` is, of a file that
        // does not shrink. Who writes by this mapping has `&mut self`.
        unsafe { volatile::read(self.pointer().add(at), out) };
        Ok(())
    }

    /// Writes bytes at `position` of the buffer.
    pub(super) fn write_at(&mut self, position: u64, bytes: &[u8]) -> Result<(), HostError> {
        self.writable()?;
        let at = self.span.within(position, bytes.len())?;
        // SAFETY: as in `read_at`; it is mapped for writing, and `&mut self` has the mapping for itself.
        unsafe { volatile::write(self.pointer().add(at), bytes) };
        Ok(())
    }

    /// Writes zeros at `position` of the buffer.
    pub(super) fn zero_at(&mut self, position: u64, length: usize) -> Result<(), HostError> {
        self.writable()?;
        let at = self.span.within(position, length)?;
        // SAFETY: as in `write_at`.
        unsafe { volatile::zero(self.pointer().add(at), length) };
        Ok(())
    }

    /// The buffer.
    ///
    /// # Safety
    /// Nobody writes it while the slice is used.
    pub(super) unsafe fn slice(&self) -> &[u8] {
        // SAFETY: so many bytes are mapped, for as long as `self` is; `Span` holds them below `isize::MAX`. Every page
        // of a file has bytes from the start: zeros.
        unsafe { slice::from_raw_parts(self.pointer(), self.span.size) }
    }

    /// The buffer.
    ///
    /// # Safety
    /// Nobody else reads or writes it while the slice is used, and it is mapped for writing.
    pub(super) unsafe fn slice_mut(&mut self) -> &mut [u8] {
        // SAFETY: as with `slice`.
        unsafe { slice::from_raw_parts_mut(self.pointer(), self.span.size) }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // It can fail where the kernel made one mapping of this one and its neighbour, and has no room to part them: then
        // the pages stay, which nobody can help.
        // SAFETY: the pages are this mapping's, and whoever had a reference into it borrowed `self`.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.span.mapped) };
    }
}
