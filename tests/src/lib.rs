//! What the tests that need several languages have in common.

pub mod c_library;
pub mod changes;
pub mod declarations;
pub mod differential;
pub mod foreign;
pub mod messages;
pub mod pages;
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

/// The guides' examples that stand by themselves, compiled and run as their readers would.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../README.md")]
    struct Readme;
    #[doc = include_str!("../../docs/agreeing.md")]
    struct Agreeing;
    #[doc = include_str!("../../docs/c-library.md")]
    struct CLibrary;
    #[doc = include_str!("../../docs/commands.md")]
    struct Commands;
    #[doc = include_str!("../../docs/declaring.md")]
    struct Declaring;
    #[doc = include_str!("../../docs/exporting.md")]
    struct Exporting;
    #[doc = include_str!("../../docs/generating.md")]
    struct Generating;
    #[doc = include_str!("../../docs/hello.md")]
    struct Hello;
    #[doc = include_str!("../../docs/memory.md")]
    struct Memory;
    #[doc = include_str!("../../docs/messages.md")]
    struct Messages;
    #[doc = include_str!("../../docs/python.md")]
    struct Python;
    #[doc = include_str!("../../docs/tensors.md")]
    struct Tensors;
}
