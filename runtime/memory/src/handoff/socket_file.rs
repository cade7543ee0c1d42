//! The file by which a listener is found: made with its permissions, replaced where it is stale, removed by its own.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{
    AtFlags, FileType, FlockOperation, Mode, OFlags, Stat, chmod, fchmod, flock, fstat, open, openat, statat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::net::{SocketAddrUnix, SocketFlags, bind, connect, listen};

use super::open::unconnected;
use super::wait::Limit;
use super::{Address, Error, Framing, Options};
use crate::maker::Maker;
use crate::procfs;

/// How long a lock of the directory is waited for: those who hold it look at one file.
const LOCK: Duration = Duration::from_secs(2);

/// How often somebody else may change the file while it is looked at.
const TRIES: usize = 16;

/// A socket file that this process made.
#[derive(Debug)]
pub(crate) struct SocketFile {
    directory: OwnedFd,
    name: OsString,
    made: Stat,
    maker: Maker,
}

impl SocketFile {
    /// Binds a socket to the path and listens, as one step to others of this module.
    pub(crate) fn listen(
        socket: BorrowedFd<'_>,
        path: &Path,
        at: &SocketAddrUnix,
        options: &Options,
    ) -> Result<SocketFile, Error> {
        let Some(name) = path.file_name() else {
            return Err(Error::BadAddress {
                found: path.display().to_string(),
                why: "its last part is no file name",
            });
        };
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let directory = open(parent, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
            .map_err(|error| Error::io(format!("opening the directory {}", parent.display()), error))?;
        let place = Place { directory: directory.as_fd(), name, path, at, framing: options.framing };
        let made = {
            let _locked = Locked::take(directory.as_fd())
                .map_err(|error| Error::io(format!("locking the directory {}", parent.display()), error))?
                .ok_or_else(|| Error::DirectoryLocked { path: parent.to_path_buf() })?;
            place.listen(socket, options)?
        };
        let file = SocketFile { directory, name: name.to_owned(), made, maker: Maker::this() };
        file.permit(options.mode)
            .map_err(|error| Error::io(format!("giving {} its permissions", path.display()), error))?;
        Ok(file)
    }

    /// Gives the file what the umask took from it.
    fn permit(&self, mode: u32) -> rustix::io::Result<()> {
        if self.made.st_mode & 0o777 == mode {
            return Ok(());
        }
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.directory, &self.name, flags, Mode::empty())?;
        if !is_same(&fstat(&file)?, &self.made) {
            return Err(Errno::STALE);
        }
        // A socket cannot be opened but for its path, and such a file descriptor has no chmod of its own.
        chmod(procfs::of_fd(file.as_fd()), Mode::from_raw_mode(mode))
    }
}

/// Removes the file where it is still the one that was made, and by the process that made it.
impl Drop for SocketFile {
    fn drop(&mut self) {
        if !self.maker.is_this() {
            return;
        }
        // Without the lock it may be another listener's by the time it is removed. A file that stays is replaced by
        // the next listener.
        if let Ok(Some(_locked)) = Locked::take(self.directory.as_fd())
            && statat(&self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|found| is_same(&found, &self.made))
        {
            let _ = unlinkat(&self.directory, &self.name, AtFlags::empty());
        }
    }
}

/// Where a socket file is to be.
struct Place<'a> {
    directory: BorrowedFd<'a>,
    name: &'a OsStr,
    path: &'a Path,
    at: &'a SocketAddrUnix,
    framing: Framing,
}

