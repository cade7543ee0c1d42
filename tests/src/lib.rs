//! What the tests that need several languages have in common.

pub mod c_library;
pub mod changes;
pub mod declarations;
pub mod differential;
pub mod foreign;
pub mod messages;
pub mod peer;
pub mod random;
#[cfg(target_os = "linux")]
pub mod relay;
#[cfg(target_os = "linux")]
pub mod survivor;
pub mod texture;

use std::path::{Path, PathBuf};

/// The repository's folder.
///
/// # Panics
/// Never: this package is in a folder of it.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a package in the repository").to_owned()
}

/// The README's examples that stand by themselves, compiled and run as its readers would.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
