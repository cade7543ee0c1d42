//! Messages: bytes and a number of file descriptors, and whose each of these is.
//!
//! What is accepted is looked for: parts as samples have them, with numbers in one field or in two, a tail as long as
//! these say, and as many file descriptors. Refusals are such a message with something changed. Of all that end alike one
//! is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use super::documents::{Keys, document};
use super::samples::{Sample, sample};
use super::{fault as case_fault, text};
use crate::interpret::message::{
    MessageValue, TailValue, import, import_chosen, read, read_chosen, suggested,
};
use crate::interpret::{Fault, Host, encode, hex};
use crate::model::{
    Body, Catalog, ContractId, Element, MessageVariant, Messages, Path, Scalar, Selector, TailItem,
};

/// Numbers that counts, lengths and tags are tried with.
const NUMBERS: [u64; 14] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32];
/// Candidates that are tried for a message, and cases of one that are kept.
const TRIED: usize = 1500;
const KEPT: usize = 96;
/// Accepted messages that are changed to be refused.
const CHANGED: usize = 4;
/// The longest message in a file.
const LONGEST: usize = 4096;

/// A message's entries, or those of several: one for each order of bytes that numbers in it may have.
pub(super) fn entries(catalog: &Catalog, id: ContractId) -> Vec<String> {
    let hosts: &[(Host, Option<&str>)] = match order(catalog, id) {
        Order::Document => &[(Host::Little, None)],
        Order::Declared => &[(Host::Little, Some("any"))],
        Order::Native => &[(Host::Little, Some("little")), (Host::Big, Some("big"))],
    };
    hosts.iter().map(|&(host, said)| entry(catalog, id, host, said)).collect()
}

fn entry(catalog: &Catalog, id: ContractId, host: Host, said: Option<&str>) -> String {
    let contract = catalog.get(id);
    let mut cases = Cases {
        catalog,
        id,
        host,
        seen: BTreeSet::new(),
        names: BTreeMap::new(),
        lines: Vec::new(),
        accepted: Vec::new(),
    };
    match &contract.body {
        Body::Messages(Messages { by: Selector::Body(union), .. }) => cases.documents(*union),
        Body::Messages(Messages { by: Selector::Tag { path, .. }, variants }) => {
            for variant in variants {
                cases.variant(path, variant);
            }
        }
        _ => cases.message(id, &[]),
    }
    for (bytes, fds) in cases.accepted.clone().into_iter().take(CHANGED) {
        cases.changes(&bytes, fds);
    }
    cases.put("nothing", &[], 0);
    let host = said.map_or_else(String::new, |host| format!("\"host\":\"{host}\","));
    format!(
        "  {{\"contract\":{},\"kind\":\"{}\",{host}\"cases\":[\n{}\n  ]}}",
        text(&contract.name),
        contract.kind(),
        cases.lines.join(",\n"),
    )
}

/// Whose order of bytes the numbers of a message have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    /// It is a document, in which they are text.
    Document,
    /// That of their declarations.
    Declared,
    /// Some have that of the machine.
    Native,
}

fn order(catalog: &Catalog, id: ContractId) -> Order {
    let message = match &catalog.get(id).body {
        Body::Messages(Messages { by: Selector::Body(_), .. }) => return Order::Document,
        Body::Messages(messages) => {
            let orders = messages.variants.iter().map(|variant| order(catalog, variant.message()));
            return orders.max().unwrap_or(Order::Declared);
        }
        _ => catalog.get(id).message(),
    };
    let orders = message.held().map(|id| match &catalog.get(id).body {
        Body::Descriptor(descriptor) if catalog.is_native_ordered(descriptor) => Order::Native,
        Body::Descriptor(_) => Order::Declared,
        _ => Order::Document,
    });
    orders.max().unwrap_or(Order::Declared)
}

struct Cases<'a> {
    catalog: &'a Catalog,
    id: ContractId,
    host: Host,
    /// How those that are kept end.
    seen: BTreeSet<String>,
    /// How many were given a name; those after the first say which they are.
    names: BTreeMap<String, usize>,
    lines: Vec<String>,
    accepted: Vec<(Vec<u8>, usize)>,
}

/// A number in a descriptor.
struct Place {
    at: usize,
    size: usize,
    is_little: bool,
}

impl Place {
    fn put(&self, number: u64, bytes: &mut [u8]) {
        bytes[self.at..][..self.size].copy_from_slice(&encode(number, self.size, self.is_little));
    }
}

