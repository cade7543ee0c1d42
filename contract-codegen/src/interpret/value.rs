//! What a descriptor says, as a tree that is the same in every language.

use std::fmt::Write as _;

use crate::model::{Catalog, ContractId, Element, Field, Role, Scalar, Type};

/// A value read from a descriptor, or to be written as one.
///
/// An object holds a descriptor's fields in their order, without magic and reserved ones; a counted array holds its
/// valid elements only.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// An integer, an enumeration's number or a set of flags.
    Integer(i128),
    /// True or false.
    Bool(bool),
    /// The bits of an `f32`.
    F32(u32),
    /// The bits of an `f64`.
    F64(u64),
    /// An array of `u8` with one dimension.
    Bytes(Vec<u8>),
    /// Text.
    Text(String),
    /// Any other array.
    List(Vec<Value>),
    /// A descriptor.
    Object(Vec<(String, Value)>),
}

/// JSON that is not the tree of the contract it is taken for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("value of {contract}: expected {expected} at `{path}`, found {found}")]
pub struct ShapeError {
    /// The outermost contract.
    pub contract: String,
    /// Where, in dots.
    pub path: String,
    /// What should be there.
    pub expected: String,
    /// The JSON that is.
    pub found: String,
}

/// Whether a field is left out of the tree.
pub(super) fn is_hidden(field: &Field) -> bool {
    matches!(field.role, Role::Magic(_) | Role::Reserved { .. })
}

/// Whether the type is spelled as bytes. A row of a larger array is not.
pub(super) fn is_bytes(ty: &Type) -> bool {
    ty.element == Element::Scalar(Scalar::U8) && ty.dims.len() == 1
}

impl Value {
    /// The member of an object.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Object(members) => {
                members.iter().find_map(|(member, value)| (member == name).then_some(value))
            }
            _ => None,
        }
    }

    /// Keeps the first elements of an array.
    pub(super) fn truncate(&mut self, count: usize) {
        match self {
            Value::Bytes(bytes) => bytes.truncate(count),
            Value::List(items) => items.truncate(count),
            _ => {}
        }
    }

    /// The tree as JSON: no spaces, floats as their bits in hexadecimal, bytes as hexadecimal, text with the short
    /// escapes. Every driver of the tests prints the same characters.
    pub fn to_json(&self) -> String {
        let mut json = String::new();
        self.push_json(&mut json);
        json
    }

    fn push_json(&self, json: &mut String) {
        let written = match self {
            Value::Integer(number) => write!(json, "{number}"),
            Value::Bool(bool) => write!(json, "{bool}"),
            Value::F32(bits) => write!(json, "\"0x{bits:08x}\""),
            Value::F64(bits) => write!(json, "\"0x{bits:016x}\""),
            Value::Bytes(bytes) => {
                json.push('"');
                json.push_str(&hex(bytes));
                json.push('"');
                Ok(())
            }
            Value::Text(text) => {
                json.push_str(&serde_json::Value::from(text.as_str()).to_string());
                Ok(())
            }
            Value::List(items) => {
                json.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        json.push(',');
                    }
                    item.push_json(json);
                }
                json.push(']');
                Ok(())
            }
            Value::Object(members) => {
                json.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    let comma = if index > 0 { "," } else { "" };
                    json.push_str(comma);
                    json.push_str(&serde_json::Value::from(name.as_str()).to_string());
                    json.push(':');
                    value.push_json(json);
                }
                json.push('}');
                Ok(())
            }
        };
        written.expect("a string takes all that is written");
    }

    /// The tree of a contract from its JSON.
    ///
    /// Ranges are not looked at: a count beyond its array, or a number that no enumeration has, is for
    /// [`super::write()`] to refuse.
    pub fn from_json(
        catalog: &Catalog,
        id: ContractId,
        json: &serde_json::Value,
    ) -> Result<Value, ShapeError> {
        let shape = Shape { catalog, root: &catalog.get(id).name };
        shape.object(id, json, "")
    }
}

