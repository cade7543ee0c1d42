//! Recipes, unions and rules as a record has them.

use std::collections::BTreeMap;

use super::super::hash::halves;
use super::super::json::Json;
use super::super::rule::with_first_names;
use super::super::words::TypeWords;
use super::{Word, docs, present};
use crate::model::{
    Body, Catalog, Condition, ConditionKind, Content, Contract, ContractId, JsonType, Key, Length, Literal,
    Moment, Presence, Recipe, Rule, Scalar, Spelling, Tagging, Union, Variant, WhenAbsent,
};

type Members = Vec<(String, Json)>;

fn flag(is_set: bool) -> Option<Json> {
    is_set.then_some(Json::Bool(true))
}

fn count(bound: Option<u32>) -> Option<Json> {
    bound.map(|bound| Json::Integer(bound.into()))
}

fn list(items: Vec<Json>) -> Option<Json> {
    (!items.is_empty()).then_some(Json::Array(items))
}

/// A contract's own fields: name, and the one it was first accepted under.
pub(super) fn first_names(body: &Body) -> Vec<(&str, &str)> {
    match body {
        Body::Descriptor(descriptor) => descriptor
            .fields
            .iter()
            .map(|it| (it.name.as_str(), it.was.as_ref().unwrap_or(&it.name).as_str()))
            .collect(),
        Body::Recipe(recipe) => recipe.keys.iter().map(|it| (it.name.as_str(), it.key.as_str())).collect(),
        Body::Message(message) => message.names(),
        _ => Vec::new(),
    }
}

/// What the wire id covers of a rule's text.
fn covered(rule: &Rule, names: &[(&str, &str)]) -> String {
    with_first_names(&rule.text, names).unwrap_or_else(|_| rule.text.clone())
}

/// The declared texts of a contract's rules, where one differs from what the wire id covers.
pub(super) fn declared_rules(contract: &Contract) -> Option<Json> {
    let (names, rules) = (first_names(&contract.body), contract.rules());
    let differ = rules.iter().any(|rule| covered(rule, &names) != rule.text);
    differ.then(|| Json::Array(rules.iter().map(|rule| Json::text(&rule.text)).collect()))
}

/// The declared text of the condition of that kind on that field, where it differs from what the wire id covers.
pub(super) fn declared(contract: &Contract, field: usize, kind: ConditionKind) -> Option<Json> {
    let condition = contract.conditions().iter().find(|it| it.field == field && it.kind == kind)?;
    let text = &condition.rule.text;
    (covered(&condition.rule, &first_names(&contract.body)) != *text).then(|| Json::text(text))
}

pub(super) fn rules(rules: &[Rule], names: &[(&str, &str)]) -> Option<Json> {
    list(rules.iter().map(|it| rule(it, names)).collect())
}

fn rule(rule: &Rule, names: &[(&str, &str)]) -> Json {
    Json::Object(present([
        ("name", rule.name.as_ref().map(Json::text)),
        ("expr", Some(Json::Text(covered(rule, names)))),
        ("at", (rule.at == Moment::Import).then(|| Json::text("import"))),
    ]))
}

/// The condition of that kind on that field.
pub(super) fn condition(
    conditions: &[Condition],
    field: usize,
    kind: ConditionKind,
    names: &[(&str, &str)],
) -> Option<Json> {
    conditions.iter().find(|it| it.field == field && it.kind == kind).map(|it| rule(&it.rule, names))
}

pub(super) fn recipe(catalog: &Catalog, recipe: &Recipe, names: &[(&str, &str)]) -> Members {
    let condition = |index, kind| condition(&recipe.conditions, index, kind, names);
    let keys = recipe.keys.iter().enumerate().map(|(index, key)| {
        let conditions =
            [ConditionKind::RequiredIf, ConditionKind::UsedIf].map(|kind| condition(index, kind));
        wire_key(catalog, key, conditions)
    });
    present([
        ("deny_unknown", flag(recipe.deny_unknown)),
        ("max_bytes", Some(Json::Integer(recipe.max_bytes.into()))),
        ("max_depth", Some(Json::Integer(recipe.max_depth.into()))),
        ("fields", Some(Json::Array(keys.collect()))),
        ("rules", rules(&recipe.rules, names)),
    ])
}

fn wire_key(catalog: &Catalog, key: &Key, [required_if, one_of]: [Option<Json>; 2]) -> Json {
    let (skip, nullable, null_when_absent) = match key.presence {
        Presence::Required => (false, false, false),
        Presence::Optional { nullable, null_when_absent, .. } => (false, nullable, null_when_absent),
        Presence::Defaulted { skip, nullable, .. } => (skip, nullable, false),
    };
    let Bounds { min, max, max_len, max_items } = bounds(&key.ty);
    Json::Object(present([
        ("name", Some(Json::text(&key.key))),
        ("default", key.presence.default().map(|default| literal(catalog, &key.ty, default))),
        ("skip_default", flag(skip)),
        ("nullable", flag(nullable)),
        ("null_when_absent", flag(null_when_absent)),
        ("required_if", required_if),
        ("one_of", one_of),
        ("min", min),
        ("max", max),
        ("max_len", count(max_len)),
        ("max_items", count(max_items)),
        ("flatten", flag(key.flatten)),
        ("lenient", flag(key.lenient)),
        ("not_imported", flag(key.not_imported)),
    ]))
}

