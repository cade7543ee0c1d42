//! A recipe's or union's value as its rules see it.

use super::value::Value;
use crate::interpret::Fault;
use crate::interpret::check::{Fields, data, has};
use crate::interpret::rule::{self, Seen, Subject};
use crate::model::{
    Body, Catalog, Content, ContractId, Enumeration, JsonType, Literal, Moment, Scalar, Spelled, Union, What,
    WhenAbsent,
};

/// Checks a contract's conditions and rules of that moment.
pub(super) fn check_rules(
    catalog: &Catalog,
    id: ContractId,
    value: &Value,
    offset: usize,
    at: Moment,
    fd_count: usize,
) -> Result<(), Fault> {
    let is_used = |index: usize| matches!(value, Value::Recipe(members) if members[index].is_some());
    rule::check(catalog.get(id), at, offset, &Keys { catalog, id, value, fd_count }, &is_used)
}

/// What an operand is of a recipe or union whose rule it is not; the number of file descriptors is not known.
pub(in crate::interpret) fn look(
    catalog: &Catalog,
    id: ContractId,
    value: &Value,
    what: &What,
) -> Option<Seen> {
    match what {
        What::FdCount => None,
        what => Keys { catalog, id, value, fd_count: 0 }.look(what),
    }
}

/// What an absent key with a declared default stands for.
pub(super) fn default_value(catalog: &Catalog, ty: &JsonType, literal: &Literal) -> Value {
    match literal {
        Literal::Integer(number) => match ty {
            #[expect(
                clippy::cast_precision_loss,
                reason = "a float's default may be spelled without a fraction"
            )]
            JsonType::Float { scalar, .. } => Value::Float(narrowed(*scalar, *number as f64)),
            _ => Value::Integer(*number),
        },
        Literal::Float(number) => match ty {
            JsonType::Float { scalar, .. } => Value::Float(narrowed(*scalar, *number)),
            _ => Value::Float(*number),
        },
        Literal::Bool(bool) => Value::Bool(*bool),
        Literal::Text(text) => Value::Text(text.clone()),
        Literal::Value(index) => {
            let JsonType::Enumeration { contract, .. } = ty else { panic!("{ty:?} has no values") };
            Value::Integer(catalog.get(*contract).enumeration().values[*index].value)
        }
        Literal::Flags(bits) => Value::Integer(i128::from(*bits)),
        Literal::List(_) if matches!(ty, JsonType::Bytes { .. }) => {
            Value::Bytes(literal.bytes().unwrap_or_else(|| panic!("{literal:?} is no bytes")))
        }
        Literal::List(items) => {
            let JsonType::Array { item, .. } = ty else { panic!("{ty:?} has no items") };
            Value::List(items.iter().map(|literal| default_value(catalog, item, literal)).collect())
        }
    }
}

/// The nearest number of that type.
#[expect(clippy::cast_possible_truncation, reason = "rounding to the nearest is what is meant")]
pub(super) fn narrowed(scalar: Scalar, number: f64) -> f64 {
    if scalar == Scalar::F32 { f64::from(number as f32) } else { number }
}

/// The value that has this name, in the spelling that documents may use.
pub(super) fn named(enumeration: &Enumeration, text: &str) -> Option<i128> {
    let is_same = |name: &String| {
        if enumeration.fold { name.eq_ignore_ascii_case(text.trim_ascii()) } else { name == text }
    };
    let value = enumeration
        .values
        .iter()
        .find(|value| is_same(&value.wire_name) || value.aliases.iter().any(is_same));
    value.map(|value| value.value)
}

struct Keys<'a> {
    catalog: &'a Catalog,
    id: ContractId,
    value: &'a Value,
    fd_count: usize,
}

