//! The folder of a run, which no other user looks into. A run that was killed leaves it, and the next one removes it: who
//! owns one has a lock on a file in it, which the kernel takes back from a process however that ends.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// What the names of all such folders begin with.
const PREFIX: &str = "wirecontract-demo-";

/// The file that its owner has locked.
const OWNER: &str = "owner";

/// How often it is tried to make one: another run may take it for one that was left, and remove it, before it is locked.
const TRIES: usize = 100;

/// A folder of this run's own; removed with what is in it when this is dropped.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Locked for as long as this is there.
    _owner: File,
}

impl Folder {
    /// Makes one in the temporary folder, after those were removed that runs left which are gone.
    pub(super) fn new() -> anyhow::Result<Folder> {
        let within = std::env::temp_dir();
        remove_left(&within);
        let path = within.join(format!("{PREFIX}{}", std::process::id()));
        for _ in 0..TRIES {
            let made = DirBuilder::new().mode(0o700).create(&path);
            made.with_context(|| format!("making {}", path.display()))?;
            if let Some(owner) = own(&path).with_context(|| format!("locking {}", path.display()))? {
                return Ok(Folder { path, _owner: owner });
            }
        }
        bail!("expected {} to stay, found it removed by another run each time", path.display())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            eprintln!("removing {}: {error}", self.path.display());
        }
    }
}

/// Locks a folder; none where it was removed meanwhile.
fn own(folder: &Path) -> io::Result<Option<File>> {
    let owner = match open(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        owner => owner?,
    };
    // Who looks whether it was left has it for a moment.
    fs4::FileExt::lock(&owner)?;
    match fs::metadata(folder.join(OWNER)) {
        Ok(there) if there.ino() == owner.metadata()?.ino() => Ok(Some(owner)),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Removes the folders of this user that nobody owns. One that cannot be removed is the next run's.
fn remove_left(within: &Path) {
    let Ok(entries) = fs::read_dir(within) else { return };
    for entry in entries.filter_map(Result::ok) {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_ours(&entry.path()) {
            let _ = remove_unowned(&entry.path());
        }
    }
}

/// Whether it is a folder of this user's, and no link to one.
fn is_ours(path: &Path) -> bool {
    // SAFETY: it fails never, and asks for nothing.
    let user = unsafe { libc::geteuid() };
    fs::symlink_metadata(path).is_ok_and(|it| it.is_dir() && it.uid() == user)
}

fn remove_unowned(folder: &Path) -> io::Result<()> {
    let owner = open(folder)?;
    // It is removed while it is locked, so that whoever makes one of that name finds it gone, and makes it again.
    if fs4::FileExt::try_lock(&owner).is_ok() { fs::remove_dir_all(folder) } else { Ok(()) }
}

fn open(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    options.open(folder.join(OWNER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_owns_is_removed_and_what_somebody_owns_is_not() {
        let within = tempfile::tempdir().unwrap();
        let [left, bare, owned, other] =
            ["wirecontract-demo-1", "wirecontract-demo-2", "wirecontract-demo-3", "another-1"]
                .map(|name| within.path().join(name));
        for folder in [&left, &bare, &owned, &other] {
            fs::create_dir(folder).unwrap();
        }
        drop(own(&left).unwrap().unwrap());
        fs::write(left.join("cube.sock"), "").unwrap();
        let lock = own(&owned).unwrap().unwrap();
        std::os::unix::fs::symlink(&other, within.path().join("wirecontract-demo-4")).unwrap();

        remove_left(within.path());
        assert!(!left.exists() && !bare.exists() && owned.is_dir() && other.is_dir());
        assert!(within.path().join("wirecontract-demo-4").is_symlink());
        drop(lock);
        remove_left(within.path());
        assert!(!owned.exists());
    }

    #[test]
    fn a_folder_that_is_removed_before_it_is_locked_is_nobodys() {
        let within = tempfile::tempdir().unwrap();
        let folder = within.path().join("wirecontract-demo-1");
        assert!(own(&folder).unwrap().is_none());
        fs::create_dir(&folder).unwrap();
        let owner = open(&folder).unwrap();
        fs4::FileExt::lock(&owner).unwrap();
        let waits = std::thread::spawn({
            let folder = folder.clone();
            move || own(&folder).unwrap().is_none()
        });
        // Whether it waits for the lock or comes later, the folder is gone then.
        fs::remove_dir_all(&folder).unwrap();
        drop(owner);
        assert!(waits.join().unwrap());
    }
}
