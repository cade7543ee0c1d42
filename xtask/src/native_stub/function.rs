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
        (None, Some(expr)) => imports.annotation(expr),
        (None, None) => Ok("None".to_owned()),
    };
    let returns = returns.with_context(|| format!("of what `{name}` returns"))?;
    let mut text = String::new();
    for expr in &function.decorators {
        let _ = writeln!(text, "{pad}@{}", decorator(expr)?);
    }
    let word = if function.is_async { "async def" } else { "def" };
    let docs = function.docstring.as_deref().map(str::trim).filter(|docs| !docs.is_empty());
    let body = if docs.is_none() { " ..." } else { "" };
    text += &head(pad, &format!("{word} {name}"), &arguments, &returns, body);
    match docs {
        Some(docs) => {
            let _ = write!(text, "\n{}", docstring(&format!("{pad}    "), docs));
        }
        None => text += body,
    }
    Ok(text)
}

fn arguments(function: &Function, special: &Special, imports: &mut Imports) -> anyhow::Result<Vec<String>> {
    let all = &function.arguments;
    let mut words = Vec::new();
    let mut each = |arguments: &[Argument]| -> anyhow::Result<Vec<String>> {
        let said = |argument: &Argument| special.argument(&function.name, argument);
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
    let keywords = special.keywords(&function.name);
    if let Some(it) = &all.kwarg
        && keywords.is_empty()
    {
        words.extend(named);
        words.push(variable("**", it)?);
        return Ok(words);
    }
    if !keywords.is_empty() && named.is_empty() && all.vararg.is_none() {
        words.push("*".to_owned());
    }
    words.extend(named);
    for keyword in keywords {
        words.push(imports.declared(keyword)?);
    }
    Ok(words)
}

fn argument(argument: &Argument, said: Option<&str>, imports: &mut Imports) -> anyhow::Result<String> {
    let name = &argument.name;
    let ty = match (said, &argument.annotation) {
        (Some(said), _) => Some(imports.said(said)),
        (None, Some(expr)) => Some(imports.annotation(expr)),
        (None, None) => None,
    };
    let ty = ty.transpose().with_context(|| format!("of the argument `{name}`"))?;
    let default = argument.default_value.as_ref().map(value);
    Ok(match (ty, default) {
        (Some(ty), Some(default)) => format!("{name}: {ty} = {default}"),
        (Some(ty), None) => format!("{name}: {ty}"),
        (None, Some(default)) => format!("{name}={default}"),
        (None, None) => name.clone(),
    })
}

/// `def name(…) -> …:`, broken as ruff breaks it; `body` follows in the line.
fn head(pad: &str, name: &str, arguments: &[String], returns: &str, body: &str) -> String {
    let joined = arguments.join(", ");
    let line = format!("{pad}{name}({joined}) -> {returns}:");
    if line.chars().count() + body.len() <= WIDTH {
        return line;
    }
    if arguments.len() > 1 && pad.len() + 4 + joined.chars().count() <= WIDTH {
        return format!("{pad}{name}(\n{pad}    {joined}\n{pad}) -> {returns}:");
    }
    let each = arguments.iter().fold(String::new(), |mut text, argument| {
        let _ = writeln!(text, "{pad}    {},", broken(argument, pad));
        text
    });
    format!("{pad}{name}(\n{each}{pad}) -> {returns}:")
}

/// An argument in a line of its own: alternatives that are too many for one have one each.
fn broken(argument: &str, pad: &str) -> String {
    if pad.len() + 4 + argument.chars().count() < WIDTH {
        return argument.to_owned();
    }
    argument.replace(" | ", &format!("\n{pad}    | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_where_the_formatter_breaks_them() {
        let long = format!("lend: {}", ["wirecontract.host.HostBuffer"; 4].join(" | "));
        let text = head("    ", "def offer", &["self".to_owned(), long], "Lease", "");
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(text.contains("        lend: wirecontract.host.HostBuffer\n        | "), "{text}");
        assert_eq!(head("", "def f", &["x: int".to_owned()], "int", " ..."), "def f(x: int) -> int:");
        let full = format!("def {}", "f".repeat(WIDTH - 18));
        assert_eq!(head("", &full, &["x".to_owned(), "y".to_owned()], "int", "").lines().count(), 1);
        assert_eq!(head("", &full, &["x".to_owned(), "y".to_owned()], "int", " ...").lines().count(), 3);
    }
}
