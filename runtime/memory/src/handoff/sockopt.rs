//! Socket options that rustix does not have, or not safely: where the peer is in another pid namespace, its number is
//! 0, which is no value of rustix's type.

use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};

/// Types of which any bytes that the kernel writes are a value.
///
/// # Safety
///
/// All of the type's bytes count, and each combination of them is a value.
unsafe trait Plain: Copy {}

// SAFETY: an integer.
unsafe impl Plain for libc::c_int {}

// SAFETY: three integers of equal size, without padding.
unsafe impl Plain for libc::ucred {}

/// The process, user and group of the peer, as they were when it connected, listened or made the pair.
pub(crate) fn credentials(socket: BorrowedFd<'_>) -> io::Result<libc::ucred> {
    get(socket, libc::SO_PEERCRED)
}

/// The peer's process.
pub(crate) fn pidfd(socket: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let fd: libc::c_int = get(socket, libc::SO_PEERPIDFD)?;
    // SAFETY: the kernel made this file descriptor for this call, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Has the socket deliver nothing beside bytes and file descriptors. Whoever handed it over may have asked for more,
/// and a pidfd beside each message would be one that nobody closes.
pub(crate) fn deliver_rights_alone(socket: BorrowedFd<'_>) -> io::Result<()> {
    for option in [libc::SO_PASSCRED, libc::SO_PASSPIDFD, libc::SO_PASSSEC, libc::SO_TIMESTAMP] {
        match set(socket, option, 0) {
            // An option that this kernel does not have is not set.
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOPROTOOPT | libc::EOPNOTSUPP)) => {}
            other => other?,
        }
    }
    Ok(())
}

fn length_of<T: Plain>() -> libc::socklen_t {
    libc::socklen_t::try_from(size_of::<T>()).expect("a few bytes")
}

fn get<T: Plain>(socket: BorrowedFd<'_>, option: libc::c_int) -> io::Result<T> {
    let mut value = MaybeUninit::<T>::uninit();
    let mut length = length_of::<T>();
    // SAFETY: the kernel writes at most `length` bytes, which is what there is room for.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            option,
            value.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    if length as usize != size_of::<T>() {
        return Err(io::Error::other(format!("a socket option of {length} bytes, not {}", size_of::<T>())));
    }
    // SAFETY: all bytes were written, and any bytes are a value (`Plain`).
    Ok(unsafe { value.assume_init() })
}

fn set(socket: BorrowedFd<'_>, option: libc::c_int, value: libc::c_int) -> io::Result<()> {
    let length = length_of::<libc::c_int>();
    // SAFETY: the kernel reads `length` bytes, which is the size of `value`.
    let result = unsafe {
        libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, (&raw const value).cast(), length)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
