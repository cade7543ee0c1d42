//! What `verify` holds against each other: the symbols of a shipped library, and generated files.

use std::path::Path;
use std::sync::LazyLock;

use wirecontract_codegen::artifact;
use wirecontract_codegen::catalog::encode::{self, Target};
use wirecontract_codegen::fixtures::export;
use wirecontract_codegen::model::{Body, Catalog, Symbols};
use wirecontract_codegen::verify::Shipped;

use crate::container::{self, Symbol};

/// Any file that claims to be a shipped library.
pub fn exports(bytes: &[u8]) {
    // Errors are answers too.
    let _ = Shipped::read(bytes).map(|library| library.exports());
}

/// Any file that stands where a header or a Python module would, beside a library that exports all it declares.
///
/// # Panics
/// When a file that nobody generated, or that was changed since, passes for one of the library's.
pub fn generated(bytes: &[u8]) {
    static LIBRARY: LazyLock<Shipped> = LazyLock::new(|| {
        let library = exporting(&declared(), Target::X86_64);
        Shipped::read(&library).expect("the library can be read")
    });
    for name in ["library.h", "library.py"] {
        let findings = LIBRARY.generated(Path::new(name), bytes);
        let is_generated = std::str::from_utf8(bytes).is_ok_and(|text| !artifact::is_edited(text));
        assert!(is_generated || !findings.is_empty(), "{name} is not as it was generated");
    }
}

/// Handles and functions of every form, with the ids that their records have.
pub fn declared() -> Catalog {
    let mut catalog = export::catalog();
    let encoded = encode::records(&catalog, Target::X86_64);
    for (contract, record) in catalog.contracts.iter_mut().zip(encoded) {
        contract.wire_id = record.wire_id;
        contract.source_id = record.source_id;
    }
    catalog
}

/// A shared library of these declarations, which exports what they declare.
pub fn exporting(catalog: &Catalog, target: Target) -> Vec<u8> {
    let notes: Vec<u8> = encode::records(catalog, target).into_iter().flat_map(|it| it.bytes).collect();
    container::shared(&notes, &symbols(catalog), target.big)
}

fn symbols(catalog: &Catalog) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for (_, contract) in catalog.iter() {
        let (names, has_id) = match &contract.body {
            Body::Function(function) => (vec![function.symbol.clone()], true),
            Body::Handle(handle) => (vec![handle.destroy.clone()], true),
            Body::Symbols(Symbols { is_library, names }) => (names.clone(), *is_library),
            _ => continue,
        };
        for name in names {
            if has_id {
                symbols.push((format!("{name}_wire_id"), contract.wire_id));
            }
            symbols.push((name, 0));
        }
    }
    symbols
}
