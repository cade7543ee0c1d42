//! The checks that reading and writing have in common.

use super::rule::{self, Seen, Subject};
use super::value::Value;
use super::{Code, Fault};
use crate::model::{
    Catalog, Contract, ContractId, DataValue, Descriptor, Element, Enumeration, Field, Moment, Role, Scalar,
    What,
};

/// A field, or one element of it, at its place in the outermost buffer.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) contract: &'a Contract,
    pub(super) field: &'a Field,
    pub(super) offset: usize,
}

impl<'a> Place<'a> {
    /// The place of a field of the descriptor that starts at `base`.
    pub(super) fn new(contract: &'a Contract, field: &'a Field, base: usize) -> Self {
        Place { contract, field, offset: base + field.offset as usize }
    }

    pub(super) fn fault(&self, code: Code, expected: String, found: String) -> Fault {
        Fault {
            code,
            contract: self.contract.name.clone(),
            field: self.field.name.clone(),
            offset: self.offset,
            expected,
            found,
        }
    }

    pub(super) fn bad_text(&self) -> Fault {
        self.fault(Code::BadText, "UTF-8 text ended by NUL".to_owned(), String::new())
    }

    pub(super) fn length_exceeds(&self, most: u32, count: i128) -> Fault {
        self.fault(Code::LengthExceeds, format!("at most {most}"), count.to_string())
    }
}

/// The elements that a count may reach: the smallest of its targets.
pub(super) fn capacity(descriptor: &Descriptor, targets: &[usize]) -> u32 {
    let lengths = targets.iter().map(|&target| descriptor.fields[target].ty.dims[0]);
    lengths.min().expect("a count counts at least one array")
}

/// The text in a NUL-padded array.
pub(super) fn text_of(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    let (text, padding) = bytes.split_at(end);
    let text = std::str::from_utf8(text).ok()?;
    padding.iter().all(|&byte| byte == 0).then(|| text.to_owned())
}

/// Refuses a number that its bool, enumeration or flags do not have.
pub(super) fn check_number(catalog: &Catalog, place: &Place<'_>, number: i128) -> Result<(), Fault> {
    let (code, expected) = match place.field.ty.element {
        Element::Scalar(Scalar::Bool) if !matches!(number, 0 | 1) => {
            (Code::UnknownValue, "0 or 1".to_owned())
        }
        Element::Enumeration { contract, open: false } => {
            let contract = catalog.get(contract);
            if contract.enumeration().values.iter().any(|value| value.value == number) {
                return Ok(());
            }
            (Code::UnknownValue, format!("a value of {}", contract.name))
        }
        Element::Flags { contract } => {
            let flags = catalog.get(contract).flags();
            let known = i128::from(flags.known_bits());
            if flags.open || number & !known == 0 {
                return Ok(());
            }
            (Code::UnknownBits, format!("bits within 0x{known:x}"))
        }
        Element::Scalar(_) | Element::Enumeration { .. } | Element::Descriptor(_) => return Ok(()),
    };
    Err(place.fault(code, expected, number.to_string()))
}

/// Checks a descriptor's conditions and rules of that moment on a value whose fields are right.
pub(super) fn check_rules(
    catalog: &Catalog,
    id: ContractId,
    value: &Value,
    base: usize,
    at: Moment,
) -> Result<(), Fault> {
    let contract = catalog.get(id);
    let fields = Fields { catalog, id, value };
    let is_used = |index: usize| {
        let field = &contract.descriptor().fields[index];
        value.get(&field.name).is_some_and(|value| !is_zero(value))
    };
    rule::check(contract, at, base, &fields, &is_used)
}

/// Whether there is nothing but zeros: in no element that counts, in no character.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Integer(number) => *number == 0,
        Value::Bool(bool) => !bool,
        Value::F32(bits) => *bits == 0,
        Value::F64(bits) => *bits == 0,
        Value::Bytes(bytes) => bytes.iter().all(|&byte| byte == 0),
        Value::Text(text) => text.is_empty(),
        Value::List(items) => items.iter().all(is_zero),
        Value::Object(members) => members.iter().all(|(_, value)| is_zero(value)),
    }
}

