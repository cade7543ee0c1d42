//! What the templates of recipes and unions are filled with.

use std::collections::BTreeSet;

use serde::Serialize;

use super::names::{self, Names};
use super::types::{Between, default, give, quick, take};
use super::view::{ClassView, paragraphs, quoted};
use crate::emit::EmitInput;
use crate::emit::methods::MethodView;
use crate::emit::python::shapes::shown;
use crate::model::{
    Body, Content, Contract, ContractId, JsonType, Key, Presence, Tagging, Union, Variant, WhenAbsent,
};
use crate::names::python;

/// What every document has.
#[derive(Serialize)]
struct Common {
    #[serde(flatten)]
    named: ClassView,
    max_bytes: u32,
    /// Whether an absent key has a default, here or in what is held.
    keeps_defaults: bool,
    methods: Vec<MethodView>,
}

#[derive(Serialize)]
pub(super) struct RecipeView {
    #[serde(flatten)]
    common: Common,
    keys: Vec<KeyView>,
    signature: String,
    text_signature: String,
}

#[derive(Serialize)]
struct KeyView {
    index: usize,
    /// The declared field, the attribute and the constructor's parameter.
    field: String,
    attribute: String,
    parameter: String,
    docs: Vec<String>,
    is_optional: bool,
    may_be_left_out: bool,
    /// What a key that is left out has, unless it is absent then.
    default: Option<String>,
    /// The parameter's default, as the signature says it.
    said: Option<String>,
    /// The property that gives the value or its default.
    or_default: Option<String>,
    give: String,
    take: String,
    quick: String,
}

#[derive(Serialize)]
pub(super) struct UnionView {
    #[serde(flatten)]
    common: Common,
    variants: Vec<VariantView>,
}

#[derive(Serialize)]
struct VariantView {
    /// The struct, and the declared variant.
    rust: String,
    variant: String,
    class: String,
    docs: Vec<String>,
    /// What documents say of it.
    tag: Option<String>,
    has_value: bool,
    is_open: bool,
    /// Whether the constructor may go without the value, or without the content.
    may_be_left_out: bool,
    /// The value that it is without.
    default: Option<String>,
    /// The signature, where it has a value.
    text_signature: String,
    give: String,
    take: String,
    quick: String,
}

fn common(
    input: &EmitInput<'_>,
    id: ContractId,
    form: &str,
    max_bytes: u32,
    methods: Vec<MethodView>,
) -> Common {
    Common {
        named: ClassView::of(input, id, contract_docs(input.catalog.get(id), form)),
        max_bytes,
        keeps_defaults: keeps_defaults(input, id),
        methods,
    }
}

/// Whether an absent key has a default, in a document or in one that it holds.
fn keeps_defaults(input: &EmitInput<'_>, id: ContractId) -> bool {
    let mut seen = BTreeSet::from([id]);
    let mut next = vec![id];
    while let Some(id) = next.pop() {
        let body = &input.catalog.get(id).body;
        let has_default = |key: &Key| matches!(key.presence, Presence::Optional { default: Some(_), .. });
        if matches!(body, Body::Recipe(recipe) if recipe.keys.iter().any(has_default)) {
            return true;
        }
        let nested = held(input, id).into_iter().filter_map(JsonType::contract);
        next.extend(nested.filter(|&nested| seen.insert(nested)));
    }
    false
}

/// What a class says of itself.
pub(super) fn contract_docs(contract: &Contract, form: &str) -> Vec<String> {
    let version = contract.version.map(|version| format!("Version {version}.")).unwrap_or_default();
    let since = contract.since.map(|since| format!("Since version {since}.")).unwrap_or_default();
    let deprecated = contract.deprecated.as_ref().map(|why| format!("Deprecated: {why}"));
    let facts = [form, &version, &since].join(" ");
    paragraphs(&[&contract.docs, facts.trim(), deprecated.as_deref().unwrap_or_default()])
}

pub(super) fn recipe(
    input: &EmitInput<'_>,
    names: &Names,
    id: ContractId,
    methods: Vec<MethodView>,
) -> RecipeView {
    let recipe = input.catalog.get(id).recipe();
    let keys: Vec<KeyView> =
        recipe.keys.iter().enumerate().map(|(index, each)| key(input, names, id, index, each)).collect();
    let list = |item: &dyn Fn(&KeyView) -> String| {
        let items: Vec<String> = keys.iter().map(item).collect();
        if items.is_empty() { String::new() } else { format!("*, {}", items.join(", ")) }
    };
    RecipeView {
        common: common(input, id, "A JSON object.", recipe.max_bytes, methods),
        signature: list(&|key| {
            let default = if key.may_be_left_out { " = Argument::Absent" } else { "" };
            format!("{}{default}", key.parameter)
        }),
        text_signature: quoted(&list(&|key| match &key.said {
            Some(default) => format!("{}={default}", key.attribute),
            None => key.attribute.clone(),
        })),
        keys,
    }
}

