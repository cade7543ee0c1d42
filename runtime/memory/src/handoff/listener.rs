//! A socket at which peers connect.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::{SocketFlags, accept_with, bind, listen};

use super::channel::{Origin, is_made_here};
use super::open::{adopt, check_socket, listens, unconnected};
use super::socket_file::SocketFile;
use super::wait::{LazyLimit, wait_for};
use super::{Address, Channel, Doing, Error, Framing, Options};
use crate::maker::Maker;

/// A socket at which peers connect, and the file by which they find it.
///
/// Dropping it removes that file, where it is still its own, and ends connections that nobody accepted; channels that
/// were accepted stay.
///
/// It is the process's that made it: a fork of that process accepts nobody ([`Error::Forked`]) and removes nothing. A
/// server that accepts in several processes gives each a duplicate of the socket ([`from_fd`](Self::from_fd)).
///
/// ```
/// use wirecontract_runtime::handoff::{Channel, Expected, Listener, Options};
///
/// let directory = tempfile::tempdir()?;
/// let options = Options::default();
/// let listener = Listener::bind(directory.path().join("camera.sock"), &options)?;
/// let client = Channel::connect(directory.path().join("camera.sock"), &options)?;
/// let service = listener.accept()?;
/// client.send(b"hello", &[])?;
/// assert_eq!(service.recv(&Expected::bytes(64))?.body, b"hello");
/// assert_eq!(service.peer().pid, Some(std::process::id()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Listener {
    /// Before the socket, since it is dropped first: who finds the file finds somebody who listens.
    #[expect(dead_code, reason = "it is there to be dropped")]
    file: Option<SocketFile>,
    socket: OwnedFd,
    maker: Maker,
    options: Options,
    /// Whether the socket was made elsewhere.
    handed_over: bool,
}

impl Listener {
    /// Listens at an address.
    ///
    /// A path at which somebody listens is refused ([`Error::InUse`]), as is one at which there is anything but a
    /// socket file of this user's ([`Error::NotOurs`]). A socket file of this user's at which nobody listens is what a
    /// process left that is gone: it is replaced. While this looks and replaces, it holds a lock: a file beside the socket's
    /// (`.NAME.lock`, of mode 0600), so that of two listeners of this module that start at once one is refused.
    /// [`Error::Locked`] where somebody else holds it for two seconds.
    ///
    /// The socket file never has more permissions than [`Options::mode`] says: it is made with these, less the
    /// process's umask, and only then given what the umask took.
    pub fn bind(address: impl Into<Address>, options: &Options) -> Result<Listener, Error> {
        let address = address.into();
        let socket = unconnected(options.framing, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK)?;
        let file = match &address {
            Address::Path(path) => Some(SocketFile::listen(socket.as_fd(), path, options)?),
            Address::Abstract(_) => {
                let at = address.to_socket()?;
                match bind(&socket, &at) {
                    Ok(()) => {}
                    Err(Errno::ADDRINUSE) => return Err(Error::InUse { address }),
                    Err(error) => return Err(Error::io(format!("binding a socket to {address}"), error)),
                }
                listen(&socket, options.backlog.into())
                    .map_err(|error| Error::io(format!("listening at {address}"), error))?;
                None
            }
        };
        Ok(Listener { file, socket, maker: Maker::this(), options: options.clone(), handed_over: false })
    }

    /// A listener of a socket that was made elsewhere and handed over. The listener owns it; where it is refused
    /// ([`Error::FdKind`]), it is closed. Its file is whoever's it was.
    pub fn from_fd(fd: OwnedFd, options: &Options) -> Result<Listener, Error> {
        let expected = match options.framing {
            Framing::Stream { .. } => "a Unix stream socket that listens",
            Framing::SeqPacket => "a Unix socket of packets (SOCK_SEQPACKET) that listens",
        };
        check_socket(fd.as_fd(), options.framing.socket_type(), expected)?;
        if !listens(fd.as_fd())? {
            return Err(Error::FdKind { expected, found: "a socket that does not listen".to_owned() });
        }
        adopt(fd.as_fd())?;
        ioctl_fionbio(&fd, true).map_err(|error| Error::io("setting a listener's options", error))?;
        let (maker, options) = (Maker::this(), options.clone());
        Ok(Listener { file: None, socket: fd, maker, options, handed_over: true })
    }

    /// Waits for a peer to connect.
    ///
    /// A peer that is not let in is disconnected and refused by name ([`Error::PeerUser`]), which says nothing of the
    /// next one. [`Error::Io`] where this process has no file descriptor left; the peer waits on.
    pub fn accept(&self) -> Result<Channel, Error> {
        self.wait(LazyLimit::Ahead(None))
    }

    /// Waits for a peer to connect, no longer than that ([`Error::Timeout`]).
    pub fn accept_within(&self, within: Duration) -> Result<Channel, Error> {
        self.wait(LazyLimit::Ahead(Some(within)))
    }

    /// A peer that has connected, if there is one.
    pub fn try_accept(&self) -> Result<Option<Channel>, Error> {
        is_made_here(self.maker, "listener")?;
        loop {
            match accept_with(&self.socket, SocketFlags::CLOEXEC) {
                Ok(socket) => {
                    // Who connected before the listener was adopted has the options that it had then.
                    if self.handed_over {
                        adopt(socket.as_fd())?;
                    }
                    return Channel::of(socket, &self.options, Origin::Accepted).map(Some);
                }
                Err(Errno::INTR | Errno::CONNABORTED) => {}
                Err(Errno::AGAIN) => return Ok(None),
                Err(error) => return Err(Error::io("accepting a peer", error)),
            }
        }
    }

    /// What channels that are accepted are opened with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    fn wait(&self, mut limit: LazyLimit) -> Result<Channel, Error> {
        loop {
            if let Some(channel) = self.try_accept()? {
                return Ok(channel);
            }
            let until = limit.get();
            if !wait_for(self.as_fd(), PollFlags::IN, until)? {
                let after = until.map_or(Duration::MAX, |limit| limit.after);
                return Err(Error::Timeout { doing: Doing::Accepting, after, crossed: 0 });
            }
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl AsRawFd for Listener {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}
