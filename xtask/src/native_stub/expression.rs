//! Types and values, and what has to be imported for them.

use std::fmt::Write as _;

use std::collections::BTreeSet;

use anyhow::{bail, ensure};
use pyo3_introspection::model::{Constant, Expr, Module};

/// Modules that annotations may name; all of them are the standard library's.
const KNOWN: &[&str] = &["builtins", "collections.abc", "os", "types", "typing"];

/// Another one, which every type checker has.
const INSTALLED: &str = "typing_extensions";

/// Where what has no name that can be imported stands in the library's words.
const INCOMPLETE: &str = "_typeshed.Incomplete";

/// What the stub imports.
pub(super) struct Imports {
    modules: BTreeSet<String>,
    /// The names that the library itself has.
    own: BTreeSet<String>,
    /// Names that the class has which is being written: they hide builtins.
    hidden: BTreeSet<String>,
}

impl Imports {
    pub(super) fn new(module: &Module) -> Self {
        let own = module.classes.iter().map(|class| class.name.clone()).collect();
        let mut imports = Imports { modules: BTreeSet::new(), own, hidden: BTreeSet::new() };
        if !module.modules.is_empty() {
            imports.modules.insert("types".to_owned());
        }
        imports
    }

    /// Enters a class, or leaves one where there are no names.
    pub(super) fn enter(&mut self, names: impl Iterator<Item = String>) {
        self.hidden = names.collect();
    }

    /// The lines that import.
    pub(super) fn lines(&self) -> String {
        let (installed, standard): (Vec<_>, Vec<_>) =
            self.modules.iter().partition(|module| *module == INSTALLED);
        let lines = |modules: &[&String]| -> String {
            modules.iter().fold(String::new(), |mut text, module| {
                let _ = writeln!(text, "import {module}");
                text
            })
        };
        if installed.is_empty() { lines(&standard) } else { lines(&standard) + "\n" + &lines(&installed) }
    }

    /// Takes note of a text of Python's that names modules.
    pub(super) fn note(&mut self, text: &str) {
        for module in KNOWN.iter().chain(&[INSTALLED]) {
            let is_of = |word: &str| word.rsplit_once('.').is_some_and(|(of, _)| of == *module);
            if words(text).any(is_of) {
                self.modules.insert((*module).to_owned());
            }
        }
    }

    /// A type that is said in place of the library's.
    pub(super) fn said(&mut self, text: &str) -> String {
        self.note(text);
        text.to_owned()
    }

    /// A type.
    ///
    /// # Errors
    /// Of one that is incomplete, or that names a module which is none of the known ones.
    pub(super) fn annotation(&mut self, expr: &Expr) -> anyhow::Result<String> {
        // What the sources say in place of what is derived stands in quotes.
        let text = match expr {
            Expr::Constant { value: Constant::Str(text) } => text.clone(),
            _ => value(expr),
        };
        ensure!(
            text != INCOMPLETE,
            "expected a type, found one that the library does not know: say it in its source"
        );
        // Types of its own need no module.
        let mut text =
            text.replace("wirecontract._native.", "").replace("_native.", "").replace("wirecontract.", "");
        let builtins: BTreeSet<String> =
            words(&text).filter_map(|word| word.strip_prefix("builtins.")).map(str::to_owned).collect();
        for name in builtins.difference(&self.hidden) {
            text = text.replace(&format!("builtins.{name}"), name);
        }
        for word in words(&text) {
            self.known(word, &text)?;
        }
        self.note(&text);
        Ok(text)
    }

    fn known(&self, word: &str, text: &str) -> anyhow::Result<()> {
        match word.rsplit_once('.') {
            Some((module, _)) => ensure!(
                KNOWN.contains(&module),
                "expected a type of the modules {}, found `{text}`",
                KNOWN.join(", ")
            ),
            None if word.starts_with(char::is_uppercase) => ensure!(
                self.own.contains(word) || ["None", "True", "False"].contains(&word) || is_builtin(word),
                "expected a class of the library, found `{word}` in `{text}`"
            ),
            None => {}
        }
        Ok(())
    }
}

