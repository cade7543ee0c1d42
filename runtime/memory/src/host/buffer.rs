//! A buffer of the process that makes it.

mod zero;

use std::os::fd::{AsFd, OwnedFd};

use wirecontract_gpu::buffer::SharedBuffer;

use super::create::{Created, create};
use super::frozen::{self, FreezeError, FrozenBuffer};
use super::map::Map;
use super::{Access, HostError, HostOptions, Import, Pages, reopen, shared};

/// A buffer of host memory that this process made, and writes.
///
/// It owns a memfd and a mapping of it: dropping it unmaps and closes. Who imported it keeps the memory for as long as
/// their own mapping lives.
#[derive(Debug)]
pub struct HostBuffer {
    map: Map,
    fd: OwnedFd,
    numbers: Import,
    pages: Pages,
    populated: bool,
    id: u64,
}

impl HostBuffer {
    /// Makes a buffer of zeros. It takes no memory until it is touched, unless the options say otherwise.
    ///
    /// # Errors
    /// Options that are none ([`Empty`](HostError::Empty), [`TooLarge`](HostError::TooLarge),
    /// [`Alignment`](HostError::Alignment), [`Misaligned`](HostError::Misaligned), [`Name`](HostError::Name)), huge
    /// pages that are not there ([`HugePages`](HostError::HugePages)) or not to be had
    /// ([`WrittenHugePages`](HostError::WrittenHugePages)), or what the operating system refused
    /// ([`Os`](HostError::Os)), as too many descriptors or too little memory.
    pub fn create(options: &HostOptions) -> Result<HostBuffer, HostError> {
        let Created { map, fd, numbers, pages } = create(options)?;
        Ok(HostBuffer { map, fd, numbers, pages, populated: options.populate, id: shared::next_id() })
    }

    /// Bytes of the buffer, as asked for.
    pub fn size(&self) -> u64 {
        self.numbers.size
    }

    /// Bytes of the whole file: a multiple of its pages.
    pub fn allocation_size(&self) -> u64 {
        self.numbers.allocation_size
    }

    /// Bytes from the start of the file to the buffer.
    pub fn offset(&self) -> u64 {
        self.numbers.offset
    }

    /// The pages that it got.
    pub fn pages(&self) -> Pages {
        self.pages
    }

    /// What a consumer imports it with, beside the descriptor.
    pub fn describe(&self) -> Import {
        self.numbers
    }

    /// The same as the contract of buffers that cross processes has it: bytes of no type, a number of its own among the
    /// buffers of this process, and which process that is. What more there is to say the caller fills in.
    pub fn shared(&self) -> SharedBuffer {
        shared::describe(&self.numbers, self.id)
    }

    /// A descriptor to send to a consumer, which has just the access that [`HostOptions::consumers`] gives; close-on-exec.
    ///
    /// # Errors
    /// [`Os`](HostError::Os): no descriptors are left, or, for consumers that read, `/proc` is not mounted.
    pub fn try_clone_fd(&self) -> Result<OwnedFd, HostError> {
        match self.numbers.access {
            Access::ReadOnly => reopen::read_only(self.fd.as_fd()),
            Access::ReadWrite => self.fd.try_clone().map_err(|error| HostError::Os {
                operation: "duplicating the descriptor of a memfd",
                errno: error.raw_os_error().unwrap_or_default(),
            }),
        }
    }

    /// The descriptor of [`try_clone_fd`](Self::try_clone_fd), without the buffer: this process writes it no more.
    ///
    /// # Errors
    /// As [`try_clone_fd`](Self::try_clone_fd).
    pub fn into_fd(self) -> Result<OwnedFd, HostError> {
        match self.numbers.access {
            Access::ReadOnly => self.try_clone_fd(),
            Access::ReadWrite => Ok(self.fd),
        }
    }

    /// The first byte. [`size`](Self::size) bytes from it on are readable for as long as the buffer lives, at an address
    /// that is a multiple of the alignment asked for; others may write them where consumers may write. By pointers, threads
    /// of this process race as they do in any memory.
    pub fn as_ptr(&self) -> *const u8 {
        self.map.pointer()
    }

    /// The first byte, for writing; otherwise as [`as_ptr`](Self::as_ptr).
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.map.pointer()
    }

    /// Copies the `out.len()` bytes at `position`, in bytes from the start of the buffer.
    ///
    /// # Errors
    /// [`OutOfBounds`](HostError::OutOfBounds): they are not all inside; nothing is copied.
    pub fn read_at(&self, position: u64, out: &mut [u8]) -> Result<(), HostError> {
        self.map.read_at(position, out)
    }

    /// Writes `bytes` at `position`, in bytes from the start of the buffer.
    ///
    /// # Errors
    /// [`OutOfBounds`](HostError::OutOfBounds): they are not all inside; nothing is written.
    pub fn write_at(&mut self, position: u64, bytes: &[u8]) -> Result<(), HostError> {
        self.map.write_at(position, bytes)
    }

    /// Copies the whole buffer to `out`, which has its size.
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
    /// [`Length`](HostError::Length): they have another one; nothing is written.
    pub fn copy_from(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        self.map.span().whole(bytes.len())?;
        self.map.write_at(0, bytes)
    }

    /// The buffer.
    ///
    /// # Safety
    /// While the slice is used, nobody writes the buffer: no consumer that may, no device, and nobody in this process by
    /// a pointer or by another mapping.
    pub unsafe fn as_slice(&self) -> &[u8] {
        // SAFETY: the caller promises what it takes.
        unsafe { self.map.slice() }
    }

    /// The buffer, for writing.
    ///
    /// # Safety
    /// While the slice is used, nobody else reads or writes the buffer: no consumer, no device, and nobody in this
    /// process by a pointer or by another mapping.
    pub unsafe fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: the caller promises what it takes; a `HostBuffer` is mapped for writing.
        unsafe { self.map.slice_mut() }
    }

    /// Has all bytes of the buffer be zero, and touches no page that nobody touched before.
    ///
    /// # Errors
    /// [`Os`](HostError::Os).
    pub fn zero(&mut self) -> Result<(), HostError> {
        zero::zero(self)
    }

    /// Has nobody write the buffer any more, this process included: from then on it is `&[u8]`, here and for whoever
    /// imported it. Pointers of [`as_ptr`](Self::as_ptr) are dangling afterwards.
    ///
    /// # Errors
    /// [`FinalSeals`](HostError::FinalSeals), [`StillWritten`](HostError::StillWritten) and [`Os`](HostError::Os), with
    /// the descriptor: what was written can still be read by it, or frozen by who knows how.
    pub fn freeze(self) -> Result<FrozenBuffer, FreezeError> {
        let HostBuffer { map, fd, numbers, pages, id, .. } = self;
        let span = *map.span();
        drop(map);
        frozen::freeze(fd, span, numbers, pages, id)
    }
}
