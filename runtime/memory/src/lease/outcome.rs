//! How leases and channels end.

use std::fmt;
use std::sync::Arc;

use wirecontract::Enumeration as _;
use wirecontract_gpu::buffer::{BufferKind, EndReason, MemoryAfter, OfferRefusal};

use super::Error;

/// The end of a lease that had begun.
#[derive(Clone, Debug)]
pub struct End {
    /// Why: of a channel that ended because the other side said what it may not, [`EndReason::Revoked`] to a producer,
    /// which takes everything back, and [`EndReason::PeerClosed`] to a consumer.
    pub reason: EndReason,
    /// What may be done with memory that is still mapped.
    pub memory: MemoryAfter,
    /// What ended the channel, where that ended the lease.
    pub because: Option<Arc<Error>>,
}

/// How a lease is over, for its producer.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It was taken or not, and it ended.
    Ended(End),
    /// The consumer could not use the buffer.
    Refused(OfferRefusal),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Ended(end) => write!(f, "is over ({})", end.reason.name()),
            Outcome::Refused(refusal) => write!(f, "was refused with code {}", refusal.code),
        }
    }
}

/// The end of a channel.
#[derive(Clone, Debug)]
pub struct Lost {
    /// Whether the other side closed it or died; [`EndReason::TimedOut`] where it was too slow with a message. Where it
    /// said what it may not, as [`End::reason`].
    pub reason: EndReason,
    /// What was found.
    pub because: Arc<Error>,
}

impl Lost {
    /// The end of a lease of a buffer of that kind.
    pub(super) fn end(&self, kind: BufferKind) -> End {
        End { reason: self.reason, memory: MemoryAfter::of(kind), because: Some(Arc::clone(&self.because)) }
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.because)?;
        match self.reason {
            EndReason::PeerDied => f.write_str(": its process is gone"),
            _ => Ok(()),
        }
    }
}