/// Exceptions are the builtins that are written with a capital.
fn is_builtin(word: &str) -> bool {
    word.ends_with("Error") || word.ends_with("Exception") || word.ends_with("Warning")
}

/// The dotted words of a text, without those in quotes.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).filter(|word| !word.is_empty())
}

/// A value, or a type, as Python spells it.
pub(super) fn value(expr: &Expr) -> String {
    let all = |elts: &[Expr]| elts.iter().map(value).collect::<Vec<_>>().join(", ");
    match expr {
        Expr::Constant { value } => match value {
            Constant::None => "None".to_owned(),
            Constant::Bool(true) => "True".to_owned(),
            Constant::Bool(false) => "False".to_owned(),
            Constant::Int(number) | Constant::Float(number) => number.clone(),
            Constant::Str(text) => quoted(text),
            Constant::Ellipsis => "...".to_owned(),
        },
        Expr::Name { id } => id.clone(),
        Expr::Attribute { value: of, attr } => format!("{}.{attr}", value(of)),
        Expr::BinOp { left, right, op: _ } => format!("{} | {}", value(left), value(right)),
        Expr::Tuple { elts } if elts.len() == 1 => format!("({},)", all(elts)),
        Expr::Tuple { elts } => format!("({})", all(elts)),
        Expr::List { elts } => format!("[{}]", all(elts)),
        Expr::Subscript { value: of, slice } => match &**slice {
            // What a list or a tuple is taken by: PyO3 asks that it is a sequence.
            Expr::Tuple { elts } if elts.len() == 2 && value(of) == "_typeshed.SupportsGetItem" => {
                format!("collections.abc.Sequence[{}]", value(&elts[1]))
            }
            Expr::Tuple { elts } if !elts.is_empty() => format!("{}[{}]", value(of), all(elts)),
            other => format!("{}[{}]", value(of), value(other)),
        },
    }
}

/// A text in quotes.
pub(super) fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|character| match character {
        '\\' => "\\\\".to_owned(),
        '"' => "\\\"".to_owned(),
        '\n' => "\\n".to_owned(),
        other => other.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// A decorator, by its dotted name.
///
/// # Errors
/// Of one with arguments.
pub(super) fn decorator(expr: &Expr) -> anyhow::Result<String> {
    match expr {
        Expr::Name { .. } | Expr::Attribute { .. } => Ok(value(expr)),
        other => bail!("expected the name of a decorator, found {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(id: &str) -> Expr {
        Expr::Name { id: id.to_owned() }
    }

    fn text(text: &str) -> Expr {
        Expr::Constant { value: Constant::Str(text.to_owned()) }
    }

    fn imports() -> Imports {
        Imports {
            modules: BTreeSet::new(),
            own: BTreeSet::from(["Tensor".to_owned()]),
            hidden: BTreeSet::from(["bytes".to_owned()]),
        }
    }

    #[test]
    fn types_are_spelled_and_their_modules_imported() {
        let mut imports = imports();
        let sequence = Expr::Subscript {
            value: Box::new(Expr::Attribute {
                value: Box::new(name("collections.abc")),
                attr: "Sequence".into(),
            }),
            slice: Box::new(name("int")),
        };
        assert_eq!(imports.annotation(&sequence).unwrap(), "collections.abc.Sequence[int]");
        assert_eq!(imports.annotation(&text("Tensor | typing.Any")).unwrap(), "Tensor | typing.Any");
        let builtins = text("builtins.bytes | builtins.int");
        assert_eq!(imports.annotation(&builtins).unwrap(), "builtins.bytes | int");
        assert_eq!(imports.lines(), "import builtins\nimport collections.abc\nimport typing\n");
    }

    #[test]
    fn a_type_that_nobody_could_import_is_refused() {
        for (expr, said) in [
            (text("numpy.ndarray"), "found `numpy.ndarray`"),
            (text("Array"), "found `Array`"),
            (text("_typeshed.Incomplete"), "does not know"),
        ] {
            let error = imports().annotation(&expr).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
