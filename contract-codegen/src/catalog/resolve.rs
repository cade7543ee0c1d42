//! From records to a catalog: every nested contract found, every name unique, what is nested first.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::error::{Place, ResolveError};
use super::layout;
use super::{Nested, Record};
use crate::model::{Body, Catalog, Contract, ContractId, Element};

/// The catalog of these records. The same declaration seen several times (in several libraries, or in two versions
/// of a package that do not differ in it) counts once.
///
/// # Errors
/// All that is wrong: two declarations of one name, nested contracts that are not there, records that cannot be.
pub fn resolve<'record>(
    records: impl IntoIterator<Item = &'record Record>,
) -> Result<Catalog, Vec<ResolveError>> {
    let records = distinct(records);
    let mut errors = conflicts(&records);
    let by_source_id: HashMap<u64, usize> =
        records.iter().enumerate().map(|(index, record)| (record.contract.source_id, index)).collect();
    errors.extend(missing(&records, &by_source_id));
    if !errors.is_empty() {
        return Err(errors);
    }

    let order = order(&records, &by_source_id).map_err(|error| vec![*error])?;
    let mut new_ids = vec![ContractId(usize::MAX); records.len()];
    let mut catalog = Catalog { contracts: Vec::with_capacity(records.len()) };
    for index in order {
        let record = records[index];
        let mut contract = record.contract.clone();
        link(&mut contract, |nested| new_ids[by_source_id[&record.nested[nested.0].source_id]]);
        let checked = nested_kinds(&catalog, &contract, &record.nested)
            .and_then(|()| layout::check(&catalog, &contract));
        match checked {
            Ok(()) => {
                new_ids[index] = ContractId(catalog.contracts.len());
                catalog.contracts.push(contract);
            }
            Err(reason) => return Err(vec![ResolveError::Corrupted { place: Place::of(&contract), reason }]),
        }
    }
    Ok(catalog)
}

/// One record a declaration, sorted as the catalog is where nesting says nothing else.
fn distinct<'record>(records: impl IntoIterator<Item = &'record Record>) -> Vec<&'record Record> {
    let mut records: Vec<&Record> = records.into_iter().collect();
    let place = |record: &Record| {
        let Contract { package, module, line, name, package_version, file, source_id, .. } = &record.contract;
        let family = record.contract.family().to_owned();
        (
            package.clone(),
            family,
            module.clone(),
            *line,
            name.clone(),
            *source_id,
            package_version.clone(),
            file.clone(),
        )
    };
    records.sort_by_cached_key(|record| place(record));
    let mut seen = HashSet::new();
    records.retain(|record| seen.insert(record.contract.source_id));
    records
}

/// Two declarations with one name in one family would be one name in every target.
fn conflicts(records: &[&Record]) -> Vec<ResolveError> {
    let mut by_name: HashMap<(&str, &str, &str), &Contract> = HashMap::new();
    let mut errors = Vec::new();
    for record in records {
        let second = &record.contract;
        let first = *by_name.entry((&second.package, second.family(), &second.name)).or_insert(second);
        if first.source_id == second.source_id {
            continue;
        }
        let difference = if first.wire_id == second.wire_id {
            "the same bytes and another text"
        } else {
            "different bytes or meaning (two wire ids)"
        };
        errors.push(ResolveError::Conflict {
            name: second.name.clone(),
            package: second.package.clone(),
            difference,
            first: Place::of(first),
            second: Place::of(second),
        });
    }
    errors
}

fn missing(records: &[&Record], by_source_id: &HashMap<u64, usize>) -> Vec<ResolveError> {
    let mut by_wire_id: Option<HashMap<u64, &Contract>> = None;
    let mut errors = Vec::new();
    for record in records {
        for nested in &record.nested {
            if by_source_id.contains_key(&nested.source_id) {
                continue;
            }
            let by_wire_id = by_wire_id.get_or_insert_with(|| {
                records.iter().map(|record| (record.contract.wire_id, &record.contract)).collect()
            });
            let hint = match by_wire_id.get(&nested.wire_id) {
                Some(other) => format!(
                    "{} has the same wire id and another source id, so that the libraries are of different builds: \
                     build them together",
                    Place::of(other)
                ),
                None => format!(
                    "read the library of the package that declares it as well, a dependency of {} (`--library`)",
                    record.contract.package
                ),
            };
            errors.push(ResolveError::MissingNested {
                holder: Place::of(&record.contract),
                field: nested.field.clone(),
                wire_id: nested.wire_id,
                source_id: nested.source_id,
                hint,
            });
        }
    }
    errors
}

/// The first in sorted order whose nested contracts are all before it, again and again.
fn order(records: &[&Record], by_source_id: &HashMap<u64, usize>) -> Result<Vec<usize>, Box<ResolveError>> {
    let mut waiting_for: Vec<usize> = records.iter().map(|record| record.nested.len()).collect();
    let mut holders: Vec<Vec<usize>> = vec![Vec::new(); records.len()];
    for (index, record) in records.iter().enumerate() {
        for nested in &record.nested {
            holders[by_source_id[&nested.source_id]].push(index);
        }
    }
    let ready = (0..records.len()).filter(|&index| waiting_for[index] == 0).map(Reverse);
    let mut ready: BinaryHeap<_> = ready.collect();
    let mut order = Vec::with_capacity(records.len());
    while let Some(Reverse(index)) = ready.pop() {
        order.push(index);
        for &holder in &holders[index] {
            waiting_for[holder] -= 1;
            if waiting_for[holder] == 0 {
                ready.push(Reverse(holder));
            }
        }
    }
    match (0..records.len()).find(|&index| waiting_for[index] > 0) {
        None => Ok(order),
        // Ids are hashes of what is nested, so that only a forged record can do this.
        Some(index) => Err(Box::new(ResolveError::Corrupted {
            place: Place::of(&records[index].contract),
            reason: "it holds itself".to_owned(),
        })),
    }
}

/// Puts ids of the catalog in place of positions among the record's nested contracts.
fn link(contract: &mut Contract, id_of: impl Fn(ContractId) -> ContractId) {
    let Body::Descriptor(descriptor) = &mut contract.body else { return };
    for field in &mut descriptor.fields {
        match &mut field.ty.element {
            Element::Scalar(_) => {}
            Element::Enumeration { contract, .. }
            | Element::Flags { contract }
            | Element::Descriptor(contract) => {
                *contract = id_of(*contract);
            }
        }
    }
}

fn nested_kinds(catalog: &Catalog, contract: &Contract, nested: &[Nested]) -> Result<(), String> {
    let Body::Descriptor(descriptor) = &contract.body else { return Ok(()) };
    let mut nested = nested.iter();
    for field in &descriptor.fields {
        let (id, kind) = match field.ty.element {
            Element::Scalar(_) => continue,
            Element::Enumeration { contract, .. } => (contract, "enumeration"),
            Element::Flags { contract } => (contract, "flags"),
            Element::Descriptor(contract) => (contract, "descriptor"),
        };
        let found = catalog.get(id);
        if found.kind() != kind {
            let (name, found) = (&found.name, found.kind());
            return Err(format!("the field `{}` holds {name} as {kind}, which is {found}", field.name));
        }
        let stated = nested.next().map(|nested| nested.wire_id);
        if stated != Some(found.wire_id) {
            return Err(format!("the field `{}` holds {} with another wire id", field.name, found.name));
        }
    }
    Ok(())
}
