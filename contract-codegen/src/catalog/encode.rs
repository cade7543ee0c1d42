//! Records written from the model, for tests, benchmarks and fuzzing seeds: what the derive leaves in a library,
//! without compiling one.

mod abi;
mod export;
pub(crate) mod message;
mod recipe;

use std::collections::BTreeMap;

use wirecontract::record::{FORMAT, MAGIC, NOTE_NAME};

use super::hash::{Fnv, halves};
use super::held;
use super::json::{Json, hex};
use crate::model::{
    Body, Catalog, ConditionKind, Contract, ContractId, DataValue, Descriptor, Element, Endian, EnumValue,
    Field, Layout, Role, Spelled,
};

/// The machine a record is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Big-endian.
    pub big: bool,
    /// Bytes of a pointer.
    pub pointer: u8,
    /// No names, only ids.
    pub ids_only: bool,
}

impl Target {
    /// x86-64.
    pub const X86_64: Target = Target { big: false, pointer: 8, ids_only: false };
}

/// A record and the ids it states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The note with its header; a multiple of 4 bytes.
    pub bytes: Vec<u8>,
    /// The wire id.
    pub wire_id: u64,
    /// The source id.
    pub source_id: u64,
}

/// The records of a catalog, in its order. Ids in the catalog are not looked at.
pub fn records(catalog: &Catalog, target: Target) -> Vec<Encoded> {
    let mut encoded: Vec<Encoded> = Vec::with_capacity(catalog.contracts.len());
    for (_, contract) in catalog.iter() {
        let ids: BTreeMap<ContractId, (u64, u64)> = held(contract)
            .into_iter()
            .map(|id| (id, (encoded[id.0].wire_id, encoded[id.0].source_id)))
            .collect();
        encoded.push(Lines::of(catalog, contract).encode(&words(catalog, contract, &ids), target));
    }
    encoded
}

/// The four lines of a record's text, free to be changed before they are encoded.
#[derive(Debug, Clone)]
pub struct Lines {
    /// What the wire id covers.
    pub wire: String,
    /// What the source id covers besides.
    pub source: String,
    /// The module path, which the source id covers too.
    pub module: String,
    /// Where the declaration stands.
    pub position: String,
    /// The source file.
    pub file: String,
}

/// A word, and whether it is part of a nested source id.
pub type Word = (u32, bool);

impl Lines {
    /// The lines of a contract of the catalog.
    pub fn of(catalog: &Catalog, contract: &Contract) -> Self {
        let position = Json::Object(vec![
            ("package_version".into(), Json::text(&contract.package_version)),
            ("module".into(), Json::text(&contract.module)),
            ("line".into(), Json::Integer(contract.line.into())),
            ("column".into(), Json::Integer(1)),
        ]);
        Lines {
            wire: one_line(&by_name(wire(catalog, contract))),
            source: one_line(&source(contract)),
            module: contract.module.clone(),
            position: one_line(&position),
            file: contract.file.clone(),
        }
    }

