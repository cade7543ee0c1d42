//! What a consumer knows of what it is lent.

use std::collections::{BTreeMap, VecDeque};
use std::os::fd::OwnedFd;

use wirecontract::{Enumeration as _, WireJson as _};
use wirecontract_gpu::buffer::{BufferKind, EndReason, Offer, ProducerMessage, SharedBuffer};

use super::Event;
use crate::handoff::MOST_FDS;
use crate::lease::lend::Owner;
use crate::lease::link::Side;
use crate::lease::outbox::Outbox;
use crate::lease::rules::{ConsumerEvent, ConsumerRules, Fault, Phase};
use crate::lease::{End, Error, Lost};

/// An offer that nobody has taken from here.
pub(in crate::lease) enum Arrived {
    /// A buffer that the rules let be used.
    Offer { lease: u64, buffer: Box<SharedBuffer>, fds: Vec<OwnedFd> },
    /// One that was refused.
    Unusable { lease: u64, because: Error },
}

/// The rules, the offers that wait, and what happened to what is held.
pub(in crate::lease) struct Borrowing {
    pub(in crate::lease) rules: ConsumerRules,
    pub(in crate::lease) events: VecDeque<Event>,
    offers: VecDeque<Arrived>,
    /// Those that a [`Held`](crate::lease::Held) is of, and how they ended.
    held: BTreeMap<u64, (BufferKind, Option<End>)>,
    most: usize,
}

impl Borrowing {
    pub(in crate::lease) fn new(most: usize) -> Borrowing {
        let (events, offers, held) = (VecDeque::new(), VecDeque::new(), BTreeMap::new());
        Borrowing { rules: ConsumerRules::new(most), events, offers, held, most }
    }

    pub(in crate::lease) fn has_arrived(&self) -> bool {
        !self.offers.is_empty()
    }

    /// The next offer, whose end is noted from now on.
    pub(in crate::lease) fn arrive(&mut self) -> Option<Arrived> {
        let arrived = self.offers.pop_front()?;
        if let Arrived::Offer { lease, buffer, .. } = &arrived {
            self.held.insert(*lease, (buffer.kind, None));
            // Asked back before anybody asked for it.
            if self.rules.is_revoked(*lease) {
                self.events.push_back(Event::Revoked { lease: *lease });
            }
        }
        Some(arrived)
    }

    /// How a lease that is held ended, if it did.
    pub(in crate::lease) fn end(&self, lease: u64) -> Option<&End> {
        self.held.get(&lease)?.1.as_ref()
    }

    /// Takes an offer; whether it lasts.
    pub(in crate::lease) fn take(&mut self, lease: u64, out: &mut Outbox) -> Result<bool, Error> {
        let Some(taken) = self.rules.take(lease) else { return Ok(false) };
        out.say(&taken).map(|()| true)
    }

    /// Refuses an offer, where it waits for an answer.
    pub(in crate::lease) fn refuse(
        &mut self,
        lease: u64,
        code: i32,
        reason: &str,
        out: &mut Outbox,
    ) -> Result<(), Error> {
        let words = self.rules.refuse(lease, code, reason);
        words.iter().flatten().try_for_each(|word| out.say(word))
    }

    /// Gives back what is held, and forgets what happened to it.
    pub(in crate::lease) fn let_go(&mut self, lease: u64, out: &mut Outbox) -> Result<(), Error> {
        self.held.remove(&lease);
        self.events.retain(|event| event.lease() != lease);
        match self.rules.phase(lease) {
            Phase::Held => self.rules.release(lease).map_or(Ok(()), |release| out.say(&release)),
            Phase::Offered => {
                let code = wirecontract::Code::Refused.value();
                self.refuse(lease, code, "refused: the consumer let go of what it had not imported", out)
            }
            Phase::Releasing | Phase::Over => Ok(()),
        }
    }

    /// Forgets a lease without a word: none is to be said of it.
    pub(in crate::lease) fn forget(&mut self, lease: u64) {
        self.held.remove(&lease);
        self.events.retain(|event| event.lease() != lease);
    }

    /// Keeps an offer for who asks for the next, or refuses it.
    fn offered(&mut self, offer: &Offer, fds: Vec<OwnedFd>, out: &mut Outbox) -> Result<(), Error> {
        if self.offers.len() > self.most {
            return Err(Fault::TooManyLeases { most: self.most }.into());
        }
        let lease = offer.lease_id;
        match usable(offer, fds.len()) {
            Ok(buffer) => {
                self.offers.push_back(Arrived::Offer { lease, buffer: Box::new(buffer), fds });
                Ok(())
            }
            Err(because) => {
                self.refuse(lease, because.code().value(), &because.to_string(), out)?;
                self.offers.push_back(Arrived::Unusable { lease, because });
                Ok(())
            }
        }
    }

    /// Notes the end of a lease; who has it is told, and an offer that waits is dropped.
    fn ended(&mut self, lease: u64, end: End) {
        if let Some((_, held)) = self.held.get_mut(&lease) {
            *held = Some(end.clone());
            self.events.push_back(Event::Ended { lease, end });
        }
        let is_it = |arrived: &Arrived| matches!(arrived, Arrived::Offer { lease: it, .. } if *it == lease);
        self.offers.retain(|arrived| !is_it(arrived));
    }
}

/// The buffer of an offer, as an importer may use it.
fn usable(offer: &Offer, found: usize) -> Result<SharedBuffer, Error> {
    let expected = offer.fds as usize;
    if expected != found {
        return Err(Error::FdCount { expected, found });
    }
    Ok(offer.shared_buffer()?)
}

impl Side for Borrowing {
    const FDS: usize = MOST_FDS;
    const TAKEN_BACK: EndReason = EndReason::PeerClosed;

    fn hear(
        &mut self,
        body: &[u8],
        fds: Vec<OwnedFd>,
        out: &mut Outbox,
        _: &mut Vec<Owner>,
    ) -> Result<(), Error> {
        let message = ProducerMessage::from_json(body)?;
        // Of an offer the count is the offer's own fault, which has an answer.
        if !matches!(message, ProducerMessage::Offer(_)) {
            message.validate_import(fds.len())?;
        }
        let heard = self.rules.hear(message)?;
        match heard.event {
            ConsumerEvent::Offered(offer) => self.offered(&offer, fds, out)?,
            ConsumerEvent::Revoked(lease) if self.held.contains_key(&lease) => {
                self.events.push_back(Event::Revoked { lease });
            }
            ConsumerEvent::Ended(end) => {
                let (reason, memory) = (end.reason, end.memory);
                self.ended(end.lease_id, End { reason, memory, because: None });
            }
            ConsumerEvent::Asked => {
                return heard.answer.map_or(Ok(()), |pong| out.answer_ping(&pong));
            }
            ConsumerEvent::Revoked(_)
            | ConsumerEvent::Released(_)
            | ConsumerEvent::Crossed(_)
            | ConsumerEvent::Answered(_) => {}
        }
        heard.answer.map_or(Ok(()), |answer| out.say(&answer))
    }

    fn lose(&mut self, lost: &Lost, _: &mut Vec<Owner>) {
        self.offers.clear();
        for (lease, (kind, end)) in &mut self.held {
            if end.is_none() {
                let over = lost.end(*kind);
                *end = Some(over.clone());
                self.events.push_back(Event::Ended { lease: *lease, end: over });
            }
        }
    }
}
