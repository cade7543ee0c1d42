//! A class of the stub, as its template takes it.

use std::collections::BTreeSet;

use minijinja::{Value, context};

use super::super::scope::Scope;
use super::super::shapes::readable;
use super::super::text::{docstring, head};
use crate::emit::Parameter;
use crate::emit::methods;

/// A class.
pub(super) struct Class {
    /// Its name, and its base in brackets.
    pub(super) head: String,
    pub(super) is_final: bool,
    pub(super) docstring: String,
    pub(super) constants: Vec<String>,
    pub(super) methods: Vec<Method>,
}

impl Class {
    /// What the template takes.
    pub(super) fn view(&self) -> Value {
        let methods = self.methods.iter().map(|method| {
            context! {
                decorator => method.decorator.as_deref(),
                head => method.head.as_str(),
                docstring => method.docstring.as_str(),
            }
        });
        context! {
            head => self.head.as_str(),
            is_final => self.is_final,
            docstring => self.docstring.as_str(),
            constants => self.constants.clone(),
            methods => methods.collect::<Vec<_>>(),
        }
    }

    /// Whether an annotation of it has these words.
    pub(super) fn mentions(&self, what: &str) -> bool {
        self.constants.iter().chain(self.methods.iter().map(|it| &it.head)).any(|text| text.contains(what))
    }
}

/// A method, or a property.
pub(super) struct Method {
    pub(super) decorator: Option<String>,
    pub(super) head: String,
    /// Empty where there is nothing to say.
    pub(super) docstring: String,
}

impl Method {
    fn new(name: &str, arguments: &[String], returns: &str, docs: &str) -> Self {
        let docstring = if docs.is_empty() { String::new() } else { docstring(8, &[docs]) };
        Method { decorator: None, head: head(4, name, arguments, returns), docstring }
    }
}

/// What writes the methods of one class, whose attributes may hide builtins.
pub(super) struct Methods<'s, 'a> {
    pub(super) scope: &'s Scope<'a>,
    pub(super) class: String,
    pub(super) inside: BTreeSet<String>,
}

impl Methods<'_, '_> {
    pub(super) fn builtin(&self, name: &str) -> String {
        self.scope.builtin(name, &self.inside)
    }

    /// `__new__`.
    pub(super) fn constructor(&self, arguments: &[String], docs: &str) -> Method {
        let said = arguments.iter().map(|argument| match argument.split_once(" = ") {
            Some((argument, default)) => format!("{argument} = {}", readable(default)),
            None => argument.clone(),
        });
        Method::new("__new__", &said.collect::<Vec<_>>(), &self.class, docs)
    }

    /// A property, whose docstring is laid out already.
    pub(super) fn property(&self, name: &str, returns: &str, docstring: String) -> Method {
        let method = Method::new(name, &["self".to_owned()], returns, "");
        Method { decorator: Some(self.builtin("property")), docstring, ..method }
    }

    /// A method, with what it takes besides `self`.
    pub(super) fn method(name: &str, arguments: &[String], returns: &str, docs: &str) -> Method {
        let arguments: Vec<String> = [&["self".to_owned()], arguments].concat();
        Method::new(name, &arguments, returns, docs)
    }

    /// A static method.
    pub(super) fn function(&self, name: &str, arguments: &[String], returns: &str, docs: &str) -> Method {
        let method = Method::new(name, arguments, returns, docs);
        Method { decorator: Some(self.builtin("staticmethod")), ..method }
    }

    /// `__replace__`, given what `__new__` is, and what every value has.
    pub(super) fn value(&self, arguments: &[String]) -> Vec<Method> {
        let mut changes = vec!["/".to_owned()];
        let given = arguments[1..].iter().filter(|argument| *argument != "*");
        let given: Vec<String> = given.map(|argument| optional(argument)).collect();
        if !given.is_empty() {
            changes.push("*".to_owned());
        }
        changes.extend(given);
        let docs = "The value with some fields changed, as `copy.replace` asks for it.";
        vec![
            Self::method("__replace__", &changes, &self.class, docs),
            Self::method(
                "__eq__",
                &[format!("other: {}", self.builtin("object")), "/".to_owned()],
                &self.builtin("bool"),
                "",
            ),
            Self::method("__hash__", &[], &self.builtin("int"), ""),
        ]
    }
}

/// A method by hand, and what its types have to be imported for.
pub(super) fn by_hand(method: &methods::Method, imports: &mut BTreeSet<String>) -> Method {
    let mut arguments = Vec::new();
    for parameter in &method.parameters {
        arguments.push(match parameter {
            Parameter::Named => "*".to_owned(),
            Parameter::Argument { name, annotation, may_be_left_out } => {
                let default = if *may_be_left_out { " = None" } else { "" };
                format!("{name}: {}{default}", methods::annotation(annotation, imports))
            }
        });
    }
    let returns = methods::annotation(&method.returns, imports);
    Methods::method(&method.name, &arguments, &returns, &method.docs)
}

/// An argument that may be left out, whatever it is then.
fn optional(argument: &str) -> String {
    let given = argument.split_once(" = ").map_or(argument, |(given, _)| given);
    format!("{given} = ...")
}