    /// The record of these lines and words.
    pub fn encode(&self, words: &[Word], target: Target) -> Encoded {
        let wire = Fnv::new().bytes(self.wire.as_bytes());
        let source = wire.bytes(b"\n").bytes(self.source.as_bytes()).bytes(self.module.as_bytes());
        let wire = words.iter().filter(|word| !word.1).fold(wire, |hash, word| hash.word(word.0));
        let source = words.iter().fold(source, |hash, word| hash.word(word.0));
        let (wire_id, source_id) = (wire.finish(), source.finish());

        let text = [&*self.wire, &*self.source, &*self.position, &*self.file].join("\n");
        let text = if target.ids_only { "" } else { &text };
        let number = |value: usize| u32::try_from(value).expect("a record is small");
        let length = number(40 + 4 * words.len() + text.len());
        let machine = u32::from(target.pointer)
            | 8 << 8
            | u32::from(target.big) << 16
            | u32::from(target.ids_only) << 24;
        let mut numbers = vec![FORMAT, machine];
        numbers.extend(halves(wire_id));
        numbers.extend(halves(source_id));
        numbers.extend([number(words.len()), number(text.len())]);
        numbers.extend(words.iter().map(|word| word.0));

        let order = |value: u32| if target.big { value.to_be_bytes() } else { value.to_le_bytes() };
        let mut bytes: Vec<u8> = [13, length, 1].into_iter().flat_map(order).collect();
        bytes.extend(NOTE_NAME);
        bytes.extend(MAGIC);
        bytes.extend(numbers.into_iter().flat_map(order));
        bytes.extend(text.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        Encoded { bytes, wire_id, source_id }
    }
}

/// The words of a contract whose nested contracts have these ids (wire, source).
pub fn words(catalog: &Catalog, contract: &Contract, ids: &BTreeMap<ContractId, (u64, u64)>) -> Vec<Word> {
    let descriptor = match &contract.body {
        Body::Descriptor(descriptor) => descriptor,
        Body::Abi(body) => return abi::words(catalog, body, ids),
        Body::Handle(handle) => return vec![(handle.tag.into(), false)],
        Body::Function(function) => return export::words(catalog, function, ids),
        body @ (Body::Message(_) | Body::Messages(_)) => return message::words(catalog, body, ids),
        body => return recipe::words(body, ids),
    };
    let mut words = vec![(descriptor.size, false), (descriptor.align, false)];
    if let Some(growth) = &descriptor.growth {
        words.extend(growth.defaults.chunks(4).map(|bytes| {
            let mut word = [0; 4];
            word[..bytes.len()].copy_from_slice(bytes);
            (u32::from_le_bytes(word), false)
        }));
    }
    for Field { offset, ty, .. } in &descriptor.fields {
        let (code, open) = match ty.element {
            Element::Scalar(scalar) => (1 + scalar as u32, false),
            Element::Enumeration { open, .. } => (20, open),
            Element::Flags { .. } => (21, false),
            Element::Descriptor(_) => (22, false),
        };
        let endian = match ty.endian {
            Endian::Little => 1,
            Endian::Big => 2,
            Endian::Native => 3,
        };
        let nested = super::held_element(ty.element);
        let rank = u32::try_from(ty.dims.len()).expect("at most 4 dimensions");
        let word =
            code | endian << 8 | u32::from(open) << 10 | u32::from(nested.is_some()) << 11 | rank << 12;
        words.extend([(*offset, false), (word, false)]);
        words.extend(ty.dims.iter().map(|&dim| (dim, false)));
        if let Some((wire_id, source_id)) = nested.and_then(|id| ids.get(&id)) {
            words.extend(halves(*wire_id).map(|word| (word, false)));
            words.extend(halves(*source_id).map(|word| (word, true)));
        }
    }
    words
}

/// On one line without spaces, as the derive writes it.
fn one_line(json: &Json) -> String {
    match json {
        Json::Array(items) => format!("[{}]", items.iter().map(one_line).collect::<Vec<_>>().join(",")),
        Json::Object(members) => {
            let member = |(name, value): &(String, Json)| {
                format!("{}:{}", one_line(&Json::text(name)), one_line(value))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
        other => other.pretty().trim_end().to_owned(),
    }
}

/// Flags in defaults in the order of their names, as the derive writes them: that of a declaration says nothing. The lock
/// has them in the order of their bits.
fn by_name(json: Json) -> Json {
    let text = |json: &Json| if let Json::Text(text) = json { text.clone() } else { String::new() };
    match json {
        Json::Array(items) => Json::Array(items.into_iter().map(by_name).collect()),
        Json::Object(members) => {
            let member = |(key, value): (String, Json)| match (&*key, value) {
                ("flags", Json::Array(mut names)) => {
                    names.sort_by_key(text);
                    (key, Json::Array(names))
                }
                (_, value) => (key, by_name(value)),
            };
            Json::Object(members.into_iter().map(member).collect())
        }
        other => other,
    }
}

fn accepted(name: &str, was: Option<&String>) -> Json {
    Json::text(was.map_or(name, String::as_str))
}

/// What the wire id covers of a contract, beside its words.
pub(crate) fn wire(catalog: &Catalog, contract: &Contract) -> Json {
    let mut json = vec![("kind".into(), Json::text(contract.kind()))];
    if !matches!(contract.body, Body::Function(_)) {
        json.push(("name".into(), accepted(&contract.name, contract.was.as_ref())));
    }
    let names = recipe::first_names(&contract.body);
    match &contract.body {
        Body::Descriptor(descriptor) => {
            let layout = match descriptor.layout {
                Layout::Natural => "natural",
                Layout::Packed => "packed",
            };
            json.push(("layout".into(), Json::text(layout)));
            if let Some(growth) = &descriptor.growth {
                let sizes = growth.sizes.iter().map(|&size| Json::Integer(size.into())).collect();
                json.push(("sizes".into(), Json::Array(sizes)));
            }
            let fields = descriptor
                .fields
                .iter()
                .enumerate()
                .map(|(index, field)| wire_field(descriptor, index, field, &names));
            json.push(("fields".into(), Json::Array(fields.collect())));
            json.extend(present([("rules", recipe::rules(&descriptor.rules, &names))]));
        }
        Body::Enumeration(enumeration) => {
            json.push(("repr".into(), Json::text(enumeration.repr.name())));
            json.extend(present([
                ("as", (enumeration.spelled == Spelled::Integer).then(|| Json::text("integer"))),
                ("case", enumeration.fold.then(|| Json::text("fold"))),
            ]));
            let keys: Vec<&str> = enumeration.data.iter().map(|key| key.name.as_str()).collect();
            let values = enumeration.values.iter().map(|value| wire_value(value, &keys));
            json.push(("values".into(), Json::Array(values.collect())));
        }
        Body::Flags(flags) => {
            json.push(("repr".into(), Json::text(flags.repr.name())));
            json.push(("open".into(), Json::Bool(flags.open)));
            json.extend(present([("as", (flags.spelled == Spelled::Names).then(|| Json::text("names")))]));
            let values = flags.values.iter().map(|value| wire_value(value, &[]));
            json.push(("values".into(), Json::Array(values.collect())));
        }
        Body::Recipe(body) => json.extend(recipe::recipe(catalog, body, &names)),
        Body::Union(body) => json.extend(recipe::union(catalog, body)),
        Body::Message(body) => json.extend(message::message(body, &names)),
        Body::Messages(body) => json.extend(message::messages(body)),
        Body::Abi(body) => json.push(("fields".into(), abi::fields(body))),
        Body::Handle(body) => json.extend(export::handle(body)),
        Body::Function(body) => json.extend(export::function(body)),
        Body::Symbols(body) => json.extend(export::symbols(body)),
    }
    Json::Object(json)
}

fn wire_field(descriptor: &Descriptor, index: usize, field: &Field, names: &[(&str, &str)]) -> Json {
    let mut json = vec![("name".into(), accepted(&field.name, field.was.as_ref()))];
    let role = match &field.role {
        Role::Value => None,
        Role::Magic(magic) => Some(("magic", Json::Text(hex(magic)))),
        Role::Version(version) => Some(("version", Json::Integer((*version).into()))),
        Role::Reserved { zero } => Some(("reserved", Json::text(if *zero { "zero" } else { "ignored" }))),
        Role::LengthOf(targets) => {
            let name = |&target: &usize| {
                let field = &descriptor.fields[target];
                accepted(&field.name, field.was.as_ref())
            };
            Some(("length_of", Json::Array(targets.iter().map(name).collect())))
        }
        Role::Text => Some(("text", Json::Bool(true))),
    };
    json.extend(role.map(|(key, value)| (key.to_owned(), value)));
    let since = field.since.filter(|since| *since > 1 && descriptor.growth.is_some());
    json.extend(present([("since", since.map(|since| Json::Integer(since.into())))]));
    let condition = recipe::condition(&descriptor.conditions, index, ConditionKind::UsedIf, names);
    json.extend(present([("one_of", condition)]));
    Json::Object(json)
}

fn wire_value(value: &EnumValue, keys: &[&str]) -> Json {
    let mut json =
        vec![("name".into(), Json::text(&value.wire_name)), ("value".into(), Json::Integer(value.value))];
    if !value.aliases.is_empty() {
        json.push(("alias".into(), Json::Array(value.aliases.iter().map(Json::text).collect())));
    }
    let data = keys.iter().zip(&value.data).map(|(key, value)| {
        let value = match value {
            DataValue::Integer(number) => Json::Integer(*number),
            DataValue::Bool(value) => Json::Bool(*value),
            DataValue::Text(text) => Json::text(text),
        };
        ((*key).to_owned(), value)
    });
    if !keys.is_empty() {
        json.push(("data".into(), Json::Object(data.collect())));
    }
    Json::Object(json)
}

/// The object's members that are not absent.
fn present(members: impl IntoIterator<Item = (&'static str, Option<Json>)>) -> Vec<(String, Json)> {
    members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

fn source(contract: &Contract) -> Json {
    let renamed = |name: &String, was: &Option<String>| was.as_ref().map(|_| Json::text(name));
    let members = match &contract.body {
        Body::Descriptor(descriptor) => descriptor
            .fields
            .iter()
            .enumerate()
            .map(|(index, field)| {
                Json::Object(present([
                    ("name", renamed(&field.name, &field.was)),
                    ("docs", docs(&field.docs)),
                    ("c_name", field.c_name.as_ref().map(Json::text)),
                    (
                        "since",
                        field
                            .since
                            .filter(|_| descriptor.growth.is_none())
                            .map(|since| Json::Integer(since.into())),
                    ),
                    ("deprecated", field.deprecated.as_ref().map(Json::text)),
                    ("one_of", recipe::declared(contract, index, ConditionKind::UsedIf)),
                ]))
            })
            .collect(),
        Body::Enumeration(enumeration) => enumeration.values.iter().map(source_value).collect(),
        Body::Flags(flags) => flags.values.iter().map(source_value).collect(),
        Body::Recipe(_) | Body::Union(_) => recipe::source_members(contract),
        Body::Message(_) | Body::Messages(_) => message::source_members(contract),
        Body::Abi(body) => abi::source_members(body),
        Body::Function(body) => export::source_members(body),
        Body::Handle(_) | Body::Symbols(_) => Vec::new(),
    };
    let (prefix, name) = match &contract.body {
        Body::Handle(handle) => (Some(&handle.prefix), renamed(&contract.name, &contract.was)),
        Body::Function(function) => (Some(&function.prefix), Some(Json::text(&contract.name))),
        _ => (None, renamed(&contract.name, &contract.was)),
    };
    Json::Object(present([
        ("name", name),
        ("docs", docs(&contract.docs)),
        ("version", contract.version.map(|version| Json::Integer(version.into()))),
        ("earlier", (!contract.earlier.is_empty()).then(|| earlier(contract))),
        ("since", contract.since.map(|since| Json::Integer(since.into()))),
        ("deprecated", contract.deprecated.as_ref().map(Json::text)),
        ("c_name", contract.c_name.as_ref().map(Json::text)),
        ("prefix", prefix.map(Json::text)),
        ("package", Some(Json::text(&contract.package))),
        ("members", Some(Json::Array(members))),
        ("rules", recipe::declared_rules(contract)),
    ]))
}

/// Earlier versions that are spoken, as records and the JSON artifact say them.
pub(crate) fn earlier(contract: &Contract) -> Json {
    let each = |&(version, wire_id): &(u32, u64)| {
        Json::Object(present([
            ("version", Some(Json::Integer(version.into()))),
            ("wire_id", Some(Json::id(wire_id))),
        ]))
    };
    Json::Array(contract.earlier.iter().map(each).collect())
}

fn source_value(value: &EnumValue) -> Json {
    Json::Object(present([
        ("name", (value.name != value.wire_name).then(|| Json::text(&value.name))),
        ("docs", docs(&value.docs)),
        ("c_name", value.c_name.as_ref().map(Json::text)),
        ("since", value.since.map(|since| Json::Integer(since.into()))),
        ("deprecated", value.deprecated.as_ref().map(Json::text)),
    ]))
}

fn docs(text: &str) -> Option<Json> {
    (!text.is_empty()).then(|| Json::text(text))
}
