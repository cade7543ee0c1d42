//! Host memory that several processes map.

mod options;

use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wirecontract::{Code, Flags, Open, WireContract, wire_export};
use wirecontract_gpu::buffer::SharedBuffer;
use wirecontract_runtime::{host, lease};

use crate::handoff::Message;
use crate::system::{Error, duplicate, limit};

/// What may be done with memory.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration)]
pub enum Access {
    /// It is read.
    ReadOnly = 0,
    /// It is read and written.
    ReadWrite = 1,
}

impl From<Access> for host::Access {
    fn from(access: Access) -> host::Access {
        match access {
            Access::ReadOnly => host::Access::ReadOnly,
            Access::ReadWrite => host::Access::ReadWrite,
        }
    }
}

/// Whether a buffer is on huge pages.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration)]
pub enum HugePages {
    /// On ordinary pages.
    Never = 0,
    /// On ordinary pages, of which the kernel is asked to make huge ones where it can.
    Advised = 1,
    /// On huge pages where enough are free and consumers only read, and else as with `Advised`.
    Preferred = 2,
    /// On huge pages, or not at all. Consumers only read then.
    Required = 3,
}

/// What else is asked of a buffer.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(flags)]
pub enum HostFlag {
    /// Consumers write it as well.
    ConsumersWrite = 1,
    /// All its pages are made and mapped at once.
    Populate = 2,
    /// Nobody can add seals any more, so that no consumer that writes can seal it against new writers. It cannot be
    /// frozen.
    FinalSeals = 4,
}

/// What a buffer is asked to be. Zero is what is usual everywhere but in `size`.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct HostOptions {
    /// Bytes of the buffer, at least 1.
    pub size: u64,
    /// Bytes from the start of the allocation to the buffer.
    pub offset: u64,
    /// What the buffer's address is a multiple of in every process: a power of two, at most a page; 0 is 1.
    pub alignment: u64,
    /// Bytes of a huge page, where it is asked for some; 0 is 2 MiB.
    pub huge_page_bytes: u64,
    /// Whether it is on huge pages.
    pub huge_pages: Open<HugePages>,
    /// What else is asked of it.
    pub flags: Flags<HostFlag>,
}

/// A buffer of host memory that this process made, and writes: a memfd that nobody can shrink, mapped. Who imported it
/// keeps the memory when this ends. Any thread uses it; who writes and reads the bytes when is the program's to say.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct HostBuffer {
    memory: Memory,
}

/// Whose a buffer is when it ends.
#[derive(Debug)]
enum Memory {
    Own(host::HostBuffer),
    Pooled(host::PooledBuffer),
}

#[wire_export(prefix = "wc")]
impl HostBuffer {
    /// Makes a buffer of zeros, which takes no memory until it is touched. `name` is what `/proc` calls it, of at most 249
    /// bytes; without one it is `wirecontract`.
    ///
    /// Fails with `out_of_range`, `too_large` or `bad_text` for options that are none, with `refused` where there are no
    /// huge pages, with `io` for what the operating system refused.
    pub fn create(options: &HostOptions, name: Option<&str>) -> Result<Self, Error> {
        let buffer = host::HostBuffer::create(&options::options(options, name)?)?;
        Ok(HostBuffer { memory: Memory::Own(buffer) })
    }

    /// The bytes of the buffer, which this process may read and write for as long as the buffer is there, and how many
    /// these are.
    #[wire(out(data, size))]
    pub fn data(&self) -> (*mut u8, usize) {
        let buffer = self.buffer();
        // The mapping is for writing, and gives its own pointer.
        (buffer.as_ptr().cast_mut(), mapped(buffer.size()))
    }

    /// Bytes of the huge pages that it is on; 0 on ordinary ones.
    pub fn huge_page_bytes(&self) -> u64 {
        match self.buffer().pages() {
            host::Pages::Huge { bytes } => bytes,
            _ => 0,
        }
    }

