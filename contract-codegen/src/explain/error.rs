//! Why two wire ids cannot be explained.

use std::path::PathBuf;

use crate::catalog::FileError;
use crate::lock::LockError;

/// Why nothing can be said of two wire ids.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// Nobody knows the declaration of one, or of either.
    #[error(
        "no declaration has the wire id {}: name the lock or the library of the side that has it",
        listed(ids)
    )]
    Unknown {
        /// Those that nobody knows.
        ids: Vec<u64>,
    },
    /// The ids are of two contracts.
    #[error("{ours} and {theirs} are two contracts: expected two wire ids of one")]
    Others {
        /// The contract of our id.
        ours: String,
        /// That of theirs.
        theirs: String,
    },
    /// What was given is no id.
    #[error("`{found}` is no wire id: expected 16 hexadecimal digits, with or without `0x`")]
    NoId {
        /// What was given.
        found: String,
    },
    /// A lock cannot be read.
    #[error("{}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: std::io::Error,
    },
    /// A lock is none.
    #[error("{}: {reason}", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: LockError,
    },
    /// A library cannot be read.
    #[error("{0}")]
    Library(#[from] FileError),
    /// The records of a library contradict each other.
    #[error("{}: {reason}", path.display())]
    Resolve {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Nothing is there to look the ids up in.
    #[error("there is no contracts.lock here: pass `--lock FILE` or `--library FILE`")]
    Nowhere,
}

impl ExplainError {
    /// Whether the command line is to be changed, and nothing else.
    pub(super) fn is_usage(&self) -> bool {
        matches!(self, ExplainError::NoId { .. } | ExplainError::Nowhere)
    }
}

fn listed(ids: &[u64]) -> String {
    ids.iter().map(|id| format!("{id:#018x}")).collect::<Vec<_>>().join(" or ")
}
