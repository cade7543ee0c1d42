//! Rules and conditions as a record has them: text, to which only the nested contracts give a meaning.

use super::decode::objects;
use super::json::{Object, TextError, required};
use super::rule;
use crate::model::{Expr, Moment, Rule};

/// A rule, and its text as the wire id covers it.
pub(super) struct Stated {
    pub(super) rule: Rule,
    expr: String,
}

/// The rules of a contract. Until [`resolve`](super::resolve()) has read their texts, their expressions are `true`.
/// `declared` are the texts of all as declared, where one differs from what the wire id covers.
pub(super) fn of_contract(
    wire: &mut Object,
    declared: Option<Vec<String>>,
) -> Result<Vec<Stated>, TextError> {
    let rules = objects(wire.take_array("rules")?.unwrap_or_default())?;
    if declared.as_ref().is_some_and(|declared| declared.len() != rules.len()) {
        return Err(TextError::Wrong("it has other rules than declarations of rules".to_owned()));
    }
    let mut declared = declared.into_iter().flatten();
    rules.into_iter().map(|object| rule(object, declared.next())).collect()
}

/// The condition that a field states under that key, with its text as declared where `source` has one.
pub(super) fn condition(
    wire: &mut Object,
    source: &mut Object,
    key: &str,
) -> Result<Option<Stated>, TextError> {
    let declared = source.take_text(key)?;
    let Some(json) = wire.take(key) else {
        return match declared {
            None => Ok(None),
            Some(text) => Err(TextError::Wrong(format!("the condition `{text}` is declared and not there"))),
        };
    };
    let stated = rule(Object::from(json)?, declared)?;
    match &stated.rule.name {
        None => Ok(Some(stated)),
        Some(name) => {
            let text = &stated.rule.text;
            Err(TextError::Wrong(format!("the condition `{text}` has the name `{name}`")))
        }
    }
}

/// The expression that a member states under that key as text alone, which `source` has as declared where that differs.
pub(super) fn expression(
    wire: &mut Object,
    source: &mut Object,
    key: &str,
) -> Result<Option<Stated>, TextError> {
    match (wire.take_text(key)?, source.take_text(key)?) {
        (None, None) => Ok(None),
        (None, Some(text)) => Err(TextError::Wrong(format!("`{key}` is declared as `{text}` and not there"))),
        (Some(expr), declared) => {
            let text = declared.unwrap_or_else(|| expr.clone());
            Ok(Some(Stated {
                rule: Rule { name: None, text, expr: Expr::Truth(true), at: Moment::Read },
                expr,
            }))
        }
    }
}

/// The rules alone, once each is what its declared text says of fields that were first `accepted` so (name in Rust,
/// first name).
pub(super) fn checked(stated: Vec<Stated>, accepted: &[(&str, &str)]) -> Result<Vec<Rule>, TextError> {
    stated.into_iter().map(|stated| stated.checked(accepted)).collect()
}

impl Stated {
    pub(super) fn checked(self, accepted: &[(&str, &str)]) -> Result<Rule, TextError> {
        let Stated { rule, expr } = self;
        // What is no text of a rule is refused where it is read.
        match rule::with_first_names(&rule.text, accepted) {
            Ok(text) if text != expr => {
                let declared = &rule.text;
                Err(TextError::Wrong(format!("its rule `{declared}` is `{expr}` in what the wire id covers")))
            }
            _ => Ok(rule),
        }
    }
}

fn rule(mut object: Object, declared: Option<String>) -> Result<Stated, TextError> {
    let name = object.take_text("name")?;
    let expr = required(object.take_text("expr")?, "expr")?;
    let at = match object.take_text("at")?.as_deref() {
        None | Some("read") => Moment::Read,
        Some("import") => Moment::Import,
        Some(other) => return Err(TextError::Unknown(format!("a rule that is checked at `{other}`"))),
    };
    object.finish()?;
    let text = declared.unwrap_or_else(|| expr.clone());
    Ok(Stated { rule: Rule { name, text, expr: Expr::Truth(true), at }, expr })
}