    /// The descriptor by which a consumer imports it. The bytes have no type: element and shape are the caller's to fill in.
    pub fn shared(&self) -> SharedBuffer {
        self.buffer().shared()
    }

    /// A file descriptor to send with the descriptor, which has just the access that consumers get. It is the caller's, who
    /// may close it as soon as it is sent.
    pub fn consumer_fd(&self) -> Result<OwnedFd, Error> {
        Ok(self.buffer().try_clone_fd()?)
    }

    /// Has nobody write the buffer any more, this process included. The pointers of `data` are dangling from then on, also
    /// where it fails: the buffer has ended then.
    ///
    /// Fails with `refused` for a buffer of a pool, which goes back there, and for one whose seals are final, with `busy`
    /// where somebody else can still write it.
    pub fn freeze(self) -> Result<FrozenBuffer, Error> {
        match self.memory {
            Memory::Own(buffer) => Ok(FrozenBuffer { frozen: buffer.freeze()? }),
            Memory::Pooled(_) => Err(Error::new(
                Code::Refused,
                "expected a buffer of its own, found one of a pool, which is written again: make one to be frozen",
            )),
        }
    }
}

impl HostBuffer {
    /// The buffer to be lent; one of a pool goes back there when every lease on it is over.
    pub(crate) fn lend(&self) -> Result<lease::Lend, Error> {
        Ok(match &self.memory {
            Memory::Own(buffer) => lease::Lend::host(buffer)?,
            Memory::Pooled(buffer) => lease::Lend::pooled(buffer)?,
        })
    }

    fn buffer(&self) -> &host::HostBuffer {
        match &self.memory {
            Memory::Own(buffer) => buffer,
            Memory::Pooled(buffer) => buffer,
        }
    }
}

/// A buffer that nobody writes any more, of the process that made it.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct FrozenBuffer {
    pub(crate) frozen: host::FrozenBuffer,
}

#[wire_export(prefix = "wc")]
impl FrozenBuffer {
    /// The bytes of the buffer, which never change, and how many these are.
    #[wire(out(data, size))]
    pub fn data(&self) -> (*const u8, usize) {
        (self.frozen.as_ptr(), self.frozen.len())
    }

    /// The descriptor by which a consumer imports it.
    pub fn shared(&self) -> SharedBuffer {
        self.frozen.shared()
    }

    /// A file descriptor to send with the descriptor, open for reading. It is the caller's.
    pub fn consumer_fd(&self) -> Result<OwnedFd, Error> {
        Ok(self.frozen.try_clone_fd()?)
    }
}

/// A buffer of another process, mapped. The memory lives for as long as anybody has it, whatever becomes of its exporter.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct HostMapping {
    mapping: Mutex<host::HostMapping>,
}

#[wire_export(prefix = "wc")]
impl HostMapping {
    /// Maps the buffer of a descriptor that came with this file descriptor, of which nothing is believed: the rules hold,
    /// the file is a memfd that nobody can shrink, has the size that was announced, and allows the access. Nothing is
    /// touched: 4 GiB cost what 4 KiB cost.
    ///
    /// The mapping has a duplicate of the file descriptor: `fd` stays the caller's, who may close it as soon as the call
    /// returns.
    ///
    /// Fails with `rule_violated` for a descriptor that no importer may use, with `refused` for one that gives the buffer
    /// for reading only where it is to be written, with `fd_kind`, `refused`, `out_of_range` or `too_short` for a file that
    /// is not what it says, with `bad_handle` for a number that is not open.
    ///
    /// # Safety
    /// Nobody closes `fd` during the call.
    pub unsafe fn import(buffer: &SharedBuffer, fd: i32, access: Access) -> Result<Self, Error> {
        let numbers = host::Import::of(buffer)?.for_access(access.into())?;
        // SAFETY: as the caller promises.
        let own = unsafe { duplicate(fd) }?;
        Ok(HostMapping::of(host::HostMapping::import(own, &numbers)?))
    }

