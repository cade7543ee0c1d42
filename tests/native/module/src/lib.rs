//! `native_rig._native`: native classes of the contracts beside it, over the very support that the package's classes have.

mod by_hand;
mod contracts;
#[path = "../../../../bindings/python/src/exported.rs"]
mod exported;
#[path = "../../../../bindings/python/src/support/mod.rs"]
mod support;

use pyo3::prelude::*;

/// The classes.
#[pymodule(gil_used = false)]
mod _native {
    use pyo3::types::PyModule;

    use super::{Bound, PyResult, contracts};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        contracts::add(module)
    }
}
