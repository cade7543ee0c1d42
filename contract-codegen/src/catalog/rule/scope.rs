//! What the names in a rule mean in its contract, and whether its parts are numbers and conditions where they must be.

use std::collections::{HashSet, VecDeque};

use super::super::{held, literal};
use super::RuleError;
use super::parse::Syntax;
use crate::model::{
    Body, Catalog, Contract, ContractId, DataType, Descriptor, Element, Expr, FdForm, Field, JsonType, Key,
    MessageField, Op, Operand, Path, Presence, Role, Scalar, What,
};

/// A contract whose nested contracts are in the catalog.
pub(super) struct Scope<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) contract: &'a Contract,
    pub(super) at_import: bool,
    /// Of a message, whether its parts are all that is seen.
    pub(super) parts_alone: bool,
}

/// What a path leads to.
#[derive(Clone, Copy)]
enum Place<'a> {
    Field(&'a Field),
    Key(&'a Key),
    /// A field of the message whose rule it is.
    Message(MessageField<'a>),
    /// The part of the message that is a union.
    Union(ContractId),
    /// The union whose rule it is.
    Own,
}

/// What a place is in a rule.
enum Value {
    Number,
    Condition,
    /// A number, with the contract that has names for it.
    Named(ContractId),
    /// The position of the variant of the union whose rule it is.
    Variant,
    Nothing,
}

impl<'a> Scope<'a> {
    /// The syntax as a condition; `place` says where, for an error.
    pub(super) fn condition(&self, syntax: &Syntax, place: &str) -> Result<Expr, RuleError> {
        self.typed(syntax, true, place)
    }

    /// The syntax as a number.
    pub(super) fn number(&self, syntax: &Syntax, place: &str) -> Result<Expr, RuleError> {
        self.typed(syntax, false, place)
    }

    fn typed(&self, syntax: &Syntax, is_condition: bool, place: &str) -> Result<Expr, RuleError> {
        let expr = self.expr(syntax)?;
        require(&expr, is_condition, place)?;
        Ok(expr)
    }

    fn expr(&self, syntax: &Syntax) -> Result<Expr, RuleError> {
        Ok(match syntax {
            Syntax::Integer(number) => Expr::Integer(*number),
            Syntax::Truth(truth) => Expr::Truth(*truth),
            Syntax::Field(words) => Expr::Operand(self.operand(words)?),
            Syntax::Value(words) => Expr::Integer(self.value_of_named(words)?),
            Syntax::Call { name, arguments } => return self.call(name, arguments),
            Syntax::Not(inner) => Expr::Not(Box::new(self.condition(inner, "behind `!`")?)),
            Syntax::Negate(inner) => Expr::Negate(Box::new(self.number(inner, "behind `-`")?)),
            Syntax::Binary { op, left, right } => return self.binary(*op, left, right),
        })
    }

    fn binary(&self, op: Op, left: &Syntax, right: &Syntax) -> Result<Expr, RuleError> {
        let place = format!("beside `{}`", op.token());
        let is_comparison = op.gives_condition() && !op.takes_conditions();
        let (left, right) = if is_comparison {
            (self.beside(left, right)?, self.beside(right, left)?)
        } else {
            (self.expr(left)?, self.expr(right)?)
        };
        let is_condition = match op {
            Op::Eq | Op::Ne => left.is_condition(),
            _ => op.takes_conditions(),
        };
        require(&left, is_condition, &place)?;
        require(&right, is_condition, &place)?;
        Ok(Expr::Binary { op, left: Box::new(left), right: Box::new(right) })
    }

    /// One side of a comparison: a bare name, or the last word of a path, may be a value of what the other side is.
    fn beside(&self, side: &Syntax, other: &Syntax) -> Result<Expr, RuleError> {
        let name = match side {
            Syntax::Field(words) if words.len() == 1 && self.find(words).is_err() => &words[0],
            // Its enumeration may have another name where the rule was written (`use … as …`).
            Syntax::Value(words) if self.value_of_named(words).is_err() => &words[words.len() - 1],
            _ => return self.expr(side),
        };
        let Syntax::Field(words) = other else { return self.expr(side) };
        let Ok((_, place)) = self.find(words) else { return self.expr(side) };
        let number = match value_of(place) {
            Value::Named(contract) => self.named_number(contract, name),
            Value::Variant => variant(self.contract, name),
            _ => return self.expr(side),
        };
        let unknown = || RuleError::UnknownName { name: name.clone() };
        number.map(Expr::Integer).map_or_else(|| self.expr(side).map_err(|_| unknown()), Ok)
    }

    fn operand(&self, words: &[String]) -> Result<Operand, RuleError> {
        let text = words.join(".");
        let (path, place) = match self.find(words) {
            Ok(found) => found,
            Err(_) if words == ["fd_count"] => return self.fd_count(),
            Err(error) => return Err(error),
        };
        let is_condition = match value_of(place) {
            Value::Nothing => return Err(RuleError::NoValue { text }),
            value => matches!(value, Value::Condition),
        };
        is_there(place, &text)?;
        Ok(Operand { text, what: What::Value(path), is_condition })
    }

    fn fd_count(&self) -> Result<Operand, RuleError> {
        if !self.at_import || matches!(self.contract.body, Body::Descriptor(_) | Body::Message(_)) {
            return Err(RuleError::NoFdCount);
        }
        Ok(Operand { text: "fd_count".to_owned(), what: What::FdCount, is_condition: false })
    }

    fn call(&self, name: &str, arguments: &[Syntax]) -> Result<Expr, RuleError> {
        if let ("int", [inner]) = (name, arguments) {
            return Ok(Expr::Int(Box::new(self.condition(inner, "in `int`")?)));
        }
        let unknown = || RuleError::UnknownName { name: name.to_owned() };
        let Some(Syntax::Field(words)) = arguments.first() else { return Err(unknown()) };
        let field = words.join(".");
        let (path, place) = self.find(words)?;
        let mut text = format!("{name}({field})");
        let no_value = |text: &str| RuleError::NoValue { text: text.to_owned() };
        let (what, is_condition) = match (name, arguments) {
            ("len", [_]) if has_length(place) => {
                is_there(place, &text)?;
                (What::Length(path), false)
            }
            ("product" | "least", [_]) if is_integers(place) => {
                is_there(place, &text)?;
                (if name == "product" { What::Product(path) } else { What::Least(path) }, false)
            }
            ("fds", [_]) if matches!(place, Place::Message(MessageField::Fds(_))) => {
                (What::Length(path), false)
            }
            ("present", [_]) if is_optional(place) => (What::Present(path), true),
            ("len" | "product" | "least" | "fds" | "present", [_]) => return Err(no_value(&text)),
            ("has", [_, flag]) => {
                let (Syntax::Field(flag) | Syntax::Value(flag)) = flag else { return Err(no_value(&text)) };
                let separator = if flag.len() > 1 { "::" } else { "" };
                text = format!("has({field}, {})", flag.join(separator));
                is_there(place, &text)?;
                let Some(bits) = self.flag(place, &flag[flag.len() - 1..]) else {
                    return Err(no_value(&text));
                };
                (What::Has { path, bits }, true)
            }
            (_, [_]) => {
                is_there(place, &text)?;
                let Value::Named(contract) = value_of(place) else { return Err(unknown()) };
                let Body::Enumeration(enumeration) = &self.catalog.get(contract).body else {
                    return Err(unknown());
                };
                let key = enumeration.data.iter().position(|key| key.name == name).ok_or_else(unknown)?;
                let ty = enumeration.data[key].ty;
                if ty == DataType::Text {
                    return Err(no_value(&text));
                }
                (What::Data { path, contract, key }, ty == DataType::Bool)
            }
            _ => return Err(unknown()),
        };
        Ok(Expr::Operand(Operand { text, what, is_condition }))
    }

    fn flag(&self, place: Place<'_>, name: &[String]) -> Option<u64> {
        let Value::Named(contract) = value_of(place) else { return None };
        match &self.catalog.get(contract).body {
            Body::Flags(flags) => literal::bits(flags, name),
            _ => None,
        }
    }

    /// What the words lead to, and how: fields of the contract, and of what it holds in one of them.
    fn find(&self, words: &[String]) -> Result<(Path, Place<'a>), RuleError> {
        if matches!(self.contract.body, Body::Union(_)) && words == ["variant"] {
            return Ok((Path(Vec::new()), Place::Own));
        }
        let mut path = Vec::with_capacity(words.len());
        let mut place = None;
        for (index, word) in words.iter().enumerate() {
            let holder = match place {
                None => Some(self.contract),
                Some(Place::Field(field)) => self.descriptor_in(field),
                Some(Place::Key(key)) => {
                    is_there(Place::Key(key), &words[..index].join("."))?;
                    self.members_in(key)
                }
                Some(Place::Message(MessageField::Part(part))) => Some(self.catalog.get(part.contract)),
                Some(Place::Own | Place::Message(_) | Place::Union(_)) => None,
            };
            let unknown = || RuleError::UnknownName { name: words[..=index].join(".") };
            let (position, next) = member(holder.ok_or_else(unknown)?, word).ok_or_else(unknown)?;
            if self.parts_alone
                && matches!(next, Place::Message(MessageField::Tail(_) | MessageField::Fds(_)))
            {
                return Err(unknown());
            }
            path.push(position);
            place = Some(match next {
                Place::Message(MessageField::Part(part)) if self.is_union(part.contract) => {
                    Place::Union(part.contract)
                }
                next => next,
            });
        }
        let place = place.ok_or_else(|| RuleError::UnknownName { name: String::new() })?;
        Ok((Path(path), place))
    }

    fn is_union(&self, id: ContractId) -> bool {
        matches!(self.catalog.get(id).body, Body::Union(_))
    }

    fn descriptor_in(&self, field: &Field) -> Option<&'a Contract> {
        match field.ty.element {
            Element::Descriptor(contract) if field.ty.dims.is_empty() => Some(self.catalog.get(contract)),
            _ => None,
        }
    }

    fn members_in(&self, key: &Key) -> Option<&'a Contract> {
        match key.ty {
            JsonType::Recipe(contract) | JsonType::Descriptor { contract, .. } => {
                Some(self.catalog.get(contract))
            }
            _ => None,
        }
    }

    /// `Enum::Value`: of the nearest contract of that name that is held.
    fn value_of_named(&self, words: &[String]) -> Result<i128, RuleError> {
        let unknown = || RuleError::UnknownName { name: words.join("::") };
        let [.., contract, value] = words else { return Err(unknown()) };
        let mut near: VecDeque<ContractId> = held(self.contract).into();
        let mut seen = HashSet::new();
        while let Some(id) = near.pop_front() {
            if !seen.insert(id) {
                continue;
            }
            let found = self.catalog.get(id);
            if found.name == *contract
                && let Some(number) = self.named_number(id, value)
            {
                return Ok(number);
            }
            near.extend(held(found));
        }
        Err(unknown())
    }

    fn named_number(&self, contract: ContractId, name: &String) -> Option<i128> {
        let contract = self.catalog.get(contract);
        match &contract.body {
            Body::Enumeration(enumeration) => {
                literal::value(enumeration, name).map(|position| enumeration.values[position].value)
            }
            Body::Flags(flags) => literal::bits(flags, std::slice::from_ref(name)).map(i128::from),
            _ => variant(contract, name),
        }
    }
}

