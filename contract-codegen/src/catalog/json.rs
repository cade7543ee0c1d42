//! JSON whose members keep their order: what records are read from and the catalog JSON is written with.

use std::collections::HashSet;
use std::fmt::{self, Write};

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Json::Text(text.into())
    }

    /// An id as every artifact spells it.
    pub(crate) fn id(id: u64) -> Self {
        Json::Text(format!("{id:#018x}"))
    }

    /// Readable text: two spaces a level, and on one line whatever fits there.
    pub(crate) fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0, 0);
        out.push('\n');
        out
    }

    fn write(&self, out: &mut String, level: usize, used: usize) {
        const WIDTH: usize = 110;
        let (open, close, length) = match self {
            Json::Array(items) => ('[', ']', items.len()),
            Json::Object(members) => ('{', '}', members.len()),
            _ => return self.write_flat(out),
        };
        // The outermost value always takes several lines, so that a first member can be put into it as text.
        if length == 0 || (level > 0 && self.flat_length(WIDTH.saturating_sub(used)).is_some()) {
            return self.write_flat(out);
        }
        out.push(open);
        for index in 0..length {
            out.push_str(if index == 0 { "\n" } else { ",\n" });
            let start = out.len();
            out.extend(std::iter::repeat_n("  ", level + 1));
            let value = match self {
                Json::Object(members) => {
                    write_text(out, &members[index].0);
                    out.push_str(": ");
                    &members[index].1
                }
                Json::Array(items) => &items[index],
                _ => unreachable!("only containers come here"),
            };
            // One more for the comma.
            let used = out.len() - start + 1;
            value.write(out, level + 1, used);
        }
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", level));
        out.push(close);
    }

    /// The bytes of the value on one line, unless they are more than `room`; looks at no more than fits there.
    fn flat_length(&self, room: usize) -> Option<usize> {
        let mut length = 2;
        match self {
            Json::Array(items) => {
                for item in items {
                    length += item.flat_length(room.checked_sub(length)?)? + 2;
                }
            }
            Json::Object(members) => {
                for (name, value) in members {
                    length += name.len() + 6;
                    length += value.flat_length(room.checked_sub(length)?)?;
                }
            }
            // Escapes may add to it; a line that is a little longer is no harm.
            Json::Text(text) => length += text.len(),
            _ => {
                let mut text = String::new();
                self.write_flat(&mut text);
                length = text.len();
            }
        }
        (length <= room).then_some(length)
    }

    fn write_flat(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Integer(value) => out.push_str(&value.to_string()),
            // Never as an integer: `1.0`.
            Json::Float(value) => write!(out, "{value:?}").expect("a String takes all"),
            Json::Text(text) => write_text(out, text),
            Json::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { ", " });
                    item.write_flat(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { ", " });
                    write_text(out, name);
                    out.push_str(": ");
                    value.write_flat(out);
                }
                out.push('}');
            }
        }
    }
}

/// Lower hex, two digits a byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a String takes all");
    }
    text
}

fn write_text(out: &mut String, text: &str) {
    out.push_str(&serde_json::to_string(text).expect("a string is always JSON"));
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Integer(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element()? {
            array.push(item);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut object = Vec::new();
        let mut seen = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if !seen.insert(name.clone()) {
                return Err(A::Error::custom(format_args!("the key `{name}` stands twice in one object")));
            }
            object.push((name, members.next_value()?));
        }
        Ok(Json::Object(object))
    }
}

/// An object that is taken apart key by key, so that a key nobody asked for is seen.
pub(crate) struct Object {
    members: Vec<(String, Json)>,
}

/// Why a record's text is not what this version reads.
#[derive(Debug)]
pub(crate) enum TextError {
    /// It contradicts itself or the format.
    Wrong(String),
    /// It says something that a later version may understand.
    Unknown(String),
}

impl Object {
    pub(crate) fn parse(text: &str) -> Result<Self, TextError> {
        let json = serde_json::from_str(text).map_err(|error| TextError::Wrong(error.to_string()))?;
        Object::from(json)
    }

    pub(crate) fn from(json: Json) -> Result<Self, TextError> {
        match json {
            Json::Object(members) => Ok(Object { members }),
            other => Err(wrong("an object", &other)),
        }
    }

