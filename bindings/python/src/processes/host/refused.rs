//! Refusals of host memory as the pure package's exceptions: each is made of the same facts, and has its own words.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wirecontract::Enumeration as _;
use wirecontract_runtime::host::{Access, Barrier, HostError};

use super::super::errors::code;
use super::super::pure::named;

const REFUSALS: &str = "wirecontract.host._refusals";
const HOST: &str = "wirecontract.host";

/// The exception of a refusal.
#[cold]
pub(in super::super) fn refused(python: Python<'_>, error: HostError) -> PyErr {
    made(python, error).unwrap_or_else(|error| error)
}

/// A call on what this side closed.
#[cold]
pub(super) fn closed(python: Python<'_>) -> PyErr {
    let made = named(python, HOST, "Closed").and_then(|class| class.call0());
    made.map_or_else(|error| error, PyErr::from_value)
}

/// A close while some is lent.
#[cold]
pub(super) fn lent(python: Python<'_>) -> PyErr {
    let made = named(python, REFUSALS, "views_left").and_then(|refusal| refusal.call0());
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Writing a buffer that is frozen.
#[cold]
pub(super) fn frozen(python: Python<'_>) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let wanted = access(python, Access::ReadWrite)?;
        let barrier = named(python, "wirecontract.host._access", "Barrier")?.getattr("FROZEN")?;
        Ok(PyErr::from_value(named(python, REFUSALS, "not_allowed")?.call1((wanted, barrier))?))
    };
    made().unwrap_or_else(|error| error)
}

/// An access in the pure package's word.
pub(super) fn access(python: Python<'_>, access: Access) -> PyResult<Bound<'_, PyAny>> {
    let name = match access {
        Access::ReadOnly => "READ_ONLY",
        Access::ReadWrite => "READ_WRITE",
    };
    named(python, HOST, "Access")?.getattr(name)
}

fn made(python: Python<'_>, error: HostError) -> PyResult<PyErr> {
    let refusal = |name: &str, facts: Bound<'_, PyTuple>| -> PyResult<PyErr> {
        Ok(PyErr::from_value(named(python, REFUSALS, name)?.call1(facts)?))
    };
    macro_rules! facts {
        ($($fact:expr),* $(,)?) => { ($($fact,)*).into_pyobject(python)? };
    }
    let none = PyTuple::empty(python);
    match error {
        HostError::Empty => refusal("empty", none),
        HostError::MoreThanMemory { pages, memory } => refusal("more_than_memory", facts!(pages, memory)),
        HostError::TooLarge { offset, size, most } => refusal("too_large", facts!(offset, size, most)),
        HostError::Range { offset, size, allocation_size } => {
            refusal("outside_allocation", facts!(offset, size, allocation_size))
        }
        HostError::FileTooShort { allocation_size, file_size } => {
            refusal("file_too_short", facts!(allocation_size, file_size))
        }
        HostError::Kind { found } => refusal("not_memory", facts!(found.to_string())),
        HostError::NotSealed { missing, seals } => refusal("not_sealed", facts!(missing, seals)),
        HostError::Access { wanted, barrier } => {
            let wanted = access(python, wanted)?;
            match barrier_named(barrier) {
                Some(name) => {
                    let barrier = named(python, "wirecontract.host._access", "Barrier")?.getattr(name)?;
                    refusal("not_allowed", facts!(wanted, barrier))
                }
                None => {
                    other(python, "NotAllowed", &HostError::Access { wanted: Access::ReadWrite, barrier })
                }
            }
        }
        HostError::OtherMemory { found } => refusal("other_memory", facts!(found.name())),
        HostError::OutOfBounds { position, length, size } => {
            refusal("out_of_bounds", facts!(position, length, size))
        }
        HostError::Alignment { found, most } => refusal("bad_alignment", facts!(found, most)),
        HostError::Misaligned { offset, alignment } => refusal("misaligned", facts!(offset, alignment)),
        HostError::NameWithNul { at } => refusal("name_with_nul", facts!(at)),
        HostError::Name { length, most } => refusal("name_too_long", facts!(length, most)),
        HostError::HugePages { bytes, errno } => refusal("no_huge_pages", facts!(bytes, errno)),
        HostError::WrittenHugePages => refusal("written_huge_pages", none),
        HostError::FinalSeals => refusal("final_seals", none),
        HostError::StillWritten => refusal("still_written", none),
        HostError::Os { operation, errno } => {
            let class = named(python, HOST, "HostOSError")?;
            Ok(PyErr::from_value(class.call1((operation, errno))?))
        }
        error => other(python, "HostError", &error),
    }
}

fn barrier_named(barrier: Barrier) -> Option<&'static str> {
    Some(match barrier {
        Barrier::OpenReadOnly => "OPEN_READ_ONLY",
        Barrier::OpenWriteOnly => "OPEN_WRITE_ONLY",
        Barrier::OpenAppend => "OPEN_APPEND",
        Barrier::SealedAgainstWriting => "SEALED_AGAINST_WRITING",
        Barrier::ImportedReadOnly => "IMPORTED_READ_ONLY",
        _ => return None,
    })
}

/// One that the pure package has no word for.
fn other(python: Python<'_>, class: &str, error: &HostError) -> PyResult<PyErr> {
    let arguments = (code(python, error.code())?, error.to_string());
    Ok(PyErr::from_value(named(python, HOST, class)?.call1(arguments)?))
}
