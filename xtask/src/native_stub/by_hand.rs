//! The classes of contracts that have methods by hand: what `_contracts.pyi` says of them is held against what the library
//! says.

use anyhow::{Context as _, ensure};
use pyo3_introspection::model::{Argument, Class, Function, Module};

use super::expression::{each_word, value};

/// The module of the library that says what these classes have; nothing else is in it.
pub(super) const MODULE: &str = "_by_hand";

/// Holds each class against its stub.
///
/// # Errors
/// Names the first method that the two say otherwise.
pub(super) fn check(module: &Module, stub: &str) -> anyhow::Result<()> {
    for class in &module.classes {
        self::class(class, stub).with_context(|| format!("of `{}` in _contracts.pyi", class.name))?;
    }
    Ok(())
}

fn class(class: &Class, stub: &str) -> anyhow::Result<()> {
    let head = format!("\nclass {}", class.name);
    let is_head = |rest: &str| rest.starts_with(['(', ':']);
    let start = stub.match_indices(&head).find(|(at, _)| is_head(&stub[at + head.len()..]));
    let (start, _) = start.context("expected the class, found none")?;
    let text = &stub[start + 1..];
    let text = text.find("\nclass ").map_or(text, |end| &text[..end]);
    for method in class.methods.iter().filter(|method| !method.name.starts_with("__")) {
        let declared = signature(text, &method.name);
        let declared =
            declared.with_context(|| format!("expected the method `{}`, found none", method.name))?;
        let said = of_library(method);
        ensure!(
            agree(&declared, &said),
            "expected `{}` as the library has it, `{}`, found `{}`",
            method.name,
            said.text(),
            declared.text()
        );
    }
    Ok(())
}

/// A method without the types of its arguments, and what it gives.
struct Signature {
    arguments: Vec<String>,
    returns: String,
}

impl Signature {
    fn text(&self) -> String {
        format!("({}) -> {}", self.arguments.join(", "), self.returns)
    }
}

/// Whether both take the same, and give the same where the library knows what.
fn agree(declared: &Signature, said: &Signature) -> bool {
    let is_known = !said.returns.contains("Any");
    declared.arguments == said.arguments && (!is_known || declared.returns == said.returns)
}

fn of_library(method: &Function) -> Signature {
    let all = &method.arguments;
    let mut arguments: Vec<String> = Vec::new();
    let word = |argument: &Argument| match &argument.default_value {
        Some(default) => format!("{}={}", argument.name, value(default)),
        None => argument.name.clone(),
    };
    arguments.extend(all.positional_only_arguments.iter().map(word));
    arguments.extend(all.arguments.iter().map(word));
    if !all.keyword_only_arguments.is_empty() {
        arguments.push("*".to_owned());
    }
    arguments.extend(all.keyword_only_arguments.iter().map(word));
    let returns = method.returns.as_ref().map_or("None".to_owned(), value);
    Signature { arguments, returns: bare(&returns) }
}

/// A method or property in a class's text, as the stub's emitter writes it.
fn signature(text: &str, name: &str) -> Option<Signature> {
    let head = format!("    def {name}(");
    let start = text.find(&head)? + head.len();
    let (arguments, rest) = text[start..].split_once(") -> ")?;
    let returns = &rest[..rest.find(":\n").or_else(|| rest.find(": ...\n"))?];
    let parts = parts(arguments);
    let arguments = parts.iter().filter(|part| **part != "/").map(|part| {
        let (name, rest) = part.split_once(':').unwrap_or((part, ""));
        rest.rsplit_once(" = ").map_or(name.to_owned(), |(_, default)| format!("{name}={default}"))
    });
    Some(Signature { arguments: arguments.collect(), returns: bare(returns) })
}

/// Arguments, parted at the commas that are in no brackets.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let separates = |c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth == 0
    };
    text.split(separates).map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// A type without its modules, whatever each side calls them.
fn bare(text: &str) -> String {
    each_word(text, |word| word.rsplit('.').next().unwrap_or(word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyo3_introspection::model::{Arguments, Expr};

    const STUB: &str = "\nclass Other:\n    def open(self) -> int: ...\n\nclass Held(_Bytes):\n    \"\"\"Held.\"\"\"\n\n    \
                        def open(\n        self, fd: _native.Fd | dict[str, int], *, within: int | None = None\n    ) -> _native.Image:\n        \"\"\"Opens it.\"\"\"\n\n    \
                        def size(self) -> int: ...\n\nclass Last:\n    pass\n";

    fn name(id: &str) -> Expr {
        Expr::Name { id: id.to_owned() }
    }

    fn argument(name: &str, default_value: Option<Expr>) -> Argument {
        Argument { name: name.to_owned(), default_value, annotation: None }
    }

    fn check(method: &str, change: impl Fn(&mut Function)) -> Result<(), String> {
        let none = || Expr::Constant { value: pyo3_introspection::model::Constant::None };
        let mut open = Function {
            name: method.to_owned(),
            decorators: Vec::new(),
            arguments: Arguments {
                positional_only_arguments: vec![argument("self", None)],
                arguments: vec![argument("fd", None)],
                vararg: None,
                keyword_only_arguments: vec![argument("within", Some(none()))],
                kwarg: None,
            },
            returns: Some(Expr::Attribute { value: Box::new(name("_native")), attr: "Image".to_owned() }),
            is_async: false,
            docstring: None,
        };
        change(&mut open);
        let class = Class {
            name: "Held".to_owned(),
            bases: Vec::new(),
            methods: vec![open],
            attributes: Vec::new(),
            decorators: Vec::new(),
            inner_classes: Vec::new(),
            docstring: None,
        };
        self::class(&class, STUB).map_err(|error| error.to_string())
    }

    #[test]
    fn a_method_that_the_stub_says_otherwise_is_named() {
        assert_eq!(check("open", |_| ()), Ok(()));
        assert_eq!(check("open", |it| it.returns = Some(name("Any"))), Ok(()));
        for change in [
            (|it| it.returns = Some(name("Picture"))) as fn(&mut Function),
            |it| it.arguments.arguments[0].name = "file".to_owned(),
            |it| it.arguments.arguments.push(argument("more", None)),
            |it| it.arguments.keyword_only_arguments.clear(),
            |it| it.arguments.keyword_only_arguments[0].default_value = None,
        ] {
            let said = check("open", change).unwrap_err();
            assert!(said.starts_with("expected `open` as the library has it, `("), "{said}");
        }
        assert_eq!(check("close", |_| ()).unwrap_err(), "expected the method `close`, found none");
    }
}
