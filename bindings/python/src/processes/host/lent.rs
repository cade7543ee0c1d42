//! Memory that is lent as Python's buffers, and is not unmapped while one exists.

use std::ffi::c_int;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi::{self, Py_buffer};
use pyo3::prelude::*;

use wirecontract_runtime::host::HostError;

use super::refused;

/// What has pages of memory for as long as it lives, at one place.
pub(in super::super) trait Memory {
    /// The first byte, how many there are, and whether they may be written.
    fn pages(&mut self) -> (*mut u8, u64, bool);
}

/// The memory until it is closed, and how many buffers of it are lent.
pub(in super::super) struct Lent<M>(Mutex<State<M>>);

struct State<M> {
    memory: Option<M>,
    lent: usize,
    /// Whether the memory ends with the last of them.
    given_up: bool,
}

impl<M: Memory> Lent<M> {
    pub(in super::super) fn of(memory: M) -> Lent<M> {
        Lent(Mutex::new(State { memory: Some(memory), lent: 0, given_up: false }))
    }

    /// Locked for no longer than a look, in which nobody is called.
    fn state(&self) -> MutexGuard<'_, State<M>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a look at the memory finds; refused where it is closed.
    pub(in super::super) fn look<T>(&self, python: Python<'_>, look: impl FnOnce(&M) -> T) -> PyResult<T> {
        self.with(python, |memory, _| look(memory))
    }

    /// The same, for what changes it, with how many buffers of it are lent.
    pub(in super::super) fn with<T>(
        &self,
        python: Python<'_>,
        act: impl FnOnce(&mut M, usize) -> T,
    ) -> PyResult<T> {
        let mut state = self.state();
        let State { memory, lent, given_up } = &mut *state;
        match memory {
            Some(memory) if !*given_up => Ok(act(memory, *lent)),
            _ => {
                drop(state);
                Err(refused::closed(python))
            }
        }
    }

    /// Whether it is open, and that is so.
    pub(in super::super) fn is(&self, is: impl FnOnce(&M) -> bool) -> bool {
        let state = self.state();
        !state.given_up && state.memory.as_ref().is_some_and(is)
    }

    pub(in super::super) fn is_closed(&self) -> bool {
        !self.is(|_| true)
    }

    pub(in super::super) fn is_lent(&self) -> bool {
        self.state().lent > 0
    }

    /// Puts another in its place, which is none where that failed; refused while some is lent.
    pub(in super::super) fn replace(
        &self,
        python: Python<'_>,
        change: impl FnOnce(M) -> (Option<M>, Result<(), HostError>),
    ) -> PyResult<()> {
        let mut state = self.state();
        let is_lent = state.lent > 0;
        match state.memory.take() {
            None => {
                drop(state);
                Err(refused::closed(python))
            }
            Some(memory) if is_lent => {
                state.memory = Some(memory);
                drop(state);
                Err(refused::lent(python))
            }
            Some(memory) => {
                let (memory, changed) = change(memory);
                state.memory = memory;
                // Nothing of Python's is called while this is locked: it may let a thread run that waits for it.
                drop(state);
                changed.map_err(|error| refused::refused(python, error))
            }
        }
    }

    /// Lets go of the memory; refused while some is lent.
    pub(in super::super) fn close(&self, python: Python<'_>) -> PyResult<()> {
        let mut state = self.state();
        if state.lent > 0 && !state.given_up && state.memory.is_some() {
            drop(state);
            return Err(refused::lent(python));
        }
        let memory = if state.lent == 0 { state.memory.take() } else { None };
        drop(state);
        drop(memory);
        Ok(())
    }

    /// Takes the memory out; refused while some is lent.
    pub(in super::super) fn take(&self, python: Python<'_>) -> PyResult<Option<M>> {
        let mut state = self.state();
        if state.lent > 0 {
            drop(state);
            return Err(refused::lent(python));
        }
        Ok(state.memory.take())
    }

    /// The end of a `with`: where an exception ends it, what is lent may be in its frames, and the memory ends with the last
    /// of it.
    pub(in super::super) fn leave(&self, python: Python<'_>, is_by_exception: bool) -> PyResult<()> {
        match self.close(python) {
            Err(_) if is_by_exception => {
                self.state().given_up = true;
                Ok(())
            }
            closed => closed,
        }
    }

    /// Lends the bytes.
    ///
    /// # Safety
    /// `view` is NULL or a place for the answer, and `owner` is the object that has this.
    pub(in super::super) unsafe fn fill(
        &self,
        owner: &Bound<'_, PyAny>,
        view: *mut Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("expected a place for the buffer, found NULL"));
        }
        // SAFETY: a place for the answer, which is none so far.
        unsafe { (*view).obj = ptr::null_mut() };
        let (start, size, is_writable) = self.with(owner.py(), |memory, _| memory.pages())?;
        let size = ffi::Py_ssize_t::try_from(size)?;
        let is_read_only = c_int::from(!is_writable);
        // SAFETY: so many bytes that are mapped until this is closed, which is refused while they are lent; the buffer keeps
        // the object.
        match unsafe { ffi::PyBuffer_FillInfo(view, owner.as_ptr(), start.cast(), size, is_read_only, flags) }
        {
            0 => {
                self.state().lent += 1;
                Ok(())
            }
            _ => Err(PyErr::fetch(owner.py())),
        }
    }

    /// One buffer less is lent.
    pub(in super::super) fn give_back(&self) {
        let mut state = self.state();
        state.lent -= 1;
        let memory = if state.given_up && state.lent == 0 { state.memory.take() } else { None };
        drop(state);
        drop(memory);
    }
}
