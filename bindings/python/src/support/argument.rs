//! An argument that may be left out.

use std::convert::Infallible;

use pyo3::prelude::*;

/// What a caller gave for a parameter with a default. `None` is a value like others: the pure constructors refuse it, but
/// where it stands for the default there too.
pub(crate) enum Argument<'a, 'py> {
    /// Nothing.
    Absent,
    /// This.
    Given(Borrowed<'a, 'py, PyAny>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Argument<'a, 'py> {
    type Error = Infallible;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> Result<Self, Infallible> {
        Ok(Argument::Given(object))
    }
}

impl<'a, 'py> Argument<'a, 'py> {
    /// The value that was given, if one was.
    pub(crate) fn given(self) -> Option<Borrowed<'a, 'py, PyAny>> {
        match self {
            Argument::Absent => None,
            Argument::Given(object) => Some(object),
        }
    }
}
