//! Generated Rust out of the way of a build.
//!
//! What the target `c-json` writes names fields as they were when it was written, and the library that includes it is
//! built to learn what they are now. After one was renamed, and before anything was generated, only a build without that
//! file gets on: an empty one stands in its place for so long.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::error::Error;
use crate::output::relative;

/// What a file is called meanwhile, in its own folder, so that moving it is one step.
const ASIDE: &str = ".mod.rs.aside";

/// Files that are out of the way until this is dropped.
pub(super) struct Aside {
    places: Vec<Place>,
}

/// Where an empty file stands.
struct Place {
    path: PathBuf,
    /// Whether there was a file.
    was_there: bool,
    /// Folders that were made for it, the innermost first.
    made: Vec<PathBuf>,
}

impl Aside {
    /// Puts an empty file in the place of each.
    pub(super) fn put(paths: &[PathBuf]) -> Result<Aside, Error> {
        let mut aside = Aside { places: Vec::new() };
        for path in paths {
            aside.put_one(path).map_err(|reason| Error::Aside { path: path.clone(), reason })?;
        }
        Ok(aside)
    }

    fn put_one(&mut self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let made = folder.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        fs::create_dir_all(folder)?;
        // There may be two ways to one folder.
        let path = folder.canonicalize()?.join(path.file_name().unwrap_or_default());
        if self.places.iter().any(|place| place.path == path) {
            return Ok(());
        }
        self.places.push(Place { path: path.clone(), was_there: false, made });
        match fs::rename(&path, aside_of(&path)) {
            Ok(()) => self.places.iter_mut().for_each(|place| place.was_there |= place.path == path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        File::create(path).map(drop)
    }
}

impl fmt::Display for Aside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<_> =
            self.places.iter().map(|place| relative(&place.path).display().to_string()).collect();
        f.write_str(&paths.join(" and "))
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        for place in &self.places {
            if place.was_there {
                put_back(&place.path);
            } else {
                let _ = fs::remove_file(&place.path);
                place.made.iter().for_each(|folder| drop(fs::remove_dir(folder)));
            }
        }
    }
}

/// Puts back what a run left aside that was ended in the middle.
pub(super) fn put_back(path: &Path) {
    if fs::rename(aside_of(path), path).is_ok() {
        // It is newer than what was compiled without it, or cargo would take that for what is compiled with it.
        let file = File::options().append(true).open(path).or_else(|_| File::open(path));
        let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
    }
}

fn aside_of(path: &Path) -> PathBuf {
    path.with_file_name(ASIDE)
}
