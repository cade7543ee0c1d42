//! The variants of an untagged union, which is read as the first whose required keys are all there: none may be
//! written as a document that an earlier one takes. The derive refuses the same.

use std::collections::HashSet;

use super::meaning::Known;
use crate::model::{Body, Catalog, Content, ContractId, JsonType, Presence, Recipe, Tagging, Union};

/// Checks the variants of an untagged union against each other.
pub(super) fn check(catalog: &Catalog, known: &Known, union: &Union) -> Result<(), String> {
    let variants: Vec<(&str, ContractId)> = union
        .variants
        .iter()
        .filter_map(|variant| match &variant.content {
            Content::Value { ty: JsonType::Recipe(id), .. } => Some((variant.name.as_str(), *id)),
            _ => None,
        })
        .collect();
    for (index, &(later, id)) in variants.iter().enumerate() {
        for &(earlier, first) in &variants[..index] {
            let Body::Recipe(recipe) = &catalog.get(first).body else { continue };
            let required: Vec<&str> = required(recipe).collect();
            if may_have_all(catalog, known, id, &required) {
                let required = if required.is_empty() {
                    "no key".to_owned()
                } else {
                    required.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
                };
                return Err(format!(
                    "a document of its variant `{later}` may be read as `{earlier}`, which is tried first and requires \
                     {required}"
                ));
            }
        }
    }
    Ok(())
}

/// The keys that a recipe is known by: its own required ones.
fn required(recipe: &Recipe) -> impl Iterator<Item = &str> {
    let required = recipe.keys.iter().filter(|key| !key.flatten && key.presence == Presence::Required);
    required.map(|key| key.key.as_str())
}

/// Whether one object of the contract can have all of these keys by its declaration.
fn may_have_all(catalog: &Catalog, known: &Known, id: ContractId, wanted: &[&str]) -> bool {
    let keys = set(known, id);
    wanted.iter().all(|key| keys.contains(key)) && at_once(catalog, known, id, wanted)
}

/// Whether those of the keys that it has can stand in one object: of a union's variants, one does.
fn at_once(catalog: &Catalog, known: &Known, id: ContractId, wanted: &[&str]) -> bool {
    match &catalog.get(id).body {
        Body::Recipe(recipe) => recipe.keys.iter().filter(|key| key.flatten).all(|key| match key.ty {
            JsonType::Recipe(part) | JsonType::Union(part) => at_once(catalog, known, part, wanted),
            _ => true,
        }),
        Body::Union(union) if !matches!(union.tagging, Tagging::Adjacent { .. }) => {
            let variants: Vec<(ContractId, HashSet<&str>)> = union
                .variants
                .iter()
                .filter_map(|variant| match variant.content {
                    Content::Value { ty: JsonType::Recipe(id), .. } => Some((id, set(known, id))),
                    _ => None,
                })
                .collect();
            let asked: Vec<&&str> =
                wanted.iter().filter(|key| variants.iter().any(|(_, keys)| keys.contains(*key))).collect();
            variants.is_empty()
                || variants.iter().any(|(id, keys)| {
                    asked.iter().all(|key| keys.contains(**key)) && at_once(catalog, known, *id, wanted)
                })
        }
        _ => true,
    }
}

fn set(known: &Known, id: ContractId) -> HashSet<&str> {
    known.keys(id).iter().map(String::as_str).collect()
}
