//! A descriptor of what a caller gave for its fields: each is checked in the order of a reader, the version first and the
//! rest by offset.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wirecontract::Code;

use super::get;
use super::layout::{Element, Field, Layout, Role, Scalar, put_bits};
use super::pure::Place;
use super::put;

/// What was given for the fields that are kept, in their order.
type Given<'a, 'py> = [Option<Borrowed<'a, 'py, PyAny>>];

/// Fills an image, which is zero.
///
/// # Errors
/// `WireError` for what a field does not take.
pub(crate) fn fill(py: Python<'_>, layout: &Layout, given: &Given<'_, '_>, image: &mut [u8]) -> PyResult<()> {
    let construction = Construction { py, layout, given };
    for field in layout.fields {
        if let Role::Version(newest) = field.role {
            construction.version(field, newest, image)?;
        }
    }
    let mut measured = vec![false; layout.fields.len()];
    for (index, field) in layout.fields.iter().enumerate() {
        // A count says how much too long an array is, wherever of the two stands first.
        let count = if matches!(field.role, Role::Count(..)) { Some(index) } else { field.count };
        if let Some(count) = count
            && !measured[count]
        {
            measured[count] = true;
            construction.measure(&layout.fields[count])?;
        }
        match field.role {
            Role::Magic(magic) => field.of_mut(image).copy_from_slice(magic),
            Role::Value | Role::Text => construction.value(index, field, image)?,
            Role::Version(_) | Role::Count(..) | Role::Reserved => {}
        }
    }
    Ok(())
}

struct Construction<'c, 'a, 'py> {
    py: Python<'py>,
    layout: &'c Layout,
    given: &'c Given<'a, 'py>,
}

impl<'py> Construction<'_, '_, 'py> {
    fn at(&self, field: &Field) -> Place {
        Place { contract: self.layout.name, field: field.name, offset: field.offset }
    }

    /// What stands for a field: what was given, or its default.
    fn given(&self, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let field = &self.layout.fields[index];
        let position = self.layout.fields[..index].iter().filter(|field| field.is_kept()).count();
        match &self.given[position] {
            Some(value) if !(field.may_be_none && value.is_none()) => Ok((**value).clone()),
            _ => get::get(self.py, self.layout, self.layout.defaults.unwrap_or_default(), field),
        }
    }

    fn version(&self, field: &Field, newest: u64, image: &mut [u8]) -> PyResult<()> {
        let position = self.layout.fields.iter().filter(|field| field.is_kept());
        let position = position.take_while(|it| !std::ptr::eq(*it, field)).count();
        let number = match &self.given[position] {
            None => newest,
            Some(value) => {
                let Element::Scalar(scalar) = field.element else { return Ok(()) };
                put::scalar(value, scalar, self.at(field))?
            }
        };
        if !(1..=newest).contains(&number) {
            let expected = wirecontract::Expected::Version(newest).to_string();
            return Err(self.at(field).refuse(self.py, Code::UnsupportedVersion, &expected, number));
        }
        put_bits(field.of_mut(image), field.endian, number);
        Ok(())
    }

    /// Whether what is counted is of one length and fits, said of the field that counts.
    fn measure(&self, count: &Field) -> PyResult<()> {
        let Role::Count(targets, most) = count.role else { return Ok(()) };
        let at = self.at(count);
        let lengths = targets.iter().map(|&target| put::length(&self.given(target)?));
        let lengths = lengths.collect::<PyResult<Vec<_>>>()?;
        for other in &lengths[1..] {
            if let (Some(first), Some(other)) = (lengths[0], *other)
                && first != other
            {
                return Err(uneven(self.py, first, other, at));
            }
        }
        for length in lengths.iter().flatten() {
            if *length > most {
                return Err(put::too_many(self.py, *length, most, at));
            }
        }
        Ok(())
    }

    fn value(&self, index: usize, field: &Field, image: &mut [u8]) -> PyResult<()> {
        let (given, at) = (self.given(index)?, self.at(field));
        if matches!(field.role, Role::Text) {
            return put::text(&given, field.of_mut(image), at);
        }
        match (field.dims, field.element) {
            ([], _) => put::put(&given, field, field.of_mut(image), at),
            ([most], Element::Scalar(Scalar::U8)) => {
                let length = field.count.is_none().then_some(*most);
                let bytes = put::bytes(&given, length, at)?;
                let bytes = bytes.as_bytes();
                self.counted(index, bytes.len(), image)?;
                field.of_mut(image)[..bytes.len()].copy_from_slice(bytes);
                Ok(())
            }
            (dims, _) => {
                let length = field.count.is_none().then_some(dims[0]);
                let items = put::items(&given, length, at)?;
                self.counted(index, items.len(), image)?;
                array(&items, field, dims, field.of_mut(image), at)
            }
        }
    }

    /// Counts the elements of a field, which may be others than a length said before: of a view, or of what lies. What is
    /// counted behind the first has to have as many.
    fn counted(&self, index: usize, length: usize, image: &mut [u8]) -> PyResult<()> {
        let Some(count) = self.layout.fields[index].count else { return Ok(()) };
        let count = &self.layout.fields[count];
        let Role::Count(targets, most) = count.role else { return Ok(()) };
        if length > most {
            return Err(put::too_many(self.py, length, most, self.at(count)));
        }
        if targets.first() == Some(&index) {
            put_bits(count.of_mut(image), count.endian, length as u64);
            return Ok(());
        }
        match usize::try_from(count.bits(image)) {
            Ok(first) if first == length => Ok(()),
            first => Err(uneven(self.py, first.unwrap_or(usize::MAX), length, self.at(count))),
        }
    }
}

/// Another number of elements than there have to be.
#[cold]
fn uneven(py: Python<'_>, first: usize, other: usize, at: Place) -> PyErr {
    at.refuse(py, Code::LengthExceeds, &format!("{first} elements"), other)
}

/// Writes the elements of an array; those of inner arrays are as many as there is room for.
fn array(
    items: &Bound<'_, PyTuple>,
    field: &Field,
    dims: &[usize],
    bytes: &mut [u8],
    at: Place,
) -> PyResult<()> {
    let stride = field.element.size() * dims[1..].iter().product::<usize>();
    for (index, (item, bytes)) in items.iter().zip(bytes.chunks_exact_mut(stride)).enumerate() {
        let at = at.on(index * stride);
        match dims {
            [_] => put::put(&item, field, bytes, at)?,
            _ => array(&put::items(&item, Some(dims[1]), at)?, field, &dims[1..], bytes, at)?,
        }
    }
    Ok(())
}
