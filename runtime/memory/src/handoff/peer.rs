//! Who is at the other end, and who may be.

use std::fmt;
use std::fs;
use std::os::fd::BorrowedFd;

use super::{Error, sockopt};
use crate::procfs;

/// What `kernel.overflowuid` is unless said.
const OVERFLOW: u32 = 65534;

/// The process at the other end, as the kernel knows it and the peer cannot claim it.
///
/// The kernel noted it when that process connected (seen from the listener), when it began to listen (seen from who
/// connected), or when it made the pair. A process that was handed the socket later is not in it: of a pair, both
/// ends name the process that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Peer {
    /// The process, in this one's pid namespace; `None` where it cannot be seen from there. A number is a name for as
    /// long as the process lives and is then another's: to watch it, or take anything from it, use
    /// [`Channel::peer_process`](super::Channel::peer_process).
    pub pid: Option<u32>,
    /// The effective user, in this process's user namespace; of one that the namespace does not have, the number that the
    /// kernel says of all such (`kernel.overflowuid`, 65534).
    pub uid: u32,
    /// The effective group, in this process's user namespace.
    pub gid: u32,
}

impl Peer {
    /// Of a connected socket.
    pub(crate) fn of(socket: BorrowedFd<'_>) -> Result<Peer, Error> {
        let found =
            sockopt::credentials(socket).map_err(|error| Error::io("asking who the peer is", error))?;
        Ok(Peer {
            pid: u32::try_from(found.pid).ok().filter(|pid| *pid != 0),
            uid: found.uid,
            gid: found.gid,
        })
    }
}

/// Whose processes are let in, by the effective user that they had when they connected or listened. A user that this
/// process's user namespace does not have is nobody's to name, and is let in by [`Peers::Anyone`] alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Peers {
    /// Those of this process's effective user, and no other's: not even root's.
    #[default]
    SameUser,
    /// Those of these users.
    Users(Vec<u32>),
    /// Anyone's.
    Anyone,
}

impl Peers {
    /// Those of these users.
    pub fn users(users: impl IntoIterator<Item = u32>) -> Peers {
        Peers::Users(users.into_iter().collect())
    }

    /// Refuses a peer of somebody else's.
    pub(crate) fn admit(&self, peer: Peer) -> Result<(), Error> {
        let admitted = match self {
            Peers::SameUser => peer.uid == rustix::process::geteuid().as_raw(),
            Peers::Users(users) => users.contains(&peer.uid),
            Peers::Anyone => true,
        };
        if *self != Peers::Anyone && is_nobody(peer) {
            return Err(Error::PeerUnmapped { uid: peer.uid, pid: peer.pid });
        }
        if admitted {
            Ok(())
        } else {
            Err(Error::PeerUser { expected: self.clone(), uid: peer.uid, pid: peer.pid })
        }
    }
}

/// Whether the kernel says of a peer's user no more than that this process's user namespace does not have it. It says so
/// by a number that stands for all such users, and may be a user's as well where the namespace has one of that number.
fn is_nobody(peer: Peer) -> bool {
    let read = |path: &str| fs::read_to_string(path).ok();
    let stands_for_all = || read("/proc/sys/kernel/overflowuid")?.trim().parse().ok();
    if peer.uid != stands_for_all().unwrap_or(OVERFLOW) || peer.pid == Some(std::process::id()) {
        return false;
    }
    // A namespace that has every user has none that it does not have.
    !read(&procfs::own("uid_map")).is_some_and(|map| has_all(&map))
}

/// Whether a map has as many users as there are: the last number stands for none.
fn has_all(map: &str) -> bool {
    let count = |line: &str| line.split_whitespace().nth(2)?.parse::<u64>().ok();
    map.lines().filter_map(count).sum::<u64>() >= u64::from(u32::MAX)
}

impl fmt::Display for Peers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Peers::SameUser => write!(f, "user {}", rustix::process::geteuid().as_raw()),
            Peers::Users(users) if users.is_empty() => f.write_str("no user"),
            Peers::Users(users) => {
                for (index, user) in users.iter().enumerate() {
                    write!(f, "{}{user}", if index == 0 { "user " } else { " or user " })?;
                }
                Ok(())
            }
            Peers::Anyone => f.write_str("any user"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_of_all_users_is_told_from_one_of_some() {
        assert!(has_all("         0          0 4294967295\n"));
        assert!(has_all("0 0 1000\n1000 5000 4294966295\n"));
        for map in ["", "         0       1000          1\n", "0 100000 65536\n", "a b c\n"] {
            assert!(!has_all(map), "{map}");
        }
    }
}
