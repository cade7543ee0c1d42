//! The receiving side of a channel: what came of a message that is not whole yet.
//!
//! File descriptors count when they ride on the `sendmsg` that holds the first byte of the body, or the last byte of
//! the prefix where the body is empty. What the kernel does makes that exact: file descriptors come with the first
//! read that takes a byte of their `sendmsg`, and a read that took file descriptors ends with that `sendmsg`, though
//! it may have begun with bytes of earlier ones. So they ride on the `sendmsg` that holds the read's last byte. The
//! first read of a message therefore asks for the prefix and one byte of the body: where it is full, what came rides
//! with that byte; where it is short, it ended with a `sendmsg` of bytes of the prefix alone. Behind the first byte
//! the rest of the body is read as it comes, and what comes there is misplaced.
//!
//! Of a message without a body that read may take the first byte of the next message, which stays here. File
//! descriptors that came with it are the next message's; whether their `sendmsg` reaches that message's body cannot be
//! seen, and it is taken to.

use std::mem::{replace, take};
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{RecvFlags, Shutdown, shutdown};
use wirecontract::Code;

use super::dest::Dest;
use super::options::Limits;
use super::outgoing::PREFIX;
use super::patience::Patience;
use super::turn::Ends;
use super::wait::{LazyLimit, Signals};
use super::{ByteOrder, Direction, Doing, Error, Expected, Framing, Misplaced, control};

/// The prefix, and the first byte of the body.
const HEAD: usize = PREFIX + 1;

/// What a channel keeps for receiving.
#[derive(Default)]
pub(crate) struct Receiving {
    head: [u8; HEAD],
    head_len: usize,
    fds: Vec<OwnedFd>,
    /// How many of them are this message's, where others came with the first byte of the next.
    fds_here: Option<usize>,
    /// Whether their `sendmsg` ended in the prefix.
    fds_end: bool,
    /// What came of the body, while no call is there to hold it.
    body: Vec<u8>,
    /// Until when the message has to be whole, once it was waited for.
    limit: Option<LazyLimit>,
    /// Whether the peer went without receiving all.
    pub(super) reset: bool,
    /// Whether the end was received.
    ended: bool,
    broken: Option<Code>,
    /// Where packets are received whose length is not known.
    pub(super) scratch: Vec<u8>,
}

/// How a read ended.
enum Read {
    Bytes(usize),
    NotYet,
    End,
}

impl Ends for Receiving {
    fn has_ended(&self) -> bool {
        self.ended || self.broken.is_some()
    }
}

impl Receiving {
    /// Whether a message has begun to come.
    pub(crate) fn has_begun(&self) -> bool {
        self.head_len > 0
    }

    /// Until when the message that has begun has to be whole.
    pub(crate) fn limit(&mut self, limits: Limits) -> &mut LazyLimit {
        self.limit.get_or_insert(LazyLimit::Ahead(limits.message))
    }

    /// Receives a message into `dest`: its bytes and file descriptors; none where it is not whole yet and the caller
    /// does not wait.
    pub(crate) fn receive(
        &mut self,
        socket: BorrowedFd<'_>,
        framing: Framing,
        dest: &mut Dest<'_>,
        expected: Expected,
        patience: &mut Patience,
    ) -> Result<Option<(usize, Vec<OwnedFd>)>, Error> {
        if let Some(because) = self.broken {
            return Err(Error::OutOfStep { direction: Direction::Receive, because });
        }
        let came = match framing {
            Framing::Stream { length, .. } => self.stream(socket, length, dest, expected, patience),
            Framing::SeqPacket => self.packet(socket, dest, expected, patience),
        };
        self.ended |= matches!(came, Err(Error::PeerClosed { .. }));
        came
    }

    fn stream(
        &mut self,
        socket: BorrowedFd<'_>,
        order: ByteOrder,
        dest: &mut Dest<'_>,
        expected: Expected,
        patience: &mut Patience,
    ) -> Result<Option<(usize, Vec<OwnedFd>)>, Error> {
        let whole = match self.head(socket, order, expected, patience) {
            Ok(Some(whole)) => whole,
            Ok(None) => return Ok(None),
            Err(error) => return Err(self.refuse(socket, error)),
        };
        dest.begin(take(&mut self.body), patience.waits());
        if dest.filled() == 0 && self.head_len == HEAD && whole > 0 {
            dest.push(self.head[PREFIX], whole);
        }
        match self.body(socket, whole, dest, expected, patience) {
            Ok(true) => {
                dest.end();
                let fds = self.next(whole);
                // It is whole, so that what comes behind it can be told apart.
                expected.check_repeated(&fds)?;
                Ok(Some((whole, fds)))
            }
            Ok(false) => {
                self.body = dest.park();
                Ok(None)
            }
            Err(error) => {
                self.body = dest.park();
                Err(self.refuse(socket, error))
            }
        }
    }

    /// Receives the prefix and, where there may be file descriptors, the first byte of the body: the body's length.
    fn head(
        &mut self,
        socket: BorrowedFd<'_>,
        order: ByteOrder,
        expected: Expected,
        patience: &mut Patience,
    ) -> Result<Option<usize>, Error> {
        loop {
            let whole = self.announced(order);
            if let Some(whole) = whole {
                expected.check_bytes(whole as u64)?;
                if self.fds_end && whole > 0 {
                    return Err(Error::FdsMisplaced { found: self.fds.len(), at: Misplaced::Prefix });
                }
                // Where none may come, no read has to tell where they ride.
                let read = self.head_len == HEAD || !self.body.is_empty() || !expected.any_fds();
                if whole == 0 || read {
                    expected.check_fds(self.fds_here())?;
                    return Ok(Some(whole));
                }
            }
            let had = self.fds.len();
            let mut bytes_of_head = self.head;
            let place = &mut bytes_of_head[self.head_len..];
            let asked = place.len();
            let bytes = match self.read(socket, place, patience)? {
                Read::Bytes(bytes) => bytes,
                Read::NotYet => return Ok(None),
                Read::End => return Err(self.ended(whole)),
            };
            self.head = bytes_of_head;
            self.head_len += bytes;
            let (full, found) = (bytes == asked, self.fds.len() - had);
            if found > 0 && full && self.announced(order) == Some(0) {
                self.fds_here = Some(had);
                continue;
            }
            expected.check_most(self.fds.len())?;
            if found > 0 {
                if had > 0 || (!full && self.head_len < PREFIX) {
                    return Err(Error::FdsMisplaced { found, at: Misplaced::Prefix });
                }
                self.fds_end = !full;
            }
        }
    }

