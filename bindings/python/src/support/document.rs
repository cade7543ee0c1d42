//! What the classes of recipes and unions do: each function is one of their methods.
//!
//! Documents are read and written in Rust. A value of Python's, field by field, is made in Rust as well where each is just
//! what such a value is made of, and the whole can be written. Whatever else there is goes to the pure class, which takes or
//! refuses it as it always does, and is taken over from there; so is what is asked for seldom.

use std::borrow::Cow;
use std::collections::BTreeMap;

use pyo3::PyClass;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType};
use pyo3::{IntoPyObject, IntoPyObjectExt as _};
use wirecontract::__private::Members;
use wirecontract::{Enumeration, Json, WireContract as _, WireJson};

use super::buffer::Held;
use super::descriptor::Descriptor;
use super::image::{Image, found};
use super::plain::written;
use super::pure::{pure, raised};
use super::values::Values;

/// The class of a recipe, or the base of a union's variants.
pub(crate) trait Document: PyClass<Frozen = True> + Sync {
    /// What is declared.
    type Contract: WireJson + Members;

    /// The pure module, and the class.
    const PURE: &'static str;
    const CLASS: &'static str;

    /// The value.
    fn contract(&self) -> &Self::Contract;

    /// An instance of a value.
    fn give(py: Python<'_>, value: Self::Contract) -> PyResult<Bound<'_, PyAny>>;

    /// The value with its absent keys as their defaults; none of what has no defaults for absent keys.
    fn filled(&self) -> Option<Self::Contract>;

    /// The value of an instance of the pure class.
    fn take(value: &Bound<'_, PyAny>) -> PyResult<Self::Contract>;
}

/// What was given for the parameters of a constructor, by name.
type Given<'g, 'a, 'py> = [(&'g str, Option<Borrowed<'a, 'py, PyAny>>)];

/// `__new__`: the value of what was given, or what the pure class makes of the same.
pub(crate) fn construct_document<D: Document>(
    py: Python<'_>,
    class: &str,
    given: &Given<'_, '_, '_>,
    quick: impl FnOnce() -> Option<D::Contract>,
) -> PyResult<D::Contract> {
    // What it holds is checked already.
    if let Some(value) = quick().filter(|value| value.check(0).is_ok()) {
        return Ok(value);
    }
    let arguments = PyDict::new(py);
    for (name, value) in given {
        if let Some(value) = value {
            arguments.set_item(name, purified(value)?)?;
        }
    }
    D::take(&py.import(D::PURE)?.getattr(class)?.call((), Some(&arguments))?)
}

/// `from_json`.
pub(crate) fn from_json<'py, D: Document>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = data.py();
    match text(data, <D::Contract as WireJson>::MAX_BYTES)? {
        Some(text) => D::give(py, found(py, D::Contract::from_json(&text))?),
        None => D::give(py, D::take(&pure_class::<D>(py)?.call_method1("from_json", (data,))?)?),
    }
}

/// `from_json_lenient`.
pub(crate) fn from_json_lenient<'py, D: Document>(
    data: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyList>)> {
    let py = data.py();
    let Some(text) = text(data, <D::Contract as WireJson>::MAX_BYTES)? else {
        let read = pure_class::<D>(py)?.call_method1("from_json_lenient", (data,))?;
        let (value, faults) = read.extract::<(Bound<'py, PyAny>, Bound<'py, PyList>)>()?;
        return Ok((D::give(py, D::take(&value)?)?, faults));
    };
    let (value, faults) = found(py, D::Contract::from_json_lenient(&text))?;
    let faults = faults.iter().map(|fault| raised(py, fault).into_value(py));
    Ok((D::give(py, value)?, PyList::new(py, faults.collect::<Vec<_>>())?))
}

/// The bytes of a document; none where the pure class says what is wrong with it: of text that has no UTF-8, and of a
/// buffer that is too long to be copied.
fn text<'a>(data: &'a Bound<'_, PyAny>, most: usize) -> PyResult<Option<Cow<'a, [u8]>>> {
    if let Ok(bytes) = data.cast_exact::<PyBytes>() {
        return Ok(Some(Cow::Borrowed(bytes.as_bytes())));
    }
    if let Ok(text) = data.cast::<PyString>() {
        return Ok(text.to_cow().ok().map(|text| match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }));
    }
    let held = Held::new(data)?;
    if held.length() > most {
        return Ok(None);
    }
    let mut bytes = vec![0; held.length()];
    held.copy_to(&mut bytes);
    Ok(Some(Cow::Owned(bytes)))
}

