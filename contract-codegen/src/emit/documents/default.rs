//! Defaults as constants of mirrors: what C finds in the place of an absent key.

use super::types::float;
use crate::emit::EmitInput;
use crate::emit::c::types::is_open_name;
use crate::model::{JsonType, Length, Literal};

/// The expression of a constant.
pub(super) fn expression(input: &EmitInput<'_>, ty: &JsonType, literal: &Literal) -> String {
    let items = |item: &JsonType, items: &[Literal]| {
        let items = items.iter().map(|literal| expression(input, item, literal));
        items.collect::<Vec<_>>().join(", ")
    };
    match (ty, literal) {
        (JsonType::Array { item, length: Length::Exactly(_) }, Literal::List(list)) => {
            format!("[{}]", items(item, list))
        }
        (JsonType::Array { item, .. }, Literal::List(list)) => {
            format!("c::Array::new(&[{}])", items(item, list))
        }
        (JsonType::Bytes { length, .. }, Literal::List(_)) => {
            let bytes = literal.bytes().unwrap_or_default();
            match length {
                Length::Exactly(_) => format!("c::ByteArray({bytes:?})"),
                Length::AtMost(_) => format!("c::Bytes::new(&{bytes:?})"),
            }
        }
        (_, Literal::Text(text)) => format!("c::Str::new({text:?})"),
        (_, Literal::Bool(truth)) => format!("c::Truth({})", u8::from(*truth)),
        (JsonType::Float { scalar, .. }, Literal::Float(number)) => float(*number, *scalar),
        #[expect(clippy::cast_precision_loss, reason = "a default that is written without a point")]
        (JsonType::Float { scalar, .. }, Literal::Integer(number)) => float(*number as f64, *scalar),
        (_, Literal::Integer(number)) => number.to_string(),
        (JsonType::Enumeration { contract, open, .. }, Literal::Value(index)) => {
            let number = input.catalog.get(*contract).enumeration().values[*index].value;
            match (is_open_name(input, *contract, *open), open) {
                (true, _) => format!("c::OpenNamed::value({number})"),
                (false, true) => format!("c::OpenValue({number})"),
                (false, false) => format!("c::Value({number})"),
            }
        }
        (_, Literal::Flags(bits)) => format!("c::Bits({bits:#x})"),
        _ => unreachable!("a default {literal:?} is of its key's type {ty:?}"),
    }
}
