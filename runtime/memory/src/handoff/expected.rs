//! What a receiver lets come, and what came.

use std::ops::RangeInclusive;
use std::os::fd::OwnedFd;

use super::same_file::repeated;
use super::{Error, MOST_FDS};

/// What a receiver lets come: the most bytes of a body, and how many file descriptors.
///
/// ```
/// use wirecontract_runtime::handoff::Expected;
///
/// const REQUEST: Expected = Expected::bytes(1 << 20);
/// const OFFER: Expected = Expected::bytes(4096).fds(1..=6);
/// const PLANES: Expected = OFFER.repeated();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    bytes: usize,
    least: usize,
    most: usize,
    repeated: bool,
}

impl Expected {
    /// A body of at most so many bytes, and no file descriptor.
    pub const fn bytes(most: usize) -> Expected {
        Expected { bytes: most, least: 0, most: 0, repeated: false }
    }

    /// What a message of that contract may have. How many file descriptors exactly, its bytes say.
    pub const fn of<M: wirecontract::Message>() -> Expected {
        Expected::bytes(M::MAX_BYTES).fds(0..=M::MAX_FDS)
    }

    /// The same with another number of bytes.
    pub(crate) const fn with_bytes(self, most: usize) -> Expected {
        Expected { bytes: most, ..self }
    }

    /// The same with a number of file descriptors within that range. What is beyond 253, which no message carries,
    /// says nothing; an empty range lets no message come.
    #[must_use]
    pub const fn fds(self, count: RangeInclusive<usize>) -> Expected {
        let (least, most) = (*count.start(), *count.end());
        Expected { least, most: if most > MOST_FDS { MOST_FDS } else { most }, ..self }
    }

    /// The same where one open file may come more than once, as the planes of an image in one dma-buf do. Else such a
    /// message is refused ([`Error::FdsRepeated`]): who closes one of them, or has its offset moved, has so with the other.
    #[must_use]
    pub const fn repeated(self) -> Expected {
        Expected { repeated: true, ..self }
    }

    /// Whether one open file may come more than once.
    pub const fn is_repeated(&self) -> bool {
        self.repeated
    }

    /// The most bytes of a body.
    pub const fn most_bytes(&self) -> usize {
        self.bytes
    }

    /// How many file descriptors may come.
    pub const fn fd_count(&self) -> RangeInclusive<usize> {
        self.least..=self.most
    }

    /// The same for a buffer of that length.
    pub(crate) fn within(self, buffer: usize) -> Expected {
        Expected { bytes: self.bytes.min(buffer), ..self }
    }

    /// Whether any file descriptor may come.
    pub(crate) fn any_fds(self) -> bool {
        self.most > 0
    }

    /// Whether a body of that length may come.
    pub(crate) fn check_bytes(self, found: u64) -> Result<(), Error> {
        let most = self.bytes as u64;
        if found > most { Err(Error::TooLarge { most, found }) } else { Ok(()) }
    }

    /// Whether so many file descriptors are not already too many.
    pub(crate) fn check_most(self, found: usize) -> Result<(), Error> {
        if found > self.most { Err(Error::FdCount { expected: self.fd_count(), found }) } else { Ok(()) }
    }

    /// Whether those file descriptors may come together.
    pub(crate) fn check_repeated(self, fds: &[OwnedFd]) -> Result<(), Error> {
        match repeated(fds).filter(|_| !self.repeated) {
            Some((first, second)) => Err(Error::FdsRepeated { first, second }),
            None => Ok(()),
        }
    }

    /// Whether so many file descriptors may come.
    pub(crate) fn check_fds(self, found: usize) -> Result<(), Error> {
        if self.fd_count().contains(&found) {
            Ok(())
        } else {
            Err(Error::FdCount { expected: self.fd_count(), found })
        }
    }
}

/// A message that came.
#[derive(Debug, Default)]
pub struct Message {
    /// The bytes, without the length.
    pub body: Vec<u8>,
    /// The file descriptors in the order in which they were sent, closed on exec. They are the receiver's.
    pub fds: Vec<OwnedFd>,
}

/// A message that came, its body in a buffer of the caller's.
#[derive(Debug, Default)]
pub struct Received {
    /// The bytes of the body at the buffer's beginning.
    pub bytes: usize,
    /// The file descriptors in the order in which they were sent, closed on exec. They are the receiver's.
    pub fds: Vec<OwnedFd>,
}

/// How far a call that does not wait has come with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Sent {
    /// All of it is with the kernel.
    Whole,
    /// It is taken: its beginning is with the kernel, its rest is kept in the channel, with duplicates of file
    /// descriptors that are still to go, until `try_flush`, `flush` or the next message sends it.
    Begun,
    /// Nothing was taken: give it again when the channel is writable.
    NotYet,
}
