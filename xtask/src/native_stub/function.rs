//! A function, or a method.

use std::fmt::Write as _;

use anyhow::Context as _;
use pyo3_introspection::model::{Argument, Function};

use super::docs::{WIDTH, docstring};
use super::expression::{Imports, decorator, value};
use super::special::Special;

/// The text at that indentation, without a newline behind it; `special` is what is said of its class.
pub(super) fn render(
    function: &Function,
    pad: &str,
    special: &Special,
    imports: &mut Imports,
) -> anyhow::Result<String> {
    let name = &function.name;
    let arguments = arguments(function, special, imports).with_context(|| format!("of `{name}`"))?;
    let returns = match (special.returns(name), &function.returns) {
        (Some(said), _) => imports.said(said),
        (None, Some(expr)) => {
            imports.annotation(expr).with_context(|| format!("of what `{name}` returns"))?
        }
        (None, None) => "None".to_owned(),
    };
    let mut text = String::new();
    for expr in &function.decorators {
        let _ = writeln!(text, "{pad}@{}", decorator(expr)?);
    }
    let word = if function.is_async { "async def" } else { "def" };
    text += &head(pad, &format!("{word} {name}"), &arguments, &returns);
    match function.docstring.as_deref().map(str::trim).filter(|docs| !docs.is_empty()) {
        Some(docs) => {
            let _ = write!(text, "\n{}", docstring(&format!("{pad}    "), docs));
        }
        None => text += " ...",
    }
    Ok(text)
}

fn arguments(function: &Function, special: &Special, imports: &mut Imports) -> anyhow::Result<Vec<String>> {
    let all = &function.arguments;
    let mut words = Vec::new();
    let mut each = |arguments: &[Argument]| -> anyhow::Result<Vec<String>> {
        let said = |argument: &Argument| special.argument(&function.name, &argument.name);
        arguments.iter().map(|argument| self::argument(argument, said(argument), imports)).collect()
    };
    words.extend(each(&all.positional_only_arguments)?);
    if !all.positional_only_arguments.is_empty() {
        words.push("/".to_owned());
    }
    words.extend(each(&all.arguments)?);
    let named = each(&all.keyword_only_arguments)?;
    let mut variable = |stars: &str, it: &pyo3_introspection::model::VariableLengthArgument| {
        let ty = it.annotation.as_ref().map_or(Ok("typing.Any".to_owned()), |expr| imports.annotation(expr));
        imports.note("typing.Any");
        ty.map(|ty| format!("{stars}{}: {ty}", it.name))
    };
    match &all.vararg {
        Some(it) => words.push(variable("*", it)?),
        None if !named.is_empty() => words.push("*".to_owned()),
        None => {}
    }
    words.extend(named);
    if let Some(it) = &all.kwarg {
        words.push(variable("**", it)?);
    }
    Ok(words)
}

fn argument(argument: &Argument, said: Option<&str>, imports: &mut Imports) -> anyhow::Result<String> {
    let name = &argument.name;
    let ty = match (said, &argument.annotation) {
        (Some(said), _) => Some(imports.said(said)),
        (None, Some(expr)) => {
            Some(imports.annotation(expr).with_context(|| format!("of the argument `{name}`"))?)
        }
        (None, None) => None,
    };
    let default = argument.default_value.as_ref().map(value);
    Ok(match (ty, default) {
        (Some(ty), Some(default)) => format!("{name}: {ty} = {default}"),
        (Some(ty), None) => format!("{name}: {ty}"),
        (None, Some(default)) => format!("{name}={default}"),
        (None, None) => name.clone(),
    })
}

/// `def name(…) -> …:`, broken as ruff breaks it.
pub(super) fn head(pad: &str, name: &str, arguments: &[String], returns: &str) -> String {
    let joined = arguments.join(", ");
    let line = format!("{pad}{name}({joined}) -> {returns}:");
    // The formatter counts what follows in the line.
    if line.chars().count() + 4 <= WIDTH {
        return line;
    }
    if arguments.len() > 1 && pad.len() + 4 + joined.chars().count() <= WIDTH {
        return format!("{pad}{name}(\n{pad}    {joined}\n{pad}) -> {returns}:");
    }
    let each = arguments.iter().fold(String::new(), |mut text, argument| {
        let _ = writeln!(text, "{pad}    {argument},");
        text
    });
    format!("{pad}{name}(\n{each}{pad}) -> {returns}:")
}
