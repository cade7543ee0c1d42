//! What the pure modules and the standard library are asked for: one import each, at the first use.

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use wirecontract::{Code, Found, WireError};

/// Objects that are looked up once.
pub(crate) struct Pure {
    error: Py<PyAny>,
    code: Py<PyAny>,
    /// `flag_set(class, bits)`: flags of these bits, of which few are kept.
    pub(crate) flag_set: Py<PyAny>,
    /// `Json` and `TextMap`.
    pub(crate) json: Py<PyAny>,
    pub(crate) text_map: Py<PyAny>,
    /// `float_text(number)`: a float as documents have it.
    pub(crate) float_text: Py<PyAny>,
    /// `enum.Enum`.
    pub(crate) enumeration: Py<PyAny>,
    /// `collections.abc.Sized`.
    pub(crate) sized: Py<PyAny>,
    /// `collections.abc.Collection`.
    pub(crate) collection: Py<PyAny>,
    /// What is a collection and no sequence.
    pub(crate) unordered: [Py<PyAny>; 2],
    /// `os.close`.
    pub(crate) close: Py<PyAny>,
}

/// The objects.
///
/// # Errors
/// What importing the pure modules raised.
pub(crate) fn pure(py: Python<'_>) -> PyResult<&'static Pure> {
    static PURE: PyOnceLock<Pure> = PyOnceLock::new();
    PURE.get_or_try_init(py, || {
        let wire = py.import(crate::contracts::WIRE)?;
        let classes = py.import("collections.abc")?;
        let of = |module: &Bound<'_, PyModule>, name: &str| Ok::<_, PyErr>(module.getattr(name)?.unbind());
        Ok(Pure {
            error: of(&wire, "WireError")?,
            code: of(&wire, "Code")?,
            flag_set: of(&wire, "flag_set")?,
            json: of(&wire, "Json")?,
            text_map: of(&wire, "TextMap")?,
            float_text: of(&wire, "float_text")?,
            enumeration: of(&py.import("enum")?, "Enum")?,
            sized: of(&classes, "Sized")?,
            collection: of(&classes, "Collection")?,
            unordered: [of(&classes, "Mapping")?, of(&classes, "Set")?],
            close: of(&py.import("os")?, "close")?,
        })
    })
}

/// A function of the pure package's `_message`, which a package has that has messages.
pub(crate) fn message_helper<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let package = crate::contracts::WIRE.trim_end_matches("_wire");
    py.import(format!("{package}_message"))?.getattr(name)
}

/// Where in which contract.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The innermost contract.
    pub(crate) contract: &'static str,
    /// Its field; empty of the whole.
    pub(crate) field: &'static str,
    /// Bytes from the start of the outermost buffer.
    pub(crate) offset: usize,
}

impl Place {
    /// The same so many bytes on.
    pub(crate) fn on(self, bytes: usize) -> Place {
        Place { offset: self.offset + bytes, ..self }
    }

    /// The pure module's `WireError`.
    #[cold]
    pub(crate) fn refuse<'py>(
        self,
        py: Python<'py>,
        code: Code,
        expected: &str,
        found: impl IntoPyObject<'py>,
    ) -> PyErr {
        let Place { contract, field, offset } = self;
        let made = pure(py).and_then(|pure| {
            let code = pure.code.bind(py).call1((code as i32,))?;
            let found = found.into_bound_py_any(py)?;
            pure.error.bind(py).call1((code, contract, field, offset, expected, found))
        });
        made.map_or_else(|error| error, PyErr::from_value)
    }

    /// A value of another type than its field takes.
    #[cold]
    pub(crate) fn wrong_type(self, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
        let class = value.get_type();
        let found = || -> PyResult<String> {
            let name = class.name()?.to_string();
            // A contract's native class and its pure one have one name.
            Ok(if name == expected { format!("{name} of {}", class.module()?) } else { name })
        };
        match found() {
            Ok(found) => self.refuse(value.py(), Code::WrongType, expected, found),
            Err(error) => error,
        }
    }
}

/// The same error in Python.
#[cold]
pub(crate) fn raised(py: Python<'_>, error: &WireError) -> PyErr {
    let WireError { code, contract, field, offset, expected, found, .. } = *error;
    let place = Place { contract, field, offset };
    let expected = expected.to_string();
    match found {
        Found::Nothing => place.refuse(py, code, &expected, py.None()),
        Found::Unsigned(number) => place.refuse(py, code, &expected, number),
        Found::Signed(number) => place.refuse(py, code, &expected, number),
        Found::Bytes { bytes, length } => {
            place.refuse(py, code, &expected, pyo3::types::PyBytes::new(py, &bytes[..usize::from(length)]))
        }
        _ => place.refuse(py, code, &expected, error.came().to_string()),
    }
}

/// Too few bytes, or too many.
#[cold]
pub(crate) fn wrong_size(py: Python<'_>, contract: &'static str, length: usize, size: usize) -> PyErr {
    let code = if length < size { Code::TooShort } else { Code::TrailingBytes };
    let place = Place { contract, field: "", offset: length.min(size) };
    let expected = wirecontract::Expected::Size(size).to_string();
    place.refuse(py, code, &expected, length)
}
