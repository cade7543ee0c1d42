//! The names of what libraries export: symbols, constants, parameters.

use std::collections::BTreeMap;

use super::Registry;
use crate::emit::{EmitError, EmitInput, PackageConfig};
use crate::model::{Body, Contract, Function};
use crate::names::c::{
    TARGET, api_macro, check_abi, export_wire_id, guard, is_identifier, label, library_header, scopes,
    static_macro, symbols, wire_id_symbol,
};

/// What each package's `library.h` has besides what its contracts are called.
pub(super) fn check_libraries(registry: &mut Registry, input: &EmitInput<'_>) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, family) in input.families.iter().enumerate() {
        let package = &family.package;
        let exports = |&&id: &&_| !symbols(input.catalog.get(id)).is_empty();
        let Some(&first) = family.contracts.iter().find(exports) else { continue };
        registry.selected = input.selected.contains(&index);
        if !seen.contains(&package.package.as_str()) {
            seen.push(&package.package);
            let owner = format!("the library of {}", package.package);
            for name in [api_macro(package), static_macro(package), check_abi(package)] {
                registry.claim(name, &owner);
            }
            registry.claim(guard(&library_header(package)), &owner);
            registry.claim(library_header(package), &owner);
        }
        let mut own = input.families.iter().filter(|other| other.package.package == package.package);
        let is_library = |id: &_| matches!(&input.catalog.get(*id).body, Body::Symbols(it) if it.is_library);
        if registry.selected && !own.any(|other| other.contracts.iter().any(is_library)) {
            registry.errors.push(EmitError::NoLibrary {
                package: package.package.clone(),
                contract: label(input.catalog.get(first), ""),
                prefix: package.c_prefix.clone(),
            });
        }
    }
}

/// The symbols of a contract, what they are compared by, and whether they begin as the package's names do.
pub(super) fn check_symbols(registry: &mut Registry, package: &PackageConfig, contract: &Contract) {
    let whole = label(contract, "");
    let prefix = match &contract.body {
        Body::Handle(handle) => &handle.prefix,
        Body::Function(function) => &function.prefix,
        _ => &contract.name,
    };
    if registry.selected && *prefix != package.c_prefix {
        registry.errors.push(EmitError::Prefix {
            contract: whole.clone(),
            prefix: prefix.clone(),
            package: package.package.clone(),
            expected: package.c_prefix.clone(),
        });
    }
    for symbol in symbols(contract) {
        registry.word(symbol, &whole, true);
        registry.claim(symbol.to_owned(), &whole);
        registry.claim(wire_id_symbol(symbol), &whole);
    }
    registry.claim(export_wire_id(package, contract), &whole);
}

/// Parameters have a scope of their own, into which macros and types reach.
pub(super) fn check_parameters(registry: &mut Registry, contract: &Contract, function: &Function) {
    if !registry.selected {
        return;
    }
    for scope in scopes(function) {
        let mut taken: BTreeMap<String, String> = BTreeMap::new();
        for (name, declared) in scope {
            let owner = format!("the parameter {declared} of {}", label(contract, ""));
            if !is_identifier(&name) {
                registry.errors.push(EmitError::BadName {
                    target: TARGET,
                    name,
                    contract: owner,
                    reason: "an identifier has ASCII letters, digits and `_` only, and begins with no digit; rename it"
                        .to_owned(),
                });
                continue;
            }
            let first =
                taken.get(&name).or_else(|| registry.names.get(&name).map(|(first, _)| first)).cloned();
            match first {
                Some(first) => {
                    registry.errors.push(EmitError::Collision { target: TARGET, name, first, second: owner });
                }
                None => {
                    taken.insert(name, owner);
                }
            }
        }
    }
}
