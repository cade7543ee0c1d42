//! How a channel comes to be: as a pair, by connecting, from a socket that was handed over.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use rustix::io::{Errno, FdFlags, fcntl_setfd, ioctl_fionbio};
use rustix::net::sockopt::{Timeout, set_socket_timeout, socket_acceptconn, socket_domain, socket_type};
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, getpeername, socket_with, socketpair};

use super::channel::Origin;
use super::wait::Limit;
use super::{Address, Channel, Doing, Error, Framing, Options, sockopt};

impl Framing {
    /// The kind of socket.
    pub(crate) fn socket_type(self) -> SocketType {
        match self {
            Framing::Stream { .. } => SocketType::STREAM,
            Framing::SeqPacket => SocketType::SEQPACKET,
        }
    }

    /// The kind of a connected socket, in words.
    fn connected(self) -> &'static str {
        match self {
            Framing::Stream { .. } => "a connected Unix stream socket",
            Framing::SeqPacket => "a connected Unix socket of packets (SOCK_SEQPACKET)",
        }
    }
}

impl Channel {
    /// Two channels that are connected with each other. The peer of both is the process that makes them, also where
    /// one is handed to another process.
    pub fn pair(options: &Options) -> Result<(Channel, Channel), Error> {
        let kind = options.framing.socket_type();
        let (one, other) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)
            .map_err(|error| Error::io("making a pair of sockets", error))?;
        let channel = |socket| Channel::of(socket, options, Origin::Given);
        Ok((channel(one)?, channel(other)?))
    }

    /// Connects to a listener, whose process has to belong to whom the options let in.
    ///
    /// Where the listener's queue is full, it waits for [`Options::message_timeout`]. [`Error::AddressTooLong`],
    /// [`Error::BadAddress`], [`Error::PeerUser`], [`Error::Timeout`]; where nobody listens, [`Error::Io`].
    pub fn connect(address: impl Into<Address>, options: &Options) -> Result<Channel, Error> {
        let address = address.into();
        let (to, _directory) = address.to_connect()?;
        let socket = unconnected(options.framing, SocketFlags::CLOEXEC)?;
        let limit = Limit::of(options.limits.message);
        let failed = |error| Error::io(format!("connecting to {address}"), error);
        loop {
            // Zero is no limit to the kernel.
            let left = limit.map(|limit| limit.left().max(std::time::Duration::from_micros(1)));
            set_socket_timeout(&socket, Timeout::Send, left).map_err(failed)?;
            match connect(&socket, &to) {
                Ok(()) => break,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let after = options.limits.message.unwrap_or_default();
                    return Err(Error::Timeout { doing: Doing::Connecting, after, crossed: 0 });
                }
                Err(error) => return Err(failed(error)),
            }
        }
        set_socket_timeout(&socket, Timeout::Send, None).map_err(failed)?;
        Channel::of(socket, options, Origin::Connected)
    }

    /// Connects where the listener's queue is not full, and never waits.
    pub fn try_connect(address: &Address, options: &Options) -> Result<Option<Channel>, Error> {
        let (to, _directory) = address.to_connect()?;
        let socket = unconnected(options.framing, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK)?;
        loop {
            match connect(&socket, &to) {
                Ok(()) => {
                    ioctl_fionbio(&socket, false)
                        .map_err(|error| Error::io("setting a channel's options", error))?;
                    return Channel::of(socket, options, Origin::Connected).map(Some);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(None),
                Err(error) => return Err(Error::io(format!("connecting to {address}"), error)),
            }
        }
    }

    /// A channel of a socket that was made elsewhere and handed over: inherited, or received. The channel owns it;
    /// where it is refused, it is closed. It is closed on exec from then on, and delivers nothing beside bytes and
    /// file descriptors, whatever it was told to before.
    ///
    /// [`Error::FdKind`] where it is no connected Unix socket of the framing's kind, [`Error::PeerUser`].
    pub fn from_fd(fd: OwnedFd, options: &Options) -> Result<Channel, Error> {
        let expected = options.framing.connected();
        check_socket(fd.as_fd(), options.framing.socket_type(), expected)?;
        let refused = |found: &str| Err(Error::FdKind { expected, found: found.to_owned() });
        if listens(fd.as_fd())? {
            return refused("a socket that listens");
        }
        match getpeername(&fd) {
            Ok(Some(_)) => {}
            Ok(None) | Err(Errno::NOTCONN) => return refused("a socket that is not connected"),
            Err(error) => return Err(Error::io("asking for the peer's address", error)),
        }
        adopt(fd.as_fd())?;
        Channel::of(fd, options, Origin::Given)
    }
}

/// A socket that is not connected yet.
pub(crate) fn unconnected(framing: Framing, flags: SocketFlags) -> Result<OwnedFd, Error> {
    socket_with(AddressFamily::UNIX, framing.socket_type(), flags, None)
        .map_err(|error| Error::io("making a socket", error))
}

/// Refuses what is no Unix socket of that kind.
pub(crate) fn check_socket(
    fd: BorrowedFd<'_>,
    kind: SocketType,
    expected: &'static str,
) -> Result<(), Error> {
    let refused = |found: String| Err(Error::FdKind { expected, found });
    match socket_domain(fd) {
        Ok(AddressFamily::UNIX) => {}
        Ok(family) => return refused(format!("a socket of family {}", family.as_raw())),
        Err(Errno::NOTSOCK) => return refused("no socket".to_owned()),
        Err(error) => return Err(Error::io("asking for a socket's family", error)),
    }
    let found = socket_type(fd).map_err(|error| Error::io("asking for a socket's type", error))?;
    if found == kind {
        return Ok(());
    }
    refused(match found {
        SocketType::STREAM => "a Unix stream socket".to_owned(),
        SocketType::SEQPACKET => "a Unix socket of packets (SOCK_SEQPACKET)".to_owned(),
        SocketType::DGRAM => "a Unix datagram socket".to_owned(),
        other => format!("a Unix socket of type {}", other.as_raw()),
    })
}

/// Whether a socket listens.
pub(crate) fn listens(socket: BorrowedFd<'_>) -> Result<bool, Error> {
    socket_acceptconn(socket).map_err(|error| Error::io("asking whether a socket listens", error))
}

/// Makes a socket that was handed over one of this process's own.
pub(crate) fn adopt(socket: BorrowedFd<'_>) -> Result<(), Error> {
    fcntl_setfd(socket, FdFlags::CLOEXEC)
        .map_err(|error| Error::io("having a socket closed on exec", error))?;
    sockopt::deliver_rights_alone(socket).map_err(|error| Error::io("setting a socket's options", error))
}
