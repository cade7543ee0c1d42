//! Defaults: as a record spells them, and what they are of the types that have them.

use super::json::{Json, Object, TextError};
use crate::model::{Catalog, Enumeration, Flags, JsonType, Length, Literal};

/// A default as the record spells it. Names of values and flags, which mean nothing before the contract that has them
/// is known, are added to `names`, and what stands for them is their position there.
pub(super) fn parse(json: Json, names: &mut Vec<Vec<String>>) -> Result<Literal, TextError> {
    let mut listed = |list: Vec<String>| {
        names.push(list);
        names.len() - 1
    };
    Ok(match json {
        Json::Integer(number) => Literal::Integer(number),
        Json::Float(number) => Literal::Float(number),
        Json::Bool(truth) => Literal::Bool(truth),
        Json::Array(items) => {
            Literal::List(items.into_iter().map(|item| parse(item, names)).collect::<Result<_, _>>()?)
        }
        other => {
            let mut object = Object::from(other)?;
            let literal = if let Some(text) = object.take_text("text")? {
                Literal::Text(text)
            } else if let Some(name) = object.take_text("value")? {
                Literal::Value(listed(vec![name]))
            } else if let Some(flags) = object.take_texts("flags")? {
                Literal::Flags(listed(flags) as u64)
            } else {
                return Err(TextError::Unknown("a default that is no text, value or flags".to_owned()));
            };
            object.finish()?;
            literal
        }
    })
}

/// The literal as a value of the type, its names looked up; none where it is not one.
pub(super) fn resolve(
    catalog: &Catalog,
    ty: &JsonType,
    literal: &Literal,
    names: &[Vec<String>],
) -> Option<Literal> {
    let within = |length: usize, most: &Option<u32>| most.is_none_or(|most| length <= most as usize);
    let at = |position: usize| names.get(position).map_or(&[][..], Vec::as_slice);
    match (ty, literal) {
        (JsonType::Integer { min, max, .. }, Literal::Integer(number)) => {
            (min..=max).contains(&number).then(|| literal.clone())
        }
        (JsonType::Bool, Literal::Bool(_)) => Some(literal.clone()),
        (JsonType::Float { .. }, _) => float(ty, literal),
        (JsonType::Text { max_len }, Literal::Text(text)) => {
            within(text.len(), max_len).then(|| literal.clone())
        }
        (JsonType::Array { item, length }, Literal::List(items)) => {
            let is_legal = match length {
                Length::Exactly(length) => items.len() == *length as usize,
                Length::AtMost(most) => within(items.len(), most),
            };
            let items = items.iter().map(|each| resolve(catalog, item, each, names));
            is_legal.then(|| items.collect::<Option<_>>().map(Literal::List)).flatten()
        }
        (JsonType::Bytes { length, .. }, Literal::List(items)) => {
            let is_legal = match length {
                Length::Exactly(length) => items.len() == *length as usize,
                Length::AtMost(most) => within(items.len(), most),
            };
            (is_legal && literal.bytes().is_some()).then(|| literal.clone())
        }
        (JsonType::Enumeration { contract, .. }, Literal::Value(position)) => match at(*position) {
            [name] => value(catalog.get(*contract).enumeration(), name).map(Literal::Value),
            _ => None,
        },
        (JsonType::Flags { contract }, _) => {
            let flags = catalog.get(*contract).flags();
            match literal {
                Literal::Integer(bits) => u64::try_from(*bits).ok().filter(|&bits| is_legal(flags, bits)),
                // One flag and a value look the same to the macro.
                Literal::Value(position) => bits(flags, at(*position)),
                Literal::Flags(position) => bits(flags, at(usize::try_from(*position).ok()?)),
                _ => None,
            }
            .map(Literal::Flags)
        }
        _ => None,
    }
}

/// A finite number within its bounds; of `f32`, the value that it has there.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "as a declaration is compiled"
)]
fn float(ty: &JsonType, literal: &Literal) -> Option<Literal> {
    let JsonType::Float { scalar, min, max } = ty else { return None };
    let number = match literal {
        Literal::Float(number) => *number,
        Literal::Integer(number) => *number as f64,
        _ => return None,
    };
    let number = if scalar.size() == 4 { f64::from(number as f32) } else { number };
    let is_legal =
        number.is_finite() && min.is_none_or(|min| min <= number) && max.is_none_or(|max| number <= max);
    is_legal.then_some(Literal::Float(number))
}

/// The position of the value of that name in Rust.
pub(super) fn value(enumeration: &Enumeration, name: &str) -> Option<usize> {
    enumeration.values.iter().position(|value| value.name == name)
}

/// The bits of the flags of these names in Rust.
pub(super) fn bits(flags: &Flags, names: &[String]) -> Option<u64> {
    names.iter().try_fold(0, |bits, name| {
        let flag = flags.values.iter().find(|flag| flag.name == *name)?;
        Some(bits | u64::try_from(flag.value).ok()?)
    })
}

fn is_legal(flags: &Flags, bits: u64) -> bool {
    let fits = flags.repr.range().is_some_and(|(_, most)| i128::from(bits) <= most);
    fits && (flags.open || bits & !flags.known_bits() == 0)
}
