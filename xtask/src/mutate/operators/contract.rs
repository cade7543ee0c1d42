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