/// The position of a union's variant.
fn variant(contract: &Contract, name: &str) -> Option<i128> {
    let Body::Union(union) = &contract.body else { return None };
    let position = union.variants.iter().position(|variant| variant.name == name)?;
    i128::try_from(position).ok()
}

fn member<'a>(holder: &'a Contract, name: &str) -> Option<(usize, Place<'a>)> {
    match &holder.body {
        Body::Descriptor(Descriptor { fields, .. }) => {
            let position = fields.iter().position(|field| field.name == name)?;
            let is_constant =
                matches!(fields[position].role, Role::Magic(_) | Role::Version(_) | Role::Reserved { .. });
            (!is_constant).then_some((position, Place::Field(&fields[position])))
        }
        Body::Recipe(recipe) => {
            let position = recipe.keys.iter().position(|key| key.name == name)?;
            Some((position, Place::Key(&recipe.keys[position])))
        }
        Body::Message(message) => {
            let (position, field) = message.fields().enumerate().find(|(_, field)| field.name() == name)?;
            Some((position, Place::Message(field)))
        }
        _ => None,
    }
}

fn value_of(place: Place<'_>) -> Value {
    match place {
        Place::Own => Value::Variant,
        Place::Union(contract) => Value::Named(contract),
        Place::Message(_) => Value::Nothing,
        Place::Field(field) => field_value(field),
        Place::Key(key) => match key.ty {
            JsonType::Integer { .. } => Value::Number,
            JsonType::Bool => Value::Condition,
            JsonType::Enumeration { contract, .. }
            | JsonType::Flags { contract }
            | JsonType::Union(contract) => Value::Named(contract),
            _ => Value::Nothing,
        },
    }
}

