//! Host memory that several processes map.
//!
//! The exporter makes a [`HostBuffer`]: a memfd that nobody can shrink or grow, which only the exporter writes unless
//! its [`HostOptions`] say otherwise. It sends the descriptor of [`HostBuffer::try_clone_fd`] and the numbers of
//! [`HostBuffer::describe`] over whatever channel it has; the importer gives both to [`HostMapping::import`], which
//! believes none of them: kind, seals, size and access of the file are looked at before anything is mapped.
//!
//! ```
//! use wirecontract_runtime::host::{HostBuffer, HostMapping, HostOptions};
//!
//! # fn main() -> Result<(), wirecontract_runtime::host::HostError> {
//! let mut buffer = HostBuffer::create(&HostOptions::new(1024 * 768 * 2).name("frame"))?;
//! buffer.write_at(0, &[0x2a, 0x01])?;
//! let (fd, numbers) = (buffer.try_clone_fd()?, buffer.describe());
//!
//! // In another process:
//! let mapping = HostMapping::import(fd, &numbers)?;
//! let mut pixel = [0; 2];
//! mapping.read_at(0, &mut pixel)?;
//! assert_eq!(pixel, [0x2a, 0x01]);
//! # Ok(())
//! # }
//! ```
//!
//! # What is sound
//!
//! Memory that another process may write is no `&[u8]`: the compiler takes what a reference shows for unchanging. So
//! both sides copy in and out ([`read_at`](HostMapping::read_at), [`write_at`](HostBuffer::write_at)), or take a raw
//! pointer. What was written to the end may be frozen ([`HostBuffer::freeze`]): the kernel then lets nobody write it
//! any more, and it is `&[u8]` on both sides ([`FrozenBuffer`], [`HostMapping::bytes`]).
//!
//! A mapped file that shrinks kills who touches what is gone (SIGBUS). So nothing is mapped that can shrink. Files of
//! foreign exporters that seal nothing are read through [`HostFile`], which has no pointer to give. What remains is the
//! machine's own memory: pages come into being when they are first touched, also by a reader, and a machine (or a
//! container) that has none left ends the process that touched them, as it does with all memory. An exporter that asks
//! for [`HostOptions::populate`] has its pages from the start.

mod access;
mod buffer;
mod check;
mod create;
mod error;
mod file;
mod frozen;
mod map;
mod mapping;
mod options;
mod pool;
mod reopen;
mod shared;
mod span;
mod volatile;

pub use access::{Access, Import};
pub use buffer::HostBuffer;
pub use error::{Barrier, FileKind, HostError};
pub use file::HostFile;
pub use frozen::{FreezeError, FrozenBuffer};
pub use mapping::HostMapping;
pub use options::{HostOptions, HugePages, Pages};
pub use pool::{Hold, Pool, PoolCounts, PooledBuffer};
