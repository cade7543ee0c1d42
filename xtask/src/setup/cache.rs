//! The folder in which things that were set up are kept from one run to the next.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Written into a folder as the last thing: without it the folder is what an interrupted run left behind.
const MARK: &str = ".complete";

/// `$XDG_CACHE_HOME/wirecontract`, `~/.cache/wirecontract` where that is not set.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    pub(crate) fn of_the_user() -> anyhow::Result<Self> {
        let folder = user_cache(env::var_os("XDG_CACHE_HOME"), env::var_os("HOME"))
            .context("expected XDG_CACHE_HOME or HOME to name an absolute folder; set one of them")?;
        Ok(Self { folder: folder.join("wirecontract") })
    }

    /// The folder `name`, built by `build` unless it is there whole.
    ///
    /// It is built where it stays, and not moved there, because Python environments and installed programs hold
    /// their own path; `name` says everything that decides what is in it, so a change makes another folder.
    pub(crate) fn folder(
        &self,
        name: &str,
        build: impl FnOnce(&Path) -> anyhow::Result<()>,
    ) -> anyhow::Result<PathBuf> {
        let folder = self.folder.join(name);
        if folder.join(MARK).exists() {
            return Ok(folder);
        }
        let _lock = self.lock(name)?;
        // Another run may have built it while this one waited.
        if folder.join(MARK).exists() {
            return Ok(folder);
        }
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove the unfinished {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        build(&folder)?;
        fs::write(folder.join(MARK), "")
            .with_context(|| format!("cannot mark {} complete", folder.display()))?;
        Ok(folder)
    }

    /// Waits until no other run holds the lock `name`. The system releases it when its holder ends, however that
    /// happens, so none is ever stale.
    pub(crate) fn lock(&self, name: &str) -> anyhow::Result<Lock> {
        let path = self.folder.join(format!("{name}.lock"));
        let taken = fs::create_dir_all(&self.folder).and_then(|()| {
            let file = File::create(&path)?;
            fs4::FileExt::lock(&file)?;
            Ok(Lock { _file: file })
        });
        taken.with_context(|| format!("cannot lock {}", path.display()))
    }
}

/// Held until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// The user's cache folder by the XDG base directory specification, which ignores relative paths.
fn user_cache(xdg: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |path: OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    xdg.and_then(absolute).or_else(|| home.and_then(absolute).map(|home| home.join(".cache")))
}

/// FNV-1a 64: a name for a list of pinned versions that stays the same from one Rust release to the next.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache { folder: folder.path().join("cache") };
        (folder, cache)
    }

    #[test]
    fn a_whole_folder_is_built_once() {
        let (_folder, cache) = cache();
        let first = cache.folder("thing", |path| Ok(fs::write(path.join("made"), "first")?)).unwrap();
        let second = cache.folder("thing", |_| panic!("it is there")).unwrap();
        assert_eq!(first, second);
        assert_eq!(fs::read(second.join("made")).unwrap(), b"first");
    }

    #[test]
    fn an_interrupted_build_is_thrown_away() {
        let (_folder, cache) = cache();
        let interrupted = cache.folder("thing", |path| {
            fs::write(path.join("half"), "")?;
            anyhow::bail!("interrupted")
        });
        assert!(interrupted.is_err());
        let whole = cache.folder("thing", |path| Ok(fs::write(path.join("made"), "")?)).unwrap();
        assert!(whole.join("made").exists() && !whole.join("half").exists());
    }

    #[test]
    fn two_runs_at_once_build_once() {
        let (_folder, cache) = cache();
        let builds = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    cache.folder("thing", |_| {
                        builds.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        Ok(())
                    })
                });
            }
        });
        assert_eq!(builds.into_inner(), 1);
    }

    #[test]
    fn the_cache_is_where_the_user_says() {
        let path = |text: &str| Some(OsString::from(text));
        assert_eq!(user_cache(path("/x"), path("/home/u")), Some("/x".into()));
        assert_eq!(user_cache(path("relative"), path("/home/u")), Some("/home/u/.cache".into()));
        assert_eq!(user_cache(None, path("/home/u")), Some("/home/u/.cache".into()));
        assert_eq!(user_cache(None, None), None);
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(hash(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
