//! The text of the class of an enumeration or of flags, and of its tables.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Value, context};

use super::construct::take_definitions;
use super::docs;
use super::scope::Scope;
use super::text::{statement, string};
use crate::emit::EmitError;
use crate::model::{Body, Contract, ContractId, DataKey, DataType, DataValue, EnumValue};
use crate::names::python as names;

/// What `enumeration.py.j2` takes.
pub(super) fn enumeration(scope: &Scope<'_>, id: ContractId) -> Result<Value, EmitError> {
    let contract = scope.catalog.get(id);
    let (base, values, keys, form) = match &contract.body {
        Body::Enumeration(it) => {
            ("IntEnum", &it.values, &it.data[..], format!("An enumeration in {}.", it.repr))
        }
        Body::Flags(it) => {
            let kept = if it.open { "; bits without a name are kept" } else { "" };
            ("IntFlag", &it.values, &[][..], format!("Flags in {}{kept}.", it.repr))
        }
        _ => unreachable!("it has no values"),
    };
    let keys = data(scope, contract, id, values, keys)?;
    let mut tables = Vec::new();
    if base == "IntEnum" {
        let class = scope.class(id);
        let table = scope.private("values", id);
        let line = format!("{table}: _typing.Final = {{member.value: member for member in {class}}}");
        tables.push(statement(0, &line));
    }
    tables.extend(take_definitions(scope, id));
    let attributes: BTreeSet<String> =
        contract_keys(&contract.body).iter().map(|key| names::data_key(&key.name)).collect();
    Ok(context! {
        class => scope.class(id),
        base,
        docstring => docs::contract(contract, &form),
        wire_id => docs::wire_id(contract),
        spoken => docs::spoken_aside(contract),
        members => members(contract, values)?,
        data => keys,
        tables,
        property => scope.builtin("property", &attributes),
    })
}

fn contract_keys(body: &Body) -> &[DataKey] {
    match body {
        Body::Enumeration(enumeration) => &enumeration.data,
        _ => &[],
    }
}

/// The values, and behind each its aliases, which `enum` takes for the same member.
fn members(contract: &Contract, values: &[EnumValue]) -> Result<Vec<Value>, EmitError> {
    let mut seen: BTreeMap<String, (String, i128)> = BTreeMap::new();
    let mut members = Vec::new();
    let path = |name: &str| format!("{}::{}::{name}", contract.module, contract.name);
    // A value's own name is worth more than another's alias, whichever is declared first.
    for value in values {
        let name = names::member(&value.name);
        if let Some((first, _)) = seen.insert(name.clone(), (path(&value.name), value.value)) {
            return Err(EmitError::Collision { target: "python", name, first, second: path(&value.name) });
        }
    }
    for value in values {
        members.push(context! {
            name => names::member(&value.name), value => value.value.to_string(), docstring => docs::value(value),
        });
        for alias in &value.aliases {
            let name = names::member(alias);
            let second = format!("{} (an alias of {})", path(alias), value.name);
            match seen.get(&name) {
                Some((_, number)) if *number == value.value => continue,
                Some((first, _)) => {
                    return Err(EmitError::Collision {
                        target: "python",
                        name,
                        first: first.clone(),
                        second,
                    });
                }
                None => seen.insert(name.clone(), (second, value.value)),
            };
            members.push(context! { name, value => value.value.to_string(), docstring => "" });
        }
    }
    Ok(members)
}

/// The data keys: a property and a table each.
fn data(
    scope: &Scope<'_>,
    contract: &Contract,
    id: ContractId,
    values: &[EnumValue],
    keys: &[DataKey],
) -> Result<Vec<Value>, EmitError> {
    let mut seen: BTreeMap<String, &DataKey> = BTreeMap::new();
    let attributes: BTreeSet<String> = keys.iter().map(|key| names::data_key(&key.name)).collect();
    let mut result = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        let name = names::data_key(&key.name);
        if let Some(first) = seen.insert(name.clone(), key) {
            let path = |key: &DataKey| format!("{}::{} data {}", contract.module, contract.name, key.name);
            return Err(EmitError::Collision {
                target: "python",
                name,
                first: path(first),
                second: path(key),
            });
        }
        let builtin = match key.ty {
            DataType::I64 | DataType::U64 => "int",
            DataType::Bool => "bool",
            DataType::Text => "str",
        };
        let table = format!("{}_{}", scope.private("data", id), key.name);
        let entries: Vec<String> = values
            .iter()
            .map(|value| format!("{}: {}", value.value, data_value(&value.data[index])))
            .collect();
        let definition = statement(0, &format!("{table}: _typing.Final = {{{}}}", entries.join(", ")));
        result.push(context! { name, table, type => scope.builtin(builtin, &attributes), definition });
    }
    Ok(result)
}

fn data_value(value: &DataValue) -> String {
    match value {
        DataValue::Integer(number) => number.to_string(),
        DataValue::Bool(true) => "True".to_owned(),
        DataValue::Bool(false) => "False".to_owned(),
        DataValue::Text(text) => string(text),
    }
}
