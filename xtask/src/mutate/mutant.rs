//! A mutant: one change, of one side.

use super::edits::Edit;
use super::operators::Candidate;

/// What is done to declarations that agree with all that is theirs.
pub(crate) struct Mutant {
    /// A name that is the same in every run: `shipped/field.type/CudaIpcPayload.size/1`.
    pub(crate) name: String,
    /// The index of the subject.
    pub(crate) subject: usize,
    pub(crate) kind: Kind,
    /// What kind of change it is: a row of the matrix.
    pub(crate) operator: String,
    /// Where.
    pub(crate) place: String,
    /// What was there, and what is there now.
    pub(crate) change: String,
    pub(crate) source: Source,
}

/// What is expected of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A declaration of one side is changed: some gate stops it.
    Declaration,
    /// An artifact is edited: some gate stops it.
    Artifact,
    /// Both sides still understand each other: no gate calls it breaking.
    Harmless,
    /// Nothing is changed: no gate stops anything.
    Control,
}

impl Kind {
    /// The word in reports.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Kind::Declaration => "declaration",
            Kind::Artifact => "artifact",
            Kind::Harmless => "harmless",
            Kind::Control => "control",
        }
    }
}

/// How it is made.
pub(crate) enum Source {
    Declaration(Candidate),
    Edit(Edit),
    Control,
}
