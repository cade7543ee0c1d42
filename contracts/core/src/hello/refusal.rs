//! Why two sides agree on no version of a contract.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::{SpokenVersion, Verdict};
use crate::{Code, Enumeration, WireError};

/// Why nothing was agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NegotiationError {
    /// Our own hello is none that may be sent.
    Ours(WireError),
    /// Their hello is none.
    Theirs(WireError),
    /// The hellos do not meet.
    Refused(Box<Refusal>),
}

impl NegotiationError {
    /// The code: that of what is wrong with a hello, or `id_mismatch`.
    pub fn code(&self) -> Code {
        match self {
            NegotiationError::Ours(error) | NegotiationError::Theirs(error) => error.code,
            NegotiationError::Refused(_) => Code::IdMismatch,
        }
    }

    /// What the hellos say of the contract; none where one of them is no hello.
    pub fn verdict(&self) -> Option<Verdict> {
        match self {
            NegotiationError::Refused(refusal) => Some(refusal.verdict),
            _ => None,
        }
    }

    /// The same, with what differs between the two declarations where `explain` knows both.
    #[must_use]
    pub fn explained(self, explain: &dyn Explain) -> Self {
        match self {
            NegotiationError::Refused(refusal) => {
                NegotiationError::Refused(Box::new(refusal.explained(explain)))
            }
            other => other,
        }
    }
}

impl fmt::Display for NegotiationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NegotiationError::Ours(error) => write!(f, "our hello: {error}"),
            NegotiationError::Theirs(error) => write!(f, "their hello: {error}"),
            NegotiationError::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl core::error::Error for NegotiationError {}

/// Two hellos that do not meet in a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The contract.
    pub name: String,
    /// Why; never [`Verdict::Agreed`].
    pub verdict: Verdict,
    /// The versions that this side lists.
    pub ours: Vec<SpokenVersion>,
    /// The versions that the peer lists.
    pub theirs: Vec<SpokenVersion>,
    /// Of [`Verdict::TwoIds`] the highest version that both list, as we and as they do.
    pub differing: Option<(SpokenVersion, SpokenVersion)>,
    /// What differs between the two declarations, where somebody knew both.
    pub difference: Option<String>,
}

/// Who knows declarations by their wire ids, and can say what differs between two: a catalog, a lock.
pub trait Explain {
    /// What differs between two declarations of the contract of that name, in one line; none where one of them is
    /// unknown.
    fn explain(&self, name: &str, ours: u64, theirs: u64) -> Option<String>;
}

impl<F: Fn(&str, u64, u64) -> Option<String>> Explain for F {
    fn explain(&self, name: &str, ours: u64, theirs: u64) -> Option<String> {
        self(name, ours, theirs)
    }
}

impl Refusal {
    /// The two wire ids to compare: those of the version that has two, or else the newest of each side.
    pub fn ids(&self) -> Option<(u64, u64)> {
        let newest = || Some((*self.ours.last()?, *self.theirs.last()?));
        self.differing.or_else(newest).map(|(ours, theirs)| (ours.id(), theirs.id()))
    }

    /// The same, with what differs between the two declarations where `explain` knows both.
    #[must_use]
    pub fn explained(mut self, explain: &dyn Explain) -> Self {
        if let Some((ours, theirs)) = self.ids() {
            self.difference = explain.explain(&self.name, ours, theirs);
        }
        self
    }
}

/// The same text in every language.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: ", self.name, Code::IdMismatch.name())?;
        match (self.verdict, self.differing) {
            (Verdict::NotOurs, _) => {
                f.write_str("our hello does not name it: say there that this side speaks it")?;
            }
            (Verdict::UnknownToPeer, _) => {
                f.write_str("the peer's hello does not name it: it does not speak it")?;
            }
            (Verdict::TwoIds, Some((ours, theirs))) => write!(
                f,
                "version {} has two wire ids, ours 0x{:016x} and theirs 0x{:016x}: the declarations differ, so build both \
                 sides of one, or give the newer one a version of its own",
                ours.version,
                ours.id(),
                theirs.id()
            )?,
            _ => f.write_str(
                "no version is spoken by both: update the older side, or have the newer one say `earlier`",
            )?,
        }
        for (who, versions) in [("; ours: ", &self.ours), ("; theirs: ", &self.theirs)] {
            f.write_str(who)?;
            if versions.is_empty() {
                f.write_str("none")?;
            }
            for (index, spoken) in versions.iter().enumerate() {
                let comma = if index == 0 { "" } else { ", " };
                write!(f, "{comma}version {} (0x{:016x})", spoken.version, spoken.id())?;
            }
        }
        match &self.difference {
            Some(difference) => write!(f, "; what differs: {difference}"),
            None => Ok(()),
        }
    }
}
