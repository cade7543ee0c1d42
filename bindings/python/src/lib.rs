//! `wirecontract._native`: what the Python package does in Rust. The package loads it at the first use of one of its names.

mod attached;
mod contracts;
mod exported;
mod interpreter;
mod opened;
#[cfg(target_os = "linux")]
mod processes;
mod support;
mod tensor;

use pyo3::prelude::*;

/// What the package `wirecontract` does in Rust. Its names are those of `wirecontract`.
// Python knows it as `wirecontract._native`, whose entry is that of `interpreter`.
#[pymodule(gil_used = false)]
#[pyo3(module = "wirecontract")]
mod _library {
    use pyo3::types::PyModule;

    use super::{Bound, PyResult, contracts};

    #[pymodule_export]
    use crate::tensor::Tensor;

    #[cfg(feature = "stubs")]
    #[pymodule_export]
    use crate::contracts::_by_hand;

    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use crate::processes::{
        Channel, Consumer, Fd, Held, HostBuffer, HostMapping, Lease, Listener, Message, Producer, Received,
        connect, listen, shared_tensor,
    };

    /// The generated classes, which are too many to be named here.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        contracts::add(module)
    }
}
