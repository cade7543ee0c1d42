//! What every contract has.

use wirecontract_codegen::model::{Body, Catalog, ContractId};

use super::{Candidates, at};

pub(super) fn find(catalog: &Catalog, id: ContractId, found: &mut Candidates) {
    let contract = catalog.get(id);
    // A function's name in Rust is in no symbol, and a library is called by its prefix.
    if !matches!(contract.body, Body::Function(_) | Body::Symbols(_)) {
        let renamed = format!("{}Other", contract.name);
        let change = format!("{} → {renamed}", contract.name);
        found.put("contract.name", at(catalog, id, ""), change, move |catalog| {
            catalog.contracts[id.0].name.clone_from(&renamed);
        });
    }
    if !matches!(contract.body, Body::Function(_) | Body::Handle(_) | Body::Symbols(_)) {
        let version = contract.version.unwrap_or(1);
        let change = format!("version {version} → {}", version + 1);
        found.put("contract.version", at(catalog, id, ""), change, move |catalog| {
            catalog.contracts[id.0].version = Some(version + 1);
        });
    }
}

/// No wire id says the module, and every hello does: a side whose contracts have moved is understood by nobody that says
/// their old names.
pub(super) fn find_modules(contracts: &[ContractId], found: &mut Candidates) {
    let all = contracts.to_vec();
    found.put("contract.module", "all contracts", "one module further in", move |catalog| {
        for id in &all {
            let module = &mut catalog.contracts[id.0].module;
            if let Some((outer, family)) = module.rsplit_once("::") {
                *module = format!("{outer}::inner::{family}");
            }
        }
    });
}
