//! A message on its way out: its bytes from any place on, without a copy of the body.

use std::borrow::Cow;
use std::io::IoSlice;
use std::os::fd::BorrowedFd;

use rustix::io::Result;

use super::{ByteOrder, Error, Framing, MOST_FDS, Prefix, control};

/// How many parts the kernel takes at once (`UIO_MAXIOV`).
const MOST_PARTS: usize = 1024;

/// How many parts are put together on the stack: the prefix and a body that is not in shreds.
const FEW_PARTS: usize = 16;

/// The bytes of a length prefix.
pub(crate) const PREFIX: usize = 4;

/// A message, and where its file descriptors ride.
pub(crate) struct Outgoing<'a> {
    head: Head,
    parts: &'a [IoSlice<'a>],
    whole: usize,
    fds: &'a [BorrowedFd<'a>],
    /// The byte that begins the `sendmsg` with the file descriptors.
    fds_at: usize,
    packet: bool,
}

/// A length prefix, where there is one.
#[derive(Clone, Copy)]
struct Head {
    bytes: [u8; PREFIX],
    length: usize,
}

impl Head {
    const NONE: Head = Head { bytes: [0; PREFIX], length: 0 };

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl<'a> Outgoing<'a> {
    /// A message of that body, whose parts are sent behind each other.
    pub(crate) fn new(
        framing: Framing,
        parts: &'a [IoSlice<'a>],
        fds: &'a [BorrowedFd<'a>],
    ) -> std::result::Result<Outgoing<'a>, Error> {
        if fds.len() > MOST_FDS {
            return Err(Error::TooManyFds { most: MOST_FDS, found: fds.len() });
        }
        let body = parts.iter().try_fold(0usize, |sum, part| sum.checked_add(part.len()));
        let too_large = |found: u64| Error::TooLargeToSend { most: u32::MAX.into(), found, packet: false };
        let body = body.ok_or_else(|| too_large(u64::MAX))?;
        match framing {
            Framing::SeqPacket if body == 0 && fds.is_empty() => Err(Error::EmptyPacket),
            Framing::SeqPacket => {
                Ok(Outgoing { head: Head::NONE, parts, whole: body, fds, fds_at: 0, packet: true })
            }
            Framing::Stream { length, prefix } => {
                let announced = u32::try_from(body).map_err(|_| too_large(body as u64))?;
                let bytes = match length {
                    ByteOrder::Big => announced.to_be_bytes(),
                    ByteOrder::Little => announced.to_le_bytes(),
                };
                let whole = body.checked_add(PREFIX).ok_or_else(|| too_large(body as u64))?;
                // A stream carries nothing without a byte, so the prefix has to where there is no body.
                let apart = prefix == Prefix::Apart && !fds.is_empty() && body > 0;
                let fds_at = if apart { PREFIX } else { 0 };
                Ok(Outgoing {
                    head: Head { bytes, length: PREFIX },
                    parts,
                    whole,
                    fds,
                    fds_at,
                    packet: false,
                })
            }
        }
    }

    /// What is left of a message whose beginning was sent.
    pub(crate) fn rest(parts: &'a [IoSlice<'a>], fds: &'a [BorrowedFd<'a>], fds_at: usize) -> Outgoing<'a> {
        let whole = parts.iter().map(|part| part.len()).sum();
        Outgoing { head: Head::NONE, parts, whole, fds, fds_at, packet: false }
    }

    /// All bytes, the prefix among them.
    pub(crate) fn whole(&self) -> usize {
        self.whole
    }

    /// The bytes of the body.
    pub(crate) fn body(&self) -> usize {
        self.whole - self.head.length
    }

    /// The file descriptors that are still to go when so many bytes are sent, and the byte that they ride on, counted
    /// from there.
    pub(crate) fn fds_after(&self, sent: usize) -> (&'a [BorrowedFd<'a>], usize) {
        if sent <= self.fds_at && sent < self.whole { (self.fds, self.fds_at - sent) } else { (&[], 0) }
    }

    /// The bytes from that one on.
    pub(crate) fn bytes_from(&self, from: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.whole.saturating_sub(from));
        self.each_from(from, self.whole, |part| {
            bytes.extend_from_slice(part);
            true
        });
        bytes
    }

    /// Sends from that byte on what the kernel takes by one call, without waiting; how many bytes it took.
    pub(crate) fn send(&self, socket: BorrowedFd<'_>, from: usize) -> Result<usize> {
        let to = if from < self.fds_at { self.fds_at } else { self.whole };
        let fds = if from == self.fds_at { self.fds } else { &[] };
        let mut few = [IoSlice::new(&[]); FEW_PARTS];
        let mut count = 0;
        let all = self.each_from(from, to, |part| {
            let Some(place) = few.get_mut(count) else { return false };
            *place = IoSlice::new(part);
            count += 1;
            true
        });
        if all {
            return control::send(socket, &few[..count], fds);
        }
        let many = self.many(from, to);
        let parts: Vec<_> = many.iter().map(|part| IoSlice::new(part)).collect();
        control::send(socket, &parts, fds)
    }

    /// Many parts, as many as the kernel takes; of a packet, which has to go at once, those that are too many as one.
    fn many(&self, from: usize, to: usize) -> Vec<Cow<'_, [u8]>> {
        let mut parts = Vec::new();
        let mut reached = from;
        self.each_from(from, to, |part| {
            reached += part.len();
            parts.push(Cow::Borrowed(part));
            parts.len() < MOST_PARTS - 1
        });
        if self.packet && reached < to {
            parts.push(Cow::Owned(self.bytes_from(reached)));
        }
        parts
    }

    /// Shows the bytes between two places part by part, until one is not wanted; whether all were.
    fn each_from<'b>(&'b self, from: usize, to: usize, mut show: impl FnMut(&'b [u8]) -> bool) -> bool {
        let parts = std::iter::once(self.head.bytes()).chain(self.parts.iter().map(|part| &**part));
        let mut at = 0;
        for part in parts {
            let (start, end) = (from.max(at), to.min(at + part.len()));
            if start < end && !show(&part[start - at..end - at]) {
                return false;
            }
            at += part.len();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_message_is_what_its_beginning_leaves() {
        let parts = [IoSlice::new(b"ab"), IoSlice::new(b""), IoSlice::new(b"cde")];
        let message = Outgoing::new(Framing::default(), &parts, &[]).expect("it is small");
        let whole = b"\0\0\0\x05abcde";
        assert_eq!((message.whole(), message.body()), (9, 5));
        for from in 0..=whole.len() {
            assert_eq!(message.bytes_from(from), whole[from..], "from byte {from}");
        }
    }

    #[test]
    fn a_packet_in_shreds_is_whole() {
        let bytes: Vec<u8> = (0..3000u32).map(|byte| byte.to_le_bytes()[0]).collect();
        let parts: Vec<_> = bytes.chunks(1).map(IoSlice::new).collect();
        let message = Outgoing::new(Framing::SeqPacket, &parts, &[]).expect("it is small");
        let many = message.many(0, 3000);
        assert_eq!(many.len(), MOST_PARTS);
        assert_eq!(many.concat(), bytes);
        let stream = Outgoing::new(Framing::default(), &parts, &[]).expect("it is small");
        let many = stream.many(0, 3004);
        assert_eq!(many.concat()[PREFIX..], bytes[..MOST_PARTS - 2]);
    }
}
