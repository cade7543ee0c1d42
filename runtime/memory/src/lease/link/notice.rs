//! What a service is told of the channels that it has, and a loop that polls of one, by whatever thread finds it.

use std::collections::BTreeSet;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Link, Side, State, Wake};
use crate::handoff::{Interest, Limit};
use crate::lease::Error;
#[cfg(test)]
use crate::lease::lend::Owner;

/// What a service has to know of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::lease) struct Standing {
    pub(in crate::lease) greeted: bool,
    pub(in crate::lease) lost: bool,
    /// Whether something waits for the channel to be writable.
    pub(in crate::lease) writes: bool,
    /// Until when it has to be looked at, whatever comes.
    pub(in crate::lease) until: Option<Limit>,
}

/// The numbers of channels of which a service knows less than there is.
pub(in crate::lease) struct Notices {
    wake: Wake,
    numbers: Mutex<BTreeSet<u64>>,
}

impl Notices {
    pub(in crate::lease) fn new() -> Result<Notices, Error> {
        Ok(Notices { wake: Wake::new()?, numbers: Mutex::default() })
    }

    fn tell(&self, number: u64) {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner).insert(number);
        self.wake.wake();
    }

    /// Those of which something was told since this was asked last.
    pub(in crate::lease) fn take(&self) -> BTreeSet<u64> {
        // Before the numbers: what is told behind this wakes again.
        self.wake.clear();
        std::mem::take(&mut *self.numbers.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Readable when something was told.
impl AsFd for Notices {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}

/// A channel's place in a service.
pub(super) struct Served {
    notices: Arc<Notices>,
    number: u64,
    /// What was told last.
    told: Standing,
}

/// What a loop that polls a channel is told by.
pub(super) struct Told {
    wake: Wake,
    /// What it was told last.
    standing: Standing,
}

impl Told {
    pub(super) fn wake(&self) {
        self.wake.wake();
    }
}

impl<S: Side> Link<S> {
    /// Has an event be written to at whatever changes from now on, until the channel has ended.
    pub(in crate::lease) fn wake_by(&self, event: OwnedFd) {
        let mut state = self.lock();
        let told = Told { wake: Wake::of(event), standing: self.standing_of(&state) };
        if state.lost.is_some() {
            told.wake();
        } else {
            state.told = Some(told);
        }
    }

    /// Has a service told under that number of whatever changes from now on.
    pub(in crate::lease) fn serve(&self, notices: Arc<Notices>, number: u64) {
        self.lock().served = Some(Served { notices, number, told: Standing::default() });
    }

    /// How the channel stands. Owners of what is over stay until somebody else has the lock: who asks may have one that
    /// these want.
    pub(in crate::lease) fn standing(&self) -> Standing {
        self.standing_of(&self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Leaves an owner for whoever has the lock next, as nobody does.
    #[cfg(test)]
    pub(in crate::lease) fn leave(&self, owner: Owner) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).dropped.push(owner);
    }

    /// What the channel is to be polled for.
    pub(in crate::lease) fn interest(&self) -> Interest {
        Interest { readable: true, writable: self.standing().writes }
    }

    /// Tells the service, and the loop that polls, what they do not know.
    pub(super) fn report(&self, state: &mut State<S>) {
        if state.served.is_none() && state.told.is_none() {
            return;
        }
        let now = self.standing_of(state);
        if let Some(served) = state.served.as_mut().filter(|served| served.told != now) {
            served.told = now;
            served.notices.tell(served.number);
        }
        if let Some(told) = state.told.as_mut().filter(|told| told.standing != now) {
            told.standing = now;
            told.wake();
        }
    }

    fn standing_of(&self, state: &State<S>) -> Standing {
        Standing {
            greeted: state.has_greeted(),
            lost: state.lost.is_some(),
            writes: self.writes(state),
            until: self.deadline(state),
        }
    }
}
