//! A message to bytes, or to the first fault.

use super::check::{Checker, counts};
use super::read::moved;
use super::{MessageValue, PartValue, TailValue};
use crate::interpret::{self, Fault, Host, json};
use crate::model::{Catalog, ContractId, Moment, TailItem};

/// The bytes of a message; its file descriptors go with it in the order of their groups.
///
/// # Panics
/// When the value is not of the contract's shape.
pub fn write(catalog: &Catalog, id: ContractId, value: &MessageValue, host: Host) -> Result<Vec<u8>, Fault> {
    let message = catalog.get(id).message();
    let mut bytes = Vec::new();
    for (part, value) in message.parts.iter().zip(&value.parts) {
        let written = match value {
            PartValue::Descriptor(value) => {
                let written = interpret::write(catalog, part.contract, value, host);
                written.map_err(|fault| moved(fault, bytes.len()))?
            }
            PartValue::Document(value) => json::write(catalog, part.contract, value)?.into_bytes(),
        };
        bytes.extend(written);
    }
    check_rest(catalog, id, value, &mut bytes, host)?;
    Ok(bytes)
}

/// Checks all of a value but its parts, of which `bytes` are; the tail is written behind them.
pub(super) fn check_rest(
    catalog: &Catalog,
    id: ContractId,
    value: &MessageValue,
    bytes: &mut Vec<u8>,
    host: Host,
) -> Result<(), Fault> {
    let (parts, counts) = (&value.parts, counts(value));
    let tail = value.tail.as_ref();
    let checker = Checker { catalog, id, parts, tail, counts: &counts };
    if let (Some(declared), Some(value)) = (&catalog.get(id).message().tail, tail) {
        let start = bytes.len();
        let length = start + value.len() * super::check::item_size(catalog, declared.item);
        checker.bound(length)?;
        checker.tail_length(declared, start, length)?;
        match (declared.item, value) {
            (TailItem::Descriptor(item), TailValue::Elements(items)) => {
                for value in items {
                    let written = interpret::write(catalog, item, value, host);
                    bytes.extend(written.map_err(|fault| moved(fault, bytes.len()))?);
                }
            }
            (TailItem::Bytes, TailValue::Bytes(own)) => bytes.extend(own),
            (TailItem::Text, TailValue::Text(text)) => bytes.extend(text.as_bytes()),
            (item, value) => panic!("{value:?} is no {item:?}"),
        }
    }
    checker.groups()?;
    checker.rules(Moment::Read)
}
