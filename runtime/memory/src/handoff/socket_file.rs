//! The file by which a listener is found: made with its permissions, replaced where it is stale, removed by its own.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{
    AtFlags, FileType, FlockOperation, Mode, OFlags, Stat, chmod, fchmod, flock, fstat, open, openat, statat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with,
};

use super::address::ROOM;
use super::wait::Limit;
use super::{Address, Error, Options};
use crate::maker::Maker;
use crate::procfs;

/// How long a lock is waited for: those who hold it look at one file.
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
        options: &Options,
    ) -> Result<SocketFile, Error> {
        let name = name_of(path)?;
        let directory = directory_of(path)?;
        let at = within(directory.as_fd(), path, name)?;
        let place = Place { directory: directory.as_fd(), name, path, at: &at };
        let made = {
            let _locked = Locked::take(directory.as_fd(), name, Some(LOCK)).map_err(|why| {
                let lock = path.with_file_name(lock_name(name));
                match why {
                    NotLocked::Held => Error::Locked { path: lock },
                    NotLocked::NotOurs(found) => Error::NotOurs { path: lock, found },
                    NotLocked::Os(error) => Error::io(format!("locking {}", lock.display()), error),
                }
            })?;
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
        // Without the lock it may be another listener's by the time it is removed. Nobody waits for it here: a file that
        // stays is replaced by the next listener.
        if let Ok(_locked) = Locked::take(self.directory.as_fd(), &self.name, None)
            && is_there(self.directory.as_fd(), &self.name, &self.made)
        {
            let _ = unlinkat(&self.directory, &self.name, AtFlags::empty());
        }
    }
}

/// The last part of a path.
pub(crate) fn name_of(path: &Path) -> Result<&OsStr, Error> {
    let bytes = path.as_os_str().as_bytes();
    let bad = |why| Error::BadAddress { found: path.display().to_string(), why };
    if bytes.is_empty() {
        return Err(bad("it is empty"));
    }
    if bytes.contains(&0) {
        return Err(bad("a path holds no NUL"));
    }
    // `Path` passes over a slash or a dot at the end.
    let last = bytes.rsplit(|byte| *byte == b'/').next();
    let name = path.file_name().filter(|name| last == Some(name.as_bytes()));
    name.ok_or_else(|| bad("its last part is no file name"))
}

/// The directory of a path: whatever becomes of its name, it stays the same.
pub(crate) fn directory_of(path: &Path) -> Result<OwnedFd, Error> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    open(parent, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| Error::io(format!("opening the directory {}", parent.display()), error))
}

/// The address of a file in a directory that is open: of that one, and however long its path is. Where it has no room, or
/// `/proc` is not mounted, the path itself.
pub(crate) fn within(directory: BorrowedFd<'_>, path: &Path, name: &OsStr) -> Result<SocketAddrUnix, Error> {
    let own = Path::new(&procfs::of_fd(directory)).join(name);
    if own.as_os_str().len() <= ROOM && own.parent().is_some_and(Path::exists) {
        return Address::from(own).to_socket();
    }
    Address::from(path).to_socket()
}

/// Where a socket file is to be.
struct Place<'a> {
    directory: BorrowedFd<'a>,
    name: &'a OsStr,
    path: &'a Path,
    at: &'a SocketAddrUnix,
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
        // A socket of datagrams is refused by the kernel as of another type, before whoever listens could see it.
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let probe = socket_with(AddressFamily::UNIX, SocketType::DGRAM, flags, None);
        match connect(&probe.map_err(|error| Error::io("making a socket", error))?, self.at) {
            Err(Errno::CONNREFUSED) => {}
            Err(Errno::NOENT) => return Ok(()),
            // What is bound there takes datagrams itself, of anybody or of its peer alone.
            Err(Errno::PROTOTYPE | Errno::PERM) | Ok(()) => return Err(self.in_use()),
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

/// The lock of a socket file among listeners of this module: a file beside it, which is there for as long as the lock is
/// held. Nobody else can lock it, as anybody could lock the directory.
struct Locked<'a> {
    directory: BorrowedFd<'a>,
    name: OsString,
    /// Open on the file, and locked until it is closed.
    _file: OwnedFd,
}

/// Why there is no lock.
enum NotLocked {
    /// Somebody else holds it.
    Held,
    /// What is there is somebody else's.
    NotOurs(String),
    Os(Errno),
}

