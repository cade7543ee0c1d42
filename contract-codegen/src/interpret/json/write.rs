//! A value to its one spelling, or to the first fault.

use std::cmp::Ordering;

use super::check::{Place, brief};
use super::document::{compact, depth, parse};
use super::encoding;
use super::lookup::{check_rules, default_value, known_tags, spelled};
use super::number;
use super::read::{begin_again, bounds};
use super::value::Value;
use crate::interpret::{self, Code, Fault, Host};
use crate::model::{
    Body, Catalog, Content, ContractId, JsonType, Key, Moment, Presence, Spelled, Tagging, Union, WhenAbsent,
};

/// Writes a recipe or union.
///
/// A value may hold what only some languages can: a number beyond its bounds, too many items, a float that is not
/// finite. It is refused as a reader would refuse it, at offset 0.
///
/// # Panics
/// When the value is not of the contract's shape.
pub fn write(catalog: &Catalog, id: ContractId, value: &Value) -> Result<String, Fault> {
    let place = Place { contract: &catalog.get(id).name, field: "", offset: 0 };
    Checker { catalog }.whole(id, value)?;
    let text = document(catalog, id, value);
    let (max_bytes, max_depth) = bounds(catalog, id);
    if text.len() > max_bytes {
        return Err(place.fault(
            Code::TooLarge,
            format!("at most {max_bytes} bytes"),
            text.len().to_string(),
        ));
    }
    if depth(&text) > max_depth {
        return Err(place.fault(Code::TooDeep, format!("at most {max_depth} levels"), ""));
    }
    // What came with an unknown tag may have a key that the object has without it.
    let written = parse(&text, max_depth).expect("JSON was written");
    if let Some((start, end)) = written.duplicate {
        return Err(place.fault(Code::DuplicateKey, "each key once", brief(&text[start..end])));
    }
    // Or one that makes a union another variant.
    begin_again(catalog, id, value, &written)?;
    Ok(text)
}

/// What a writer checks before it writes: everything but how long and how deep the document would be, and whether what
/// came with an unknown tag makes a key stand there twice or a union another variant.
///
/// # Panics
/// When the value is not of the contract's shape.
pub fn check(catalog: &Catalog, id: ContractId, value: &Value) -> Result<(), Fault> {
    Checker { catalog }.whole(id, value)
}

/// The document of a value, whatever is wrong with it.
pub fn document(catalog: &Catalog, id: ContractId, value: &Value) -> String {
    let members = Writer { catalog }.members(id, value);
    format!("{{{}}}", members.join(","))
}

struct Checker<'a> {
    catalog: &'a Catalog,
}

impl Checker<'_> {
    fn whole(&self, id: ContractId, value: &Value) -> Result<(), Fault> {
        self.members(id, value)?;
        check_rules(self.catalog, id, value, 0, Moment::Read, 0)
    }

    fn members(&self, id: ContractId, value: &Value) -> Result<(), Fault> {
        let contract = self.catalog.get(id);
        match (&contract.body, value) {
            (Body::Recipe(recipe), Value::Recipe(members)) => {
                for (key, member) in recipe.keys.iter().zip(members) {
                    match (member, &key.ty) {
                        (Some(member), JsonType::Recipe(part) | JsonType::Union(part)) if key.flatten => {
                            self.whole(*part, member)?;
                        }
                        (Some(member), ty) => {
                            let place = Place { contract: &contract.name, field: &key.key, offset: 0 };
                            self.value(ty, member, place)?;
                        }
                        (None, _) => {}
                    }
                }
                Ok(())
            }
            (Body::Union(union), Value::Union(variant, Some(content))) => {
                match (&union.variants[*variant].content, &union.tagging) {
                    (Content::Value { ty, .. }, Tagging::Adjacent { content: key, .. }) => {
                        let place = Place { contract: &contract.name, field: key, offset: 0 };
                        self.value(ty, content, place)
                    }
                    (Content::Value { ty: JsonType::Recipe(part), .. }, _) => self.whole(*part, content),
                    (other, _) => panic!("{other:?} holds no {content:?}"),
                }
            }
            (Body::Union(union), Value::Other { tag, content }) => {
                other_is_right(union, tag, content.as_deref(), &contract.name)
            }
            (Body::Union(_), Value::Union(_, None)) => Ok(()),
            (_, value) => panic!("{value:?} is no {}", contract.name),
        }
    }

    fn value(&self, ty: &JsonType, value: &Value, place: Place<'_>) -> Result<(), Fault> {
        let catalog = self.catalog;
        let found = || Writer { catalog }.value(ty, value);
        match (ty, value) {
            (JsonType::Bool, Value::Bool(_)) => Ok(()),
            (JsonType::Enumeration { open: true, max_len, .. }, Value::Text(name)) => {
                place.at_most_bytes(*max_len, name.len())
            }
            (JsonType::Integer { min, max, .. }, Value::Integer(number)) => {
                if (min..=max).contains(&number) {
                    Ok(())
                } else {
                    Err(place.out_of_range(*min, *max, &found()))
                }
            }
            (JsonType::Float { min, max, .. }, Value::Float(float)) => {
                place.float(*float, *min, *max, &number::shown(*float))
            }
            (JsonType::Text { max_len }, Value::Text(text)) => place.at_most_bytes(*max_len, text.len()),
            (JsonType::Json { max_len }, Value::Json(json)) => {
                place.at_most_bytes(*max_len, compact(json).len())
            }
            (JsonType::Bytes { length, spelling }, Value::Bytes(bytes)) => {
                place.bytes(*length, *spelling, bytes, &found())
            }
            (JsonType::Array { item, length }, Value::List(items)) => {
                for (index, value) in items.iter().enumerate() {
                    place.item(*length, index)?;
                    self.value(item, value, place)?;
                }
                place.item_count(*length, items.len())
            }
            (JsonType::Map { max_items, max_len }, Value::Map(members)) => {
                let mut before: Option<&String> = None;
                for (index, (key, value)) in members.iter().enumerate() {
                    place.member(*max_items, index)?;
                    place.at_most_bytes(*max_len, key.len())?;
                    // Only C and C++ have maps whose keys are in no order.
                    match before.replace(key).map(|before| before.cmp(key)) {
                        None | Some(Ordering::Less) => {}
                        Some(Ordering::Equal) => {
                            return Err(place.fault(Code::DuplicateKey, "each key once", ""));
                        }
                        Some(Ordering::Greater) => {
                            return Err(place.fault(Code::BadEncoding, "keys in ascending order", ""));
                        }
                    }
                    place.at_most_bytes(*max_len, value.len())?;
                }
                Ok(())
            }
            (JsonType::Enumeration { contract, open, .. }, Value::Integer(number)) => {
                let closed = !open || spelled(catalog, *contract) == Spelled::Names;
                place.enumeration(catalog, *contract, !closed, Some(*number), &number.to_string())
            }
            (JsonType::Flags { contract }, Value::Integer(number)) => {
                place.flags(catalog, *contract, Some(*number), &number.to_string())
            }
            (JsonType::Descriptor { contract, .. }, Value::Descriptor(value)) => {
                match interpret::write(catalog, *contract, value, Host::this()) {
                    Ok(_) => Ok(()),
                    Err(fault) => Err(Fault { offset: 0, ..fault }),
                }
            }
            (JsonType::Recipe(id) | JsonType::Union(id), value) => self.whole(*id, value),
            (ty, value) => panic!("{value:?} is not of {ty:?}"),
        }
    }
}

