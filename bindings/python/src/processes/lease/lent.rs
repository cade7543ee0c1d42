//! A lease, as its producer has it.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wirecontract_gpu::buffer::EndReason;
use wirecontract_runtime::lease;

use super::super::channel::peer_of;
use super::{said, waited};

/// A buffer that is lent. Dropping it ends nothing: the lease lasts until the consumer gives the buffer back, or until the
/// channel ends. The end of a `with` ends it where it lasts, as `end` does.
#[pyclass(frozen, module = "wirecontract", weakref)]
pub(crate) struct Lease {
    lease: lease::Lease,
}

impl Lease {
    pub(super) fn of(lease: lease::Lease) -> Lease {
        Lease { lease }
    }
}

#[pymethods]
impl Lease {
    /// Its number on the channel.
    #[getter]
    fn id(&self) -> u64 {
        self.lease.id()
    }

    /// Who has it, as the kernel noted it: a `handoff.Peer`.
    #[getter]
    fn consumer<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        peer_of(python, self.lease.consumer())
    }

    /// How far it is, after a look at what came: a `lease.State`.
    #[getter]
    fn state<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        said::state(python, python.detach(|| self.lease.state()))
    }

    /// How it is over, if it is (a `lease.End`, or the consumer's `OfferRefusal`); without a look at what came.
    #[getter]
    fn outcome<'py>(&self, python: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.lease.outcome().map(|outcome| said::outcome(python, outcome)).transpose()
    }

    /// Waits until the offer is taken. `Refused` with a code, `LeaseTimeout`, `Lost`, `Over`.
    #[pyo3(signature = (within=None))]
    fn wait_taken(&self, python: Python<'_>, within: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        waited(python, within, |step| self.lease.wait_taken(step))
    }

    /// Waits until the lease is over: the memory may then be used anew, as far as `End.memory` says of what the consumer may
    /// still map. `Refused`, `LeaseTimeout`.
    #[pyo3(signature = (within=None) -> "wirecontract.lease.End")]
    fn wait_released<'py>(
        &self,
        python: Python<'py>,
        within: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        said::end(python, &waited(python, within, |step| self.lease.wait_released(step))?)
    }

    /// How the lease ended; None where it lasts. `Refused`.
    #[pyo3(signature = () -> "wirecontract.lease.End | None")]
    fn try_released<'py>(&self, python: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let released = python.detach(|| self.lease.try_released());
        let released = released.map_err(|error| said::raised(python, &error))?;
        released.map(|end| said::end(python, &end)).transpose()
    }

    /// Asks for the buffer back, and waits until it is given back. Where it is not in time, the lease lasts: `end` waits no
    /// longer.
    #[pyo3(signature = (within=None) -> "wirecontract.lease.End")]
    fn revoke<'py>(
        &self,
        python: Python<'py>,
        within: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // Asked again it is the same question, which is said once.
        said::end(python, &waited(python, within, |step| self.lease.revoke(step))?)
    }

    /// Ends the lease without waiting for the consumer, which is told what it may do with memory that it still maps: what its
    /// kind lets it, unless `memory` says; `GONE` where the producer is about to free it. Where it is over already, how.
    #[pyo3(signature = (
        reason: "wirecontract.contracts.buffer.EndReason | None" = None,
        memory: "wirecontract.contracts.buffer.MemoryAfter | None" = None
    ) -> "wirecontract.lease.End")]
    fn end<'py>(
        &self,
        python: Python<'py>,
        reason: Option<&Bound<'py, PyAny>>,
        memory: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let reason = reason.map_or(Ok(EndReason::Revoked), said::reason)?;
        let memory = memory.map(said::memory_after).transpose()?;
        let ended = python.detach(|| match memory {
            Some(memory) => self.lease.end_with(reason, memory),
            None => self.lease.end(reason),
        });
        said::end(python, &ended.map_err(|error| said::raised(python, &error))?)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception: "object"))]
    fn __exit__(&self, python: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        // Of one that was refused, or whose channel is gone, there is nothing to be ended.
        let _ = python.detach(|| self.lease.end(EndReason::Revoked));
    }

    fn __repr__(&self) -> String {
        match self.lease.outcome() {
            Some(outcome) => format!("<Lease {}, which {outcome}>", self.lease.id()),
            None => format!("<Lease {}>", self.lease.id()),
        }
    }
}
