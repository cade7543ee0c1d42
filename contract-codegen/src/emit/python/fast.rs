//! The fast way of reading a recipe: what the `json` module has read, key by key in a straight line, to the value or to
//! a doubt. It says nothing of what is wrong; the reader that is sure does.

use std::collections::BTreeSet;

use super::rules::{Reader, doubts};
use super::scope::{Locals, Scope};
use super::shapes::{literal, local, shape};
use super::text::{WIDTH, condition, either, statement, string};
use crate::model::{ContractId, JsonType, Length, Presence, Spelled, Spelling};

/// The body of `_build_X(members)`.
pub(super) fn build(scope: &Scope<'_>, id: ContractId) -> String {
    let recipe = scope.catalog.get(id).recipe();
    let mut locals =
        Locals::new(scope, &["members", "get", "raw", "member", "holds", "item", "value", "result"]);
    let names: Vec<String> = recipe.keys.iter().map(|key| locals.add("key", &key.name)).collect();
    let mut lines = Vec::new();
    let asks = recipe.keys.iter().any(|key| {
        let nullable = match &key.presence {
            Presence::Required => return false,
            Presence::Optional { nullable, null_when_absent, .. } => *nullable || *null_when_absent,
            Presence::Defaulted { nullable, .. } => *nullable,
        };
        !key.flatten && (nullable || !matches!(key.ty, JsonType::Json { .. }))
    });
    if asks {
        lines.push("    get = members.get".to_owned());
    }
    for (key, name) in recipe.keys.iter().zip(&names) {
        let word = string(&key.key);
        if key.flatten {
            let part = key.ty.contract().expect("a flattened key holds a recipe or a union");
            let table = scope.private("build", part);
            lines.push(statement(4, &format!("{name} = {table}(members)")));
            continue;
        }
        let (default, nullable) = match &key.presence {
            Presence::Required => {
                lines.push(statement(4, &format!("{name} = members[{word}]")));
                lines.extend(checked(scope, id, &key.ty, &key.name, name, 4));
                continue;
            }
            Presence::Optional { nullable, null_when_absent, .. } => (None, *nullable || *null_when_absent),
            Presence::Defaulted { default, nullable, .. } => (Some(default), *nullable),
        };
        // Null is a value of any JSON.
        if matches!(key.ty, JsonType::Json { .. }) && !nullable {
            lines.push(statement(4, &format!("{name} = None")));
            lines.push(statement(4, &format!("if {word} in members:")));
            lines.push(statement(8, &format!("{name} = members[{word}]")));
            lines.extend(checked(scope, id, &key.ty, &key.name, name, 8));
            continue;
        }
        lines.push(statement(4, &format!("{name} = get({word})")));
        let default = default.map(|value| literal(scope, &key.ty, value));
        let checks = checked(scope, id, &key.ty, &key.name, name, 8);
        if nullable
            && let [one] = &checks[..]
            && let Some(read) = one.trim().strip_prefix(&format!("{name} = "))
        {
            let absent = default.as_deref().unwrap_or("None");
            let line = format!("{name} = {absent} if {name} is None else {read}");
            if line.len() + 4 <= WIDTH {
                lines.push(statement(4, &line));
                continue;
            }
        }
        lines.push(statement(4, &format!("if {name} is not None:")));
        lines.extend(checks);
        if !nullable {
            lines.push(statement(4, &format!("elif {word} in members:")));
            lines.push(raise(scope, 8));
        }
        if default.is_some() || nullable {
            lines.push("    else:".to_owned());
            lines.push(statement(8, &format!("{name} = {}", default.as_deref().unwrap_or("None"))));
        }
    }
    lines.extend(doubts(scope, id, &Reader::Parts(&names), &raise(scope, 0)));
    lines.push(format!("    value: _typing.Any = {}()", scope.private("Parts", id)));
    for (key, name) in recipe.keys.iter().zip(&names) {
        let line = format!("value.{} = {name}", scope.attribute(id, &key.name));
        let is_long = line.len() + 4 > WIDTH;
        lines.push(statement(4, &if is_long { line.replacen("= ", "= (", 1) + ")" } else { line }));
    }
    let class = scope.class(id);
    lines.push(format!("    value.__class__ = {class}"));
    lines.push(format!("    result: {class} = value"));
    lines.push("    return result".to_owned());
    lines.join("\n")
}

pub(super) fn raise(scope: &Scope<'_>, indent: usize) -> String {
    format!("{}raise {}", " ".repeat(indent), scope.builtin("LookupError", &BTreeSet::new()))
}

/// Whether a type's table is one of the module that uses it, for the fast way to call.
pub(super) fn needs_table(ty: &JsonType) -> bool {
    match ty {
        JsonType::Integer { decimal, .. } => *decimal,
        JsonType::Float { .. }
        | JsonType::Map { .. }
        | JsonType::Json { .. }
        | JsonType::Descriptor { .. } => true,
        JsonType::Bytes { length, spelling } => {
            !matches!((length, spelling), (Length::Exactly(_), Spelling::Hex))
        }
        JsonType::Array { item, .. } => !matches!(**item, JsonType::Integer { decimal: false, .. }),
        _ => false,
    }
}

/// The tables that the fast way calls: a name and an expression.
pub(super) fn tables(scope: &Scope<'_>, id: ContractId) -> Vec<(String, String)> {
    let keys = scope.catalog.get(id).recipe().keys.iter();
    keys.filter(|key| needs_table(&key.ty))
        .map(|key| (table(scope, id, &key.name), shape(scope, &key.ty)))
        .collect()
}

