//! Bytes to a message, or to the first fault.

use super::check::{Checker, counts, item_size};
use super::{MessageReading, MessageValue, PartValue, TailValue, write};
use crate::interpret::{self, Code, Fault, Host, growth, json};
use crate::model::{Body, Catalog, ContractId, Moment, Tail, TailItem};

/// Reads a message that came with so many file descriptors.
///
/// # Panics
/// When the contract is no message.
pub fn read(
    catalog: &Catalog,
    id: ContractId,
    bytes: &[u8],
    fd_count: usize,
    host: Host,
) -> Result<MessageReading, Fault> {
    let message = catalog.get(id).message();
    Checker::of_parts(catalog, id, &[]).bound(bytes.len())?;
    let (mut parts, mut start) = (Vec::new(), 0);
    for part in &message.parts {
        match &catalog.get(part.contract).body {
            Body::Descriptor(_) => {
                let (value, size) = descriptor(catalog, part.contract, bytes, start, host)?;
                parts.push(PartValue::Descriptor(value));
                start += size;
            }
            _ => {
                parts.push(PartValue::Document(json::read(catalog, part.contract, bytes)?.value));
                start = bytes.len();
            }
        }
    }
    let checker = Checker::of_parts(catalog, id, &parts);
    let tail = match &message.tail {
        None => {
            checker.length(start, bytes.len())?;
            None
        }
        Some(tail) => {
            checker.tail_length(tail, start, bytes.len())?;
            Some(self::tail(&checker, tail, bytes, start, host)?)
        }
    };
    rest(catalog, id, (parts, tail), fd_count, host)
}

/// How many elements the tail of a message of descriptors has that begins with these bytes, and the least and the greatest
/// number of file descriptors that go with it; nothing where a part is refused, or where the parts say no such number.
///
/// # Panics
/// When the contract is no message of descriptors.
pub fn suggested(
    catalog: &Catalog,
    id: ContractId,
    bytes: &[u8],
    host: Host,
) -> Option<(usize, (usize, usize))> {
    let message = catalog.get(id).message();
    let (mut parts, mut start) = (Vec::new(), 0);
    for part in &message.parts {
        let (value, size) = descriptor(catalog, part.contract, bytes, start, host).ok()?;
        parts.push(PartValue::Descriptor(value));
        start += size;
    }
    let checker = Checker::of_parts(catalog, id, &parts);
    let length = message.tail.as_ref().map_or(Some(0), |tail| checker.elements(tail, start));
    Some((length?, checker.fd_range().ok()?))
}

/// The message of these parts and this tail, with so many file descriptors.
pub(super) fn rest(
    catalog: &Catalog,
    id: ContractId,
    (parts, tail): (Vec<PartValue>, Option<TailValue>),
    fd_count: usize,
    host: Host,
) -> Result<MessageReading, Fault> {
    let fds = Checker::of_parts(catalog, id, &parts).split(fd_count)?;
    let value = MessageValue { parts, tail, fds };
    let counts = counts(&value);
    let (parts, tail) = (&value.parts, value.tail.as_ref());
    Checker { catalog, id, parts, tail, counts: &counts }.rules(Moment::Read)?;
    let written = write(catalog, id, &value, host);
    Ok(MessageReading { value, written })
}

/// The descriptor at that offset, and how many bytes it has there.
pub(super) fn descriptor(
    catalog: &Catalog,
    id: ContractId,
    bytes: &[u8],
    base: usize,
    host: Host,
) -> Result<(interpret::Value, usize), Fault> {
    let own = bytes.get(base..).unwrap_or_default();
    let reading = interpret::read_prefix(catalog, id, own, host).map_err(|fault| moved(fault, base))?;
    Ok((reading.value, growth::prefix_size(catalog, id, own, host)))
}

/// A fault of what begins at `base`.
pub(super) fn moved(fault: Fault, base: usize) -> Fault {
    Fault { offset: base + fault.offset, ..fault }
}

fn tail(
    checker: &Checker<'_>,
    tail: &Tail,
    bytes: &[u8],
    start: usize,
    host: Host,
) -> Result<TailValue, Fault> {
    let own = &bytes[start..];
    match tail.item {
        TailItem::Descriptor(id) => {
            let size = item_size(checker.catalog, tail.item);
            let items = (0..own.len() / size)
                .map(|index| Ok(descriptor(checker.catalog, id, bytes, start + index * size, host)?.0));
            items.collect::<Result<_, Fault>>().map(TailValue::Elements)
        }
        TailItem::Bytes => Ok(TailValue::Bytes(own.to_vec())),
        TailItem::Text => match std::str::from_utf8(own) {
            Ok(text) => Ok(TailValue::Text(text.to_owned())),
            Err(error) => {
                let at = start + error.valid_up_to();
                Err(checker.fault(Code::BadUtf8, &tail.member.name, at, "UTF-8".to_owned(), String::new()))
            }
        },
    }
}
