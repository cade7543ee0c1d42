//! The bytes of a contract, as they were agreed beside as they are declared.

use std::collections::BTreeMap;
use std::fmt::Write;

use toml::{Table, Value};

use crate::lock::{Form, Kind, integer};

/// Lines that say where what stands, of a descriptor or a C struct (for LP64): where both differ, and one line around.
/// None where both are the same, or the kind has no bytes.
pub(super) fn map(old: &Form, new: &Form) -> Option<String> {
    if old.kind != new.kind || !matches!(new.kind, Kind::Descriptor | Kind::Abi) {
        return None;
    }
    let rows = rows(old, new);
    if rows.iter().all(|row| row.old == row.new) {
        return None;
    }
    let width = rows.iter().map(|row| row.old.chars().count()).max().unwrap_or(0).max(ACCEPTED.len());
    let mut text = format!("{:>9}  {ACCEPTED:width$}  declared\n", "byte");
    let is_shown = |index: usize| {
        let near = index.saturating_sub(1)..(index + 2).min(rows.len());
        rows[near].iter().any(|row| row.old != row.new)
    };
    let mut is_cut = false;
    for (index, row) in rows.iter().enumerate() {
        if !is_shown(index) {
            is_cut = true;
            continue;
        }
        if is_cut {
            text.push_str("       …\n");
            is_cut = false;
        }
        let mark = match (row.old.is_empty(), row.new.is_empty()) {
            (true, false) => '+',
            (false, true) => '-',
            _ if row.old != row.new => '~',
            _ => ' ',
        };
        let line = format!("  {mark} {:>5}  {:width$}  {}", row.at, row.old, row.new);
        writeln!(text, "{}", line.trim_end()).expect("a String takes all");
    }
    if is_cut {
        text.push_str("       …\n");
    }
    Some(text)
}

const ACCEPTED: &str = "accepted";

/// What begins at a byte, on both sides.
struct Row {
    at: i128,
    old: String,
    new: String,
}

fn rows(old: &Form, new: &Form) -> Vec<Row> {
    let mut rows: BTreeMap<i128, [String; 2]> = BTreeMap::new();
    for (side, form) in [old, new].into_iter().enumerate() {
        for field in form.section("fields") {
            let cell = &mut rows.entry(first(field.get("at"))).or_default()[side];
            // A hand-made lock may have several at one byte.
            cell.push_str(if cell.is_empty() { "" } else { " | " });
            cell.push_str(&said(field));
        }
        let end = rows.entry(first(form.get("size"))).or_default();
        end[side].push_str("(end)");
    }
    rows.into_iter().map(|(at, [old, new])| Row { at, old, new }).collect()
}

/// The number, or of one for each data model the first.
fn first(value: Option<&Value>) -> i128 {
    let value = value.and_then(|value| value.as_array().map_or(Some(value), |all| all.first()));
    value.and_then(integer).unwrap_or(0)
}

/// `blob: [u8; 64], counted`
fn said(field: &Table) -> String {
    let text = |key: &str| field.get(key).and_then(Value::as_str);
    let mut said = format!("{}: {}", text("name").unwrap_or("?"), short(text("type").unwrap_or("?")));
    if let Some(order) = text("endian").filter(|order| *order != "little") {
        write!(said, " {order}").expect("a String takes all");
    }
    for (key, value) in field {
        match (key.as_str(), value) {
            ("magic" | "reserved", Value::String(word)) => write!(said, ", {key} {word}"),
            ("version", number) => write!(said, ", version {}", integer(number).unwrap_or(0)),
            ("text", _) => write!(said, ", text"),
            ("length_of", Value::Array(counted)) => {
                let counted: Vec<&str> = counted.iter().filter_map(Value::as_str).collect();
                write!(said, ", counts {}", counted.join(", "))
            }
            _ => Ok(()),
        }
        .expect("a String takes all");
    }
    said
}

/// A type without the modules of what it names.
pub(super) fn short(ty: &str) -> String {
    let mut short = String::with_capacity(ty.len());
    let mut word = String::new();
    for character in ty.chars().chain(['\0']) {
        match character {
            ':' => word.clear(),
            letter if letter.is_alphanumeric() || letter == '_' => word.push(letter),
            other => {
                short.push_str(&word);
                word.clear();
                if other != '\0' {
                    short.push(other);
                }
            }
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::{map, short};
    use crate::lock::{Form, Kind};

    fn form(fields: &str, size: u32) -> Form {
        let table = format!("size = {size}\nfields = [{fields}]").parse().unwrap();
        Form { path: "a::b::Frame".into(), version: 1, kind: Kind::Descriptor, wire_id: 0, table }
    }

    #[test]
    fn types_are_said_without_their_modules() {
        assert_eq!(short("Open<a::b::Mode>"), "Open<Mode>");
        assert_eq!(short("[a::b::Mode; 4]"), "[Mode; 4]");
        assert_eq!(short("*const a::b::S"), "*const S");
        assert_eq!(short("u32"), "u32");
    }

    #[test]
    fn what_differs_is_shown_with_a_line_around() {
        let field =
            |at: u32, name: &str, ty: &str| format!("{{ at = {at}, name = \"{name}\", type = \"{ty}\" }},");
        let all = |types: [&str; 5]| {
            let names = ["a", "b", "c", "d", "e"];
            (0..5)
                .map(|index| field(index * 4, names[index as usize], types[index as usize]))
                .collect::<String>()
        };
        let old = form(&all(["u32"; 5]), 20);
        assert_eq!(map(&old, &old), None);
        let new = form(&(all(["u32", "u32", "u32", "u32", "i32"]) + &field(20, "f", "x::y::Mode")), 24);
        let expected = [
            "     byte  accepted  declared",
            "       …",
            "       12  d: u32    d: u32",
            "  ~    16  e: u32    e: i32",
            "  ~    20  (end)     f: Mode",
            "  +    24            (end)",
            "",
        ];
        assert_eq!(map(&old, &new).unwrap(), expected.join("\n"));
    }
}