/// The name of a key's table.
pub(super) fn table(scope: &Scope<'_>, id: ContractId, name: &str) -> String {
    format!("{}_{name}", scope.private("shape", id))
}

/// A key's table, as an expression: its name, where it has one.
pub(super) fn key_shape(scope: &Scope<'_>, id: ContractId, ty: &JsonType, name: &str) -> String {
    if needs_table(ty) { table(scope, id, name) } else { shape(scope, ty) }
}

/// Statements that turn what the `json` module has read into what is kept.
pub(super) fn checked(
    scope: &Scope<'_>,
    id: ContractId,
    ty: &JsonType,
    key: &str,
    name: &str,
    indent: usize,
) -> Vec<String> {
    let none = BTreeSet::new();
    let builtin = |name| scope.builtin(name, &none);
    let refuse = |tests: &[String]| vec![either(indent, tests), raise(scope, indent + 4)];
    let kind = builtin("type");
    let is_not = |name: &str, ty: &'static str| format!("{kind}({name}) is not {}", builtin(ty));
    let whole = |name: &str, least: &i128, most: &i128| {
        [is_not(name, "int"), format!("not {least} <= {name} <= {most}")]
    };
    match ty {
        JsonType::Integer { min, max, decimal: false, .. } => refuse(&whole(name, min, max)),
        JsonType::Bool => {
            let tests = ["True", "False"].map(|word| format!("{name} is not {word}"));
            vec![condition(indent, &tests), raise(scope, indent + 4)]
        }
        JsonType::Text { max_len: None } => refuse(&[is_not(name, "str")]),
        JsonType::Text { max_len: Some(most) } => {
            let mut lines = refuse(&[is_not(name, "str")]);
            let len = builtin("len");
            // A character is at most four bytes.
            let tests = [format!("{len}({name}) > {}", most / 4), format!("{len}({name}.encode()) > {most}")];
            lines.push(condition(indent, &tests));
            lines.push(raise(scope, indent + 4));
            lines
        }
        JsonType::Bytes { length: Length::Exactly(size), spelling: Spelling::Hex } => {
            let mut lines = vec![statement(indent, &format!("raw = {}.fromhex({name})", builtin("bytes")))];
            let len = builtin("len");
            lines.extend(refuse(&[format!("{len}(raw) != {size}"), format!("raw.hex() != {name}")]));
            lines.push(statement(indent, &format!("{name} = raw")));
            lines
        }
        JsonType::Array { item, length } if matches!(**item, JsonType::Integer { decimal: false, .. }) => {
            let JsonType::Integer { min, max, .. } = &**item else { unreachable!("it is one") };
            let mut tests = vec![is_not(name, "list")];
            match length {
                Length::Exactly(size) => tests.push(format!("{}({name}) != {size}", builtin("len"))),
                Length::AtMost(Some(most)) => tests.push(format!("{}({name}) > {most}", builtin("len"))),
                Length::AtMost(None) => {}
            }
            let mut lines = refuse(&tests);
            lines.push(statement(indent, &format!("for item in {name}:")));
            lines.push(either(indent + 4, &whole("item", min, max)));
            lines.push(raise(scope, indent + 8));
            lines.push(statement(indent, &format!("{name} = {}({name})", builtin("tuple"))));
            lines
        }
        JsonType::Enumeration { contract, open, .. } => {
            let table = local(scope, ty).expect("enumerations have a table");
            let it = scope.catalog.get(*contract).enumeration();
            if it.spelled == Spelled::Names {
                let mut lines = vec![statement(indent, &format!("member = {table}.names.get({name})"))];
                let line = format!("{name} = {table}.quick({name}) if member is None else member");
                if indent + line.len() <= WIDTH {
                    lines.push(statement(indent, &line));
                    return lines;
                }
                lines.push(statement(indent, "if member is None:"));
                lines.push(statement(indent + 4, &format!("{name} = {table}.quick({name})")));
                lines.push(statement(indent, "else:"));
                lines.push(statement(indent + 4, &format!("{name} = member")));
                return lines;
            }
            let values = scope.private("values", *contract);
            if !open {
                let mut lines = refuse(&[is_not(name, "int")]);
                lines.push(statement(indent, &format!("{name} = {values}[{name}]")));
                return lines;
            }
            let (least, most) = it.repr.range().unwrap_or_default();
            let mut lines = refuse(&whole(name, &least, &most));
            lines.push(statement(indent, &format!("{name} = {values}.get({name}, {name})")));
            lines
        }
        JsonType::Flags { contract } => {
            let it = scope.catalog.get(*contract).flags();
            if it.spelled == Spelled::Names {
                let table = local(scope, ty).expect("flags have a table");
                return vec![statement(indent, &format!("{name} = {table}.quick({name})"))];
            }
            let (_, most) = it.repr.range().unwrap_or_default();
            let mut lines = refuse(&whole(name, &0, &most));
            if !it.open {
                lines.extend(refuse(&[format!("{name} & ~{}", it.known_bits())]));
            }
            let set = scope.wire("flag_set");
            lines.push(statement(indent, &format!("{name} = {set}({}, {name})", scope.class(*contract))));
            lines
        }
        JsonType::Recipe(contract) => {
            vec![statement(indent, &format!("{name} = {}.quick({name})", scope.private("recipe", *contract)))]
        }
        JsonType::Union(contract) => {
            vec![statement(indent, &format!("{name} = {}.quick({name})", scope.private("union", *contract)))]
        }
        _ => vec![statement(indent, &format!("{name} = {}.quick({name})", table(scope, id, key)))],
    }
}
