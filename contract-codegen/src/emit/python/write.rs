//! How a recipe is written: a statement for each key.

use super::fast::key_shape;
use super::scope::Scope;
use super::shapes::{literal, local};
use super::text::{WIDTH, statement, string};
use crate::model::{ContractId, JsonType, Key, Literal, Presence, Spelled, Spelling};

/// The body of `_write_X(value, out)`.
pub(super) fn members(scope: &Scope<'_>, id: ContractId) -> String {
    let keys = &scope.catalog.get(id).recipe().keys;
    let mut lines: Vec<String> = keys.iter().flat_map(|key| member(scope, id, key)).collect();
    if lines.is_empty() {
        lines.push("    # It has no keys.".to_owned());
    }
    lines.join("\n")
}

fn member(scope: &Scope<'_>, id: ContractId, key: &Key) -> Vec<String> {
    let access = format!("value.{}", scope.attribute(id, &key.name));
    if key.flatten {
        let write = match key.ty {
            JsonType::Union(union) => format!("{}.members", scope.private("union", union)),
            _ => scope.private("write", key.ty.contract().expect("a flattened key holds a recipe")),
        };
        return vec![statement(4, &format!("{write}({access}, out)"))];
    }
    let mut lines = vec![statement(4, &format!("it = {access}"))];
    match &key.presence {
        Presence::Required | Presence::Defaulted { skip: false, .. } => {
            lines.push(append(scope, id, key, 4));
        }
        Presence::Defaulted { default, .. } => {
            let default = match default {
                Literal::Flags(bits) => bits.to_string(),
                default => literal(scope, &key.ty, default),
            };
            let test = match default.as_str() {
                "True" => "if it is not True:".to_owned(),
                "False" => "if it is not False:".to_owned(),
                _ => format!("if it != {default}:"),
            };
            lines.push(statement(4, &test));
            lines.push(append(scope, id, key, 8));
        }
        Presence::Optional { null_when_absent, .. } => {
            lines.push("    if it is not None:".to_owned());
            lines.push(append(scope, id, key, 8));
            if *null_when_absent {
                lines.push("    else:".to_owned());
                let text = string(&format!("{}:null", json(&key.key)));
                lines.push(statement(8, &format!("out.append({text})")));
            }
        }
    }
    lines
}

/// A key as JSON.
fn json(key: &str) -> String {
    serde_json::Value::from(key).to_string()
}

/// Appends the key and its value, `it`.
fn append(scope: &Scope<'_>, id: ContractId, key: &Key, indent: usize) -> String {
    let name = json(&key.key);
    let value = value(scope, id, &key.ty, &key.name);
    let is_plain = key.key.chars().all(|it| it.is_ascii_alphanumeric() || "_-. ".contains(it));
    let in_place = match &value {
        Text::Field(field) => format!("{{{field}}}"),
        Text::Expression(expression) => format!("{{{expression}}}"),
        Text::Quoted(expression) => format!("\"{{{expression}}}\""),
    };
    if is_plain {
        let piece = format!("f'{name}:{in_place}'");
        if indent + 4 + piece.len() <= WIDTH && !in_place.contains('\'') {
            return statement(indent, &format!("out.append({piece})"));
        }
    }
    let text = match value {
        Text::Field(field) => format!("f\"{{{field}}}\""),
        Text::Expression(expression) => expression,
        Text::Quoted(expression) => format!("f'\"{{{expression}}}\"'"),
    };
    let pad = " ".repeat(indent);
    format!(
        "{pad}it = {text}\n{}",
        statement(indent, &format!("out.append({} + it)", string(&format!("{name}:"))))
    )
}

/// What stands for a value in JSON.
enum Text {
    /// What a replacement field holds.
    Field(String),
    /// An expression that is text.
    Expression(String),
    /// An expression that is text without the quotes around it.
    Quoted(String),
}

fn value(scope: &Scope<'_>, id: ContractId, ty: &JsonType, key: &str) -> Text {
    match ty {
        JsonType::Integer { decimal: false, .. } => Text::Field("it".to_owned()),
        JsonType::Integer { .. } => Text::Quoted("it".to_owned()),
        JsonType::Bool => Text::Expression("\"true\" if it else \"false\"".to_owned()),
        JsonType::Float { .. } => Text::Expression(format!("{}(it)", scope.wire("float_text"))),
        JsonType::Text { .. } => Text::Expression(format!("{}(it)", scope.wire("quote_text"))),
        JsonType::Bytes { spelling, .. } => Text::Quoted(match spelling {
            Spelling::Hex => "it.hex()".to_owned(),
            Spelling::Base64 => format!("{}(it)", scope.wire("base64_text")),
            Spelling::Uuid => format!("{}(it)", scope.wire("uuid_text")),
        }),
        JsonType::Array { item, .. } if matches!(**item, JsonType::Integer { decimal: false, .. }) => {
            Text::Expression(format!("{}(it)", scope.wire("integers_text")))
        }
        JsonType::Map { .. } => Text::Expression(format!("{}(it)", scope.wire("map_text"))),
        JsonType::Json { .. } => Text::Expression("it.text".to_owned()),
        JsonType::Enumeration { contract, .. }
            if scope.catalog.get(*contract).enumeration().spelled == Spelled::Integer =>
        {
            Text::Field("it:d".to_owned())
        }
        JsonType::Flags { contract } if scope.catalog.get(*contract).flags().spelled == Spelled::Integer => {
            Text::Field("it:d".to_owned())
        }
        JsonType::Enumeration { .. } | JsonType::Flags { .. } => {
            Text::Expression(format!("{}.text(it)", local(scope, ty).expect("it has a table")))
        }
        _ => Text::Expression(format!("{}.text(it)", key_shape(scope, id, ty, key))),
    }
}
