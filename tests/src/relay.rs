//! A process that is killed at a message: between its side and the socket, a relay hands messages on and knows which one it
//! is. And what a process has open, to be compared by the one that survives.

use std::fs;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{Signal, getpid, kill_process};
use wirecontract_runtime::handoff::{Channel, Error, Expected, Options};

/// Longer than any machine takes.
pub const LONG: Duration = Duration::from_secs(120);

/// Options of a channel that waits long and says nothing of itself.
#[must_use]
pub fn patient() -> Options {
    Options::default().message_timeout(LONG)
}

/// What a process has open: file descriptors, memfds that are mapped, and names of this library's in `/dev/shm`.
///
/// # Errors
/// `/proc` cannot be read.
pub fn opened() -> io::Result<(usize, Vec<String>, usize)> {
    let maps = fs::read_to_string("/proc/self/maps")?;
    let mapped = maps.lines().filter(|line| line.contains("memfd:")).map(str::to_owned).collect();
    let is_ours = |entry: &io::Result<fs::DirEntry>| {
        entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("wirecontract"))
    };
    let shared = fs::read_dir("/dev/shm").map_or(0, |folder| folder.filter(is_ours).count());
    Ok((fs::read_dir("/proc/self/fd")?.count(), mapped, shared))
}

/// At which message a process kills itself, counted from 1 in whatever direction it goes, and when: `before`, `half` or
/// `after`.
pub type Kill = Option<(usize, String)>;

/// Hands messages on between a side and the socket, and kills this process at the one that it was told.
struct Relay {
    side: Channel,
    socket: Channel,
    /// Locked by who hands on the message that this process is killed at: none goes behind it.
    count: Mutex<usize>,
    kill: Kill,
}

/// A channel with these options that is relayed to the socket, and what ends when all is handed on.
///
/// # Errors
/// No file descriptor is left.
pub fn relayed(
    socket: Channel,
    options: &Options,
    kill: Kill,
) -> Result<(Channel, [JoinHandle<()>; 2]), Error> {
    let io = |error| Error::Io { doing: "making a pair of sockets".into(), source: error };
    let (one, other) = UnixStream::pair().map_err(io)?;
    let side = Channel::from_fd(one.into(), options)?;
    let other = Channel::from_fd(other.into(), &patient())?;
    let relay = Arc::new(Relay { side: other, socket, count: Mutex::new(0), kill });
    let back = Arc::clone(&relay);
    let there = thread::spawn(move || relay.forward(&relay.side, &relay.socket));
    let here = thread::spawn(move || back.forward(&back.socket, &back.side));
    Ok((side, [there, here]))
}

impl Relay {
    fn forward(&self, from: &Channel, to: &Channel) {
        let expected = Expected::bytes(1 << 20).fds(0..=253);
        while let Ok(message) = from.recv(&expected) {
            let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
            *count += 1;
            let when = self.kill.as_ref().filter(|(at, _)| *at == *count).map(|(_, when)| when.as_str());
            if when.is_none() {
                drop(count);
            }
            let fds: Vec<_> = message.fds.iter().map(OwnedFd::as_fd).collect();
            match when {
                Some("before") => killed(),
                Some("half") => {
                    send_half(to, &message.body, &fds);
                    killed();
                }
                _ => {}
            }
            let sent = to.send(&message.body, &fds);
            if when == Some("after") {
                killed();
            }
            if sent.is_err() {
                break;
            }
        }
        let _ = (from.close(), to.close());
    }
}

/// Sends half of a message as a channel sends the whole of it: the length, then the body and what rides on its first byte.
/// What becomes of it is nobody's to know any more.
fn send_half(to: &Channel, body: &[u8], fds: &[BorrowedFd<'_>]) {
    let length = u32::try_from(body.len()).expect("it is short").to_be_bytes();
    let mut none = SendAncillaryBuffer::default();
    let _ = sendmsg(to, &[IoSlice::new(&length)], &mut none, SendFlags::NOSIGNAL);
    let mut space = vec![MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(253))];
    let mut rights = SendAncillaryBuffer::new(&mut space);
    assert!(fds.is_empty() || rights.push(SendAncillaryMessage::ScmRights(fds)), "a message has no more");
    let _ = sendmsg(to, &[IoSlice::new(&body[..body.len() / 2])], &mut rights, SendFlags::NOSIGNAL);
}

fn killed() -> ! {
    kill_process(getpid(), Signal::KILL).expect("it is this process");
    loop {
        thread::park();
    }
}
