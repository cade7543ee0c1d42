//! Refusals of a handoff as the pure package's exceptions: each is made of the same facts, and has its own words.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wirecontract::hello::{NegotiationError, SpokenVersion};
use wirecontract::{Code, Found, WireError};
use wirecontract_runtime::handoff::{Doing, Error};

use super::pure::named;

const HANDOFF: &str = "wirecontract.handoff";

/// The exception of a refusal.
#[cold]
pub(super) fn handoff(python: Python<'_>, error: &Error) -> PyErr {
    made(python, error).unwrap_or_else(|error| error)
}

/// A channel that a side of leases has.
#[cold]
pub(super) fn taken(python: Python<'_>, side: &str) -> PyErr {
    raised(python, "ChannelTaken", (side,)).unwrap_or_else(|error| error)
}

/// What the system refused to this package itself.
#[cold]
pub(super) fn system(python: Python<'_>, doing: &str, error: rustix::io::Errno) -> PyErr {
    operating_system(python, doing, &error.into()).unwrap_or_else(|error| error)
}

/// What this side's own close is to a call that it woke.
#[cold]
pub(super) fn closed(python: Python<'_>) -> PyErr {
    raised(python, "ChannelClosed", ()).unwrap_or_else(|error| error)
}

/// The end of a direction that stands in a message's midst.
#[cold]
pub(super) fn unfinished(python: Python<'_>, direction: &str) -> PyErr {
    let because = code(python, Code::Busy);
    because
        .and_then(|because| raised(python, "OutOfStep", (direction, because)))
        .unwrap_or_else(|error| error)
}

/// Not in time.
#[cold]
pub(super) fn late(python: Python<'_>, doing: Doing, after: f64) -> PyErr {
    timeout(python, doing, after, 0).unwrap_or_else(|error| error)
}

fn made(python: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let raise = |name: &str, arguments: Bound<'_, PyTuple>| raised(python, name, arguments);
    macro_rules! facts {
        ($($fact:expr),* $(,)?) => { ($($fact,)*).into_pyobject(python)? };
    }
    match error {
        Error::FdCount { expected, found } => {
            raise("FdCount", facts!(*expected.start(), *expected.end(), found))
        }
        Error::FdsMisplaced { found, at } => raise("FdsMisplaced", facts!(found, at.to_string())),
        Error::FdsRepeated { first, second } => raise("FdsRepeated", facts!(first, second)),
        Error::FdsLost { came } => raise("FdsLost", facts!(came)),
        Error::TooManyFds { most, found } => raise("TooManyFds", facts!(most, found)),
        Error::FdsInFlight => raise("FdsInFlight", PyTuple::empty(python)),
        Error::TooLarge { most, found } => raise("TooLarge", facts!(most, found)),
        Error::TooLargeToSend { most, found, packet } => raise("TooLargeToSend", facts!(most, found, packet)),
        Error::EmptyPacket => raise("EmptyPacket", PyTuple::empty(python)),
        Error::Timeout { doing, after, crossed } => timeout(python, *doing, after.as_secs_f64(), *crossed),
        Error::PeerClosed { unread } => raise("PeerClosed", facts!(unread)),
        Error::ClosedInMessage { crossed, missing } => raise("ClosedInMessage", facts!(crossed, missing)),
        Error::OutOfStep { direction, because } => {
            raise("OutOfStep", facts!(direction.to_string(), code(python, *because)?))
        }
        Error::Hello(error) => hello(python, error),
        Error::InUse { address } => raise("InUse", facts!(address.to_string())),
        Error::Locked { path } => raise("Locked", facts!(path.display().to_string())),
        Error::NotOurs { path, found } => raise("NotOurs", facts!(path.display().to_string(), found)),
        Error::AddressTooLong { most, found } => raise("AddressTooLong", facts!(most, found)),
        Error::BadAddress { found, why } => raise("BadAddress", facts!(found, *why)),
        Error::PeerUser { expected, uid, pid } => raise("PeerUser", facts!(expected.to_string(), uid, pid)),
        Error::PeerUnmapped { uid, pid } => raise("PeerUnmapped", facts!(uid, pid)),
        Error::FdKind { expected, found } => raise("FdKind", facts!(*expected, found)),
        Error::Forked { what, maker } => raise("Forked", facts!(*what, maker)),
        Error::ProcessEnded => raise("ProcessEnded", PyTuple::empty(python)),
        Error::NoPidFd => raise("NoPidFd", PyTuple::empty(python)),
        Error::FetchRefused { number, yama } => raise("FetchRefused", facts!(number, yama)),
        Error::NoSuchFd { number } => raise("NoSuchFd", facts!(number)),
        Error::Io { doing, source } => operating_system(python, doing, source),
        other => raise("HandoffError", facts!(code(python, other.code())?, other.to_string())),
    }
}

