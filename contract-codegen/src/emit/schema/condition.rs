//! What rules and conditions say of a document, as far as JSON Schema has words for it: comparisons of one field with
//! a constant, and what is made of them with `&&`, `||` and `!`.
//!
//! A schema given here accepts an object if and only if the condition holds, of objects that are otherwise as they
//! should be; where there is no such schema there is none at all, since half of one would be wrong under `!`.

use super::enumeration::{names_of, sets, values};
use super::{Scope, not, one, property, recipe, required, texts, types, union};
use crate::catalog::json::Json;
use crate::emit::json::object::Object;
use crate::model::{
    Body, Contract, ContractId, DataValue, Enumeration, Expr, JsonType, Key, Length, Literal, Op, Operand,
    Path, Presence, Spelled, Spelling, What,
};

/// What an expression asks for, one after the other: all of it must hold.
pub(super) fn conjuncts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Binary { op: Op::And, left, right } => {
            let mut all = conjuncts(left);
            all.extend(conjuncts(right));
            all
        }
        _ => vec![expr],
    }
}

/// An object of the contract for which the expression is true.
pub(super) fn holds(scope: &Scope<'_>, contract: &Contract, expr: &Expr) -> Option<Json> {
    let inner = |expr| holds(scope, contract, expr);
    match expr {
        Expr::Truth(truth) => Some(Json::Bool(*truth)),
        Expr::Operand(operand) => truth(scope, contract, operand),
        Expr::Not(of) => Some(not(inner(of)?)),
        Expr::Binary { op: Op::And, left, right } => Some(both("allOf", inner(left)?, inner(right)?)),
        Expr::Binary { op: Op::Or, left, right } => Some(both("anyOf", inner(left)?, inner(right)?)),
        Expr::Binary { op, left, right } if left.is_condition() => {
            let differ = one("oneOf", Json::Array(vec![inner(left)?, inner(right)?]));
            Some(if *op == Op::Eq { not(differ) } else { differ })
        }
        Expr::Binary { op, left, right } => match (constant(left), constant(right)) {
            (Some(left), Some(right)) => Some(Json::Bool(is_true(*op, left, right))),
            (None, Some(number)) => compare(scope, contract, left, *op, number),
            (Some(number), None) => compare(scope, contract, right, turned(*op), number),
            (None, None) => None,
        },
        Expr::Integer(_) | Expr::Negate(_) | Expr::Int(_) => None,
    }
}

/// What chains of one operator give, in one list.
fn both(word: &str, left: Json, right: Json) -> Json {
    let mut all = Vec::new();
    for side in [left, right] {
        match side {
            Json::Object(members) if matches!(&members[..], [(key, Json::Array(_))] if key == word) => {
                for (_, value) in members {
                    if let Json::Array(items) = value {
                        all.extend(items);
                    }
                }
            }
            side => all.push(side),
        }
    }
    one(word, Json::Array(all))
}

fn constant(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Integer(number) => Some(*number),
        // Beyond what a rule computes with, it is violated.
        Expr::Negate(of) => {
            constant(of).map(|number| -number).filter(|number| i64::try_from(*number).is_ok())
        }
        _ => None,
    }
}

fn is_true(op: Op, left: i128, right: i128) -> bool {
    match op {
        Op::Eq => left == right,
        Op::Ne => left != right,
        Op::Lt => left < right,
        Op::Le => left <= right,
        Op::Gt => left > right,
        Op::Ge => left >= right,
        _ => false,
    }
}

/// The same with its sides exchanged.
fn turned(op: Op) -> Op {
    match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        same => same,
    }
}

/// A key, and how to come to it.
struct Place<'a> {
    /// The keys around it, outermost first: those whose recipes have an object of their own.
    around: Vec<&'a str>,
    key: &'a Key,
}

impl<'a> Place<'a> {
    /// Where a path of a recipe leads; none where it goes into a descriptor.
    fn find(scope: &Scope<'a>, contract: &'a Contract, path: &Path) -> Option<Place<'a>> {
        let mut holder = contract;
        let mut around = Vec::new();
        let (last, before) = path.0.split_last()?;
        for &index in before {
            let Body::Recipe(recipe) = &holder.body else { return None };
            let key = &recipe.keys[index];
            if !key.flatten {
                around.push(key.key.as_str());
            }
            holder = scope.get(key.ty.contract()?);
        }
        let Body::Recipe(recipe) = &holder.body else { return None };
        Some(Place { around, key: &recipe.keys[*last] })
    }

    /// The whole object, whose part that has the key is so.
    fn within(&self, part: Json) -> Json {
        self.around.iter().rev().fold(part, |inner, key| property(key, inner))
    }

    /// The whole object, whose key is so; where it is absent or null, its default is (`default_holds`).
    fn value(&self, value: Json, default_holds: impl Fn(&Literal) -> bool) -> Json {
        if self.key.flatten {
            return self.within(value);
        }
        let key = self.key.key.as_str();
        let nullable = recipe::is_nullable(self.key);
        let part = match self.key.presence.default() {
            None => property(key, value),
            Some(default) if default_holds(default) => {
                property(key, if nullable { types::or_null(value) } else { value })
            }
            Some(_) => {
                let value = if nullable { both("allOf", not(null()), value) } else { value };
                Object::default().and_json(required(&[key])).and_json(property(key, value)).json()
            }
        };
        self.within(part)
    }
}

