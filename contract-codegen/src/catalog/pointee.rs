//! Which struct a pointer is to.
//!
//! A pointer says the hash of its target's path, and not its ids: two structs may point to each other, and the ids of
//! each would then cover the other's. What is found is held against the hash of the name, which the wire id covers.

use std::collections::HashMap;

use super::Record;
use super::error::{Place, ResolveError};
use super::hash::Fnv;
use crate::model::{Body, Contract};

/// For each record the positions of the records that its pointers are to, in the order of [`Record::pointees`].
pub(super) fn targets(records: &[&Record]) -> Result<Vec<Vec<usize>>, Vec<ResolveError>> {
    let mut by_key: HashMap<u64, Vec<usize>> = HashMap::new();
    let types = |record: &Record| !matches!(record.contract.body, Body::Function(_) | Body::Symbols(_));
    for (index, record) in records.iter().enumerate().filter(|(_, record)| types(record)) {
        by_key.entry(record.key).or_default().push(index);
    }
    let mut errors = Vec::new();
    let mut all = Vec::with_capacity(records.len());
    for record in records {
        let mut targets = Vec::with_capacity(record.pointees.len());
        for pointee in &record.pointees {
            let found = by_key.get(&pointee.key).map_or(&[][..], Vec::as_slice);
            // Two packages may have one name for their library.
            let own = |&&index: &&usize| records[index].contract.package == record.contract.package;
            let Some(&target) = found.iter().find(own).or_else(|| found.first()) else {
                errors.push(missing(records, record, pointee));
                continue;
            };
            match fault(&records[target].contract, pointee.name) {
                None => targets.push(target),
                Some(reason) => errors.push(ResolveError::Corrupted {
                    place: Place::of(&record.contract),
                    reason: format!("the field `{}` points to {reason}", pointee.field),
                }),
            }
        }
        all.push(targets);
    }
    if errors.is_empty() { Ok(all) } else { Err(errors) }
}

/// Why a contract is not what a pointer says.
fn fault(contract: &Contract, name: u64) -> Option<String> {
    if !matches!(contract.body, Body::Abi(_)) {
        return Some(format!("{} as a C struct, which is {}", contract.name, contract.kind()));
    }
    (wire_name(contract) != name).then(|| format!("{} under another name", contract.name))
}

/// The hash of the name on the wire.
pub(super) fn wire_name(contract: &Contract) -> u64 {
    Fnv::new().bytes(contract.was.as_ref().unwrap_or(&contract.name).as_bytes()).finish()
}

fn missing(records: &[&Record], holder: &Record, pointee: &super::Pointee) -> ResolveError {
    let is_twin = |record: &&&Record| {
        matches!(record.contract.body, Body::Abi(_)) && wire_name(&record.contract) == pointee.name
    };
    let hint = match records.iter().find(is_twin) {
        Some(other) => format!(
            "{} has the same name and another path, so that the libraries are of different builds: build them \
             together",
            Place::of(&other.contract)
        ),
        None => format!(
            "read the library of the package that declares it as well, a dependency of {} (`--library`)",
            holder.contract.package
        ),
    };
    ResolveError::MissingPointee {
        holder: Place::of(&holder.contract),
        field: pointee.field.clone(),
        name: pointee.name,
        key: pointee.key,
        hint,
    }
}
