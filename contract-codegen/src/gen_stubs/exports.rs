//! What a package exports, as a whole: each function alone may be right, and their library not.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::select::Selection;
use crate::catalog::Place;
use crate::model::{Body, Contract, Symbols};

/// Functions that cannot be of one library.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Problem {
    #[error(
        "{place} is exported with the prefix `{prefix}`, and the `c-prefix` of package {package} is `{c_prefix}`: set \
         `c-prefix = \"{prefix}\"` in `[package.metadata.wirecontract]` of its Cargo.toml, or declare \
         `prefix = \"{c_prefix}\"`",
        package = place.package
    )]
    OtherPrefix { place: Place, prefix: String, c_prefix: String },
    #[error(
        "{place} is exported as `{symbol}`, which does not begin with `{prefix}_`: let its `c_name` do so, since two \
         libraries in one program share all their names"
    )]
    WithoutPrefix { place: Place, symbol: String, prefix: String },
    #[error(
        "package {package} exports {place} and has no last error: put `wirecontract::wire_library!(prefix = \"{prefix}\");` \
         into its lib.rs"
    )]
    NoLibrary { package: String, prefix: String, place: Place },
    #[error("{first} and {second} are both exported as `{symbol}`: give one of them another name")]
    OneSymbol { symbol: String, first: Place, second: Place },
    #[error(
        "the handles {first} and {second} have one tag ({tag:#06x}), so that one could be taken for the other: give one of \
         them another name, of which the tag is made"
    )]
    OneTag { tag: u16, first: Place, second: Place },
}

/// All that is wrong with what the packages export.
pub(super) fn problems(selection: &Selection) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut symbols: BTreeMap<&str, &Contract> = BTreeMap::new();
    let mut tags: BTreeMap<u16, &Contract> = BTreeMap::new();
    for family in &selection.families {
        for &id in &family.contracts {
            let contract = selection.catalog.get(id);
            problems.extend(prefix(contract, &family.package.c_prefix));
            for symbol in exported(contract) {
                match symbols.entry(symbol) {
                    Entry::Vacant(entry) => drop(entry.insert(contract)),
                    Entry::Occupied(entry) => problems.push(Problem::OneSymbol {
                        symbol: symbol.to_owned(),
                        first: Place::of(entry.get()),
                        second: Place::of(contract),
                    }),
                }
            }
            let Body::Handle(handle) = &contract.body else { continue };
            match tags.entry(handle.tag) {
                Entry::Vacant(entry) => drop(entry.insert(contract)),
                Entry::Occupied(entry) => problems.push(Problem::OneTag {
                    tag: handle.tag,
                    first: Place::of(entry.get()),
                    second: Place::of(contract),
                }),
            }
        }
    }
    problems.extend(libraries(selection));
    problems
}

fn exported(contract: &Contract) -> Vec<&str> {
    match &contract.body {
        Body::Function(function) => vec![&function.symbol],
        Body::Handle(handle) => vec![&handle.destroy],
        Body::Symbols(symbols) => symbols.names.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// What a function, a handle or a library is declared with; mere symbols have nothing to declare it with.
fn declared_prefix(contract: &Contract) -> Option<&str> {
    match &contract.body {
        Body::Function(function) => Some(&function.prefix),
        Body::Handle(handle) => Some(&handle.prefix),
        Body::Symbols(Symbols { is_library: true, .. }) => Some(&contract.name),
        _ => None,
    }
}

/// Headers and modules name functions by the prefix that the package configures.
fn prefix(contract: &Contract, c_prefix: &str) -> Vec<Problem> {
    if let Some(prefix) = declared_prefix(contract)
        && prefix != c_prefix
    {
        let (prefix, c_prefix) = (prefix.to_owned(), c_prefix.to_owned());
        return vec![Problem::OtherPrefix { place: Place::of(contract), prefix, c_prefix }];
    }
    let is_outside = |symbol: &&str| !symbol.strip_prefix(c_prefix).is_some_and(|rest| rest.starts_with('_'));
    let outside = exported(contract).into_iter().filter(is_outside).map(|symbol| Problem::WithoutPrefix {
        place: Place::of(contract),
        symbol: symbol.to_owned(),
        prefix: c_prefix.to_owned(),
    });
    outside.collect()
}

/// The selected packages that export functions and have not what every library has. Of others only what these hold is
/// known.
fn libraries(selection: &Selection) -> Vec<Problem> {
    let is_library = |contract: &&Contract| matches!(&contract.body, Body::Symbols(it) if it.is_library);
    let contracts = || selection.catalog.contracts.iter();
    let with: BTreeSet<&str> =
        contracts().filter(is_library).map(|contract| contract.package.as_str()).collect();
    let without = selection.roots.iter().filter_map(|root| {
        let mut own = contracts().filter(|contract| contract.package == root.package);
        let first = own.find(|contract| matches!(contract.body, Body::Function(_) | Body::Handle(_)))?;
        let prefix = declared_prefix(first).unwrap_or_default().to_owned();
        let place = Place::of(first);
        (!with.contains(&*root.package)).then(|| Problem::NoLibrary {
            package: root.package.clone(),
            prefix,
            place,
        })
    });
    without.collect()
}
