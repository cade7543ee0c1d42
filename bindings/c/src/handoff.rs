//! Messages with file descriptors over Unix sockets.

mod options;

use std::mem::take;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use wirecontract::export::{FdPlace, LentFd};
use wirecontract::hello::Hello;
use wirecontract::{Flags, Open, WireContract, wire_export};
use wirecontract_runtime::handoff;

use crate::system::{Error, Fds, adopt, duplicate, lend, limit, not_yet};
use options::{Opened, bounded, expect, open};

/// How messages are told apart. Both sides of a channel agree on it.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration)]
pub enum Framing {
    /// A stream socket: a length of four bytes, then the body.
    Stream = 0,
    /// A socket of packets (`SOCK_SEQPACKET`): a message is a packet, of at least one byte or one file descriptor, which
    /// the socket's send buffer bounds.
    Packets = 1,
}

/// The order of the bytes of a length.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration)]
pub enum ByteOrder {
    /// The highest byte first.
    Big = 0,
    /// The lowest byte first.
    Little = 1,
}

/// How the length of a message with file descriptors is sent. It is the sender's alone: receivers read both.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration)]
pub enum LengthPrefix {
    /// By a `sendmsg` of its own, for readers that read the length by a plain `read`.
    Apart = 0,
    /// By the body's `sendmsg`: one system call.
    Joined = 1,
}

/// Whose processes are let in, by the effective user that they had when they connected or listened.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration)]
pub enum Peers {
    /// Those of this process's effective user, and no other's: not even root's.
    SameUser = 0,
    /// Those of one user, whom the options name.
    User = 1,
    /// Anyone's.
    Anyone = 2,
}

/// What else is let come.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(flags)]
pub enum FdsFlag {
    /// One open file may come more than once in a message, as the planes of an image in one dma-buf do. Without it such a
    /// message is refused (`fd_count`), and the channel goes on: who closes one of them, or moves its offset, does so with
    /// the other.
    Repeated = 1,
}

/// How far a call that does not wait has come with a message.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration)]
pub enum Sent {
    /// All of it is with the kernel.
    Whole = 0,
    /// It is taken: its rest is kept in the channel, with duplicates of file descriptors that are still to go, until
    /// `flush`, `try_flush` or the next message sends it.
    Begun = 1,
    /// Nothing was taken: give it again when the channel is writable.
    NotYet = 2,
}

/// How a channel frames, waits and admits, and what it lets come. Zero everywhere is what is usual.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct ChannelOptions {
    /// How messages are told apart.
    pub framing: Open<Framing>,
    /// The order of a length's bytes, of a stream.
    pub length_order: Open<ByteOrder>,
    /// How a length is sent, of a stream.
    pub prefix: Open<LengthPrefix>,
    /// Whose processes are let in.
    pub peers: Open<Peers>,
    /// The user who is let in, with `Peers::User`.
    pub user: u32,
    /// The most file descriptors of a message that is received, 253 at most; 0 is none.
    pub most_fds: u32,
    /// The most bytes of a body that is received; 0 is 1 MiB.
    pub most_bytes: u64,
    /// Milliseconds that a message may take from its first byte to its last, and connecting too; 0 is ten seconds, a
    /// negative number for ever. A message that takes longer leaves its direction of the channel shut down.
    pub message_timeout_ms: i32,
    /// Milliseconds that a receiver waits for the first byte of a message; 0 or a negative number is for ever.
    pub idle_timeout_ms: i32,
    /// The `id` of a `ChannelHello`, which the channel says before anything else; 0 is no hello. Both sides say one or
    /// neither does.
    pub hello: u64,
    /// Bytes of the socket's send buffer; 0 is what the system gives.
    pub send_buffer_bytes: u32,
    /// The permissions of a listener's socket file, 0777 at most; 0 is 0600.
    pub mode: u32,
    /// How many connections may wait to be accepted; 0 is 128.
    pub backlog: u16,
    /// What else is let come.
    pub fds: Flags<FdsFlag>,
}

