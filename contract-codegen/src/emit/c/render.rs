//! Fills templates of this crate.

use std::collections::BTreeMap;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};
use serde::Serialize;

use crate::counted;

/// Templates whose tags leave no trace in the text, and where a name that nothing defines is an error.
pub(crate) fn environment(sources: &[(&'static str, &'static str)]) -> Environment<'static> {
    let mut environment = Environment::new();
    let syntax =
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("the default delimiters"));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_filter("bytes", counted::bytes::<u64>);
    for &(name, source) in sources {
        environment.add_template(name, source).expect("the templates are part of this crate and tested");
    }
    environment
}

/// # Panics
/// When a template asks for what the view does not have; the tests render every branch.
pub(crate) fn render(templates: &Environment<'_>, name: &str, view: &impl Serialize) -> String {
    let template = templates.get_template(name).expect("a template of this crate");
    let view = serde_json::to_value(view).expect("a view holds names, numbers and lists");
    template.render(value(view)).unwrap_or_else(|error| panic!("template {name}: {error:#}"))
}

/// JSON as a template sees it.
fn value(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::from(()),
        serde_json::Value::Bool(bool) => Value::from(bool),
        serde_json::Value::Number(number) => match number.as_u64() {
            Some(number) => Value::from(number),
            None => Value::from(number.as_i64()),
        },
        serde_json::Value::String(text) => Value::from(text),
        serde_json::Value::Array(items) => items.into_iter().map(value).collect(),
        serde_json::Value::Object(members) => Value::from(
            members.into_iter().map(|(key, member)| (key, value(member))).collect::<BTreeMap<_, _>>(),
        ),
    }
}