#[derive(Default)]
struct Bounds {
    min: Option<Json>,
    max: Option<Json>,
    max_len: Option<u32>,
    max_items: Option<u32>,
}

/// The bounds that a declaration of the type states: of an array, its own number of items and the bounds of what it
/// ends in.
fn bounds(ty: &JsonType) -> Bounds {
    let none = Bounds::default();
    match ty {
        JsonType::Integer { scalar, min, max, .. } => {
            let (least, most) = scalar.range().unwrap_or_default();
            let stated = |bound: i128, default: i128| (bound != default).then_some(Json::Integer(bound));
            Bounds { min: stated(*min, least), max: stated(*max, most), ..none }
        }
        JsonType::Float { min, max, .. } => {
            Bounds { min: min.map(Json::Float), max: max.map(Json::Float), ..none }
        }
        JsonType::Bytes { length: Length::AtMost(max_len), .. }
        | JsonType::Text { max_len }
        | JsonType::Json { max_len }
        | JsonType::Enumeration { max_len, .. } => Bounds { max_len: *max_len, ..none },
        JsonType::Map { max_items, max_len } => Bounds { max_items: *max_items, max_len: *max_len, ..none },
        JsonType::Array { item, length } => {
            let max_items = match length {
                Length::AtMost(max_items) => *max_items,
                Length::Exactly(_) => None,
            };
            Bounds { max_items, ..bounds(item) }
        }
        _ => none,
    }
}

fn literal(catalog: &Catalog, ty: &JsonType, default: &Literal) -> Json {
    let object = |key: &str, value: Json| Json::Object(vec![(key.to_owned(), value)]);
    match (default, ty) {
        (Literal::Integer(number), _) => Json::Integer(*number),
        (Literal::Float(number), _) => Json::Float(*number),
        (Literal::Bool(truth), _) => Json::Bool(*truth),
        (Literal::Text(text), _) => object("text", Json::text(text)),
        (Literal::Value(position), JsonType::Enumeration { contract, .. }) => {
            let value = &catalog.get(*contract).enumeration().values[*position];
            object("value", Json::text(&value.name))
        }
        (Literal::Flags(bits), JsonType::Flags { contract }) => {
            let flags = catalog.get(*contract).flags();
            if *bits == 0 || bits & !flags.known_bits() != 0 {
                return Json::Integer((*bits).into());
            }
            let is_set = |value: i128| u64::try_from(value).is_ok_and(|flag| flag & !bits == 0);
            let names = flags.values.iter().filter(|flag| is_set(flag.value));
            object("flags", Json::Array(names.map(|flag| Json::text(&flag.name)).collect()))
        }
        (Literal::List(items), JsonType::Array { item, .. }) => {
            Json::Array(items.iter().map(|each| literal(catalog, item, each)).collect())
        }
        (Literal::List(_), JsonType::Bytes { .. }) => {
            let bytes = default.bytes().unwrap_or_else(|| panic!("{default:?} is no bytes"));
            Json::Array(bytes.into_iter().map(|byte| Json::Integer(byte.into())).collect())
        }
        _ => panic!("{default:?} is no default of {ty:?}"),
    }
}

pub(super) fn union(catalog: &Catalog, union: &Union) -> Members {
    let (tag, content, last) = match &union.tagging {
        Tagging::Internal { tag, last } => (Some(tag), None, *last),
        Tagging::Adjacent { tag, content, last } => (Some(tag), Some(content), *last),
        Tagging::Untagged => (None, None, false),
    };
    let variants = union.variants.iter().map(|variant| wire_variant(catalog, variant));
    present([
        ("tag", tag.map(Json::text)),
        ("content", content.map(Json::text)),
        ("untagged", flag(tag.is_none())),
        ("tag_last", flag(last)),
        ("lenient", flag(union.lenient)),
        ("max_bytes", Some(Json::Integer(union.max_bytes.into()))),
        ("max_depth", Some(Json::Integer(union.max_depth.into()))),
        ("variants", Some(Json::Array(variants.collect()))),
        ("rules", rules(&union.rules, &[])),
    ])
}

fn wire_variant(catalog: &Catalog, variant: &Variant) -> Json {
    let absent = match variant.when_absent {
        WhenAbsent::No => None,
        WhenAbsent::Default => Some("default"),
        WhenAbsent::NoTag => Some("no_tag"),
    };
    let default = match &variant.content {
        Content::Value { ty, default: Some(default) } => Some(literal(catalog, ty, default)),
        _ => None,
    };
    let Bounds { min, max, max_len, max_items } = match &variant.content {
        Content::Value { ty, .. } => bounds(ty),
        Content::Nothing | Content::Other => Bounds::default(),
    };
    Json::Object(present([
        ("name", Some(Json::text(&variant.tag))),
        ("alias", list(variant.aliases.iter().map(Json::text).collect())),
        ("absent", absent.map(Json::text)),
        ("default", default),
        ("min", min),
        ("max", max),
        ("max_len", count(max_len)),
        ("max_items", count(max_items)),
        ("other", flag(variant.content == Content::Other)),
    ]))
}

