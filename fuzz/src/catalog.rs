//! The contracts of this very program, from the records it carries.

use std::sync::LazyLock;

use wirecontract_codegen::catalog::{read_file, resolve};
use wirecontract_codegen::model::{Catalog, ContractId};

/// All of them.
pub(crate) static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let program = std::env::current_exe().expect("a running program has a path");
    let library = read_file(&program).expect("this program carries records");
    resolve(&library.records).expect("its records make a catalog")
});

/// The contract of that wire id.
pub(crate) fn id_of(wire_id: u64) -> ContractId {
    let found = CATALOG.iter().find(|(_, contract)| contract.wire_id == wire_id);
    found.expect("this program carries the record of what it reads").0
}
