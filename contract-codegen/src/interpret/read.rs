//! Bytes to a value, or to the first fault.

use super::check::{Place, capacity, check_number, check_rules, text_of};
use super::growth::{self, Newer};
use super::value::{Value, hex, is_bytes, is_hidden};
use super::{Code, Fault, Host, Reading, decode_signed, decode_unsigned};
use crate::counted;
use crate::model::{Catalog, ContractId, Descriptor, Element, Endian, Field, Moment, Role, Scalar};

/// Reads a descriptor that fills the buffer; of one that grows, any version that is known.
pub fn read(catalog: &Catalog, id: ContractId, bytes: &[u8], host: Host) -> Result<Reading, Fault> {
    let descriptor = catalog.get(id).descriptor();
    if descriptor.growth.is_some() {
        let image = growth::image(catalog, id, bytes, host, Newer::Refused)?;
        return growth::read_image(catalog, id, &image, host);
    }
    if bytes.len() > descriptor.size as usize {
        return Err(size_fault(catalog, id, Code::TrailingBytes, descriptor.size, bytes.len()));
    }
    read_prefix(catalog, id, bytes, host)
}

/// Reads a descriptor at the start of the buffer; bytes after it are not looked at.
///
/// # Panics
/// When the descriptor grows and no field says its version: see [`has_prefix`].
pub fn read_prefix(catalog: &Catalog, id: ContractId, bytes: &[u8], host: Host) -> Result<Reading, Fault> {
    let descriptor = catalog.get(id).descriptor();
    if descriptor.growth.is_some() {
        return growth::prefix(catalog, id, bytes, host);
    }
    if bytes.len() < descriptor.size as usize {
        return Err(size_fault(catalog, id, Code::TooShort, descriptor.size, bytes.len()));
    }
    growth::read_image(catalog, id, bytes, host)
}

/// Whether bytes say where the descriptor ends.
pub fn has_prefix(descriptor: &Descriptor) -> bool {
    descriptor.growth.is_none() || descriptor.version_field().is_some()
}

/// Bytes of another number than `size`.
pub(super) fn size_fault(catalog: &Catalog, id: ContractId, code: Code, size: u32, found: usize) -> Fault {
    Fault {
        code,
        contract: catalog.get(id).name.clone(),
        field: String::new(),
        offset: found.min(size as usize),
        expected: counted::bytes(size),
        found: found.to_string(),
    }
}

pub(super) struct Reader<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) bytes: &'a [u8],
    pub(super) host: Host,
}

