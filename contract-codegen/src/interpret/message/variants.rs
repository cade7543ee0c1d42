//! One of several messages: which one, and then the message itself.

use std::iter;

use super::check::counts;
use super::read::{descriptor, rest};
use super::write::check_rest;
use super::{MessageReading, MessageValue, PartValue, import, read, write};
use crate::counted;
use crate::interpret::check::Fields;
use crate::interpret::rule::{Seen, Subject};
use crate::interpret::{Code, Fault, Host, json};
use crate::model::{Catalog, Content, ContractId, MOST_FDS, MessageContent, Path, Selector, What};

/// A message that was accepted, and which one it is.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenReading {
    /// What it says.
    pub value: Chosen,
    /// The same value written again, as of a message.
    pub written: Result<Vec<u8>, Fault>,
}

/// A value of one of several messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The position of the variant.
    pub variant: usize,
    /// The message. Of a variant that holds none, it has what the union's variant holds as its one part, or no part, and
    /// of an unknown tag one group of file descriptors.
    pub value: MessageValue,
}

/// Reads one of several messages, which came with so many file descriptors.
///
/// # Panics
/// When the contract is not several messages.
pub fn read_chosen(
    catalog: &Catalog,
    id: ContractId,
    bytes: &[u8],
    fd_count: usize,
    host: Host,
) -> Result<ChosenReading, Fault> {
    let messages = catalog.get(id).messages();
    let union = match &messages.by {
        Selector::Tag { .. } => {
            let first = first_part(catalog, id);
            let (value, _) = descriptor(catalog, first, bytes, 0, host)?;
            let tag = tag(catalog, id, &PartValue::Descriptor(value));
            let known =
                messages.variants.iter().position(|variant| variant.value.map(i128::from) == Some(tag));
            let variant = known
                .or_else(|| messages.variants.iter().position(|variant| variant.value.is_none()))
                .ok_or_else(|| unknown(catalog, id, format!("a tag of {}", catalog.get(id).name), tag))?;
            let reading = read(catalog, messages.variants[variant].message(), bytes, fd_count, host)?;
            let MessageReading { value, written } = reading;
            return Ok(ChosenReading { value: Chosen { variant, value }, written });
        }
        Selector::Body(union) => *union,
    };
    let (of_union, content) = match json::read(catalog, union, bytes)?.value {
        json::Value::Union(variant, content) => (variant, content.map(|content| *content)),
        other => {
            let open = catalog.get(union).union().open();
            (open.expect("an open variant keeps an unknown tag"), Some(other))
        }
    };
    let variant = messages.of_union(of_union);
    let parts: Vec<PartValue> = content.into_iter().map(PartValue::Document).collect();
    let value = match messages.variants[variant].holds {
        MessageContent::Message(message) => rest(catalog, message, (parts, None), fd_count, host)?.value,
        MessageContent::Value(_) | MessageContent::Nothing => {
            takes(catalog, id, 0, fd_count)?;
            MessageValue { parts, tail: None, fds: Vec::new() }
        }
        MessageContent::Other => {
            takes(catalog, id, MOST_FDS, fd_count)?;
            MessageValue { parts, tail: None, fds: iter::once(0..fd_count).collect() }
        }
    };
    let value = Chosen { variant, value };
    let written = write_chosen(catalog, id, &value, host);
    Ok(ChosenReading { value, written })
}