/// What a receiver lets come with one message.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct Expected {
    /// The most bytes of a body.
    pub most_bytes: u64,
    /// The fewest file descriptors.
    pub least_fds: u32,
    /// The most file descriptors, 253 at most, which is what a message carries.
    pub most_fds: u32,
    /// What else is let come.
    pub fds: Flags<FdsFlag>,
}

/// What a side of channels says that it speaks. Options name it by its `id`, for as many channels and listeners as one
/// likes; it may end as soon as these are made.
///
/// A channel with a hello sends it before everything else, and receives nothing before the peer's: one that speaks another
/// form of a contract is refused by name (`id_mismatch`), with the wire ids of both sides, and so is every call from then
/// on.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct ChannelHello {
    speaks: Hello,
    may_speak: Hello,
}

#[wire_export(prefix = "wc")]
impl ChannelHello {
    /// A hello of these contracts, each of which the peer has to speak.
    pub fn create(speaks: &Hello) -> Result<Self, Error> {
        ChannelHello::create_with(speaks, &Hello::new())
    }

    /// A hello of these contracts, and of those that the peer may speak: of one that it does not, `Channel::agreed` says
    /// so. What both name the peer has to speak.
    pub fn create_with(speaks: &Hello, may_speak: &Hello) -> Result<Self, Error> {
        speaks.check()?;
        may_speak.check()?;
        Ok(ChannelHello { speaks: speaks.clone(), may_speak: may_speak.clone() })
    }
}

impl ChannelHello {
    /// The same in the options of a channel.
    fn said(&self, options: handoff::Options) -> handoff::Options {
        options.hello(self.speaks.clone()).may_hello(self.may_speak.clone())
    }
}

/// A connected Unix socket on which whole messages go, each with 0 to 253 file descriptors.
///
/// Threads may share it: in each direction one call at a time has it. Sending raises no SIGPIPE. A direction that fails
/// in the middle of a message is shut down and is `refused` from then on; the other one stays.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct Channel {
    pub(crate) channel: handoff::Channel,
    expected: handoff::Expected,
}

