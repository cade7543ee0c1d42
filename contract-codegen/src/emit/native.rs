//! The native Python half: Rust that gives descriptors, recipes and unions to Python as classes, to be compiled into the extension module, a
//! file for each family and one that names them all.
//!
//! A class has what the pure module's has, and its enumerations, flags and errors are the pure module's. The text is in
//! `templates/native`; what the classes do is written by hand, beside them in the extension module.

mod document;
mod message;
pub(super) mod names;
mod types;
mod view;

use std::collections::BTreeMap;

use minijinja::Environment;
use serde::Serialize;

use self::names::Names;
use super::c::render::{environment, render};
use super::{Artifact, EmitError, EmitInput, Family, Syntax, methods};
use crate::model::{Body, ContractId};
use crate::names::python;

/// A module for every selected family that has classes, and the one that names them.
pub fn emit(input: &EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>> {
    let templates = templates();
    let names = Names::new(input);
    let families: Vec<&Family> =
        input.selected_families().filter(|family| classes(input, family).next().is_some()).collect();
    if families.is_empty() {
        return Ok(Vec::new());
    }
    let mut errors = refuse_shared_names(input, &families);
    let by_hand = match methods::of(input, TARGET, &|id, field| names.attribute(id, field)) {
        Ok(methods) => methods,
        Err(others) => {
            errors.extend(others);
            return Err(errors);
        }
    };
    let mut artifacts = vec![Artifact {
        path: "native/mod.rs".to_owned(),
        body: render(&templates, "index", &index(input, &families, &by_hand)),
        contracts: families.iter().flat_map(|family| family.contracts.iter().copied()).collect(),
        syntax: Syntax::C,
    }];
    for family in families {
        match view::family(input, &names, family, &by_hand) {
            Ok(view) => artifacts.push(Artifact {
                path: format!("native/{}.rs", family.name),
                body: render(&templates, "family", &view),
                contracts: family.contracts.clone(),
                syntax: Syntax::C,
            }),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(artifacts) } else { Err(errors) }
}

/// The package that has the native classes: that of the pure modules' package.
fn package(pure: &str) -> &str {
    pure.rsplit_once('.').map_or(pure, |(package, _)| package)
}

/// Whether a contract is a class.
pub(in crate::emit) fn has_class(body: &Body) -> bool {
    matches!(
        body,
        Body::Descriptor(_) | Body::Recipe(_) | Body::Union(_) | Body::Message(_) | Body::Messages(_)
    )
}

/// The contracts of a family that are classes.
fn classes<'a>(input: &'a EmitInput<'_>, family: &'a Family) -> impl Iterator<Item = ContractId> + 'a {
    family.contracts.iter().copied().filter(|id| has_class(&input.catalog.get(*id).body))
}

/// What `mod.rs` is filled with.
#[derive(Serialize)]
struct Index {
    /// The pure module of errors, and the package of the library.
    wire: String,
    package: String,
    families: Vec<Listed>,
    /// The structs that have methods by hand.
    extended: Vec<String>,
}

/// A family's module, and its classes.
#[derive(Serialize)]
struct Listed {
    module: String,
    /// In Python.
    pure: String,
    classes: Vec<Class>,
}

/// The struct, and the class.
#[derive(Serialize)]
struct Class {
    rust: String,
    class: String,
    /// Whether others may hold it.
    is_value: bool,
}

fn index(
    input: &EmitInput<'_>,
    families: &[&Family],
    by_hand: &BTreeMap<ContractId, Vec<&methods::Method>>,
) -> Index {
    let listed = families.iter().map(|family| Listed {
        module: names::identifier(&family.name),
        pure: format!("{}.{}", family.package.python_package, python::module(&family.name)),
        classes: classes(input, family).flat_map(|id| all(input, id)).collect(),
    });
    let extended = by_hand.keys().map(|&id| {
        let module = names::identifier(&input.family_of(id).name);
        format!("{module}::{}", names::class(input, id))
    });
    let pure = &families[0].package.python_package;
    Index {
        wire: format!("{pure}._wire"),
        package: package(pure).to_owned(),
        families: listed.collect(),
        extended: extended.collect(),
    }
}

/// The class of a contract, and of a union those of its variants.
fn all(input: &EmitInput<'_>, id: ContractId) -> Vec<Class> {
    let contract = input.catalog.get(id);
    let class = python::class(&contract.name);
    let variants: Vec<&str> = match &contract.body {
        Body::Union(union) => union.variants.iter().map(|it| &*it.name).collect(),
        Body::Messages(messages) => messages.variants.iter().map(|it| &*it.member.name).collect(),
        _ => Vec::new(),
    };
    let is_value = !matches!(contract.body, Body::Message(_) | Body::Messages(_));
    let variants: Vec<Class> = variants
        .into_iter()
        .map(|variant| Class {
            rust: document::variant_name(input, id, variant),
            class: python::variant(&class, variant),
            is_value,
        })
        .collect();
    std::iter::once(Class { rust: names::class(input, id), class, is_value }).chain(variants).collect()
}

/// Two classes of one name: all of them are names of one module.
fn refuse_shared_names(input: &EmitInput<'_>, families: &[&Family]) -> Vec<EmitError> {
    let mut seen = BTreeMap::new();
    let mut errors = Vec::new();
    let ids = families.iter().flat_map(|family| classes(input, family));
    for (id, Class { class: name, .. }) in
        ids.flat_map(|id| all(input, id).into_iter().map(move |it| (id, it)))
    {
        if let Some(first) = seen.insert(name.clone(), id) {
            let [first, second] = [first, id].map(|id| input.catalog.get(id).path());
            errors.push(EmitError::Collision { target: TARGET, name, first, second });
        }
    }
    errors
}

/// What errors call it.
const TARGET: &str = "python-native";

fn templates() -> Environment<'static> {
    environment(&[
        ("index", include_str!("../../templates/native/mod.rs.jinja")),
        ("family", include_str!("../../templates/native/family.rs.jinja")),
        ("layout", include_str!("../../templates/native/layout.rs.jinja")),
        ("descriptor", include_str!("../../templates/native/descriptor.rs.jinja")),
        ("document", include_str!("../../templates/native/document.rs.jinja")),
        ("recipe", include_str!("../../templates/native/recipe.rs.jinja")),
        ("union", include_str!("../../templates/native/union.rs.jinja")),
        ("message", include_str!("../../templates/native/message.rs.jinja")),
        ("messages", include_str!("../../templates/native/messages.rs.jinja")),
        ("carrier", include_str!("../../templates/native/carrier.rs.jinja")),
        ("methods", include_str!("../../templates/native/methods.rs.jinja")),
        ("value", include_str!("../../templates/native/value.rs.jinja")),
    ])
}
