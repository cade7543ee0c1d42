//! One call at a time: what threads that share a channel wait for, with a limit, which a mutex does not have.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::wait::Limit;

/// State that one call at a time has.
pub(crate) struct Turn<T> {
    slot: Mutex<Slot<T>>,
    free: Condvar,
}

/// The state while nobody has it, and how many wait for it.
struct Slot<T> {
    state: Option<T>,
    waiting: usize,
}

/// The state, until this is dropped.
pub(crate) struct Taken<'a, T> {
    turn: &'a Turn<T>,
    state: Option<T>,
}

impl<T> Turn<T> {
    pub(crate) fn new(state: T) -> Turn<T> {
        Turn { slot: Mutex::new(Slot { state: Some(state), waiting: 0 }), free: Condvar::new() }
    }

    /// The state where nobody has it.
    pub(crate) fn try_take(&self) -> Option<Taken<'_, T>> {
        self.taken(self.lock().state.take())
    }

    /// The state as soon as nobody has it; none when the moment is over.
    pub(crate) fn take(&self, limit: impl FnOnce() -> Option<Limit>) -> Option<Taken<'_, T>> {
        let mut slot = self.lock();
        if slot.state.is_none() {
            let limit = limit();
            slot.waiting += 1;
            while slot.state.is_none() && limit.is_none_or(|limit| !limit.is_over()) {
                slot = match limit {
                    None => self.free.wait(slot).unwrap_or_else(PoisonError::into_inner),
                    Some(limit) => {
                        self.free.wait_timeout(slot, limit.left()).unwrap_or_else(PoisonError::into_inner).0
                    }
                };
            }
            slot.waiting -= 1;
        }
        self.taken(slot.state.take())
    }

    /// The state, of which nobody else can know.
    #[cfg(test)]
    fn into_inner(self) -> Option<T> {
        self.slot.into_inner().unwrap_or_else(PoisonError::into_inner).state
    }

    fn taken(&self, state: Option<T>) -> Option<Taken<'_, T>> {
        state.map(|state| Taken { turn: self, state: Some(state) })
    }

    /// A panic while the slot is locked leaves it whole: nothing in there calls anybody.
    fn lock(&self) -> MutexGuard<'_, Slot<T>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Deref for Taken<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.state.as_ref().expect("only drop takes it")
    }
}

impl<T> DerefMut for Taken<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.state.as_mut().expect("only drop takes it")
    }
}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        let mut slot = self.turn.lock();
        slot.state = self.state.take();
        // Waking nobody is a system call all the same.
        if slot.waiting > 0 {
            self.turn.free.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_turn_is_had_once_and_waited_for_no_longer_than_the_limit() {
        let turn = Turn::new(7);
        let taken = turn.try_take().expect("nobody has it");
        assert!(turn.try_take().is_none());
        assert!(turn.take(|| Limit::of(Some(Duration::from_millis(1)))).is_none());
        drop(taken);
        assert_eq!(*turn.take(|| None).expect("nobody has it"), 7);
        assert_eq!(turn.into_inner(), Some(7));
    }

    #[test]
    fn a_turn_that_ends_wakes_one_that_waits() {
        let turn = Turn::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        *turn.take(|| None).expect("there is no limit") += 1;
                    }
                });
            }
        });
        assert_eq!(turn.into_inner(), Some(4000));
    }
}
