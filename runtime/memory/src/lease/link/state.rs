//! What the threads that share a side share, and how it is locked.

use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;

use super::Greeting;
use super::notice::{Served, Told};
use crate::lease::lend::Owner;
use crate::lease::outbox::Outbox;
use crate::lease::{Error, Lost};

/// What the threads that share a side share.
pub(in crate::lease) struct State<S> {
    pub(in crate::lease) side: S,
    pub(in crate::lease) out: Outbox,
    /// Owners of what is over. They are dropped outside of the lock, since whose they are is unknown.
    pub(in crate::lease) dropped: Vec<Owner>,
    pub(in crate::lease) lost: Option<Lost>,
    pub(super) greeting: Greeting,
    /// What sending found of a peer that takes nothing more.
    pub(super) deaf: Option<Error>,
    /// The service that the channel is one of.
    pub(super) served: Option<Served>,
    /// The event of a loop that polls.
    pub(super) told: Option<Told>,
    pub(super) polling: bool,
    pub(super) waiting: usize,
}

impl<S> State<S> {
    pub(super) fn new(side: S, greeting: Greeting) -> State<S> {
        let (out, dropped) = (Outbox::default(), Vec::new());
        State {
            side,
            out,
            dropped,
            lost: None,
            greeting,
            deaf: None,
            served: None,
            told: None,
            polling: false,
            waiting: 0,
        }
    }

    /// Whether the hellos are said.
    pub(in crate::lease) fn has_greeted(&self) -> bool {
        self.greeting.is_done()
    }
}

/// The state, for as long as it is locked.
pub(in crate::lease) struct Locked<'a, S>(pub(super) Option<MutexGuard<'a, State<S>>>);

impl<S> Deref for Locked<'_, S> {
    type Target = State<S>;

    fn deref(&self) -> &State<S> {
        self.0.as_ref().expect("only drop takes it")
    }
}

impl<S> DerefMut for Locked<'_, S> {
    fn deref_mut(&mut self) -> &mut State<S> {
        self.0.as_mut().expect("only drop takes it")
    }
}

impl<S> Drop for Locked<'_, S> {
    fn drop(&mut self) {
        if let Some(mut guard) = self.0.take() {
            let dropped = std::mem::take(&mut guard.dropped);
            drop(guard);
            drop(dropped);
        }
    }
}