/// An exception of `wirecontract.handoff`.
fn raised<'py>(python: Python<'py>, name: &str, arguments: impl PyCallArgs<'py>) -> PyResult<PyErr> {
    Ok(PyErr::from_value(named(python, HANDOFF, name)?.call1(arguments)?))
}

/// The number of a refusal as the pure package has it.
pub(super) fn code(python: Python<'_>, code: Code) -> PyResult<Bound<'_, PyAny>> {
    named(python, "wirecontract.contracts", "Code")?.call1((code as i32,))
}

fn timeout(python: Python<'_>, doing: Doing, after: f64, crossed: u64) -> PyResult<PyErr> {
    let name = match doing {
        Doing::Connecting => "CONNECTING",
        Doing::Accepting => "ACCEPTING",
        Doing::Hello => "HELLO",
        Doing::Sending => "SENDING",
        Doing::Receiving => "RECEIVING",
        Doing::Turn => "TURN",
        _ => "WAITING",
    };
    let doing = named(python, HANDOFF, "Doing")?.getattr(name)?;
    raised(python, "HandoffTimeout", (doing, after, crossed))
}

/// What the system said, as the class that Python has for it.
fn operating_system(python: Python<'_>, doing: &str, source: &std::io::Error) -> PyResult<PyErr> {
    let errno = source.raw_os_error().unwrap_or(0);
    let cause = named(python, "builtins", "OSError")?.call1((errno, source.to_string()))?;
    let of = named(python, "wirecontract.handoff._errors", "os_error")?;
    let error = PyErr::from_value(of.call1((doing, &cause))?);
    error.set_cause(python, Some(PyErr::from_value(cause)));
    Ok(error)
}

fn hello(python: Python<'_>, error: &NegotiationError) -> PyResult<PyErr> {
    let whose = match error {
        NegotiationError::Ours(_) => "our hello: ",
        NegotiationError::Theirs(_) => "their hello: ",
        NegotiationError::Refused(_) => "",
    };
    raised(python, "HelloRefused", (negotiation(python, error)?, whose))
}

/// What is wrong with a hello, or what both say of a contract.
pub(super) fn negotiation<'py>(python: Python<'py>, error: &NegotiationError) -> PyResult<Bound<'py, PyAny>> {
    match error {
        NegotiationError::Ours(error) | NegotiationError::Theirs(error) => wire_error(python, error),
        NegotiationError::Refused(refusal) => {
            let verdict = named(python, "wirecontract.contracts.hello", "Verdict")?;
            let verdict = verdict.call1((refusal.verdict as i32,))?;
            let spoken = |versions: &[SpokenVersion]| -> PyResult<Bound<'_, PyTuple>> {
                let each = versions.iter().map(|spoken| version(python, spoken));
                PyTuple::new(python, each.collect::<PyResult<Vec<_>>>()?)
            };
            let differing = match &refusal.differing {
                Some((ours, theirs)) => Some((version(python, ours)?, version(python, theirs)?)),
                None => None,
            };
            let arguments =
                (&refusal.name, verdict, spoken(&refusal.ours)?, spoken(&refusal.theirs)?, differing);
            named(python, "wirecontract.contracts.negotiate", "Refusal")?.call1(arguments)
        }
    }
}

fn version<'py>(python: Python<'py>, spoken: &SpokenVersion) -> PyResult<Bound<'py, PyAny>> {
    let id = spoken.id().to_be_bytes();
    let arguments = pyo3::types::PyDict::new(python);
    arguments.set_item("version", spoken.version)?;
    arguments.set_item("wire_id", pyo3::types::PyBytes::new(python, &id))?;
    named(python, "wirecontract.contracts.hello", "SpokenVersion")?.call((), Some(&arguments))
}

/// A refusal of a document.
pub(super) fn wire_error<'py>(python: Python<'py>, error: &WireError) -> PyResult<Bound<'py, PyAny>> {
    let came = match &error.found {
        Found::Nothing => python.None().into_bound(python),
        Found::Unsigned(number) => number.into_pyobject(python)?.into_any(),
        Found::Signed(number) => number.into_pyobject(python)?.into_any(),
        _ => error.came().to_string().into_pyobject(python)?.into_any(),
    };
    let code = code(python, error.code)?;
    let expected = error.expected.to_string();
    let arguments = (code, error.contract, error.field, error.offset, expected, came);
    named(python, "wirecontract.contracts", "WireError")?.call1(arguments)
}
