//! What a key, an item or a variant's content holds.

use super::{Schema, Scope, one, pattern};
use crate::catalog::json::Json;
use crate::emit::json::object::Object;
use crate::model::{Body, Enumeration, JsonType, Length, Scalar, Spelled, Spelling};

pub(super) fn value(scope: &Scope<'_>, ty: &JsonType) -> Schema {
    let object = Object::default();
    match ty {
        JsonType::Integer { scalar, min, max, decimal: true } => decimal(*scalar, *min, *max),
        JsonType::Integer { min, max, .. } => {
            object.text("type", "integer").number("minimum", *min).number("maximum", *max).into()
        }
        JsonType::Bool => object.text("type", "boolean").into(),
        JsonType::Float { scalar, min, max } => float(*scalar, *min, *max),
        JsonType::Text { max_len } => bounded(object.text("type", "string"), *max_len).into_schema(),
        JsonType::Bytes { length, spelling } => bytes(*length, *spelling),
        JsonType::Array { item, length } => {
            let items = value(scope, item).json();
            let object = object.text("type", "array").with("items", items);
            match length {
                Length::Exactly(length) => {
                    object.number("minItems", *length).number("maxItems", *length).into()
                }
                Length::AtMost(most) => {
                    object.with_if("maxItems", most.map(|most| Json::Integer(most.into()))).into()
                }
            }
        }
        JsonType::Map { max_items, max_len } => {
            let text = || bounded(Object::default().text("type", "string"), *max_len);
            let key = bounded(Object::default(), *max_len).object;
            object
                .text("type", "object")
                .with("additionalProperties", text().into_schema().json())
                .with_if("propertyNames", (!key.is_empty()).then(|| key.json()))
                .with_if("maxProperties", max_items.map(|most| Json::Integer(most.into())))
                .into()
        }
        JsonType::Json { max_len } => match max_len {
            None => Schema::from(object),
            Some(most) => Schema::from(object).comment(format!("at most {most} bytes without white space")),
        },
        JsonType::Enumeration { contract, open: false, .. } | JsonType::Flags { contract } => {
            scope.reference(*contract)
        }
        JsonType::Enumeration { contract, open: true, max_len } => {
            let named = scope.reference(*contract).json();
            open(scope.get(*contract).enumeration(), named, *max_len)
        }
        JsonType::Descriptor { contract, spelling } => {
            let contract = scope.get(*contract);
            let Body::Descriptor(body) = &contract.body else { return Schema::default() };
            bytes(Length::Exactly(body.size), *spelling).comment(format!(
                "the {} bytes of the descriptor {}, which readers check",
                body.size, contract.name
            ))
        }
        JsonType::Recipe(contract) | JsonType::Union(contract) => scope.reference(*contract),
    }
}

/// A value of an enumeration, or any other name or number in its place.
fn open(enumeration: &Enumeration, named: Json, max_len: Option<u32>) -> Schema {
    let other = Object::default();
    let other: Schema = match enumeration.spelled {
        Spelled::Names => bounded(other.text("type", "string"), max_len).into_schema(),
        Spelled::Integer => {
            let (least, most) = enumeration.repr.range().unwrap_or_default();
            other.text("type", "integer").number("minimum", least).number("maximum", most).into()
        }
    };
    Object::default().with("anyOf", Json::Array(vec![named, other.json()])).into()
}

fn decimal(scalar: Scalar, min: i128, max: i128) -> Schema {
    let pattern = if min < 0 && scalar.is_signed() { pattern::SIGNED_DECIMAL } else { pattern::DECIMAL };
    let digits = |number: i128| number.to_string().len() as u64;
    let object = Object::default()
        .text("type", "string")
        .text("pattern", pattern)
        .number("maxLength", digits(min).max(digits(max)));
    Schema::from(object).comment(format!("from {min} to {max}, which no pattern says"))
}

fn float(scalar: Scalar, min: Option<f64>, max: Option<f64>) -> Schema {
    let object = Object::default().text("type", "number");
    if scalar.size() == 8 {
        return object
            .with_if("minimum", min.map(Json::Float))
            .with_if("maximum", max.map(Json::Float))
            .into();
    }
    // Of `min`, the same on the other side of zero.
    let (least, most) = (narrow_end(-min.unwrap_or(f64::MIN)), narrow_end(max.unwrap_or(f64::MAX)));
    let words = |end: &NarrowEnd, inclusive, exclusive| if end.is_within { inclusive } else { exclusive };
    object
        .with(words(&least, "minimum", "exclusiveMinimum"), Json::Float(-least.end))
        .with(words(&most, "maximum", "exclusiveMaximum"), Json::Float(most.end))
        .into()
}

/// The greatest number whose nearest `f32` is within a bound, or the least whose nearest one is not.
struct NarrowEnd {
    end: f64,
    is_within: bool,
}

/// Readers compare the nearest `f32`: the end lies halfway between the last one within the bound and the next.
#[allow(clippy::cast_possible_truncation, reason = "the nearest is what is asked for")]
fn narrow_end(most: f64) -> NarrowEnd {
    let nearest = most as f32;
    let last = if f64::from(nearest) > most { nearest.next_down() } else { nearest };
    if last == f32::NEG_INFINITY {
        return NarrowEnd { end: most, is_within: true };
    }
    let above = last.next_up();
    let next = if above.is_finite() { f64::from(above) } else { 2_f64.powi(128) };
    // A tie goes to the one whose last bit is zero.
    NarrowEnd { end: f64::midpoint(f64::from(last), next), is_within: last.to_bits() & 1 == 0 }
}

/// A schema with a bound on bytes.
struct Bounded {
    object: Object,
    max_len: Option<u32>,
}

/// A text of that many bytes has no more characters, which is all that a schema can count.
fn bounded(object: Object, max_len: Option<u32>) -> Bounded {
    let bound = max_len.map(|most| Json::Integer(most.into()));
    Bounded { object: object.with_if("maxLength", bound), max_len }
}

impl Bounded {
    fn into_schema(self) -> Schema {
        match self.max_len {
            None => self.object.into(),
            Some(most) => Schema::from(self.object)
                .comment(format!("at most {most} bytes; maxLength counts characters")),
        }
    }
}

fn bytes(length: Length, spelling: Spelling) -> Schema {
    let object = Object::default().text("type", "string");
    let encoding = match spelling {
        Spelling::Hex => Some("base16"),
        Spelling::Base64 => Some("base64"),
        Spelling::Uuid => None,
    };
    match length {
        Length::Exactly(count) => {
            let characters = pattern::length(spelling, count);
            object
                .text_if("contentEncoding", encoding)
                .text("pattern", &pattern::bytes(spelling, Some(count)))
                .number("minLength", characters)
                .number("maxLength", characters)
                .into()
        }
        Length::AtMost(most) => {
            let characters = most.map(|most| Json::Integer(pattern::length(spelling, most).into()));
            let schema: Schema = object
                .text_if("contentEncoding", encoding)
                .text("pattern", &pattern::bytes(spelling, None))
                .with_if("maxLength", characters)
                .into();
            match most {
                Some(most) if spelling == Spelling::Base64 && !most.is_multiple_of(3) => {
                    schema.comment(format!("at most {most} bytes"))
                }
                _ => schema,
            }
        }
    }
}

/// The same or null.
pub(super) fn or_null(schema: Json) -> Json {
    one("anyOf", Json::Array(vec![schema, one("type", Json::text("null"))]))
}
