//! Arguments in the pure package's words: addresses, times, and what a receiver lets come.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyTuple};
use wirecontract_runtime::handoff::{Address, Expected, MOST_FDS};

use super::pure::{Pure, named};

/// A path, or a NUL and a name.
pub(super) fn address(given: &Bound<'_, PyAny>) -> PyResult<Address> {
    let raw = given.py().import("os")?.call_method1("fsencode", (given,))?;
    let raw = raw.cast::<PyBytes>()?.as_bytes();
    Ok(match raw.strip_prefix(b"\0") {
        Some(name) => Address::abstract_name(name),
        None => Address::Path(PathBuf::from(OsString::from_vec(raw.to_vec()))),
    })
}

/// A length of time in seconds; none for ever, or where it is beyond what a clock can say.
pub(super) fn seconds(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Duration>> {
    let Some(given) = given else { return Ok(None) };
    let plain = given.is_exact_instance_of::<PyFloat>() || given.is_exact_instance_of::<PyInt>();
    let number = if plain { given.extract::<f64>().ok() } else { None };
    let number = match number.filter(|number| *number >= 0.0) {
        Some(number) => number,
        None => {
            named(given.py(), "wirecontract.handoff._options", "check_seconds")?.call1((given,))?;
            given.extract()?
        }
    };
    Ok(Duration::try_from_secs_f64(number).ok())
}

/// What a receiver lets come: an `Expected`, or the most bytes, and how many file descriptors beside them.
pub(super) fn expected(
    most_bytes: &Bound<'_, PyAny>,
    fds: Option<&Bound<'_, PyAny>>,
    repeated: bool,
) -> PyResult<Expected> {
    static EXPECTED: Pure = Pure::new("wirecontract.handoff", &["Expected"]);
    if let (Some(bytes), Some((least, most))) = (plain(most_bytes), counts(fds)) {
        let expected = Expected::bytes(bytes).fds(least..=most);
        return Ok(if repeated { expected.repeated() } else { expected });
    }
    let python = most_bytes.py();
    let class = EXPECTED.get(python)?;
    let made;
    let said = if most_bytes.is_instance(class)? {
        if fds.is_some_and(|fds| plain(fds) != Some(0)) || repeated {
            return Err(pyo3::exceptions::PyTypeError::new_err(
                "expected an Expected alone, found fds or repeated beside it: say them there",
            ));
        }
        most_bytes
    } else {
        let fds = fds.cloned().unwrap_or_else(|| PyInt::new(python, 0).into_any());
        let keywords = pyo3::types::PyDict::new(python);
        keywords.set_item("repeated", repeated)?;
        made = class.call((most_bytes, fds), Some(&keywords))?;
        &made
    };
    // More than this machine can address is as much as it can.
    let number = |name: &str| Ok::<_, PyErr>(said.getattr(name)?.extract::<usize>().unwrap_or(usize::MAX));
    let expected = Expected::bytes(number("most_bytes")?).fds(number("least")?..=number("most")?);
    Ok(if said.getattr("repeated")?.is_truthy()? { expected.repeated() } else { expected })
}

/// A number that is nothing else.
fn plain(number: &Bound<'_, PyAny>) -> Option<usize> {
    number.cast_exact::<PyInt>().ok()?.extract().ok()
}

/// The least and the most of a number, or of a pair of them.
fn counts(fds: Option<&Bound<'_, PyAny>>) -> Option<(usize, usize)> {
    let Some(fds) = fds else { return Some((0, 0)) };
    let (least, most) = if let Ok(pair) = fds.cast_exact::<PyTuple>() {
        if pair.len() != 2 {
            return None;
        }
        (plain(&pair.get_item(0).ok()?)?, plain(&pair.get_item(1).ok()?)?)
    } else {
        let number = plain(fds)?;
        if number > MOST_FDS {
            return None;
        }
        (number, number)
    };
    (least <= most && least <= MOST_FDS).then_some((least, most))
}
