//! Rules and conditions.

use super::object::Object;
use super::reference;
use crate::catalog::json::Json;
use crate::emit::EmitInput;
use crate::model::{
    Body, Computed, Condition, ConditionKind, Contract, Element, Expr, JsonType, MessageField, Moment,
    Operand, Path, Rule, What,
};

pub(super) fn rules(input: &EmitInput<'_>, contract: &Contract, object: Object) -> Object {
    let conditions = contract.conditions().iter().map(|of| condition(input, contract, of)).collect();
    let rules = contract.rules().iter().map(|of| rule(input, contract, of, Object::default())).collect();
    object.list("conditions", conditions).list("rules", rules)
}

fn condition(input: &EmitInput<'_>, contract: &Contract, condition: &Condition) -> Json {
    let field = match &contract.body {
        Body::Descriptor(descriptor) => &descriptor.fields[condition.field].name,
        _ => &contract.recipe().keys[condition.field].name,
    };
    let kind = match condition.kind {
        ConditionKind::RequiredIf => "required_if",
        ConditionKind::UsedIf => "used_if",
    };
    rule(input, contract, &condition.rule, Object::default().text("field", field).text("kind", kind))
}

fn rule(input: &EmitInput<'_>, contract: &Contract, rule: &Rule, object: Object) -> Json {
    let at = match rule.at {
        Moment::Read => "read",
        Moment::Import => "import",
    };
    object
        .text_if("name", rule.name.as_deref())
        .text("text", &rule.text)
        .text("at", at)
        .with("expr", expr(input, contract, &rule.expr))
        .json()
}

/// A number over the parts of a message.
pub(super) fn computed(input: &EmitInput<'_>, contract: &Contract, computed: &Computed) -> Json {
    said(input, contract, &computed.text, &computed.expr)
}

/// A condition over the parts of a message.
pub(super) fn condition_alone(input: &EmitInput<'_>, contract: &Contract, rule: &Rule) -> Json {
    said(input, contract, &rule.text, &rule.expr)
}

fn said(input: &EmitInput<'_>, contract: &Contract, text: &str, of: &Expr) -> Json {
    Object::default().text("text", text).with("expr", expr(input, contract, of)).json()
}

fn expr(input: &EmitInput<'_>, contract: &Contract, of: &Expr) -> Json {
    let object = Object::default();
    let inner = |of: &Expr| expr(input, contract, of);
    match of {
        Expr::Integer(number) => return Json::Integer(*number),
        Expr::Truth(truth) => return Json::Bool(*truth),
        Expr::Operand(of) => return operand(input, contract, of),
        Expr::Not(of) => object.with("not", inner(of)),
        Expr::Negate(of) => object.with("negate", inner(of)),
        Expr::Int(of) => object.with("int", inner(of)),
        Expr::Binary { op, left, right } => {
            object.text("op", op.token()).with("left", inner(left)).with("right", inner(right))
        }
    }
    .json()
}

fn operand(input: &EmitInput<'_>, contract: &Contract, operand: &Operand) -> Json {
    let path = |of: &Path| Json::Array(names(input, contract, of).into_iter().map(Json::text).collect());
    let object = Object::default().text("operand", &operand.text);
    match &operand.what {
        What::Value(of) => object.with("value", path(of)),
        What::Length(of) => object.with("length", path(of)),
        What::Product(of) => object.with("product", path(of)),
        What::Least(of) => object.with("least", path(of)),
        What::Present(of) => object.with("present", path(of)),
        What::Has { path: of, bits } => object.with("has", path(of)).number("bits", *bits),
        What::Data { path: of, contract, key } => {
            let name = &input.catalog.get(*contract).enumeration().data[*key].name;
            object.with("data", path(of)).with("enumeration", reference(input, *contract)).text("key", name)
        }
        What::FdCount => object.flag("fd_count", true),
    }
    .json()
}

/// The names in Rust of the fields on a path; none for a union itself.
fn names<'input>(input: &EmitInput<'input>, contract: &'input Contract, path: &Path) -> Vec<&'input str> {
    let mut holder = contract;
    let mut names = Vec::with_capacity(path.0.len());
    for &index in &path.0 {
        let (name, next) = match &holder.body {
            Body::Descriptor(descriptor) => {
                let field = &descriptor.fields[index];
                let nested = match field.ty.element {
                    Element::Descriptor(nested) => Some(nested),
                    _ => None,
                };
                (field.name.as_str(), nested)
            }
            Body::Message(message) => {
                let Some(field) = message.fields().nth(index) else { return names };
                let nested = match field {
                    MessageField::Part(part) => Some(part.contract),
                    MessageField::Tail(_) | MessageField::Fds(_) => None,
                };
                (field.name(), nested)
            }
            _ => {
                let key = &holder.recipe().keys[index];
                let nested = match key.ty {
                    JsonType::Recipe(nested) | JsonType::Descriptor { contract: nested, .. } => Some(nested),
                    _ => None,
                };
                (key.name.as_str(), nested)
            }
        };
        names.push(name);
        holder = next.map_or(holder, |next| input.catalog.get(next));
    }
    names
}
