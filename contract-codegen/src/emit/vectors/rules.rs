//! Descriptors that break their rules, one for each, and some that keep them.

use std::collections::BTreeSet;

use super::samples::{Sample, range, sample, scalar_of, wire_bytes};
use crate::interpret::{self, Fault, Host};
use crate::model::{Catalog, ContractId, Element, Expr, Field, Role, Scalar};

/// Buffers that are tried to find one for each rule.
const TRIES: usize = 600;
/// What is found that way.
const FOUND: usize = 24;
/// Larger descriptors are not tried.
const LARGEST: usize = 4 << 10;

/// Buffers whose outcomes differ, at reading or at import; none of a descriptor without rules.
pub(super) fn outcomes(catalog: &Catalog, id: ContractId, host: Host) -> Vec<Vec<u8>> {
    let contracts = super::recipes::reachable(catalog, id);
    let has_rules =
        |id: &ContractId| !catalog.get(*id).rules().is_empty() || !catalog.get(*id).conditions().is_empty();
    let size = catalog.get(id).descriptor().size as usize;
    if size > LARGEST || !contracts.iter().any(has_rules) {
        return Vec::new();
    }
    let mut numbers = BTreeSet::from([0, 1, 2, 3, 4, 7, 16]);
    for &id in &contracts {
        let conditions = catalog.get(id).conditions().iter().map(|condition| &condition.rule);
        for rule in conditions.chain(catalog.get(id).rules()) {
            literals(&rule.expr, &mut numbers);
        }
    }
    let start = catalog.get(id).name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let samples = Sample::ALL.map(|kind| sample(catalog, id, host, kind));
    let mut maker = Maker {
        catalog,
        host,
        numbers: numbers.into_iter().collect(),
        samples: &samples,
        state: start,
        bytes: samples[0].clone(),
    };
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for _ in 0..TRIES {
        maker.descriptor(id, 0);
        if found.len() < FOUND && seen.insert(outcome(catalog, id, &maker.bytes, host)) {
            found.push(maker.bytes.clone());
        }
    }
    found
}

fn outcome(catalog: &Catalog, id: ContractId, bytes: &[u8], host: Host) -> String {
    let said = |fault: &Fault| {
        format!("{} {} {} {}", fault.code.name(), fault.contract, fault.field, fault.expected)
    };
    if let Err(fault) = interpret::read(catalog, id, bytes, host) {
        return said(&fault);
    }
    let import = interpret::import(catalog, id, bytes, host);
    format!("accepted {}", import.err().as_ref().map(said).unwrap_or_default())
}

/// The numbers of an expression, and those beside them.
fn literals(expr: &Expr, numbers: &mut BTreeSet<i128>) {
    match expr {
        Expr::Integer(number) => numbers.extend([number - 1, *number, number + 1]),
        Expr::Not(inner) | Expr::Negate(inner) | Expr::Int(inner) => literals(inner, numbers),
        Expr::Binary { left, right, .. } => {
            literals(left, numbers);
            literals(right, numbers);
        }
        Expr::Truth(_) | Expr::Operand(_) => {}
    }
}

struct Maker<'a> {
    catalog: &'a Catalog,
    host: Host,
    numbers: Vec<i128>,
    samples: &'a [Vec<u8>],
    state: u64,
    bytes: Vec<u8>,
}

impl Maker<'_> {
    fn choose(&mut self, count: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 33).expect("31 bits") % count
    }

    fn descriptor(&mut self, id: ContractId, base: usize) {
        let catalog = self.catalog;
        for field in &catalog.get(id).descriptor().fields {
            let at = base + field.offset as usize;
            let size = catalog.field_size(field) as usize;
            match (&field.role, field.ty.element) {
                (Role::Value, Element::Descriptor(nested)) => {
                    let stride = catalog.get(nested).descriptor().size as usize;
                    for at in (at..at + size).step_by(stride) {
                        self.descriptor(nested, at);
                    }
                }
                (Role::Value, _) if self.choose(3) > 0 => self.elements(field, at, size),
                _ => {
                    let sample = &self.samples[self.choose(self.samples.len())];
                    self.bytes[at..][..size].copy_from_slice(&sample[at..][..size]);
                }
            }
        }
    }

    /// Numbers that rules speak of; of enumerations and flags those that have a name.
    fn elements(&mut self, field: &Field, at: usize, size: usize) {
        let element = field.ty.element;
        let scalar = scalar_of(self.catalog, element);
        let stride = scalar.size() as usize;
        for at in (at..at + size).step_by(stride) {
            let number = match element {
                Element::Enumeration { contract, .. } => {
                    let values = &self.catalog.get(contract).enumeration().values;
                    values[self.choose(values.len())].value
                }
                Element::Flags { contract } => {
                    let flags = self.catalog.get(contract).flags();
                    let mut bits = 0;
                    for flag in &flags.values {
                        if self.choose(2) == 0 {
                            bits |= flag.value;
                        }
                    }
                    bits
                }
                Element::Scalar(Scalar::Bool) => i128::from(self.choose(2) == 0),
                _ => {
                    let (lowest, highest) = range(scalar);
                    let chosen = self.choose(self.numbers.len());
                    let number = self.numbers[chosen];
                    if (lowest..=highest).contains(&number) { number } else { highest }
                }
            };
            let bytes = wire_bytes(number, stride, self.host.is_little(field.ty.endian));
            self.bytes[at..][..stride].copy_from_slice(&bytes);
        }
    }
}
