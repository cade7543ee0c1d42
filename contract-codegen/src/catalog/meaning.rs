//! What a recipe, a union or a rule says of the contracts it holds: checked, and made of names, once these are known.

use std::collections::HashSet;

use super::rule::{self, RuleError};
use super::{Record, held, literal, message, tried};
use crate::model::{Body, Catalog, Content, Contract, ContractId, JsonType, Presence, Rule, Tagging, Union};

/// Why a contract cannot be, given those that it holds.
pub(super) enum Fault {
    /// It contradicts itself, or them.
    Wrong(String),
    /// A rule has no meaning.
    Rule { text: String, reason: RuleError },
}

/// What is known of contracts in the catalog, in its order.
#[derive(Default)]
pub(super) struct Known {
    objects: Vec<KnownObject>,
}

/// What is known of a contract.
#[derive(Default)]
struct KnownObject {
    /// How many contracts are in each other here, itself included.
    depth: usize,
    /// Every key that may stand in its object, those of flattened parts included.
    keys: Vec<String>,
    /// How many parts stand in its object, itself included.
    parts: usize,
    /// Whether its object may have keys that are nobody's, which an open variant keeps.
    keeps_others: bool,
}

/// Contracts in contracts: whatever walks through them goes as deep, and a forged library may hold any number.
const MAX_DEPTH: usize = 128;
/// Flattened parts of one object, and keys that these bring: all that is generated from it grows with them.
const MAX_PARTS: usize = 1024;
const MAX_FLATTENED_KEYS: usize = 4096;

/// Checks a contract that is to be next in the catalog, whose nested contracts are linked: its keys, its defaults, its
/// rules. Names in defaults become positions and bits, texts of rules expressions.
pub(super) fn complete(
    catalog: &Catalog,
    known: &mut Known,
    contract: &mut Contract,
    record: &Record,
) -> Result<(), Fault> {
    let object = known.object(contract).map_err(Fault::Wrong)?;
    if let Body::Union(union @ Union { tagging: Tagging::Untagged, .. }) = &contract.body {
        tried::check(catalog, known, union).map_err(Fault::Wrong)?;
    }
    defaults(catalog, contract, &record.names).map_err(Fault::Wrong)?;
    message::complete(catalog, contract)?;
    compile(catalog, contract)?;
    known.objects.push(object);
    Ok(())
}

impl Known {
    /// Every key that may stand in the contract's object.
    pub(super) fn keys(&self, id: ContractId) -> &[String] {
        &self.objects[id.0].keys
    }

    fn object(&self, contract: &Contract) -> Result<KnownObject, String> {
        let depth = 1 + held(contract).iter().map(|id| self.objects[id.0].depth).max().unwrap_or(0);
        if depth > MAX_DEPTH && !matches!(contract.body, Body::Descriptor(_)) {
            return Err(format!("it holds contracts in each other more than {MAX_DEPTH} deep"));
        }
        let mut object = KnownObject { depth, keys: Vec::new(), parts: 1, keeps_others: false };
        match &contract.body {
            Body::Recipe(recipe) => {
                for key in &recipe.keys {
                    match &key.ty {
                        JsonType::Recipe(id) | JsonType::Union(id) if key.flatten => {
                            if object.keeps_others && self.objects[id.0].keeps_others {
                                return Err(format!(
                                    "`{}` is its second part that keeps keys which are nobody's",
                                    key.name
                                ));
                            }
                            self.flatten(&mut object, *id)?;
                        }
                        _ => object.keys.push(key.key.clone()),
                    }
                }
                distinct(&object.keys)?;
            }
            Body::Union(union) => self.union(&mut object, union)?,
            _ => {}
        }
        Ok(object)
    }

