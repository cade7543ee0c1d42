//! What happens to a service.

use std::fmt;

use crate::handoff::Peer;
use crate::lease::{Error, Lost};

/// A consumer of a service; the number is never another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConsumerId(pub(super) u64);

impl ConsumerId {
    /// The number, for a language that has no such type.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// Of a number that [`number`](ConsumerId::number) gave; any other one is a consumer who is gone.
impl From<u64> for ConsumerId {
    fn from(number: u64) -> ConsumerId {
        ConsumerId(number)
    }
}

impl fmt::Display for ConsumerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What happened to a service.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServiceEvent {
    /// A consumer is there, and speaks what this side does.
    Joined {
        /// The consumer.
        consumer: ConsumerId,
        /// Who it is, as the kernel noted it.
        peer: Peer,
    },
    /// A consumer is gone, and all its leases are over.
    Left {
        /// The consumer.
        consumer: ConsumerId,
        /// How.
        lost: Lost,
    },
    /// Somebody connected and was not let in, or said no hello that this side understands.
    Refused {
        /// Why.
        because: Error,
    },
}
