//! A lease, as its producer has it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use wirecontract_gpu::buffer::{EndReason, MemoryAfter};

use super::link::{self, Link};
use super::producer::{Granted, Lending};
use super::rules::Phase;
use super::{Doing, End, Error, Outcome};
use crate::handoff::Peer;

/// How far a lease is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// Offered, and not answered.
    Offered,
    /// Taken by the consumer.
    Held,
    /// Asked back, and not given back.
    Revoked,
    /// Over.
    Over,
}

/// A buffer that is lent.
///
/// Dropping it ends nothing: the lease lasts until the consumer gives the buffer back, and what the
/// [`Lend`](super::Lend) keeps is kept until then, or until the channel ends, which is when nobody has its producer or
/// a lease on it any more. Clones are handles of one lease.
#[derive(Clone)]
pub struct Lease {
    pub(super) link: Arc<Link<Lending>>,
    pub(super) id: u64,
    pub(super) granted: Arc<Granted>,
}

impl Lease {
    /// Its number on the channel.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Who has it, as the kernel noted it.
    pub fn consumer(&self) -> Peer {
        self.link.channel().peer()
    }

    /// How far it is, after a look at what came.
    pub fn state(&self) -> State {
        self.link.look(|state| state.side.state(self.id))
    }

    /// How it is over, if it is; without a look at what came.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.granted.outcome.get()
    }

    /// Waits until the offer is taken.
    ///
    /// # Errors
    /// [`Error::Refused`] with the consumer's code, [`Error::Timeout`], [`Error::Lost`], [`Error::Over`].
    pub fn wait_taken(&self, within: impl Into<Option<Duration>>) -> Result<(), Error> {
        self.link.wait(within.into(), Doing::Answer, |state| self.taken(state))?
    }

    /// Whether the offer was taken; none where it waits for an answer.
    pub(super) fn taken(&self, state: &link::State<Lending>) -> Option<Result<(), Error>> {
        match (self.outcome(), state.side.rules.phase(self.id)) {
            (None, Phase::Offered) => None,
            (None | Some(Outcome::Ended(End { reason: EndReason::Released, .. })), _) => Some(Ok(())),
            (Some(Outcome::Refused(refusal)), _) => Some(Err(Error::Refused(refusal.clone()))),
            (Some(Outcome::Ended(end)), _) => Some(Err(self.over(end))),
        }
    }

    /// Waits until the lease is over: the memory may then be used anew, as far as [`End::memory`] says of what the
    /// consumer may still map.
    ///
    /// # Errors
    /// [`Error::Refused`], [`Error::Timeout`].
    pub fn wait_released(&self, within: impl Into<Option<Duration>>) -> Result<End, Error> {
        self.link.wait(within.into(), Doing::Release, |_| self.released())?
    }

    /// How the lease ended; none where it lasts. Without a look at what came.
    pub(super) fn released(&self) -> Option<Result<End, Error>> {
        self.outcome().map(Lease::end_of)
    }

    /// How the lease ended; none where it lasts.
    ///
    /// # Errors
    /// [`Error::Refused`].
    pub fn try_released(&self) -> Result<Option<End>, Error> {
        self.link.look(|_| self.released()).transpose()
    }

    /// Asks for the buffer back, and waits until it is given back. Where it is not in time ([`Error::Timeout`]), the
    /// lease lasts: [`end`](Self::end) waits no longer.
    ///
    /// # Errors
    /// [`Error::Refused`], [`Error::Timeout`].
    pub fn revoke(&self, within: impl Into<Option<Duration>>) -> Result<End, Error> {
        self.ask_back()?;
        self.wait_released(within)
    }

    /// Asks for the buffer back, where the lease lasts.
    pub(super) fn ask_back(&self) -> Result<(), Error> {
        if self.outcome().is_some() {
            return Ok(());
        }
        let asked = self
            .link
            .act(|state| state.side.rules.revoke(self.id).map_or(Ok(()), |revoke| state.out.say(&revoke)));
        // What has ended meanwhile says its outcome.
        if self.outcome().is_some() { Ok(()) } else { asked }
    }

    /// Ends the lease without waiting for the consumer, which is told what its kind of memory lets it do
    /// ([`MemoryAfter::of`]). Where it is over already, how.
    ///
    /// # Errors
    /// [`Error::Reason`] for a reason other than [`EndReason::Revoked`] and [`EndReason::TimedOut`], [`Error::Refused`].
    pub fn end(&self, reason: EndReason) -> Result<End, Error> {
        self.end_with(reason, MemoryAfter::of(self.granted.kind))
    }

    /// The same, with what the consumer may do with memory that it still maps: [`MemoryAfter::Gone`] where the producer
    /// is about to free it.
    ///
    /// # Errors
    /// The same.
    pub fn end_with(&self, reason: EndReason, memory: MemoryAfter) -> Result<End, Error> {
        let ended = self.link.act(|state| {
            let link::State { side, out, dropped, .. } = state;
            if let Some(words) = side.rules.end(self.id, reason, memory)? {
                side.over(self.id, Outcome::Ended(End { reason, memory, because: None }), dropped);
                words.iter().try_for_each(|word| out.say(word))?;
            }
            Ok(())
        });
        match (ended, self.outcome()) {
            (Err(error @ Error::Reason { .. }), _) | (Err(error), None) => Err(error),
            (_, Some(outcome)) => Lease::end_of(outcome),
            // The rules know it as over only with its outcome.
            (Ok(()), None) => Err(Error::Closed),
        }
    }

    fn end_of(outcome: &Outcome) -> Result<End, Error> {
        match outcome {
            Outcome::Ended(end) => Ok(end.clone()),
            Outcome::Refused(refusal) => Err(Error::Refused(refusal.clone())),
        }
    }

    /// Why there is no answer: the channel's end, or that of the lease.
    fn over(&self, end: &End) -> Error {
        let outcome = Outcome::Ended(end.clone());
        match &end.because {
            Some(because) => Error::Lost(super::Lost { reason: end.reason, because: Arc::clone(because) }),
            None => Error::Over { lease: self.id, outcome },
        }
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease")
            .field("id", &self.id)
            .field("outcome", &self.outcome())
            .finish_non_exhaustive()
    }
}
