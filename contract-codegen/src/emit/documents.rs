//! Rust that gives recipes and unions to C programs: a module for each family, to be compiled into the library that
//! exports what the headers declare (`wc_registration_from_json`), and a module that names them all.
//!
//! A *mirror* is a struct of Rust laid out as one of the header's, and has its name. What is nested in a family's contracts
//! is mirrored beside them, whatever family or package declares it, so that each module stands alone. What the mirrors are
//! made of, and what reads and writes, is `wirecontract::export::documents`; the text is in `templates/documents`.

mod default;
mod types;
mod view;

use minijinja::Environment;
use serde::Serialize;

use super::c::render::{environment, render};
use crate::emit::{Artifact, EmitError, EmitInput, Family, Syntax};
use crate::names;

/// The functions of every recipe and union, by what follows the type's stem.
pub(crate) const FUNCTIONS: [&str; 3] = ["from_json", "from_json_lenient", "to_json"];

/// A module for every selected family that has recipes or unions, and the one that names them.
pub fn emit(input: &EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>> {
    let input = &input.without_messages();
    let templates = templates();
    let families: Vec<&Family> =
        input.selected_families().filter(|family| has_documents(input, family)).collect();
    let Some(first) = families.first() else { return Ok(Vec::new()) };
    let prefix = &first.package.c_prefix;
    let symbols = families.iter().flat_map(|family| symbols(input, family));
    let index = Index {
        families: families.iter().map(|family| types::identifier(&family.name)).collect(),
        arena_free: format!("{prefix}_arena_free"),
        text: format!(
            "{:?}",
            record_text(&first.package.package, symbols.chain([format!("{prefix}_arena_free")]))
        ),
    };
    let contracts = families.iter().flat_map(|family| family.contracts.iter().copied()).collect();
    let mut artifacts = vec![Artifact {
        path: "rust/mod.rs".to_owned(),
        body: render(&templates, "index", &index),
        contracts,
        syntax: Syntax::C,
    }];
    for family in families {
        artifacts.push(Artifact {
            path: format!("rust/{}.rs", family.name),
            body: render(&templates, "family", &view::family(input, family)),
            contracts: family.contracts.clone(),
            syntax: Syntax::C,
        });
    }
    Ok(artifacts)
}

/// Whether C is given a family's documents.
pub(crate) fn has_documents(input: &EmitInput<'_>, family: &Family) -> bool {
    family.contracts.iter().any(|&id| input.catalog.get(id).is_document())
}

fn symbols<'a>(input: &'a EmitInput<'_>, family: &'a Family) -> impl Iterator<Item = String> + 'a {
    let documents = family.contracts.iter().map(|&id| input.catalog.get(id));
    let documents = documents.filter(|contract| contract.is_document());
    documents.flat_map(|contract| {
        let stem = names::c::stem(&family.package, contract);
        FUNCTIONS.map(|function| format!("{stem}_{function}"))
    })
}

/// The first line of the record of what a library exports besides declared functions.
fn record_text(package: &str, symbols: impl Iterator<Item = String>) -> String {
    let mut symbols: Vec<String> = symbols.collect();
    symbols.sort_unstable();
    let symbols = symbols.iter().map(|symbol| format!("\"{symbol}\"")).collect::<Vec<_>>().join(",");
    let package = package.replace('-', "_");
    format!("{{\"kind\":\"symbols\",\"name\":\"{package}\",\"symbols\":[{symbols}]}}")
}

/// What `mod.rs` is filled with.
#[derive(Serialize)]
struct Index {
    families: Vec<String>,
    arena_free: String,
    text: String,
}

fn templates() -> Environment<'static> {
    environment(&[
        ("index", include_str!("../../templates/documents/mod.rs.jinja")),
        ("family", include_str!("../../templates/documents/family.rs.jinja")),
        ("descriptor", include_str!("../../templates/documents/descriptor.rs.jinja")),
        ("recipe", include_str!("../../templates/documents/recipe.rs.jinja")),
        ("union", include_str!("../../templates/documents/union.rs.jinja")),
        ("boxed", include_str!("../../templates/documents/boxed.rs.jinja")),
        ("functions", include_str!("../../templates/documents/functions.rs.jinja")),
    ])
}
