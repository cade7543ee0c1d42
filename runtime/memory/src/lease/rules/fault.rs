//! What the other side may not say.

use std::fmt;

use wirecontract::Code;

use super::Phase;

/// A word of either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Word {
    /// The producer lends.
    Offer,
    /// The producer wants it back.
    Revoke,
    /// The producer says that it is over.
    Ended,
    /// The consumer has it.
    Taken,
    /// The consumer cannot use it.
    Refused,
    /// The consumer gives it back.
    Release,
    /// Either side answers.
    Pong,
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Word::Offer => "offer",
            Word::Revoke => "revoke",
            Word::Ended => "ended",
            Word::Taken => "taken",
            Word::Refused => "refused",
            Word::Release => "release",
            Word::Pong => "pong",
        })
    }
}

/// A word that the other side may not say now. What it says next cannot be relied on: the channel is closed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// An offer under the number of another lease.
    #[error("busy: expected an offer of a new lease, found the number {lease}, which is in use: count on")]
    IdInUse {
        /// The number.
        lease: u64,
    },
    /// A word of a lease that there is not.
    #[error(
        "bad_handle: expected `{word}` of a lease that is outstanding, found lease {lease}, which {}: say it once, of \
         what was offered",
        if *.was { "is over" } else { "was never offered, or is over" }
    )]
    Unknown {
        /// The word.
        word: Word,
        /// The number.
        lease: u64,
        /// Whether it is known that the number was a lease's.
        was: bool,
    },
    /// A word that does not follow on what was said before.
    #[error(
        "rule_violated: expected no `{word}` of lease {lease}, which is {phase}: say each word once, in its turn"
    )]
    OutOfOrder {
        /// The word.
        word: Word,
        /// The number.
        lease: u64,
        /// What the lease is.
        phase: Phase,
    },
    /// A lease that is ended for a reason that only the other side can find.
    #[error(
        "rule_violated: expected lease {lease} to be ended as released, revoked or timed_out, found {reason}: what the \
         socket says needs no word"
    )]
    Reason {
        /// The number.
        lease: u64,
        /// The reason.
        reason: &'static str,
    },
    /// More leases than are let be.
    #[error(
        "too_many: expected at most {most} outstanding leases, found another offer: wait for some to be over, or raise \
         the bound"
    )]
    TooManyLeases {
        /// The bound.
        most: usize,
    },
    /// An answer that nobody asked for, or not now.
    #[error("rule_violated: expected {}, found `pong` {found}: answer each `ping` once, in their order", asked(*.expected))]
    Pong {
        /// What is answered next; none where nothing was asked.
        expected: Option<u64>,
        /// What was answered.
        found: u64,
    },
    /// More questions than answers can be sent.
    #[error(
        "too_many: expected at most {most} pings that wait for an answer, found another: receive the answers first"
    )]
    TooManyPings {
        /// The bound.
        most: usize,
    },
}

fn asked(expected: Option<u64>) -> String {
    expected.map_or_else(|| "no answer".to_owned(), |sequence| format!("the answer to `ping` {sequence}"))
}

impl Fault {
    /// The code that says the same in every language.
    pub fn code(&self) -> Code {
        match self {
            Fault::IdInUse { .. } => Code::Busy,
            Fault::Unknown { .. } => Code::BadHandle,
            Fault::OutOfOrder { .. } | Fault::Reason { .. } | Fault::Pong { .. } => Code::RuleViolated,
            Fault::TooManyLeases { .. } | Fault::TooManyPings { .. } => Code::TooMany,
        }
    }
}
