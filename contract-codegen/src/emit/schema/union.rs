//! Unions: which variant an object is, and what it must be then.

use super::{Schema, Scope, described, not, one, property, recipe, required, texts, types};
use crate::catalog::json::Json;
use crate::emit::json::literal::literal;
use crate::emit::json::object::Object;
use crate::model::{
    Body, Content, Contract, ContractId, JsonType, Presence, Recipe, Tagging, Union, Variant, WhenAbsent,
};

/// The schema of a union's documents.
pub(super) fn definition(scope: &Scope<'_>, contract: &Contract, union: &Union) -> Schema {
    members(scope, contract, union, true).comment(recipe::limits(union.max_bytes, union.max_depth))
}

/// Whether one of its variants refuses other keys than its own and the tag.
pub(super) fn is_closed(scope: &Scope<'_>, union: &Union) -> bool {
    let denies = |variant: &Variant| sharing(scope, union, variant).is_some_and(|(_, it)| it.deny_unknown);
    union.variants.iter().any(denies)
}

/// The recipe of a variant whose keys stand beside the tag.
fn sharing<'a>(scope: &Scope<'a>, union: &Union, variant: &Variant) -> Option<(ContractId, &'a Recipe)> {
    match (&variant.content, &union.tagging) {
        (_, Tagging::Adjacent { .. }) => None,
        (Content::Value { ty: JsonType::Recipe(id), .. }, _) => Some((*id, scope.get(*id).recipe())),
        _ => None,
    }
}

/// An object that is one of the variants; `closed` where a variant may refuse other keys.
pub(super) fn members(scope: &Scope<'_>, contract: &Contract, union: &Union, closed: bool) -> Schema {
    let object = Object::default().text("type", "object");
    let known = || union.variants.iter().filter(|variant| has_tag(variant)).flat_map(tags_of);
    let tag = match union.open() {
        Some(_) => one("type", Json::text("string")),
        None => one("enum", texts(known())),
    };
    let object = match &union.tagging {
        Tagging::Internal { tag: key, .. } => object.with("properties", one(key, tag)),
        Tagging::Adjacent { tag: key, content, .. } => {
            let properties = Object::default().with(key, tag).with(content, Json::Bool(true));
            object.with("properties", properties.json())
        }
        Tagging::Untagged => object,
    };
    let object = match (&union.tagging, union.absent()) {
        (Tagging::Internal { tag, .. } | Tagging::Adjacent { tag, .. }, None) => {
            object.with("required", Json::Array(vec![Json::text(tag)]))
        }
        _ => object,
    };
    let mut all: Vec<Json> = Vec::with_capacity(union.variants.len());
    for (position, variant) in union.variants.iter().enumerate() {
        let then = content(scope, union, variant, closed);
        let when = is_variant(scope, union, position);
        all.push(Object::default().with("if", when).with("then", then.json()).json());
    }
    let mut schema = Schema::default();
    for rule in &union.rules {
        schema = recipe::rules(scope, contract, rule, &mut all, schema);
    }
    Schema::from(object.list("allOf", all)).and(schema)
}

/// An object of the union that is the variant at that position.
pub(super) fn is_variant(scope: &Scope<'_>, union: &Union, position: usize) -> Json {
    let variant = &union.variants[position];
    let key = match &union.tagging {
        Tagging::Internal { tag, .. } | Tagging::Adjacent { tag, .. } => tag,
        Tagging::Untagged => return is_first_that_fits(scope, union, position),
    };
    let here = || Object::default().and_json(required(&[key]));
    if variant.content == Content::Other {
        let known = union.variants.iter().filter(|variant| has_tag(variant)).flat_map(tags_of);
        return here().and_json(property(key, not(one("enum", texts(known))))).json();
    }
    if variant.when_absent == WhenAbsent::NoTag {
        return not(required(&[key]));
    }
    let tags = if variant.aliases.is_empty() {
        one("const", Json::text(&variant.tag))
    } else {
        one("enum", texts(tags_of(variant)))
    };
    // Where an absent tag says the variant, one that is there still has to.
    let object = if variant.when_absent == WhenAbsent::Default { Object::default() } else { here() };
    object.and_json(property(key, tags)).json()
}

/// The first variant whose required keys are all there; the last one if there is none.
fn is_first_that_fits(scope: &Scope<'_>, union: &Union, position: usize) -> Json {
    let needed = |variant: &Variant| {
        let recipe = sharing(scope, union, variant).map(|(_, recipe)| recipe);
        let keys = recipe.into_iter().flat_map(|recipe| &recipe.keys);
        let keys = keys.filter(|key| !key.flatten && key.presence == Presence::Required);
        required(&keys.map(|key| key.key.as_str()).collect::<Vec<_>>())
    };
    let before: Vec<Json> = union.variants[..position].iter().map(needed).collect();
    let is_last = position + 1 == union.variants.len();
    let fits = if is_last {
        Object::default()
    } else {
        Object::default().and_json(needed(&union.variants[position]))
    };
    fits.with_if("not", (!before.is_empty()).then(|| one("anyOf", Json::Array(before)))).json()
}

fn has_tag(variant: &Variant) -> bool {
    variant.content != Content::Other && variant.when_absent != WhenAbsent::NoTag
}

fn tags_of(variant: &Variant) -> impl Iterator<Item = &String> {
    std::iter::once(&variant.tag).chain(&variant.aliases)
}

/// What an object that is the variant must be.
fn content(scope: &Scope<'_>, union: &Union, variant: &Variant, closed: bool) -> Schema {
    let schema = described(&variant.name, &variant.docs, variant.deprecated.as_deref());
    if let Some((id, recipe)) = sharing(scope, union, variant) {
        if !(closed && recipe.deny_unknown) {
            return schema.and(Object::default().and_json(recipe::part(scope, id)).into());
        }
        let mut all = vec![recipe::part(scope, id)];
        if let Tagging::Internal { tag, .. } = &union.tagging {
            all.insert(0, property(tag, Json::Bool(true)));
        }
        return schema.with("allOf", Json::Array(all)).with("unevaluatedProperties", Json::Bool(false));
    }
    match (&variant.content, &union.tagging) {
        (Content::Value { ty, default }, Tagging::Adjacent { content, .. }) => {
            let value = types::value(scope, ty);
            let object = Object::default();
            let object = match default {
                Some(default) => {
                    let default = literal(scope.input.catalog, ty, default);
                    object.and_json(property(content, value.with("default", default).json()))
                }
                None => object.and_json(property(content, value.json())).and_json(required(&[content])),
            };
            schema.and(object.into())
        }
        // All other members are kept, so that there are none that nobody knows.
        (Content::Other, Tagging::Internal { .. }) => schema.with("additionalProperties", Json::Bool(true)),
        _ => schema,
    }
}

/// The union of a contract.
pub(super) fn body(contract: &Contract) -> Option<&Union> {
    match &contract.body {
        Body::Union(union) => Some(union),
        _ => None,
    }
}
