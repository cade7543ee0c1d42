//! Messages to put before every language: bytes that are one, or nearly, and how many file descriptors come with them.

use wirecontract_codegen::interpret::{Code, Host, message};
use wirecontract_codegen::model::{Body, Catalog, ContractId, Endian, Message, Path, Selector, TailItem};

use super::{documents, inputs};
use crate::random::Random;

/// The most elements of a tail whose length the parts say.
const ELEMENTS: usize = 4096;
/// The highest number that is tried to keep a rule.
const NUMBERS: u64 = 160;

/// Bytes that a message or one of several accepts, but for its rules, and how many file descriptors come with it: as its
/// parts say, where they say something.
pub fn likely(catalog: &Catalog, id: ContractId, random: &mut Random) -> (Vec<u8>, usize) {
    match &catalog.get(id).body {
        Body::Message(message) => one(catalog, id, message, None, random),
        Body::Messages(messages) => match &messages.by {
            Selector::Body(union) => {
                let request = documents::requests_for(catalog, *union, 1, random).remove(0);
                (request.bytes, random.below(7))
            }
            Selector::Tag { path: Path(path), .. } => {
                let variant = random.pick(&messages.variants);
                let id = variant.message();
                // An open variant is met by a number that no other one is likely to have.
                let tag = variant.value.unwrap_or(0x7f);
                one(catalog, id, catalog.get(id).message(), Some((&path[1..], tag)), random)
            }
        },
        _ => unreachable!("only messages are asked for"),
    }
}

fn one(
    catalog: &Catalog,
    id: ContractId,
    message: &Message,
    tag: Option<(&[usize], u64)>,
    random: &mut Random,
) -> (Vec<u8>, usize) {
    let host = Host::this();
    let mut bytes = Vec::new();
    for part in &message.parts {
        match catalog.get(part.contract).body {
            Body::Descriptor(_) => bytes.extend(inputs::accepted(catalog, part.contract, host, random)),
            _ => {
                let request = documents::requests_for(catalog, part.contract, 1, random).remove(0);
                return (request.bytes, random.below(message.fd_range().1 as usize + 2));
            }
        }
    }
    if let Some((path, tag)) = tag {
        put(catalog, message.parts[0].contract, path, tag, &mut bytes);
    }
    let Some((length, fds)) = message::suggested(catalog, id, &bytes, host) else {
        return (bytes, random.below(4));
    };
    if let Some(tail) = &message.tail {
        let most = (message.max_bytes.unwrap_or_default() as usize).saturating_sub(bytes.len());
        let count = match tail.length.computed() {
            Some(_) => length.min(ELEMENTS),
            // Now and then as long as it may be, where that is not much.
            None if most < ELEMENTS && random.one_in(8) => most / item_size(catalog, tail.item),
            None => random.below(5),
        };
        match tail.item {
            TailItem::Descriptor(item) => {
                let items = (0..count).map(|_| inputs::accepted(catalog, item, host, random));
                bytes.extend(items.collect::<Vec<_>>().concat());
            }
            TailItem::Bytes => bytes.extend(random.bytes(count)),
            TailItem::Text => bytes.extend(text(count, random).bytes()),
        }
    }
    let fds = random.between(fds.0, fds.1);
    keep_rules(catalog, id, &mut bytes, fds, random);
    (bytes, fds)
}

/// Text of so many bytes.
fn text(bytes: usize, random: &mut Random) -> String {
    let mut text = String::new();
    while text.len() < bytes {
        let next = *random.pick(&['a', '\n', 'é', '€']);
        text.push(if text.len() + next.len_utf8() > bytes { 'z' } else { next });
    }
    text
}

/// Where a rule is violated, looks for a number in the parts that keeps it; most of the time.
fn keep_rules(catalog: &Catalog, id: ContractId, bytes: &mut Vec<u8>, fds: usize, random: &mut Random) {
    let host = Host::this();
    let is_violated = |bytes: &[u8]| {
        message::read(catalog, id, bytes, fds, host).is_err_and(|fault| fault.code == Code::RuleViolated)
    };
    if random.one_in(8) || !is_violated(bytes) {
        return;
    }
    let mut base = 0;
    for part in &catalog.get(id).message().parts {
        let descriptor = catalog.get(part.contract).descriptor();
        for index in 0..descriptor.fields.len() {
            for number in (0..=NUMBERS).step_by(8) {
                let mut other = bytes.clone();
                put(catalog, part.contract, &[index], number, &mut other[base.min(bytes.len())..]);
                if message::read(catalog, id, &other, fds, host).is_ok() {
                    *bytes = other;
                    return;
                }
            }
        }
        base += descriptor.size as usize;
    }
}

fn item_size(catalog: &Catalog, item: TailItem) -> usize {
    match item {
        TailItem::Descriptor(item) => catalog.get(item).descriptor().size as usize,
        TailItem::Bytes | TailItem::Text => 1,
    }
}

/// Writes a number into the field that a path leads to, where it is one number.
fn put(catalog: &Catalog, first: ContractId, path: &[usize], number: u64, bytes: &mut [u8]) {
    let fields = catalog.fields_along(first, path);
    let Some((_, field)) = fields.last() else { return };
    let offset: u32 = fields.iter().map(|(_, field)| field.offset).sum();
    let size = catalog.element_size(field.ty.element) as usize;
    let all = number.to_le_bytes();
    let Some(number) = all.get(..size).filter(|_| field.ty.dims.is_empty()) else { return };
    let mut number = number.to_vec();
    let is_big = match field.ty.endian {
        Endian::Little => false,
        Endian::Big => true,
        Endian::Native => Host::this() == Host::Big,
    };
    if is_big {
        number.reverse();
    }
    if let Some(place) = bytes.get_mut(offset as usize..offset as usize + size) {
        place.copy_from_slice(&number);
    }
}
