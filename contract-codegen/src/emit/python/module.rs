//! One family's module, and what both forms have in common.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Environment, context};

use super::construct::is_kept;
use super::scope::{Class, Form, Names, Scope};
use super::text::{docstring, statement, string};
use super::types::{Shape, shape};
use super::{abi, descriptor, docs, enumeration, folder, message, messages, recipe, render, shapes, union};
use crate::emit::{Artifact, EmitError, EmitInput, Family, Syntax};
use crate::model::{Body, Catalog, ContractId, Element, JsonType};
use crate::names::python as names;

/// The module of one family, in its package.
pub(super) fn family_module(
    environment: &Environment<'_>,
    input: &EmitInput<'_>,
    known: &Names,
    family: &Family,
) -> Result<Artifact, Vec<EmitError>> {
    let catalog = input.catalog;
    refuse_cycles(input, known, family)?;
    let mut reach = Reach::new(input, known, family);
    let reached = reachable(catalog, &family.contracts);
    let classes = reached.iter().map(|&id| (id, reach.class(id, Some(&family.name)))).collect();
    let scope = Scope::new(input, known, Form::Package, classes);
    let items = class_texts(environment, &scope, &family.contracts)?;
    let mut imports = module_imports(&scope, &family.contracts, &items);
    let has_messages = family.contracts.iter().any(|&id| message::is_message(&catalog.get(id).body));
    imports.extend(reach.imports(if has_messages { "_message, _wire" } else { "_wire" }));
    let modules: BTreeSet<&str> =
        family.contracts.iter().map(|&id| catalog.get(id).module.as_str()).collect();
    let modules = modules.into_iter().map(|module| format!("`{module}`")).collect::<Vec<_>>().join(", ");
    let body = render(
        environment,
        "module",
        context! {
            docstring => docstring(0, &[&format!("The wire contracts of {modules}.")]),
            imports,
            all => all(classes_of(&scope, &family.contracts)),
            ids => reach.checks(),
            items,
        },
    );
    let folder = folder(family).map_err(|error| vec![error])?;
    Ok(Artifact {
        path: format!("{folder}/{}.py", names::module(&family.name)),
        body,
        contracts: family.contracts.clone(),
        syntax: Syntax::Hash,
    })
}

/// How one file reaches the classes of others.
pub(super) struct Reach<'a> {
    input: &'a EmitInput<'a>,
    known: &'a Names,
    home: &'a Family,
    siblings: BTreeSet<String>,
    foreign: BTreeMap<String, String>,
    checks: Vec<String>,
}

impl<'a> Reach<'a> {
    /// From a file in the package of this family.
    pub(super) fn new(input: &'a EmitInput<'a>, known: &'a Names, home: &'a Family) -> Self {
        let (siblings, foreign, checks) = (BTreeSet::new(), BTreeMap::new(), Vec::new());
        Reach { input, known, home, siblings, foreign, checks }
    }

    /// A contract's class; `own` is the family that the file is of.
    pub(super) fn class(&mut self, id: ContractId, own: Option<&str>) -> Class {
        let owner = &self.input.families[self.known.family(id)];
        let contract = self.input.catalog.get(id);
        let name = names::class(&contract.name);
        let module = names::module(&owner.name);
        if own == Some(&owner.name) && owner.package == self.home.package {
            return Class { module: None, name };
        }
        if owner.package.python_package == self.home.package.python_package {
            self.siblings.insert(module.clone());
            return Class { module: Some(format!("_family_{module}")), name };
        }
        let path = format!("{}.{module}", owner.package.python_package);
        let alias = format!("_package_{}", path.replace('.', "_"));
        self.foreign.insert(path, alias.clone());
        self.checks.push(format!("_wire.check_id({alias}.{name}, {})", docs::wire_id(contract)));
        Class { module: Some(alias), name }
    }

    /// The imports of other modules of contracts, and of helpers (`_wire`).
    pub(super) fn imports(&self, helpers: &str) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.foreign.is_empty() {
            lines.push(String::new());
            lines.extend(self.foreign.iter().map(|(path, alias)| format!("import {path} as {alias}")));
        }
        lines.push(String::new());
        lines.push(format!("from . import {helpers}"));
        lines
            .extend(self.siblings.iter().map(|module| format!("from . import {module} as _family_{module}")));
        lines
    }

    /// Whether classes of other packages are those that this file was made for.
    pub(super) fn checks(self) -> Vec<String> {
        let mut lines = self.checks;
        if !lines.is_empty() {
            lines.insert(0, String::new());
        }
        lines
    }
}

