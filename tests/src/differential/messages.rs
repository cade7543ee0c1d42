//! Messages to put before every language: bytes that are one or nearly one, and a number of file descriptors.

pub(super) mod answer;
pub(super) mod c;
mod change;
pub(super) mod cpp;
pub(super) mod python;
pub(super) mod rust;

use wirecontract_codegen::emit::EmitInput;
use wirecontract_codegen::emit::vectors::documents::{Keys, document as document_tree};
use wirecontract_codegen::interpret::message::{read, read_chosen, suggested};
use wirecontract_codegen::interpret::{Code, Host};
use wirecontract_codegen::model::{
    Body, Catalog, ContractId, Element, Field, Message, MessageVariant, TailItem,
};

pub use change::{MessageChange, MessageProbe, message_probes};

use super::request::{Operation, Request};
use super::{documents, inputs};
use crate::random::Random;

/// Parts are made anew so often to find such as say how long the tail is and how many file descriptors come.
const TRIES: usize = 24;
/// Tails are no longer, but where nothing else is found.
const LONGEST_TAIL: usize = 300;
/// Nor are those, in bytes, that are as long as they may be.
const LONGEST_REST: usize = 4096;
/// The highest number that is tried to keep a rule.
const NUMBERS: u64 = 160;

/// Requests for every message of the catalog that is bytes, or one of several: `each` of them a contract.
pub fn requests(catalog: &Catalog, host: Host, each: usize, random: &mut Random) -> Vec<Request> {
    let binary = catalog.iter().filter(|&(id, _)| is_binary(catalog, id));
    binary.flat_map(|(id, _)| requests_for(catalog, id, host, each, random)).collect()
}

/// The same for those whose bytes are a document.
pub fn document_requests(catalog: &Catalog, each: usize, random: &mut Random) -> Vec<Request> {
    let documents = catalog.iter().filter(|&(id, _)| catalog.document_of(id).is_some());
    documents.flat_map(|(id, _)| requests_for(catalog, id, Host::this(), each, random)).collect()
}

/// Requests for one message or one of several: mostly such as are accepted or nearly are.
pub fn requests_for(
    catalog: &Catalog,
    id: ContractId,
    host: Host,
    each: usize,
    random: &mut Random,
) -> Vec<Request> {
    let probes = message_probes(catalog, id).len();
    let mut requests = Vec::new();
    for round in 0..each {
        let (mut bytes, mut fds) = likely(catalog, id, host, random);
        if matches!(round % 8, 2 | 5) {
            damage(&mut bytes, random);
        }
        if round % 8 == 3 {
            fds = if random.one_in(8) { 254 } else { random.below(8) };
        }
        let operation = match round % 8 {
            6 | 7 if probes > 0 => Operation::MessageProbe(fds, random.below(probes)),
            _ => Operation::Message(fds),
        };
        requests.push(Request { contract: id, operation, bytes });
    }
    requests
}

/// Whether it is a message, or one of several, whose bytes are descriptors.
pub(super) fn is_binary(catalog: &Catalog, id: ContractId) -> bool {
    matches!(catalog.get(id).body, Body::Message(_) | Body::Messages(_)) && catalog.document_of(id).is_none()
}

/// A message's declaration, where it is one and not several.
fn message(catalog: &Catalog, id: ContractId) -> Option<&Message> {
    match &catalog.get(id).body {
        Body::Message(message) => Some(message),
        _ => None,
    }
}

/// The variants of several messages; of one, none.
fn variants<'a>(input: &EmitInput<'a>, id: ContractId) -> &'a [MessageVariant] {
    match &input.catalog.get(id).body {
        Body::Messages(messages) => &messages.variants,
        _ => &[],
    }
}

/// The fields that lead to the tag of several messages from the first part of them; none by body.
fn tag_fields(catalog: &Catalog, id: ContractId) -> Vec<&Field> {
    catalog.tag_fields(catalog.get(id).messages()).into_iter().map(|(_, field)| field).collect()
}

/// Bytes that are a message or one of several, or would be but for a rule, and how many file descriptors come with it.
///
/// # Panics
/// When the contract is neither.
pub fn likely(catalog: &Catalog, id: ContractId, host: Host, random: &mut Random) -> (Vec<u8>, usize) {
    if let Some(document) = catalog.document_of(id) {
        return of_document(catalog, id, document, random);
    }
    let Body::Messages(messages) = &catalog.get(id).body else {
        return of_parts(catalog, id, host, &|_| {}, random);
    };
    let variant = random.pick(&messages.variants);
    // What takes every other message is met by a number that hardly anybody has.
    let tag = variant.value.unwrap_or_else(|| *random.pick(&[9, 0x55, 0x7f]));
    let fields = tag_fields(catalog, id);
    let say_tag = |bytes: &mut [u8]| put(catalog, &fields, tag, host, bytes);
    of_parts(catalog, variant.message(), host, &say_tag, random)
}

fn of_document(
    catalog: &Catalog,
    id: ContractId,
    document: ContractId,
    random: &mut Random,
) -> (Vec<u8>, usize) {
    let reads = |bytes: &[u8], fds: usize| match catalog.get(id).body {
        Body::Message(_) => read(catalog, id, bytes, fds, Host::this()).is_ok(),
        _ => read_chosen(catalog, id, bytes, fds, Host::this()).is_ok(),
    };
    // Rules and conditions refuse some: a few tries find one that is accepted with some number, if there is any.
    for _ in 0..if random.one_in(6) { 0 } else { 8 } {
        let tree = document_tree(catalog, document, Keys::Chosen, &mut |count| random.below(count));
        let bytes = tree.text().into_bytes();
        let fitting: Vec<usize> = (0..12).filter(|&fds| reads(&bytes, fds)).collect();
        if !fitting.is_empty() {
            return (bytes, *random.pick(&fitting));
        }
    }
    let bytes = documents::requests_for(catalog, document, 2, random).remove(1).bytes;
    (bytes, random.below(6))
}