/// Walks JSON and contract together.
struct Shape<'a> {
    catalog: &'a Catalog,
    root: &'a str,
}

impl Shape<'_> {
    fn object(&self, id: ContractId, json: &serde_json::Value, path: &str) -> Result<Value, ShapeError> {
        let members = json.as_object().ok_or_else(|| self.error(path, "an object", json))?;
        let fields: Vec<&Field> =
            self.catalog.get(id).descriptor().fields.iter().filter(|field| !is_hidden(field)).collect();
        if let Some(extra) = members.keys().find(|&key| !fields.iter().any(|field| field.name == *key)) {
            return Err(self.error(&join(path, extra), "nothing", &members[extra]));
        }
        let mut values = Vec::new();
        for field in fields {
            let path = join(path, &field.name);
            let json = members.get(&field.name).unwrap_or(&serde_json::Value::Null);
            let value = if field.role == Role::Text {
                let text = json.as_str().ok_or_else(|| self.error(&path, "text", json))?;
                Value::Text(text.to_owned())
            } else if is_bytes(&field.ty) {
                let bytes = json.as_str().and_then(unhex);
                Value::Bytes(bytes.ok_or_else(|| self.error(&path, "bytes in hexadecimal", json))?)
            } else {
                self.array(field.ty.element, &field.ty.dims, json, &path)?
            };
            values.push((field.name.clone(), value));
        }
        Ok(Value::Object(values))
    }

    fn array(
        &self,
        element: Element,
        dims: &[u32],
        json: &serde_json::Value,
        path: &str,
    ) -> Result<Value, ShapeError> {
        let [_, inner @ ..] = dims else {
            return self.element(element, json, path);
        };
        let items = json.as_array().ok_or_else(|| self.error(path, "an array", json))?;
        let items = items
            .iter()
            .enumerate()
            .map(|(index, item)| self.array(element, inner, item, &join(path, &index.to_string())));
        items.collect::<Result<_, _>>().map(Value::List)
    }

    fn element(&self, element: Element, json: &serde_json::Value, path: &str) -> Result<Value, ShapeError> {
        let bits = |digits| {
            let hex = json.as_str().and_then(|text| text.strip_prefix("0x"));
            hex.filter(|hex| hex.len() == digits).and_then(|hex| u64::from_str_radix(hex, 16).ok())
        };
        match element {
            Element::Descriptor(nested) => self.object(nested, json, path),
            Element::Scalar(Scalar::Bool) => {
                json.as_bool().map(Value::Bool).ok_or_else(|| self.error(path, "a bool", json))
            }
            Element::Scalar(Scalar::F32) => bits(8)
                .and_then(|bits| u32::try_from(bits).ok())
                .map(Value::F32)
                .ok_or_else(|| self.error(path, "the bits of an f32", json)),
            Element::Scalar(Scalar::F64) => {
                bits(16).map(Value::F64).ok_or_else(|| self.error(path, "the bits of an f64", json))
            }
            Element::Scalar(_) | Element::Enumeration { .. } | Element::Flags { .. } => {
                let unsigned = json.as_u64().map(i128::from);
                let number = unsigned.or_else(|| json.as_i64().map(i128::from));
                number.map(Value::Integer).ok_or_else(|| self.error(path, "an integer", json))
            }
        }
    }

    fn error(&self, path: &str, expected: &str, found: &serde_json::Value) -> ShapeError {
        ShapeError {
            contract: self.root.to_owned(),
            path: path.to_owned(),
            expected: expected.to_owned(),
            found: found.to_string(),
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Bytes in lower hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    // Documents of a mebibyte come this way: no iterator between two digits.
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// Bytes from lower or upper hexadecimal; nothing when it is not an even number of digits.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] << 4 | pair[1]).ok()).collect()
}
