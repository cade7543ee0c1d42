//! What a producer knows of its leases.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use wirecontract::WireJson as _;
use wirecontract_gpu::buffer::{BufferKind, ConsumerMessage, EndReason, MemoryAfter};

use crate::lease::lend::Owner;
use crate::lease::link::Side;
use crate::lease::outbox::Outbox;
use crate::lease::rules::{Phase, ProducerEvent, ProducerRules};
use crate::lease::{End, Error, Lost, Outcome, State};

/// A lease, as long as its handle or the lease lasts.
pub(in crate::lease) struct Granted {
    pub(in crate::lease) kind: BufferKind,
    pub(in crate::lease) size: u64,
    pub(in crate::lease) since: Instant,
    pub(in crate::lease) outcome: OnceLock<Outcome>,
}

impl Granted {
    pub(in crate::lease) fn new(kind: BufferKind, size: u64) -> Granted {
        Granted { kind, size, since: Instant::now(), outcome: OnceLock::new() }
    }
}

/// The rules, and the leases that are not over with what is kept for them.
pub(in crate::lease) struct Lending {
    pub(in crate::lease) rules: ProducerRules,
    pub(in crate::lease) leases: BTreeMap<u64, (Arc<Granted>, Option<Owner>)>,
}

impl Lending {
    pub(in crate::lease) fn new(most: usize) -> Lending {
        Lending { rules: ProducerRules::new(most), leases: BTreeMap::new() }
    }

    /// How far a lease is that is not over.
    pub(in crate::lease) fn state(&self, lease: u64) -> State {
        match (self.rules.phase(lease), self.rules.is_revoked(lease)) {
            (Phase::Offered, false) => State::Offered,
            (Phase::Held, false) => State::Held,
            (Phase::Over, _) => State::Over,
            _ => State::Revoked,
        }
    }

    /// Ends a lease for this side.
    pub(in crate::lease) fn over(&mut self, lease: u64, outcome: Outcome, dropped: &mut Vec<Owner>) {
        if let Some((granted, owner)) = self.leases.remove(&lease) {
            // It was among those that are not over.
            let _ = granted.outcome.set(outcome);
            dropped.extend(owner);
        }
    }
}

impl Side for Lending {
    const FDS: usize = 0;
    const TAKEN_BACK: EndReason = EndReason::Revoked;

    fn hear(
        &mut self,
        body: &[u8],
        fds: Vec<OwnedFd>,
        out: &mut Outbox,
        dropped: &mut Vec<Owner>,
    ) -> Result<(), Error> {
        let message = ConsumerMessage::from_json(body)?;
        message.validate_import(fds.len())?;
        let heard = self.rules.hear(message)?;
        match heard.event {
            ProducerEvent::Refused(refusal) => {
                self.over(refusal.lease_id, Outcome::Refused(refusal), dropped);
            }
            ProducerEvent::Released(lease) => {
                let end = End { reason: EndReason::Released, memory: MemoryAfter::Gone, because: None };
                self.over(lease, Outcome::Ended(end), dropped);
            }
            ProducerEvent::Asked => {
                return heard.answer.map_or(Ok(()), |pong| out.answer_ping(&pong));
            }
            ProducerEvent::Taken(_) | ProducerEvent::Crossed(_) | ProducerEvent::Answered(_) => {}
        }
        heard.answer.map_or(Ok(()), |answer| out.say(&answer))
    }

    fn lose(&mut self, lost: &Lost, dropped: &mut Vec<Owner>) {
        while let Some((_, (granted, owner))) = self.leases.pop_first() {
            let _ = granted.outcome.set(Outcome::Ended(lost.end(granted.kind)));
            dropped.extend(owner);
        }
    }
}
