//! Methods that a native class has besides those of its contract: written by hand, and named in the package's metadata.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::native::names::identifier;
use super::{EmitError, EmitInput, Family};
use crate::model::{Body, ContractId, Presence};
use crate::names::python;

/// A method of a native class, which a function by hand is behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// The family, the class and the method's name.
    pub family: String,
    /// The class, which is a contract's own and not a variant's.
    pub class: String,
    /// What it is called by in Python.
    pub name: String,
    /// The path of the function in the extension module: it takes `&Bound<'_, PyAny>` of the object and of each argument,
    /// in an `Option` where that may be left out.
    pub function: String,
    /// What the function gives, in a `PyResult`.
    pub gives: String,
    /// What it takes besides the object.
    pub parameters: Vec<Parameter>,
    /// What it gives, in Python's words.
    pub returns: String,
    /// What it says of itself.
    pub docs: String,
}

/// What a method takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parameter {
    /// What follows is given by name.
    Named,
    /// An argument.
    Argument {
        /// Its name.
        name: String,
        /// Its type in Python; of modules, each by its whole name.
        annotation: String,
        /// Whether it may be left out, which is None.
        may_be_left_out: bool,
    },
}

/// The methods of each class of the selected families.
///
/// # Errors
/// Those of a class that is none, and those that are called as something else of their class is.
pub(super) fn of<'a>(
    input: &'a EmitInput<'_>,
    target: &'static str,
    attribute: &dyn Fn(ContractId, &str) -> String,
) -> Result<BTreeMap<ContractId, Vec<&'a Method>>, Vec<EmitError>> {
    let mut methods: BTreeMap<ContractId, Vec<&Method>> = BTreeMap::new();
    let mut errors = Vec::new();
    let mut packages = BTreeSet::new();
    for family in input.selected_families() {
        if !packages.insert(&family.package.package) {
            continue;
        }
        for method in &family.package.methods {
            match class(input, family, method) {
                Ok(Some(id)) => match collision(input, target, attribute, id, method) {
                    None => methods.entry(id).or_default().push(method),
                    Some(error) => errors.push(error),
                },
                Ok(None) => {}
                Err(()) => errors.push(EmitError::NoClass {
                    target,
                    package: family.package.package.clone(),
                    class: format!("{}.{}", method.family, method.class),
                    method: method.name.clone(),
                }),
            }
        }
    }
    if errors.is_empty() { Ok(methods) } else { Err(errors) }
}

/// The contract of a method's class; none where its family is not written.
fn class(input: &EmitInput<'_>, of: &Family, method: &Method) -> Result<Option<ContractId>, ()> {
    let is_its =
        |family: &&Family| family.package.package == of.package.package && family.name == method.family;
    let Some(family) = input.families.iter().find(is_its) else { return Err(()) };
    let has_class = |id: &&ContractId| {
        let contract = input.catalog.get(**id);
        let is_class = matches!(contract.body, Body::Descriptor(_) | Body::Recipe(_) | Body::Union(_));
        is_class && python::class(&contract.name) == method.class
    };
    let id = *family.contracts.iter().find(has_class).ok_or(())?;
    Ok(input.selected_families().any(|family| family.contracts.contains(&id)).then_some(id))
}