/// What stands at the end of a path.
enum Found<'a> {
    Value(&'a JsonType, Option<Value>),
    /// A field of a descriptor, which answers for itself.
    Inside(Fields<'a>, &'a [usize]),
    /// The contract itself.
    Whole(&'a Value),
}

impl<'a> Keys<'a> {
    fn find(&self, path: &'a [usize]) -> Option<Found<'a>> {
        let (mut id, mut value) = (self.id, self.value);
        let mut path = path;
        loop {
            let [index, rest @ ..] = path else { return Some(Found::Whole(value)) };
            let (Body::Recipe(recipe), Value::Recipe(members)) = (&self.catalog.get(id).body, value) else {
                return None;
            };
            let key = &recipe.keys[*index];
            if rest.is_empty() {
                let default =
                    || key.presence.default().map(|literal| default_value(self.catalog, &key.ty, literal));
                return Some(Found::Value(&key.ty, members[*index].clone().or_else(default)));
            }
            path = rest;
            value = members[*index].as_ref()?;
            match (&key.ty, value) {
                (JsonType::Recipe(nested), _) => id = *nested,
                (JsonType::Descriptor { contract, .. }, Value::Descriptor(fields)) => {
                    return Some(Found::Inside(
                        Fields { catalog: self.catalog, id: *contract, value: fields },
                        rest,
                    ));
                }
                _ => return None,
            }
        }
    }

    /// Whether an optional key is there, whatever its absence stands for.
    fn is_present(&self, path: &[usize]) -> bool {
        let mut value = self.value;
        for &index in path {
            match value {
                Value::Recipe(members) => match &members[index] {
                    Some(member) => value = member,
                    None => return false,
                },
                // Everything in a descriptor is there.
                _ => return true,
            }
        }
        true
    }

    fn inside(
        fields: &Fields<'_>,
        rest: &[usize],
        what: impl Fn(crate::model::Path) -> What,
    ) -> Option<Seen> {
        fields.look(&what(crate::model::Path(rest.to_vec())))
    }
}

impl Subject for Keys<'_> {
    fn look(&self, what: &What) -> Option<Seen> {
        match what {
            What::Value(path) => match self.find(&path.0)? {
                Found::Inside(fields, rest) => Self::inside(&fields, rest, What::Value),
                Found::Whole(value) => seen(self.catalog, self.id, None, value),
                Found::Value(ty, value) => seen(self.catalog, self.id, Some(ty), &value?),
            },
            What::Length(path) => match self.find(&path.0)? {
                Found::Inside(fields, rest) => Self::inside(&fields, rest, What::Length),
                Found::Whole(_) => None,
                Found::Value(_, value) => length(&value?).map(Seen::Number),
            },
            What::Product(path) => match self.find(&path.0)? {
                Found::Inside(fields, rest) => Self::inside(&fields, rest, What::Product),
                Found::Whole(_) => None,
                Found::Value(_, value) => rule::product(integers(&value?)?),
            },
            What::Least(path) => match self.find(&path.0)? {
                Found::Inside(fields, rest) => Self::inside(&fields, rest, What::Least),
                Found::Whole(_) => None,
                Found::Value(_, value) => integers(&value?)?.into_iter().min().map(Seen::Number),
            },
            What::Present(path) => Some(Seen::Truth(self.is_present(&path.0))),
            What::Has { path, bits } => match self.look(&What::Value(path.clone()))? {
                Seen::Number(number) => Some(has(number, *bits)),
                Seen::Truth(_) => None,
            },
            What::Data { path, contract, key } => match self.look(&What::Value(path.clone()))? {
                Seen::Number(number) => data(self.catalog.get(*contract).enumeration(), number, *key),
                Seen::Truth(_) => None,
            },
            What::FdCount => i128::try_from(self.fd_count).ok().map(Seen::Number),
        }
    }
}

/// A value as a number or a condition. A name that an enumeration does not have is no number.
fn seen(catalog: &Catalog, id: ContractId, ty: Option<&JsonType>, value: &Value) -> Option<Seen> {
    let position = |position: usize| i128::try_from(position).ok().map(Seen::Number);
    match value {
        Value::Integer(number) => Some(Seen::Number(*number)),
        Value::Bool(bool) => Some(Seen::Truth(*bool)),
        Value::Union(variant, _) => position(*variant),
        Value::Other { .. } => {
            let id = match ty {
                Some(JsonType::Union(id)) => *id,
                _ => id,
            };
            position(catalog.get(id).union().open()?)
        }
        _ => None,
    }
}

/// The items of an array of integers.
fn integers(value: &Value) -> Option<Vec<i128>> {
    let Value::List(items) = value else { return None };
    let number = |item: &Value| match item {
        Value::Integer(number) => Some(*number),
        _ => None,
    };
    items.iter().map(number).collect()
}

fn length(value: &Value) -> Option<i128> {
    let length = match value {
        Value::Text(text) | Value::Json(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(items) => items.len(),
        Value::Map(members) => members.len(),
        _ => return None,
    };
    i128::try_from(length).ok()
}

/// How an enumeration or flags are spelled.
pub(super) fn spelled(catalog: &Catalog, id: ContractId) -> Spelled {
    match &catalog.get(id).body {
        Body::Enumeration(enumeration) => enumeration.spelled,
        Body::Flags(flags) => flags.spelled,
        _ => panic!("{} has no spelling of its own", catalog.get(id).name),
    }
}

/// All tags that say a variant, other spellings included.
pub(crate) fn known_tags(union: &Union) -> impl Iterator<Item = &str> {
    let tagged = union
        .variants
        .iter()
        .filter(|variant| variant.content != Content::Other && variant.when_absent != WhenAbsent::NoTag);
    tagged.flat_map(|variant| std::iter::once(&variant.tag).chain(&variant.aliases)).map(String::as_str)
}
