//! Zeros that take no memory.

use rustix::fs::{FallocateFlags, SeekFrom, fallocate, seek};
use rustix::io::{Errno, retry_on_intr};

use super::HostBuffer;
use crate::host::{Access, HostError};

/// Has all bytes of the buffer be zero.
pub(super) fn zero(buffer: &mut HostBuffer) -> Result<(), HostError> {
    match buffer.numbers.access {
        // The pages go back to the machine, which who asked for them beforehand does not want.
        Access::ReadWrite if !buffer.populated => match punch(buffer) {
            // A consumer that may write may have sealed it against new writers.
            Err(Errno::PERM) => overwrite(buffer),
            other => other.map_err(HostError::os("punching a hole into a memfd")),
        },
        // Sealed against whatever writes but our mapping, the file keeps its pages.
        Access::ReadWrite | Access::ReadOnly => overwrite(buffer),
    }
}

/// Takes the pages out of the file.
fn punch(buffer: &HostBuffer) -> rustix::io::Result<()> {
    let (offset, size) = (buffer.numbers.offset, buffer.numbers.size);
    retry_on_intr(|| {
        fallocate(&buffer.fd, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, offset, size)
    })
}

/// Writes zeros over what was touched: the file says where it has pages.
fn overwrite(buffer: &mut HostBuffer) -> Result<(), HostError> {
    let (offset, size) = (buffer.numbers.offset, buffer.numbers.size);
    let end = offset + size;
    let mut at = offset;
    while let Some((data, hole)) = next_data(buffer, at, end)? {
        // Both are between `offset` and `end`, whose difference is the size of a mapping.
        let length = usize::try_from(hole - data).unwrap_or(usize::MAX);
        buffer.map.zero_at(data - offset, length)?;
        at = hole;
    }
    Ok(())
}

/// Where the next pages begin and end that the file has from `at` on, before `end`.
fn next_data(buffer: &HostBuffer, at: u64, end: u64) -> Result<Option<(u64, u64)>, HostError> {
    let os = || HostError::os("seeking the pages of a memfd");
    if at >= end {
        return Ok(None);
    }
    let data = match seek(&buffer.fd, SeekFrom::Data(at)) {
        Ok(data) => data,
        // Nothing but a hole is left.
        Err(Errno::NXIO) => return Ok(None),
        Err(errno) => return Err(os()(errno)),
    };
    if data >= end {
        return Ok(None);
    }
    let hole = seek(&buffer.fd, SeekFrom::Hole(data)).map_err(os())?;
    Ok(Some((data, hole.min(end))))
}