/// What else of the class has the method's name.
fn collision(
    input: &EmitInput<'_>,
    target: &'static str,
    attribute: &dyn Fn(ContractId, &str) -> String,
    id: ContractId,
    method: &Method,
) -> Option<EmitError> {
    let contract = input.catalog.get(id);
    let path = contract.path();
    let fields: Vec<(String, String)> = match &contract.body {
        Body::Descriptor(descriptor) => {
            descriptor.fields.iter().map(|it| (attribute(id, &it.name), it.name.clone())).collect()
        }
        Body::Recipe(recipe) => {
            let has_default =
                |presence: &Presence| matches!(presence, Presence::Optional { default: Some(_), .. });
            let with_defaults = recipe.keys.iter().filter(|key| has_default(&key.presence)).map(|key| {
                let name = attribute(id, &key.name);
                (format!("{}_or_default", name.trim_end_matches('_')), key.name.clone())
            });
            recipe
                .keys
                .iter()
                .map(|it| (attribute(id, &it.name), it.name.clone()))
                .chain(with_defaults)
                .collect()
        }
        // Its variants have these.
        Body::Union(_) => ["tag", "value", "content"].map(|it| (it.to_owned(), it.to_owned())).to_vec(),
        _ => Vec::new(),
    };
    let second =
        format!("the method {}.{}.{} of the package's metadata", method.family, method.class, method.name);
    let first = match fields.into_iter().find(|(name, _)| *name == method.name) {
        Some((_, field)) => format!("{path}.{field}"),
        None if python::field(&method.name) != method.name => {
            format!("what every class of its kind as {path} has")
        }
        None => return None,
    };
    Some(EmitError::Collision { target, name: method.name.clone(), first, second })
}

/// A method, as the templates of the native classes take it.
#[derive(Debug, Serialize)]
pub(super) struct MethodView {
    index: usize,
    name: String,
    function: String,
    gives: String,
    docs: Vec<String>,
    signature: String,
    arguments: Vec<ArgumentView>,
}

#[derive(Debug, Serialize)]
struct ArgumentView {
    name: String,
    may_be_left_out: bool,
}

/// The methods of a class, for the templates.
pub(super) fn views(methods: &[&Method]) -> Vec<MethodView> {
    let view = |(index, method): (usize, &&Method)| MethodView {
        index,
        name: method.name.clone(),
        function: method.function.clone(),
        gives: method.gives.clone(),
        docs: method.docs.trim().lines().map(|line| line.trim_end().to_owned()).collect(),
        signature: signature(method),
        arguments: method.parameters.iter().filter_map(argument).collect(),
    };
    methods.iter().enumerate().map(view).collect()
}

fn argument(parameter: &Parameter) -> Option<ArgumentView> {
    let Parameter::Argument { name, may_be_left_out, .. } = parameter else { return None };
    Some(ArgumentView { name: identifier(name), may_be_left_out: *may_be_left_out })
}

fn signature(method: &Method) -> String {
    let words = method.parameters.iter().map(|parameter| match parameter {
        Parameter::Named => "*".to_owned(),
        Parameter::Argument { name, may_be_left_out: false, .. } => identifier(name),
        Parameter::Argument { name, .. } => format!("{} = None", identifier(name)),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// An annotation as the stub writes it, whose modules are imported under names of their own.
pub(super) fn annotation(text: &str, imports: &mut BTreeSet<String>) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut written = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        written.push_str(&rest[..start]);
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |length| start + length);
        match rest[start..end].rsplit_once('.') {
            Some((module, name)) => {
                written.push_str(&import(module, imports));
                written.push('.');
                written.push_str(name);
            }
            None => written.push_str(&rest[start..end]),
        }
        rest = &rest[end..];
    }
    written + rest
}

/// What a module is called in the stub.
fn import(module: &str, imports: &mut BTreeSet<String>) -> String {
    let last = module.rsplit('.').next().unwrap_or(module);
    let alias = if last.starts_with('_') { last.to_owned() } else { format!("_{last}") };
    let named = if alias == last { String::new() } else { format!(" as {alias}") };
    imports.insert(match module.rsplit_once('.') {
        Some((package, last)) => format!("from {package} import {last}{named}"),
        None => format!("import {module}{named}"),
    });
    alias
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_an_annotation_are_imported_under_names_of_their_own() {
        let mut imports = BTreeSet::new();
        let text = annotation("list[numpy.ndarray] | a.b.C | a._d.E | int", &mut imports);
        assert_eq!(text, "list[_numpy.ndarray] | _b.C | _d.E | int");
        let lines: Vec<&str> = imports.iter().map(String::as_str).collect();
        assert_eq!(lines, ["from a import _d", "from a import b as _b", "import numpy as _numpy"]);
    }
}
