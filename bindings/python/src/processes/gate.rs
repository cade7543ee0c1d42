//! State that the threads of Python's share, and look at far more often than they change it.

use parking_lot::RwLock;
use pyo3::prelude::*;

use crate::exported::HAS_GIL;

/// State that threads look at, and change, while they are attached: where there is a GIL it keeps them apart by itself, and
/// to look costs nothing; else a lock does.
///
/// Both take calls that know nothing of Python: what is not `Send` does not compile, as any object of Python's is, and the
/// token without which no function of `PyO3`'s lets another thread run. So no other thread is attached meanwhile.
pub(super) struct Gate<T>(RwLock<T>);

impl<T> Gate<T> {
    pub(super) fn new(state: T) -> Gate<T> {
        Gate(RwLock::new(state))
    }

    /// Looks at the state, for as long as a call takes that does not wait.
    pub(super) fn look<R>(&self, _python: Python<'_>, look: impl FnOnce(&T) -> R + Send) -> R {
        if HAS_GIL {
            // SAFETY: this thread is attached from before `look` until behind it, and has the GIL, so that nobody changes
            // the state meanwhile.
            return look(unsafe { &*self.0.data_ptr() });
        }
        look(&self.0.read())
    }

    /// Changes the state.
    pub(super) fn change<R>(&self, _python: Python<'_>, change: impl FnOnce(&mut T) -> R + Send) -> R {
        change(&mut self.0.write())
    }
}