impl Channel {
    /// Sends with file descriptors of the caller's.
    ///
    /// # Safety
    /// Nobody closes them during the call.
    unsafe fn lend<T>(
        &self,
        fds: &[i32],
        send: impl FnOnce(&[BorrowedFd<'_>]) -> Result<T, handoff::Error>,
    ) -> Result<T, Error> {
        let sends_ahead =
            matches!(self.channel.framing(), handoff::Framing::Stream { prefix: handoff::Prefix::Apart, .. });
        // SAFETY: as the caller promises.
        unsafe { lend(fds, sends_ahead, send) }
    }
}

#[wire_export(prefix = "wc")]
impl Channel {
    /// Two channels that are connected with each other, of one process or to hand one of their sockets to another.
    #[wire(out(one, other))]
    pub fn pair(options: Option<&ChannelOptions>) -> Result<(Channel, Channel), Error> {
        let Opened { options, expected } = open(options)?;
        let (one, other) = handoff::Channel::pair(&options)?;
        Ok((Channel { channel: one, expected }, Channel { channel: other, expected }))
    }

    /// Connects to a listener at the path of a socket file, whose process has to belong to whom the options let in.
    ///
    /// Fails with `io` where nobody listens (the detail is `ENOENT` or `ECONNREFUSED`), with `refused` for a peer of
    /// another user, with `too_large` for a path of more than 107 bytes.
    pub fn connect(path: &str, options: Option<&ChannelOptions>) -> Result<Self, Error> {
        let Opened { options, expected } = open(options)?;
        Ok(Channel { channel: handoff::Channel::connect(Path::new(path), &options)?, expected })
    }

    /// A channel of a connected socket that was inherited, or received. Where it succeeds the channel owns the socket,
    /// whose number is then another; where it fails, `fd` stays the caller's.
    ///
    /// Fails with `fd_kind` for anything but a connected Unix socket of the framing's kind, with `bad_handle` for a
    /// number that is not open.
    ///
    /// # Safety
    /// `fd` is the caller's to give away, and nobody closes it during the call.
    pub unsafe fn from_socket(fd: i32, options: Option<&ChannelOptions>) -> Result<Self, Error> {
        let Opened { options, expected } = open(options)?;
        // SAFETY: as the caller promises.
        let channel = unsafe { adopt(fd, |fd| handoff::Channel::from_fd(fd, &options)) }?;
        Ok(Channel { channel, expected })
    }

    /// The socket, to be polled: for reading at any time, for writing where `wants_write` says so. It stays the
    /// channel's: nobody else closes, reads or writes it.
    pub fn fd(&self) -> LentFd {
        LentFd::of(&self.channel)
    }

    /// Whether the channel is to be polled for writing: the rest of a message waits for `try_flush`.
    pub fn wants_write(&self) -> bool {
        self.channel.interest().writable
    }

    /// Whether a message may still be received, as the calls that are over left it. Not where one of them received the end
    /// or left the direction in the middle of a message (a stream's message that was refused by its size or file
    /// descriptors, or that took too long), not where the peer's hello was refused, and not behind `shut_down`. So a loop
    /// that receives goes on behind a refusal where this says so, and ends where it does not.
    pub fn can_receive(&self) -> bool {
        self.channel.can_receive()
    }

    /// Whether a message may still be sent, likewise: not where a call found that the peer receives nothing more, or left
    /// the direction in the middle of a message, and not behind `finish`.
    pub fn can_send(&self) -> bool {
        self.channel.can_send()
    }

    /// The version of a contract that both sides speak, by their hellos: the highest that both list with the same wire id,
    /// which this gives as well. `contract` is the name that hellos have for it: a header's `…_CONTRACT`.
    ///
    /// Waits for the peer's hello for so many milliseconds: 0 is not at all, a negative number for ever. A call that
    /// receives hears it too.
    ///
    /// Fails with `id_mismatch` where the peer does not speak it, or this side does not say so, with `timeout`, and with
    /// what else is wrong with the peer's hello.
    #[wire(out(version, wire_id))]
    pub fn agreed(&self, contract: &str, timeout_ms: i32) -> Result<(u32, u64), Error> {
        let agreed = self.channel.agreed_of(contract, limit(timeout_ms))?;
        Ok((agreed.version, agreed.wire_id))
    }

    /// Sends a message, and returns when all of it is with the kernel.
    ///
    /// The file descriptors stay the caller's, who may close them as soon as the call returns: the peer gets duplicates.
    ///
    /// Fails with `too_many` for more than 253 file descriptors, `timeout`, `peer_closed`.
    ///
    /// # Safety
    /// Nobody closes the file descriptors during the call.
    pub unsafe fn send(&self, body: &[u8], fds: &[i32]) -> Result<(), Error> {
        // SAFETY: as the caller promises.
        unsafe { self.lend(fds, |fds| self.channel.send(body, fds)) }
    }

    /// Sends what the kernel takes of a message without waiting, and says how far it is. What is kept of it is copied, so
    /// that body and file descriptors stay the caller's also where the message was begun only.
    ///
    /// Fails as `send` does.
    ///
    /// # Safety
    /// Nobody closes the file descriptors during the call.
    pub unsafe fn try_send(&self, body: &[u8], fds: &[i32]) -> Result<Sent, Error> {
        // SAFETY: as the caller promises.
        let sent = unsafe { self.lend(fds, |fds| self.channel.try_send(body, fds)) }?;
        Ok(sent.into())
    }

    /// Sends a message with the wire id of its contract before it (a header's `…_WIRE_ID`): eight bytes, little-endian. For
    /// wires on which several contracts cross, or whose other side expects it (`receive_framed`; `recv_framed` and
    /// `recv_frame` of other languages). What the message says is the caller's to see to.
    ///
    /// Fails as `send` does.
    ///
    /// # Safety
    /// Nobody closes the file descriptors during the call.
    pub unsafe fn send_framed(&self, wire_id: u64, body: &[u8], fds: &[i32]) -> Result<(), Error> {
        // SAFETY: as the caller promises.
        unsafe { self.lend(fds, |fds| self.channel.send_frame(wire_id, body, fds)) }
    }

    /// The same without waiting, as `try_send` has it.
    ///
    /// # Safety
    /// Nobody closes the file descriptors during the call.
    pub unsafe fn try_send_framed(&self, wire_id: u64, body: &[u8], fds: &[i32]) -> Result<Sent, Error> {
        // SAFETY: as the caller promises.
        let sent = unsafe { self.lend(fds, |fds| self.channel.try_send_frame(wire_id, body, fds)) }?;
        Ok(sent.into())
    }

    /// Sends the rest of a message that was begun, as long as that may take.
    pub fn flush(&self) -> Result<(), Error> {
        Ok(self.channel.flush()?)
    }

    /// Sends of that rest what the kernel takes without waiting; whether nothing is left.
    pub fn try_flush(&self) -> Result<bool, Error> {
        Ok(self.channel.try_flush()?)
    }

    /// Receives a message, of the bounds that `expected` says, or without it the channel's options.
    ///
    /// Waits for so many milliseconds: 0 is not at all, a negative number as long as the options say. Where the time is
    /// over (`timeout`), what came of the message stays, and a later call goes on with it.
    ///
    /// Fails with `peer_closed` where nothing more comes, and with `too_large` or `fd_count` for a message beyond the
    /// bounds. File descriptors that came with what is refused are closed.
    pub fn receive(&self, expected: Option<&Expected>, timeout_ms: i32) -> Result<Message, Error> {
        let expected = expected.map_or(Ok(self.expected), expect)?;
        let message = match limit(timeout_ms) {
            None => self.channel.recv(&expected)?,
            Some(within) if within.is_zero() => {
                self.channel.try_recv(&expected)?.ok_or_else(|| not_yet("a message"))?
            }
            Some(within) => self.channel.recv_within(&expected, within)?,
        };
        Ok(Message { body: Body::Whole(message.body), fds: Mutex::new(Fds::new(message.fds)) })
    }

    /// Receives a message that begins with the wire id of its contract, which this gives: the body of the message is what is
    /// behind it, and so are the bounds.
    ///
    /// Waits and fails as `receive` does; with `too_short` for a message that has no room for a wire id, of which nothing is
    /// left, and the channel goes on.
    #[wire(out(message, wire_id))]
    pub fn receive_framed(
        &self,
        expected: Option<&Expected>,
        timeout_ms: i32,
    ) -> Result<(Message, u64), Error> {
        let expected = expected.map_or(Ok(self.expected), expect)?;
        let mut frame = match limit(timeout_ms) {
            None => self.channel.recv_frame(&expected)?,
            Some(within) if within.is_zero() => {
                self.channel.try_recv_frame(&expected)?.ok_or_else(|| not_yet("a message"))?
            }
            Some(within) => self.channel.recv_frame_within(&expected, within)?,
        };
        let fds = Mutex::new(Fds::new(take(&mut frame.fds)));
        let wire_id = frame.wire_id;
        Ok((Message { body: Body::Framed(frame), fds }, wire_id))
    }

    /// Receives a message into memory of the caller's, and says how many bytes and file descriptors came. The room for
    /// both bounds the message, and the channel's options say whether a file may come twice. Nothing is allocated but for
    /// file descriptors.
    ///
    /// The file descriptors are the caller's, who closes them; all others of `fds` are -1. Where the call fails, whatever
    /// for, all are, and those that came are closed; what is in `body` then is anything.
    ///
    /// Waits and fails as `receive` does.
    #[wire(out(bytes, fd_count))]
    pub fn receive_into(
        &self,
        body: &mut [u8],
        fds: &mut [FdPlace],
        timeout_ms: i32,
    ) -> Result<(usize, usize), Error> {
        let expected = bounded(self.expected, body.len(), fds.len());
        let received = match limit(timeout_ms) {
            None => self.channel.recv_into(body, &expected)?,
            Some(within) if within.is_zero() => {
                self.channel.try_recv_into(body, &expected)?.ok_or_else(|| not_yet("a message"))?
            }
            Some(within) => self.channel.recv_into_within(body, &expected, within)?,
        };
        let came = received.fds.len();
        fds.iter_mut().zip(received.fds).for_each(|(place, fd)| place.give(fd));
        Ok((received.bytes, came))
    }

    /// Says that nothing more will be sent: the peer receives what was sent, and then the end. Receiving goes on.
    pub fn finish(&self) -> Result<(), Error> {
        Ok(self.channel.finish()?)
    }

    /// Ends both directions. A call that waits on this channel in another thread ends as if the peer had closed it.
    pub fn shut_down(&self) -> Result<(), Error> {
        Ok(self.channel.close()?)
    }

    /// Waits until the peer will send nothing more, for so many milliseconds: 0 is not at all, a negative number for
    /// ever. Whether that is so; messages that were sent before may still be there.
    pub fn wait_closed(&self, timeout_ms: i32) -> Result<bool, Error> {
        Ok(self.channel.wait_closed(limit(timeout_ms))?)
    }

    /// The process, effective user and effective group at the other end, as the kernel noted them when it connected,
    /// listened or made the pair. `pid` is 0 where the process cannot be seen from this one's pid namespace; it is the
    /// process's for as long as that lives, and then another's.
    #[wire(out(pid, uid, gid))]
    pub fn peer(&self) -> (u32, u32, u32) {
        let peer = self.channel.peer();
        (peer.pid.unwrap_or(0), peer.uid, peer.gid)
    }

    /// The process at the other end as a pidfd, which is the caller's: it is readable when the process has ended, and is
    /// never another's.
    ///
    /// Fails with `refused` before Linux 6.5, with `peer_closed` where the process has ended.
    pub fn peer_pidfd(&self) -> Result<OwnedFd, Error> {
        Ok(self.channel.peer_process()?.into())
    }

    /// Takes a duplicate of what the process at the other end has open by that number, without its doing. It is the
    /// caller's.
    ///
    /// Fails with `refused` where this process may not trace the other one, with `bad_handle` where nothing is open there,
    /// and as `peer_pidfd` does.
    pub fn fetch_fd(&self, number: i32) -> Result<OwnedFd, Error> {
        Ok(self.channel.peer_process()?.fetch(number)?)
    }
}

/// Takes a duplicate of what a process has open by that number. It is the caller's; the pidfd stays so.
///
/// Fails with `fd_kind` for what is no pidfd, with `refused` where this process may not trace the other one, with
/// `bad_handle` where nothing is open there, with `peer_closed` where the process has ended.
///
/// # Safety
/// Nobody closes the pidfd during the call.
#[wire_export(prefix = "wc")]
pub unsafe fn fetch_fd(pidfd: i32, number: i32) -> Result<OwnedFd, Error> {
    // SAFETY: as the caller promises.
    let own = unsafe { duplicate(pidfd) }?;
    Ok(handoff::PidFd::try_from(own)?.fetch(number)?)
}

impl From<handoff::Sent> for Sent {
    fn from(sent: handoff::Sent) -> Sent {
        match sent {
            handoff::Sent::Whole => Sent::Whole,
            handoff::Sent::Begun => Sent::Begun,
            handoff::Sent::NotYet => Sent::NotYet,
        }
    }
}

/// A message that came. What file descriptors are not taken of it are closed with it.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct Message {
    body: Body,
    fds: Mutex<Fds>,
}

/// The bytes of a message, where they came.
#[derive(Debug)]
enum Body {
    Whole(Vec<u8>),
    /// Behind a wire id.
    Framed(handoff::Frame),
}

#[wire_export(prefix = "wc")]
impl Message {
    /// The bytes of the body, which live as long as the message, and how many these are. Where there are none, the
    /// pointer is not NULL and not to be read.
    #[wire(out(data, length))]
    pub fn body(&self) -> (*const u8, usize) {
        let body = match &self.body {
            Body::Whole(body) => body,
            Body::Framed(frame) => frame.body(),
        };
        (body.as_ptr(), body.len())
    }

