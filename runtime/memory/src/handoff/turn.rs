//! One call at a time: what threads that share a channel wait for, with a limit, which a mutex does not have.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

use super::wait::Limit;

/// State after whose end no call has anything more to do. It never begins anew.
pub(crate) trait Ends {
    fn has_ended(&self) -> bool;
}

/// State that one call at a time has. Where nobody else wants it, that costs what a mutex does.
pub(crate) struct Turn<T: Ends> {
    state: Mutex<T>,
    /// What the last call left, for who does not wait for one that has the state.
    ended: AtomicBool,
    /// How many wait, each of which counted itself before it looked whether the state is free.
    waiting: AtomicUsize,
    gate: Mutex<()>,
    free: Condvar,
}

/// The state, until this is dropped.
pub(crate) struct Taken<'a, T: Ends> {
    turn: &'a Turn<T>,
    /// There until drop, which gives it back before it wakes anybody.
    state: Option<MutexGuard<'a, T>>,
}

impl<T: Ends> Turn<T> {
    pub(crate) fn new(state: T) -> Turn<T> {
        Turn {
            state: Mutex::new(state),
            ended: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            gate: Mutex::new(()),
            free: Condvar::new(),
        }
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
        let state = match self.state.try_lock() {
            Ok(state) => state,
            // What a call that panicked left is checked by the next as what came.
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(Taken { turn: self, state: Some(state) })
    }

    /// The state as soon as nobody has it; none when the moment is over.
    pub(crate) fn take(&self, limit: impl FnOnce() -> Option<Limit>) -> Option<Taken<'_, T>> {
        self.try_take().or_else(|| self.wait(limit()))
    }

    #[cold]
    fn wait(&self, limit: Option<Limit>) -> Option<Taken<'_, T>> {
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // Either who has the state sees that somebody waits, or this sees that it is free: `Taken::drop` has the
        // other fence.
        fence(Ordering::SeqCst);
        let taken = loop {
            if let Some(taken) = self.try_take() {
                break Some(taken);
            }
            gate = match limit {
                None => self.free.wait(gate).unwrap_or_else(PoisonError::into_inner),
                Some(limit) if limit.is_over() => break None,
                Some(limit) => {
                    self.free.wait_timeout(gate, limit.left()).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        drop(gate);
        taken
    }
}

impl<T: Ends> Deref for Taken<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.state.as_ref().expect("only drop takes it")
    }
}

impl<T: Ends> DerefMut for Taken<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.state.as_mut().expect("only drop takes it")
    }
}

impl<T: Ends> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        if self.has_ended() {
            self.turn.end();
        }
        drop(self.state.take());
        fence(Ordering::SeqCst);
        if self.turn.waiting.load(Ordering::Relaxed) > 0 {
            // Who waits has the gate from counting itself until it sleeps.
            let _gate = self.turn.gate.lock().unwrap_or_else(PoisonError::into_inner);
            self.turn.free.notify_one();
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
