//! What the records of a library declare.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::image::{Image, WIRE_ID};
use crate::artifact::{Origin, combined_source_id};
use crate::catalog::Library;
use crate::model::{Body, Contract, Symbols};

/// The declarations of a library.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// By symbol.
    pub(super) functions: BTreeMap<String, Function>,
    /// What symbols begin with, and whether there is `wire_library!` for it.
    pub(super) prefixes: BTreeMap<String, bool>,
    /// What headers call a function's wire id, and the symbol.
    pub(super) constants: BTreeMap<String, String>,
    /// Wire ids of all contracts, also of those without names.
    pub(super) wire_ids: HashSet<u64>,
    /// Whether there are contracts of which only the ids are known.
    pub(super) has_ids_only: bool,
    contracts: Vec<Stated>,
}

/// A function that is exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    /// The wire id that its data symbol states; none where it has none.
    pub(super) wire_id: Option<u64>,
    pub(super) prefix: Option<String>,
}

/// A contract, as far as artifacts state it.
#[derive(Debug)]
struct Stated {
    origin: Origin,
    version: String,
    source_id: u64,
    /// Whether `library.h` and `library.py` are about it too.
    is_export: bool,
}

impl Declared {
    /// The declarations of a library; of functions whose names were left out those that the images have ids of.
    pub(super) fn of(library: &Library, images: &[Image]) -> Self {
        let mut declared = Declared { has_ids_only: !library.ids_only.is_empty(), ..Declared::default() };
        declared.wire_ids.extend(library.ids_only.iter().map(|ids| ids.wire_id));
        for record in &library.records {
            declared.add(&record.contract);
        }
        if declared.has_ids_only {
            declared.add_nameless(images);
        }
        declared
    }

    fn add(&mut self, contract: &Contract) {
        self.wire_ids.insert(contract.wire_id);
        let wire_id = Some(contract.wire_id);
        let mut is_export = true;
        match &contract.body {
            Body::Function(function) => {
                self.function(&function.symbol, wire_id, Some(&function.prefix));
                self.constant(&function.symbol, &function.symbol);
            }
            Body::Handle(handle) => {
                self.function(&handle.destroy, wire_id, Some(&handle.prefix));
                self.constant(handle.destroy.trim_end_matches("_destroy"), &handle.destroy);
            }
            Body::Symbols(Symbols { is_library: true, names }) => {
                self.prefixes.insert(contract.name.clone(), true);
                for name in names {
                    self.function(name, wire_id, Some(&contract.name));
                }
                if let Some(name) = names.first() {
                    self.constant(&format!("{}_library", contract.name), name);
                }
            }
            Body::Symbols(Symbols { is_library: false, names }) => {
                names.iter().for_each(|name| self.function(name, None, None));
                is_export = false;
            }
            _ => is_export = false,
        }
        self.contracts.push(Stated {
            origin: Origin::of(contract),
            version: contract.package_version.clone(),
            source_id: contract.source_id,
            is_export,
        });
    }

    fn function(&mut self, symbol: &str, wire_id: Option<u64>, prefix: Option<&String>) {
        if let Some(prefix) = prefix {
            self.prefixes.entry(prefix.clone()).or_insert(false);
        }
        let function = Function { wire_id, prefix: prefix.cloned() };
        self.functions.entry(symbol.to_owned()).or_insert(function);
    }

    fn constant(&mut self, stem: &str, symbol: &str) {
        self.constants.insert(constant(stem), symbol.to_owned());
    }

    /// Functions that state an id which a contract without a name has.
    fn add_nameless(&mut self, images: &[Image]) {
        for (name, &stated) in images.iter().flat_map(|image| &image.symbols) {
            let Some(symbol) = name.strip_suffix(WIRE_ID) else { continue };
            if let Some(id) = stated.filter(|id| self.wire_ids.contains(id)) {
                let function = Function { wire_id: Some(id), prefix: None };
                self.functions.entry(symbol.to_owned()).or_insert(function);
                self.constants.entry(constant(symbol)).or_insert_with(|| symbol.to_owned());
            }
        }
    }

    /// Whether the library holds contracts of that package.
    pub(super) fn has_package(&self, package: &str) -> bool {
        self.contracts.iter().any(|contract| contract.origin.package == package)
    }

    /// The source ids that a file about contracts of these modules may state: of all that stands there, of what is
    /// exported alone, or of what is not; of each version of a package that the library holds.
    pub(super) fn source_ids(&self, origins: &[Origin]) -> BTreeSet<u64> {
        let is_of = |contract: &&Stated| {
            let Origin { package, module, .. } = &contract.origin;
            origins.iter().any(|origin| origin.package == *package && origin.module == *module)
        };
        let contracts: Vec<&Stated> = self.contracts.iter().filter(is_of).collect();
        let versions: BTreeSet<&str> = contracts.iter().map(|contract| &*contract.version).collect();
        let mut ids = BTreeSet::new();
        let mut put = |of: &dyn Fn(&Stated) -> bool| {
            let stated = contracts.iter().filter(|contract| of(contract));
            ids.insert(combined_source_id(stated.map(|contract| contract.source_id)));
        };
        put(&|_| true);
        put(&|contract| contract.is_export);
        put(&|contract| !contract.is_export);
        for version in versions {
            put(&|contract| contract.version == version);
            put(&|contract| contract.version == version && contract.is_export);
            put(&|contract| contract.version == version && !contract.is_export);
        }
        ids
    }
}

/// What headers call the wire id of a declaration.
pub(super) fn constant(stem: &str) -> String {
    format!("{}_WIRE_ID", stem.to_ascii_uppercase())
}