/// A message of descriptors, whose first part was changed by `patch`.
fn of_parts(
    catalog: &Catalog,
    id: ContractId,
    host: Host,
    patch: &dyn Fn(&mut [u8]),
    random: &mut Random,
) -> (Vec<u8>, usize) {
    let message = catalog.get(id).message();
    let item = message.tail.as_ref().map(|tail| tail.item);
    let size = match item {
        Some(TailItem::Descriptor(item)) => catalog.get(item).descriptor().size as usize,
        _ => 1,
    };
    let mut found = (Vec::new(), None);
    for _ in 0..TRIES {
        let parts = message.parts.iter().map(|part| inputs::accepted(catalog, part.contract, host, random));
        let mut bytes = parts.collect::<Vec<_>>().concat();
        patch(&mut bytes);
        let said = suggested(catalog, id, &bytes, host);
        let is_short = said.is_some_and(|(count, _)| count * size <= LONGEST_TAIL);
        found = (bytes, said.filter(|_| is_short));
        if is_short {
            break;
        }
    }
    let (mut bytes, said) = found;
    let is_rest = message.tail.as_ref().is_some_and(|tail| tail.length.computed().is_none());
    let (mut count, (least, most)) = said.unwrap_or((random.below(3), (0, 2)));
    if is_rest {
        let most = message.max_bytes.unwrap_or(u32::MAX) as usize;
        let room = most.saturating_sub(bytes.len()) / size;
        let long = *random.pick(&[4, 4, 4, 40]);
        count = match random.below(8) {
            // Whether there is room for them or not.
            0 => random.below(6),
            1 if room * size <= LONGEST_REST => room,
            _ => random.below(room.min(long) + 1),
        };
    }
    match item {
        Some(TailItem::Descriptor(item)) => {
            let items = (0..count).map(|_| inputs::accepted(catalog, item, host, random));
            bytes.extend(items.collect::<Vec<_>>().concat());
        }
        Some(TailItem::Bytes) => bytes.extend(random.bytes(count)),
        Some(TailItem::Text) => {
            let wide = if random.one_in(3) { count / 3 } else { 0 };
            bytes.extend("€".repeat(wide).bytes());
            bytes.extend("a".repeat(count - 3 * wide).bytes());
        }
        None => {}
    }
    let fds = match random.below(12) {
        0 => most,
        1 => least + random.below(3),
        _ => random.between(least, most.min(least + 6)),
    };
    // Most of the time: what a rule refuses is asked about, too.
    if !random.one_in(8) {
        keep_rules(catalog, id, (&mut bytes, fds), host, patch);
    }
    (bytes, fds)
}

/// Where a rule is violated, looks for a number in the parts that keeps it. What `patch` says stays.
fn keep_rules(
    catalog: &Catalog,
    id: ContractId,
    (bytes, fds): (&mut Vec<u8>, usize),
    host: Host,
    patch: &dyn Fn(&mut [u8]),
) {
    let is_violated = |bytes: &[u8]| {
        read(catalog, id, bytes, fds, host).is_err_and(|fault| fault.code == Code::RuleViolated)
    };
    if !is_violated(bytes) {
        return;
    }
    let mut base = 0;
    for part in &catalog.get(id).message().parts {
        let descriptor = catalog.get(part.contract).descriptor();
        for field in &descriptor.fields {
            for number in (0..=NUMBERS).step_by(8) {
                let mut other = bytes.clone();
                put(catalog, &[field], number, host, &mut other[base.min(bytes.len())..]);
                patch(&mut other);
                if read(catalog, id, &other, fds, host).is_ok() {
                    *bytes = other;
                    return;
                }
            }
        }
        base += descriptor.size as usize;
    }
}

/// Writes a number into the field that others lead to, where it is one number.
fn put(catalog: &Catalog, fields: &[&Field], number: u64, host: Host, bytes: &mut [u8]) {
    let is_number =
        |field: &&&Field| field.ty.dims.is_empty() && !matches!(field.ty.element, Element::Descriptor(_));
    let Some(field) = fields.last().filter(is_number) else { return };
    let at: usize = fields.iter().map(|field| field.offset as usize).sum();
    let size = catalog.element_size(field.ty.element) as usize;
    let number = inputs::encoded(number, size, field.ty.endian, host);
    if let Some(place) = bytes.get_mut(at..at + size) {
        place.copy_from_slice(&number);
    }
}

/// Changes one place or the length.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    match random.below(6) {
        0 => bytes.truncate(random.below(bytes.len() + 1)),
        1 => {
            let more = random.between(1, 40);
            bytes.extend(random.bytes(more));
        }
        _ if bytes.is_empty() => {}
        2 => {
            let end = bytes.len() - 1;
            bytes[end] = 0xff;
        }
        3 => {
            let at = random.below(bytes.len());
            bytes[at] = *random.pick(&[0, 1, 2, 0x7f, 0x80, 0xff]);
        }
        _ => {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
    }
}
