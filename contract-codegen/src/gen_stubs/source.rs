//! Where the records come from: a build by cargo, or libraries that are there already.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::config::Config;
use super::error::Error;
use super::workspace::{Spec, Workspace};
use super::{PlaceArgs, SourceArgs};
use crate::catalog::{self, FileError, Library, ReadError, Record};
use crate::model::{Body, Contract};

/// Records, and whose contracts among them are asked for.
pub(super) struct Source {
    pub(super) records: Vec<Record>,
    /// Name and version of the packages whose contracts are written, sorted.
    pub(super) roots: BTreeSet<(String, String)>,
    /// The other packages that were asked for: they have no contracts, or have none any more.
    pub(super) bare: BTreeSet<(String, String)>,
    /// Packages that were not asked for, and write into a folder of one that was, where a file names the contracts of all.
    pub(super) companions: BTreeSet<(String, String)>,
    workspace: Option<Workspace>,
}

/// A package's configuration, and where its files go unless the command line says it.
#[derive(Clone)]
pub(super) struct Configured {
    pub(super) config: Config,
    /// The manifest of a package that has a folder to write to.
    pub(super) manifest: Option<PathBuf>,
}

impl Source {
    /// What a package configures; the defaults where cargo knows no such package, but for the prefix that its functions
    /// have.
    pub(super) fn configured(&self, name: &str, version: &str) -> Result<Configured, Error> {
        let found = match &self.workspace {
            Some(workspace) => workspace.config(name, version)?,
            None => None,
        };
        Ok(match found {
            // One from a registry lies in cargo's cache.
            Some((package, config)) => {
                let is_local = package.source.is_none();
                let manifest = is_local.then(|| package.manifest_path.clone().into_std_path_buf());
                Configured { config, manifest }
            }
            None => {
                let mut config = Config::default_for(name);
                if let Some(prefix) = self.library_prefix(name, version) {
                    config.words.c_prefix = prefix;
                }
                Configured { config, manifest: None }
            }
        })
    }

    /// Name and version of every package that has contracts here.
    pub(super) fn packages(&self) -> BTreeSet<(String, String)> {
        let contracts = self.records.iter().map(|record| &record.contract);
        contracts.map(|contract| (contract.package.clone(), contract.package_version.clone())).collect()
    }

    /// Whether contracts of a package are written.
    pub(super) fn is_written(&self, name: &str, version: &str) -> bool {
        let package = (name.to_owned(), version.to_owned());
        self.roots.contains(&package) || self.companions.contains(&package)
    }

    /// The folder of the workspace, where there is one.
    pub(super) fn workspace_folder(&self) -> Option<PathBuf> {
        self.workspace.as_ref().map(Workspace::folder)
    }

    /// What the symbols of a package begin with, where its library says so.
    fn library_prefix(&self, name: &str, version: &str) -> Option<String> {
        let contracts = self.records.iter().map(|record| &record.contract);
        let is_library = |contract: &&Contract| {
            contract.package == name
                && contract.package_version == version
                && matches!(&contract.body, Body::Symbols(symbols) if symbols.is_library)
        };
        contracts.into_iter().find(is_library).map(|contract| contract.name.clone())
    }
}

/// Reads what the arguments say.
pub(super) fn read(args: &SourceArgs, place: &PlaceArgs) -> Result<Source, Error> {
    let workspace = Workspace::find(args)?;
    if args.libraries.is_empty() {
        let workspace = workspace.ok_or_else(|| {
            Error::Metadata(
                "there is no Cargo.toml in this folder or above it: go to a package, or pass `--manifest-path` or \
                 `--library`"
                    .to_owned(),
            )
        })?;
        from_cargo(args, place, workspace)
    } else {
        from_libraries(args, place, workspace)
    }
}

fn from_cargo(args: &SourceArgs, place: &PlaceArgs, workspace: Workspace) -> Result<Source, Error> {
    let packages = if args.packages.is_empty() {
        workspace.default_packages()?
    } else {
        workspace.named_packages(&args.packages)?
    };
    let others = workspace.companions(place, &packages)?;
    let built = workspace.build(args, place, &[&packages[..], &others].concat())?;
    let mut records = Vec::new();
    let (mut roots, mut bare, mut companions) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for package in packages.iter().chain(&others) {
        let library = built.selected.iter().find(|(id, _)| *id == package.id).map(|(_, path)| path);
        let Some(library) = library else { continue };
        let found = read_if_any(library)?;
        // Of a shared library, the records of other crates are in it too.
        let has_contracts = found.iter().any(|record| record.contract.package == *package.name);
        let is_companion = others.iter().any(|other| other.id == package.id);
        let wanted = match (is_companion, has_contracts) {
            (false, true) => Some(&mut roots),
            (false, false) => Some(&mut bare),
            (true, true) => Some(&mut companions),
            (true, false) => None,
        };
        if let Some(wanted) = wanted {
            wanted.insert((package.name.to_string(), package.version.to_string()));
        }
        records.extend(found);
    }
    if nested_are_missing(&records) {
        for library in &built.dependencies {
            records.extend(read_if_any(library)?);
        }
    }
    // What is generated does not depend on what was, and cannot be held up by it.
    records.retain(|record| !is_generated(&record.contract));
    Ok(Source { records, roots, bare, companions, workspace: Some(workspace) })
}

