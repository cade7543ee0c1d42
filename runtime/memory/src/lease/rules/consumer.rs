//! The side that is lent to.

use std::collections::BTreeMap;

use wirecontract::Enumeration as _;
use wirecontract_gpu::buffer::{
    ConsumerMessage, EndReason, LeaseEnd, LeaseName, Offer, OfferRefusal, Ping, ProducerMessage,
};

use super::pings::Pings;
use super::{Fault, Phase, Word};

/// The most bytes of a refusal's reason.
const MOST_REASON: usize = 1024;

/// What a consumer may say and hear on one channel.
#[derive(Debug)]
pub struct ConsumerRules {
    most: usize,
    leases: BTreeMap<u64, Entry>,
    pings: Pings,
}

#[derive(Debug)]
struct Entry {
    phase: Phase,
    revoked: bool,
    /// Of an offer that this side refused: the `ping` behind the refusal.
    fence: Option<u64>,
}

/// What a producer's word means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConsumerEvent {
    /// A buffer is offered: it is to be taken or refused.
    Offered(Offer),
    /// The producer wants a buffer back: it is to be released.
    Revoked(u64),
    /// The producer ended a lease and did not wait.
    Ended(LeaseEnd),
    /// The producer knows that a buffer was given back: the lease is over.
    Released(u64),
    /// A word that had been said before the producer knew what this side said of the lease.
    Crossed(u64),
    /// The producer asks whether this side is there.
    Asked,
    /// The producer answered.
    Answered(u64),
}

/// What a producer's word means, and the answer to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerHeard {
    /// What it means.
    pub event: ConsumerEvent,
    /// The answer.
    pub answer: Option<ConsumerMessage>,
}

impl ConsumerRules {
    /// A side that is lent at most so many buffers at once.
    pub fn new(most: usize) -> ConsumerRules {
        ConsumerRules { most, leases: BTreeMap::new(), pings: Pings::default() }
    }

    /// Says that the buffer of an offer is imported; nothing where the lease is over or the offer was answered.
    pub fn take(&mut self, lease: u64) -> Option<ConsumerMessage> {
        self.leases.get_mut(&lease).filter(|entry| entry.phase == Phase::Offered)?.phase = Phase::Held;
        Some(ConsumerMessage::Taken(LeaseName { lease_id: lease }))
    }

    /// Says that an offer could not be used: what to send, in this order; nothing where the lease is over or the offer
    /// was answered. `code` is at least 1; of the reason at most 1024 bytes are said.
    pub fn refuse(&mut self, lease: u64, code: i32, reason: &str) -> Option<[ConsumerMessage; 2]> {
        let entry = self.leases.get_mut(&lease).filter(|entry| entry.phase == Phase::Offered)?;
        let ping = self.pings.ask();
        (entry.phase, entry.fence) = (Phase::Over, Some(ping.sequence));
        let mut end = reason.len().min(MOST_REASON);
        while !reason.is_char_boundary(end) {
            end -= 1;
        }
        let message = reason[..end].to_owned();
        let refusal = OfferRefusal { lease_id: lease, code: code.max(1), message };
        Some([ConsumerMessage::Refused(refusal), ConsumerMessage::Ping(ping)])
    }

    /// Gives a buffer back; nothing where the lease is over, or the buffer is not held.
    pub fn release(&mut self, lease: u64) -> Option<ConsumerMessage> {
        self.leases.get_mut(&lease).filter(|entry| entry.phase == Phase::Held)?.phase = Phase::Releasing;
        Some(ConsumerMessage::Release(LeaseName { lease_id: lease }))
    }

    /// Asks whether the producer is there: what [`waits_for`](Self::waits_for) tells of, and what to send; nothing where
    /// 16 questions wait for their answers, the last of which says the same.
    pub fn ping(&mut self) -> (Ping, Option<ConsumerMessage>) {
        let (ping, new) = self.pings.ask_or_wait();
        (ping, new.then_some(ConsumerMessage::Ping(ping)))
    }

