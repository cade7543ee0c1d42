//! Values as a document spells them.

use crate::catalog::json::Json;
use crate::model::{Catalog, ContractId, Flags, JsonType, Key, Literal, Spelled};

/// The default of a key in words: as a writer would write it, without line breaks.
pub(in crate::emit) fn spelled(catalog: &Catalog, key: &Key) -> Option<String> {
    let json = literal(catalog, &key.ty, key.presence.default()?);
    Some(json.pretty().split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A default, as a writer would write it.
pub(in crate::emit) fn literal(catalog: &Catalog, ty: &JsonType, literal: &Literal) -> Json {
    match (literal, ty) {
        (Literal::Integer(number), JsonType::Integer { decimal: true, .. }) => Json::Text(number.to_string()),
        (Literal::Integer(number), _) => Json::Integer(*number),
        (Literal::Float(number), _) => Json::Float(*number),
        (Literal::Bool(truth), _) => Json::Bool(*truth),
        (Literal::Text(text), _) => Json::text(text),
        (Literal::Value(position), _) => value(catalog, ty.contract(), *position),
        (Literal::Flags(bits), JsonType::Flags { contract }) => flags(catalog.get(*contract).flags(), *bits),
        (Literal::Flags(bits), _) => Json::Integer((*bits).into()),
        (Literal::List(items), JsonType::Array { item, .. }) => {
            Json::Array(items.iter().map(|each| self::literal(catalog, item, each)).collect())
        }
        (Literal::List(_), JsonType::Bytes { spelling, .. }) => {
            let bytes = literal.bytes().unwrap_or_else(|| unreachable!("bytes are numbers up to 255"));
            Json::Text(crate::interpret::json::spelled(&bytes, *spelling))
        }
        (Literal::List(items), _) => {
            Json::Array(items.iter().map(|each| self::literal(catalog, ty, each)).collect())
        }
    }
}

fn value(catalog: &Catalog, contract: Option<ContractId>, position: usize) -> Json {
    let Some(contract) = contract else { return Json::Null };
    let enumeration = catalog.get(contract).enumeration();
    let value = &enumeration.values[position];
    match enumeration.spelled {
        Spelled::Names => Json::text(&value.wire_name),
        Spelled::Integer => Json::Integer(value.value),
    }
}

/// Names by ascending bits, or the bits.
fn flags(flags: &Flags, bits: u64) -> Json {
    if flags.spelled == Spelled::Integer {
        return Json::Integer(bits.into());
    }
    let mut set: Vec<_> =
        flags.values.iter().filter(|flag| i128::from(bits) & flag.value == flag.value).collect();
    set.sort_by_key(|flag| flag.value);
    Json::Array(set.into_iter().map(|flag| Json::text(&flag.wire_name)).collect())
}
