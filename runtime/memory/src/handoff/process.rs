//! A process by a handle that stays its own when the process has ended and its number is another's.

use std::fs;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::process::{PidfdGetfdFlags, pidfd_getfd};

use super::wait::{Limit, is_ready, wait_for};
use super::{Error, sockopt};
use crate::procfs;

/// A process, known by a pidfd: it never means another one, however often the number is used again.
///
/// The file descriptor is readable when the process has ended.
#[derive(Debug)]
pub struct PidFd(OwnedFd);

impl PidFd {
    /// The process that the kernel noted as the socket's peer.
    pub(crate) fn of(socket: BorrowedFd<'_>) -> Result<PidFd, Error> {
        sockopt::pidfd(socket).map(PidFd).map_err(|error| match error.raw_os_error() {
            Some(libc::ENOPROTOOPT | libc::EOPNOTSUPP) => Error::NoPidFd,
            // Kernels that make no pidfd of a process that was waited for.
            Some(libc::ESRCH | libc::EINVAL) => Error::ProcessEnded,
            _ => Error::io("asking for the peer's process", error),
        })
    }

    /// Whether the process has ended, waited for or not.
    pub fn has_ended(&self) -> Result<bool, Error> {
        is_ready(self.as_fd(), PollFlags::IN)
    }

    /// Waits until the process has ended; `false` when it has not within that time. `None` waits for ever.
    pub fn wait_ended(&self, within: impl Into<Option<Duration>>) -> Result<bool, Error> {
        wait_for(self.as_fd(), PollFlags::IN, Limit::of(within.into()))
    }

    /// Takes a duplicate of what the process has open by that number, without its doing: the other way for a file
    /// descriptor to travel. It is closed on exec, and this process's own.
    ///
    /// The kernel lets a process do so that may trace the other one. The other side says the number, and keeps the
    /// file open until it knows that it was taken: else the number may be another file's.
    pub fn fetch(&self, number: RawFd) -> Result<OwnedFd, Error> {
        pidfd_getfd(&self.0, number, PidfdGetfdFlags::empty()).map_err(|error| match error {
            Errno::PERM | Errno::ACCESS => Error::FetchRefused { number, yama: yama() },
            Errno::SRCH => Error::ProcessEnded,
            Errno::BADF => Error::NoSuchFd { number },
            _ => Error::io(format!("taking file descriptor {number} of another process"), error),
        })
    }
}

/// Whom Yama lets trace, where it is there.
fn yama() -> Option<u8> {
    fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").ok()?.trim().parse().ok()
}

/// From a pidfd that was made by somebody else, such as `pidfd_open` for a child that was not waited for. Another
/// file descriptor is refused, and closed.
impl TryFrom<OwnedFd> for PidFd {
    type Error = Error;

    fn try_from(fd: OwnedFd) -> Result<PidFd, Error> {
        let looked_at = |error| Error::io("looking at a file descriptor", error);
        // Only a pidfd's has the process in it.
        let info = procfs::own(format_args!("fdinfo/{}", fd.as_raw_fd()));
        let info = fs::read_to_string(info).map_err(looked_at)?;
        if info.lines().any(|line| line.starts_with("Pid:")) {
            return Ok(PidFd(fd));
        }
        let found = fs::read_link(procfs::of_fd(fd.as_fd())).map_err(looked_at)?;
        Err(Error::FdKind { expected: "a pidfd", found: found.to_string_lossy().into_owned() })
    }
}

impl From<PidFd> for OwnedFd {
    fn from(process: PidFd) -> OwnedFd {
        process.0
    }
}

impl AsFd for PidFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for PidFd {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
