//! The pure-Python half: one module a family, in a package with `_wire.py`, and one file a package to vendor.
//!
//! The modules need the standard library only. In the standalone form `_wire.py` stands in front of all families, its
//! helpers with an underscore, so that both forms hold the same code. What a package's library exports is in
//! `library.py`, and not in the standalone form.

mod abi;
mod check;
mod construct;
pub(super) mod defaults;
mod descriptor;
mod docs;
mod enumeration;
mod expression;
mod fast;
mod growth;
mod library;
pub(super) mod message;
pub(super) mod messages;
mod module;
mod plan;
mod recipe;
mod rules;
mod scope;
pub(super) mod shapes;
mod standalone;
pub mod stub;
mod text;
mod types;
mod union;
mod wire;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};

use self::scope::Names;
use super::{Artifact, EmitError, EmitInput, Family, negotiate};
use crate::counted;
use crate::model::Catalog;
use crate::names::python as names;

/// Writes the selected families' modules, what stands beside them, and the standalone files of packages that have one.
pub fn emit(input: &EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>> {
    let environment = environment();
    let whole = input;
    let input = &without_exports(whole);
    let names = Names::new(input);
    let mut artifacts = Vec::new();
    let mut errors = Vec::new();
    let mut packages: BTreeMap<&str, Vec<&Family>> = BTreeMap::new();
    let mut folders: BTreeMap<&str, &Family> = BTreeMap::new();
    let mut with_messages: BTreeSet<String> = BTreeSet::new();
    for family in input.selected_families() {
        packages.entry(&family.package.package).or_default().push(family);
        if folders.insert(&family.package.python_package, family).is_none() {
            match folder(family) {
                Ok(folder) => {
                    artifacts.extend(wire::beside(&environment, &folder));
                    artifacts.extend(negotiate::python(input, &folder));
                }
                Err(error) => errors.push(error),
            }
        }
        if family.contracts.is_empty() {
            continue;
        }
        let has_messages = |family: &&Family| {
            family.contracts.iter().any(|&id| message::is_message(&input.catalog.get(id).body))
        };
        let folder = folder(family).ok().filter(|_| has_messages(&family));
        if let Some(folder) = folder.filter(|folder| with_messages.insert(folder.clone())) {
            artifacts.push(message::module(&environment, &folder));
        }
        match module::family_module(&environment, input, &names, family) {
            Ok(artifact) => artifacts.push(artifact),
            Err(more) => errors.extend(more),
        }
    }
    for (package, mut families) in packages {
        families.retain(|family| !family.contracts.is_empty());
        let own = whole.selected_families().filter(|family| family.package.package == package);
        let mut has_library = true;
        match library::library_module(&environment, input, &names, &own.collect::<Vec<_>>()) {
            Ok(more) => {
                has_library = !more.is_empty();
                artifacts.extend(more);
            }
            Err(more) => errors.extend(more),
        }
        if !families.first().is_some_and(|family| family.package.standalone) {
            continue;
        }
        match standalone::standalone(&environment, input, &names, package, &families, has_library) {
            Ok(artifact) => artifacts.push(artifact),
            Err(more) => errors.extend(more),
        }
    }
    errors.extend(refuse_shared_paths(input.catalog, &artifacts));
    if errors.is_empty() {
        return Ok(artifacts);
    }
    // Both forms may have found the same.
    let mut distinct: Vec<EmitError> = Vec::new();
    for error in errors {
        if !distinct.contains(&error) {
            distinct.push(error);
        }
    }
    Err(distinct)
}

/// The same with what a library exports left out of its families.
fn without_exports<'a>(input: &EmitInput<'a>) -> EmitInput<'a> {
    let mut input = input.clone();
    for family in &mut input.families {
        family.contracts.retain(|&id| !library::is_exported(input.catalog.get(id)));
    }
    input
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    let syntax =
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("the delimiters are the default ones"));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_filter("bytes", counted::bytes::<u64>);
    for (name, source) in [
        ("abi", include_str!("../../templates/python/abi.py.j2")),
        ("classes", include_str!("../../templates/python/classes.py.j2")),
        ("descriptor", include_str!("../../templates/python/descriptor.py.j2")),
        ("enumeration", include_str!("../../templates/python/enumeration.py.j2")),
        ("handle", include_str!("../../templates/python/handle.py.j2")),
        ("message", include_str!("../../templates/python/message.py.j2")),
        ("messages", include_str!("../../templates/python/messages.py.j2")),
        ("module", include_str!("../../templates/python/module.py.j2")),
        ("names", include_str!("../../templates/python/names.py.j2")),
        ("package", include_str!("../../templates/python/package.py.j2")),
        ("recipe", include_str!("../../templates/python/recipe.py.j2")),
        ("stub", include_str!("../../templates/python/stub.pyi.j2")),
        ("union", include_str!("../../templates/python/union.py.j2")),
        ("wire", include_str!("../../templates/python/wire.py.j2")),
    ] {
        environment.add_template(name, source).expect("the template is well formed");
    }
    environment
}

fn render(environment: &Environment<'_>, template: &str, values: Value) -> String {
    let template = environment.get_template(template).expect("the template is there");
    template.render(values).expect("the template is given what it takes")
}

/// The folder of a Python package.
fn folder(family: &Family) -> Result<String, EmitError> {
    let package = &family.package.python_package;
    if package.split('.').all(names::is_identifier) {
        return Ok(format!("python/{}", package.replace('.', "/")));
    }
    Err(EmitError::BadName {
        target: "python",
        name: package.clone(),
        contract: format!("python_package of {}", family.package.package),
        reason: "each word between the dots has to be an identifier and no keyword".to_owned(),
    })
}

/// Two families of one file, or two packages.
fn refuse_shared_paths(catalog: &Catalog, artifacts: &[Artifact]) -> Vec<EmitError> {
    let owner = |artifact: &Artifact| match artifact.contracts.first() {
        Some(&id) => format!("the contracts of {}", catalog.get(id).module),
        None => "a file that stands beside contracts".to_owned(),
    };
    let mut seen: BTreeMap<&str, &Artifact> = BTreeMap::new();
    let mut errors = Vec::new();
    for artifact in artifacts {
        if let Some(first) = seen.insert(&artifact.path, artifact) {
            errors.push(EmitError::Collision {
                target: "python",
                name: artifact.path.clone(),
                first: owner(first),
                second: owner(artifact),
            });
        }
    }
    errors
}
