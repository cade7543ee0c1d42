//! One call at a time: what threads that share a channel wait for, with a limit, which the standard library's mutex does not
//! have.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::wait::Limit;

/// State after whose end no call has anything more to do. It never begins anew.
pub(crate) trait Ends {
    fn has_ended(&self) -> bool;
}

/// State that one call at a time has. What a call that panicked left is checked by the next as what came.
pub(crate) struct Turn<T: Ends> {
    state: Mutex<T>,
    /// What the last call left, for who does not wait for one that has the state.
    ended: AtomicBool,
}

/// The state, until this is dropped.
pub(crate) struct Taken<'a, T: Ends> {
    turn: &'a Turn<T>,
    state: MutexGuard<'a, T>,
}

impl<T: Ends> Turn<T> {
    pub(crate) fn new(state: T) -> Turn<T> {
        Turn { state: Mutex::new(state), ended: AtomicBool::new(false) }
    }

    /// Whether the state has ended, as the calls that are over left it.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Notes that it has, whoever has it now.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// The state where nobody has it.
    pub(crate) fn try_take(&self) -> Option<Taken<'_, T>> {
        self.state.try_lock().map(|state| Taken { turn: self, state })
    }

    /// The state as soon as nobody has it; none when the moment is over.
    pub(crate) fn take(&self, limit: impl FnOnce() -> Option<Limit>) -> Option<Taken<'_, T>> {
        self.try_take().or_else(|| self.wait(limit()))
    }

    #[cold]
    fn wait(&self, limit: Option<Limit>) -> Option<Taken<'_, T>> {
        let state = match limit {
            None => self.state.lock(),
            Some(limit) => self.state.try_lock_for(limit.left())?,
        };
        Some(Taken { turn: self, state })
    }
}

impl<T: Ends> Deref for Taken<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.state
    }
}

impl<T: Ends> DerefMut for Taken<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.state
    }
}

impl<T: Ends> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        if self.has_ended() {
            self.turn.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    impl Ends for u32 {
        fn has_ended(&self) -> bool {
            *self == u32::MAX
        }
    }

    #[test]
    fn what_has_ended_is_known_behind_the_call_that_ended_it() {
        let turn = Turn::new(0);
        let mut taken = turn.try_take().expect("nobody has it");
        *taken = u32::MAX;
        assert!(!turn.has_ended());
        drop(taken);
        assert!(turn.has_ended());
    }

    #[test]
    fn a_turn_is_had_once_and_waited_for_no_longer_than_the_limit() {
        let turn = Turn::new(7);
        let taken = turn.try_take().expect("nobody has it");
        assert!(turn.try_take().is_none());
        assert!(turn.take(|| Limit::of(Some(Duration::from_millis(1)))).is_none());
        drop(taken);
        assert_eq!(*turn.take(|| None).expect("nobody has it"), 7);
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
        assert_eq!(*turn.try_take().expect("nobody has it"), 4000);
    }
}
