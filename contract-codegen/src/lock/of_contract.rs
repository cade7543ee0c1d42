//! The form of a contract of a catalog.
//!
//! It starts from the text that the wire id covers, so that nothing of it is missing, and puts to each member what a
//! record has as numbers, and what languages call it.

mod export;
mod message;

use toml::{Table, Value};

use super::form::{Form, Kind, number};
use super::types;
use crate::catalog::encode;
use crate::catalog::json::{Json, hex};
use crate::model::{
    AbiField, AbiStruct, AbiType, Body, Catalog, Content, ContractId, DataKey, DataType, DataValue,
    Descriptor, Element, Endian, EnumValue, Enumeration, Field, JsonType, Key, Recipe, Union, Variant,
};

impl Form {
    /// What is agreed of a contract of a catalog.
    ///
    /// # Panics
    /// When the id is of another catalog.
    pub fn of(catalog: &Catalog, id: ContractId) -> Form {
        let contract = catalog.get(id);
        let mut table = Table::new();
        if let Json::Object(covered) = encode::wire(catalog, contract) {
            let said = covered.into_iter().filter(|(key, _)| key != "kind" && key != "name");
            table.extend(said.map(|(key, json)| (key, value(json))));
        }
        put(&mut table, "package", contract.package.as_str());
        put_if(&mut table, "was", contract.was.as_deref());
        rest(&mut table, contract.since, contract.deprecated.as_ref(), contract.c_name.as_ref());
        match &contract.body {
            Body::Descriptor(body) => descriptor(catalog, id, body, &mut table),
            Body::Enumeration(body) => enumeration(body, &mut table),
            Body::Flags(body) => values(&body.values, &mut table),
            Body::Recipe(body) => recipe(catalog, body, &mut table),
            Body::Union(body) => union(catalog, body, &mut table),
            Body::Message(body) => message::message(catalog, body, &mut table),
            Body::Messages(body) => message::messages(catalog, body, &mut table),
            Body::Abi(body) => abi(catalog, body, &mut table),
            Body::Handle(body) => export::handle(body, &mut table),
            Body::Function(body) => export::function(catalog, body, &mut table),
            Body::Symbols(_) => {}
        }
        Form {
            path: path(catalog, id),
            version: contract.version.unwrap_or(1),
            kind: Kind::from_name(contract.kind()).expect("every kind of a model is one of a form"),
            wire_id: contract.wire_id,
            table,
        }
    }
}

/// The path by which the lock calls a contract.
pub(super) fn path(catalog: &Catalog, id: ContractId) -> String {
    let contract = catalog.get(id);
    let namespace = match &contract.body {
        Body::Function(_) => "()",
        Body::Symbols(symbols) if symbols.is_library => " (library)",
        Body::Symbols(_) => " (symbols)",
        _ => "",
    };
    format!("{}::{}{namespace}", contract.module, contract.name)
}

fn descriptor(catalog: &Catalog, id: ContractId, descriptor: &Descriptor, table: &mut Table) {
    put(table, "size", descriptor.size);
    put(table, "align", descriptor.align);
    for (index, (member, field)) in members(table, "fields").zip(&descriptor.fields).enumerate() {
        let Field { name, was, c_name, since, deprecated, offset, ty, .. } = field;
        named(member, name, was.as_deref());
        put(member, "at", *offset);
        put(member, "size", catalog.field_size(field));
        put(member, "type", types::of_field(catalog, ty));
        let has_order = !matches!(ty.element, Element::Descriptor(_)) && catalog.element_size(ty.element) > 1;
        let endian = match ty.endian {
            Endian::Little => "little",
            Endian::Big => "big",
            Endian::Native => "native",
        };
        put_if(member, "endian", (has_order || ty.endian != Endian::Little).then_some(endian));
        let held = match ty.element {
            Element::Scalar(_) => None,
            Element::Enumeration { contract, .. }
            | Element::Flags { contract }
            | Element::Descriptor(contract) => Some(contract),
        };
        put_if(member, "wire_id", held.map(|held| wire_id(catalog, held)));
        put_if(member, "default", catalog.default_of(id, index).map(|bytes| hex(&bytes)));
        rest(member, *since, deprecated.as_ref(), c_name.as_ref());
    }
}

fn enumeration(enumeration: &Enumeration, table: &mut Table) {
    let key = |key: &DataKey| {
        let ty = match key.ty {
            DataType::I64 => "i64",
            DataType::U64 => "u64",
            DataType::Bool => "bool",
            DataType::Text => "text",
        };
        Value::Table(Table::from_iter([
            ("name".to_owned(), Value::from(&*key.name)),
            ("type".to_owned(), Value::from(ty)),
        ]))
    };
    if !enumeration.data.is_empty() {
        put(table, "data", enumeration.data.iter().map(key).collect::<Vec<_>>());
    }
    values(&enumeration.values, table);
    // In the order of the keys: a table has none.
    for (member, value) in members(table, "values").zip(&enumeration.values) {
        let data = value.data.iter().map(|data| match data {
            DataValue::Integer(data) => number(*data),
            DataValue::Bool(data) => Value::from(*data),
            DataValue::Text(data) => Value::from(&**data),
        });
        put_if(member, "data", (!value.data.is_empty()).then(|| data.collect::<Vec<_>>()));
    }
}

fn values(values: &[EnumValue], table: &mut Table) {
    for (member, value) in members(table, "values").zip(values) {
        put_if(member, "rust", (value.name != value.wire_name).then_some(&*value.name));
        rest(member, value.since, value.deprecated.as_ref(), value.c_name.as_ref());
    }
}

