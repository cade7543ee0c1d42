//! The process that made something: a fork of it has a copy, and ends, takes and sends nothing of it.

use pyo3::prelude::*;
use wirecontract_runtime::handoff::Error;

use super::errors;

/// That process.
pub(super) struct Made(u32);

impl Made {
    /// This one.
    pub(super) fn here() -> Made {
        Made(std::process::id())
    }

    /// Whether this is it, and no fork of it.
    pub(super) fn is_here(&self) -> bool {
        self.0 == std::process::id()
    }

    /// Refuses what a fork does with a channel, where the runtime would give what was known before it.
    ///
    /// # Errors
    /// `Forked`.
    pub(super) fn check(&self, python: Python<'_>) -> PyResult<()> {
        if self.is_here() {
            return Ok(());
        }
        Err(errors::handoff(python, &Error::Forked { what: "channel", maker: self.0 }))
    }
}
