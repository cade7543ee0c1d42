//! Where this repository is, and where what it builds goes.

use std::env;
use std::path::{Path, PathBuf};

/// Packages outside the workspace, each a workspace of its own with its own lock file.
pub(crate) const STANDALONE: &[&str] =
    &["tests/msrv", TENSORS, "examples/sensor-sdk", "examples/frames", "fuzz", "bench"];
/// The module of an older `PyO3`'s that tests/python exports tensors with.
pub(crate) const TENSORS: &str = "tests/tensors";

/// The checkout that `cargo xtask` was called in.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// The workspace of this xtask. Cargo says at run time where the package lies, so that a checkout that was
    /// moved, or that shares its target folder with another, is not mistaken for the one that was compiled.
    pub(crate) fn of_this_xtask() -> Self {
        let package = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = package.parent().expect("the xtask package lies in the workspace").to_path_buf();
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |it| root.join(it));
        Self { root, target }
    }

    /// The root of the repository.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The workspace's own target folder.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// A target folder for one of [`STANDALONE`]: with a shared one, two packages called `xtask` would replace
    /// each other at every call.
    pub(crate) fn target_of(&self, package: &str) -> PathBuf {
        self.target.join(package.rsplit('/').next().unwrap_or(package))
    }

    /// The paths that exist, of those given relative to the root.
    pub(crate) fn existing<'a>(&self, paths: &[&'a str]) -> Vec<&'a str> {
        paths.iter().copied().filter(|path| self.root.join(path).exists()).collect()
    }
}