fn field_value(field: &Field) -> Value {
    if !field.ty.dims.is_empty() {
        return Value::Nothing;
    }
    match field.ty.element {
        Element::Scalar(Scalar::Bool) => Value::Condition,
        Element::Scalar(Scalar::F32 | Scalar::F64) | Element::Descriptor(_) => Value::Nothing,
        Element::Scalar(_) => Value::Number,
        Element::Enumeration { contract, .. } | Element::Flags { contract } => Value::Named(contract),
    }
}

fn has_length(place: Place<'_>) -> bool {
    match place {
        Place::Field(field) => !field.ty.dims.is_empty(),
        Place::Key(key) => matches!(
            key.ty,
            JsonType::Text { .. } | JsonType::Bytes { .. } | JsonType::Array { .. } | JsonType::Map { .. }
        ),
        Place::Message(field) => matches!(field, MessageField::Tail(_)),
        Place::Own | Place::Union(_) => false,
    }
}

fn is_integers(place: Place<'_>) -> bool {
    let is_integer = |scalar| !matches!(scalar, Scalar::Bool | Scalar::F32 | Scalar::F64);
    match place {
        Place::Field(field) => {
            let is_array = field.ty.dims.len() == 1 && field.role != Role::Text;
            is_array && matches!(field.ty.element, Element::Scalar(scalar) if is_integer(scalar))
        }
        Place::Key(Key { ty: JsonType::Array { item, .. }, .. }) => {
            matches!(**item, JsonType::Integer { .. })
        }
        _ => false,
    }
}

fn is_optional(place: Place<'_>) -> bool {
    match place {
        Place::Key(key) => matches!(key.presence, Presence::Optional { .. }),
        Place::Message(MessageField::Fds(group)) => matches!(group.form, FdForm::Optional { .. }),
        _ => false,
    }
}

fn is_there(place: Place<'_>, text: &str) -> Result<(), RuleError> {
    match place {
        Place::Key(Key { presence: Presence::Optional { default: None, .. }, .. }) => {
            Err(RuleError::MayBeAbsent { text: text.to_owned() })
        }
        _ => Ok(()),
    }
}

fn require(expr: &Expr, is_condition: bool, place: &str) -> Result<(), RuleError> {
    if expr.is_condition() == is_condition {
        return Ok(());
    }
    let expected = if is_condition { "a condition" } else { "a number" };
    Err(RuleError::WrongType { expected, place: place.to_owned() })
}
