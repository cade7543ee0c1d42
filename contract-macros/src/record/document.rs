//! The text of recipes and unions.

use syn::Path;
use syn::ext::IdentExt;

use super::{Object, quoted};
use crate::check::{
    About, Bounds, Content, Key, Limits, Literal, Number, Presence, Recipe, Tagging, Union, Variant,
    WhenAbsent,
};
use crate::parse::Moment;
use crate::rule::Checked;

/// What the wire id of a recipe covers.
pub(super) fn recipe(about: &About, recipe: &Recipe<'_>) -> String {
    let mut object = begin(about, "recipe");
    if recipe.deny_unknown {
        object.raw("deny_unknown", true);
    }
    limits(&mut object, &recipe.limits);
    object.list("fields", recipe.keys.iter().map(key));
    rules(&mut object, &recipe.rules);
    object.close()
}

/// What the wire id of a union covers.
pub(super) fn union(about: &About, union: &Union<'_>) -> String {
    let mut object = begin(about, "union");
    let last = match &union.tagging {
        Tagging::Internal { tag, last } => {
            object.text("tag", tag);
            *last
        }
        Tagging::Adjacent { tag, content, last } => {
            object.text("tag", tag);
            object.text("content", content);
            *last
        }
        Tagging::Untagged => {
            object.raw("untagged", true);
            false
        }
    };
    if last {
        object.raw("tag_last", true);
    }
    if union.lenient {
        object.raw("lenient", true);
    }
    limits(&mut object, &union.limits);
    object.list("variants", union.variants.iter().map(variant));
    rules(&mut object, &union.rules);
    object.close()
}

/// What the source id covers besides of each key.
pub(super) fn keys(recipe: &Recipe<'_>) -> Vec<String> {
    let of = |key: &Key<'_>| {
        let mut member = Object::new();
        if key.name != key.key {
            member.text("name", &key.name);
        }
        member.optional("docs", Some(&key.docs).filter(|docs| !docs.is_empty()));
        member.optional("c_name", key.c_name.as_ref());
        if let Some(since) = key.since {
            member.raw("since", since);
        }
        member.optional("deprecated", key.deprecated.as_ref());
        declared(&mut member, "required_if", key.required_if.as_ref());
        declared(&mut member, "one_of", key.one_of.as_ref());
        member.close()
    };
    recipe.keys.iter().map(of).collect()
}

/// What the source id covers besides of each variant.
pub(super) fn variants(union: &Union<'_>) -> Vec<String> {
    let of = |variant: &Variant<'_>| {
        let mut member = Object::new();
        if variant.name != variant.tag {
            member.text("name", &variant.name);
        }
        member.optional("docs", Some(&variant.docs).filter(|docs| !docs.is_empty()));
        member.optional("c_name", variant.c_name.as_ref());
        if let Some(since) = variant.since {
            member.raw("since", since);
        }
        member.optional("deprecated", variant.deprecated.as_ref());
        member.close()
    };
    union.variants.iter().map(of).collect()
}

pub(super) fn begin(about: &About, kind: &str) -> Object {
    let mut object = Object::new();
    object.text("kind", kind);
    object.text("name", about.was.as_ref().unwrap_or(&about.name));
    object
}

fn limits(object: &mut Object, limits: &Limits) {
    object.raw("max_bytes", limits.max_bytes);
    object.raw("max_depth", limits.max_depth);
}

fn key(key: &Key<'_>) -> String {
    let mut object = Object::new();
    object.text("name", &key.key);
    if let Some(default) = key.presence.default() {
        object.raw("default", literal(default));
    }
    if matches!(key.presence, Presence::Defaulted { skip: true, .. }) {
        object.raw("skip_default", true);
    }
    let null_when_absent = matches!(key.presence, Presence::Optional { null_when_absent: true, .. });
    if key.nullable || null_when_absent {
        object.raw("nullable", true);
    }
    if null_when_absent {
        object.raw("null_when_absent", true);
    }
    for (word, condition) in [("required_if", &key.required_if), ("one_of", &key.one_of)] {
        if let Some(condition) = condition {
            object.raw(word, rule(condition));
        }
    }
    bounds(&mut object, &key.bounds);
    if key.flatten {
        object.raw("flatten", true);
    }
    if key.lenient {
        object.raw("lenient", true);
    }
    if key.not_imported {
        object.raw("not_imported", true);
    }
    object.close()
}

