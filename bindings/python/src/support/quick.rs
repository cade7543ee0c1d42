//! What a caller gave for the fields of a document, taken where it is just what such a field is made of. All else is none:
//! the pure class says what becomes of it.

#![allow(dead_code, reason = "the classes take what some contract has")]

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use wirecontract::{Enumeration, FlagSet, Flags, Json, Open, OpenName, WireContract as _};

use super::descriptor::Descriptor;
use super::document::{Document, taken_json};
use super::get::widened;
use super::pure::pure;
use super::put::integer;
use super::values::Values;

/// Whether there is a bound that a length is beyond.
fn is_beyond(length: usize, most: Option<usize>) -> bool {
    most.is_some_and(|most| length > most)
}

/// An integer that is no other type's value, and within its bounds.
pub(crate) fn quick_integer<T: TryFrom<i128>>(it: &Bound<'_, PyAny>, least: i128, most: i128) -> Option<T> {
    let number = integer(it.cast_exact::<PyInt>().ok()?)?;
    if (least..=most).contains(&number) { number.try_into().ok() } else { None }
}

/// True or false.
pub(crate) fn quick_bool(it: &Bound<'_, PyAny>) -> Option<bool> {
    Some(it.cast_exact::<PyBool>().ok()?.is_true())
}

/// A finite float within its bounds.
pub(crate) fn quick_float(it: &Bound<'_, PyAny>, least: Option<f64>, most: Option<f64>) -> Option<f64> {
    let number = it.cast_exact::<PyFloat>().ok()?.value();
    let is_within = least.is_none_or(|least| least <= number) && most.is_none_or(|most| number <= most);
    (number.is_finite() && is_within).then_some(number)
}

/// The same of one that f32 has.
pub(crate) fn quick_single(it: &Bound<'_, PyAny>, least: Option<f64>, most: Option<f64>) -> Option<f32> {
    let wide = quick_float(it, least, most)?;
    #[expect(clippy::cast_possible_truncation, reason = "it is the same or none")]
    let near = wide as f32;
    (widened(near.to_bits().into()) == wide.to_bits()).then_some(near)
}

/// Text.
pub(crate) fn quick_text(it: &Bound<'_, PyAny>, most: Option<usize>) -> Option<String> {
    Some(text(it, most)?.to_owned())
}

fn text<'a>(it: &'a Bound<'_, PyAny>, most: Option<usize>) -> Option<&'a str> {
    let text = it.cast_exact::<PyString>().ok()?.to_str().ok()?;
    if is_beyond(text.len(), most) { None } else { Some(text) }
}

/// Bytes.
pub(crate) fn quick_bytes<'a>(it: &'a Bound<'_, PyAny>, most: Option<usize>) -> Option<&'a [u8]> {
    let bytes = it.cast_exact::<PyBytes>().ok()?.as_bytes();
    if is_beyond(bytes.len(), most) { None } else { Some(bytes) }
}

/// The items of a tuple or a list.
pub(crate) fn quick_items<'py, T>(
    it: &Bound<'py, PyAny>,
    most: Option<usize>,
    each: impl Fn(&Bound<'py, PyAny>) -> Option<T>,
) -> Option<Vec<T>> {
    if is_beyond(it.len().ok()?, most) {
        return None;
    }
    if let Ok(items) = it.cast_exact::<PyTuple>() {
        return items.iter().map(|it| each(&it)).collect();
    }
    it.cast_exact::<PyList>().ok()?.iter().map(|it| each(&it)).collect()
}

/// Texts by key, of a dict or of the pure module's `TextMap`.
pub(crate) fn quick_texts(
    it: &Bound<'_, PyAny>,
    most: Option<usize>,
    most_bytes: Option<usize>,
) -> Option<BTreeMap<String, String>> {
    let is_map = it.get_type().is(pure(it.py()).ok()?.text_map.bind(it.py()));
    let taken = if is_map { Some(it.py().get_type::<PyDict>().call1((it,)).ok()?) } else { None };
    let members = taken.as_ref().unwrap_or(it).cast_exact::<PyDict>().ok()?;
    if is_beyond(members.len(), most) {
        return None;
    }
    let text = |it: &Bound<'_, PyAny>| quick_text(it, most_bytes);
    members.iter().map(|(key, value)| Some((text(&key)?, text(&value)?))).collect()
}

/// Any JSON.
pub(crate) fn quick_json(it: &Bound<'_, PyAny>, most: Option<usize>) -> Option<Json> {
    let is_json = it.get_type().is(pure(it.py()).ok()?.json.bind(it.py()));
    let json = if is_json { taken_json(it).ok()? } else { return None };
    if is_beyond(json.as_str().len(), most) { None } else { Some(json) }
}

/// A value of an enumeration.
pub(crate) fn quick_value<E: Enumeration>(number: i128) -> Option<E>
where
    E::Repr: TryFrom<i128>,
{
    E::from_value(number.try_into().ok()?)
}

/// A value of an enumeration, or any number.
pub(crate) fn quick_open<E: Enumeration>(known: Option<i128>, it: &Bound<'_, PyAny>) -> Option<Open<E>>
where
    E::Repr: TryFrom<i128>,
{
    let number = match known {
        Some(number) => number,
        None => integer(it.cast_exact::<PyInt>().ok()?)?,
    };
    let number = number.try_into().ok()?;
    Some(Open::from_raw(number))
}

/// A value of an enumeration, or any name.
pub(crate) fn quick_named<E: Enumeration>(
    known: Option<i128>,
    it: &Bound<'_, PyAny>,
    most: Option<usize>,
) -> Option<OpenName<E>>
where
    E::Repr: TryFrom<i128>,
{
    match known {
        Some(number) => Some(OpenName::from(quick_value::<E>(number)?)),
        None => {
            let name = OpenName::from_name(text(it, None)?);
            // Other words for a value may be longer.
            let is_long = name.known().is_none() && is_beyond(name.name().len(), most);
            if is_long { None } else { Some(name) }
        }
    }
}

/// Flags.
pub(crate) fn quick_flags<E: FlagSet>(values: &Values, it: &Bound<'_, PyAny>) -> Option<Flags<E>>
where
    E::Repr: for<'a, 'py> FromPyObject<'a, 'py>,
{
    let is_its = it.get_type().is(&values.of(it.py()).ok()?);
    let flags = if is_its { Flags::from_bits(it.extract().ok()?)? } else { return None };
    // A part of a mask may have no name of its own.
    let named = E::VALUES.iter().filter(|value| flags.contains(value.value));
    let named = named.fold(Flags::empty(), |mut all, value| {
        all.insert(value.value);
        all
    });
    (!E::SPELLED_AS_NAMES || named == flags).then_some(flags)
}

/// A descriptor of the native class.
pub(crate) fn quick_descriptor<D: Descriptor>(it: &Bound<'_, PyAny>) -> Option<D::Contract> {
    D::Contract::from_bytes(it.cast_exact::<D>().ok()?.get().image().written()).ok()
}

/// A document of the native class.
pub(crate) fn quick_document<D: Document>(it: &Bound<'_, PyAny>) -> Option<D::Contract>
where
    D::Contract: Clone,
{
    Some(it.cast::<D>().ok()?.get().contract().clone())
}
