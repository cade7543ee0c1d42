//! A descriptor of the same file that only reads.

use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, fstat, open};
use rustix::io::Errno;

use super::HostError;
use crate::procfs;

/// Opens the file of a descriptor anew, for reading only: a duplicate would write as the descriptor does.
pub(super) fn read_only(fd: BorrowedFd<'_>) -> Result<OwnedFd, HostError> {
    const OPERATION: &str = "opening a memfd for reading (which takes a mounted /proc)";
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY;
    let reopened = open(procfs::of_fd(fd), flags, Mode::empty()).map_err(HostError::os(OPERATION))?;
    // Somebody may have mounted something else there.
    let file = |fd| fstat(fd).map(|stat| (stat.st_dev, stat.st_ino));
    let (ours, theirs) = (file(fd), file(std::os::fd::AsFd::as_fd(&reopened)));
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) if ours == theirs => Ok(reopened),
        (Err(errno), _) | (_, Err(errno)) => Err(HostError::os(OPERATION)(errno)),
        _ => Err(HostError::os(OPERATION)(Errno::STALE)),
    }
}