/// Whether generated Rust says it, and no declaration: which symbols documents in C have.
pub(super) fn is_generated(contract: &Contract) -> bool {
    matches!(&contract.body, Body::Symbols(symbols) if !symbols.is_library)
}

fn nested_are_missing(records: &[Record]) -> bool {
    let known: HashSet<u64> = records.iter().map(|record| record.contract.source_id).collect();
    let keys: HashSet<u64> = records.iter().map(|record| record.key).collect();
    records.iter().any(|record| {
        record.nested.iter().any(|nested| !known.contains(&nested.source_id))
            || record.pointees.iter().any(|pointee| !keys.contains(&pointee.key))
    })
}

fn read_if_any(library: &Path) -> Result<Vec<Record>, Error> {
    match read_library(library) {
        Err(Error::Library(FileError::Content { reason: ReadError::NoneFound, .. })) => Ok(Vec::new()),
        other => other,
    }
}

fn read_library(path: &Path) -> Result<Vec<Record>, Error> {
    let Library { records, ids_only, bitcode } = catalog::read_file(path).map_err(Error::Library)?;
    if records.is_empty() {
        return Err(Error::IdsOnly { path: path.to_owned() });
    }
    if !ids_only.is_empty() {
        let count = ids_only.len();
        eprintln!(
            "note: {}: {count} more contracts are there by their ids only (`wirecontract_record=\"ids\"`)",
            path.display()
        );
    }
    if !bitcode.is_empty() {
        eprintln!(
            "note: {}: {} of its members are LLVM bitcode ({}, …), in which contracts are not seen",
            path.display(),
            bitcode.len(),
            bitcode[0]
        );
    }
    Ok(records)
}

fn from_libraries(
    args: &SourceArgs,
    place: &PlaceArgs,
    workspace: Option<Workspace>,
) -> Result<Source, Error> {
    let mut records = Vec::new();
    for library in &args.libraries {
        records.extend(read_library(library)?);
    }
    let found: BTreeSet<(String, String)> = records
        .iter()
        .map(|record| (record.contract.package.clone(), record.contract.package_version.clone()))
        .collect();
    let roots = if args.packages.is_empty() {
        default_roots(&found, workspace.as_ref())
    } else {
        let mut roots = BTreeSet::new();
        for wanted in &args.packages {
            let spec = Spec::parse(wanted);
            let matching: Vec<_> =
                found.iter().filter(|(name, version)| spec.matches(name, version)).collect();
            if matching.is_empty() {
                let found = found.iter().map(|(name, version)| format!("{name}@{version}")).collect();
                return Err(Error::NotInLibraries { package: wanted.clone(), found });
            }
            roots.extend(matching.into_iter().cloned());
        }
        roots
    };
    let companions = match &workspace {
        Some(workspace) => companions(workspace, place, &roots, &found)?,
        None => BTreeSet::new(),
    };
    Ok(Source { records, roots, bare: BTreeSet::new(), companions, workspace })
}

/// The packages that write into a folder of these, where a file names the contracts of all. A file without those of one
/// is refused: whether that one has contracts, the libraries do not say.
fn companions(
    workspace: &Workspace,
    place: &PlaceArgs,
    roots: &BTreeSet<(String, String)>,
    found: &BTreeSet<(String, String)>,
) -> Result<BTreeSet<(String, String)>, Error> {
    let packages = workspace.members_of(roots);
    let mut companions = BTreeSet::new();
    for other in workspace.companions(place, &packages)? {
        let Some(package) = found.iter().find(|(name, _)| *name == *other.name) else {
            let packages = packages.iter().map(|package| package.name.to_string()).collect();
            return Err(Error::NoCompanion { packages, companion: other.name.to_string() });
        };
        companions.insert(package.clone());
    }
    Ok(companions)
}

/// The packages that a build would write, where they are in the libraries; else all but this project's core. So a
/// shared library, which holds the records of its dependencies too, gives the same files as its rlib.
fn default_roots(
    found: &BTreeSet<(String, String)>,
    workspace: Option<&Workspace>,
) -> BTreeSet<(String, String)> {
    let defaults = workspace.and_then(|workspace| workspace.default_packages().ok()).unwrap_or_default();
    let own: BTreeSet<(String, String)> = found
        .iter()
        .filter(|(name, _)| defaults.iter().any(|package| *package.name == *name))
        .cloned()
        .collect();
    if !own.is_empty() {
        return own;
    }
    let others: BTreeSet<(String, String)> =
        found.iter().filter(|(name, _)| name != "wirecontract").cloned().collect();
    if others.is_empty() { found.clone() } else { others }
}