impl Place<'_> {
    /// Binds and listens; the file that this made.
    fn listen(&self, socket: BorrowedFd<'_>, options: &Options) -> Result<Stat, Error> {
        // A socket file has the mode of its socket, less the umask, from its first moment on.
        fchmod(socket, Mode::from_raw_mode(options.mode)).map_err(|error| self.failed(error))?;
        for _ in 0..TRIES {
            match bind(socket, self.at) {
                Ok(()) => {
                    let made = listen(socket, options.backlog.into()).and_then(|()| self.stat());
                    return made.map_err(|error| {
                        let _ = unlinkat(self.directory, self.name, AtFlags::empty());
                        self.failed(error)
                    });
                }
                Err(Errno::ADDRINUSE) => self.remove_stale()?,
                Err(error) => return Err(self.failed(error)),
            }
        }
        Err(self.in_use())
    }

    /// Removes a socket file of this user's at which nobody listens; refuses anything else that is there.
    fn remove_stale(&self) -> Result<(), Error> {
        let found = match self.stat() {
            Ok(found) => found,
            Err(Errno::NOENT) => return Ok(()),
            Err(error) => return Err(self.failed(error)),
        };
        let not_ours = |found| Err(Error::NotOurs { path: self.path.to_path_buf(), found });
        match FileType::from_raw_mode(found.st_mode) {
            FileType::Socket => {}
            FileType::Directory => return not_ours("a directory".to_owned()),
            FileType::Symlink => return not_ours("a symbolic link".to_owned()),
            FileType::RegularFile => return not_ours("a file".to_owned()),
            _ => return not_ours("a device or a pipe".to_owned()),
        }
        if found.st_uid != rustix::process::geteuid().as_raw() {
            return not_ours(format!("a socket of user {}", found.st_uid));
        }
        let probe = unconnected(self.framing, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK)?;
        match connect(&probe, self.at) {
            Err(Errno::CONNREFUSED) => {}
            Err(Errno::NOENT) => return Ok(()),
            // Its queue is full, or it speaks in packets or streams as ours does not: somebody is there.
            Ok(()) | Err(Errno::AGAIN | Errno::PROTOTYPE) => return Err(self.in_use()),
            Err(error) => return Err(self.failed(error)),
        }
        match self.stat() {
            Ok(now) if is_same(&now, &found) => unlinkat(self.directory, self.name, AtFlags::empty())
                .or_else(|error| if error == Errno::NOENT { Ok(()) } else { Err(error) })
                .map_err(|error| self.failed(error)),
            // Somebody changed it meanwhile: look again.
            _ => Ok(()),
        }
    }

    fn stat(&self) -> rustix::io::Result<Stat> {
        statat(self.directory, self.name, AtFlags::SYMLINK_NOFOLLOW)
    }

    fn in_use(&self) -> Error {
        Error::InUse { address: Address::Path(self.path.to_path_buf()) }
    }

    fn failed(&self, error: Errno) -> Error {
        Error::io(format!("binding a socket to {}", self.path.display()), error)
    }
}

/// A lock of a directory among listeners of this module, until it is dropped.
struct Locked<'a>(BorrowedFd<'a>);

impl Locked<'_> {
    /// Waits for a while; none where somebody else holds it all the time.
    fn take(directory: BorrowedFd<'_>) -> rustix::io::Result<Option<Locked<'_>>> {
        let limit = Limit::of(Some(LOCK));
        loop {
            match flock(directory, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Some(Locked(directory))),
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) if limit.is_some_and(Limit::is_over) => return Ok(None),
                // The kernel has no lock that is waited for with a limit.
                Err(Errno::WOULDBLOCK) => sleep(Duration::from_millis(5)),
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // It fails where the directory is closed, and then nobody holds it.
        let _ = flock(self.0, FlockOperation::Unlock);
    }
}

/// Whether both are of one file.
fn is_same(one: &Stat, other: &Stat) -> bool {
    one.st_dev == other.st_dev && one.st_ino == other.st_ino
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is looked at is the file as `bind` made it: nobody gives it its mode behind that.
    #[test]
    fn a_socket_file_has_no_more_than_its_mode_from_its_first_moment_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let directory =
            open(folder.path(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).expect("a folder");
        for mode in [0o600, 0o640, 0o000] {
            let path = folder.path().join(format!("{mode:o}"));
            let options = Options::default().mode(mode);
            let at = Address::from(&path).to_socket().expect("it is short");
            let socket = unconnected(options.framing, SocketFlags::CLOEXEC).expect("a socket");
            let name = path.file_name().expect("it has one");
            let place =
                Place { directory: directory.as_fd(), name, path: &path, at: &at, framing: options.framing };
            let made = place.listen(socket.as_fd(), &options).expect("nobody is there");
            assert_eq!(made.st_mode & 0o777 & !mode, 0, "{:o}", made.st_mode);
        }
    }
}
