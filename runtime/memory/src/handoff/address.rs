//! Where a listener is found: a path, or a name without a file.

use std::fmt;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::net::SocketAddrUnix;

use super::Error;
use super::socket_file::{directory_of, name_of, within};

/// The bytes of a path or name that a socket address has room for: those of `sun_path` without the NUL.
pub(super) const ROOM: usize = 107;

/// Where a listener is found.
///
/// Paths convert into it; [`Address::abstract_name`] makes one without a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// The path of a socket file; its name has at most 80 bytes where the path has more than 107.
    Path(PathBuf),
    /// A name of 1 to 107 bytes in the abstract namespace of the network namespace. It has no permissions: whoever
    /// shares the namespace may connect, and [`Peers`](super::Peers) alone says who is let in.
    Abstract(Vec<u8>),
}

impl Address {
    /// A name in the abstract namespace, without the leading NUL.
    pub fn abstract_name(name: impl Into<Vec<u8>>) -> Address {
        Address::Abstract(name.into())
    }

    /// The address as the kernel takes it, to connect to; and the directory that it is said by, where its path is longer
    /// than an address may be.
    pub(crate) fn to_connect(&self) -> Result<(SocketAddrUnix, Option<OwnedFd>), Error> {
        match self {
            Address::Path(path)
                if path.as_os_str().len() > ROOM && !path.as_os_str().as_bytes().contains(&0) =>
            {
                let (name, directory) = (name_of(path)?, directory_of(path)?);
                Ok((within(directory.as_fd(), path, name)?, Some(directory)))
            }
            _ => Ok((self.to_socket()?, None)),
        }
    }

    /// The address as the kernel takes it.
    pub(crate) fn to_socket(&self) -> Result<SocketAddrUnix, Error> {
        let bytes = match self {
            Address::Path(path) => path.as_os_str().as_bytes(),
            Address::Abstract(name) => name,
        };
        let bad = |why| Error::BadAddress { found: self.to_string(), why };
        if bytes.is_empty() {
            return Err(bad("it is empty"));
        }
        if bytes.len() > ROOM {
            return Err(Error::AddressTooLong { most: ROOM, found: bytes.len() });
        }
        match self {
            Address::Path(_) if bytes.contains(&0) => return Err(bad("a path holds no NUL")),
            Address::Path(path) => SocketAddrUnix::new(path.as_path()),
            Address::Abstract(name) => SocketAddrUnix::new_abstract_name(name),
        }
        .map_err(|error| Error::io(format!("making a socket address of {self}"), error))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Path(path) => path.display().fmt(f),
            Address::Abstract(name) => write!(f, "@{}", name.escape_ascii()),
        }
    }
}

impl From<&Path> for Address {
    fn from(path: &Path) -> Address {
        Address::Path(path.to_path_buf())
    }
}

impl From<PathBuf> for Address {
    fn from(path: PathBuf) -> Address {
        Address::Path(path)
    }
}

impl From<&PathBuf> for Address {
    fn from(path: &PathBuf) -> Address {
        Address::Path(path.clone())
    }
}

impl From<&str> for Address {
    fn from(path: &str) -> Address {
        Address::Path(path.into())
    }
}

impl From<String> for Address {
    fn from(path: String) -> Address {
        Address::Path(path.into())
    }
}

impl From<&Address> for Address {
    fn from(address: &Address) -> Address {
        address.clone()
    }
}
