//! Which header includes which.

use std::collections::BTreeSet;

use crate::emit::{EmitError, EmitInput, Family};
use crate::model::{Body, Content, ContractId, Element, JsonType};
use crate::names::c as names;

/// The other families whose contracts this one nests or points to, by path.
pub(crate) fn included_families<'a>(
    input: &'a EmitInput<'_>,
    family: &Family,
) -> impl Iterator<Item = &'a Family> + use<'a> {
    let own = names::header(family);
    let mut others: Vec<&Family> = family
        .contracts
        .iter()
        .flat_map(|&id| held(&input.catalog.get(id).body))
        .map(|id| input.family_of(id))
        .filter(|other| names::header(other) != own)
        .collect();
    others.sort_by_key(|other| names::header(other));
    others.dedup_by_key(|other| names::header(other));
    others.into_iter()
}

/// The contracts that one holds or points to.
fn held(body: &Body) -> Vec<ContractId> {
    match body {
        Body::Descriptor(descriptor) => {
            descriptor.fields.iter().filter_map(|field| element_contract(field.ty.element)).collect()
        }
        Body::Recipe(recipe) => recipe.keys.iter().filter_map(|key| key.ty.contract()).collect(),
        Body::Union(union) => {
            let types = union.variants.iter().filter_map(|variant| match &variant.content {
                Content::Value { ty, .. } => Some(ty),
                Content::Nothing | Content::Other => None,
            });
            types.filter_map(JsonType::contract).collect()
        }
        Body::Abi(body) => body.held().into_iter().chain(body.pointees()).collect(),
        Body::Function(body) => body.held().into_iter().chain(body.pointees()).collect(),
        Body::Message(body) => body.held().collect(),
        Body::Messages(body) => body.held().collect(),
        Body::Enumeration(_) | Body::Flags(_) | Body::Handle(_) | Body::Symbols(_) => Vec::new(),
    }
}

/// The contract that an element is of.
fn element_contract(element: Element) -> Option<ContractId> {
    match element {
        Element::Scalar(_) => None,
        Element::Enumeration { contract, .. }
        | Element::Flags { contract }
        | Element::Descriptor(contract) => Some(contract),
    }
}

/// Refuses families that nest each other's contracts: one of their headers would come before what it needs.
pub(super) fn check(input: &EmitInput<'_>) -> Vec<EmitError> {
    let mut errors = Vec::new();
    let mut seen = BTreeSet::new();
    for family in input.selected_families() {
        let path = names::header(family);
        if seen.contains(&path) {
            continue;
        }
        let reached = reachable(input, family);
        if let Some(other) = reached
            .iter()
            .find(|other| reachable(input, other).iter().any(|back| names::header(back) == path))
        {
            seen.extend(reached.iter().map(|other| names::header(other)));
            errors.push(EmitError::Cycle {
                target: names::TARGET,
                first: path,
                second: names::header(other),
            });
        }
    }
    errors
}

/// Every family that a family's header includes, directly or not.
fn reachable<'a>(input: &'a EmitInput<'_>, family: &Family) -> Vec<&'a Family> {
    let mut reached: Vec<&Family> = Vec::new();
    let mut next: Vec<&Family> = included_families(input, family).collect();
    while let Some(family) = next.pop() {
        if !reached.iter().any(|known| names::header(known) == names::header(family)) {
            reached.push(family);
            next.extend(included_families(input, family));
        }
    }
    reached
}
