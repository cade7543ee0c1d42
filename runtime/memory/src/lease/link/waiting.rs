//! Waiting for what comes: one thread polls the channel, and the others wait for it.

use std::os::fd::AsFd as _;
use std::sync::PoisonError;
use std::time::Duration;

use super::{Link, Locked, Side, State};
use crate::handoff::Limit;
use crate::lease::{Doing, Error};

impl<S: Side> Link<S> {
    /// Waits until there is what is looked for, or the channel has ended, or the time is over.
    pub(in crate::lease) fn wait<T>(
        &self,
        within: Option<Duration>,
        doing: Doing,
        mut look: impl FnMut(&mut State<S>) -> Option<T>,
    ) -> Result<T, Error> {
        self.channel.is_ours()?;
        let limit = Limit::of(within);
        loop {
            let mut state = self.lock();
            self.pump(&mut state);
            if let Some(found) = look(&mut state) {
                return Ok(found);
            }
            if let Some(lost) = &state.lost {
                return Err(Error::Lost(lost.clone()));
            }
            if let Some(limit) = limit.filter(|limit| limit.is_over()) {
                return Err(Error::Timeout { doing, after: limit.after });
            }
            self.sleep(state, limit)?;
        }
    }

    /// Waits for the channel, or for another thread that does.
    fn sleep(&self, mut state: Locked<'_, S>, limit: Option<Limit>) -> Result<(), Error> {
        // Owners are dropped with the lock, which a thread that sleeps has to have given back before: the caller looks
        // again.
        if !state.dropped.is_empty() {
            return Ok(());
        }
        if state.polling {
            state.waiting += 1;
            let mut guard = state.0.take().expect("only drop takes it");
            guard = match limit {
                None => self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner),
                Some(limit) => {
                    let waited = self.changed.wait_timeout(guard, limit.left());
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
            guard.waiting -= 1;
            state.0 = Some(guard);
            return Ok(());
        }
        state.polling = true;
        let writes = self.writes(&state);
        let until = Limit::first(limit, self.deadline(&state));
        drop(state);
        let polled = self.wake.wait(self.channel.as_fd(), self.process(), writes, until);
        let mut state = self.lock();
        state.polling = false;
        self.wake.clear();
        // Who waits for this thread is the next to poll, if this one goes.
        self.changed.notify_all();
        polled
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;
    use crate::handoff::{self, Channel};
    use crate::lease::Options;
    use crate::lease::lend::Owner;
    use crate::lease::producer::Lending;

    struct Tells(Arc<AtomicBool>);

    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    #[test]
    fn owners_of_what_is_over_are_dropped_before_a_thread_sleeps() {
        let (channel, _other) = Channel::pair(&handoff::Options::default()).expect("a pair");
        let link = Link::new(channel, Lending::new(1), &Options::default()).expect("a link");
        let (dropped, enough) = (Arc::new(AtomicBool::new(false)), AtomicBool::new(false));
        link.lock().polling = true;
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut owner: Option<Owner> = Some(Arc::new(Tells(Arc::clone(&dropped))));
                let look = |state: &mut State<Lending>| {
                    state.dropped.extend(owner.take());
                    enough.load(Ordering::SeqCst).then_some(())
                };
                link.wait(None, Doing::Release, look).expect("it is woken");
            });
            // A lock that is given back as every other one is would drop them itself.
            while link.state.lock().expect("nobody panicked").waiting == 0 {
                thread::yield_now();
            }
            let before = dropped.load(Ordering::SeqCst);
            enough.store(true, Ordering::SeqCst);
            link.changed.notify_all();
            assert!(before, "it was dropped before the sleep");
        });
    }
}
