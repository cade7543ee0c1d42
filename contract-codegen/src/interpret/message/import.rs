//! What is asked of a message when the things it describes are imported.

use super::check::{Checker, counts, item_size};
use super::read::moved;
use super::{MessageValue, PartValue, TailValue};
use crate::interpret::import::import_value;
use crate::interpret::{Fault, json};
use crate::model::{Catalog, ContractId, Moment, TailItem};

/// Checks what is asked at import of a value that was read or is right: of every part, in order, then of each element of
/// the tail, then by the message itself. A document is told how many file descriptors came.
///
/// # Panics
/// When the value is not of the contract's shape.
pub fn import(catalog: &Catalog, id: ContractId, value: &MessageValue) -> Result<(), Fault> {
    let counts = counts(value);
    let message = catalog.get(id).message();
    let mut base = 0;
    for (part, value) in message.parts.iter().zip(&value.parts) {
        match value {
            PartValue::Descriptor(value) => {
                import_value(catalog, part.contract, value, base)?;
                base += catalog.get(part.contract).descriptor().size as usize;
            }
            PartValue::Document(value) => json::import(catalog, part.contract, value, counts.iter().sum())?,
        }
    }
    if let (Some(tail), Some(TailValue::Elements(items))) = (&message.tail, &value.tail)
        && let TailItem::Descriptor(item) = tail.item
    {
        let size = item_size(catalog, tail.item);
        for (index, value) in items.iter().enumerate() {
            import_value(catalog, item, value, 0).map_err(|fault| moved(fault, base + index * size))?;
        }
    }
    own(catalog, id, value)
}

/// What the message itself asks for.
pub(super) fn own(catalog: &Catalog, id: ContractId, value: &MessageValue) -> Result<(), Fault> {
    let (parts, tail, counts) = (&value.parts, value.tail.as_ref(), counts(value));
    Checker { catalog, id, parts, tail, counts: &counts }.rules(Moment::Import)
}
