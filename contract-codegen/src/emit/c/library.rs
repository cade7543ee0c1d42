//! `library.h` of a package that exports functions: how they are declared, why one failed, and whether the library is of
//! the same declarations.

use serde::Serialize;

use crate::emit::{EmitInput, PackageConfig};
use crate::model::{Body, Contract, ContractId};
use crate::names::c as names;

/// The header.
#[derive(Serialize)]
pub(super) struct Library {
    guard: String,
    core_version: u32,
    package: String,
    api: String,
    is_static: String,
    last_error: String,
    bytes_free: String,
    check_abi: String,
    /// What the headers say of wire ids.
    constants: Vec<Constant>,
    /// What the library says of them.
    symbols: Vec<Symbol>,
}

#[derive(Serialize)]
struct Constant {
    name: String,
    wire_id: String,
}

#[derive(Serialize)]
struct Symbol {
    symbol: String,
    wire_id: String,
    constant: String,
}

/// The contracts of a package that are exported, by whichever family.
pub(super) fn contracts(input: &EmitInput<'_>, package: &PackageConfig) -> Vec<ContractId> {
    let families = input.families.iter().filter(|family| family.package.package == package.package);
    let ids = families.flat_map(|family| family.contracts.iter().copied());
    let mut ids: Vec<ContractId> =
        ids.filter(|&id| !names::symbols(input.catalog.get(id)).is_empty()).collect();
    // What every library has comes first, then handles; each in catalog order.
    ids.sort_by_key(|&id| (rank(input.catalog.get(id)), id));
    ids
}

fn rank(contract: &Contract) -> u8 {
    match contract.body {
        Body::Symbols(_) => 0,
        Body::Handle(_) => 1,
        _ => 2,
    }
}

/// Fills the header.
pub(super) fn header(input: &EmitInput<'_>, package: &PackageConfig) -> Library {
    let [last_error, bytes_free] = names::library_functions(package);
    let contracts: Vec<&Contract> =
        contracts(input, package).into_iter().map(|id| input.catalog.get(id)).collect();
    let constants = contracts.iter().map(|contract| Constant {
        name: names::export_wire_id(package, contract),
        wire_id: wire_id(contract),
    });
    let symbols = contracts.iter().flat_map(|contract| {
        let constant = names::export_wire_id(package, contract);
        names::symbols(contract).into_iter().map(move |symbol| Symbol {
            symbol: symbol.to_owned(),
            wire_id: names::wire_id_symbol(symbol),
            constant: constant.clone(),
        })
    });
    Library {
        guard: names::guard(&names::library_header(package)),
        core_version: super::CORE_VERSION,
        package: package.package.clone(),
        api: names::api_macro(package),
        is_static: names::static_macro(package),
        last_error,
        bytes_free,
        check_abi: names::check_abi(package),
        constants: constants.collect(),
        symbols: symbols.collect(),
    }
}

/// A wire id as a literal.
pub(super) fn wire_id(contract: &Contract) -> String {
    format!("UINT64_C(0x{:016x})", contract.wire_id)
}
