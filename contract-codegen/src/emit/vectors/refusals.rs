//! Every way a descriptor can be refused, each as one change to a buffer that is accepted.

use std::collections::BTreeSet;

use super::samples::{range, scalar_of, wire_bytes};
use crate::interpret::Host;
use crate::model::{Catalog, ContractId, Descriptor, Element, Enumeration, Field, Flags, Role, Scalar};

/// One change that makes an accepted buffer refused.
pub(super) struct Refusal {
    /// What is changed, for a reader.
    pub(super) name: String,
    /// Where.
    pub(super) at: usize,
    /// To what.
    pub(super) bytes: Vec<u8>,
}

impl Refusal {
    pub(super) fn patched(&self, buffer: &[u8]) -> Vec<u8> {
        let mut patched = buffer.to_vec();
        patched[self.at..][..self.bytes.len()].copy_from_slice(&self.bytes);
        patched
    }
}

/// Collects refusals.
pub(super) struct Refusals<'a> {
    catalog: &'a Catalog,
    host: Host,
    accepted: &'a [u8],
    /// Nested descriptors that were gone through: a second one of the kind is probed once, to see that its place is
    /// right, so that the number of cases grows with the declarations and not with how often they nest.
    seen: BTreeSet<ContractId>,
    /// Those among them that cannot be refused: a second look would find nothing, however much they nest.
    barren: BTreeSet<ContractId>,
    /// A probe ends with this many in the list.
    enough: usize,
    list: Vec<Refusal>,
}

impl<'a> Refusals<'a> {
    /// Every way to refuse the descriptor, as changes to a buffer of it that is accepted.
    pub(super) fn of(catalog: &'a Catalog, id: ContractId, host: Host, accepted: &'a [u8]) -> Vec<Refusal> {
        let (seen, barren) = (BTreeSet::from([id]), BTreeSet::new());
        let mut refusals =
            Refusals { catalog, host, accepted, seen, barren, enough: usize::MAX, list: Vec::new() };
        refusals.descriptor(id, 0, "");
        refusals.list
    }

    fn descriptor(&mut self, id: ContractId, base: usize, path: &str) {
        let descriptor = self.catalog.get(id).descriptor();
        for field in &descriptor.fields {
            if self.list.len() >= self.enough {
                return;
            }
            let place =
                Place { at: base + field.offset as usize, path: format!("{path}{}", field.name), field };
            self.field(descriptor, &place);
        }
    }

    fn field(&mut self, descriptor: &Descriptor, place: &Place<'_>) {
        let size = self.catalog.field_size(place.field) as usize;
        match &place.field.role {
            Role::Magic(magic) => {
                let last = magic.len() - 1;
                self.push(place, "first byte differs", place.at, vec![magic[0] ^ 0x20]);
                self.push(place, "last byte differs", place.at + last, vec![magic[last] ^ 0x01]);
            }
            Role::Version(newest) => {
                self.number(place, 0);
                self.number(place, i128::from(*newest) + 1);
            }
            Role::Reserved { zero: false } => {}
            Role::Reserved { zero: true } => {
                self.push(place, "first byte is 1", place.at, vec![1]);
                self.push(place, "last byte is 128", place.at + size - 1, vec![0x80]);
            }
            Role::LengthOf(targets) => {
                let lengths = targets.iter().map(|&target| i128::from(descriptor.fields[target].ty.dims[0]));
                let most = lengths.min().unwrap_or(0);
                let highest = range(scalar_of(self.catalog, place.field.ty.element)).1;
                self.number(place, most + 1);
                if highest > most + 1 {
                    self.number(place, highest);
                }
            }
            Role::Text => self.text(place, size),
            Role::Value => self.elements(place, size),
        }
    }

    fn text(&mut self, place: &Place<'_>, size: usize) {
        self.push(place, "no NUL", place.at, vec![b'a'; size]);
        if size > 1 {
            self.push(place, "text after the NUL", place.at + size - 1, vec![b'a']);
            self.push(place, "a byte that UTF-8 never has", place.at, vec![0xff]);
            self.push(place, "a character cut short", place.at, vec![0xc3]);
        }
        if size > 3 {
            self.push(place, "a surrogate", place.at, vec![0xed, 0xa0, 0x80]);
            self.push(place, "a character spelled too long", place.at, vec![0xc0, 0x80]);
        }
        if size > 4 {
            self.push(place, "a character beyond Unicode", place.at, vec![0xf4, 0x90, 0x80, 0x80]);
        }
    }

