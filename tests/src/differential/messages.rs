//! Messages to put before every language: bytes that are one, or nearly, and how many file descriptors come with them.

use wirecontract_codegen::interpret::{Host, message};
use wirecontract_codegen::model::{Body, Catalog, ContractId, Endian, Message, Path, Selector, TailItem};

use super::{documents, inputs};
use crate::random::Random;

/// The most elements of a tail whose length the parts say.
const ELEMENTS: usize = 4096;

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
        for _ in 0..count {
            match tail.item {
                TailItem::Descriptor(item) => bytes.extend(inputs::accepted(catalog, item, host, random)),
                TailItem::Bytes => bytes.extend(random.bytes(1)),
                TailItem::Text => bytes.extend(random.pick(&["a", "b", "\n"]).bytes()),
            }
        }
    }
    (bytes, random.between(fds.0, fds.1))
}

fn item_size(catalog: &Catalog, item: TailItem) -> usize {
    match item {
        TailItem::Descriptor(item) => catalog.get(item).descriptor().size as usize,
        TailItem::Bytes | TailItem::Text => 1,
    }
}

/// Writes the number of a tag where its path leads to.
fn put(catalog: &Catalog, first: ContractId, path: &[usize], tag: u64, bytes: &mut [u8]) {
    let (offset, field) = catalog.field_at(first, path);
    let size = catalog.element_size(field.ty.element) as usize;
    let mut number = tag.to_le_bytes()[..size].to_vec();
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
