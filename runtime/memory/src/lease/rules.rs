//! The rules of both sides, without a socket: what may come next, what is said, what is outstanding.
//!
//! A side is told what it wants to say and what came; it gives the messages to send, in their order, and what they
//! mean. Nothing here waits, and nothing holds a file descriptor, so that whoever has another socket, or another
//! language, follows the same rules.
//!
//! # Words that cross
//!
//! A lease may be ended by both sides at once: the producer says `ended` (`revoked`) while the consumer's `release` is
//! on its way. Of words that are not answered (`ended` of a lease that was not released, and `refused`) a side cannot
//! know when the other one has read them. So each is followed by a `ping`: until its `pong` comes, what was on its way
//! may still arrive and is passed over, in the order in which it could have been said; behind the `pong` it is a
//! [`Fault`]. The number of the lease is in use until then, and the lease counts among those that are outstanding.
//!
//! ```
//! use wirecontract_gpu::buffer::{ConsumerMessage, ProducerMessage};
//! use wirecontract_runtime::host::{HostBuffer, HostOptions};
//! use wirecontract_runtime::lease::Lend;
//! use wirecontract_runtime::lease::rules::{ConsumerEvent, ConsumerRules, ProducerEvent, ProducerRules};
//!
//! let (mut producer, mut consumer) = (ProducerRules::new(16), ConsumerRules::new(16));
//! let lend = Lend::host(&HostBuffer::create(&HostOptions::new(64))?)?;
//! let (lease, offer) = producer.offer(lend.buffer())?;
//! let heard = consumer.hear(ProducerMessage::Offer(offer))?;
//! assert!(matches!(heard.event, ConsumerEvent::Offered(_)));
//! producer.hear(consumer.take(lease).expect("it was offered"))?;
//! let heard = producer.hear(consumer.release(lease).expect("it is held"))?;
//! assert_eq!(heard.event, ProducerEvent::Released(lease));
//! let ended = heard.answer.expect("a release is answered");
//! assert_eq!(consumer.hear(ended)?.event, ConsumerEvent::Released(lease));
//! assert_eq!((producer.outstanding(), consumer.outstanding()), (0, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod consumer;
mod fault;
mod pings;
mod producer;
#[cfg(test)]
mod tests;

pub use consumer::{ConsumerEvent, ConsumerHeard, ConsumerRules};
pub use fault::{Fault, Word};
pub use producer::{ProducerEvent, ProducerHeard, ProducerRules};

/// How far a lease is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Offered, and not answered.
    Offered,
    /// Taken by the consumer.
    Held,
    /// Given back by the consumer, which waits for the answer.
    Releasing,
    /// Over for this side; words of the other one may still be on their way.
    Over,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Phase::Offered => "offered and not answered",
            Phase::Held => "taken",
            Phase::Releasing => "released",
            Phase::Over => "over",
        })
    }
}
