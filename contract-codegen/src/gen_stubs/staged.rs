//! Files that are replaced whole: one that is half written would be none.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::Error;

/// Replaces one file.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Error> {
    Staged::write(path, text)?.put()
}

/// A new file beside the place it is for; gone again unless it is put there.
pub(super) struct Staged {
    temporary: PathBuf,
    place: PathBuf,
    is_put: bool,
}

impl Staged {
    /// Writes what is to stand at a path, or where a link there points to. It has the permissions of what it replaces,
    /// which its owner must be allowed to write.
    pub(super) fn write(path: &Path, text: &str) -> Result<Self, Error> {
        let error = |path: &Path| {
            let path = path.to_owned();
            move |reason| Error::Write { path, reason }
        };
        let place = followed(path)?;
        let replaced = metadata(&place).map_err(error(path))?;
        if replaced.as_ref().is_some_and(is_read_only) {
            return Err(Error::ReadOnly { path: path.to_owned() });
        }
        let folder = place.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(folder).map_err(error(folder))?;
        let mut name = OsString::from(".");
        name.push(place.file_name().unwrap_or_default());
        name.push(format!(".{}.new", std::process::id()));
        let temporary = folder.join(name);
        let mut file = File::create(&temporary).map_err(error(path))?;
        let staged = Staged { temporary, place, is_put: false };
        if let Some(replaced) = replaced {
            file.set_permissions(replaced.permissions()).map_err(error(path))?;
        }
        file.write_all(text.as_bytes()).map_err(error(path))?;
        Ok(staged)
    }

    pub(super) fn put(mut self) -> Result<(), Error> {
        fs::rename(&self.temporary, &self.place)
            .map_err(|reason| Error::Write { path: self.place.clone(), reason })?;
        self.is_put = true;
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.is_put {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// The path itself, or what a link there points to in the end, which must be there: nobody said what to make of a link
/// to nothing.
pub(crate) fn followed(path: &Path) -> Result<PathBuf, Error> {
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Ok(path.to_owned());
    }
    match fs::canonicalize(path) {
        Ok(target) => Ok(target),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let target = fs::read_link(path).unwrap_or_default();
            Err(Error::Dangling { link: path.to_owned(), target })
        }
        Err(reason) => Err(Error::Read { path: path.to_owned(), reason }),
    }
}

/// What is known of a file; none where there is no such file.
fn metadata(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // The folder is a file: making it says so.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a file's owner may not write it, whoever runs this.
fn is_read_only(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o200 == 0;
    #[cfg(not(unix))]
    return metadata.permissions().readonly();
}