/// What the source id covers of a recipe's keys or a union's variants.
pub(super) fn source_members(contract: &Contract) -> Vec<Json> {
    let member =
        |name: Option<&String>, text: &str, rest: (&Option<String>, Option<u32>, &Option<String>)| {
            let (c_name, since, deprecated) = rest;
            present([
                ("name", name.map(Json::text)),
                ("docs", docs(text)),
                ("c_name", c_name.as_ref().map(Json::text)),
                ("since", since.map(|since| Json::Integer(since.into()))),
                ("deprecated", deprecated.as_ref().map(Json::text)),
            ])
        };
    match &contract.body {
        Body::Recipe(recipe) => {
            let key = |(index, key): (usize, &Key)| {
                let name = (key.name != key.key).then_some(&key.name);
                let mut members = member(name, &key.docs, (&key.c_name, key.since, &key.deprecated));
                members.extend(present([
                    ("required_if", declared(contract, index, ConditionKind::RequiredIf)),
                    ("one_of", declared(contract, index, ConditionKind::UsedIf)),
                ]));
                Json::Object(members)
            };
            recipe.keys.iter().enumerate().map(key).collect()
        }
        Body::Union(union) => {
            let variant = |it: &Variant| {
                let name = (it.name != it.tag).then_some(&it.name);
                Json::Object(member(name, &it.docs, (&it.c_name, it.since, &it.deprecated)))
            };
            union.variants.iter().map(variant).collect()
        }
        _ => Vec::new(),
    }
}

/// The words of a recipe's keys or a union's variants.
pub(super) fn words(body: &Body, ids: &BTreeMap<ContractId, (u64, u64)>) -> Vec<Word> {
    let mut words = Vec::new();
    match body {
        Body::Recipe(recipe) => {
            for key in &recipe.keys {
                if matches!(key.presence, Presence::Optional { .. }) {
                    words.push((TypeWords::OPTION, false));
                }
                type_words(&mut words, &key.ty, ids);
            }
        }
        Body::Union(union) => {
            for variant in &union.variants {
                match &variant.content {
                    Content::Nothing => words.push((TypeWords::NOTHING, false)),
                    Content::Value { ty, .. } => type_words(&mut words, ty, ids),
                    Content::Other => words.push((TypeWords::OTHER, false)),
                }
            }
        }
        _ => {}
    }
    words
}

pub(super) fn type_words(words: &mut Vec<Word>, ty: &JsonType, ids: &BTreeMap<ContractId, (u64, u64)>) {
    let scalar_code = |scalar: Scalar| 1 + scalar as u32;
    let spelled = |spelling: Spelling| match spelling {
        Spelling::Hex => 2 << 8,
        Spelling::Base64 => 3 << 8,
        Spelling::Uuid => 4 << 8,
    };
    let (word, length) = match ty {
        JsonType::Integer { scalar, decimal, .. } => (scalar_code(*scalar) | u32::from(*decimal) << 8, None),
        JsonType::Bool => (1, None),
        JsonType::Float { scalar, .. } => (scalar_code(*scalar), None),
        JsonType::Text { .. } => (TypeWords::TEXT, None),
        JsonType::Bytes { length: Length::Exactly(length), spelling } => {
            (TypeWords::BYTE_ARRAY | spelled(*spelling), Some(*length))
        }
        JsonType::Bytes { spelling, .. } => (TypeWords::BYTES | spelled(*spelling), None),
        JsonType::Array { length: Length::Exactly(length), .. } => (TypeWords::ARRAY, Some(*length)),
        JsonType::Array { .. } => (TypeWords::LIST, None),
        JsonType::Map { .. } => (35, None),
        JsonType::Json { .. } => (36, None),
        JsonType::Enumeration { open, .. } => (20 + (u32::from(*open) << 12), None),
        JsonType::Flags { .. } => (21, None),
        JsonType::Descriptor { spelling, .. } => (TypeWords::DESCRIPTOR + spelled(*spelling), None),
        JsonType::Recipe(_) => (TypeWords::RECIPE, None),
        JsonType::Union(_) => (TypeWords::UNION, None),
    };
    if let JsonType::Array { item, .. } = ty {
        words.push((word, false));
        words.extend(length.map(|length| (length, false)));
        type_words(words, item, ids);
        return;
    }
    let held = ty.contract();
    words.push((word | u32::from(held.is_some()) << 13, false));
    words.extend(length.map(|length| (length, false)));
    if let Some((wire_id, source_id)) = held.and_then(|id| ids.get(&id)) {
        words.extend(halves(*wire_id).map(|word| (word, false)));
        words.extend(halves(*source_id).map(|word| (word, true)));
    }
}
