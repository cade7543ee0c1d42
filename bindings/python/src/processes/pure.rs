//! What is the pure package's: found once, at the first use.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// A name of a pure module.
pub(super) struct Pure {
    module: &'static str,
    path: &'static [&'static str],
    found: PyOnceLock<Py<PyAny>>,
}

impl Pure {
    /// An attribute of a module, or an attribute of one.
    pub(super) const fn new(module: &'static str, path: &'static [&'static str]) -> Pure {
        Pure { module, path, found: PyOnceLock::new() }
    }

    /// The object.
    ///
    /// # Errors
    /// What importing the module raises.
    pub(super) fn get<'py>(&self, python: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        if let Some(found) = self.found.get(python) {
            return Ok(found.bind(python));
        }
        // Not by the lock's own function: a signal's handler may come here while the module is imported.
        let mut object = python.import(self.module)?.into_any();
        for name in self.path {
            object = object.getattr(*name)?;
        }
        let _ = self.found.set(python, object.unbind());
        Ok(self.found.get_or_init(python, || python.None()).bind(python))
    }
}

/// A name of a pure module that is asked for where something failed.
pub(super) fn named<'py>(python: Python<'py>, module: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    python.import(module)?.getattr(name)
}