fn bounds(object: &mut Object, bounds: &Bounds) {
    for (word, bound) in [("min", bounds.min), ("max", bounds.max)] {
        match bound {
            Some((Number::Integer(number), _)) => object.raw(word, number),
            Some((Number::Float(number), _)) => object.raw(word, float(number)),
            None => {}
        }
    }
    for (word, bound) in [("max_len", bounds.max_len), ("max_items", bounds.max_items)] {
        if let Some((most, _)) = bound {
            object.raw(word, most);
        }
    }
}

fn variant(variant: &Variant<'_>) -> String {
    let mut object = Object::new();
    object.text("name", &variant.tag);
    if !variant.aliases.is_empty() {
        object.list("alias", variant.aliases.iter().map(|alias| quoted(alias)));
    }
    match variant.when_absent {
        WhenAbsent::No => {}
        WhenAbsent::Default => object.text("absent", "default"),
        WhenAbsent::NoTag => object.text("absent", "no_tag"),
    }
    match &variant.content {
        Content::Value { default: Some((default, _)), .. } => object.raw("default", literal(default)),
        Content::Other => object.raw("other", true),
        _ => {}
    }
    object.close()
}

pub(super) fn rules(object: &mut Object, rules: &[Checked]) {
    if !rules.is_empty() {
        object.list("rules", rules.iter().map(rule));
    }
}

/// The declared texts of rules, where fields in one of them were first accepted under other names.
pub(super) fn declared_rules(rules: &[Checked]) -> Option<impl Iterator<Item = String> + '_> {
    let differ = rules.iter().any(|rule| rule.text != rule.accepted);
    differ.then(|| rules.iter().map(|rule| quoted(&rule.text)))
}

/// The declared text of a condition, where fields in it were first accepted under other names.
pub(super) fn declared(member: &mut Object, word: &str, condition: Option<&Checked>) {
    if let Some(condition) = condition.filter(|condition| condition.text != condition.accepted) {
        member.text(word, &condition.text);
    }
}

/// A rule or a condition.
pub(super) fn rule(rule: &Checked) -> String {
    let mut object = Object::new();
    object.optional("name", rule.name.as_ref());
    object.text("expr", &rule.accepted);
    if rule.moment == Moment::Import {
        object.text("at", "import");
    }
    object.close()
}

fn literal(default: &Literal) -> String {
    let mut object = Object::new();
    match default {
        Literal::Integer(number) => return number.to_string(),
        Literal::Float(number) => return float(*number),
        Literal::Bool(truth) => return truth.to_string(),
        Literal::List(items) => {
            return format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(","));
        }
        Literal::Text(text) => object.text("text", text),
        Literal::Value(path) => object.text("value", &last(path)),
        Literal::Flags(all) => object.list("flags", all.iter().map(|path| quoted(&last(path)))),
    }
    object.close()
}

/// The name that a path ends in.
fn last(path: &Path) -> String {
    path.segments.last().map(|last| last.ident.unraw().to_string()).unwrap_or_default()
}

/// A float in the form that RFC 8785 gives it, and always such that it is seen to be one.
fn float(number: f64) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let scientific = format!("{:e}", number.abs());
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    let text = match exponent {
        // All digits stand before the point.
        0..=20 if exponent >= count - 1 => format!("{digits}{}.0", zeros(exponent + 1 - count)),
        0..=20 => {
            let (whole, rest) = digits.split_at(usize::try_from(exponent + 1).unwrap_or(0));
            format!("{whole}.{rest}")
        }
        -6..=-1 => format!("0.{}{digits}", zeros(-exponent - 1)),
        _ => {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            format!("{first}{point}{rest}e{}{}", if exponent < 0 { "-" } else { "+" }, exponent.abs())
        }
    };
    format!("{sign}{text}")
}

#[cfg(test)]
mod tests {
    use super::float;

    #[test]
    fn floats_have_one_form() {
        for (number, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-1.5, "-1.5"),
            (0.25, "0.25"),
            (1e9, "1000000000.0"),
            (123_456.75, "123456.75"),
            (1e20, "100000000000000000000.0"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (1e-6, "0.000001"),
            (1.25e-6, "0.00000125"),
            (1e-7, "1e-7"),
            (-2.5e-9, "-2.5e-9"),
            (f64::MAX, "1.7976931348623157e+308"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(float(number), text);
        }
    }
}
