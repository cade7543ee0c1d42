//! What is declared, exported and generated, held against each other.

use std::collections::BTreeSet;

use super::declared::{Declared, constant};
use super::finding::Finding;
use super::generated::Generated;
use super::image::{Image, WIRE_ID};
use crate::emit::documents::FUNCTIONS;

/// Whether what is declared is exported, with the ids that are declared, and nothing else under the same prefixes.
pub(super) fn exports(declared: &Declared, images: &[Image]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (prefix, _) in declared.prefixes.iter().filter(|(_, has_library)| !**has_library) {
        findings.push(Finding::NoLibrary { prefix: prefix.clone() });
    }
    for (symbol, function) in &declared.functions {
        if !is_exported(images, symbol) {
            findings.push(Finding::NotExported { symbol: symbol.clone() });
        }
        let Some(declared) = function.wire_id else { continue };
        let name = format!("{symbol}{WIRE_ID}");
        if !is_exported(images, &name) {
            findings.push(Finding::NotExported { symbol: name });
            continue;
        }
        let mut stated = images.iter().map(|image| image.symbols[&name]);
        if let Some(stated) = stated.find(|stated| *stated != Some(declared)) {
            findings.push(Finding::OtherId { symbol: symbol.clone(), stated, declared });
        }
    }
    findings.extend(undeclared(declared, images));
    findings
}

fn is_exported(images: &[Image], symbol: &str) -> bool {
    images.iter().all(|image| image.symbols.contains_key(symbol))
}

/// Symbols under a declared prefix that nothing declares. One prefix may begin with another.
fn undeclared(declared: &Declared, images: &[Image]) -> Vec<Finding> {
    // A function without an id may be of a record without names.
    if declared.has_ids_only {
        return Vec::new();
    }
    let is_known = |symbol: &str| {
        let of = symbol.strip_suffix(WIRE_ID).and_then(|symbol| declared.functions.get(symbol));
        declared.functions.contains_key(symbol) || of.is_some()
    };
    let symbols: BTreeSet<&String> = images.iter().flat_map(|image| image.symbols.keys()).collect();
    let found = symbols.into_iter().filter_map(|symbol| {
        let has =
            |prefix: &&String| symbol.strip_prefix(&***prefix).is_some_and(|rest| rest.starts_with('_'));
        let prefix = declared.prefixes.keys().filter(has).max_by_key(|prefix| prefix.len())?;
        (!is_known(symbol)).then(|| Finding::NotDeclared { symbol: symbol.clone(), prefix: prefix.clone() })
    });
    found.collect()
}

/// Whether a generated file is of the library's declarations.
pub(super) fn file(declared: &Declared, images: &[Image], file: &Generated) -> Vec<Finding> {
    let path = || file.path.clone();
    let mut findings = Vec::new();
    if file.is_edited {
        findings.push(Finding::Edited { path: path() });
    }
    // A file that every package has is of no declarations.
    if file.statement.origins.is_empty() {
        return findings;
    }
    let unknown: BTreeSet<&String> = file
        .statement
        .origins
        .iter()
        .map(|origin| &origin.package)
        .filter(|package| !declared.has_package(package))
        .collect();
    if !declared.has_ids_only && !unknown.is_empty() {
        findings.extend(
            unknown
                .into_iter()
                .map(|package| Finding::OtherPackage { path: path(), package: package.clone() }),
        );
        return findings;
    }
    let before = findings.len();
    let mut called: BTreeSet<&str> = BTreeSet::new();
    for (symbol, expected) in &file.functions {
        called.insert(symbol);
        if !is_exported(images, symbol) {
            let is_of_documents = !declared.functions.contains_key(symbol)
                && FUNCTIONS.iter().chain(&["arena_free"]).any(|word| symbol.ends_with(&format!("_{word}")));
            findings.push(Finding::Missing { path: path(), symbol: symbol.clone(), is_of_documents });
        } else if let Some(expected) = *expected {
            findings.extend(function(declared, file, symbol, expected));
        }
    }
    let missing: BTreeSet<String> = called.iter().map(|symbol| constant(symbol)).collect();
    for (name, &id) in &file.ids {
        if let Some(symbol) = declared.constants.get(name) {
            findings.extend(function(declared, file, symbol, id));
        } else if !declared.wire_ids.contains(&id) && !missing.contains(name) {
            findings.push(Finding::OtherContract { path: path(), name: name.clone(), id });
        }
    }
    findings.extend(unknown_functions(declared, file));
    if findings.len() == before && !declared.has_ids_only {
        let current = declared.source_ids(&file.statement.origins);
        if !current.contains(&file.statement.source_id) {
            findings.push(Finding::OtherSource { path: path(), id: file.statement.source_id });
        }
    }
    findings
}

fn function(declared: &Declared, file: &Generated, symbol: &str, expected: u64) -> Option<Finding> {
    let found = declared.functions.get(symbol)?.wire_id?;
    (found != expected).then(|| Finding::OtherFunction {
        path: file.path.clone(),
        symbol: symbol.to_owned(),
        expected,
        found,
    })
}

/// Functions that a file should know which is about all of a library's.
fn unknown_functions(declared: &Declared, file: &Generated) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (symbol, function) in &declared.functions {
        let Some(prefix) = &function.prefix else { continue };
        let is_of_library = file.functions.contains_key(&format!("{prefix}_last_error"));
        if is_of_library && function.wire_id.is_some() && !file.functions.contains_key(symbol) {
            findings.push(Finding::Unknown { path: file.path.clone(), symbol: symbol.clone() });
        }
    }
    findings
}
