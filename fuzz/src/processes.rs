//! What comes from another process: bytes and file descriptors on a socket, and a file of memory with its numbers.

use std::io::{IoSlice, pipe};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, sendmsg,
    socketpair,
};
use wirecontract_runtime::handoff::{ByteOrder, Channel, Error, Expected, Framing, Options, Prefix};
use wirecontract_runtime::host::{Access, HostMapping, Import};

/// The most bytes of a body that is let come.
const MOST: usize = 48;

/// The bytes of a length.
const PREFIX: usize = 4;

/// A stream of messages as a peer sends it: a first byte for how it is received, and then pieces, each with a byte that
/// says how many bytes (6 bits) and file descriptors (2 bits) one `sendmsg` has.
///
/// # Panics
/// When what is received is not what was sent, or not all of it where nothing was wrong, or a file descriptor is lost.
pub fn framing(bytes: &[u8]) {
    let Some((&how, script)) = bytes.split_first() else { return };
    let script = &script[..script.len().min(4096)];
    // Who reads a pipe sees its end when nobody has the other one any more.
    let (reads, file) = pipe().expect("a pipe");
    let file = OwnedFd::from(file);
    {
        let order = if how & 1 == 0 { ByteOrder::Big } else { ByteOrder::Little };
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).expect("sockets");
        let options = Options::default().framing(Framing::Stream { length: order, prefix: Prefix::Apart });
        let channel = Channel::from_fd(ours, &options).expect("a socket");
        let mut expected = Expected::bytes(MOST);
        if how & 2 != 0 {
            expected = expected.fds(0..=3).repeated();
        }
        let (mut sent, mut any_fds, mut came, mut refused) = (Vec::new(), false, Vec::new(), None);
        let receive = |came: &mut Vec<Vec<u8>>, refused: &mut Option<Error>| {
            while refused.is_none() {
                match channel.try_recv(&expected) {
                    Ok(Some(message)) => came.push(message.body),
                    Ok(None) => break,
                    Err(error) => *refused = Some(error),
                }
            }
        };
        let mut rest = script;
        while let Some((&head, behind)) = rest.split_first() {
            let (piece, behind) = behind.split_at(usize::from(head & 63).min(behind.len()));
            rest = behind;
            let fds = vec![file.as_fd(); usize::from(head >> 6)];
            if piece.is_empty() || send(theirs.as_fd(), piece, &fds).is_err() {
                // Nothing was said, or the other side hears no more.
                continue;
            }
            sent.extend_from_slice(piece);
            any_fds |= !fds.is_empty();
            if how & 4 != 0 {
                receive(&mut came, &mut refused);
            }
        }
        drop(theirs);
        receive(&mut came, &mut refused);
        let (whole, bad) = parsed(&sent, order);
        assert_eq!(came, whole[..came.len().min(whole.len())], "what came is what was sent");
        let refused = refused.expect("it ends in any case");
        if !any_fds {
            assert_eq!(came.len(), whole.len(), "{refused}");
            match bad {
                Bad::No => assert!(refused.is_end(), "{refused}"),
                Bad::Half => assert!(matches!(refused, Error::ClosedInMessage { .. }), "{refused}"),
                Bad::Large => assert!(matches!(refused, Error::TooLarge { .. }), "{refused}"),
            }
        }
    }
    drop(file);
    let mut end = [PollFd::new(&reads, PollFlags::IN)];
    assert_eq!(poll(&mut end, Some(&Timespec::default())), Ok(1), "a file descriptor is left open");
}

/// What is wrong behind the messages that are whole.
enum Bad {
    No,
    Half,
    Large,
}

/// The messages of a stream, read by other means.
fn parsed(mut sent: &[u8], order: ByteOrder) -> (Vec<Vec<u8>>, Bad) {
    let mut whole = Vec::new();
    loop {
        let Some((prefix, behind)) = sent.split_first_chunk::<PREFIX>() else {
            return (whole, if sent.is_empty() { Bad::No } else { Bad::Half });
        };
        let length = match order {
            ByteOrder::Big => u32::from_be_bytes(*prefix),
            ByteOrder::Little => u32::from_le_bytes(*prefix),
        } as usize;
        if length > MOST {
            return (whole, Bad::Large);
        }
        if behind.len() < length {
            return (whole, Bad::Half);
        }
        whole.push(behind[..length].to_vec());
        sent = &behind[length..];
    }
}

fn send(socket: BorrowedFd<'_>, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> rustix::io::Result<usize> {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = SendAncillaryBuffer::new(&mut room);
    if !fds.is_empty() {
        assert!(control.push(SendAncillaryMessage::ScmRights(fds)));
    }
    sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL | SendFlags::DONTWAIT)
}

/// The numbers of a buffer and a file for them: size, allocation and offset, the file's size, its seals, the access.
///
/// # Panics
/// When what is mapped could not be all there, or what is right is refused.
pub fn import(bytes: &[u8]) {
    let Some((numbers, [seals, access, ..])) = bytes.split_first_chunk::<32>() else { return };
    let number = |at: usize| u64::from_le_bytes(numbers[at * 8..][..8].try_into().expect("eight bytes"));
    let (size, allocation_size, offset, file_size) = (number(0), number(1), number(2), number(3));
    let file = memfd_create("a buffer", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).expect("a file");
    if ftruncate(&file, file_size).is_err() {
        return;
    }
    // Those of a memfd: against more seals, shrinking, growing, writing, and new writers.
    let seals = SealFlags::from_bits_truncate(u32::from(*seals & 31));
    fcntl_add_seals(&file, seals).expect("nobody writes it");
    let access = if access & 1 == 0 { Access::ReadOnly } else { Access::ReadWrite };
    let inside = size > 0
        && u128::from(offset) + u128::from(size) <= u128::from(allocation_size)
        && allocation_size <= file_size;
    let writes = seals.intersects(SealFlags::WRITE | SealFlags::FUTURE_WRITE);
    let fits = seals.contains(SealFlags::SHRINK) && (access == Access::ReadOnly || !writes);
    let import = Import { size, allocation_size, offset, access };
    let file: OwnedFd = file;
    match HostMapping::import(file, &import) {
        Ok(mapping) => {
            assert!(inside && fits, "{import:?} of {file_size} bytes with {seals:?}");
            let mut byte = [1];
            for at in [0, size / 2, size - 1] {
                mapping.read_at(at, &mut byte).expect("it is inside");
                assert_eq!(byte, [0]);
            }
            mapping.read_at(size, &mut byte).expect_err("it is behind the end");
        }
        // What is larger than a machine maps is refused as well.
        Err(error) => assert!(!(inside && fits) || size > 1 << 40, "{error}"),
    }
}
