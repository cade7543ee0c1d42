//! Why a lease was not begun, or not ended: what was expected, what came, what to do.

use std::fmt;
use std::time::Duration;

use wirecontract::hello::NegotiationError;
use wirecontract::{Code, Enumeration as _, WireError};
use wirecontract_gpu::buffer::{EndReason, OfferError, OfferRefusal};

use super::rules::Fault;
use super::{Lost, Outcome};
use crate::handoff::{self, counted};
use crate::host::HostError;

/// Why a call on a lease, or on one of its sides, was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The channel.
    #[error(transparent)]
    Handoff(#[from] handoff::Error),
    /// A message that is none.
    #[error("{0}")]
    Wire(Box<WireError>),
    /// The other side speaks something else.
    #[error("{0}")]
    Hello(Box<NegotiationError>),
    /// A buffer that no importer may use.
    #[error("{0}")]
    Offer(Box<OfferError>),
    /// Host memory.
    #[error(transparent)]
    Host(#[from] HostError),
    /// A word that the other side may not say now.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Another number of file descriptors than a buffer's kind has.
    #[error(
        "fd_count: expected {} beside the buffer, found {found}: send what its kind has",
        counted(&(*expected..=*expected))
    )]
    FdCount {
        /// How many there have to be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// As many leases as the channel may have.
    #[error("too_many: expected at most {most} outstanding leases, found another: wait until one is over")]
    TooMany {
        /// The bound.
        most: usize,
    },
    /// As many consumers as a service may have.
    #[error("too_many: expected at most {most} consumers, found another: raise the bound")]
    TooManyConsumers {
        /// The bound.
        most: usize,
    },
    /// A reason that is not the producer's to give.
    #[error("out_of_range: expected a lease to be ended as revoked or timed_out, found {}: say one of them", .reason.name())]
    Reason {
        /// The reason.
        reason: EndReason,
    },
    /// The consumer refused an offer.
    #[error("refused: the consumer refused the buffer with code {}: {}", .0.code, .0.message)]
    Refused(OfferRefusal),
    /// An offer whose buffer cannot be used. The producer was told; the channel goes on.
    #[error("{}", unusable(*lease, because))]
    Unusable {
        /// The number of the lease.
        lease: u64,
        /// Why.
        because: Box<Error>,
    },
    /// A lease that is over.
    #[error(
        "bad_handle: expected a lease that lasts, found lease {lease}, which {outcome}: offer the buffer again"
    )]
    Over {
        /// The number of the lease.
        lease: u64,
        /// How it ended.
        outcome: Outcome,
    },
    /// An offer that was answered before.
    #[error(
        "refused: expected an offer that waits for an answer, found lease {lease}, which has it: answer once"
    )]
    Answered {
        /// The number of the lease.
        lease: u64,
    },
    /// Not in time. Everything is as it was, and the call may be made again.
    #[error("timeout: {doing} took longer than {after:?}: wait on, or end it")]
    Timeout {
        /// What took that long.
        doing: Doing,
        /// The limit.
        after: Duration,
    },
    /// The channel has ended, and all leases on it.
    #[error("{0}")]
    Lost(Lost),
    /// This side closed the channel.
    #[error("peer_closed: this side closed the channel: open another one")]
    Closed,
}

/// What took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doing {
    /// Waiting for the other side's hello.
    Hello,
    /// Waiting for an offer.
    Offer,
    /// Waiting for an offer to be taken or refused.
    Answer,
    /// Waiting for a buffer to be given back.
    Release,
    /// Waiting for something to happen to what is held.
    Event,
    /// Waiting for the answer to a ping.
    Pong,
    /// Waiting for the other side to close.
    Close,
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Doing::Hello => "waiting for the hello of the other side",
            Doing::Offer => "waiting for an offer",
            Doing::Answer => "waiting for an offer to be taken or refused",
            Doing::Release => "waiting for a buffer to be given back",
            Doing::Event => "waiting for a change of what is held",
            Doing::Pong => "waiting for the answer to a ping",
            Doing::Close => "waiting for the other side to close",
        })
    }
}

impl Error {
    /// The code that says the same in every language.
    pub fn code(&self) -> Code {
        match self {
            Error::Handoff(error) => error.code(),
            Error::Wire(error) => error.code,
            Error::Hello(error) => error.code(),
            Error::Offer(error) => error.code(),
            Error::Host(error) => error.code(),
            Error::Fault(fault) => fault.code(),
            Error::FdCount { .. } => Code::FdCount,
            Error::TooMany { .. } | Error::TooManyConsumers { .. } => Code::TooMany,
            Error::Reason { .. } => Code::OutOfRange,
            Error::Refused(_) | Error::Answered { .. } => Code::Refused,
            Error::Unusable { because, .. } => because.code(),
            Error::Over { .. } => Code::BadHandle,
            Error::Timeout { .. } => Code::Timeout,
            Error::Lost(lost) => lost.because.code(),
            Error::Closed => Code::PeerClosed,
        }
    }

    /// Whether the channel has ended, whatever ended it: each later call says the same.
    pub fn is_end(&self) -> bool {
        match self {
            Error::Handoff(error) => error.is_end(),
            Error::Lost(_) | Error::Closed => true,
            _ => false,
        }
    }
}

/// The code of an offer's refusal stands once, before everything.
fn unusable(lease: u64, because: &Error) -> String {
    let text = because.to_string();
    let code = because.code().name();
    match text.strip_prefix(code).and_then(|rest| rest.strip_prefix(": ")) {
        Some(text) => format!("{code}: lease {lease} was refused: {text}"),
        None => format!("lease {lease} was refused: {text}"),
    }
}

impl From<WireError> for Error {
    fn from(error: WireError) -> Error {
        Error::Wire(Box::new(error))
    }
}

impl From<NegotiationError> for Error {
    fn from(error: NegotiationError) -> Error {
        Error::Hello(Box::new(error))
    }
}

impl From<OfferError> for Error {
    fn from(error: OfferError) -> Error {
        Error::Offer(Box::new(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_that_was_refused_says_its_code_once() {
        let says = |because| Error::Unusable { lease: 7, because: Box::new(because) }.to_string();
        assert_eq!(
            says(Error::FdCount { expected: 1, found: 3 }),
            "fd_count: lease 7 was refused: expected one file descriptor beside the buffer, found 3: send what its kind has"
        );
        let text = says(HostError::Empty.into());
        assert!(text.starts_with("lease 7 was refused: expected a size of at least 1 byte"), "{text}");
    }

    #[test]
    fn whatever_ended_the_channel_is_an_end() {
        let because = std::sync::Arc::new(Error::TooMany { most: 1 });
        assert!(Error::Lost(Lost { reason: EndReason::Revoked, because }).is_end());
        assert!(Error::Closed.is_end() && !Error::TooMany { most: 1 }.is_end());
    }
}
