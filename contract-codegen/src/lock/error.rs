//! Why a text is no lock, or a form is not taken into one.

use std::fmt;

use super::FORMAT;

/// Why a text is no lock. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// A merge that was not resolved.
    #[error(
        "line {line}: the conflict marker `{marker}`{}: two branches changed what is agreed; merge the declarations, take \
         the whole file of the branch that others use (`git checkout --ours` or `--theirs`), and run \
         `cargo wirecontract check`", in_blocks(.blocks)
    )]
    Conflict {
        /// The marker's line.
        line: usize,
        /// The marker.
        marker: &'static str,
        /// The blocks that the conflict is in.
        blocks: Vec<Block>,
    },
    /// Two blocks with one heading.
    #[error(
        "line {line}: a second block of {block}, the first is in line {first}: two branches accepted it; take the whole \
         file of the branch that others use, and run `cargo wirecontract check`"
    )]
    Twice {
        /// The second heading.
        line: usize,
        /// What both are of.
        block: Block,
        /// The first heading.
        first: usize,
    },
    /// Text that is not TOML.
    #[error(
        "line {line}: this is not TOML{}: {reason}; take the file from version control", in_block(.block.as_ref())
    )]
    NotToml {
        /// Where.
        line: usize,
        /// The block that the line is in.
        block: Option<Block>,
        /// What the parser says.
        reason: String,
    },
    /// Nothing says what the file is.
    #[error(
        "expected `format = {FORMAT}` in front of the blocks: this is not a lock, or not the whole of one; take it from \
         version control"
    )]
    NoFormat,
    /// Options of the build that are none.
    #[error(
        "line {line}: expected the options of the build by package, such as \
         `built_with = {{ sensor-sdk = \"--features wide\" }}`: take the file from version control"
    )]
    BuiltWith {
        /// Where.
        line: usize,
    },
    /// A format of the future.
    #[error(
        "line {line}: the lock has format {format}, this version reads {FORMAT}: update `wirecontract-codegen` to the \
         version that wrote it"
    )]
    Newer {
        /// Where it says so.
        line: usize,
        /// The format.
        format: i64,
    },
    /// A heading that names no version of a contract.
    #[error(
        "line {line}: `{found}` is no heading of a block: expected a path and a version, as in \
         `[\"my_crate::camera::Frame@1\"]`; take the file from version control"
    )]
    Heading {
        /// Its line.
        line: usize,
        /// What stands there.
        found: String,
    },
    /// A version that no contract can have.
    #[error(
        "line {line}: {path} has version 0, and versions start at 1; take the block from version control"
    )]
    VersionZero {
        /// The heading's line.
        line: usize,
        /// The contract.
        path: String,
    },
    /// A kind of the future, or none.
    #[error(
        "line {line}: {block} is of the kind `{kind}`, which this version does not know: update `wirecontract-codegen` to \
         the version that wrote it, or take the block from version control"
    )]
    UnknownKind {
        /// Where it says so.
        line: usize,
        /// The block.
        block: Block,
        /// The word.
        kind: String,
    },
    /// A key that no block of the kind has.
    #[error(
        "line {line}: {block} says `{key}`, which this version does not know: update `wirecontract-codegen` to the \
         version that wrote it, or take the block from version control"
    )]
    UnknownKey {
        /// The key's line.
        line: usize,
        /// The block.
        block: Block,
        /// The key.
        key: String,
    },
    /// A key that every block of the kind has.
    #[error("line {line}: {block} does not say `{key}`: take the block from version control")]
    Missing {
        /// The line of the heading or of the member.
        line: usize,
        /// The block.
        block: Block,
        /// The key.
        key: &'static str,
    },
    /// A key with something else behind it.
    #[error(
        "line {line}: in {block}, `{key}` is {found}: expected {expected}; take the block from version control"
    )]
    Mistyped {
        /// The value's line.
        line: usize,
        /// The block.
        block: Block,
        /// The key.
        key: String,
        /// What should be there.
        expected: &'static str,
        /// What is.
        found: &'static str,
    },
    /// A block that is not as it was accepted.
    #[error(
        "line {line}: {block} was changed after it was accepted: its digest is {stated:#018x}, and what it says has \
         {found:#018x}; take the block from version control, and accept changes of the declaration with \
         `cargo wirecontract check --accept`"
    )]
    Edited {
        /// The heading's line.
        line: usize,
        /// The block.
        block: Block,
        /// The digest in the block.
        stated: u64,
        /// The digest of the block.
        found: u64,
    },
    /// A contract that is gone in one version and there in a later one.
    #[error(
        "line {line}: {block} is removed, and there is a version {newest}: one branch removed the contract and another \
         changed it; take the whole file of the branch that others use, and run `cargo wirecontract check`"
    )]
    RemovedBefore {
        /// The heading's line.
        line: usize,
        /// The removed block.
        block: Block,
        /// The highest version.
        newest: u32,
    },
}

impl LockError {
    /// The line that it is about, from 1.
    pub fn line(&self) -> Option<usize> {
        match self {
            LockError::NoFormat => None,
            LockError::Conflict { line, .. }
            | LockError::Twice { line, .. }
            | LockError::NotToml { line, .. }
            | LockError::BuiltWith { line }
            | LockError::Newer { line, .. }
            | LockError::Heading { line, .. }
            | LockError::VersionZero { line, .. }
            | LockError::UnknownKind { line, .. }
            | LockError::UnknownKey { line, .. }
            | LockError::Missing { line, .. }
            | LockError::Mistyped { line, .. }
            | LockError::Edited { line, .. }
            | LockError::RemovedBefore { line, .. } => Some(*line),
        }
    }

    /// What programs tell it by: a merge to be made again, a block that was edited, a lock of a later version of this
    /// program, or one that is damaged.
    pub fn code(&self) -> &'static str {
        match self {
            LockError::Conflict { .. } | LockError::Twice { .. } | LockError::RemovedBefore { .. } => {
                "lock_conflict"
            }
            LockError::Edited { .. } => "lock_edited",
            LockError::Newer { .. } | LockError::UnknownKind { .. } | LockError::UnknownKey { .. } => {
                "lock_newer"
            }
            LockError::NotToml { .. }
            | LockError::NoFormat
            | LockError::BuiltWith { .. }
            | LockError::Heading { .. }
            | LockError::VersionZero { .. }
            | LockError::Missing { .. }
            | LockError::Mistyped { .. } => "lock_damaged",
        }
    }
}

/// A version of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The contract.
    pub path: String,
    /// The version.
    pub version: u32,
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.path, self.version)
    }
}

fn in_block(block: Option<&Block>) -> String {
    block.map(|block| format!(" in {block}")).unwrap_or_default()
}

fn in_blocks(blocks: &[Block]) -> String {
    let blocks: Vec<String> = blocks.iter().map(Block::to_string).collect();
    if blocks.is_empty() { String::new() } else { format!(" in {}", blocks.join(" and ")) }
}

/// Why a form is not taken into a lock.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{path} was something else in version {version}, or has a newer one: declare `version = {next}` on it"
)]
pub struct AcceptError {
    /// The contract.
    pub path: String,
    /// Its version.
    pub version: u32,
    /// The first version that it may have.
    pub next: u32,
}
