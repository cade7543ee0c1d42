//! The numbers of buffers in the pure package's words.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use wirecontract::{Contract as _, WireContract as _};
use wirecontract_gpu::buffer::SharedBuffer;
use wirecontract_runtime::host::{Access, HostError, HostOptions, HugePages, Import, Pages};

use super::super::pure::{Pure, named};
use super::refused::{access, refused};

/// What a buffer is asked to be, but for its size.
pub(super) struct Wanted<'a, 'py> {
    pub(super) offset: Option<&'a Bound<'py, PyAny>>,
    pub(super) alignment: Option<&'a Bound<'py, PyAny>>,
    pub(super) name: Option<&'a Bound<'py, PyAny>>,
    pub(super) consumers: Option<&'a Bound<'py, PyAny>>,
    pub(super) huge_pages: Option<&'a Bound<'py, PyAny>>,
    pub(super) populate: bool,
    pub(super) final_seals: bool,
}

/// The options, as the pure package checks them first.
pub(super) fn options(size: &Bound<'_, PyAny>, wanted: &Wanted<'_, '_>) -> PyResult<HostOptions> {
    let python = size.py();
    let given = PyDict::new(python);
    let said = [
        ("offset", wanted.offset),
        ("alignment", wanted.alignment),
        ("name", wanted.name),
        ("consumers", wanted.consumers),
        ("huge_pages", wanted.huge_pages),
    ];
    given.set_item("size", size)?;
    for (name, value) in said {
        if let Some(value) = value {
            given.set_item(name, value)?;
        }
    }
    given.set_item("populate", wanted.populate)?;
    given.set_item("final_seals", wanted.final_seals)?;
    let checked = named(python, "wirecontract.host._create", "Wanted")?.call((), Some(&given))?;
    let number = |name: &str| checked.getattr(name)?.extract::<u64>();
    let mut options = HostOptions::new(number("size")?)
        .offset(number("offset")?)
        .alignment(number("alignment")?)
        .name(checked.getattr("name")?.extract::<String>()?)
        .consumers(access_of(&checked.getattr("consumers")?)?)
        .populate(wanted.populate)
        .final_seals(wanted.final_seals);
    let huge_pages = checked.getattr("huge_pages")?;
    let bytes = huge_pages.getattr("size")?.extract()?;
    options = options.huge_pages(match huge_pages.getattr("wanted")?.extract::<String>()?.as_str() {
        "advised" => HugePages::Advised,
        "preferred" => HugePages::Preferred { bytes },
        "required" => HugePages::Required { bytes },
        _ => HugePages::Never,
    });
    Ok(options)
}

fn access_of(given: &Bound<'_, PyAny>) -> PyResult<Access> {
    let is_written = given.is(&access(given.py(), Access::ReadWrite)?);
    Ok(if is_written { Access::ReadWrite } else { Access::ReadOnly })
}

/// What an importer was told of a buffer: an `Import`, or a `SharedBuffer` of whichever package.
pub(super) fn import_of(buffer: &Bound<'_, PyAny>) -> PyResult<Import> {
    static IMPORT: Pure = Pure::new("wirecontract.host", &["Import"]);
    let python = buffer.py();
    if !buffer.is_instance(IMPORT.get(python)?)? {
        return Import::of(&shared_buffer(buffer)?).map_err(|error| refused_of(buffer, error));
    }
    let number = |name: &str| buffer.getattr(name)?.extract::<u64>();
    Ok(Import {
        size: number("size")?,
        allocation_size: number("allocation_size")?,
        offset: number("offset")?,
        access: access_of(&buffer.getattr("access")?)?,
    })
}

/// The descriptor that an object is, or has as bytes.
pub(super) fn shared_buffer(buffer: &Bound<'_, PyAny>) -> PyResult<SharedBuffer> {
    static SHARED: Pure = Pure::new("wirecontract.contracts.buffer", &["SharedBuffer"]);
    let python = buffer.py();
    let bytes;
    let bytes = if let Ok(bytes) = buffer.cast::<PyBytes>() {
        bytes
    } else {
        let is_one = |kind: &Bound<'_, PyAny>| kind.getattr("WIRE_ID")?.extract::<u64>();
        let kind = buffer.get_type().into_any();
        if !matches!(is_one(&kind), Ok(id) if id == SharedBuffer::WIRE_ID) {
            let of_type = named(python, "wirecontract.handoff._arguments", "of_type")?;
            let expected = ("a buffer", buffer, "a SharedBuffer or an Import", SHARED.get(python)?);
            of_type.call1(expected)?;
        }
        bytes = buffer.call_method0("to_bytes")?.cast_into::<PyBytes>()?;
        &bytes
    };
    SharedBuffer::from_bytes(bytes.as_bytes()).map_err(|error| {
        // The pure package says the same of the same bytes.
        let said = SHARED.get(python).and_then(|class| class.call_method1("from_bytes", (bytes,)));
        said.err().unwrap_or_else(|| pyo3::exceptions::PyValueError::new_err(error.to_string()))
    })
}

/// Why a descriptor is not imported.
#[cold]
pub(super) fn refused_of(buffer: &Bound<'_, PyAny>, error: HostError) -> PyErr {
    let python = buffer.py();
    if let HostError::Descriptor(_) = error {
        let shared = || -> PyResult<Bound<'_, PyAny>> {
            let class = named(python, "wirecontract.contracts.buffer", "SharedBuffer")?;
            let bytes = match buffer.cast::<PyBytes>() {
                Ok(bytes) => bytes.clone().into_any(),
                Err(_) => buffer.call_method0("to_bytes")?,
            };
            class.call_method1("from_bytes", (bytes,))?.call_method0("validate_import")
        };
        if let Err(said) = shared() {
            return said;
        }
    }
    refused(python, error)
}

/// What a consumer imports a buffer with.
pub(super) fn described<'py>(python: Python<'py>, import: &Import) -> PyResult<Bound<'py, PyAny>> {
    static IMPORT: Pure = Pure::new("wirecontract.host", &["Import"]);
    let Import { size, allocation_size, offset, access: allowed } = *import;
    IMPORT.get(python)?.call1((size, allocation_size, offset, access(python, allowed)?))
}

pub(super) fn pages(python: Python<'_>, pages: Pages) -> PyResult<Bound<'_, PyAny>> {
    let ordinary = rustix::param::page_size() as u64;
    let (kind, bytes) = match pages {
        Pages::Huge { bytes } => ("huge", bytes),
        Pages::Advised => ("advised", ordinary),
        _ => ("ordinary", ordinary),
    };
    named(python, "wirecontract.host", "Pages")?.call1((kind, bytes))
}
