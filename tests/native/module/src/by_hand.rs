//! A method that the metadata names.

use pyo3::prelude::*;

/// `Frame.grown_by`.
pub(crate) fn grown_by(
    frame: &Bound<'_, PyAny>,
    gain: &Bound<'_, PyAny>,
    width: Option<&Bound<'_, PyAny>>,
) -> PyResult<u32> {
    let number = |name: &str| frame.getattr(name)?.extract::<u32>();
    let width = match width {
        Some(width) => width.extract()?,
        None => number("width")?,
    };
    Ok(number("gain")? + gain.extract::<u32>()? + width)
}
