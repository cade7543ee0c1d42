//! The text of a lock. It is the same for the same forms, whatever the order of their tables.

use std::fmt::Write;

use toml::{Table, Value};

use super::form::Form;
use super::keys::{self, Key, Shape};
use super::{FORMAT, Lock};
use crate::catalog::hash::Fnv;

const FIRST_LINE: &str = "# What every contract is agreed to be. Written by `cargo wirecontract check --accept`; by hand, \
     only whole blocks are deleted.";

impl Lock {
    /// The whole file.
    pub fn text(&self) -> String {
        let mut out = format!("{FIRST_LINE}\nformat = {FORMAT}\n");
        if !self.built_with.is_empty() {
            let table = self.built_with.iter().map(|(name, options)| (name.clone(), Value::from(&**options)));
            out.push_str("built_with = ");
            write_value(&mut out, &Value::Table(table.collect()), Shape::Any);
            out.push('\n');
        }
        for history in self.histories.values() {
            let newest = history.newest().map(|form| form.version);
            for form in history.forms.values() {
                out.push('\n');
                let start = out.len();
                write_block(&mut out, form, history.is_removed && newest == Some(form.version));
                let digest = Fnv::new().bytes(&out.as_bytes()[start..]).finish();
                line(&mut out, format_args!("digest = \"{digest:#018x}\""));
            }
        }
        out
    }
}

/// The digest of a block: the hash of all else in it.
pub(super) fn digest(form: &Form, is_removed: bool) -> u64 {
    let mut text = String::new();
    write_block(&mut text, form, is_removed);
    Fnv::new().bytes(text.as_bytes()).finish()
}

/// The block of a form without its digest, which follows.
fn write_block(out: &mut String, form: &Form, is_removed: bool) {
    let Form { path, version, kind, wire_id, table } = form;
    out.push('[');
    write_text(out, &format!("{path}@{version}"));
    out.push_str("]\n");
    line(out, format_args!("kind = \"{}\"", kind.name()));
    if is_removed {
        out.push_str("removed = true\n");
    }
    line(out, format_args!("wire_id = \"{wire_id:#018x}\""));
    for (key, shape, value) in ordered(table, keys::of(*kind)) {
        write_key(out, key);
        out.push_str(" = ");
        match (shape, value) {
            (Shape::Members(_) | Shape::Lines, Value::Array(items)) if !items.is_empty() => {
                out.push_str("[\n");
                for item in items {
                    out.push_str("    ");
                    write_value(out, item, item_shape(shape));
                    out.push_str(",\n");
                }
                out.push(']');
            }
            _ => write_value(out, value, shape),
        }
        out.push('\n');
    }
}

/// The keys that are there, those that are known first and in their order.
fn ordered<'table>(
    table: &'table Table,
    keys: &'static [Key],
) -> impl Iterator<Item = (&'table str, Shape, &'table Value)> {
    let known = keys.iter().filter_map(|key| {
        let (name, value) = table.get_key_value(key.name)?;
        Some((name.as_str(), key.shape, value))
    });
    let mut others: Vec<_> = table
        .iter()
        .filter(|(name, _)| !keys.iter().any(|key| key.name == *name))
        .map(|(name, value)| (name.as_str(), Shape::Any, value))
        .collect();
    others.sort_by_key(|(name, ..)| *name);
    known.chain(others)
}

fn item_shape(shape: Shape) -> Shape {
    match shape {
        Shape::Members(keys) => Shape::Table(keys),
        _ => Shape::Any,
    }
}

fn write_value(out: &mut String, value: &Value, shape: Shape) {
    match value {
        Value::String(text) => write_text(out, text),
        Value::Integer(number) => write(out, format_args!("{number}")),
        Value::Float(number) if number.is_nan() => out.push_str("nan"),
        // Never as an integer: `1.0`.
        Value::Float(number) => write(out, format_args!("{number:?}")),
        Value::Boolean(truth) => write(out, format_args!("{truth}")),
        Value::Datetime(date) => write(out, format_args!("{date}")),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_value(out, item, item_shape(shape));
            }
            out.push(']');
        }
        Value::Table(table) => {
            let keys = if let Shape::Table(keys) = shape { keys } else { &[] };
            out.push('{');
            for (index, (key, shape, value)) in ordered(table, keys).enumerate() {
                out.push_str(if index == 0 { " " } else { ", " });
                write_key(out, key);
                out.push_str(" = ");
                write_value(out, value, shape);
            }
            out.push_str(if table.is_empty() { "}" } else { " }" });
        }
    }
}

fn write_key(out: &mut String, key: &str) {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !key.is_empty() && key.bytes().all(is_bare) { out.push_str(key) } else { write_text(out, key) }
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control.is_control() => write(out, format_args!("\\u{:04X}", u32::from(control))),
            other => out.push(other),
        }
    }
    out.push('"');
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    write(out, text);
    out.push('\n');
}

fn write(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a String takes all");
}