impl Locked<'_> {
    /// Waits for a while where that is said.
    fn take<'a>(
        directory: BorrowedFd<'a>,
        of: &OsStr,
        wait: Option<Duration>,
    ) -> Result<Locked<'a>, NotLocked> {
        let name = lock_name(of);
        let limit = wait.and_then(|wait| Limit::of(Some(wait)));
        loop {
            let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = match openat(directory, &name, flags, Mode::RUSR | Mode::WUSR) {
                Ok(file) => file,
                Err(Errno::LOOP) => return Err(NotLocked::NotOurs("a symbolic link".to_owned())),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(NotLocked::Os(error)),
            };
            let opened = fstat(&file).map_err(NotLocked::Os)?;
            if FileType::from_raw_mode(opened.st_mode) != FileType::RegularFile {
                return Err(NotLocked::NotOurs("what is no file".to_owned()));
            }
            if opened.st_uid != rustix::process::geteuid().as_raw() {
                return Err(NotLocked::NotOurs(format!("a file of user {}", opened.st_uid)));
            }
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                // Who had it before has removed the file since.
                Ok(()) if !is_there(directory, &name, &opened) => {}
                Ok(()) => return Ok(Locked { directory, name, _file: file }),
                Err(Errno::INTR) => {}
                // The kernel has no lock that is waited for with a limit.
                Err(Errno::WOULDBLOCK) if limit.is_some_and(|limit| !limit.is_over()) => {
                    sleep(Duration::from_millis(5));
                }
                Err(Errno::WOULDBLOCK) => return Err(NotLocked::Held),
                Err(error) => return Err(NotLocked::Os(error)),
            }
        }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // While it is locked, so that whoever locks it next sees that it is not there any more.
        let _ = unlinkat(self.directory, &self.name, AtFlags::empty());
    }
}

/// The name of the lock of a socket file.
fn lock_name(of: &OsStr) -> OsString {
    let mut name = OsString::from(".");
    name.push(of);
    name.push(".lock");
    name
}

/// Whether a name is still that file's.
fn is_there(directory: BorrowedFd<'_>, name: &OsStr, file: &Stat) -> bool {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|found| is_same(&found, file))
}

/// Whether both are of one file.
fn is_same(one: &Stat, other: &Stat) -> bool {
    one.st_dev == other.st_dev && one.st_ino == other.st_ino
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handoff::open::unconnected;

    /// What is looked at is the file as `bind` made it: nobody gives it its mode behind that.
    #[test]
    fn a_socket_file_has_no_more_than_its_mode_from_its_first_moment_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let directory =
            open(folder.path(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).expect("a folder");
        for mode in [0o600, 0o640, 0o000] {
            let path = folder.path().join(format!("{mode:o}"));
            let options = Options::default().mode(mode);
            let name = name_of(&path).expect("it has one");
            let at = within(directory.as_fd(), &path, name).expect("it is short");
            let socket = unconnected(options.framing, SocketFlags::CLOEXEC).expect("a socket");
            let place = Place { directory: directory.as_fd(), name, path: &path, at: &at };
            let made = place.listen(socket.as_fd(), &options).expect("nobody is there");
            assert_eq!(made.st_mode & 0o777 & !mode, 0, "{:o}", made.st_mode);
        }
    }

    #[test]
    fn a_socket_file_is_made_in_the_directory_that_was_looked_at_whatever_has_its_name_by_then() {
        let folder = tempfile::tempdir().expect("a folder");
        let (before, moved) = (folder.path().join("before"), folder.path().join("moved"));
        std::fs::create_dir(&before).expect("nothing is there");
        let path = before.join("socket");
        let directory = directory_of(&path).expect("it is there");
        std::fs::rename(&before, &moved).expect("it is there");
        std::fs::create_dir(&before).expect("nothing is there");
        let options = Options::default();
        let socket = unconnected(options.framing, SocketFlags::CLOEXEC).expect("a socket");
        let name = name_of(&path).expect("it has one");
        let at = within(directory.as_fd(), &path, name).expect("it is short");
        let place = Place { directory: directory.as_fd(), name, path: &path, at: &at };
        place.listen(socket.as_fd(), &options).expect("nobody is there");
        assert!(moved.join("socket").exists() && !path.exists());
    }
}