struct Writer<'a> {
    catalog: &'a Catalog,
}

impl Writer<'_> {
    /// `"key":value` for each key that is written.
    fn members(&self, id: ContractId, value: &Value) -> Vec<String> {
        let contract = self.catalog.get(id);
        match (&contract.body, value) {
            (Body::Recipe(recipe), Value::Recipe(values)) => recipe
                .keys
                .iter()
                .zip(values)
                .flat_map(|(key, value)| self.key(key, value.as_ref()))
                .collect(),
            (Body::Union(union), value) => {
                let (tag, content) = match value {
                    Value::Union(index, content) => {
                        let variant = &union.variants[*index];
                        let tag = (variant.when_absent != WhenAbsent::NoTag).then_some(variant.tag.as_str());
                        let content = match (content, &variant.content) {
                            (Some(content), Content::Value { ty, .. }) => Some((ty, &**content)),
                            _ => None,
                        };
                        (tag, self.content(&union.tagging, content))
                    }
                    Value::Other { tag, content } => {
                        (Some(tag.as_str()), other(&union.tagging, content.as_deref()))
                    }
                    value => panic!("{value:?} is no union"),
                };
                let (key, is_last) = match &union.tagging {
                    Tagging::Internal { tag, last } | Tagging::Adjacent { tag, last, .. } => (tag, *last),
                    Tagging::Untagged => return content,
                };
                let tag = tag.map(|tag| member(key, &string(tag)));
                let (before, behind) = if is_last { (None, tag) } else { (tag, None) };
                before.into_iter().chain(content).chain(behind).collect()
            }
            (_, value) => panic!("{value:?} is no {}", contract.name),
        }
    }

    fn content(&self, tagging: &Tagging, content: Option<(&JsonType, &Value)>) -> Vec<String> {
        match (tagging, content) {
            (_, None) => Vec::new(),
            (Tagging::Adjacent { content: key, .. }, Some((ty, value))) => {
                vec![member(key, &self.value(ty, value))]
            }
            (_, Some((JsonType::Recipe(id), value))) => self.members(*id, value),
            (_, Some((ty, _))) => panic!("{ty:?} has no keys of its own"),
        }
    }

    fn key(&self, key: &Key, value: Option<&Value>) -> Vec<String> {
        match (&key.ty, value, &key.presence) {
            (JsonType::Recipe(part) | JsonType::Union(part), Some(value), _) if key.flatten => {
                self.members(*part, value)
            }
            (ty, Some(value), Presence::Defaulted { default, skip: true, .. })
                if *value == default_value(self.catalog, ty, default) =>
            {
                Vec::new()
            }
            (ty, Some(value), _) => vec![member(&key.key, &self.value(ty, value))],
            (_, None, Presence::Optional { null_when_absent: true, .. }) => vec![member(&key.key, "null")],
            (_, None, _) => Vec::new(),
        }
    }

    fn value(&self, ty: &JsonType, value: &Value) -> String {
        match (ty, value) {
            (JsonType::Integer { decimal: true, .. }, Value::Integer(number)) => format!("\"{number}\""),
            (JsonType::Enumeration { contract, .. }, Value::Integer(number)) => {
                let enumeration = self.catalog.get(*contract).enumeration();
                let named = enumeration.values.iter().find(|value| value.value == *number);
                match (enumeration.spelled, named) {
                    (Spelled::Names, Some(value)) => string(&value.wire_name),
                    _ => number.to_string(),
                }
            }
            (JsonType::Flags { contract }, Value::Integer(bits)) => {
                let flags = self.catalog.get(*contract).flags();
                match flags.spelled {
                    Spelled::Integer => bits.to_string(),
                    Spelled::Names => {
                        let mut set: Vec<_> =
                            flags.values.iter().filter(|flag| bits & flag.value == flag.value).collect();
                        set.sort_by_key(|flag| flag.value);
                        let names: Vec<String> = set.iter().map(|flag| string(&flag.wire_name)).collect();
                        format!("[{}]", names.join(","))
                    }
                }
            }
            (JsonType::Bytes { spelling, .. }, Value::Bytes(bytes)) => {
                string(&encoding::encode(bytes, *spelling))
            }
            (JsonType::Descriptor { contract, spelling }, Value::Descriptor(value)) => {
                // What is wrong with it was found before; there are no bytes to show then.
                let bytes =
                    interpret::write(self.catalog, *contract, value, Host::this()).unwrap_or_default();
                string(&encoding::encode(&bytes, *spelling))
            }
            (JsonType::Array { item, .. }, Value::List(items)) => {
                let items: Vec<String> = items.iter().map(|value| self.value(item, value)).collect();
                format!("[{}]", items.join(","))
            }
            (JsonType::Recipe(id) | JsonType::Union(id), value) => document(self.catalog, *id, value),
            (_, Value::Integer(number)) => number.to_string(),
            (_, Value::Float(float)) => number::shown(*float),
            (_, Value::Bool(bool)) => bool.to_string(),
            (_, Value::Text(text)) => string(text),
            (_, Value::Json(json)) => compact(json),
            (_, Value::Map(members)) => {
                let mut members = members.clone();
                members.sort();
                let members: Vec<String> =
                    members.iter().map(|(key, text)| member(key, &string(text))).collect();
                format!("{{{}}}", members.join(","))
            }
            (ty, value) => panic!("{value:?} is not of {ty:?}"),
        }
    }
}