    /// Variants may have keys that others have too.
    fn union(&self, object: &mut KnownObject, union: &Union) -> Result<(), String> {
        let tag = match &union.tagging {
            Tagging::Internal { tag, .. } => Some(tag),
            Tagging::Adjacent { tag, content, .. } => {
                object.keys.extend([tag.clone(), content.clone()]);
                return Ok(());
            }
            Tagging::Untagged => None,
        };
        let mut part = KnownObject { depth: object.depth, keys: Vec::new(), parts: 1, keeps_others: false };
        for variant in &union.variants {
            if let Content::Value { ty: JsonType::Recipe(id), .. } = variant.content {
                self.flatten(&mut part, id)?;
                if let Some(tag) = tag.filter(|tag| self.objects[id.0].keys.contains(tag)) {
                    return Err(format!(
                        "the variant `{}` has the key `{tag}`, which is the tag",
                        variant.name
                    ));
                }
            }
        }
        let mut seen = HashSet::new();
        part.keys.retain(|key| seen.insert(key.clone()));
        let is_open = union.variants.iter().any(|variant| variant.content == Content::Other);
        object.keeps_others = part.keeps_others || is_open;
        object.parts = part.parts;
        object.keys.extend(tag.cloned());
        object.keys.append(&mut part.keys);
        Ok(())
    }

    fn flatten(&self, object: &mut KnownObject, id: ContractId) -> Result<(), String> {
        let part = &self.objects[id.0];
        object.parts += part.parts;
        object.keeps_others |= part.keeps_others;
        object.keys.extend_from_slice(&part.keys);
        if object.parts > MAX_PARTS || (object.keys.len() > MAX_FLATTENED_KEYS) {
            return Err(format!(
                "more than {MAX_PARTS} parts or {MAX_FLATTENED_KEYS} keys stand in its object"
            ));
        }
        Ok(())
    }
}

fn distinct(keys: &[String]) -> Result<(), String> {
    let mut seen = HashSet::new();
    match keys.iter().find(|key| !seen.insert(*key)) {
        None => Ok(()),
        Some(key) => Err(format!("the key `{key}` stands in its object twice")),
    }
}

fn defaults(catalog: &Catalog, contract: &mut Contract, names: &[Vec<String>]) -> Result<(), String> {
    let refuse = |what: &str| format!("the default of `{what}` is no value of its type");
    match &mut contract.body {
        Body::Recipe(recipe) => {
            for key in &mut recipe.keys {
                if let Presence::Optional { default: Some(default), .. }
                | Presence::Defaulted { default, .. } = &mut key.presence
                {
                    *default = literal::resolve(catalog, &key.ty, default, names)
                        .ok_or_else(|| refuse(&key.name))?;
                }
            }
        }
        Body::Union(union) => {
            for variant in &mut union.variants {
                if let Content::Value { ty, default: Some(default) } = &mut variant.content {
                    *default =
                        literal::resolve(catalog, ty, default, names).ok_or_else(|| refuse(&variant.name))?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

fn compile(catalog: &Catalog, contract: &mut Contract) -> Result<(), Fault> {
    let of = |rule: &Rule| {
        rule::compile(catalog, contract, rule)
            .map_err(|reason| Fault::Rule { text: rule.text.clone(), reason })
    };
    let conditions = contract.conditions().iter().map(|condition| of(&condition.rule));
    let conditions = conditions.collect::<Result<Vec<_>, _>>()?;
    let rules = contract.rules().iter().map(of).collect::<Result<Vec<_>, _>>()?;
    let (into_conditions, into_rules) = match &mut contract.body {
        Body::Descriptor(descriptor) => (&mut descriptor.conditions[..], &mut descriptor.rules),
        Body::Recipe(recipe) => (&mut recipe.conditions[..], &mut recipe.rules),
        Body::Union(union) => (&mut [][..], &mut union.rules),
        Body::Message(message) => (&mut [][..], &mut message.rules),
        Body::Enumeration(_)
        | Body::Flags(_)
        | Body::Messages(_)
        | Body::Abi(_)
        | Body::Handle(_)
        | Body::Function(_)
        | Body::Symbols(_) => return Ok(()),
    };
    for (condition, expr) in into_conditions.iter_mut().zip(conditions) {
        condition.rule.expr = expr;
    }
    for (rule, expr) in into_rules.iter_mut().zip(rules) {
        rule.expr = expr;
    }
    Ok(())
}