fn null() -> Json {
    one("type", Json::text("null"))
}

/// An object that has the key, and not as null where that is read as absent.
pub(super) fn present(key: &Key) -> Json {
    let here = Object::default().and_json(required(&[&key.key]));
    if recipe::is_nullable(key) { here.and_json(property(&key.key, not(null()))).json() } else { here.json() }
}

/// An operand that is a condition.
fn truth(scope: &Scope<'_>, contract: &Contract, operand: &Operand) -> Option<Json> {
    match &operand.what {
        What::Value(path) => {
            let place = Place::find(scope, contract, path)?;
            let is_set = one("const", Json::Bool(true));
            Some(place.value(is_set, |default| *default == Literal::Bool(true)))
        }
        What::Present(path) => {
            let place = Place::find(scope, contract, path)?;
            matches!(place.key.presence, Presence::Optional { .. }).then(|| place.within(present(place.key)))
        }
        What::Has { path, bits } => {
            let place = Place::find(scope, contract, path)?;
            let JsonType::Flags { contract } = place.key.ty else { return None };
            let value = has(scope, contract, *bits)?;
            Some(place.value(value, |default| matches!(default, Literal::Flags(set) if set & bits == *bits)))
        }
        What::Data { path, contract: of, key } => {
            let enumeration = scope.get(*of).enumeration();
            carried(scope, contract, path, *of, |position| {
                enumeration.values[position].data[*key] == DataValue::Bool(true)
            })
        }
        What::Length(_) | What::Product(_) | What::Least(_) | What::FdCount => None,
    }
}

/// Flags that have all of these bits.
fn has(scope: &Scope<'_>, id: ContractId, bits: u64) -> Option<Json> {
    let flags = scope.get(id).flags();
    if flags.spelled == Spelled::Integer {
        return Some(one("enum", sets(flags, |set| set & bits == bits)?));
    }
    let of = |value: i128| u64::try_from(value).unwrap_or(0);
    let asked: Vec<_> = flags.values.iter().filter(|flag| of(flag.value) & bits != 0).collect();
    // A part of a mask is no flag.
    if asked.iter().fold(0, |all, flag| all | of(flag.value)) != bits {
        return None;
    }
    let each = asked.into_iter().map(|flag| one("contains", one("enum", texts(names_of(flag)))));
    Some(one("allOf", Json::Array(each.collect())))
}

/// A key whose value is a named one for which that holds.
fn carried(
    scope: &Scope<'_>,
    contract: &Contract,
    path: &Path,
    of: ContractId,
    holds: impl Fn(usize) -> bool,
) -> Option<Json> {
    let place = Place::find(scope, contract, path)?;
    // What a nameless value carries is not false but a violation, also under `!`.
    if !matches!(place.key.ty, JsonType::Enumeration { open: false, .. }) {
        return None;
    }
    let named = named(scope.get(of).enumeration(), &holds);
    Some(place.value(named, |default| matches!(default, Literal::Value(position) if holds(*position))))
}

/// The values at the positions for which that holds.
fn named(enumeration: &Enumeration, holds: &impl Fn(usize) -> bool) -> Json {
    let position = |name: &str| enumeration.values.iter().position(|value| value.name == name);
    values(enumeration, |value| position(&value.name).is_some_and(holds))
}

/// An operand that is a number, compared with a constant.
fn compare(scope: &Scope<'_>, contract: &Contract, expr: &Expr, op: Op, number: i128) -> Option<Json> {
    let Expr::Operand(operand) = expr else { return None };
    let is_so = |value: i128| is_true(op, value, number);
    match &operand.what {
        What::Value(path) if path.0.is_empty() => Some(variants(scope, contract, is_so)),
        What::Value(path) => {
            let place = Place::find(scope, contract, path)?;
            let value = compare_value(scope, &place.key.ty, op, number)?;
            Some(place.value(value, |default| number_of(scope, &place.key.ty, default).is_some_and(is_so)))
        }
        What::Length(path) => {
            let place = Place::find(scope, contract, path)?;
            let value = compare_length(&place.key.ty, op, number)?;
            Some(place.value(value, |default| length_of(default).is_some_and(is_so)))
        }
        What::Data { path, contract: of, key } => {
            let enumeration = scope.get(*of).enumeration();
            carried(
                scope,
                contract,
                path,
                *of,
                |position| matches!(enumeration.values[position].data[*key], DataValue::Integer(data) if is_so(data)),
            )
        }
        What::Product(_) | What::Least(_) | What::Present(_) | What::Has { .. } | What::FdCount => None,
    }
}