    /// How many file descriptors came.
    pub fn fd_count(&self) -> usize {
        self.with_fds(|fds| fds.count())
    }

    /// Gives the file descriptor of that index, in the order in which they were sent. It is the caller's from then on,
    /// and closed on exec.
    ///
    /// Fails with `out_of_range` where so many did not come, with `bad_handle` where it was taken before.
    pub fn take_fd(&self, index: usize) -> Result<OwnedFd, Error> {
        self.with_fds(|fds| fds.take(index))
    }
}

impl Message {
    /// A panic while it is locked leaves every file descriptor with one owner.
    pub(crate) fn with_fds<T>(&self, work: impl FnOnce(&mut Fds) -> T) -> T {
        work(&mut self.fds.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A socket at which peers connect, and the file by which they find it. Ending it removes that file; channels that were
/// accepted stay.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct Listener {
    pub(crate) listener: handoff::Listener,
    expected: handoff::Expected,
}

#[wire_export(prefix = "wc")]
impl Listener {
    /// Listens at the path of a socket file, which is made; one that a process left that is gone is replaced.
    ///
    /// Fails with `busy` where somebody listens there, with `refused` where anything else is there, with `too_large` for a
    /// path of more than 107 bytes.
    pub fn bind(path: &str, options: Option<&ChannelOptions>) -> Result<Self, Error> {
        let Opened { options, expected } = open(options)?;
        Ok(Listener { listener: handoff::Listener::bind(Path::new(path), &options)?, expected })
    }

    /// A listener of a socket that listens already, as a service manager hands it over. Where it succeeds the listener
    /// owns the socket, whose number is then another; where it fails, `fd` stays the caller's. The file stays whoever's
    /// it was.
    ///
    /// Fails with `fd_kind` for anything but a Unix socket of the framing's kind that listens, with `bad_handle` for a
    /// number that is not open.
    ///
    /// # Safety
    /// `fd` is the caller's to give away, and nobody closes it during the call.
    pub unsafe fn from_socket(fd: i32, options: Option<&ChannelOptions>) -> Result<Self, Error> {
        let Opened { options, expected } = open(options)?;
        // SAFETY: as the caller promises.
        let listener = unsafe { adopt(fd, |fd| handoff::Listener::from_fd(fd, &options)) }?;
        Ok(Listener { listener, expected })
    }

    /// The socket, to be polled for reading: somebody has connected. It stays the listener's.
    pub fn fd(&self) -> LentFd {
        LentFd::of(&self.listener)
    }

    /// Gives a peer that has connected, and waits for one for so many milliseconds: 0 is not at all, a negative number
    /// for ever.
    ///
    /// Fails with `timeout`, with `refused` for a peer of a user who is not let in, which says nothing of the next one.
    pub fn accept(&self, timeout_ms: i32) -> Result<Channel, Error> {
        let channel = match limit(timeout_ms) {
            None => self.listener.accept()?,
            Some(within) if within.is_zero() => {
                self.listener.try_accept()?.ok_or_else(|| not_yet("a peer"))?
            }
            Some(within) => self.listener.accept_within(within)?,
        };
        Ok(Channel { channel, expected: self.expected })
    }
}
