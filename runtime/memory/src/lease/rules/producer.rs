//! The side that lends.

use std::collections::BTreeMap;

use wirecontract_gpu::buffer::{
    ConsumerMessage, EndReason, LeaseEnd, LeaseName, MemoryAfter, Offer, OfferRefusal, Ping, ProducerMessage,
    SharedBuffer,
};

use super::pings::Pings;
use super::{Fault, Phase, Word};
use crate::lease::Error;

/// What a producer may say and hear on one channel.
#[derive(Debug)]
pub struct ProducerRules {
    most: usize,
    /// The number of the next lease: what is below it was offered.
    next: u64,
    leases: BTreeMap<u64, Entry>,
    pings: Pings,
}

#[derive(Debug)]
struct Entry {
    phase: Phase,
    revoked: bool,
    /// Of a lease that this side ended: the `ping` behind it.
    fence: Option<u64>,
}

/// What a consumer's word means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProducerEvent {
    /// The consumer has imported the buffer.
    Taken(u64),
    /// The consumer cannot use it: the lease is over.
    Refused(OfferRefusal),
    /// The consumer gave it back: the lease is over.
    Released(u64),
    /// A word that had been said before the consumer knew that this side ended the lease.
    Crossed(u64),
    /// The consumer asks whether this side is there.
    Asked,
    /// The consumer answered.
    Answered(u64),
}

/// What a consumer's word means, and the answer to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerHeard {
    /// What it means.
    pub event: ProducerEvent,
    /// The answer.
    pub answer: Option<ProducerMessage>,
}

impl ProducerRules {
    /// A side that lends at most so many buffers at once.
    pub fn new(most: usize) -> ProducerRules {
        ProducerRules { most, next: 1, leases: BTreeMap::new(), pings: Pings::default() }
    }

    /// Offers a buffer: the number of the lease, and what to send with the buffer's file descriptors.
    ///
    /// # Errors
    /// [`Error::TooMany`], and [`Error::Offer`] for a buffer that no importer may use.
    pub fn offer(&mut self, buffer: &SharedBuffer) -> Result<(u64, Offer), Error> {
        if self.leases.len() >= self.most {
            return Err(Error::TooMany { most: self.most });
        }
        let lease = self.next;
        let offer = Offer::new(lease, buffer)?;
        self.next += 1;
        self.leases.insert(lease, Entry { phase: Phase::Offered, revoked: false, fence: None });
        Ok((lease, offer))
    }

    /// Asks for a buffer back; nothing where that was asked before, or the lease is over.
    pub fn revoke(&mut self, lease: u64) -> Option<ProducerMessage> {
        let entry = self.leases.get_mut(&lease).filter(|entry| entry.fence.is_none() && !entry.revoked)?;
        entry.revoked = true;
        Some(ProducerMessage::Revoke(LeaseName { lease_id: lease }))
    }

    /// Ends a lease without waiting for its consumer: what to send, in this order; nothing where it is over.
    ///
    /// # Errors
    /// [`Error::Reason`] for what is no reason of a producer's: [`EndReason::Revoked`] and [`EndReason::TimedOut`] are.
    pub fn end(
        &mut self,
        lease: u64,
        reason: EndReason,
        memory: MemoryAfter,
    ) -> Result<Option<[ProducerMessage; 2]>, Error> {
        if !matches!(reason, EndReason::Revoked | EndReason::TimedOut) {
            return Err(Error::Reason { reason });
        }
        let Some(entry) = self.leases.get_mut(&lease).filter(|entry| entry.fence.is_none()) else {
            return Ok(None);
        };
        let ping = self.pings.ask();
        entry.fence = Some(ping.sequence);
        let ended = ProducerMessage::Ended(LeaseEnd { lease_id: lease, reason, memory });
        Ok(Some([ended, ProducerMessage::Ping(ping)]))
    }

    /// Asks whether the consumer is there: what [`waits_for`](Self::waits_for) tells of, and what to send; nothing where
    /// 16 questions wait for their answers, the last of which says the same.
    pub fn ping(&mut self) -> (Ping, Option<ProducerMessage>) {
        let (ping, new) = self.pings.ask_or_wait();
        (ping, new.then_some(ProducerMessage::Ping(ping)))
    }

    /// Whether that question waits for its answer.
    pub fn waits_for(&self, ping: Ping) -> bool {
        self.pings.waits(ping.sequence)
    }

    /// Takes a word of the consumer's.
    ///
    /// # Errors
    /// For what it may not say now.
    pub fn hear(&mut self, message: ConsumerMessage) -> Result<ProducerHeard, Fault> {
        let heard = |event| Ok(ProducerHeard { event, answer: None });
        match message {
            ConsumerMessage::Taken(LeaseName { lease_id }) => {
                let crossed = self.follows(Word::Taken, lease_id, Phase::Offered, Phase::Held)?;
                heard(if crossed { ProducerEvent::Crossed(lease_id) } else { ProducerEvent::Taken(lease_id) })
            }
            ConsumerMessage::Refused(refusal) => {
                let crossed = self.follows(Word::Refused, refusal.lease_id, Phase::Offered, Phase::Over)?;
                heard(if crossed {
                    ProducerEvent::Crossed(refusal.lease_id)
                } else {
                    ProducerEvent::Refused(refusal)
                })
            }
            ConsumerMessage::Release(LeaseName { lease_id }) => {
                if self.follows(Word::Release, lease_id, Phase::Held, Phase::Over)? {
                    return heard(ProducerEvent::Crossed(lease_id));
                }
                let reason = EndReason::Released;
                let end = LeaseEnd { lease_id, reason, memory: MemoryAfter::Gone };
                let answer = Some(ProducerMessage::Ended(end));
                Ok(ProducerHeard { event: ProducerEvent::Released(lease_id), answer })
            }
            ConsumerMessage::Ping(ping) => {
                Ok(ProducerHeard { event: ProducerEvent::Asked, answer: Some(ProducerMessage::Pong(ping)) })
            }
            ConsumerMessage::Pong(ping) => {
                let sequence = self.pings.answered(ping)?;
                self.leases.retain(|_, entry| entry.fence != Some(sequence));
                heard(ProducerEvent::Answered(sequence))
            }
        }
    }

    /// Moves a lease on by a word of the consumer's; whether this side had ended it. What is over for both sides is
    /// forgotten.
    fn follows(&mut self, word: Word, lease: u64, from: Phase, to: Phase) -> Result<bool, Fault> {
        let was = lease != 0 && lease < self.next;
        let entry = self.leases.get_mut(&lease).ok_or(Fault::Unknown { word, lease, was })?;
        if entry.phase != from {
            return Err(Fault::OutOfOrder { word, lease, phase: entry.phase });
        }
        entry.phase = to;
        let crossed = entry.fence.is_some();
        if to == Phase::Over && !crossed {
            self.leases.remove(&lease);
        }
        Ok(crossed)
    }

    /// How far a lease is for this side; [`Phase::Over`] also of one that it never was.
    pub fn phase(&self, lease: u64) -> Phase {
        self.leases.get(&lease).filter(|entry| entry.fence.is_none()).map_or(Phase::Over, |entry| entry.phase)
    }

    /// Whether the buffer was asked back, and the lease is not over.
    pub fn is_revoked(&self, lease: u64) -> bool {
        self.leases.get(&lease).is_some_and(|entry| entry.revoked && entry.fence.is_none())
    }

    /// How many numbers are in use: the leases that are not over, and those of which words may still come.
    pub fn outstanding(&self) -> usize {
        self.leases.len()
    }
}