fn key(input: &EmitInput<'_>, names: &Names, id: ContractId, index: usize, key: &Key) -> KeyView {
    let attribute = names.attribute(id, &key.name);
    let place = if key.flatten {
        "Its keys stand in this object.".to_owned()
    } else {
        format!("The key `{}`.", key.key)
    };
    let since = key.since.map(|since| format!("Since version {since}.")).unwrap_or_default();
    let deprecated = key.deprecated.as_ref().map(|why| format!("Deprecated: {why}"));
    let facts = [place, since].join(" ");
    let between = Between { input, id };
    KeyView {
        index,
        field: names::identifier(&key.name),
        parameter: names::identifier(&attribute),
        docs: paragraphs(&[&key.docs, facts.trim(), deprecated.as_deref().unwrap_or_default()]),
        is_optional: matches!(key.presence, Presence::Optional { .. }),
        may_be_left_out: key.presence != Presence::Required,
        or_default: match key.presence {
            Presence::Optional { default: Some(_), .. } => {
                Some(format!("{}_or_default", attribute.trim_end_matches('_')))
            }
            _ => None,
        },
        give: give(&between, &key.ty),
        take: take(&between, &key.ty),
        quick: quick(&between, &key.ty),
        default: match &key.presence {
            Presence::Defaulted { default: literal, .. } => Some(default(&between, &key.ty, literal)),
            _ => None,
        },
        said: match &key.presence {
            Presence::Required => None,
            Presence::Optional { .. } => Some("None".to_owned()),
            Presence::Defaulted { default, .. } => Some(shown(input, &key.ty, default)),
        },
        attribute,
    }
}

pub(super) fn union(input: &EmitInput<'_>, id: ContractId, methods: Vec<MethodView>) -> UnionView {
    let union = input.catalog.get(id).union();
    let form = match &union.tagging {
        Tagging::Internal { tag, .. } => format!("One of several JSON objects: `{tag}` says which."),
        Tagging::Adjacent { tag, content, .. } => {
            format!("One of several values in `{content}`: `{tag}` says which.")
        }
        Tagging::Untagged => "One of several JSON objects: their keys say which.".to_owned(),
    };
    UnionView {
        common: common(input, id, &form, union.max_bytes, methods),
        variants: union.variants.iter().map(|each| variant(input, id, union, each)).collect(),
    }
}

fn variant(input: &EmitInput<'_>, id: ContractId, union: &Union, variant: &Variant) -> VariantView {
    let is_open = variant.content == Content::Other;
    let has_tag = !matches!(union.tagging, Tagging::Untagged) && variant.when_absent != WhenAbsent::NoTag;
    let between = Between { input, id };
    let value = |of: fn(&Between<'_>, &JsonType) -> String| match &variant.content {
        Content::Value { ty, .. } => of(&between, ty),
        Content::Nothing | Content::Other => String::new(),
    };
    let nameless = format!("The variant {}.", variant.name);
    let since = variant.since.map(|since| format!("Since version {since}.")).unwrap_or_default();
    let deprecated = variant.deprecated.as_ref().map(|why| format!("Deprecated: {why}"));
    VariantView {
        rust: variant_struct(input, id, variant),
        variant: names::identifier(&variant.name),
        class: python::variant(&python::class(&input.catalog.get(id).name), &variant.name),
        docs: paragraphs(&[
            if variant.docs.trim().is_empty() { &nameless } else { &variant.docs },
            &since,
            deprecated.as_deref().unwrap_or_default(),
        ]),
        tag: (has_tag && !is_open).then(|| format!("{:?}", variant.tag)),
        has_value: matches!(variant.content, Content::Value { .. }),
        is_open,
        may_be_left_out: match &variant.content {
            Content::Value { default, .. } => default.is_some(),
            _ => !matches!(union.tagging, Tagging::Internal { .. }),
        },
        give: value(give),
        take: value(take),
        quick: value(quick),
        default: match &variant.content {
            Content::Value { ty, default: Some(literal) } => Some(default(&between, ty, literal)),
            _ => None,
        },
        text_signature: match &variant.content {
            Content::Value { ty, default: Some(literal) } => {
                quoted(&format!("value={}", shown(input, ty, literal)))
            }
            _ => quoted("value"),
        },
    }
}

/// The struct of a variant.
pub(super) fn variant_struct(input: &EmitInput<'_>, id: ContractId, variant: &Variant) -> String {
    variant_name(input, id, &variant.name)
}

/// The same by its name.
pub(super) fn variant_name(input: &EmitInput<'_>, id: ContractId, variant: &str) -> String {
    format!("{}{variant}", input.catalog.get(id).name)
}

/// What a document holds, one by one.
pub(super) fn held<'a>(input: &EmitInput<'a>, id: ContractId) -> Vec<&'a JsonType> {
    match &input.catalog.get(id).body {
        Body::Recipe(recipe) => recipe.keys.iter().map(|key| &key.ty).collect(),
        Body::Union(union) => {
            let held = union.variants.iter().filter_map(|variant| match &variant.content {
                Content::Value { ty, .. } => Some(ty),
                Content::Nothing | Content::Other => None,
            });
            held.collect()
        }
        _ => Vec::new(),
    }
}
