//! What differs, and how it is said: one line each.

use std::path::{Path, PathBuf};

use crate::catalog::json::Json;

/// Something that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Finding {
    /// A declared symbol that the library does not export.
    NotExported { symbol: String },
    /// An exported symbol under a declared prefix that nothing declares.
    NotDeclared { symbol: String, prefix: String },
    /// Functions of a prefix for which there is no `wire_library!`.
    NoLibrary { prefix: String },
    /// The id that the library states to its callers is not that of its record, or no number that the file holds.
    OtherId { symbol: String, stated: Option<u64>, declared: u64 },
    /// A file that cannot be read.
    Unreadable { path: PathBuf, reason: String },
    /// A file that was not generated.
    Foreign { path: PathBuf },
    /// A folder without a file that was generated.
    NoneGenerated { path: PathBuf },
    /// A file that was changed after it was generated.
    Edited { path: PathBuf },
    /// A file about contracts of a package that the library does not hold.
    OtherPackage { path: PathBuf, package: String },
    /// A function that a file names and the library does not export; whether it is of documents, whose Rust is generated.
    Missing { path: PathBuf, symbol: String, is_of_documents: bool },
    /// A function that the library declares and a file that is about all of them does not know.
    Unknown { path: PathBuf, symbol: String },
    /// A function that a file has with another id.
    OtherFunction { path: PathBuf, symbol: String, expected: u64, found: u64 },
    /// An id in a file that no contract of the library has.
    OtherContract { path: PathBuf, name: String, id: u64 },
    /// A file whose source id is not that of the library's declarations, though all ids that it has are.
    OtherSource { path: PathBuf, id: u64 },
}

impl Finding {
    /// What programs tell it by.
    fn kind(&self) -> &'static str {
        match self {
            Finding::NotExported { .. } => "not_exported",
            Finding::NotDeclared { .. } => "not_declared",
            Finding::NoLibrary { .. } => "no_library",
            Finding::OtherId { .. } => "other_id",
            Finding::Unreadable { .. } => "unreadable",
            Finding::Foreign { .. } => "foreign",
            Finding::NoneGenerated { .. } => "none_generated",
            Finding::Edited { .. } => "edited",
            Finding::OtherPackage { .. } => "other_package",
            Finding::Missing { .. } => "missing",
            Finding::Unknown { .. } => "unknown",
            Finding::OtherFunction { .. } => "other_function",
            Finding::OtherContract { .. } => "other_contract",
            Finding::OtherSource { .. } => "other_source",
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Finding::NotExported { .. }
            | Finding::NotDeclared { .. }
            | Finding::NoLibrary { .. }
            | Finding::OtherId { .. } => None,
            Finding::Unreadable { path, .. }
            | Finding::Foreign { path }
            | Finding::NoneGenerated { path }
            | Finding::Edited { path }
            | Finding::OtherPackage { path, .. }
            | Finding::Missing { path, .. }
            | Finding::Unknown { path, .. }
            | Finding::OtherFunction { path, .. }
            | Finding::OtherContract { path, .. }
            | Finding::OtherSource { path, .. } => Some(path),
        }
    }

    fn symbol(&self) -> Option<&str> {
        match self {
            Finding::NotExported { symbol }
            | Finding::NotDeclared { symbol, .. }
            | Finding::OtherId { symbol, .. }
            | Finding::Missing { symbol, .. }
            | Finding::Unknown { symbol, .. }
            | Finding::OtherFunction { symbol, .. } => Some(symbol),
            _ => None,
        }
    }

    /// The line.
    pub(super) fn line(&self, library: &Path) -> String {
        format!("{}: {}", self.path().unwrap_or(library).display(), self.message(library))
    }

    fn message(&self, library: &Path) -> String {
        let library = library.display();
        match self {
            Finding::NotExported { symbol } => {
                format!(
                    "`{symbol}` is declared and not exported: is it left out by a list of exported symbols?"
                )
            }
            Finding::NotDeclared { symbol, prefix } => format!(
                "`{symbol}` is exported under the prefix `{prefix}` and not declared: mark it `#[wire_export]`, or do \
                 not export it"
            ),
            Finding::NoLibrary { prefix } => format!(
                "it has functions of the prefix `{prefix}` and no `wirecontract::wire_library!(prefix = \"{prefix}\")`"
            ),
            Finding::OtherId { symbol, stated, declared } => {
                let stated = stated.map_or("no number".to_owned(), |stated| format!("{stated:#018x}"));
                format!(
                    "`{symbol}_wire_id` is {stated}, the declaration of `{symbol}` has {declared:#018x}: build it \
                     again, whole"
                )
            }
            Finding::Unreadable { reason, .. } => format!("cannot be read: {reason}"),
            Finding::Foreign { .. } => "was not generated by wirecontract".to_owned(),
            Finding::NoneGenerated { .. } => {
                "holds no file that wirecontract generated: name the folder that gen-stubs writes to"
                    .to_owned()
            }
            Finding::Edited { .. } => {
                "was edited by hand: move the change into the Rust declaration, and run gen-stubs again"
                    .to_owned()
            }
            Finding::OtherPackage { package, .. } => {
                format!("is of contracts of the package {package}, of which {library} has none")
            }
            Finding::Missing { symbol, is_of_documents: true, .. } => format!(
                "names `{symbol}`, which {library} does not export: include the `mod.rs` of the target `c-json` in its \
                 crate, or run gen-stubs again"
            ),
            Finding::Missing { symbol, .. } => {
                format!("names `{symbol}`, which {library} does not export: run gen-stubs again")
            }
            Finding::Unknown { symbol, .. } => {
                format!("does not know `{symbol}`, which {library} declares: run gen-stubs again")
            }
            Finding::OtherFunction { symbol, expected, found, .. } => format!(
                "has `{symbol}` with the id {expected:#018x}, {library} with {found:#018x}: its parameters, its results \
                 or what these are differ; run gen-stubs again"
            ),
            Finding::OtherContract { name, id, .. } => format!(
                "has `{name}` with the id {id:#018x}, which no contract of {library} has: run gen-stubs again"
            ),
            Finding::OtherSource { id, .. } => format!(
                "is of declarations with the source id {id:#018x}, which those of {library} have not: texts, or \
                 contracts that were added; run gen-stubs again"
            ),
        }
    }

    /// The same for programs.
    pub(super) fn json(&self, library: &Path) -> Json {
        let mut members = vec![("kind".to_owned(), Json::text(self.kind()))];
        members.extend(self.path().map(|path| ("path".to_owned(), Json::text(path.to_string_lossy()))));
        members.extend(self.symbol().map(|symbol| ("symbol".to_owned(), Json::text(symbol))));
        members.push(("message".to_owned(), Json::Text(self.message(library))));
        Json::Object(members)
    }
}
