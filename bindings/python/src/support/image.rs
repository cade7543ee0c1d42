//! The bytes of a descriptor.

use pyo3::prelude::*;
use wirecontract::WireContract;

use super::layout::Layout;

/// A descriptor's bytes, in the newest version, with nothing in what says nothing.
pub(crate) struct Image<T: WireContract> {
    /// With the versions that the value came with.
    kept: T::Bytes,
    /// With the newest versions, where those are others.
    written: Option<Box<T::Bytes>>,
}

impl<T: WireContract> Image<T> {
    /// The image of bytes that a reader takes.
    #[inline(always)]
    pub(crate) fn of(layout: &Layout, mut kept: T::Bytes) -> Self {
        layout.tighten(kept.as_mut());
        let written = if layout.is_versioned { newer::<T>(layout, &kept) } else { None };
        Image { kept, written }
    }

    /// The bytes with the versions that the value came with.
    pub(crate) fn kept(&self) -> &[u8] {
        self.kept.as_ref()
    }

    /// The bytes that are written.
    pub(crate) fn written(&self) -> &[u8] {
        self.written.as_deref().unwrap_or(&self.kept).as_ref()
    }

    /// Whether the bytes that are written say all of the value.
    pub(crate) fn is_newest(&self) -> bool {
        self.written.is_none()
    }
}

/// The bytes with the newest versions, where those are others.
fn newer<T: WireContract>(layout: &Layout, kept: &T::Bytes) -> Option<Box<T::Bytes>> {
    let mut newest = *kept;
    layout.renew(newest.as_mut()).then(|| Box::new(newest))
}

/// The bytes with the newest versions, of what may not be a value yet.
pub(crate) fn renewed<T: WireContract>(layout: &Layout, kept: &T::Bytes) -> T::Bytes {
    let mut newest = *kept;
    layout.renew(newest.as_mut());
    newest
}

/// Where Python is told of it.
#[inline]
pub(crate) fn found<T>(py: Python<'_>, result: Result<T, wirecontract::WireError>) -> PyResult<T> {
    result.map_err(|error| super::pure::raised(py, &error))
}
