//! Headers of somebody else that declare the same names as a family's: which of the two declares what.
//!
//! Where the other one was included first, the family's header takes its types, adds what its version lacks, and asserts
//! all of it. Where it comes second, it finds its guard taken, and its names declared.

use serde::Serialize;

use crate::emit::{EmitError, EmitInput, Family, PackageConfig};
use crate::model::{Body, Contract, EnumValue};
use crate::names::c as names;

/// The other header.
#[derive(Serialize)]
pub(super) struct ForeignView {
    header: String,
    guard: String,
    /// The macro that is 1 where it came first, and 0 otherwise.
    flag: String,
    requires: Option<String>,
    defines: Vec<(String, u64)>,
    extern_c: Option<String>,
    dll: Option<(String, String)>,
}

/// The other header of a family that has one.
pub(super) fn view(family: &Family) -> Option<ForeignView> {
    let foreign = family.package.foreign.get(&family.name)?;
    Some(ForeignView {
        header: foreign.header.clone(),
        guard: foreign.guard.clone(),
        flag: names::foreign_flag(&family.package, &family.name),
        requires: foreign.requires.clone(),
        defines: foreign.defines.iter().map(|(name, number)| (name.clone(), *number)).collect(),
        extern_c: foreign.extern_c.clone(),
        dll: foreign.dll.clone(),
    })
}

/// Refuses what no header of somebody else declares: of bytes and documents, the reader and writer are ours.
pub(super) fn check(input: &EmitInput<'_>) -> Vec<EmitError> {
    let mut errors = Vec::new();
    for family in input.selected_families() {
        let Some(foreign) = family.package.foreign.get(&family.name) else { continue };
        let contracts = family.contracts.iter().map(|&id| input.catalog.get(id));
        for contract in
            contracts.filter(|it| !matches!(it.body, Body::Abi(_) | Body::Enumeration(_) | Body::Flags(_)))
        {
            errors.push(EmitError::Foreign {
                family: family.name.clone(),
                header: foreign.header.clone(),
                contract: names::label(contract, ""),
                kind: contract.kind(),
            });
        }
    }
    errors
}

/// When the type is declared here: where no header of somebody else came first, or one that did not have it yet.
pub(super) fn declared_here(package: &PackageConfig, contract: &Contract) -> Option<String> {
    let foreign = package.foreign.get(contract.family())?;
    let flag = names::foreign_flag(package, contract.family());
    Some(match (&foreign.version, contract.since) {
        (Some(version), Some(since)) => format!("!{flag} || {version} < {since}"),
        _ => format!("!{flag}"),
    })
}

/// When somebody else's header has the type, and not yet the value.
pub(super) fn missing(package: &PackageConfig, contract: &Contract, value: &EnumValue) -> Option<String> {
    let version = package.foreign.get(contract.family())?.version.as_ref()?;
    let since = value.since.filter(|since| contract.since.is_none_or(|first| first < *since))?;
    let flag = names::foreign_flag(package, contract.family());
    let has_type = contract.since.map_or_else(String::new, |first| format!(" && {version} >= {first}"));
    Some(format!("{flag}{has_type} && {version} < {since}"))
}
