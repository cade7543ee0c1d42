//! Types and values, and what has to be imported for them.

use std::fmt::Write as _;

use std::collections::BTreeSet;

use anyhow::{Context as _, bail, ensure};
use pyo3_introspection::model::{Constant, Expr, Module};

use super::special::HELPERS;

/// Modules that annotations may name; all of them are the standard library's.
const KNOWN: &[&str] = &["builtins", "collections.abc", "os", "types", "typing"];

/// Another one, which every type checker has.
const INSTALLED: &str = "typing_extensions";

/// The public modules of the package that is written by hand.
const OURS: &[&str] = &[
    "wirecontract.contracts.buffer",
    "wirecontract.contracts.negotiate",
    "wirecontract.handoff",
    "wirecontract.host",
    "wirecontract.lease",
];

/// Where the library's own names stand in what it says.
const OWN: &[&str] = &["wirecontract._library.", "wirecontract.", "_library."];

/// Where what has no name that can be imported stands in the library's words.
const INCOMPLETE: &str = "_typeshed.Incomplete";

/// What the stub imports.
#[derive(Default)]
pub(super) struct Imports {
    modules: BTreeSet<&'static str>,
    /// What the stub has for itself.
    helpers: BTreeSet<&'static str>,
    /// The names that the library itself has, and those of contracts.
    own: BTreeSet<String>,
    /// Names that the class has which is being written: they hide builtins.
    hidden: BTreeSet<String>,
}

impl Imports {
    pub(super) fn new(module: &Module, contracts: &[String]) -> Self {
        let classes = module.classes.iter().map(|class| &class.name);
        let mut imports = Imports { own: classes.chain(contracts).cloned().collect(), ..Imports::default() };
        if !module.modules.is_empty() {
            imports.modules.insert("types");
        }
        imports
    }

    /// Enters a class, or leaves one where there are no names.
    pub(super) fn enter(&mut self, names: impl Iterator<Item = String>) {
        self.hidden = names.collect();
    }

    /// The lines that import.
    pub(super) fn lines(&self) -> String {
        let groups = [KNOWN, &[INSTALLED], OURS].map(|group| {
            let imported = self.modules.iter().filter(|module| group.contains(*module));
            imported.fold(String::new(), |mut text, module| {
                let _ = writeln!(text, "import {module}");
                text
            })
        });
        groups.into_iter().filter(|group| !group.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// Whether the last of the lines that import are of the package's own modules.
    pub(super) fn has_ours(&self) -> bool {
        self.modules.iter().any(|module| OURS.contains(module))
    }

    /// What the stub has for itself of what was named, each as its text.
    pub(super) fn helpers(&self) -> impl Iterator<Item = &'static str> {
        let is_named = |(name, _): &&(&'static str, _)| self.helpers.contains(name);
        HELPERS.iter().filter(is_named).map(|(_, text)| *text)
    }

    /// Takes note of a text of Python's that names modules, and of what the stub has for itself.
    pub(super) fn note(&mut self, text: &str) {
        for module in KNOWN.iter().chain(&[INSTALLED]).chain(OURS) {
            let is_of = |word: &str| word.rsplit_once('.').is_some_and(|(of, _)| of == *module);
            if words(text).any(is_of) {
                self.modules.insert(module);
            }
        }
        for (name, text_of) in HELPERS {
            if words(text).any(|word| word == *name) && self.helpers.insert(name) {
                self.note(text_of);
            }
        }
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
        self.said(&text)
    }

    /// A type that is said in words of Python's.
    ///
    /// # Errors
    /// Of one that names what the stub does not have and cannot import.
    pub(super) fn said(&mut self, text: &str) -> anyhow::Result<String> {
        // Types of its own need no module.
        let own = |word: &str| {
            let bare = OWN.iter().find_map(|prefix| word.strip_prefix(prefix));
            bare.filter(|name| !name.contains('.')).unwrap_or(word).to_owned()
        };
        let mut text = each_word(text, own);
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

    /// A name and its type, and perhaps a value.
    ///
    /// # Errors
    /// As `said`.
    pub(super) fn declared(&mut self, line: &'static str) -> anyhow::Result<String> {
        let (name, ty) = line.split_once(": ").with_context(|| format!("expected a type in `{line}`"))?;
        Ok(format!("{name}: {}", self.said(ty)?))
    }

    fn known(&self, word: &str, text: &str) -> anyhow::Result<()> {
        match word.rsplit_once('.') {
            Some((module, _)) => {
                let known = [KNOWN, &[INSTALLED], OURS].concat();
                ensure!(
                    known.contains(&module),
                    "expected a type of the modules {}, found `{text}`",
                    known.join(", ")
                );
            }
            None if word.starts_with('_') => ensure!(
                HELPERS.iter().any(|(name, _)| *name == word),
                "expected what the stub has for itself, found `{word}` in `{text}`: say it in `special`"
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

/// The dotted words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
        .filter(|word| word.contains(char::is_alphanumeric))
}

/// A text with each of its dotted words in the place of another.
pub(super) fn each_word(text: &str, other: impl Fn(&str) -> String) -> String {
    let mut replaced = String::new();
    let mut rest = text;
    for word in words(text) {
        let at = rest.find(word).expect("a word of the text, behind the one before");
        replaced += &rest[..at];
        replaced += &other(word);
        rest = &rest[at + word.len()..];
    }
    replaced + rest
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
            own: BTreeSet::from(["Tensor".to_owned()]),
            hidden: BTreeSet::from(["bytes".to_owned()]),
            ..Imports::default()
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
    fn types_of_the_package_are_imported_of_its_public_modules_and_the_librarys_own_are_not() {
        let mut imports = imports();
        let said = "wirecontract._library.Tensor | wirecontract.Tensor | wirecontract.handoff.Peer";
        assert_eq!(imports.annotation(&text(said)).unwrap(), "Tensor | Tensor | wirecontract.handoff.Peer");
        assert_eq!(imports.annotation(&text("list[_M]")).unwrap(), "list[_M]");
        assert_eq!(imports.lines(), "import typing\n\nimport wirecontract.handoff\n");
        assert_eq!(imports.helpers().collect::<Vec<_>>(), ["_M = typing.TypeVar(\"_M\")\n"]);
    }

    #[test]
    fn a_type_that_nobody_could_import_is_refused() {
        for (expr, said) in [
            (text("numpy.ndarray"), "found `numpy.ndarray`"),
            (text("Array"), "found `Array`"),
            (text("wirecontract.handoff._fd.Fd"), "found `wirecontract.handoff._fd.Fd`"),
            (text("_Other"), "found `_Other`"),
            (text("_typeshed.Incomplete"), "does not know"),
        ] {
            let error = imports().annotation(&expr).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