impl Reader<'_> {
    /// The descriptor at that offset: magic, version, then the other fields by offset, conditions and rules.
    pub(super) fn descriptor(&self, id: ContractId, base: usize) -> Result<Value, Fault> {
        let contract = self.catalog.get(id);
        let descriptor = contract.descriptor();
        self.magics(id, base)?;
        self.versions(id, base)?;
        let mut members = Vec::new();
        for (index, field) in descriptor.fields.iter().enumerate() {
            let place = Place::new(contract, field, base);
            if is_hidden(field) {
                self.check_reserved(&place)?;
            } else {
                members.push((field.name.clone(), self.field(descriptor, index, &place)?));
            }
        }
        let value = Value::Object(members);
        check_rules(self.catalog, id, &value, base, Moment::Read)?;
        Ok(value)
    }

    pub(super) fn magics(&self, id: ContractId, base: usize) -> Result<(), Fault> {
        let contract = self.catalog.get(id);
        for field in &contract.descriptor().fields {
            if let Role::Magic(magic) = &field.role {
                self.check_magic(&Place::new(contract, field, base), magic)?;
            }
        }
        Ok(())
    }

    pub(super) fn versions(&self, id: ContractId, base: usize) -> Result<(), Fault> {
        let contract = self.catalog.get(id);
        for field in &contract.descriptor().fields {
            if let Role::Version(newest) = field.role {
                self.check_version(&Place::new(contract, field, base), newest)?;
            }
        }
        Ok(())
    }

    fn check_magic(&self, place: &Place<'_>, magic: &[u8]) -> Result<(), Fault> {
        let found = self.slice(place.offset, magic.len());
        if found == magic {
            return Ok(());
        }
        let shown = &found[..found.len().min(16)];
        Err(place.fault(Code::BadMagic, format!("bytes {}", hex(magic)), format!("bytes {}", hex(shown))))
    }

    fn check_version(&self, place: &Place<'_>, newest: u64) -> Result<(), Fault> {
        let found = self.number(place.field, place.offset);
        if (1..=newest).contains(&found) {
            return Ok(());
        }
        let expected = if newest == 1 { "1".to_owned() } else { format!("1 to {newest}") };
        Err(place.fault(Code::UnsupportedVersion, expected, found.to_string()))
    }

    fn check_reserved(&self, place: &Place<'_>) -> Result<(), Fault> {
        let bytes = self.slice(place.offset, self.catalog.field_size(place.field) as usize);
        match (&place.field.role, bytes.iter().find(|&&byte| byte != 0)) {
            (Role::Reserved { zero: true }, Some(byte)) => {
                Err(place.fault(Code::ReservedNotZero, "zero".to_owned(), byte.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// A field with all its elements checked; of a counted array, the valid ones are returned.
    fn field(&self, descriptor: &Descriptor, index: usize, place: &Place<'_>) -> Result<Value, Fault> {
        let field = place.field;
        match &field.role {
            Role::LengthOf(targets) => {
                let count = self.number(field, place.offset);
                let most = capacity(descriptor, targets);
                if count > u64::from(most) {
                    return Err(place.length_exceeds(most, i128::from(count)));
                }
                Ok(Value::Integer(i128::from(count)))
            }
            Role::Text => {
                let bytes = self.slice(place.offset, self.catalog.field_size(field) as usize);
                text_of(bytes).map(Value::Text).ok_or_else(|| place.bad_text())
            }
            _ => {
                let mut value = self.array(place, &field.ty.dims)?;
                if let Some(counter) = descriptor.count_of(index) {
                    let counter = &descriptor.fields[counter];
                    let base = place.offset - field.offset as usize;
                    let count = self.number(counter, base + counter.offset as usize);
                    // A count that stands after its array is checked later, and may still be any number here.
                    value.truncate(usize::try_from(count).unwrap_or(usize::MAX));
                }
                Ok(value)
            }
        }
    }

    /// The elements from a place on, nested as the dimensions say.
    fn array(&self, place: &Place<'_>, dims: &[u32]) -> Result<Value, Fault> {
        let [length, inner @ ..] = dims else {
            return self.element(place);
        };
        let length = *length as usize;
        let element = place.field.ty.element;
        if is_bytes(&place.field.ty) {
            return Ok(Value::Bytes(self.slice(place.offset, length).to_vec()));
        }
        let stride = (self.catalog.element_size(element) * inner.iter().product::<u32>()) as usize;
        let items = (0..length)
            .map(|index| self.array(&Place { offset: place.offset + index * stride, ..*place }, inner));
        items.collect::<Result<_, _>>().map(Value::List)
    }

    fn element(&self, place: &Place<'_>) -> Result<Value, Fault> {
        let scalar = match place.field.ty.element {
            Element::Descriptor(nested) => return self.descriptor(nested, place.offset),
            Element::Scalar(scalar) => scalar,
            Element::Enumeration { contract, .. } | Element::Flags { contract } => {
                self.catalog.get(contract).repr()
            }
        };
        let bits = self.number(place.field, place.offset);
        let number = if scalar.is_signed() {
            let bytes = self.slice(place.offset, scalar.size() as usize);
            i128::from(decode_signed(bytes, self.is_little(place.field.ty.endian)))
        } else {
            i128::from(bits)
        };
        check_number(self.catalog, place, number)?;
        Ok(match scalar {
            Scalar::Bool => Value::Bool(number == 1),
            Scalar::F32 => Value::F32(u32::try_from(bits).expect("an f32 has four bytes")),
            Scalar::F64 => Value::F64(bits),
            _ => Value::Integer(number),
        })
    }

    /// The bits of one element of a field.
    fn number(&self, field: &Field, offset: usize) -> u64 {
        let size = self.catalog.element_size(field.ty.element) as usize;
        decode_unsigned(self.slice(offset, size), self.is_little(field.ty.endian))
    }

    fn slice(&self, offset: usize, size: usize) -> &[u8] {
        &self.bytes[offset..][..size]
    }

    fn is_little(&self, endian: Endian) -> bool {
        self.host.is_little(endian)
    }
}
