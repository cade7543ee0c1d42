//! Bytes to put before every language: random ones, ones that are nearly right, and ones that are right.

use wirecontract_codegen::interpret::{Host, has_prefix, say_version};
use wirecontract_codegen::model::{
    Catalog, ContractId, Descriptor, Element, Endian, Field, Moment, Role, Scalar,
};

use super::compare::has_rules;
use super::probe::probes;
use super::request::{Operation, Request};
use crate::random::Random;

/// Requests for every descriptor of the catalog, `each` of them a contract.
pub fn requests(catalog: &Catalog, host: Host, each: usize, random: &mut Random) -> Vec<Request> {
    let descriptors = catalog.iter().filter(|(_, contract)| contract.kind() == "descriptor");
    descriptors.flat_map(|(id, _)| requests_for(catalog, id, host, each, random)).collect()
}

/// Requests that come to rules, of the descriptors that have some: `each` of them a descriptor, read or imported.
pub fn ruled(catalog: &Catalog, host: Host, each: usize, random: &mut Random) -> Vec<Request> {
    let mut requests = Vec::new();
    for (id, _) in catalog.iter().filter(|(_, contract)| contract.kind() == "descriptor") {
        let at = [Moment::Read, Moment::Import].map(|at| has_rules(catalog, id, at));
        let operations: &[Operation] = match at {
            [false, false] => continue,
            [true, false] => &[Operation::Read],
            [true, true] => &[Operation::Read, Operation::Import],
            [false, true] => &[Operation::Import],
        };
        for _ in 0..each {
            let bytes = accepted(catalog, id, host, random);
            requests.push(Request { contract: id, operation: *random.pick(operations), bytes });
        }
    }
    requests
}

/// Requests for one descriptor: mostly bytes that it accepts or nearly does.
pub fn requests_for(
    catalog: &Catalog,
    id: ContractId,
    host: Host,
    each: usize,
    random: &mut Random,
) -> Vec<Request> {
    let probes = probes(catalog, id).len();
    let descriptor = catalog.get(id).descriptor();
    let mut requests = Vec::new();
    for round in 0..each {
        let mut bytes = likely(catalog, id, host, random);
        let mut operation = Operation::Read;
        match round % 8 {
            _ if descriptor.growth.is_some() && random.one_in(2) => {
                operation = grown(catalog, id, &mut bytes, host, random);
            }
            1 => bytes = random.bytes(bytes.len()),
            2 | 3 => mutate(&mut bytes, random),
            4 => {
                mutate(&mut bytes, random);
                mutate(&mut bytes, random);
            }
            5 => {
                if random.one_in(2) {
                    bytes.truncate(random.below(bytes.len()));
                } else {
                    let more = random.between(1, 9);
                    bytes.extend(random.bytes(more));
                }
                let prefix = if has_prefix(descriptor) { Operation::Prefix } else { Operation::Read };
                operation = *random.pick(&[Operation::Read, prefix]);
            }
            6 if random.one_in(4) => operation = Operation::Short,
            6 if probes > 0 => operation = Operation::Probe(random.below(probes)),
            7 => operation = Operation::Import,
            // As they are.
            _ => {}
        }
        requests.push(Request { contract: id, operation, bytes });
    }
    requests
}

/// Something that only descriptors which grow can be asked, with bytes of any version.
fn grown(
    catalog: &Catalog,
    id: ContractId,
    bytes: &mut Vec<u8>,
    host: Host,
    random: &mut Random,
) -> Operation {
    let Some(growth) = &catalog.get(id).descriptor().growth else { return Operation::Read };
    let newest = growth.newest();
    let version =
        |random: &mut Random| u32::try_from(random.between(0, newest as usize + 1)).expect("a version");
    match random.below(6) {
        0 => {
            let more = random.between(0, 9);
            bytes.extend(random.bytes(more));
            say_version(catalog, id, bytes, newest + 1, host);
            Operation::Newer
        }
        1 => Operation::VersionOf,
        2 => Operation::Newer,
        3 => Operation::Version(newest),
        _ => Operation::Version(version(random)),
    }
}

/// Changes one place: a bit, a byte, or two bytes exchanged.
fn mutate(bytes: &mut [u8], random: &mut Random) {
    let at = random.below(bytes.len());
    match random.below(4) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = *random.pick(&[0, 1, 2, 0x7f, 0x80, 0xff]),
        2 => bytes[at] = bytes[at].wrapping_add(1),
        _ => bytes.swap(at, random.below(bytes.len())),
    }
}

/// Bytes that the descriptor accepts, but for its rules.
pub fn accepted(catalog: &Catalog, id: ContractId, host: Host, random: &mut Random) -> Vec<u8> {
    make(catalog, id, host, random, usize::MAX)
}

/// Bytes that the descriptor accepts, but for a field now and then.
fn likely(catalog: &Catalog, id: ContractId, host: Host, random: &mut Random) -> Vec<u8> {
    make(catalog, id, host, random, 40)
}

fn make(catalog: &Catalog, id: ContractId, host: Host, random: &mut Random, wrong: usize) -> Vec<u8> {
    let mut bytes = random.bytes(catalog.get(id).descriptor().size as usize);
    let mut maker = Maker { catalog, host, random, bytes: &mut bytes, wrong };
    maker.descriptor(id, 0);
    let descriptor = catalog.get(id).descriptor();
    if let Some(growth) = &descriptor.growth {
        // Mostly a version of the length that it has.
        let version = u32::try_from(random.between(1, growth.newest() as usize)).expect("a version");
        bytes.truncate(growth.size(version) as usize);
        if !random.one_in(8) {
            say_version(catalog, id, &mut bytes, version, host);
        }
    }
    bytes
}