/// A descriptor's fields, as rules see them.
pub(super) struct Fields<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) id: ContractId,
    pub(super) value: &'a Value,
}

impl<'a> Fields<'a> {
    /// The descriptor that holds the field at the end of a path, and the field's position there.
    fn find(&self, path: &[usize]) -> Option<(Fields<'a>, usize)> {
        match path {
            [] => None,
            &[index] => Some((Fields { ..*self }, index)),
            &[index, ref rest @ ..] => {
                let field = &self.catalog.get(self.id).descriptor().fields[index];
                let Element::Descriptor(id) = field.ty.element else { return None };
                Fields { catalog: self.catalog, id, value: self.value.get(&field.name)? }.find(rest)
            }
        }
    }

    fn seen(&self, index: usize) -> Option<Seen> {
        let field = &self.catalog.get(self.id).descriptor().fields[index];
        match self.value.get(&field.name)? {
            Value::Integer(number) => Some(Seen::Number(*number)),
            Value::Bool(bool) => Some(Seen::Truth(*bool)),
            _ => None,
        }
    }

    fn length(&self, index: usize) -> Option<i128> {
        let descriptor = self.catalog.get(self.id).descriptor();
        let field = &descriptor.fields[index];
        match (descriptor.count_of(index), self.value.get(&field.name)?) {
            (Some(counter), _) => match self.seen(counter) {
                Some(Seen::Number(count)) => Some(count),
                _ => None,
            },
            (None, Value::Text(text)) => i128::try_from(text.len()).ok(),
            // A value that only some languages can hold, after it was found to be text.
            (None, Value::Bytes(bytes)) if field.role == Role::Text => {
                i128::try_from(bytes.iter().position(|&byte| byte == 0)?).ok()
            }
            (None, _) => field.ty.dims.first().map(|&length| i128::from(length)),
        }
    }

    /// The elements of an array of integers.
    fn integers(&self, index: usize) -> Option<Vec<i128>> {
        let field = &self.catalog.get(self.id).descriptor().fields[index];
        match self.value.get(&field.name)? {
            Value::Bytes(bytes) => Some(bytes.iter().map(|&byte| byte.into()).collect()),
            Value::List(items) => {
                let number = |item: &Value| match item {
                    Value::Integer(number) => Some(*number),
                    _ => None,
                };
                items.iter().map(number).collect()
            }
            _ => None,
        }
    }
}

impl Subject for Fields<'_> {
    fn look(&self, what: &What) -> Option<Seen> {
        match what {
            What::Value(path) => {
                let (fields, index) = self.find(&path.0)?;
                fields.seen(index)
            }
            What::Length(path) => {
                let (fields, index) = self.find(&path.0)?;
                fields.length(index).map(Seen::Number)
            }
            What::Product(path) => {
                let (fields, index) = self.find(&path.0)?;
                rule::product(fields.integers(index)?)
            }
            What::Least(path) => {
                let (fields, index) = self.find(&path.0)?;
                fields.integers(index)?.into_iter().min().map(Seen::Number)
            }
            What::Has { path, bits } => match self.look(&What::Value(path.clone()))? {
                Seen::Number(number) => Some(has(number, *bits)),
                Seen::Truth(_) => None,
            },
            What::Data { path, contract, key } => match self.look(&What::Value(path.clone()))? {
                Seen::Number(number) => data(self.catalog.get(*contract).enumeration(), number, *key),
                Seen::Truth(_) => None,
            },
            What::Present(_) | What::FdCount => None,
        }
    }
}

/// Whether flags have all of these bits.
pub(super) fn has(number: i128, bits: u64) -> Seen {
    Seen::Truth(number & i128::from(bits) == i128::from(bits))
}

/// What the value of that number carries for a key.
pub(super) fn data(enumeration: &Enumeration, number: i128, key: usize) -> Option<Seen> {
    let value = enumeration.values.iter().find(|value| value.value == number)?;
    match value.data[key] {
        DataValue::Integer(number) => Some(Seen::Number(number)),
        DataValue::Bool(bool) => Some(Seen::Truth(bool)),
        DataValue::Text(_) => None,
    }
}
