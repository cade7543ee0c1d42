//! The rules of recipes.

use syn::Expr;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::{Bounds, Key, Literal, Presence, Recipe, bounds, c_name, default, document, renamed};
use crate::case;
use crate::parse::{Condition, Declaration, Field};
use crate::report::Report;
use crate::rule::{self, Scope, Seen, Subject};
use crate::ty::{Held, optional};

/// What says nothing of a part whose keys stand in this object.
const NOT_OF_PARTS: [&str; 17] = [
    "name",
    "default",
    "skip_default",
    "nullable",
    "null_when_absent",
    "required_if",
    "one_of",
    "min",
    "max",
    "max_len",
    "max_items",
    "decimal_string",
    "hex",
    "base64",
    "uuid",
    "lenient",
    "was",
];

/// The recipe of a declaration, if it is legal as far as can be seen without types.
pub(super) fn check<'a>(declaration: &'a Declaration<'a>, report: &mut Report) -> Option<Recipe<'a>> {
    let before = report.len();
    if declaration.fields.is_empty() {
        report.at(
            declaration.ident,
            "a recipe without keys says nothing: in a union, write a variant that holds nothing",
        );
        return None;
    }
    let limits = document::limits(declaration, report);
    let scope = scope(declaration);
    let keys: Vec<Key<'_>> =
        declaration.fields.iter().filter_map(|field| key(declaration, field, &scope, report)).collect();
    distinct(&keys, declaration, report);
    let rules = document::rules(declaration, &scope, report);
    (report.len() == before).then_some(Recipe {
        deny_unknown: declaration.container.deny_unknown.is_some(),
        limits,
        keys,
        rules,
        scope,
    })
}

/// What rules see of the fields.
fn scope<'a>(declaration: &'a Declaration<'_>) -> Scope<'a> {
    let fields = declaration.fields.iter().map(|field| {
        let inner = optional(field.ty);
        let held = Held::of(inner.unwrap_or(field.ty));
        Subject {
            ident: field.ident,
            accepted: json_key(declaration, field),
            seen: seen(&held, field.spelling.is_some()),
            presence: match (inner, &field.default) {
                (None, _) => rule::Presence::Always,
                (Some(_), None) => rule::Presence::Optional,
                (Some(_), Some(_)) => rule::Presence::OrDefault,
            },
        }
    });
    let mut scope = Scope::new(declaration.ident.unraw().to_string(), fields.collect());
    scope.fds = true;
    scope
}

fn seen(held: &Held, spelled: bool) -> Seen {
    match held {
        Held::Scalar(scalar) if scalar.is_integer() => Seen::Number,
        Held::Scalar(scalar) if scalar.is_float() => Seen::Float,
        Held::Scalar(_) => Seen::Condition,
        Held::Text => Seen::Long("text"),
        Held::Vec(_) | Held::Array(..) if spelled && bounds::is_bytes(held) => Seen::Long("bytes"),
        Held::Vec(_) | Held::Array(..) => Seen::Long("an array"),
        Held::Map => Seen::Long("a map"),
        Held::Json | Held::UnknownVariant => Seen::Nothing("any JSON"),
        Held::Open(_) | Held::Flags(_) | Held::Boxed(_) | Held::Refused(_) | Held::Other => Seen::Other,
    }
}

fn key<'a>(
    declaration: &Declaration<'_>,
    field: &'a Field<'a>,
    scope: &Scope<'_>,
    report: &mut Report,
) -> Option<Key<'a>> {
    let name = field.ident.unraw().to_string();
    let flatten = field.said("flatten").is_some();
    let inner = optional(field.ty);
    let held = match inner {
        Some(inner) if optional(inner).is_some() => Held::of(field.ty),
        Some(inner) => Held::of(inner),
        None => Held::of(field.ty),
    };
    // A type that no document carries is one mistake, whatever else is said of it.
    if !document::carried(declaration, field.ty, &held, report) {
        return None;
    }
    if flatten {
        part(field, &held, inner.is_some(), report);
    }
    if let Some(name) = &field.name {
        document::not_empty(name, "a key", report);
    }
    let bounds = bounds::bounds(field, &held, report);
    bounds::spelling(field, &held, report);
    let presence =
        if flatten { Presence::Required } else { presence(field, &held, &bounds, inner.is_some(), report) };
    conditions(field, &presence, flatten, report);
    if !flatten {
        not_renamed(declaration, field, report);
    }
    let mut condition = |said: &'a Option<Condition>| {
        let condition = said.as_ref()?;
        rule::condition(&condition.rule, field.ident, scope, report)
    };
    let (required_if, one_of) = (condition(&field.required_if), condition(&field.one_of));
    Some(Key {
        ident: field.ident,
        vis: field.vis,
        ty: field.ty,
        inner: inner.unwrap_or(field.ty),
        presence,
        default_at: field.default.as_ref().map(Spanned::span),
        nullable: field.said("nullable").is_some(),
        required_if,
        one_of,
        spelling: field.spelling,
        bounds,
        flatten,
        lenient: field.said("lenient").is_some(),
        not_imported: not_imported(field, &held, report),
        held,
        key: json_key(declaration, field),
        name,
        docs: field.docs.clone(),
        since: field.since.map(|(since, _)| since),
        deprecated: field.deprecated.clone(),
        c_name: field.c_name.as_ref().and_then(|name| c_name(name, report)),
    })
}

/// The wire id of two that read each other is one, and documents with another key are others.
fn not_renamed(declaration: &Declaration<'_>, field: &Field<'_>, report: &mut Report) {
    let Some(was) = &field.was else { return };
    let key = json_key(declaration, field);
    if was.name == key {
        renamed(Some(was), &key, report);
        return;
    }
    report.span(
        was.span,
        format_args!(
            "`was` keeps the wire id through a renaming, and documents have the key `{key}` now, which nobody reads who \
             knows `{was}`: write `name = \"{was}\"` instead, which keeps the key and the id, or remove it",
            was = was.name
        ),
    );
}

