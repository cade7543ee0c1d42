//! Rules and conditions as a record has them: text, to which only the nested contracts give a meaning.

use super::decode::objects;
use super::json::{Object, TextError, required};
use crate::model::{Expr, Moment, Rule};

/// The rules of a contract. Until [`resolve`](super::resolve()) has read their texts, their expressions are `true`.
pub(super) fn of_contract(wire: &mut Object) -> Result<Vec<Rule>, TextError> {
    let rules = objects(wire.take_array("rules")?.unwrap_or_default())?;
    rules.into_iter().map(rule).collect()
}

/// The condition that a field states under that key.
pub(super) fn condition(wire: &mut Object, key: &str) -> Result<Option<Rule>, TextError> {
    let Some(json) = wire.take(key) else { return Ok(None) };
    let rule = rule(Object::from(json)?)?;
    match rule.name {
        None => Ok(Some(rule)),
        Some(name) => Err(TextError::Wrong(format!("the condition `{}` has the name `{name}`", rule.text))),
    }
}

fn rule(mut object: Object) -> Result<Rule, TextError> {
    let name = object.take_text("name")?;
    let text = required(object.take_text("expr")?, "expr")?;
    let at = match object.take_text("at")?.as_deref() {
        None | Some("read") => Moment::Read,
        Some("import") => Moment::Import,
        Some(other) => return Err(TextError::Unknown(format!("a rule that is checked at `{other}`"))),
    };
    object.finish()?;
    Ok(Rule { name, text, expr: Expr::Truth(true), at })
}
