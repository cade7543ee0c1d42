//! One `sendmsg` and one `recvmsg`, with the file descriptors that ride on them.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::io::Result;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use super::MOST_FDS;

/// Room for what else a socket may be told to deliver, so that it never takes the place of file descriptors.
const BESIDE: usize = 256;

/// Room for all that may ride on one message.
const ROOM: usize = rustix::cmsg_space!(ScmRights(MOST_FDS)) + BESIDE;

/// What one read brought, beside the bytes and the file descriptors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Came {
    /// The bytes; with [`RecvFlags::TRUNC`] those of the packet, which may be more than there was room for.
    pub(crate) bytes: usize,
    /// Whether file descriptors were lost.
    pub(crate) lost: bool,
}

/// Receives bytes to the front of `into`, and file descriptors to the end of `fds`: whatever comes is owned from here
/// on, and closed on exec.
pub(crate) fn receive(
    socket: BorrowedFd<'_>,
    into: &mut [u8],
    fds: &mut Vec<OwnedFd>,
    flags: RecvFlags,
) -> Result<Came> {
    let mut room = [MaybeUninit::uninit(); ROOM];
    let mut control = RecvAncillaryBuffer::new(&mut room);
    let flags = flags | RecvFlags::CMSG_CLOEXEC;
    let came = recvmsg(socket, &mut [IoSliceMut::new(into)], &mut control, flags)?;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            fds.extend(rights);
        }
    }
    Ok(Came { bytes: came.bytes, lost: came.flags.contains(ReturnFlags::CTRUNC) })
}

/// Sends bytes and file descriptors, without waiting and without SIGPIPE; how many bytes the kernel took.
pub(crate) fn send(socket: BorrowedFd<'_>, parts: &[IoSlice<'_>], fds: &[BorrowedFd<'_>]) -> Result<usize> {
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    if fds.is_empty() {
        return sendmsg(socket, parts, &mut SendAncillaryBuffer::default(), flags);
    }
    let mut room = [MaybeUninit::uninit(); ROOM];
    let mut control = SendAncillaryBuffer::new(&mut room);
    // A message of more was refused before.
    assert!(control.push(SendAncillaryMessage::ScmRights(fds)), "room for {MOST_FDS} file descriptors");
    sendmsg(socket, parts, &mut control, flags)
}
