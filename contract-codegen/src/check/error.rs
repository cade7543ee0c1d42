//! Why nothing can be said, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use crate::gen_stubs;
use crate::gen_stubs::build::in_words;
use crate::lock::{AcceptError, LockError};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{0}")]
    Source(gen_stubs::Error),

    #[error(
        "nothing says where the lock is: pass `--lock PATH` (there is no Cargo.toml in this folder or above it)"
    )]
    NoPlace,

    #[error("cannot read {path}: {reason}", path = path.display())]
    Read { path: PathBuf, reason: io::Error },

    #[error("{path} is not UTF-8 at byte {at}: restore it from version control", path = path.display())]
    NotText { path: PathBuf, at: usize },

    #[error("{path}: {reason}", path = path.display())]
    Lock { path: PathBuf, reason: LockError },

    #[error("{0}")]
    OtherBuild(Box<OtherBuild>),

    #[error("{0}")]
    Accept(AcceptError),

    #[error("`{found}` names no version: write NAME@VERSION, such as Camera@2")]
    NoVersion { found: String },

    #[error("nothing is declared that is called `{name}`{}", suggestion(near))]
    NotDeclared { name: String, near: Vec<String> },

    #[error("`{name}` could be any of {}: write the whole path", found.join(", "))]
    Ambiguous { name: String, found: Vec<String> },

    #[error("the lock has no version {version} of {path}: it has {}", had(versions))]
    NoSuchVersion { path: String, version: u32, versions: Vec<u32> },
}

/// What was agreed on is built otherwise than what is declared now.
#[derive(Debug, thiserror::Error)]
#[error(
    "{path}: the contracts of {package} were agreed on as they are built {}, and these are built {}: behind `cfg` they may \
     be others, so they are not compared; run `{again}`, or `{anew}` to agree on what is built now",
    in_words(stated.as_deref()), in_words(asked.as_deref()), path = path.display()
)]
pub(super) struct OtherBuild {
    pub(super) path: PathBuf,
    pub(super) package: String,
    pub(super) stated: Option<String>,
    pub(super) asked: Option<String>,
    pub(super) again: String,
    pub(super) anew: String,
}

impl Error {
    /// What programs tell it by, where it is one that they may do something about.
    pub(super) fn code(&self) -> Option<&'static str> {
        match self {
            Error::Source(error) if !error.is_usage() => error.code(),
            Error::Read { .. } => Some("io"),
            Error::NotText { .. } => Some("lock_damaged"),
            Error::Lock { reason, .. } => Some(reason.code()),
            Error::OtherBuild(_) => Some("other_build"),
            Error::Accept(_) => None,
            Error::Source(_)
            | Error::NoPlace
            | Error::NoVersion { .. }
            | Error::NotDeclared { .. }
            | Error::Ambiguous { .. }
            | Error::NoSuchVersion { .. } => Some("usage"),
        }
    }

    /// The file that it is about, and the line where it is about one.
    pub(super) fn place(&self) -> Option<(&Path, Option<u32>)> {
        match self {
            Error::Source(error) => Some((error.file()?, None)),
            Error::Read { path, .. } | Error::NotText { path, .. } => Some((path, None)),
            Error::Lock { path, reason } => {
                Some((path, reason.line().and_then(|line| u32::try_from(line).ok())))
            }
            Error::OtherBuild(build) => Some((&build.path, None)),
            _ => None,
        }
    }

    /// Whether the command line is to be changed, and nothing else.
    pub(super) fn is_usage(&self) -> bool {
        match self {
            Error::Source(error) => error.is_usage(),
            Error::NoPlace
            | Error::NoVersion { .. }
            | Error::NotDeclared { .. }
            | Error::Ambiguous { .. }
            | Error::NoSuchVersion { .. } => true,
            Error::Read { .. }
            | Error::NotText { .. }
            | Error::Lock { .. }
            | Error::OtherBuild(_)
            | Error::Accept(_) => false,
        }
    }
}

fn suggestion(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; is it {}?", near.join(" or ")) }
}

fn had(versions: &[u32]) -> String {
    if versions.is_empty() {
        return "none of it: accept it first".to_owned();
    }
    versions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