/// `from_dict`.
pub(crate) fn from_dict<'py, D: Document>(mapping: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = mapping.py();
    if let Some(text) = written(mapping, <D::Contract as WireJson>::MAX_BYTES)
        && let Ok(value) = D::Contract::from_json(&text)
    {
        return D::give(py, value);
    }
    D::give(py, D::take(&pure_class::<D>(py)?.call_method1("from_dict", (mapping,))?)?)
}

/// `to_json`.
pub(crate) fn to_json<'py, D: Document>(py: Python<'py>, this: &D) -> PyResult<Bound<'py, PyBytes>> {
    let text = found(py, this.contract().to_json())?;
    Ok(PyBytes::new(py, text.as_bytes()))
}

/// `to_dict`.
pub(crate) fn to_dict<'py>(this: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    purified(this)?.call_method0("to_dict")
}

/// `validate_import`.
pub(crate) fn validate_document<D: Document>(py: Python<'_>, this: &D, fd_count: usize) -> PyResult<()> {
    found(py, this.contract().validate_import(fd_count))
}

/// `with_defaults`.
pub(crate) fn with_defaults<'py, D: Document>(this: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let Some(filled) = this.cast::<D>()?.get().filled() else { return Ok(this.clone()) };
    // What can be written obeys all rules, also of what it holds.
    if filled.write_json(&mut Vec::new()).is_ok() {
        return D::give(this.py(), filled);
    }
    D::give(this.py(), D::take(&purified(this)?.call_method0("with_defaults")?)?)
}

/// The value of an optional key, or what its absence stands for, which the pure class knows.
pub(crate) fn or_default<'py>(
    this: &Bound<'py, PyAny>,
    attribute: &str,
    property: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let value = this.getattr(attribute)?;
    if value.is_none() { purified(this)?.getattr(property) } else { Ok(value) }
}

fn pure_class<D: Document>(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import(D::PURE)?.getattr(D::CLASS)
}

/// The names of the fields.
fn names<'py>(this: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    Ok(this.get_type().getattr("__match_args__")?.cast_into::<PyTuple>()?)
}

/// The values of the fields.
fn values<'py>(this: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    let values = names(this)?.iter().map(|name| this.getattr(name.cast::<PyString>()?));
    PyTuple::new(this.py(), values.collect::<PyResult<Vec<_>>>()?)
}

/// The fields, by name.
fn arguments<'py>(this: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let arguments = PyDict::new(this.py());
    for (name, value) in names(this)?.iter().zip(values(this)?) {
        arguments.set_item(name, value)?;
    }
    Ok(arguments)
}

/// `__eq__`, of two of one class.
pub(crate) fn are_equal(this: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    values(this)?.eq(values(other)?)
}

/// `__hash__`.
pub(crate) fn hash_values(this: &Bound<'_, PyAny>) -> PyResult<isize> {
    values(this)?.hash()
}

/// `__repr__`.
pub(crate) fn repr_values(this: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut text = format!("{}(", this.get_type().name()?.to_cow()?);
    for (index, (name, value)) in names(this)?.iter().zip(values(this)?).enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        text.extend([comma, &name.cast::<PyString>()?.to_cow()?, "=", &value.repr()?.to_cow()?]);
    }
    text.push(')');
    Ok(text)
}

/// `__replace__`: the same with other values of some fields, which are checked as the constructor does.
pub(crate) fn replace_values<'py>(
    this: &Bound<'py, PyAny>,
    changes: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = arguments(this)?;
    if let Some(changes) = changes {
        arguments.update(changes.as_mapping())?;
    }
    this.get_type().call((), Some(&arguments))
}

/// `__reduce__`: the constructor, so that a value is checked when it is loaded.
pub(crate) fn reduce_values<'py>(
    this: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let py = this.py();
    let new = py.import("copyreg")?.getattr("__newobj_ex__")?;
    let parts = [this.get_type().into_any(), PyTuple::empty(py).into_any(), arguments(this)?.into_any()];
    Ok((new, PyTuple::new(py, parts)?))
}

/// The pure classes, by native class.
fn pure_classes(py: Python<'_>) -> PyResult<&Bound<'_, PyDict>> {
    static CLASSES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let classes = CLASSES.get_or_try_init(py, || {
        let classes = PyDict::new(py);
        let native = py.import(crate::contracts::NATIVE)?;
        for (module, class) in crate::contracts::CLASSES {
            classes.set_item(native.getattr(*class)?, py.import(*module)?.getattr(*class)?)?;
        }
        Ok::<_, PyErr>(classes.unbind())
    })?;
    Ok(classes.bind(py))
}

/// What the pure classes take for a value: pure values for native ones, also in a list or a tuple.
pub(super) fn purified<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    if let Some(class) = pure_classes(py)?.get_item(value.get_type())? {
        let arguments = PyDict::new(py);
        for (name, field) in names(value)?.iter().zip(values(value)?) {
            arguments.set_item(name, purified(&field)?)?;
        }
        return class.call((), Some(&arguments));
    }
    if let Ok(items) = value.cast_exact::<PyTuple>() {
        let items = items.iter().map(|item| purified(&item)).collect::<PyResult<Vec<_>>>()?;
        return Ok(PyTuple::new(py, items)?.into_any());
    }
    if let Ok(items) = value.cast_exact::<PyList>() {
        let items = items.iter().map(|item| purified(&item)).collect::<PyResult<Vec<_>>>()?;
        return Ok(PyList::new(py, items)?.into_any());
    }
    Ok(value.clone())
}

