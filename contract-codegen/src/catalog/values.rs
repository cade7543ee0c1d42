//! The values of enumerations and flags.

use std::collections::{HashMap, HashSet};

use super::json::{Json, Object, TextError, required};
use super::spelling::{distinct, identifier};
use crate::model::{DataKey, DataType, DataValue, EnumValue, Scalar};

/// Values of an enumeration and the keys they carry data for. Where names are read in any case, no two may differ in
/// it alone.
pub(super) fn enumeration(
    repr: Scalar,
    wire: Vec<Object>,
    source: Vec<Object>,
    fold: bool,
) -> Result<(Vec<EnumValue>, Vec<DataKey>), TextError> {
    let (values, data) = values(repr, wire, source)?;
    if fold {
        let folded: Vec<String> =
            names_of(&values).map(|name| name.trim_ascii().to_ascii_lowercase()).collect();
        distinct("name", folded.iter())?;
    }
    let mut numbers = HashSet::new();
    for value in &values {
        if !numbers.insert(value.value) {
            return Err(TextError::Wrong(format!("`{}` has a value that another has too", value.name)));
        }
    }
    with_data(values, data)
}

/// Values of flags.
pub(super) fn flags(
    repr: Scalar,
    wire: Vec<Object>,
    source: Vec<Object>,
) -> Result<Vec<EnumValue>, TextError> {
    if repr.is_signed() {
        return Err(TextError::Wrong(format!("its flags are in `{repr}`, which has a sign")));
    }
    let (values, data) = values(repr, wire, source)?;
    let mut taken = 0;
    for value in &values {
        if value.value == 0 || taken & value.value != 0 {
            return Err(TextError::Wrong(format!(
                "the flag `{}` has no bits, or bits of another",
                value.name
            )));
        }
        taken |= value.value;
    }
    if data.iter().any(|data| !data.is_empty()) {
        return Err(TextError::Unknown("data for flags".to_owned()));
    }
    Ok(values)
}

type Data = Vec<(String, Json)>;

fn values(
    repr: Scalar,
    wire: Vec<Object>,
    source: Vec<Object>,
) -> Result<(Vec<EnumValue>, Vec<Data>), TextError> {
    if wire.len() != source.len() || wire.is_empty() {
        return Err(TextError::Wrong(format!(
            "it has {} values, declarations of {}",
            wire.len(),
            source.len()
        )));
    }
    let mut data = Vec::with_capacity(wire.len());
    let mut values = Vec::with_capacity(wire.len());
    for (mut wire, mut source) in wire.into_iter().zip(source) {
        let wire_name = required(wire.take_text("name")?, "name")?;
        let number: i128 = required(wire.take_integer("value")?, "value")?;
        if !fits(repr, number) {
            return Err(TextError::Wrong(format!(
                "the value {number} of `{wire_name}` does not fit in {repr}"
            )));
        }
        data.push(match wire.take("data") {
            None => Vec::new(),
            Some(Json::Object(members)) => members,
            Some(_) => return Err(TextError::Wrong(format!("the data of `{wire_name}` is no object"))),
        });
        let name = match source.take_text("name")? {
            Some(name) => name,
            None => wire_name.clone(),
        };
        values.push(EnumValue {
            name: identifier(name)?,
            wire_name,
            aliases: wire.take_texts("alias")?.unwrap_or_default(),
            value: number,
            docs: source.take_text("docs")?.unwrap_or_default(),
            c_name: source.take_text("c_name")?,
            since: source.take_integer("since")?,
            deprecated: source.take_text("deprecated")?,
            data: Vec::new(),
        });
        wire.finish()?;
        source.finish()?;
    }
    distinct("value", values.iter().map(|value| &value.name))?;
    distinct("name", names_of(&values))?;
    Ok((values, data))
}

fn names_of(values: &[EnumValue]) -> impl Iterator<Item = &String> {
    values.iter().flat_map(|value| std::iter::once(&value.wire_name).chain(&value.aliases))
}

fn fits(repr: Scalar, value: i128) -> bool {
    repr.range().is_some_and(|(least, most)| (least..=most).contains(&value))
}

/// Gives every value its data in the order of the first one's keys.
fn with_data(
    mut values: Vec<EnumValue>,
    data: Vec<Data>,
) -> Result<(Vec<EnumValue>, Vec<DataKey>), TextError> {
    let Some(names) =
        data.first().map(|first| first.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>())
    else {
        return Ok((values, Vec::new()));
    };
    for (value, data) in values.iter_mut().zip(data) {
        if data.len() != names.len() {
            return Err(TextError::Wrong(format!("`{}` has not the data that others have", value.name)));
        }
        let mut by_name: HashMap<String, Json> = data.into_iter().collect();
        for name in &names {
            value.data.push(match by_name.remove(name) {
                Some(Json::Integer(number)) => DataValue::Integer(number),
                Some(Json::Bool(value)) => DataValue::Bool(value),
                Some(Json::Text(text)) => DataValue::Text(text),
                _ => return Err(TextError::Wrong(format!("`{}` has no data for `{name}`", value.name))),
            });
        }
    }
    let keys = names.into_iter().enumerate().map(|(index, name)| {
        let ty = data_type(values.iter().map(|value| &value.data[index]))
            .ok_or_else(|| TextError::Wrong(format!("the data for `{name}` is of several types")))?;
        Ok(DataKey { name: identifier(name)?, ty })
    });
    let keys = keys.collect::<Result<_, TextError>>()?;
    Ok((values, keys))
}

/// The one type of all values of a key.
fn data_type<'value>(mut values: impl Iterator<Item = &'value DataValue> + Clone) -> Option<DataType> {
    if values.clone().all(|value| matches!(value, DataValue::Bool(_))) {
        return Some(DataType::Bool);
    }
    if values.clone().all(|value| matches!(value, DataValue::Text(_))) {
        return Some(DataType::Text);
    }
    let all_fit = |within: fn(i128) -> bool| move |value: &DataValue| matches!(value, DataValue::Integer(number) if within(*number));
    if values.clone().all(all_fit(|number| i64::try_from(number).is_ok())) {
        return Some(DataType::I64);
    }
    values.all(all_fit(|number| u64::try_from(number).is_ok())).then_some(DataType::U64)
}