fn recipe(catalog: &Catalog, recipe: &Recipe, table: &mut Table) {
    for (member, key) in members(table, "fields").zip(&recipe.keys) {
        let Key { name, key: spelled, c_name, since, deprecated, ty, .. } = key;
        put(member, "name", &**spelled);
        put_if(member, "rust", (name != spelled).then_some(&**name));
        put(member, "type", types::of_key(catalog, key));
        json_type(catalog, ty, member);
        rest(member, *since, deprecated.as_ref(), c_name.as_ref());
    }
}

fn union(catalog: &Catalog, union: &Union, table: &mut Table) {
    for (member, variant) in members(table, "variants").zip(&union.variants) {
        let Variant { name, tag, c_name, since, deprecated, content, .. } = variant;
        put_if(member, "rust", (name != tag).then_some(&**name));
        if let Content::Value { ty, .. } = content {
            put(member, "type", types::of_json(catalog, ty));
            json_type(catalog, ty, member);
        }
        rest(member, *since, deprecated.as_ref(), c_name.as_ref());
    }
}

/// What belongs to a type in a document.
fn json_type(catalog: &Catalog, ty: &JsonType, member: &mut Table) {
    put_if(member, "spelling", types::spelling(ty));
    put_if(member, "wire_id", ty.contract().map(|held| wire_id(catalog, held)));
}

fn abi(catalog: &Catalog, body: &AbiStruct, table: &mut Table) {
    put(table, "size", body.layouts.map(|layout| layout.size).to_vec());
    put(table, "align", body.layouts.map(|layout| layout.align).to_vec());
    for (member, field) in members(table, "fields").zip(&body.fields) {
        let AbiField { name, was, c_name, c_type, since, deprecated, ty, offsets, .. } = field;
        named(member, name, was.as_deref());
        put(member, "at", offsets.to_vec());
        abi_type(catalog, ty, member);
        put_if(member, "c_type", c_type.as_deref());
        rest(member, *since, deprecated.as_ref(), c_name.as_ref());
    }
}

/// What says a type in memory.
fn abi_type(catalog: &Catalog, ty: &AbiType, member: &mut Table) {
    put(member, "type", types::of_abi(catalog, ty));
    let mut signatures = Vec::new();
    parameter_names(ty, &mut signatures);
    let has_names = signatures.iter().any(Value::is_array);
    put_if(member, "params", has_names.then_some(signatures));

    let (mut held, mut pointees) = (Vec::new(), Vec::new());
    ty.contracts(&mut held, &mut pointees);
    match *held {
        [] => {}
        [held] => put(member, "wire_id", wire_id(catalog, held)),
        _ => {
            let ids: Vec<String> = held.iter().map(|held| wire_id(catalog, *held)).collect();
            put(member, "wire_ids", ids);
        }
    }
    // The wire id covers the name that a struct behind a pointer was accepted under, and nothing else of it.
    let pointees: Vec<_> = pointees.into_iter().map(|to| catalog.get(to)).collect();
    let accepted = pointees.iter().map(|to| to.was.as_ref().unwrap_or(&to.name).as_str());
    let is_renamed = pointees.iter().any(|to| to.was.is_some());
    put_if(member, "points_to", is_renamed.then(|| accepted.collect::<Vec<_>>()));
}

/// For each function type the names of its parameters; `false` for one whose declaration has none to see.
fn parameter_names(ty: &AbiType, names: &mut Vec<Value>) {
    if let AbiType::Function(signature) = ty {
        let of_params = signature.params.iter().map(|param| Value::from(&*param.name));
        names.push(if signature.named { Value::Array(of_params.collect()) } else { Value::Boolean(false) });
    }
    ty.parts().into_iter().for_each(|part| parameter_names(part, names));
}

fn wire_id(catalog: &Catalog, id: ContractId) -> String {
    format!("{:#018x}", catalog.get(id).wire_id)
}

/// The members of a section.
fn members<'table>(table: &'table mut Table, section: &str) -> impl Iterator<Item = &'table mut Table> {
    let section = table.get_mut(section).and_then(Value::as_array_mut);
    section.into_iter().flatten().filter_map(Value::as_table_mut)
}

fn named(member: &mut Table, name: &str, was: Option<&str>) {
    put(member, "name", name);
    put_if(member, "was", was);
}

/// What contracts and members have alike, and the wire id does not cover.
fn rest(table: &mut Table, since: Option<u32>, deprecated: Option<&String>, c_name: Option<&String>) {
    put_if(table, "since", since);
    put_if(table, "deprecated", deprecated.map(String::as_str));
    put_if(table, "c_name", c_name.map(String::as_str));
}

fn put(table: &mut Table, key: &str, value: impl Into<Value>) {
    table.insert(key.to_owned(), value.into());
}

fn put_if(table: &mut Table, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        put(table, key, value);
    }
}

/// A value of a record's text.
fn value(json: Json) -> Value {
    match json {
        Json::Null => unreachable!("no record has a null"),
        Json::Bool(truth) => Value::Boolean(truth),
        Json::Integer(of) => number(of),
        Json::Float(of) => Value::Float(of),
        Json::Text(text) => Value::String(text),
        Json::Array(items) => Value::Array(items.into_iter().map(value).collect()),
        Json::Object(members) => {
            Value::Table(members.into_iter().map(|(key, json)| (key, value(json))).collect())
        }
    }
}
