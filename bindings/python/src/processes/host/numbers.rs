//! The numbers of buffers in the pure package's words.

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use wirecontract::WireContract as _;
use wirecontract_gpu::buffer::SharedBuffer;
use wirecontract_runtime::host::{Access, HostError, HostOptions, HugePages, Import, Pages};

use super::super::bytes::Bytes;
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
pub(in super::super) fn shared_buffer(buffer: &Bound<'_, PyAny>) -> PyResult<SharedBuffer> {
    let raw = raw(buffer)?;
    SharedBuffer::from_bytes(raw.as_slice()).map_err(|error| {
        // The pure package says the same of the same bytes.
        said(buffer.py(), raw.as_slice(), "to_bytes")
            .unwrap_or_else(|| PyValueError::new_err(error.to_string()))
    })
}

/// Why a descriptor is not imported.
#[cold]
pub(super) fn refused_of(buffer: &Bound<'_, PyAny>, error: HostError) -> PyErr {
    let python = buffer.py();
    let said = match &error {
        HostError::Descriptor(_) => {
            raw(buffer).ok().and_then(|raw| said(python, raw.as_slice(), "validate_import"))
        }
        _ => None,
    };
    said.unwrap_or_else(|| refused(python, error))
}

/// What the pure package says of a descriptor's bytes, or of what is asked of it then.
fn said(python: Python<'_>, raw: &[u8], then: &str) -> Option<PyErr> {
    let read = || -> PyResult<Bound<'_, PyAny>> {
        let class = named(python, "wirecontract.contracts.buffer", "SharedBuffer")?;
        class.call_method1("from_bytes", (PyBytes::new(python, raw),))?.call_method0(then)
    };
    read().err()
}

/// The bytes of a descriptor: an object of either package, or whatever has them.
fn raw<'py>(buffer: &Bound<'py, PyAny>) -> PyResult<Bytes<'py>> {
    static SHARED: Pure = Pure::new("wirecontract.contracts.buffer", &["SharedBuffer"]);
    let python = buffer.py();
    let class = SHARED.get(python)?;
    if !buffer.is_instance(class)? {
        // SAFETY: an object that lives.
        if unsafe { ffi::PyObject_CheckBuffer(buffer.as_ptr()) } != 0 {
            return Bytes::of(buffer);
        }
        let of_type = named(python, "wirecontract.handoff._arguments", "of_type")?;
        of_type.call1(("a buffer", buffer, "a SharedBuffer or an Import", class))?;
    }
    Ok(Bytes::Bytes(buffer.call_method0("to_bytes")?.cast_into::<PyBytes>()?))
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
