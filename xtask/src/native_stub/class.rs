//! A class.

use std::fmt::Write as _;

use anyhow::{Context as _, ensure};
use pyo3_introspection::model::{Attribute, Class, Expr, Function};

use super::docs::docstring;
use super::expression::{Imports, decorator, value};
use super::{function, special};

/// The text, without a newline behind it.
pub(super) fn render(class: &Class, imports: &mut Imports) -> anyhow::Result<String> {
    let name = &class.name;
    ensure!(class.inner_classes.is_empty(), "expected no class in the class `{name}`");
    let special = special::of(name);
    let members = class.methods.iter().map(|it| &it.name).chain(class.attributes.iter().map(|it| &it.name));
    imports.enter(members.cloned());
    let mut text = String::new();
    for expr in &class.decorators {
        let decorator = decorator(expr)?;
        imports.note(&decorator);
        let _ = writeln!(text, "@{decorator}");
    }
    let mut bases: Vec<String> =
        class.bases.iter().map(|base| imports.annotation(base)).collect::<anyhow::Result<_>>()?;
    if special.has_buffer {
        bases.push(imports.said("_Buffer")?);
    }
    let bases = if bases.is_empty() { String::new() } else { format!("({})", bases.join(", ")) };
    let _ = writeln!(text, "class {name}{bases}:");
    text += &docstring("    ", class.docstring.as_deref().unwrap_or_default());

    let mut attributes: Vec<&Attribute> = class.attributes.iter().collect();
    attributes.sort_by_key(|attribute| &attribute.name);
    let mut lines = Vec::new();
    for it in attributes {
        let said = special.attribute(&it.name);
        lines.push(match said {
            Some(text) => {
                let docs = it.docstring.as_deref().filter(|docs| !docs.is_empty());
                let docs = docs.map(|docs| format!("\n{}", docstring("    ", docs))).unwrap_or_default();
                format!("    {}{docs}", imports.declared(text)?)
            }
            None => attribute(it, imports).with_context(|| format!("of `{name}`"))?,
        });
    }
    if !lines.is_empty() {
        let _ = write!(text, "\n\n{}", lines.join("\n"));
    }
    let mut methods: Vec<&Function> = class.methods.iter().collect();
    methods.sort_by_key(|method| order(method));
    let mut was_short = false;
    for method in methods {
        let written =
            function::render(method, "    ", &special, imports).with_context(|| format!("of `{name}`"))?;
        // As the formatter has them.
        text += if was_short { "\n" } else { "\n\n" };
        was_short = written.ends_with(" ...");
        text += &written;
    }
    imports.enter(std::iter::empty());
    Ok(text)
}

fn attribute(attribute: &Attribute, imports: &mut Imports) -> anyhow::Result<String> {
    let name = &attribute.name;
    let annotation = attribute.annotation.as_ref().with_context(|| format!("expected a type of `{name}`"))?;
    let annotation = imports.annotation(annotation).with_context(|| format!("of `{name}`"))?;
    let value = attribute.value.as_ref().map(|it| format!(" = {}", value(it))).unwrap_or_default();
    let docs = attribute.docstring.as_deref().unwrap_or_default();
    let docs = if docs.is_empty() { String::new() } else { format!("\n{}", docstring("    ", docs)) };
    Ok(format!("    {name}: {annotation}{value}{docs}"))
}

/// The constructor, then what is called by name, then what Python calls; each by name.
fn order(method: &Function) -> (u8, &str) {
    let is_property = |expr: &Expr| matches!(expr, Expr::Name { id } if id == "property");
    let group = match &*method.name {
        "__new__" => 0,
        name if name.starts_with("__") => 3,
        _ if method.decorators.iter().any(is_property) => 1,
        _ => 2,
    };
    (group, &method.name)
}
