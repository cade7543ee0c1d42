//! From records to a catalog: every nested contract found, every name unique, what is nested first.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::error::{Place, ResolveError};
use super::meaning::{self, Fault, Known};
use super::{Record, export, kinds, layout, pointee};
use crate::model::{
    AbiType, Body, Catalog, Content, Contract, ContractId, Element, JsonType, MessageContent, Selector,
    Spelled, TailItem,
};

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
    let targets = match pointee::targets(&records) {
        Ok(targets) if errors.is_empty() => targets,
        Ok(_) => return Err(errors),
        Err(more) => return Err(errors.into_iter().chain(more).collect()),
    };

    let order = order(&records, &by_source_id).map_err(|error| vec![*error])?;
    let mut new_ids = vec![ContractId(usize::MAX); records.len()];
    for (new, &index) in order.iter().enumerate() {
        new_ids[index] = ContractId(new);
    }
    let mut catalog = Catalog { contracts: Vec::with_capacity(records.len()) };
    let mut known = Known::default();
    for index in order {
        let record = records[index];
        let mut contract = record.contract.clone();
        let of_nested = |id: ContractId| new_ids[by_source_id[&record.nested[id.0].source_id]];
        let of_pointee = |id: ContractId| new_ids[targets[index][id.0]];
        match &mut contract.body {
            Body::Function(function) => export::link(function, &of_nested, &of_pointee),
            Body::Abi(body) => {
                body.fields.iter_mut().for_each(|field| link_abi(&mut field.ty, &of_nested, &of_pointee));
            }
            body => link(body, of_nested),
        }
        let checked = kinds::check(&catalog, &contract, &record.nested)
            .and_then(|()| bounded_names(&catalog, &contract))
            .and_then(|()| layout::check(&catalog, &contract))
            .and_then(|()| match &contract.body {
                Body::Function(function) => export::check(&catalog, function),
                _ => Ok(()),
            })
            .map_err(Fault::Wrong)
            .and_then(|()| meaning::complete(&catalog, &mut known, &mut contract, record));
        match checked {
            Ok(()) => catalog.contracts.push(contract),
            Err(fault) => return Err(vec![refused(&contract, fault)]),
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

/// Two declarations with one name in one family would be one name in every target. Rust has types and functions of one
/// name, and a library is called by its prefix.
fn conflicts(records: &[&Record]) -> Vec<ResolveError> {
    let mut by_name: HashMap<(&str, &str, &str, &str), &Contract> = HashMap::new();
    let mut errors = Vec::new();
    for record in records {
        let second = &record.contract;
        let namespace = match second.body {
            Body::Function(_) | Body::Symbols(_) => second.kind(),
            _ => "type",
        };
        let key = (&*second.package, second.family(), &*second.name, namespace);
        let first = *by_name.entry(key).or_insert(second);
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

fn refused(contract: &Contract, fault: Fault) -> ResolveError {
    let place = Place::of(contract);
    match fault {
        Fault::Wrong(reason) => ResolveError::Corrupted { place, reason },
        Fault::Rule { text, reason } => ResolveError::Rule { place, rule: text, reason },
    }
}

/// Puts ids of the catalog in place of positions among the record's nested contracts.
fn link(body: &mut Body, id_of: impl Fn(ContractId) -> ContractId) {
    match body {
        Body::Descriptor(descriptor) => {
            for field in &mut descriptor.fields {
                match &mut field.ty.element {
                    Element::Scalar(_) => {}
                    Element::Enumeration { contract, .. }
                    | Element::Flags { contract }
                    | Element::Descriptor(contract) => *contract = id_of(*contract),
                }
            }
        }
        Body::Recipe(recipe) => recipe.keys.iter_mut().for_each(|key| link_type(&mut key.ty, &id_of)),
        Body::Union(union) => {
            for variant in &mut union.variants {
                if let Content::Value { ty, .. } = &mut variant.content {
                    link_type(ty, &id_of);
                }
            }
        }
        Body::Message(message) => {
            message.parts.iter_mut().for_each(|part| part.contract = id_of(part.contract));
            if let Some(TailItem::Descriptor(id)) = message.tail.as_mut().map(|tail| &mut tail.item) {
                *id = id_of(*id);
            }
        }
        Body::Messages(messages) => {
            if let Selector::Body(id) = &mut messages.by {
                *id = id_of(*id);
            }
            for variant in &mut messages.variants {
                match &mut variant.holds {
                    MessageContent::Message(id) => *id = id_of(*id),
                    MessageContent::Value(ty) => link_type(ty, &id_of),
                    MessageContent::Nothing | MessageContent::Other => {}
                }
            }
        }
        Body::Enumeration(_)
        | Body::Flags(_)
        | Body::Abi(_)
        | Body::Handle(_)
        | Body::Function(_)
        | Body::Symbols(_) => {}
    }
}

pub(super) fn link_abi(
    ty: &mut AbiType,
    of_nested: &impl Fn(ContractId) -> ContractId,
    of_pointee: &impl Fn(ContractId) -> ContractId,
) {
    match ty {
        AbiType::Enumeration(id) | AbiType::Flags(id) | AbiType::Struct(id) => *id = of_nested(*id),
        AbiType::Array { item, .. } => link_abi(item, of_nested, of_pointee),
        AbiType::Pointer { to: Some(to), .. } => match &mut **to {
            AbiType::Struct(id) => *id = of_pointee(*id),
            other => link_abi(other, of_nested, of_pointee),
        },
        AbiType::Function(signature) => {
            let params = signature.params.iter_mut().map(|param| &mut param.ty);
            signature.result.iter_mut().chain(params).for_each(|ty| link_abi(ty, of_nested, of_pointee));
        }
        AbiType::Scalar(_) | AbiType::Pointer { to: None, .. } => {}
    }
}

fn link_type(ty: &mut JsonType, id_of: &impl Fn(ContractId) -> ContractId) {
    match ty {
        JsonType::Array { item, .. } => link_type(item, id_of),
        JsonType::Enumeration { contract, .. }
        | JsonType::Flags { contract }
        | JsonType::Descriptor { contract, .. }
        | JsonType::Recipe(contract)
        | JsonType::Union(contract) => *contract = id_of(*contract),
        _ => {}
    }
}

/// Whether each bound on the length of a name is of an enumeration that is spelled by name.
fn bounded_names(catalog: &Catalog, contract: &Contract) -> Result<(), String> {
    let wrong = |ty: &JsonType| {
        let id = bounded_name(ty)?;
        (catalog.get(id).enumeration().spelled == Spelled::Integer).then_some(id)
    };
    let found = match &contract.body {
        Body::Recipe(recipe) => recipe.keys.iter().find_map(|key| Some((&key.key, wrong(&key.ty)?))),
        Body::Union(union) => union.variants.iter().find_map(|variant| match &variant.content {
            Content::Value { ty, .. } => Some((&variant.name, wrong(ty)?)),
            Content::Nothing | Content::Other => None,
        }),
        Body::Descriptor(_)
        | Body::Enumeration(_)
        | Body::Flags(_)
        | Body::Message(_)
        | Body::Messages(_)
        | Body::Abi(_)
        | Body::Handle(_)
        | Body::Function(_)
        | Body::Symbols(_) => None,
    };
    match found {
        None => Ok(()),
        Some((name, id)) => {
            let enumeration = &catalog.get(id).name;
            Err(format!("`{name}` bounds the length of a name of {enumeration}, which is spelled by number"))
        }
    }
}

/// The enumeration whose other names are bounded.
fn bounded_name(ty: &JsonType) -> Option<ContractId> {
    match ty {
        JsonType::Array { item, .. } => bounded_name(item),
        JsonType::Enumeration { contract, max_len: Some(_), .. } => Some(*contract),
        _ => None,
    }
}