    /// How many file descriptors are this message's.
    fn fds_here(&self) -> usize {
        self.fds_here.unwrap_or(self.fds.len())
    }

    /// Receives the rest of the body; whether it is whole.
    fn body(
        &mut self,
        socket: BorrowedFd<'_>,
        whole: usize,
        dest: &mut Dest<'_>,
        expected: Expected,
        patience: &mut Patience,
    ) -> Result<bool, Error> {
        while dest.filled() < whole {
            let had = self.fds.len();
            match self.read(socket, dest.room(whole), patience) {
                Ok(Read::Bytes(bytes)) => dest.fill(bytes),
                Ok(Read::NotYet) => return Ok(false),
                Ok(Read::End) => {
                    let crossed = (PREFIX + dest.filled()) as u64;
                    return Err(Error::ClosedInMessage { crossed, missing: (whole - dest.filled()) as u64 });
                }
                Err(Error::Timeout { doing, after, .. }) => {
                    return Err(Error::Timeout { doing, after, crossed: (PREFIX + dest.filled()) as u64 });
                }
                Err(error) => return Err(error),
            }
            expected.check_most(self.fds.len())?;
            if self.fds.len() > had {
                return Err(Error::FdsMisplaced { found: self.fds.len() - had, at: Misplaced::Later });
            }
        }
        Ok(true)
    }

    /// One read that brought something, or nothing for now, or the end.
    fn read(
        &mut self,
        socket: BorrowedFd<'_>,
        into: &mut [u8],
        patience: &mut Patience,
    ) -> Result<Read, Error> {
        let begun = self.has_begun();
        loop {
            let flags = if patience.may_block(begun) { RecvFlags::empty() } else { RecvFlags::DONTWAIT };
            match control::receive(socket, into, &mut self.fds, flags) {
                Ok(came) if came.lost => return Err(Error::FdsLost { came: self.fds.len() }),
                Ok(came) if came.bytes == 0 => return Ok(Read::End),
                Ok(came) => return Ok(Read::Bytes(came.bytes)),
                Err(Errno::INTR) if patience.signals() == Signals::Heeded => return Err(Error::interrupted()),
                Err(Errno::INTR) => {}
                Err(Errno::CONNRESET) => self.reset = true,
                Err(Errno::AGAIN) => {
                    if !self.wait(socket, patience)? {
                        return Ok(Read::NotYet);
                    }
                }
                Err(error) => return Err(Error::io("receiving a message", error)),
            }
        }
    }

    /// Waits for more where the caller does; whether there is.
    pub(super) fn wait(&mut self, socket: BorrowedFd<'_>, patience: &mut Patience) -> Result<bool, Error> {
        let message = if self.has_begun() {
            let crossed = self.head_len as u64;
            Some((self.limit(patience.limits()), crossed))
        } else {
            None
        };
        patience.wait(socket, message)
    }

    /// The length that the prefix says, where it is whole.
    fn announced(&self, order: ByteOrder) -> Option<usize> {
        let prefix = self.head[..PREFIX].try_into().expect("four bytes");
        let length = match order {
            ByteOrder::Big => u32::from_be_bytes(prefix),
            ByteOrder::Little => u32::from_le_bytes(prefix),
        };
        // Where an address has 16 bits, no body of such a length can be allowed.
        (self.head_len >= PREFIX).then(|| usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// The end, where a message may have begun.
    fn ended(&self, whole: Option<usize>) -> Error {
        let crossed = self.head_len as u64;
        match whole {
            None if self.head_len == 0 => Error::PeerClosed { unread: self.reset },
            None => Error::ClosedInMessage { crossed, missing: PREFIX as u64 - crossed },
            Some(whole) => Error::ClosedInMessage { crossed, missing: whole as u64 },
        }
    }

    /// The file descriptors of a message that is whole, which is forgotten; the next one has begun where its first
    /// byte came with this one.
    fn next(&mut self, whole: usize) -> Vec<OwnedFd> {
        let next = self.fds_here.take().map(|here| self.fds.split_off(here));
        let fds = replace(&mut self.fds, next.unwrap_or_default());
        self.limit = None;
        self.fds_end = false;
        self.head_len = if whole == 0 { self.head_len - PREFIX } else { 0 };
        self.head[0] = self.head[PREFIX];
        fds
    }

    /// What was refused, with the direction shut down where it leaves a message half read.
    fn refuse(&mut self, socket: BorrowedFd<'_>, error: Error) -> Error {
        let resumes = match &error {
            Error::Timeout { doing, .. } => *doing != Doing::Receiving,
            Error::PeerClosed { .. } | Error::Io { .. } => true,
            _ => false,
        };
        if !resumes {
            self.broken = Some(error.code());
            self.fds.clear();
            self.body = Vec::new();
            // It fails where the connection is gone, which is the same.
            let _ = shutdown(socket, Shutdown::Read);
        }
        error
    }
}