/// The key in JSON; of a part whose keys stand in this object, the field's name.
fn json_key(declaration: &Declaration<'_>, field: &Field<'_>) -> String {
    let name = field.ident.unraw().to_string();
    match (&field.name, &declaration.container.rename_all) {
        _ if field.said("flatten").is_some() => name,
        (Some(name), _) => name.value(),
        (None, Some((style, _))) => case::rename(&name, style),
        (None, None) => name,
    }
}

/// Whether import rules of what the key holds are left out: only a contract has any.
fn not_imported(field: &Field<'_>, held: &Held, report: &mut Report) -> bool {
    let Some(word) = field.said("not_imported") else { return false };
    if !held.nests() {
        report.at(word, "what this key holds has no rules at import: remove `not_imported`");
    }
    true
}

/// A part whose keys stand in this object is a recipe or a union, is always there, and has keys of its own.
fn part(field: &Field<'_>, held: &Held, is_optional: bool, report: &mut Report) {
    if is_optional {
        report.at(
            field.ty,
            "keys that stand in this object are there or not one by one: write the recipe without `Option`, with \
             optional keys in it",
        );
    } else if !held.may_have_keys() {
        report.at(
            field.ty,
            format_args!("{} has no keys that could stand in this object: remove `flatten`", held.article()),
        );
    }
    for key in &field.said {
        if NOT_OF_PARTS.iter().any(|not| key == not) {
            report.at(
                key,
                format_args!("`{key}` says nothing of a flattened part: its keys say it themselves"),
            );
        }
    }
}

/// Whether the key must be there, and what it means when it is not.
fn presence(
    field: &Field<'_>,
    held: &Held,
    bounds: &Bounds,
    is_optional: bool,
    report: &mut Report,
) -> Presence {
    let said_default = field.default.as_ref();
    let default = said_default.and_then(|default| {
        let spelling = field.spelling.map(|(spelling, _)| spelling);
        default::check(default, default::Of { held, bounds, spelling }, report)
    });
    if let Some(default) = said_default.filter(|_| is_optional) {
        accessor_name(field, default, report);
    }
    let has_default = said_default.is_some();
    if let Some(word) = field.said("skip_default") {
        if is_optional {
            report.at(
                word,
                "an absent key stays absent here, so no default is ever written: remove `skip_default`",
            );
        } else if !has_default {
            report.at(word, "`skip_default` needs a default to leave out: write `default = …`");
        }
    }
    if let Some(word) = field.said("null_when_absent") {
        if !is_optional {
            report.at(word, "only an optional key can be absent when it is written: write `Option<T>`");
        }
    }
    for key in ["nullable", "lenient"] {
        if let Some(word) = field.said(key).filter(|_| !is_optional && !has_default) {
            let why = if key == "nullable" {
                "null is read as absent"
            } else {
                "a malformed value is read as absent"
            };
            report.at(
                word,
                format_args!("{why}, and this key must be there: write `Option<T>`, or give a `default`"),
            );
        }
    }
    match (is_optional, default) {
        (true, default) => {
            Presence::Optional { default, null_when_absent: field.said("null_when_absent").is_some() }
        }
        (false, Some(default)) => Presence::Defaulted { default, skip: field.said("skip_default").is_some() },
        // Of a default that was refused, nothing more is said.
        (false, None) if has_default => Presence::Defaulted { default: Literal::Integer(0), skip: false },
        (false, None) => Presence::Required,
    }
}

/// An optional key with a default gets a method of its name, and the traits' methods keep theirs.
fn accessor_name(field: &Field<'_>, default: &Expr, report: &mut Report) {
    let name = field.ident.unraw().to_string();
    let taken =
        ["with_defaults", "from_json", "from_json_lenient", "to_json", "write_json", "validate_import"];
    if taken.contains(&name.as_str()) {
        report.at(
            default,
            format_args!(
                "a method `{name}` would give the value or this default, and there is one: call the field something \
                 else, and write `name = \"{name}\"`"
            ),
        );
    }
}

/// Conditions are about keys that may be absent.
fn conditions(field: &Field<'_>, presence: &Presence, flatten: bool, report: &mut Report) {
    if flatten {
        return;
    }
    let optional = matches!(presence, Presence::Optional { .. });
    if let Some(condition) = &field.required_if {
        if !optional {
            report.at(
                &condition.key,
                "a key of which a condition says whether it must be there is optional: write `Option<T>`, and no default",
            );
        } else if matches!(presence, Presence::Optional { default: Some(_), .. }) {
            report.at(
                &condition.key,
                "a default says what absence means, and a condition that the key must be there: remove one",
            );
        }
    }
    if let Some(condition) = &field.one_of {
        if !optional {
            report.at(
                &condition.key,
                "a key that is there only for some values is optional: write `Option<T>`",
            );
        } else if field.default.is_some() {
            report.at(
                &condition.key,
                "a default says what absence means, and a condition that the key must be absent: remove one",
            );
        }
    }
}

/// No two keys of an object are equal.
fn distinct(keys: &[Key<'_>], declaration: &Declaration<'_>, report: &mut Report) {
    let own: Vec<&Key<'_>> = keys.iter().filter(|key| !key.flatten).collect();
    for (index, key) in own.iter().enumerate() {
        if let Some(other) = own[..index].iter().find(|other| other.key == key.key) {
            report.at(
                key.ident,
                format_args!(
                    "`{}` and `{}` of `{}` are both the key `{}`: write another `name` for one",
                    other.name, key.name, declaration.ident, key.key
                ),
            );
        }
    }
}