    /// Whether that question waits for its answer.
    pub fn waits_for(&self, ping: Ping) -> bool {
        self.pings.waits(ping.sequence)
    }

    /// Takes a word of the producer's.
    ///
    /// # Errors
    /// For what it may not say now.
    pub fn hear(&mut self, message: ProducerMessage) -> Result<ConsumerHeard, Fault> {
        let event = match message {
            ProducerMessage::Offer(offer) => self.offered(offer)?,
            ProducerMessage::Revoke(LeaseName { lease_id }) => self.revoked(lease_id)?,
            ProducerMessage::Ended(end) => self.ended(end)?,
            ProducerMessage::Ping(ping) => {
                let answer = Some(ConsumerMessage::Pong(ping));
                return Ok(ConsumerHeard { event: ConsumerEvent::Asked, answer });
            }
            ProducerMessage::Pong(ping) => {
                let sequence = self.pings.answered(ping)?;
                self.leases.retain(|_, entry| entry.fence != Some(sequence));
                ConsumerEvent::Answered(sequence)
            }
        };
        Ok(ConsumerHeard { event, answer: None })
    }

    fn offered(&mut self, offer: Offer) -> Result<ConsumerEvent, Fault> {
        let lease = offer.lease_id;
        if self.leases.contains_key(&lease) {
            return Err(Fault::IdInUse { lease });
        }
        // What this side refused does not count: the producer may know of it, and not of the `ping` behind it. It has a
        // bound all the same.
        if self.leases.len() >= self.most {
            let over = self.leases.values().filter(|entry| entry.phase == Phase::Over).count();
            if self.leases.len() - over >= self.most || over > self.most {
                return Err(Fault::TooManyLeases { most: self.most });
            }
        }
        self.leases.insert(lease, Entry { phase: Phase::Offered, revoked: false, fence: None });
        Ok(ConsumerEvent::Offered(offer))
    }

    fn revoked(&mut self, lease: u64) -> Result<ConsumerEvent, Fault> {
        let word = Word::Revoke;
        let entry = self.leases.get_mut(&lease).ok_or(Fault::Unknown { word, lease, was: false })?;
        if entry.revoked {
            return Err(Fault::OutOfOrder { word, lease, phase: entry.phase });
        }
        entry.revoked = true;
        Ok(match entry.phase {
            Phase::Offered | Phase::Held => ConsumerEvent::Revoked(lease),
            Phase::Releasing | Phase::Over => ConsumerEvent::Crossed(lease),
        })
    }

    fn ended(&mut self, end: LeaseEnd) -> Result<ConsumerEvent, Fault> {
        let (word, lease) = (Word::Ended, end.lease_id);
        let entry = self.leases.get_mut(&lease).ok_or(Fault::Unknown { word, lease, was: false })?;
        let released = match end.reason {
            EndReason::Released => true,
            EndReason::Revoked | EndReason::TimedOut => false,
            reason => return Err(Fault::Reason { lease, reason: reason.name() }),
        };
        let event = match entry.phase {
            Phase::Releasing => ConsumerEvent::Released(lease),
            Phase::Offered | Phase::Held if !released => ConsumerEvent::Ended(end),
            // The producer had not read the refusal. It says nothing of the lease behind this.
            Phase::Over if !released => ConsumerEvent::Crossed(lease),
            phase => return Err(Fault::OutOfOrder { word, lease, phase }),
        };
        self.leases.remove(&lease);
        Ok(event)
    }

    /// How far a lease is for this side; [`Phase::Over`] also of one that it never was.
    pub fn phase(&self, lease: u64) -> Phase {
        self.leases.get(&lease).map_or(Phase::Over, |entry| entry.phase)
    }

    /// Whether the producer asked for the buffer back, and the lease is not over.
    pub fn is_revoked(&self, lease: u64) -> bool {
        self.leases.get(&lease).is_some_and(|entry| entry.revoked && entry.phase != Phase::Over)
    }

    /// How many numbers are in use: the leases that are not over, and those of which words may still come.
    pub fn outstanding(&self) -> usize {
        self.leases.len()
    }
}
