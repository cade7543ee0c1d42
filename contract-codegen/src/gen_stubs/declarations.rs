//! Declarations that somebody changes in memory, and the files that are theirs: for the proof that no change of one side
//! goes unnoticed (`cargo xtask mutate`), which is no command of this crate.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::config::Config;
use super::left::Grounds;
use super::select::{self, Root, Selection};
use super::source::Configured;
use super::{PlaceArgs, Run, SourceArgs, Target, plan};
use crate::emit::{Artifact, EmitInput, Family, PackageConfig};
use crate::model::{Catalog, ContractId};

/// The contracts that a run of gen-stubs writes, and how they are spelled.
pub struct Declarations {
    selection: Selection,
    folder: PathBuf,
}

/// A file that gen-stubs would write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Where.
    pub path: PathBuf,
    /// The whole text, its statement of origin in front.
    pub text: String,
    /// The contracts whose ids it states.
    pub contracts: Vec<ContractId>,
}

impl Declarations {
    /// Builds the packages, as gen-stubs does.
    ///
    /// # Errors
    /// What gen-stubs says.
    pub fn read(args: &SourceArgs) -> Result<Self, String> {
        let run = Run::read(args, &PlaceArgs::default()).map_err(|error| error.to_string())?;
        Ok(Declarations {
            folder: run.folder().unwrap_or(Path::new("")).to_owned(),
            selection: run.selection,
        })
    }

    /// Contracts that no library holds, of packages that configure nothing.
    ///
    /// # Errors
    /// Families that hold each other.
    pub fn of(catalog: Catalog) -> Result<Self, String> {
        let packages: BTreeSet<String> = catalog.contracts.iter().map(|it| it.package.clone()).collect();
        let words = |package: &str| Some(PackageConfig::default_for(package));
        let roots = packages.into_iter().map(|package| {
            let config = Config::default_for(&package);
            (package, Configured { config, manifest: None })
        });
        let selection = select::of(catalog, &words, roots.collect()).map_err(|error| error.to_string())?;
        Ok(Declarations { selection, folder: PathBuf::new() })
    }

    /// All contracts.
    pub fn catalog(&self) -> &Catalog {
        &self.selection.catalog
    }

    /// The families that are written.
    pub fn families(&self) -> impl Iterator<Item = &Family> {
        let mut written: Vec<usize> =
            self.selection.roots.iter().flat_map(|root| root.families.iter().copied()).collect();
        written.sort_unstable();
        written.dedup();
        written.into_iter().map(|index| &self.selection.families[index])
    }

    /// What the emitter of a target takes: those of its families that are asked for.
    pub fn input(&self, target: Target, is_asked: impl Fn(&Family) -> bool) -> EmitInput<'_> {
        let families = self.selection.families.clone();
        let has_target = |root: &&Root| root.configured.config.targets.contains(&target);
        let roots = self.selection.roots.iter().filter(has_target);
        let mut selected: Vec<usize> = roots.flat_map(|root| root.families.iter().copied()).collect();
        selected.sort_unstable();
        selected.dedup();
        selected.retain(|&index| is_asked(&families[index]));
        EmitInput { catalog: &self.selection.catalog, families, selected }
    }

    /// What a target's emitter makes of those of its families that are asked for.
    ///
    /// # Errors
    /// What it refuses.
    pub fn artifacts(
        &self,
        target: Target,
        is_asked: impl Fn(&Family) -> bool,
    ) -> Result<Vec<Artifact>, String> {
        let input = self.input(target, is_asked);
        if input.selected.is_empty() {
            return Ok(Vec::new());
        }
        plan::emitter(target)(&input)
            .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }

    /// The packages that are written.
    pub fn packages(&self) -> impl Iterator<Item = &str> {
        self.selection.roots.iter().map(|root| &*root.package)
    }

    /// The folder of the workspace.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The same packages with other contracts.
    ///
    /// # Errors
    /// Families that hold each other, or contracts of a package that was not there.
    pub fn with(&self, catalog: Catalog) -> Result<Self, String> {
        let words = |package: &str| {
            let known = self.selection.families.iter().find(|family| family.package.package == package);
            known.map(|family| family.package.clone())
        };
        let roots = self.selection.roots.iter();
        let roots = roots.map(|Root { package, configured, .. }| (package.clone(), configured.clone()));
        let selection = select::of(catalog, &words, roots.collect()).map_err(|error| error.to_string())?;
        Ok(Declarations { selection, folder: self.folder.clone() })
    }

    /// The files of these targets, of all that are configured where none is named, by path.
    ///
    /// # Errors
    /// What an emitter refuses.
    pub fn files(&self, targets: &[Target]) -> Result<Vec<GeneratedFile>, String> {
        let args = PlaceArgs { targets: targets.to_vec(), out: None };
        let plan = plan::plan(&args, &self.selection, Grounds::default(), None)
            .map_err(|error| error.to_string())?;
        let file = |file: plan::Planned| GeneratedFile {
            path: file.path,
            text: file.text,
            contracts: file.contracts,
        };
        Ok(plan.files.into_iter().map(file).collect())
    }
}
