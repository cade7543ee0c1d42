//! What the tests of handoff share: files to hand over, raw sockets to misbehave with, and a count of what is open.
#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]

use std::fs;
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, fstat, memfd_create};
use rustix::io::{FdFlags, fcntl_getfd};
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, sendmsg,
    socketpair,
};
use wirecontract_runtime::handoff::{ByteOrder, Channel, Framing, Options, Prefix};

/// Longer than any machine takes.
pub const LONG: Duration = Duration::from_secs(120);

/// One test of a program at a time, from its first file on: what is open is counted for the process.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a test and compares the open file descriptors before and behind it.
pub fn balanced(test: impl FnOnce()) {
    let before = open_fds();
    test();
    assert_eq!(open_fds(), before, "open file descriptors, after and before");
}

/// The file descriptors that this process has open.
pub fn open_fds() -> Vec<String> {
    // The one that reads the folder has a number that depends on what else is open.
    let reading = |target: &str| target.starts_with("/proc/") && target.ends_with("/fd");
    let mut open: Vec<_> = fs::read_dir("/proc/self/fd")
        .expect("proc is mounted")
        .filter_map(|entry| {
            let path = entry.expect("proc is mounted").path();
            let target = fs::read_link(&path).ok()?.to_string_lossy().into_owned();
            (!reading(&target)).then(|| format!("{} {target}", path.display()))
        })
        .collect();
    open.sort();
    open
}

/// Options that wait long.
pub fn patient(framing: Framing) -> Options {
    Options::default().framing(framing).message_timeout(LONG)
}

pub const STREAM: Framing = Framing::Stream { length: ByteOrder::Big, prefix: Prefix::Apart };
pub const JOINED: Framing = Framing::Stream { length: ByteOrder::Big, prefix: Prefix::Joined };
pub const LITTLE: Framing = Framing::Stream { length: ByteOrder::Little, prefix: Prefix::Apart };
pub const FRAMINGS: [Framing; 4] = [STREAM, JOINED, LITTLE, Framing::SeqPacket];

/// Files that nobody else has.
pub fn files(count: usize) -> Vec<OwnedFd> {
    let file = |_| memfd_create("handed over", MemfdFlags::CLOEXEC).expect("memfds are there");
    (0..count).map(file).collect()
}

pub fn borrowed(files: &[OwnedFd]) -> Vec<BorrowedFd<'_>> {
    files.iter().map(AsFd::as_fd).collect()
}

/// Asserts that those are these files, in that order, under other numbers and closed on exec.
pub fn assert_same_files(came: &[OwnedFd], sent: &[OwnedFd]) {
    assert_eq!(came.len(), sent.len());
    for (came, sent) in came.iter().zip(sent) {
        let (came_stat, sent_stat) = (fstat(came).expect("it is open"), fstat(sent).expect("it is open"));
        assert_eq!((came_stat.st_dev, came_stat.st_ino), (sent_stat.st_dev, sent_stat.st_ino));
        assert!(fcntl_getfd(came).expect("it is open").contains(FdFlags::CLOEXEC));
    }
}

/// A body in which no byte is where another could be.
pub fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|at| u8::try_from(at % 251).expect("below 251")).collect()
}

/// A channel, and the bare socket of its peer.
pub fn channel_and_socket(options: &Options, framing: Framing) -> (Channel, OwnedFd) {
    let kind = match framing {
        Framing::SeqPacket => SocketType::SEQPACKET,
        _ => SocketType::STREAM,
    };
    let (ours, theirs) =
        socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).expect("sockets are there");
    (Channel::from_fd(ours, &options.clone().framing(framing)).expect("it is a connected socket"), theirs)
}

/// One `sendmsg`.
pub fn raw_send(socket: &OwnedFd, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> rustix::io::Result<usize> {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(253))];
    let mut control = SendAncillaryBuffer::new(&mut room);
    if !fds.is_empty() {
        assert!(control.push(SendAncillaryMessage::ScmRights(fds)));
    }
    sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)
}

/// A message as it is on the wire of a big-endian stream.
pub fn framed(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).expect("it is short");
    [&length.to_be_bytes(), body].concat()
}

/// Waits until there is something to read.
pub fn is_readable(socket: BorrowedFd<'_>) -> bool {
    let limit = Timespec::try_from(LONG).expect("it is short");
    poll(&mut [PollFd::from_borrowed_fd(socket, PollFlags::IN)], Some(&limit)) == Ok(1)
}