    /// The same of a file descriptor that is still in the message that it came with, at that index, and is the mapping's
    /// then. It is not duplicated. Where a rule of the descriptor is violated it stays in the message; where it is refused
    /// itself it is closed.
    pub fn import_from(
        buffer: &SharedBuffer,
        message: &Message,
        index: usize,
        access: Access,
    ) -> Result<Self, Error> {
        let numbers = host::Import::of(buffer)?.for_access(access.into())?;
        let fd = message.with_fds(|fds| fds.take(index))?;
        Ok(HostMapping::of(host::HostMapping::import(fd, &numbers)?))
    }

    /// The bytes of the buffer, which may be read for as long as the mapping is there, and how many these are. The exporter
    /// may write them at any time, unless they are frozen.
    #[wire(out(data, size))]
    pub fn data(&self) -> (*const u8, usize) {
        let mapping = self.lock();
        (mapping.as_ptr(), mapped(mapping.size()))
    }

    /// The same, to be written.
    ///
    /// Fails with `refused` for what was imported for reading.
    #[wire(out(data, size))]
    pub fn data_for_writing(&self) -> Result<(*mut u8, usize), Error> {
        let mut mapping = self.lock();
        Ok((mapping.as_mut_ptr()?, mapped(mapping.size())))
    }

    /// Whether nobody writes the buffer any more.
    pub fn is_frozen(&self) -> bool {
        self.lock().bytes().is_some()
    }

    /// Another file descriptor of the same memory, with the access of the one that was imported, to be handed on. It is the
    /// caller's.
    pub fn fd(&self) -> Result<OwnedFd, Error> {
        Ok(self.lock().try_clone_fd()?)
    }
}

impl HostMapping {
    fn of(mapping: host::HostMapping) -> HostMapping {
        HostMapping { mapping: Mutex::new(mapping) }
    }

    /// Nothing panics while it has the lock.
    fn lock(&self) -> MutexGuard<'_, host::HostMapping> {
        self.mapping.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of a buffer that is mapped.
pub(crate) fn mapped(size: u64) -> usize {
    usize::try_from(size).expect("a process maps no more than it has addresses for")
}

/// Equal buffers that are used again, each when its handle has ended and so has every lease on it.
///
/// When the pool ends, the free buffers end with it, and those in use with their last lease.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct Pool {
    pool: host::Pool,
}

#[wire_export(prefix = "wc")]
impl Pool {
    /// A pool of at most `most` buffers, which are made when they are first needed. A buffer that is used again has in it
    /// what was left there; where `zeroed`, it is zero whenever it is taken.
    ///
    /// Fails with `out_of_range` where `most` is 0; what else is wrong with the options, `take` says.
    pub fn create(
        options: &HostOptions,
        name: Option<&str>,
        most: usize,
        zeroed: bool,
    ) -> Result<Self, Error> {
        let options = options::options(options, name)?;
        let pool = if zeroed { host::Pool::zeroed(options, most) } else { host::Pool::new(options, most) }?;
        Ok(Pool { pool })
    }

    /// Gives a buffer, and waits for one for so many milliseconds: 0 is not at all, a negative number for ever. Ending its
    /// handle gives it back.
    ///
    /// Fails with `busy` or `timeout` where all are in use, and as the making of a buffer does.
    pub fn take(&self, timeout_ms: i32) -> Result<HostBuffer, Error> {
        let buffer = match limit(timeout_ms) {
            None => self.pool.take(Duration::MAX)?,
            Some(within) if within.is_zero() => self.pool.try_take()?,
            Some(within) => self.pool.take(within)?,
        };
        Ok(HostBuffer { memory: Memory::Pooled(buffer) })
    }

    /// How many buffers nobody has, how many are in use, and the most of both together.
    #[wire(out(free, in_use, most))]
    pub fn counts(&self) -> (usize, usize, usize) {
        let counts = self.pool.counts();
        (counts.free, counts.in_use, counts.most)
    }

    /// Ends the buffers that nobody has, and with them their memory; they are made anew when they are needed.
    pub fn trim(&self) {
        self.pool.trim();
    }
}