    pub(crate) fn take(&mut self, key: &str) -> Option<Json> {
        let index = self.members.iter().position(|(name, _)| name == key)?;
        Some(self.members.remove(index).1)
    }

    pub(crate) fn take_text(&mut self, key: &str) -> Result<Option<String>, TextError> {
        self.take(key)
            .map(|value| match value {
                Json::Text(text) => Ok(text),
                other => Err(wrong(&format!("text for `{key}`"), &other)),
            })
            .transpose()
    }

    pub(crate) fn take_bool(&mut self, key: &str) -> Result<Option<bool>, TextError> {
        self.take(key)
            .map(|value| match value {
                Json::Bool(value) => Ok(value),
                other => Err(wrong(&format!("true or false for `{key}`"), &other)),
            })
            .transpose()
    }

    pub(crate) fn take_integer<T: TryFrom<i128>>(&mut self, key: &str) -> Result<Option<T>, TextError> {
        self.take(key)
            .map(|value| match value {
                Json::Integer(value) => T::try_from(value)
                    .map_err(|_| TextError::Wrong(format!("`{key}` is {value}, out of range"))),
                other => Err(wrong(&format!("an integer for `{key}`"), &other)),
            })
            .transpose()
    }

    pub(crate) fn take_array(&mut self, key: &str) -> Result<Option<Vec<Json>>, TextError> {
        self.take(key)
            .map(|value| match value {
                Json::Array(items) => Ok(items),
                other => Err(wrong(&format!("an array for `{key}`"), &other)),
            })
            .transpose()
    }

    pub(crate) fn take_texts(&mut self, key: &str) -> Result<Option<Vec<String>>, TextError> {
        let Some(items) = self.take_array(key)? else { return Ok(None) };
        let texts = items.into_iter().map(|item| match item {
            Json::Text(text) => Ok(text),
            other => Err(wrong(&format!("text in `{key}`"), &other)),
        });
        texts.collect::<Result<_, _>>().map(Some)
    }

    /// What is left must be nothing.
    pub(crate) fn finish(self) -> Result<(), TextError> {
        match self.members.first() {
            None => Ok(()),
            Some((name, _)) => Err(TextError::Unknown(format!("the key `{name}`"))),
        }
    }
}

/// A key that must be there.
pub(crate) fn required<T>(value: Option<T>, key: &str) -> Result<T, TextError> {
    value.ok_or_else(|| TextError::Wrong(format!("the key `{key}` is missing")))
}

fn wrong(expected: &str, found: &Json) -> TextError {
    let found = match found {
        Json::Null => "null",
        Json::Bool(_) => "a bool",
        Json::Integer(_) => "an integer",
        Json::Float(_) => "a float",
        Json::Text(_) => "text",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    };
    TextError::Wrong(format!("expected {expected}, found {found}"))
}

#[cfg(test)]
mod tests {
    use super::{Json, Object, TextError};

    #[test]
    fn what_fits_a_line_stands_on_one() {
        let dims = Json::Array(vec![Json::Integer(2), Json::Integer(64)]);
        let long = Json::text("x".repeat(120));
        let json = Json::Object(vec![("dims".into(), dims), ("docs".into(), Json::Array(vec![long]))]);
        let expected =
            format!("{{\n  \"dims\": [2, 64],\n  \"docs\": [\n    \"{}\"\n  ]\n}}\n", "x".repeat(120));
        assert_eq!(json.pretty(), expected);
    }

    #[test]
    fn integers_beyond_a_double_are_exact() {
        let parsed: Json = serde_json::from_str("[18446744073709551615, -9223372036854775808]").unwrap();
        let integers = [i128::from(u64::MAX), i128::from(i64::MIN)];
        assert_eq!(parsed, Json::Array(integers.map(Json::Integer).to_vec()));
        assert_eq!(parsed.pretty(), "[\n  18446744073709551615,\n  -9223372036854775808\n]\n");
    }

    #[test]
    fn a_key_that_stands_twice_is_refused() {
        assert!(matches!(Object::parse(r#"{"a":1,"a":2}"#), Err(TextError::Wrong(_))));
    }

    #[test]
    fn a_key_that_nobody_asked_for_is_seen() {
        assert!(matches!(Object::parse(r#"{"rules":[]}"#).unwrap().finish(), Err(TextError::Unknown(_))));
    }
}
