//! `SharedBuffer.open`, as the metadata of the family's package names it.

#[cfg(target_os = "linux")]
pub(crate) use crate::processes::open_shared_buffer;

/// The same where no memory is shared.
///
/// # Errors
/// `NotImplementedError`.
#[cfg(not(target_os = "linux"))]
pub(crate) fn open_shared_buffer<D>(
    _descriptor: &pyo3::Bound<'_, D>,
    _fd: &pyo3::Bound<'_, pyo3::PyAny>,
) -> pyo3::PyResult<crate::tensor::Tensor> {
    Err(pyo3::exceptions::PyNotImplementedError::new_err(
        "expected Linux, found another system: there no buffer is opened",
    ))
}
