//! Why host memory was refused: what was expected, what came, what to do.

mod found;

use std::io;
use std::time::Duration;

use rustix::io::Errno;
use wirecontract::{Code, Enumeration as _, WireError};
use wirecontract_gpu::buffer::BufferKind;

use super::Access;
use found::Seals;

pub use found::{Barrier, FileKind};

/// Why host memory was not made, imported, read or written.
///
/// Whatever was handed in is closed and unmapped when it is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// A buffer of no bytes.
    #[error("expected a size of at least 1 byte, found 0: what has no bytes needs no buffer")]
    Empty,
    /// More pages to be made at once than the machine has memory for.
    #[error(
        "expected at most {memory} bytes of pages that are made at once, as many as the machine has, found {pages}: use a \
         smaller buffer, or leave `populate` out"
    )]
    MoreThanMemory {
        /// Bytes of the allocation.
        pages: u64,
        /// Bytes of the machine's memory, swap included.
        memory: u64,
    },
    /// More bytes than a process can map.
    #[error("expected offset + size of at most {most} bytes, found {offset} + {size}: use smaller buffers")]
    TooLarge {
        /// Bytes before the buffer.
        offset: u64,
        /// Bytes of the buffer.
        size: u64,
        /// The most of both together.
        most: u64,
    },
    /// A buffer that is not inside its allocation; also where the sum leaves 64 bits.
    #[error(
        "expected offset + size of at most the allocation's {allocation_size} bytes, found {offset} + {size}: \
         have the exporter send the numbers of the buffer that it made"
    )]
    Range {
        /// Bytes from the start of the allocation to the buffer.
        offset: u64,
        /// Bytes of the buffer.
        size: u64,
        /// Bytes of the allocation.
        allocation_size: u64,
    },
    /// A file that is shorter than it was said to be.
    #[error(
        "expected a file of at least {allocation_size} bytes, found {file_size}: \
         have the exporter send the descriptor and the numbers of one buffer"
    )]
    FileTooShort {
        /// Bytes that were announced.
        allocation_size: u64,
        /// Bytes that the file has.
        file_size: u64,
    },
    /// A descriptor that is no memory.
    #[error("expected a memfd, found {found}: have the exporter send the descriptor of its buffer")]
    Kind {
        /// What the descriptor is.
        found: FileKind,
    },
    /// A memfd whose pages somebody can take away while it is mapped.
    #[error(
        "expected a memfd that is sealed with {}, found {}: \
         have the exporter seal it, or read the file without mapping it (HostFile)",
        Seals(*.missing), Seals(*.seals)
    )]
    NotSealed {
        /// What is missing, as `F_ADD_SEALS` takes it.
        missing: u32,
        /// What `F_GET_SEALS` says.
        seals: u32,
    },
    /// A descriptor or a mapping that does not allow what is asked of it.
    #[error("expected memory for {wanted}, found {barrier}: {}", .barrier.way_out())]
    Access {
        /// What was asked for.
        wanted: Access,
        /// What stands against it.
        barrier: Barrier,
    },
    /// A descriptor of a buffer that no importer may use.
    #[error("{0}")]
    Descriptor(Box<WireError>),
    /// A descriptor of memory of another kind.
    #[error("expected a buffer of the kind host_memfd, found {}: import it by its own library", .found.name())]
    OtherMemory {
        /// Its kind.
        found: BufferKind,
    },
    /// A copy that is not inside the buffer.
    #[error(
        "expected at most the buffer's {size} bytes, found {length} bytes at {position}: copy what is inside"
    )]
    OutOfBounds {
        /// Bytes from the start of the buffer.
        position: u64,
        /// Bytes to copy.
        length: u64,
        /// Bytes of the buffer.
        size: u64,
    },
    /// A copy of a whole buffer from or to another number of bytes.
    #[error("expected the buffer's {size} bytes, found {length}: use read_at or write_at for a part")]
    Length {
        /// Bytes of what was given.
        length: u64,
        /// Bytes of the buffer.
        size: u64,
    },
    /// An unsealed file that is shorter than when it was imported.
    #[error("expected {length} bytes at {position}, found the end of the file: its owner made it shorter")]
    Shrunk {
        /// Bytes from the start of the buffer to the first one that is gone.
        position: u64,
        /// Bytes that were still to be copied.
        length: u64,
    },
    /// An alignment that mappings do not have.
    #[error(
        "expected an alignment that is a power of two of at most {most} bytes, found {found}: ask for less"
    )]
    Alignment {
        /// Bytes that were asked for.
        found: u64,
        /// The size of a page.
        most: u64,
    },
    /// An offset that does not have the alignment.
    #[error("expected an offset that is a multiple of {alignment}, found {offset}: round it up")]
    Misaligned {
        /// Bytes before the buffer.
        offset: u64,
        /// The alignment that was asked for, in bytes.
        alignment: u64,
    },
    /// A name with a NUL, which would end it.
    #[error("expected a name without NUL, found one at byte {at}: leave it out")]
    NameWithNul {
        /// Where the first one is.
        at: usize,
    },
    /// A name that is longer than a memfd's.
    #[error("expected a name of at most {most} bytes, found {length} bytes: use a shorter one")]
    Name {
        /// Bytes of the name.
        length: usize,
        /// The most bytes of a name.
        most: usize,
    },
    /// Huge pages that the machine does not have.
    #[error(
        "expected free huge pages of {bytes} bytes, found none ({}): reserve some (vm.nr_hugepages), \
         or prefer them only (HugePages::Preferred)",
        io::Error::from_raw_os_error(*.errno)
    )]
    HugePages {
        /// Bytes of a page.
        bytes: u64,
        /// What the operating system said.
        errno: i32,
    },
    /// Huge pages for consumers that write. Whoever may write a file may punch holes into it, and a huge page that is
    /// touched there ends its process where no other is free.
    #[error(
        "expected huge pages that only their exporter writes, found consumers that write: \
         give these ordinary pages (HugePages::Advised), or let them read only"
    )]
    WrittenHugePages,
    /// A buffer that cannot be frozen, since its seals were made final.
    #[error(
        "expected seals that can be added to, found final ones: make the buffer without HostOptions::final_seals"
    )]
    FinalSeals,
    /// A buffer that cannot be frozen, since somebody else can still write it.
    #[error(
        "expected nobody to write the buffer, found a writable mapping or pages that a device has: \
         end these first, then freeze"
    )]
    StillWritten,
    /// A pool of no buffers.
    #[error("expected a pool of at least 1 buffer, found 0: say how many there may be")]
    EmptyPool,
    /// All buffers of a pool are in use.
    #[error(
        "expected one of {most} buffers to be free, found all in use: wait (Pool::take), or make the pool larger"
    )]
    Busy {
        /// How many buffers the pool has at most.
        most: usize,
    },
    /// All buffers of a pool were in use for as long as was waited.
    #[error(
        "expected one of {most} buffers to be free within {waited:?}, found all in use: \
         see who holds them, have their producers hear what was given back (`poll`), or make the pool larger"
    )]
    Timeout {
        /// How many buffers the pool has at most.
        most: usize,
        /// How long was waited.
        waited: Duration,
    },
    /// A pool of another process, of which this one is a fork: its buffers are the same memory, which the other one lends.
    #[error(
        "expected a pool of this process, found one of process {maker}, of which this is a fork: make a pool here"
    )]
    Forked {
        /// The process that made it.
        maker: u32,
    },
    /// The operating system refused.
    #[error("{operation}: {}", io::Error::from_raw_os_error(*.errno))]
    Os {
        /// What was asked of it.
        operation: &'static str,
        /// What it said, as `errno(3)` numbers it.
        errno: i32,
    },
}