/// A value as an object.
pub(crate) fn any<'py>(py: Python<'py>, value: impl IntoPyObject<'py>) -> PyResult<Bound<'py, PyAny>> {
    value.into_bound_py_any(py)
}

/// Values as a tuple.
pub(crate) fn tuple<'py>(
    py: Python<'py>,
    values: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyTuple::new(py, values.collect::<PyResult<Vec<_>>>()?)?.into_any())
}

/// The pure module's `Json`.
pub(crate) fn json<'py>(py: Python<'py>, json: &Json) -> PyResult<Bound<'py, PyAny>> {
    pure(py)?.json.bind(py).call1((json.as_str(),))
}

/// The same as Rust has it.
pub(crate) fn taken_json(value: &Bound<'_, PyAny>) -> PyResult<Json> {
    let text: String = value.getattr("text")?.extract()?;
    found(value.py(), Json::new(&text))
}

/// The pure module's `TextMap`.
#[allow(dead_code, reason = "no contract that ships has one")]
pub(crate) fn texts<'py>(py: Python<'py>, texts: &BTreeMap<String, String>) -> PyResult<Bound<'py, PyAny>> {
    let members = PyDict::new(py);
    for (key, value) in texts {
        members.set_item(key, value)?;
    }
    pure(py)?.text_map.bind(py).call1((members,))
}

/// The same as Rust has it.
#[allow(dead_code, reason = "no contract that ships has one")]
pub(crate) fn taken_texts(value: &Bound<'_, PyAny>) -> PyResult<BTreeMap<String, String>> {
    let pairs = value.call_method0("items")?;
    pairs.try_iter()?.map(|pair| pair?.extract::<(String, String)>()).collect()
}

/// A member of an enumeration, or the number of none.
pub(crate) fn member<'py>(
    py: Python<'py>,
    values: &Values,
    number: impl Into<i128>,
) -> PyResult<Bound<'py, PyAny>> {
    let number = number.into();
    match values.member(py, number)? {
        Some(member) => Ok(member),
        None => any(py, number),
    }
}

/// The value of a member that the pure class has taken.
pub(crate) fn taken_value<E: Enumeration>(number: E::Repr) -> PyResult<E> {
    E::from_value(number).ok_or_else(|| PyValueError::new_err(format!("no value of {}", E::NAME)))
}

/// As many as there have to be, of what the pure class has taken.
pub(crate) fn taken_array<T, const N: usize>(items: Vec<T>) -> PyResult<[T; N]> {
    items
        .try_into()
        .map_err(|items: Vec<T>| PyValueError::new_err(format!("expected {N} items, found {}", items.len())))
}

/// A descriptor as its class.
#[allow(dead_code, reason = "no contract that ships has one")]
pub(crate) fn descriptor<'py, D: Descriptor>(
    py: Python<'py>,
    value: &D::Contract,
) -> PyResult<Bound<'py, PyAny>> {
    let image = Image::of(D::LAYOUT, found(py, value.to_bytes())?);
    Ok(Bound::new(py, D::of(image))?.into_any())
}

/// A descriptor that the pure class has taken.
#[allow(dead_code, reason = "no contract that ships has one")]
pub(crate) fn taken_descriptor<T: wirecontract::WireContract>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    let bytes = value.call_method0("to_bytes")?.cast_into::<PyBytes>()?;
    found(value.py(), T::from_bytes(bytes.as_bytes()))
}

/// The base of a union's variants has no values of its own.
#[cold]
pub(crate) fn no_variant(class: &str) -> PyErr {
    PyTypeError::new_err(format!("{class} is one of its variants"))
}

/// What the pure class has made is none of the variants.
#[cold]
pub(crate) fn unknown_variant(class: &Bound<'_, PyType>) -> PyErr {
    PyTypeError::new_err(format!("expected a variant, found {class:?}"))
}

/// Flags that the pure class has taken.
pub(crate) fn taken_flags<E: wirecontract::FlagSet>(bits: E::Repr) -> PyResult<wirecontract::Flags<E>> {
    wirecontract::Flags::from_bits(bits)
        .ok_or_else(|| PyValueError::new_err(format!("bits without a name in {}", E::NAME)))
}