struct Maker<'a> {
    catalog: &'a Catalog,
    host: Host,
    random: &'a mut Random,
    bytes: &'a mut [u8],
    /// One field in this many stays as random as it is; none when it is the highest.
    wrong: usize,
}

impl Maker<'_> {
    fn descriptor(&mut self, id: ContractId, base: usize) {
        let descriptor = self.catalog.get(id).descriptor();
        for field in &descriptor.fields {
            if self.wrong == usize::MAX || !self.random.one_in(self.wrong) {
                self.field(descriptor, field, base + field.offset as usize);
            }
        }
    }

    fn field(&mut self, descriptor: &Descriptor, field: &Field, at: usize) {
        let size = self.catalog.field_size(field) as usize;
        match &field.role {
            Role::Magic(magic) => self.bytes[at..][..size].copy_from_slice(magic),
            Role::Version(newest) => {
                let steps = usize::try_from(*newest).unwrap_or(usize::MAX).min(1000);
                let version =
                    if self.random.one_in(2) { *newest } else { self.random.between(1, steps) as u64 };
                self.number(field, at, version);
            }
            Role::Reserved { zero: false } => {}
            Role::Reserved { zero: true } => self.bytes[at..][..size].fill(0),
            Role::LengthOf(targets) => {
                let lengths = targets.iter().map(|&target| descriptor.fields[target].ty.dims[0]);
                let count = self.random.between(0, lengths.min().unwrap_or(0) as usize);
                self.number(field, at, count as u64);
            }
            Role::Text => self.text(at, size),
            Role::Value => self.elements(field, at, size),
        }
    }

    fn text(&mut self, at: usize, size: usize) {
        const CHARACTERS: [char; 12] =
            ['a', 'Z', '"', '\\', '\n', '\u{1}', '\u{7f}', 'é', '€', '\u{fffd}', '😀', '\u{10ffff}'];
        let mut text = String::new();
        let most = self.random.below(size);
        while let character = *self.random.pick(&CHARACTERS)
            && text.len() + character.len_utf8() <= most
        {
            text.push(character);
        }
        self.bytes[at..][..size].fill(0);
        self.bytes[at..][..text.len()].copy_from_slice(text.as_bytes());
    }

    fn elements(&mut self, field: &Field, at: usize, size: usize) {
        let stride = self.catalog.element_size(field.ty.element) as usize;
        for offset in (at..at + size).step_by(stride) {
            match field.ty.element {
                Element::Descriptor(nested) => self.descriptor(nested, offset),
                Element::Scalar(Scalar::Bool) => self.bytes[offset] &= 1,
                Element::Scalar(scalar) => self.scalar(field, scalar, offset),
                Element::Enumeration { contract, .. } => {
                    let values = &self.catalog.get(contract).enumeration().values;
                    let value = self.random.pick(values).value;
                    self.number(field, offset, low_bits(value));
                }
                Element::Flags { contract } => {
                    let known = self.catalog.get(contract).flags().known_bits();
                    let bits = self.random.bits() & known;
                    self.number(field, offset, bits);
                }
            }
        }
    }

    /// Any bits will do; now and then those where languages go wrong.
    fn scalar(&mut self, field: &Field, scalar: Scalar, at: usize) {
        const SINGLES: [u64; 5] = [0x7f80_0001, 0xffc0_0001, 0x7f80_0000, 0x8000_0000, 1];
        const DOUBLES: [u64; 5] =
            [0x7ff0_0000_0000_0001, 0xfff8_0000_0000_0001, 0x7ff0_0000_0000_0000, 1 << 63, 1];
        const INTEGERS: [u64; 14] =
            [0, 1, 2, 3, 4, 7, 16, 100, u64::MAX - 1, u64::MAX, u64::MAX >> 1, 1 << 63, 1 << 32, 1 << 31];
        if self.random.one_in(if scalar.range().is_some() { 2 } else { 3 }) {
            let bits = *self.random.pick(match scalar {
                Scalar::F32 => &SINGLES,
                Scalar::F64 => &DOUBLES,
                _ => &INTEGERS,
            });
            self.number(field, at, bits);
        }
    }

    fn number(&mut self, field: &Field, at: usize, number: u64) {
        let size = self.catalog.element_size(field.ty.element) as usize;
        let bytes = encoded(number, size, field.ty.endian, self.host);
        self.bytes[at..][..size].copy_from_slice(&bytes);
    }
}

/// A number in so many bytes.
pub(super) fn encoded(number: u64, size: usize, endian: Endian, host: Host) -> Vec<u8> {
    let mut bytes = number.to_le_bytes()[..size].to_vec();
    let big = match endian {
        Endian::Little => false,
        Endian::Big => true,
        Endian::Native => host == Host::Big,
    };
    if big {
        bytes.reverse();
    }
    bytes
}

/// A number of either sign as two's complement.
fn low_bits(number: i128) -> u64 {
    u64::try_from(number & i128::from(u64::MAX)).expect("masked to 64 bits")
}