/// Refuses what could not be read again: the tag of a variant, and members that are no object.
fn other_is_right(union: &Union, tag: &str, content: Option<&str>, contract: &str) -> Result<(), Fault> {
    let (Tagging::Internal { tag: field, .. } | Tagging::Adjacent { tag: field, .. }) = &union.tagging else {
        panic!("{contract} has no tags");
    };
    let place = Place { contract, field, offset: 0 };
    if known_tags(union).any(|known| known == tag) {
        return Err(place.fault(Code::UnknownTag, "a tag that no variant has", shown_tag(tag)));
    }
    match (&union.tagging, content.map(compact)) {
        (Tagging::Internal { .. }, Some(json)) if !json.starts_with('{') => {
            let found = if json.starts_with('[') { "an array".to_owned() } else { brief(&json) };
            Err(place.fault(Code::WrongType, "an object", found))
        }
        _ => Ok(()),
    }
}

/// A tag as a message shows it.
pub(crate) fn shown_tag(tag: &str) -> String {
    brief(&string(tag))
}

/// What came with an unknown tag.
fn other(tagging: &Tagging, content: Option<&str>) -> Vec<String> {
    match (tagging, content) {
        (_, None) => Vec::new(),
        (Tagging::Adjacent { content: key, .. }, Some(json)) => vec![member(key, &compact(json))],
        (_, Some(json)) => {
            let json = compact(json);
            let members = json.strip_prefix('{').and_then(|json| json.strip_suffix('}'));
            members.filter(|members| !members.is_empty()).map(str::to_owned).into_iter().collect()
        }
    }
}

fn member(key: &str, value: &str) -> String {
    format!("{}:{value}", string(key))
}

fn string(text: &str) -> String {
    let mut json = String::new();
    push_string(&mut json, text);
    json
}

/// A string with as few escapes as JSON allows.
pub(super) fn push_string(json: &mut String, text: &str) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\u{8}' => json.push_str("\\b"),
            '\t' => json.push_str("\\t"),
            '\n' => json.push_str("\\n"),
            '\u{c}' => json.push_str("\\f"),
            '\r' => json.push_str("\\r"),
            control @ '\0'..='\u{1f}' => {
                let digits = format!("{:04x}", u32::from(control));
                json.push_str("\\u");
                json.push_str(&digits);
            }
            other => json.push(other),
        }
    }
    json.push('"');
}