impl HostError {
    /// The code of the refusal, which is the same in every language.
    pub fn code(&self) -> Code {
        match self {
            HostError::Empty
            | HostError::Range { .. }
            | HostError::OutOfBounds { .. }
            | HostError::Length { .. }
            | HostError::Alignment { .. }
            | HostError::Misaligned { .. }
            | HostError::EmptyPool => Code::OutOfRange,
            HostError::TooLarge { .. } | HostError::MoreThanMemory { .. } => Code::TooLarge,
            HostError::FileTooShort { .. } | HostError::Shrunk { .. } => Code::TooShort,
            HostError::Descriptor(error) => error.code,
            HostError::Kind { .. } => Code::FdKind,
            HostError::Name { .. } | HostError::NameWithNul { .. } => Code::BadText,
            HostError::NotSealed { .. }
            | HostError::Access { .. }
            | HostError::HugePages { .. }
            | HostError::WrittenHugePages
            | HostError::FinalSeals
            | HostError::OtherMemory { .. }
            | HostError::Forked { .. } => Code::Refused,
            HostError::StillWritten | HostError::Busy { .. } => Code::Busy,
            HostError::Timeout { .. } => Code::Timeout,
            HostError::Os { .. } => Code::Io,
        }
    }

    /// A refusal of the operating system, of what was asked of it.
    pub(super) fn os(operation: &'static str) -> impl FnOnce(Errno) -> HostError {
        move |errno| HostError::Os { operation, errno: errno.raw_os_error() }
    }
}
