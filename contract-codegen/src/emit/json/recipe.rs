//! Recipes and unions.

use super::literal::literal;
use super::object::{Object, present};
use super::reference;
use crate::catalog::json::Json;
use crate::emit::EmitInput;
use crate::model::{Content, JsonType, Key, Length, Presence, Recipe, Tagging, Union, Variant, WhenAbsent};

pub(super) fn recipe(input: &EmitInput<'_>, recipe: &Recipe, object: Object) -> Object {
    object
        .flag("deny_unknown", recipe.deny_unknown)
        .number("max_bytes", recipe.max_bytes)
        .number("max_depth", recipe.max_depth)
        .with("keys", Json::Array(recipe.keys.iter().map(|of| key(input, of)).collect()))
}

fn key(input: &EmitInput<'_>, key: &Key) -> Json {
    let Key { name, docs, c_name, since, deprecated, ty, presence, .. } = key;
    let object = Object::default().text("name", name);
    let object = if key.flatten { object } else { object.text("key", &key.key) };
    let object = object.with("type", json_type(input, ty));
    let object = match presence {
        Presence::Required => object.text("presence", "required"),
        Presence::Optional { nullable, null_when_absent, .. } => object
            .text("presence", "optional")
            .flag("nullable", *nullable)
            .flag("null_when_absent", *null_when_absent),
        Presence::Defaulted { skip, nullable, .. } => {
            object.text("presence", "defaulted").flag("nullable", *nullable).flag("skip_default", *skip)
        }
    };
    object
        .with_if("default", presence.default().map(|default| literal(input.catalog, ty, default)))
        .flag("flatten", key.flatten)
        .flag("lenient", key.lenient)
        .flag("not_imported", key.not_imported)
        .with_if("since", since.map(|since| Json::Integer(since.into())))
        .text_if("deprecated", deprecated.as_deref())
        .text_if("c_name", c_name.as_deref())
        .text_if("docs", present(docs))
        .json()
}

pub(super) fn json_type(input: &EmitInput<'_>, ty: &JsonType) -> Json {
    let object = Object::default();
    let bound = |bound: Option<u32>| bound.map(|bound| Json::Integer(bound.into()));
    match ty {
        JsonType::Integer { scalar, min, max, decimal } => object
            .text("type", scalar.name())
            .number("min", *min)
            .number("max", *max)
            .text_if("spelling", decimal.then_some("decimal_string")),
        JsonType::Bool => object.text("type", "bool"),
        JsonType::Float { scalar, min, max } => object
            .text("type", scalar.name())
            .with_if("min", min.map(Json::Float))
            .with_if("max", max.map(Json::Float)),
        JsonType::Text { max_len } => object.text("type", "text").with_if("max_len", bound(*max_len)),
        JsonType::Bytes { length, spelling } => {
            length_of(object.text("type", "bytes").text("spelling", spelling.name()), *length, "max_len")
        }
        JsonType::Array { item, length } => {
            length_of(object.text("type", "array").with("item", json_type(input, item)), *length, "max_items")
        }
        JsonType::Map { max_items, max_len } => object
            .text("type", "map")
            .with_if("max_items", bound(*max_items))
            .with_if("max_len", bound(*max_len)),
        JsonType::Json { max_len } => object.text("type", "json").with_if("max_len", bound(*max_len)),
        JsonType::Enumeration { contract, open, max_len } => object
            .text("type", "enumeration")
            .with("contract", reference(input, *contract))
            .with("open", Json::Bool(*open))
            .with_if("max_len", bound(*max_len)),
        JsonType::Flags { contract } => {
            object.text("type", "flags").with("contract", reference(input, *contract))
        }
        JsonType::Descriptor { contract, spelling } => object
            .text("type", "descriptor")
            .with("contract", reference(input, *contract))
            .text("spelling", spelling.name()),
        JsonType::Recipe(contract) => {
            object.text("type", "recipe").with("contract", reference(input, *contract))
        }
        JsonType::Union(contract) => {
            object.text("type", "union").with("contract", reference(input, *contract))
        }
    }
    .json()
}

fn length_of(object: Object, length: Length, most: &str) -> Object {
    match length {
        Length::Exactly(length) => object.number("length", length),
        Length::AtMost(None) => object,
        Length::AtMost(Some(bound)) => object.number(most, bound),
    }
}

pub(super) fn union(input: &EmitInput<'_>, union: &Union, object: Object) -> Object {
    let object = match &union.tagging {
        Tagging::Internal { tag, last } => {
            object.text("tagging", "internal").text("tag", tag).flag("tag_last", *last)
        }
        Tagging::Adjacent { tag, content, last } => object
            .text("tagging", "adjacent")
            .text("tag", tag)
            .text("content", content)
            .flag("tag_last", *last),
        Tagging::Untagged => object.text("tagging", "untagged"),
    };
    object
        .flag("lenient", union.lenient)
        .number("max_bytes", union.max_bytes)
        .number("max_depth", union.max_depth)
        .with("variants", Json::Array(union.variants.iter().map(|of| variant(input, of)).collect()))
}

fn variant(input: &EmitInput<'_>, variant: &Variant) -> Json {
    let Variant { name, tag, aliases, docs, c_name, since, deprecated, content, when_absent } = variant;
    let absent = match when_absent {
        WhenAbsent::No => None,
        WhenAbsent::Default => Some("default"),
        WhenAbsent::NoTag => Some("no_tag"),
    };
    let object = Object::default()
        .text("name", name)
        .text("tag", tag)
        .list("aliases", aliases.iter().map(Json::text).collect())
        .text_if("absent", absent);
    let object = match content {
        Content::Nothing => object,
        Content::Value { ty, default } => object
            .with("type", json_type(input, ty))
            .with_if("default", default.as_ref().map(|default| literal(input.catalog, ty, default))),
        Content::Other => object.flag("other", true),
    };
    object
        .with_if("since", since.map(|since| Json::Integer(since.into())))
        .text_if("deprecated", deprecated.as_deref())
        .text_if("c_name", c_name.as_deref())
        .text_if("docs", present(docs))
        .json()
}