/// An object of the union that is a variant at one of these positions.
fn variants(scope: &Scope<'_>, contract: &Contract, holds: impl Fn(i128) -> bool) -> Json {
    let Some(union) = union::body(contract) else { return Json::Bool(false) };
    let is_so = |&position: &usize| i128::try_from(position).is_ok_and(&holds);
    let each = (0..union.variants.len()).filter(is_so);
    let mut each: Vec<Json> = each.map(|position| union::is_variant(scope, union, position)).collect();
    match each.len() {
        0 => Json::Bool(false),
        1 => each.remove(0),
        _ => one("anyOf", Json::Array(each)),
    }
}

fn compare_value(scope: &Scope<'_>, ty: &JsonType, op: Op, number: i128) -> Option<Json> {
    match ty {
        JsonType::Integer { decimal: false, .. } => Some(numeric(op, number)),
        // The digits of one number can be named, those of all that are less cannot.
        JsonType::Integer { decimal: true, .. } => {
            let digits = one("const", Json::Text(number.to_string()));
            match op {
                Op::Eq => Some(digits),
                Op::Ne => Some(not(digits)),
                _ => None,
            }
        }
        JsonType::Enumeration { contract, open, .. } => {
            let enumeration = scope.get(*contract).enumeration();
            match enumeration.spelled {
                Spelled::Integer => Some(numeric(op, number)),
                // Another name has no number: a violation, also under `!`.
                Spelled::Names if *open => None,
                Spelled::Names => Some(values(enumeration, |value| is_true(op, value.value, number))),
            }
        }
        JsonType::Flags { contract } if scope.get(*contract).flags().spelled == Spelled::Integer => {
            Some(numeric(op, number))
        }
        JsonType::Union(contract) => {
            Some(variants(scope, scope.get(*contract), |position| is_true(op, position, number)))
        }
        _ => None,
    }
}

fn numeric(op: Op, number: i128) -> Json {
    let number = Json::Integer(number);
    match op {
        Op::Ne => not(one("const", number)),
        Op::Lt => one("exclusiveMaximum", number),
        Op::Le => one("maximum", number),
        Op::Gt => one("exclusiveMinimum", number),
        Op::Ge => one("minimum", number),
        _ => one("const", number),
    }
}

fn compare_length(ty: &JsonType, op: Op, number: i128) -> Option<Json> {
    let (least, most, unit) = match ty {
        JsonType::Array { .. } => ("minItems", "maxItems", 1),
        JsonType::Map { .. } => ("minProperties", "maxProperties", 1),
        JsonType::Bytes { length: Length::Exactly(length), .. } => {
            return Some(Json::Bool(is_true(op, i128::from(*length), number)));
        }
        JsonType::Bytes { spelling: Spelling::Hex, .. } => ("minLength", "maxLength", 2),
        // Of others it is known only whether there is something: characters are not bytes.
        JsonType::Text { .. } | JsonType::Bytes { .. } => ("minLength", "maxLength", 0),
        _ => return None,
    };
    let (from, to) = match op {
        Op::Eq | Op::Ne => (Some(number), Some(number)),
        Op::Lt => (None, Some(number - 1)),
        Op::Le => (None, Some(number)),
        Op::Gt => (Some(number + 1), None),
        _ => (Some(number), None),
    };
    let range = if to.is_some_and(|to| to < 0) {
        Json::Bool(false)
    } else {
        let from = from.filter(|from| *from > 0);
        let is_whether = from.is_none_or(|from| from == 1 && to.is_none()) && to.is_none_or(|to| to == 0);
        if unit == 0 && !is_whether {
            return None;
        }
        let count = |count: i128| Json::Integer(count * i128::from(unit.max(1)));
        let object = Object::default().with_if(least, from.map(count)).with_if(most, to.map(count));
        if object.is_empty() { Json::Bool(true) } else { object.json() }
    };
    Some(if op == Op::Ne { not(range) } else { range })
}

/// The number that a default is in a rule.
fn number_of(scope: &Scope<'_>, ty: &JsonType, default: &Literal) -> Option<i128> {
    match (default, ty) {
        (Literal::Integer(number), _) => Some(*number),
        (Literal::Flags(bits), _) => Some(i128::from(*bits)),
        (Literal::Value(position), JsonType::Enumeration { contract, .. }) => {
            Some(scope.get(*contract).enumeration().values[*position].value)
        }
        _ => None,
    }
}

fn length_of(default: &Literal) -> Option<i128> {
    match default {
        Literal::Text(text) => i128::try_from(text.len()).ok(),
        Literal::List(items) => i128::try_from(items.len()).ok(),
        _ => None,
    }
}