/// The bytes of one of several messages.
///
/// # Panics
/// When the value is not of the contract's shape.
pub fn write_chosen(catalog: &Catalog, id: ContractId, value: &Chosen, host: Host) -> Result<Vec<u8>, Fault> {
    let messages = catalog.get(id).messages();
    let variant = &messages.variants[value.variant];
    let Selector::Body(union) = messages.by else {
        let PartValue::Descriptor(first) = &value.value.parts[0] else { panic!("a tag is in a descriptor") };
        crate::interpret::write(catalog, first_part(catalog, id), first, host)?;
        let tag = tag(catalog, id, &value.value.parts[0]);
        let is_others = messages.variants.iter().any(|other| other.value.map(i128::from) == Some(tag));
        match variant.value {
            Some(own) if i128::from(own) != tag => return Err(unknown(catalog, id, own.to_string(), tag)),
            None if is_others => {
                return Err(unknown(catalog, id, "a tag that no variant has".to_owned(), tag));
            }
            _ => {}
        }
        return write(catalog, variant.message(), &value.value, host);
    };
    let mut bytes = json::write(catalog, union, &document(catalog, id, union, value))?.into_bytes();
    let fd_count = counts(&value.value).iter().sum();
    match variant.holds {
        MessageContent::Message(message) => check_rest(catalog, message, &value.value, &mut bytes, host)?,
        MessageContent::Value(_) | MessageContent::Nothing => takes(catalog, id, 0, fd_count)?,
        MessageContent::Other => takes(catalog, id, MOST_FDS, fd_count)?,
    }
    Ok(bytes)
}

/// Checks what is asked of one of several messages at import: of a document first what the union asks for.
///
/// # Panics
/// When the value is not of the contract's shape.
pub fn import_chosen(catalog: &Catalog, id: ContractId, value: &Chosen) -> Result<(), Fault> {
    let messages = catalog.get(id).messages();
    let variant = &messages.variants[value.variant];
    let Selector::Body(union) = messages.by else {
        return import(catalog, variant.message(), &value.value);
    };
    let fd_count = counts(&value.value).iter().sum();
    json::import(catalog, union, &document(catalog, id, union, value), fd_count)?;
    match variant.holds.message() {
        Some(message) => super::import::own(catalog, message, &value.value),
        None => Ok(()),
    }
}

fn first_part(catalog: &Catalog, id: ContractId) -> ContractId {
    catalog.first_part(catalog.get(id).messages())
}

/// The number that the first part says.
fn tag(catalog: &Catalog, id: ContractId, first: &PartValue) -> i128 {
    let Selector::Tag { path: Path(path), .. } = &catalog.get(id).messages().by else { panic!("by a tag") };
    let PartValue::Descriptor(value) = first else { panic!("a tag is in a descriptor") };
    let fields = Fields { catalog, id: first_part(catalog, id), value };
    match fields.look(&What::Value(Path(path[1..].to_vec()))) {
        Some(Seen::Number(number)) => number,
        seen => panic!("{seen:?} is no tag"),
    }
}

fn unknown(catalog: &Catalog, id: ContractId, expected: String, found: i128) -> Fault {
    let contract = catalog.get(id);
    let Selector::Tag { text, .. } = &contract.messages().by else { panic!("by a tag") };
    Fault {
        code: Code::UnknownTag,
        contract: contract.name.clone(),
        field: text.clone(),
        offset: 0,
        expected,
        found: found.to_string(),
    }
}

/// The union's value that a message is.
fn document(catalog: &Catalog, id: ContractId, union: ContractId, value: &Chosen) -> json::Value {
    let variants = &catalog.get(union).union().variants;
    let variant = catalog.get(id).messages().variants[value.variant].of_union;
    let variant = variant.expect("a message by body is of one of the union's variants");
    match &*value.value.parts {
        [] => json::Value::Union(variant, None),
        [PartValue::Document(kept @ json::Value::Other { .. })]
            if variants[variant].content == Content::Other =>
        {
            kept.clone()
        }
        [PartValue::Document(content)] => json::Value::Union(variant, Some(Box::new(content.clone()))),
        parts => panic!("{parts:?} are no document"),
    }
}

/// What is no message comes alone, or with so many file descriptors at most.
fn takes(catalog: &Catalog, id: ContractId, most: u32, found: usize) -> Result<(), Fault> {
    if found <= most as usize {
        return Ok(());
    }
    Err(Fault {
        code: Code::FdCount,
        contract: catalog.get(id).name.clone(),
        field: String::new(),
        offset: 0,
        expected: counted::file_descriptors(0, most),
        found: found.to_string(),
    })
}
