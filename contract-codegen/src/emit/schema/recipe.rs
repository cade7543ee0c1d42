//! Recipes: their keys, what is flattened into them, and what they say across keys.

use super::{Schema, Scope, condition, described, types, union};
use crate::catalog::json::Json;
use crate::emit::json::literal::literal;
use crate::emit::json::object::Object;
use crate::model::{
    Body, Condition, ConditionKind, Contract, ContractId, Key, Moment, Presence, Recipe, Rule,
};

/// The schema of a recipe's documents.
pub(super) fn definition(scope: &Scope<'_>, contract: &Contract, recipe: &Recipe) -> Schema {
    let schema = members(scope, contract, recipe).comment(limits(recipe.max_bytes, recipe.max_depth));
    if recipe.deny_unknown { closed(schema, recipe) } else { schema }
}

pub(super) fn limits(max_bytes: u32, max_depth: u32) -> String {
    format!("a document has at most {max_bytes} bytes and {max_depth} levels")
}

/// Refuses other keys. Those of flattened parts are seen only when these have been looked at.
fn closed(schema: Schema, recipe: &Recipe) -> Schema {
    let has_parts = recipe.keys.iter().any(|key| key.flatten);
    let word = if has_parts { "unevaluatedProperties" } else { "additionalProperties" };
    schema.with(word, Json::Bool(false))
}

/// An object that has the keys, and perhaps others.
pub(super) fn members(scope: &Scope<'_>, contract: &Contract, recipe: &Recipe) -> Schema {
    let own = || recipe.keys.iter().filter(|key| !key.flatten);
    let properties = own().fold(Object::default(), |object, of| object.with(&of.key, key(scope, of).json()));
    let needed: Vec<&str> =
        own().filter(|key| key.presence == Presence::Required).map(|key| key.key.as_str()).collect();
    let mut all = Vec::new();
    for key in recipe.keys.iter().filter(|key| key.flatten) {
        all.extend(key.ty.contract().map(|id| part(scope, id)));
    }
    let mut schema = Schema::default();
    for of in &recipe.conditions {
        match condition_schema(scope, contract, recipe, of) {
            Some(holds) => all.push(holds),
            None => schema = schema.comment(said(&of.rule, &condition_text(recipe, of))),
        }
    }
    for rule in &recipe.rules {
        schema = rules(scope, contract, rule, &mut all, schema);
    }
    let object = Object::default()
        .text("type", "object")
        .with_if("properties", (!properties.is_empty()).then(|| properties.json()))
        .with_if(
            "required",
            (!needed.is_empty()).then(|| Json::Array(needed.into_iter().map(Json::text).collect())),
        )
        .list("allOf", all);
    Schema::from(object).and(schema)
}

/// What a rule says, as far as it can be said; the rest becomes a comment.
pub(super) fn rules(
    scope: &Scope<'_>,
    contract: &Contract,
    rule: &Rule,
    all: &mut Vec<Json>,
    schema: Schema,
) -> Schema {
    let name = rule.name.as_ref().map_or_else(String::new, |name| format!("{name}: "));
    let text = format!("{name}{}", rule.text);
    if rule.at == Moment::Import {
        return schema.comment(said(rule, &text));
    }
    let mut is_complete = true;
    for conjunct in condition::conjuncts(&rule.expr) {
        match condition::holds(scope, contract, conjunct) {
            Some(Json::Bool(true)) => {}
            Some(holds) => all.push(holds),
            None => is_complete = false,
        }
    }
    if is_complete { schema } else { schema.comment(said(rule, &text)) }
}

fn said(rule: &Rule, text: &str) -> String {
    match rule.at {
        Moment::Read => format!("not said here, and checked by readers: `{text}`"),
        Moment::Import => format!("checked at import: `{text}`"),
    }
}

fn condition_text(recipe: &Recipe, condition: &Condition) -> String {
    let key = &recipe.keys[condition.field].key;
    match condition.kind {
        ConditionKind::RequiredIf => format!("{key} when {}", condition.rule.text),
        ConditionKind::UsedIf => format!("no {key} unless {}", condition.rule.text),
    }
}

fn condition_schema(
    scope: &Scope<'_>,
    contract: &Contract,
    recipe: &Recipe,
    condition: &Condition,
) -> Option<Json> {
    if condition.rule.at == Moment::Import {
        return None;
    }
    let holds = condition::holds(scope, contract, &condition.rule.expr)?;
    let is_there = condition::present(&recipe.keys[condition.field]);
    let (when, then) = match condition.kind {
        ConditionKind::RequiredIf => (holds, is_there),
        ConditionKind::UsedIf => (is_there, holds),
    };
    Some(Object::default().with("if", when).with("then", then).json())
}

/// A contract whose keys stand in the object of another one. Whether that refuses other keys is not the part's to say.
pub(super) fn part(scope: &Scope<'_>, id: ContractId) -> Json {
    let contract = scope.get(id);
    match &contract.body {
        Body::Recipe(recipe) if recipe.deny_unknown => members(scope, contract, recipe).json(),
        Body::Union(body) if union::is_closed(scope, body) => {
            union::members(scope, contract, body, false).json()
        }
        _ => scope.reference(id).json(),
    }
}

fn key(scope: &Scope<'_>, key: &Key) -> Schema {
    let value = types::value(scope, &key.ty);
    let value = if is_nullable(key) {
        Object::default().and_json(types::or_null(value.json())).into()
    } else {
        value
    };
    let default = key.presence.default().map(|default| literal(scope.input.catalog, &key.ty, default));
    let schema = described("", &key.docs, key.deprecated.as_deref()).and(value);
    let schema = match default {
        Some(default) => schema.with("default", default),
        None => schema,
    };
    if key.lenient {
        schema.comment("a lenient reader takes a value at fault for an absent one")
    } else {
        schema
    }
}

pub(super) fn is_nullable(key: &Key) -> bool {
    match key.presence {
        Presence::Required => false,
        Presence::Optional { nullable, null_when_absent, .. } => nullable || null_when_absent,
        Presence::Defaulted { nullable, .. } => nullable,
    }
}
