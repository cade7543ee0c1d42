//! Receiving a packet: a message is there whole or not at all, and a refused one leaves the channel as it was.

use std::mem::take;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::event::PollFlags;
use rustix::io::{Errno, ioctl_fionread};
use rustix::net::{RecvFlags, recv};

use super::control::{self, Came};
use super::dest::Dest;
use super::patience::Patience;
use super::receiving::Receiving;
use super::wait::{Signals, is_ready};
use super::{Error, Expected};

/// Packets of at most so many bytes are received before their length is known.
const SMALL: usize = 64 << 10;

impl Receiving {
    /// Receives a packet into `dest`: its bytes and file descriptors; none where the caller does not wait for it.
    pub(super) fn packet(
        &mut self,
        socket: BorrowedFd<'_>,
        dest: &mut Dest<'_>,
        expected: Expected,
        patience: &mut Patience,
    ) -> Result<Option<(usize, Vec<OwnedFd>)>, Error> {
        let most = expected.most_bytes();
        if let Some(buffer) = dest.buffer() {
            let packet = self.read_packet(socket, &mut buffer[..most], patience)?;
            return packet.map(|(came, fds)| self.checked(socket, came, fds, expected)).transpose();
        }
        let mut scratch = take(&mut self.scratch);
        let outcome = self.read_unsized(socket, &mut scratch, expected, patience);
        if let Ok(Some((bytes, _))) = &outcome {
            if *bytes > SMALL {
                scratch.truncate(*bytes);
                dest.replace(take(&mut scratch));
            } else {
                dest.replace(scratch[..*bytes].to_vec());
            }
        }
        // What a large packet needed is not kept.
        if scratch.len() <= SMALL {
            self.scratch = scratch;
        }
        outcome
    }

    /// Receives a packet into a buffer that is there, or into one that is made for it where it may be large.
    fn read_unsized(
        &mut self,
        socket: BorrowedFd<'_>,
        scratch: &mut Vec<u8>,
        expected: Expected,
        patience: &mut Patience,
    ) -> Result<Option<(usize, Vec<OwnedFd>)>, Error> {
        let most = expected.most_bytes();
        let room = if most <= SMALL {
            most
        } else {
            match self.peek(socket, patience)? {
                // One that is too large is refused by the read, which takes it away.
                Some(bytes) => bytes.min(most),
                None => return Ok(None),
            }
        };
        if scratch.len() < room {
            scratch.resize(room, 0);
        }
        let packet = self.read_packet(socket, &mut scratch[..room], patience)?;
        packet.map(|(came, fds)| self.checked(socket, came, fds, expected)).transpose()
    }

    /// The packet's bytes, of which as many are in the buffer as there is room for.
    fn read_packet(
        &mut self,
        socket: BorrowedFd<'_>,
        into: &mut [u8],
        patience: &mut Patience,
    ) -> Result<Option<(Came, Vec<OwnedFd>)>, Error> {
        let mut fds = Vec::new();
        let came = self.attempt(socket, patience, |flags| {
            control::receive(socket, into, &mut fds, flags | RecvFlags::TRUNC)
        })?;
        Ok(came.map(|came| (came, fds)))
    }

    /// The bytes of the next packet, which stays.
    fn peek(&mut self, socket: BorrowedFd<'_>, patience: &mut Patience) -> Result<Option<usize>, Error> {
        self.attempt(socket, patience, |flags| {
            let (_, bytes) = recv(socket, &mut [0u8; 0], flags | RecvFlags::PEEK | RecvFlags::TRUNC)?;
            Ok(bytes)
        })
    }

    /// Calls the kernel until it has something to say; none where there is nothing and the caller does not wait.
    fn attempt<T>(
        &mut self,
        socket: BorrowedFd<'_>,
        patience: &mut Patience,
        mut call: impl FnMut(RecvFlags) -> rustix::io::Result<T>,
    ) -> Result<Option<T>, Error> {
        loop {
            let flags = if patience.may_block(false) { RecvFlags::empty() } else { RecvFlags::DONTWAIT };
            match call(flags) {
                Ok(came) => return Ok(Some(came)),
                Err(Errno::INTR) if patience.signals() == Signals::Heeded => return Err(Error::interrupted()),
                Err(Errno::INTR) => {}
                // Packets that the peer sent before it went are still there.
                Err(Errno::CONNRESET) => self.reset = true,
                Err(Errno::AGAIN) => {
                    if !self.wait(socket, patience)? {
                        return Ok(None);
                    }
                }
                Err(error) => return Err(Error::io("receiving a packet", error)),
            }
        }
    }

    /// The packet, if it may come.
    fn checked(
        &self,
        socket: BorrowedFd<'_>,
        came: Came,
        fds: Vec<OwnedFd>,
        expected: Expected,
    ) -> Result<(usize, Vec<OwnedFd>), Error> {
        if came.lost {
            return Err(Error::FdsLost { came: fds.len() });
        }
        if came.bytes == 0 && fds.is_empty() && is_end(socket)? {
            return Err(Error::PeerClosed { unread: self.reset });
        }
        expected.check_bytes(came.bytes as u64)?;
        expected.check_fds(fds.len())?;
        expected.check_repeated(&fds)?;
        Ok((came.bytes, fds))
    }
}

/// Whether nothing means the end, and no empty packet: the peer is gone, and no byte is left of what it sent. No peer
/// that is this module sends such a packet, so that none is taken for the end.
fn is_end(socket: BorrowedFd<'_>) -> Result<bool, Error> {
    if !is_ready(socket, PollFlags::RDHUP)? {
        return Ok(false);
    }
    let left = ioctl_fionread(socket).map_err(|error| Error::io("asking what is left to receive", error))?;
    Ok(left == 0)
}