/// Two modules that import each other, where one is made of the other's classes while it is imported: the tables of
/// recipes, unions and messages are, and the fields of C structs. Descriptors look for each other only when they are used.
fn refuse_cycles(input: &EmitInput<'_>, known: &Names, family: &Family) -> Result<(), Vec<EmitError>> {
    let is_made = |id: &ContractId| {
        let body = &input.catalog.get(*id).body;
        matches!(body, Body::Recipe(_) | Body::Union(_) | Body::Abi(_)) || message::is_message(body)
    };
    let own = family.contracts.first().map(|&id| known.family(id));
    let (Some(own), true) = (own, family.contracts.iter().any(is_made)) else { return Ok(()) };
    let needs = |contracts: &[ContractId]| -> BTreeSet<usize> {
        reachable(input.catalog, contracts).into_iter().map(|id| known.family(id)).collect()
    };
    let path = |family: &Family| {
        format!("{}/{}.py", family.package.python_package.replace('.', "/"), names::module(&family.name))
    };
    let errors: Vec<EmitError> = needs(&family.contracts)
        .into_iter()
        .filter(|&other| other != own && needs(&input.families[other].contracts).contains(&own))
        .map(|other| EmitError::Cycle {
            target: "python",
            first: path(family),
            second: path(&input.families[other]),
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// These contracts and all they nest or point to, in catalog order.
pub(super) fn reachable(catalog: &Catalog, contracts: &[ContractId]) -> Vec<ContractId> {
    let mut found = BTreeSet::new();
    let mut open: Vec<ContractId> = contracts.to_vec();
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        open.extend(shapes::types(&catalog.get(id).body).into_iter().filter_map(JsonType::contract));
        if message::is_message(&catalog.get(id).body) {
            open.extend(crate::catalog::held(catalog.get(id)));
        }
        if let Body::Abi(body) = &catalog.get(id).body {
            open.extend(body.held());
            open.extend(body.pointees());
        }
        if let Body::Descriptor(descriptor) = &catalog.get(id).body {
            open.extend(descriptor.fields.iter().filter_map(|field| match field.ty.element {
                Element::Scalar(_) => None,
                Element::Enumeration { contract, .. }
                | Element::Flags { contract }
                | Element::Descriptor(contract) => Some(contract),
            }));
        }
    }
    found.into_iter().collect()
}

/// Every contract's class, with all that is wrong with any of them.
pub(super) fn class_texts(
    environment: &Environment<'_>,
    scope: &Scope<'_>,
    contracts: &[ContractId],
) -> Result<Vec<String>, Vec<EmitError>> {
    let mut errors = refuse_shared_names(scope, contracts);
    let mut texts = Vec::new();
    let mut written = BTreeSet::new();
    let mut definitions = Vec::new();
    for &id in contracts {
        let (template, values) = match scope.catalog.get(id).body {
            Body::Descriptor(_) => ("descriptor", descriptor::descriptor(scope, id)),
            Body::Enumeration(_) | Body::Flags(_) => ("enumeration", enumeration::enumeration(scope, id)),
            Body::Recipe(_) => ("recipe", recipe::recipe(scope, id)),
            Body::Union(_) => ("union", union::union(scope, id)),
            Body::Abi(_) => {
                definitions.push(abi::definition(scope, id));
                ("abi", abi::class(scope, id))
            }
            Body::Message(_) => ("message", message::message(scope, id)),
            Body::Messages(_) => ("messages", messages::messages(scope, id)),
            Body::Handle(_) | Body::Function(_) | Body::Symbols(_) => continue,
        };
        let tables = shapes::local_definitions(scope, shapes::types(&scope.catalog.get(id).body).into_iter());
        let new: Vec<String> =
            tables.into_iter().filter(|(name, _)| written.insert(name.clone())).map(|(_, it)| it).collect();
        if !new.is_empty() {
            texts.push(new.join("\n"));
        }
        match values {
            Ok(values) => texts.push(render(environment, template, values).trim_end().to_owned()),
            Err(error) => errors.push(error),
        }
    }
    if !definitions.is_empty() {
        texts.push(abi::model(scope) + "\n" + &definitions.join("\n"));
    }
    if errors.is_empty() { Ok(texts) } else { Err(errors) }
}

/// Two classes of one file with one name.
fn refuse_shared_names(scope: &Scope<'_>, contracts: &[ContractId]) -> Vec<EmitError> {
    let path = |id: ContractId| {
        let contract = scope.catalog.get(id);
        format!("{}::{}", contract.module, contract.name)
    };
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut errors = Vec::new();
    let mut put = |name: String, second: String| {
        if let Some(first) = seen.insert(name.clone(), second.clone()) {
            errors.push(EmitError::Collision { target: "python", name, first, second });
        }
    };
    for &id in contracts {
        put(scope.class(id), path(id));
        if let Body::Abi(_) = scope.catalog.get(id).body {
            for name in abi::function_names(scope, id) {
                put(name, format!("a function type of {}", path(id)));
            }
        }
        if let Body::Union(union) = &scope.catalog.get(id).body {
            for (index, variant) in union.variants.iter().enumerate() {
                put(scope.variant(id, index), format!("{}::{}", path(id), variant.name));
            }
        }
        if let Body::Messages(messages) = &scope.catalog.get(id).body {
            for (index, variant) in messages.variants.iter().enumerate() {
                put(scope.variant(id, index), format!("{}::{}", path(id), variant.member.name));
            }
        }
    }
    errors
}

/// What the classes of a file import from the standard library.
pub(super) fn module_imports(scope: &Scope<'_>, contracts: &[ContractId], items: &[String]) -> Vec<String> {
    let mut imports = vec![import("typing")];
    let bodies = || contracts.iter().map(|&id| &scope.catalog.get(id).body);
    if scope.uses_builtins() {
        imports.push(import("builtins"));
    }
    if items.iter().any(|text| text.contains("_math.isnan(")) {
        imports.push(import("math"));
    }
    let has_tuple = |body: &Body| match body {
        Body::Descriptor(descriptor) => {
            descriptor.fields.iter().any(|field| is_kept(field) && shape(field) == Shape::Tuple)
        }
        _ => false,
    };
    let has_json = bodies().any(|body| matches!(body, Body::Recipe(_) | Body::Union(_)));
    let has_descriptor = bodies().any(|body| matches!(body, Body::Descriptor(_)));
    if has_json || bodies().any(has_tuple) || bodies().any(message::is_message) {
        imports.push(import("collections.abc"));
    }
    if has_json || has_descriptor || bodies().any(message::is_message) {
        imports.push(import("dataclasses"));
    }
    if has_descriptor {
        imports.push(import("struct"));
    }
    if bodies().any(|body| matches!(body, Body::Enumeration(_) | Body::Flags(_))) {
        imports.push(import("enum"));
    }
    if bodies().any(|body| matches!(body, Body::Abi(_))) {
        imports.push(import("ctypes"));
    }
    imports.sort();
    imports
}

/// The classes of some contracts, those of variants and the function types of C structs included.
pub(super) fn classes_of(scope: &Scope<'_>, contracts: &[ContractId]) -> impl Iterator<Item = String> {
    let classes = contracts.iter().flat_map(|&id| {
        let count = match &scope.catalog.get(id).body {
            Body::Union(union) => union.variants.len(),
            Body::Messages(messages) => messages.variants.len(),
            _ => 0,
        };
        let functions = match &scope.catalog.get(id).body {
            Body::Abi(_) => abi::function_names(scope, id),
            _ => Vec::new(),
        };
        let variants = (0..count).map(move |index| scope.variant(id, index));
        std::iter::once(scope.class(id)).chain(variants).chain(functions)
    });
    classes.collect::<Vec<_>>().into_iter()
}

/// What `from module import *` takes.
pub(super) fn all(classes: impl Iterator<Item = String>) -> String {
    let mut classes: Vec<String> = classes.collect();
    classes.sort_by_cached_key(|class| isort_key(class));
    let names: Vec<String> = classes.iter().map(|class| string(class)).collect();
    statement(0, &format!("__all__ = [{}]", names.join(", ")))
}

/// Constants, classes, the rest; in each, numbers in a name by their value: as linters want `__all__`.
fn isort_key(name: &str) -> (u8, Vec<(String, u64)>) {
    let kind = match name.chars().find(|first| *first != '_') {
        _ if name.to_uppercase() == name && name.len() > 1 => 0,
        Some(first) if first.is_uppercase() => 1,
        _ => 2,
    };
    (kind, natural_key(name))
}

/// The same as linters want what is imported: capitals only say what kind it is.
pub(super) fn import_key(name: &str) -> (u8, Vec<(String, u64)>, String) {
    (isort_key(name).0, natural_key(&name.to_lowercase()), name.to_owned())
}

/// Text and the numbers in it, in turn: as linters want `__slots__`.
fn natural_key(name: &str) -> Vec<(String, u64)> {
    let mut parts: Vec<(String, u64)> = vec![(String::new(), 0)];
    for character in name.chars() {
        let last = parts.last_mut().expect("there is always a part");
        match character.to_digit(10) {
            Some(digit) => last.1 = last.1.saturating_mul(10).saturating_add(u64::from(digit)),
            None if last.1 > 0 => parts.push((character.to_string(), 0)),
            None => last.0.push(character),
        }
    }
    parts
}

/// `import collections.abc as _abc`.
pub(super) fn import(module: &str) -> String {
    let alias = module.rsplit('.').next().unwrap_or(module);
    format!("import {module} as _{alias}")
}