    /// The last element in every way, the first one once.
    fn elements(&mut self, place: &Place<'_>, size: usize) {
        let stride = self.catalog.element_size(place.field.ty.element) as usize;
        let last = place.at + size - stride;
        let bad: Vec<i128> = match place.field.ty.element {
            Element::Scalar(Scalar::Bool) => vec![2, 255],
            Element::Enumeration { contract, open: false } => {
                unknown_values(self.catalog.get(contract).enumeration())
            }
            Element::Flags { contract } if !self.catalog.get(contract).flags().open => {
                unknown_bits(self.catalog.get(contract).flags())
            }
            Element::Descriptor(nested) => return self.nested(nested, place, last),
            Element::Scalar(_) | Element::Enumeration { .. } | Element::Flags { .. } => return,
        };
        for &number in &bad {
            self.number(&place.moved(last), number);
        }
        if last > place.at
            && let Some(&number) = bad.first()
        {
            self.number(place, number);
        }
    }

    fn nested(&mut self, id: ContractId, place: &Place<'_>, last: usize) {
        let path = format!("{}.", place.path);
        let start = self.list.len();
        if self.seen.insert(id) {
            self.descriptor(id, last, &path);
            if self.list.len() == start {
                self.barren.insert(id);
            }
        } else {
            self.probe(id, last, &path);
        }
        if last > place.at {
            self.probe(id, place.at, &path);
        }
    }

    /// The first refusal of a descriptor, to see that its place is right.
    fn probe(&mut self, id: ContractId, base: usize, path: &str) {
        if self.barren.contains(&id) {
            return;
        }
        let enough = self.enough;
        let one = self.list.len() + 1;
        self.enough = one.min(enough);
        self.descriptor(id, base, path);
        self.list.truncate(one);
        self.enough = enough;
    }

    fn number(&mut self, place: &Place<'_>, number: i128) {
        let scalar = scalar_of(self.catalog, place.field.ty.element);
        let (lowest, highest) = range(scalar);
        if (lowest..=highest).contains(&number) {
            let size = scalar.size() as usize;
            let bytes = wire_bytes(number, size, self.host.is_little(place.field.ty.endian));
            self.push(place, &number.to_string(), place.at, bytes);
        }
    }

    fn push(&mut self, place: &Place<'_>, what: &str, at: usize, bytes: Vec<u8>) {
        debug_assert_ne!(self.accepted[at..][..bytes.len()], bytes, "{}: {what}", place.path);
        self.list.push(Refusal { name: format!("{}: {what}", place.path), at, bytes });
    }
}

/// A field, or one element of it.
struct Place<'a> {
    at: usize,
    path: String,
    field: &'a Field,
}

impl Place<'_> {
    fn moved(&self, at: usize) -> Self {
        let index = if at == self.at { String::new() } else { " (last)".to_owned() };
        Place { at, path: format!("{}{index}", self.path), field: self.field }
    }
}

/// Numbers without a name: beside the lowest and the highest, and in the first gap.
pub(super) fn unknown_values(enumeration: &Enumeration) -> Vec<i128> {
    let numbers: BTreeSet<i128> = enumeration.values.iter().map(|value| value.value).collect();
    let (lowest, highest) = range(enumeration.repr);
    let (Some(&first), Some(&last)) = (numbers.first(), numbers.last()) else {
        return Vec::new();
    };
    let gap = numbers.iter().map(|number| number + 1).find(|number| !numbers.contains(number));
    let candidates = BTreeSet::from([first - 1, gap.unwrap_or(last + 1), last + 1, lowest, highest]);
    candidates
        .into_iter()
        .filter(|number| (lowest..=highest).contains(number) && !numbers.contains(number))
        .collect()
}

/// Bits without a name: the lowest of them, the highest, and all together with those that have one.
pub(super) fn unknown_bits(flags: &Flags) -> Vec<i128> {
    let every = range(flags.repr).1;
    let unnamed = every & !i128::from(flags.known_bits());
    if unnamed == 0 {
        return Vec::new();
    }
    let lowest = 1 << unnamed.trailing_zeros();
    let highest = 1 << (127 - unnamed.leading_zeros());
    BTreeSet::from([lowest, highest, every]).into_iter().collect()
}