/// Numbers for one place, and then for it and another one before it; of two, no more than are tried.
fn walk(places: &[Place]) -> impl Iterator<Item = Vec<(&Place, u64)>> {
    let of_place = move |(index, first)| {
        NUMBERS.into_iter().flat_map(move |number| {
            let before = places[..index].iter().flat_map(|second| NUMBERS.map(|other| (second, other)));
            let pairs = before.map(move |second| vec![(first, number), second]);
            iter::once(vec![(first, number)]).chain(pairs)
        })
    };
    let mut left = TRIED;
    places.iter().enumerate().flat_map(of_place).filter(move |numbers| {
        let is_tried = numbers.len() == 1 || left > 0;
        left -= usize::from(is_tried && numbers.len() == 2);
        is_tried
    })
}

impl Cases<'_> {
    fn variant(&mut self, Path(path): &Path, variant: &MessageVariant) {
        let first = self.catalog.get(variant.message()).message().parts[0].contract;
        let place = self.place(first, &path[1..], 0);
        // An open variant is met by a number that no other one is likely to have.
        let tag = variant.value.unwrap_or(0x7f);
        self.message(variant.message(), &[(place, tag)]);
    }

    fn place(&self, holder: ContractId, path: &[usize], base: usize) -> Place {
        let field = &self.catalog.get(holder).descriptor().fields[path[0]];
        let at = base + field.offset as usize;
        match field.ty.element {
            Element::Descriptor(nested) if path.len() > 1 => self.place(nested, &path[1..], at),
            element => Place {
                at,
                size: self.catalog.element_size(element) as usize,
                is_little: self.host.is_little(field.ty.endian),
            },
        }
    }

    /// Messages of a contract with these numbers in them.
    fn message(&mut self, id: ContractId, fixed: &[(Place, u64)]) {
        let parts = &self.catalog.get(id).message().parts;
        if order(self.catalog, id) == Order::Document {
            return self.documents(parts[0].contract);
        }
        let (mut places, mut base) = (Vec::new(), 0);
        for part in parts {
            self.places(part.contract, base, &mut places);
            base += self.catalog.get(part.contract).descriptor().size as usize;
        }
        if base > LONGEST {
            return;
        }
        let samples = Sample::ALL.map(|kind| {
            let parts = parts.iter().map(|part| sample(self.catalog, part.contract, self.host, kind));
            parts.collect::<Vec<_>>().concat()
        });
        let with = |bytes: &[u8], numbers: &[(&Place, u64)]| {
            let mut bytes = bytes.to_vec();
            for (place, number) in numbers.iter().copied().chain(fixed.iter().map(|(place, it)| (place, *it)))
            {
                place.put(number, &mut bytes);
            }
            bytes
        };
        for bytes in &samples {
            self.suggest(id, "a sample", &with(bytes, &[]));
        }
        for numbers in walk(&places) {
            let name = if numbers.len() == 1 { "a number" } else { "two numbers" };
            self.suggest(id, name, &with(&samples[0], &numbers));
        }
    }

    /// Single integers, those of nested descriptors too.
    fn places(&self, id: ContractId, base: usize, places: &mut Vec<Place>) {
        for (index, field) in self.catalog.get(id).descriptor().fields.iter().enumerate() {
            match field.ty.element {
                _ if !field.ty.dims.is_empty() => {}
                Element::Descriptor(nested) => self.places(nested, base + field.offset as usize, places),
                Element::Scalar(Scalar::F32 | Scalar::F64) => {}
                _ => places.push(self.place(id, &[index], base)),
            }
        }
    }

    /// The parts with a tail and file descriptors as they say, and such as they do not.
    fn suggest(&mut self, id: ContractId, name: &str, parts: &[u8]) {
        let Some((length, fds)) = suggested(self.catalog, id, parts, self.host) else {
            self.put(name, parts, 0);
            return;
        };
        let tail = self.catalog.get(id).message().tail.as_ref().map(|tail| tail.item);
        let item = match tail {
            Some(TailItem::Descriptor(item)) => sample(self.catalog, item, self.host, Sample::AboveMinimum),
            _ => vec![b'a'],
        };
        for count in [length, length + 1, length + 2] {
            let mut bytes = parts.to_vec();
            if tail.is_some() {
                bytes.extend(item.iter().cycle().take(count * item.len()));
            }
            if bytes.len() <= LONGEST {
                for fds in [fds.0, fds.1.min(fds.0 + 1), fds.1.min(fds.0 + 2), fds.1] {
                    self.put(name, &bytes, fds);
                }
            }
            if tail.is_none() {
                return;
            }
        }
    }

    /// Documents of a recipe or union, each with several numbers of file descriptors.
    fn documents(&mut self, id: ContractId) {
        for seed in 0..96_usize {
            let mut state = seed;
            let mut choose = |below: usize| {
                state = state.wrapping_mul(25_173).wrapping_add(13_849) % 65_536;
                (state >> 5) % below.max(1)
            };
            let keys = if seed % 2 == 0 { Keys::Required } else { Keys::All };
            let document = document(self.catalog, id, keys, &mut choose).text();
            for fds in 0..6 {
                self.put("a document", document.as_bytes(), fds);
            }
        }
    }

    /// What is refused beside a message that is accepted.
    fn changes(&mut self, bytes: &[u8], fds: usize) {
        self.put("one byte short", &bytes[..bytes.len().saturating_sub(1)], fds);
        self.put("one byte more", &[bytes, &[0xa5]].concat(), fds);
        self.put("one file descriptor more", bytes, fds + 1);
        self.put("no file descriptors", bytes, 0);
        self.put("file descriptors beyond all", bytes, 254);
        for at in 0..bytes.len() {
            for change in [1, 0x80, 0xff] {
                let mut bytes = bytes.to_vec();
                bytes[at] ^= change;
                self.put(&format!("byte {at} changed"), &bytes, fds);
            }
            self.put(&format!("{at} bytes"), &bytes[..at], fds);
        }
    }

    fn put(&mut self, name: &str, bytes: &[u8], fds: usize) {
        if self.lines.len() >= KEPT {
            return;
        }
        let (how, verdict) = self.verdict(bytes, fds);
        if !self.seen.insert(how) {
            return;
        }
        if !verdict.starts_with("\"fault\"") {
            self.accepted.push((bytes.to_vec(), fds));
        }
        let same = self.names.entry(name.to_owned()).or_insert(0);
        *same += 1;
        let name = if *same == 1 { name.to_owned() } else { format!("{name}, {same}") };
        self.lines.push(format!(
            "   {{\"name\":{},\"bytes\":\"{}\",\"fds\":{fds},{verdict}}}",
            text(&name),
            hex(bytes)
        ));
    }

    /// How a case ends, without its numbers, and in full.
    fn verdict(&self, bytes: &[u8], fds: usize) -> (String, String) {
        let (catalog, id, host) = (self.catalog, self.id, self.host);
        let (variant, value, written, imported) = match &catalog.get(id).body {
            Body::Messages(messages) => match read_chosen(catalog, id, bytes, fds, host) {
                Ok(it) => {
                    let imported = import_chosen(catalog, id, &it.value);
                    let name = &messages.variants[it.value.variant].member.name;
                    (format!("\"variant\":{},", text(name)), it.value.value, it.written, imported)
                }
                Err(fault) => return refused(&fault),
            },
            _ => match read(catalog, id, bytes, fds, host) {
                Ok(it) => {
                    let imported = import(catalog, id, &it.value);
                    (String::new(), it.value, it.written, imported)
                }
                Err(fault) => return refused(&fault),
            },
        };
        let splits: Vec<String> = value.fds.iter().map(|it| format!("[{},{}]", it.start, it.end)).collect();
        let splits = format!("{variant}\"splits\":[{}]", splits.join(","));
        let written = match written {
            Ok(bytes) => format!("\"written\":\"{}\"", hex(&bytes)),
            Err(fault) => format!("\"unwritten\":{}", case_fault(&fault)),
        };
        let imported = imported.map_or_else(|fault| case_fault(&fault), |()| "null".to_owned());
        let how = format!("{splits}, {} of tail, {}", tail_length(&value).min(2), imported == "null");
        (how, format!("{splits},{written},\"import\":{imported}"))
    }
}

fn tail_length(value: &MessageValue) -> usize {
    value.tail.as_ref().map_or(0, TailValue::len)
}

fn refused(fault: &Fault) -> (String, String) {
    let Fault { code, contract, field, expected, .. } = fault;
    (format!("{code:?} {contract}.{field} {expected}"), format!("\"fault\":{}", case_fault(fault)))
}
