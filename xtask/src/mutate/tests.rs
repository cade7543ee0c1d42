//! Operators change what they say and nothing else, and what they make is a declaration.

use std::collections::BTreeSet;

use wirecontract_codegen::fixtures;
use wirecontract_codegen::model::{Catalog, ContractId};

use super::operators::{self, Candidate};
use super::remake::{self, Making, Remade};

/// Fixtures with every kind of contract, with the ids that records give them.
fn catalogs() -> Vec<Catalog> {
    [fixtures::cuvis(), fixtures::recipes(), fixtures::forms(), fixtures::growing(), fixtures::messages()]
        .into_iter()
        .map(remade)
        .collect()
}

fn remade(catalog: Catalog) -> Catalog {
    remake::remake(catalog, &[], Making::default()).map(|Remade { catalog, .. }| catalog).expect("it is one")
}

fn all(catalog: &Catalog) -> Vec<ContractId> {
    catalog.iter().map(|(id, _)| id).collect()
}

fn changed(catalog: &Catalog, candidate: &Candidate) -> Option<Catalog> {
    let mut other = catalog.clone();
    candidate.apply(&mut other);
    remake::remake(other, &[], candidate.making).ok().map(|Remade { catalog, .. }| catalog)
}

fn ids(catalog: &Catalog) -> BTreeSet<(u64, u64)> {
    catalog.contracts.iter().map(|contract| (contract.wire_id, contract.source_id)).collect()
}

#[test]
fn every_mutation_gives_another_source_id() {
    let mut made = BTreeSet::new();
    for catalog in catalogs() {
        for candidate in operators::candidates(&catalog, &all(&catalog)) {
            let Some(other) = changed(&catalog, &candidate) else { continue };
            made.insert(candidate.operator);
            assert_ne!(ids(&other), ids(&catalog), "{} of {}", candidate.operator, candidate.place);
        }
    }
    assert!(made.len() > 60, "{made:?}");
}

#[test]
fn every_harmless_change_keeps_every_wire_id() {
    for catalog in catalogs() {
        let wire = |catalog: &Catalog| -> BTreeSet<u64> {
            catalog.contracts.iter().map(|contract| contract.wire_id).collect()
        };
        for candidate in operators::harmless(&catalog, &all(&catalog)) {
            let Some(other) = changed(&catalog, &candidate) else { continue };
            assert_eq!(wire(&other), wire(&catalog), "{} of {}", candidate.operator, candidate.place);
        }
    }
}

#[test]
fn a_mutation_leaves_every_contract_alone_that_does_not_hold_what_changed() {
    for catalog in catalogs() {
        for candidate in operators::candidates(&catalog, &all(&catalog)) {
            let mut other = catalog.clone();
            candidate.apply(&mut other);
            let is_other = |id: &ContractId| {
                let (before, after) = (catalog.get(*id), other.get(*id));
                (&before.name, before.version, &before.module, &before.body)
                    != (&after.name, after.version, &after.module, &after.body)
            };
            let touched: Vec<&str> =
                all(&catalog).iter().filter(|id| is_other(id)).map(|id| &*catalog.get(*id).name).collect();
            let own = candidate.place.split('.').next().unwrap_or_default();
            // What grows at the end of another has its defaults there too.
            let is_inner = candidate.operator == "field.default";
            // A default names a value by its place among the values, which may be another one now.
            let is_default = |name: &&str| {
                let contract = catalog.contracts.iter().find(|it| it.name == *name);
                contract.is_some_and(wirecontract_codegen::model::Contract::is_document)
                    && candidate.operator == "value.removed"
            };
            assert!(
                touched
                    .iter()
                    .all(|name| *name == own || own == "all contracts" || is_inner || is_default(name)),
                "{} of {} touched {touched:?}",
                candidate.operator,
                candidate.place
            );
        }
    }
}

#[test]
fn settling_what_is_settled_changes_nothing() {
    for catalog in catalogs() {
        let mut settled = catalog.clone();
        remake::settle(&mut settled).unwrap();
        remake::order::settle(&mut settled).unwrap();
        assert_eq!(settled, catalog);
    }
}

#[test]
fn a_descriptor_that_grows_is_changed_in_its_versions_and_defaults() {
    let catalog = remade(fixtures::growing());
    let made: BTreeSet<&str> = operators::candidates(&catalog, &all(&catalog))
        .iter()
        .filter(|candidate| changed(&catalog, candidate).is_some())
        .map(|candidate| candidate.operator)
        .collect();
    for operator in ["field.since", "field.default", "growth.version", "growth.none", "field.added"] {
        assert!(made.contains(operator), "{operator} is not in {made:?}");
    }
}

#[test]
fn a_message_is_changed_in_its_parts_its_tail_its_file_descriptors_and_its_tags() {
    let catalog = remade(fixtures::messages());
    let made: BTreeSet<&str> = operators::candidates(&catalog, &all(&catalog))
        .iter()
        .filter(|candidate| changed(&catalog, candidate).is_some())
        .map(|candidate| candidate.operator)
        .collect();
    let expected = [
        "part.name",
        "part.order",
        "part.type",
        "tail.name",
        "tail.item",
        "tail.rest",
        "tail.unit",
        "tail.count",
        "tail.added",
        "message.max_bytes",
        "fds.name",
        "fds.order",
        "fds.added",
        "fds.removed",
        "fds.form",
        "fds.least",
        "fds.most",
        "fds.count",
        "fds.present_if",
        "choice.tag",
        "choice.number",
        "choice.swapped",
        "choice.order",
        "choice.open",
        "choice.removed",
        "choice.name",
        "choice.type",
    ];
    for operator in expected {
        assert!(made.contains(operator), "{operator} is not in {made:?}");
    }
}
