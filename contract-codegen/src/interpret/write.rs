//! A value to bytes, or to the first fault.

use super::check::{Place, capacity, check_number, check_rules, text_of};
use super::encode;
use super::value::{Value, is_hidden};
use super::{Fault, Host};
use crate::model::{Catalog, ContractId, Descriptor, Element, Field, Moment, Role};

/// Writes a descriptor.
///
/// Beyond what reading gives, a value may hold what only some languages can: an [`Value::Integer`] for a bool, and
/// [`Value::Bytes`] for text. Such a value is refused as a reader would refuse it.
///
/// # Panics
/// When the value is not of the contract's shape; [`Value::from_json`] gives a typed error instead.
pub fn write(catalog: &Catalog, id: ContractId, value: &Value, host: Host) -> Result<Vec<u8>, Fault> {
    let mut writer = Writer { catalog, host, bytes: vec![0; catalog.get(id).descriptor().size as usize] };
    writer.descriptor(id, value, 0)?;
    Ok(writer.bytes)
}

/// The bytes are all zero at first, so what is not a value (reserved, elements past a count, padding of text) is
/// simply not written.
struct Writer<'a> {
    catalog: &'a Catalog,
    host: Host,
    bytes: Vec<u8>,
}

impl Writer<'_> {
    fn descriptor(&mut self, id: ContractId, value: &Value, base: usize) -> Result<(), Fault> {
        let contract = self.catalog.get(id);
        let descriptor = contract.descriptor();
        for (index, field) in descriptor.fields.iter().enumerate() {
            let place = Place::new(contract, field, base);
            match &field.role {
                Role::Magic(magic) => self.put(place.offset, magic),
                Role::Version(newest) => self.put_number(&place, *newest),
                _ if is_hidden(field) => {}
                _ => {
                    let member = value.get(&field.name);
                    let member = member.unwrap_or_else(|| panic!("{} has no {}", contract.name, field.name));
                    let count = descriptor.count_of(index).map(|counter| count(descriptor, counter, value));
                    self.field(descriptor, &place, member, count)?;
                }
            }
        }
        check_rules(self.catalog, id, value, base, Moment::Read)
    }

    /// A field; of a counted array only the elements that count.
    fn field(
        &mut self,
        descriptor: &Descriptor,
        place: &Place<'_>,
        value: &Value,
        count: Option<usize>,
    ) -> Result<(), Fault> {
        if let Role::LengthOf(targets) = &place.field.role {
            let most = capacity(descriptor, targets);
            let count = integer(place.field, value);
            if count > i128::from(most) {
                return Err(place.length_exceeds(most, count));
            }
        }
        match (&place.field.role, value) {
            (Role::Text, Value::Text(text)) => {
                let mut bytes = text.clone().into_bytes();
                bytes.resize(bytes.len().max(place.field.ty.dims[0] as usize), 0);
                self.text(place, &bytes)
            }
            (Role::Text, Value::Bytes(bytes)) => self.text(place, bytes),
            _ => self.array(place, &place.field.ty.dims, value, count),
        }
    }

    /// Text in an array as long as the field: anything longer has no NUL within it.
    fn text(&mut self, place: &Place<'_>, bytes: &[u8]) -> Result<(), Fault> {
        let size = place.field.ty.dims[0] as usize;
        if bytes.len() != size || text_of(bytes).is_none() {
            return Err(place.bad_text());
        }
        self.put(place.offset, bytes);
        Ok(())
    }

    fn array(
        &mut self,
        place: &Place<'_>,
        dims: &[u32],
        value: &Value,
        count: Option<usize>,
    ) -> Result<(), Fault> {
        let [length, inner @ ..] = dims else {
            return self.element(place, value);
        };
        let length = (*length as usize).min(count.unwrap_or(usize::MAX));
        let element = place.field.ty.element;
        let stride = (self.catalog.element_size(element) * inner.iter().product::<u32>()) as usize;
        match value {
            Value::Bytes(bytes) => self.put(place.offset, &bytes[..bytes.len().min(length)]),
            Value::List(items) => {
                for (index, item) in items.iter().take(length).enumerate() {
                    let place = Place { offset: place.offset + index * stride, ..*place };
                    self.array(&place, inner, item, None)?;
                }
            }
            other => panic!("{} is an array, not {other:?}", place.field.name),
        }
        Ok(())
    }

    fn element(&mut self, place: &Place<'_>, value: &Value) -> Result<(), Fault> {
        let bits = match (place.field.ty.element, value) {
            (Element::Descriptor(nested), value) => return self.descriptor(nested, value, place.offset),
            (_, Value::Bool(bool)) => u64::from(*bool),
            (_, Value::F32(bits)) => u64::from(*bits),
            (_, Value::F64(bits)) => *bits,
            (_, value) => {
                let number = integer(place.field, value);
                check_number(self.catalog, place, number)?;
                // Two's complement: the low bytes of a negative number are those of its wire form.
                (number & i128::from(u64::MAX)).try_into().expect("masked to 64 bits")
            }
        };
        self.put_number(place, bits);
        Ok(())
    }

    fn put_number(&mut self, place: &Place<'_>, number: u64) {
        let size = self.catalog.element_size(place.field.ty.element) as usize;
        let bytes = encode(number, size, self.host.is_little(place.field.ty.endian));
        self.put(place.offset, &bytes);
    }

    fn put(&mut self, offset: usize, bytes: &[u8]) {
        self.bytes[offset..][..bytes.len()].copy_from_slice(bytes);
    }
}

/// What a count field says in that value.
fn count(descriptor: &Descriptor, counter: usize, value: &Value) -> usize {
    let counter = &descriptor.fields[counter];
    let count = value.get(&counter.name).map(|value| integer(counter, value));
    usize::try_from(count.unwrap_or_default()).unwrap_or(usize::MAX)
}

fn integer(field: &Field, value: &Value) -> i128 {
    match value {
        Value::Integer(number) => *number,
        other => panic!("{} is an integer, not {other:?}", field.name),
    }
}
