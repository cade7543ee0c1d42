//! Refusals and ends of leases in the pure package's words.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use wirecontract::Enumeration;
use wirecontract::WireContract as _;
use wirecontract_gpu::buffer::{EndReason, MemoryAfter, OfferRefusal, SharedBuffer};
use wirecontract_runtime::lease::{Doing, End, Error, Event, Lost, Outcome, State};

use super::super::errors;
use super::super::host::refused;
use super::super::pure::named;

const LEASE: &str = "wirecontract.lease";
const BUFFER: &str = "wirecontract.contracts.buffer";

/// The exception of a refusal.
#[cold]
pub(super) fn raised(python: Python<'_>, error: &Error) -> PyErr {
    made(python, error).unwrap_or_else(|error| error)
}

/// A buffer that was given back.
#[cold]
pub(super) fn given_back(python: Python<'_>, lease: u64) -> PyErr {
    instance(python, "GivenBack", (lease,)).unwrap_or_else(|error| error)
}

fn instance<'py>(python: Python<'py>, name: &str, facts: impl PyCallArgs<'py>) -> PyResult<PyErr> {
    Ok(PyErr::from_value(named(python, LEASE, name)?.call1(facts)?))
}

fn made(python: Python<'_>, error: &Error) -> PyResult<PyErr> {
    match error {
        Error::Handoff(error) => Ok(errors::handoff(python, error)),
        Error::Host(error) => Ok(refused(python, error.clone())),
        Error::Wire(error) => Ok(PyErr::from_value(errors::wire_error(python, error)?)),
        Error::Hello(error) => Ok(PyErr::from_value(errors::negotiation(python, error)?)),
        Error::FdCount { expected, found } => instance(python, "FdCount", (*expected, *found)),
        Error::TooMany { most } => instance(python, "TooMany", (*most,)),
        Error::Reason { reason } => instance(python, "BadReason", (reason_of(python, *reason)?,)),
        Error::Refused(refusal) => instance(python, "Refused", (refusal_of(python, refusal)?,)),
        Error::Unusable { lease, because } => {
            instance(python, "Unusable", (*lease, raised(python, because).into_value(python)))
        }
        Error::Over { lease, outcome: Outcome::Ended(over) } => {
            instance(python, "Over", (*lease, end(python, over)?))
        }
        Error::Over { outcome: Outcome::Refused(refusal), .. } => {
            instance(python, "Refused", (refusal_of(python, refusal)?,))
        }
        Error::Answered { lease } => instance(python, "Answered", (*lease,)),
        Error::Timeout { doing, after } => {
            let name = match doing {
                Doing::Hello => "HELLO",
                Doing::Offer => "OFFER",
                Doing::Answer => "ANSWER",
                Doing::Release => "RELEASE",
                Doing::Pong => "PONG",
                Doing::Close => "CLOSE",
                _ => "EVENT",
            };
            let doing = named(python, LEASE, "Doing")?.getattr(name)?;
            instance(python, "LeaseTimeout", (doing, after.as_secs_f64()))
        }
        Error::Lost(lost) => Ok(PyErr::from_value(self::lost(python, lost)?)),
        Error::Closed => instance(python, "SideClosed", ()),
        Error::Fault(fault) => whole(python, "Fault", error, &fault.to_string()),
        other => whole(python, "LeaseError", other, &other.to_string()),
    }
}

/// One whose text is the runtime's, which says its code.
fn whole(python: Python<'_>, class: &str, error: &Error, text: &str) -> PyResult<PyErr> {
    let keywords = pyo3::types::PyDict::new(python);
    keywords.set_item("whole", true)?;
    let facts = (errors::code(python, error.code())?, text);
    Ok(PyErr::from_value(named(python, LEASE, class)?.call(facts, Some(&keywords))?))
}

/// How a channel has ended: an exception.
pub(super) fn lost<'py>(python: Python<'py>, lost: &Lost) -> PyResult<Bound<'py, PyAny>> {
    let because = raised(python, &lost.because).into_value(python);
    named(python, LEASE, "Lost")?.call1((reason_of(python, lost.reason)?, because))
}

/// How a lease has ended.
pub(super) fn end<'py>(python: Python<'py>, end: &End) -> PyResult<Bound<'py, PyAny>> {
    let because = end.because.as_ref().map(|because| raised(python, because).into_value(python));
    let (reason, memory) =
        (reason_of(python, end.reason)?, member(python, "MemoryAfter", end.memory.name())?);
    named(python, LEASE, "End")?.call1((reason, memory, because))
}

/// How a lease is over, for its producer.
pub(super) fn outcome<'py>(python: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyAny>> {
    match outcome {
        Outcome::Ended(ended) => end(python, ended),
        Outcome::Refused(refusal) => refusal_of(python, refusal),
    }
}

/// What happened to what is held.
pub(super) fn event<'py>(python: Python<'py>, event: &Event) -> PyResult<Bound<'py, PyAny>> {
    match event {
        Event::Ended { lease, end } => {
            named(python, LEASE, "Ended")?.call1((*lease, self::end(python, end)?))
        }
        other => named(python, LEASE, "Revoked")?.call1((other.lease(),)),
    }
}

/// How far a lease is.
pub(super) fn state(python: Python<'_>, state: State) -> PyResult<Bound<'_, PyAny>> {
    named(python, LEASE, "State")?.getattr(match state {
        State::Offered => "OFFERED",
        State::Held => "HELD",
        State::Revoked => "REVOKED",
        _ => "OVER",
    })
}

/// The descriptor as the pure package has it.
pub(super) fn buffer<'py>(python: Python<'py>, buffer: &SharedBuffer) -> PyResult<Bound<'py, PyAny>> {
    let bytes = match buffer.to_bytes() {
        Ok(bytes) => pyo3::types::PyBytes::new(python, &bytes),
        Err(error) => return Err(PyErr::from_value(errors::wire_error(python, &error)?)),
    };
    named(python, BUFFER, "SharedBuffer")?.call_method1("from_bytes", (bytes,))
}

fn refusal_of<'py>(python: Python<'py>, refusal: &OfferRefusal) -> PyResult<Bound<'py, PyAny>> {
    let keywords = pyo3::types::PyDict::new(python);
    keywords.set_item("lease_id", refusal.lease_id)?;
    keywords.set_item("code", refusal.code)?;
    keywords.set_item("message", &refusal.message)?;
    named(python, BUFFER, "OfferRefusal")?.call((), Some(&keywords))
}

fn reason_of(python: Python<'_>, reason: EndReason) -> PyResult<Bound<'_, PyAny>> {
    member(python, "EndReason", reason.name())
}

fn member<'py>(python: Python<'py>, class: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    named(python, BUFFER, class)?.getattr(name.to_uppercase())
}

/// A reason, or what becomes of memory, by the name that Python has for it.
pub(super) fn reason(given: &Bound<'_, PyAny>) -> PyResult<EndReason> {
    known("EndReason", given)
}

/// As [`reason`].
pub(super) fn memory_after(given: &Bound<'_, PyAny>) -> PyResult<MemoryAfter> {
    known("MemoryAfter", given)
}

fn known<E: Enumeration>(class: &str, given: &Bound<'_, PyAny>) -> PyResult<E> {
    let member = named(given.py(), BUFFER, class)?.call1((given,))?;
    let name: String = member.getattr("name")?.extract()?;
    let known = E::VALUES.iter().map(|value| value.value).find(|value| value.name().to_uppercase() == name);
    known.ok_or_else(|| {
        pyo3::exceptions::PyValueError::new_err(format!("expected a known {class}, found {name}"))
    })
}
