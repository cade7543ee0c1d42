//! The text of a function, or of a handle's method.

use std::collections::BTreeSet;

use super::super::scope::{Locals, Scope};
use super::super::text::{exploded, head, statement, string};
use super::docs;
use super::given::{self, Arguments};
use super::out::{self, Kind};
use super::value::Definitions;
use crate::model::{ContractId, ParamForm};
use crate::names::python as names;

/// A function, and the types of its arguments.
pub(super) struct Written {
    pub(super) text: String,
    pub(super) types: Vec<String>,
}

/// Writes one; for a method its handle, its name, and the names of all methods.
pub(super) fn write(
    scope: &Scope<'_>,
    id: ContractId,
    method: Option<(ContractId, &str, &BTreeSet<String>)>,
    definitions: &mut Definitions,
) -> Written {
    let function = scope.catalog.get(id).function();
    let symbol = string(&function.symbol);
    let outside = BTreeSet::new();
    let (indent, own, hidden) = match method {
        Some((_, name, attributes)) => (4, name.to_owned(), attributes),
        None => (0, scope.class(id), &outside),
    };
    let has_self = function.params.first().is_some_and(|param| param.name == "self");
    let params: BTreeSet<String> = function.params.iter().map(|it| names::parameter(&it.name)).collect();
    let used: Vec<&str> = params.iter().map(String::as_str).chain(["self"]).collect();
    let mut arguments = Arguments {
        scope,
        id,
        params: &params,
        locals: Locals::new(scope, &used),
        definitions,
        indent: indent + 4,
        lines: Vec::new(),
        given: Vec::new(),
        types: Vec::new(),
        told: Vec::new(),
        taken: Vec::new(),
    };
    function.params.iter().for_each(|param| arguments.add(param));
    let results: Vec<out::Result> = function
        .outs
        .iter()
        .map(|it| {
            let variable = arguments.locals.add("out", names::parameter(&it.name).as_str());
            out::result(scope, it, variable, &symbol, &params, arguments.definitions)
        })
        .collect();

    let mut lines = Vec::new();
    if method.is_some() && !has_self {
        lines.push(format!("    @{}", scope.builtin("staticmethod", hidden)));
    }
    let mut heads: Vec<String> = Vec::new();
    for param in &function.params {
        heads.push(if param.name == "self" && matches!(param.form, ParamForm::Handle { .. }) {
            "self".to_owned()
        } else {
            format!("{}: {}", names::parameter(&param.name), given::annotation(scope, param, hidden))
        });
    }
    let gives: Vec<String> = function.outs.iter().map(|it| out::annotation(scope, it, hidden)).collect();
    let returns = match &gives[..] {
        [] => "None".to_owned(),
        [one] => one.clone(),
        several => format!("{}[{}]", scope.builtin("tuple", hidden), several.join(", ")),
    };
    lines.push(head(indent, &own, &heads, &returns));
    lines.push(docs::function(scope, id, indent + 4));
    lines.append(&mut arguments.lines.clone());
    lines.extend(call(&mut arguments, &function.symbol, &symbol, &results));
    Written { text: lines.join("\n"), types: arguments.types }
}

/// The call, and what follows it.
fn call(arguments: &mut Arguments<'_, '_>, name: &str, symbol: &str, results: &[out::Result]) -> Vec<String> {
    let indent = arguments.indent;
    let pad = " ".repeat(indent);
    let mut lines = Vec::new();
    for result in results {
        lines.push(statement(indent, &format!("{} = {}", result.variable, result.made)));
        arguments.given.push(result.given.clone());
        arguments.types.push(result.ty.clone());
    }
    let status = arguments.locals.add("", "status");
    let call = format!("{status} = _c_{name}({})", arguments.given.join(", "));
    if arguments.told.is_empty() {
        lines.push(statement(indent, &call));
    } else {
        let line = format!("with {}:", arguments.told.join(", "));
        lines.push(if indent + line.len() <= 88 {
            format!("{pad}{line}")
        } else {
            exploded(indent, "with (", &arguments.told, "):")
        });
        lines.push(statement(indent + 4, &call));
    }
    for taken in &arguments.taken {
        let given = format!("{}, {}, {}", taken.object, taken.number, taken.key);
        lines.push(statement(indent, &format!("_call.settle({given}, _library)")));
    }
    lines.extend(raising(arguments, results));
    lines.push(format!("{pad}if {status}:"));
    lines.push(statement(indent + 4, &format!("raise _library.failure({status}, {symbol})")));
    lines.extend(giving(arguments, results));
    lines
}

/// What a callable raised comes first, whatever the library made of it; then nobody gets the results.
fn raising(arguments: &Arguments<'_, '_>, results: &[out::Result]) -> Vec<String> {
    let indent = arguments.indent;
    let pad = " ".repeat(indent);
    let mut lines = Vec::new();
    for told in &arguments.told {
        lines.push(format!("{pad}if {told}.error is not None:"));
        for result in results {
            match result.kind {
                Kind::Plain => {}
                Kind::Owned => {
                    lines.push(statement(indent + 4, &format!("_library.free({})", result.variable)));
                }
                Kind::Handle => {
                    lines.push(format!("{pad}    if {}.id:", result.variable));
                    lines.push(statement(indent + 8, &format!("{}.close()", result.value)));
                }
            }
        }
        lines.push(format!("{pad}    raise {told}.error"));
    }
    lines
}

/// What is given: handles first, so that what fails behind them can close them.
fn giving(arguments: &mut Arguments<'_, '_>, results: &[out::Result]) -> Vec<String> {
    let mut indent = arguments.indent;
    let mut lines = Vec::new();
    let mut values = Vec::new();
    let mut handles = Vec::new();
    // Of several results one may not be what it should.
    for result in results {
        if result.kind == Kind::Handle && results.len() > 1 {
            let variable = arguments.locals.add("", &format!("{}_handle", result.variable));
            lines.push(statement(indent, &format!("{variable} = {}", result.value)));
            values.push(variable.clone());
            handles.push(variable);
        } else {
            values.push(result.value.clone());
        }
    }
    if results.is_empty() {
        return lines;
    }
    let owned: Vec<&out::Result> = results.iter().filter(|result| result.kind == Kind::Owned).collect();
    let returned = format!("return {}", values.join(", "));
    let is_tried = !owned.is_empty() || !handles.is_empty();
    let pad = " ".repeat(indent);
    if is_tried {
        lines.push(format!("{pad}try:"));
        indent += 4;
    }
    lines.push(if values.len() > 1 && indent + returned.len() > 88 {
        exploded(indent, "return (", &values, ")")
    } else {
        statement(indent, &returned)
    });
    if !handles.is_empty() {
        let everything = arguments.scope.builtin("BaseException", arguments.params);
        lines.push(format!("{pad}except {everything}:"));
        lines.extend(handles.iter().map(|handle| format!("{pad}    {handle}.close()")));
        lines.push(format!("{pad}    raise"));
    }
    if !owned.is_empty() {
        lines.push(format!("{pad}finally:"));
        for result in owned {
            lines.push(statement(arguments.indent + 4, &format!("_library.free({})", result.variable)));
        }
    }
    lines
}
