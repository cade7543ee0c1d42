//! Packages as cargo knows them, and building their libraries.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{Metadata, MetadataCommand, Package, PackageId};

use super::aside::{self, Aside};
use super::cargo::{self, Libraries};
use super::config::Config;
use super::error::Error;
use super::interrupt::Held;
use super::plan;
use super::{PlaceArgs, SourceArgs, Target};

/// The workspace of the current folder, or of `--manifest-path`.
pub(super) struct Workspace {
    metadata: Metadata,
    manifest_path: PathBuf,
}

/// What cargo built: the libraries of the selected packages, and those of all others in the same build.
pub(super) struct Built {
    pub(super) selected: Vec<(PackageId, PathBuf)>,
    pub(super) dependencies: Vec<PathBuf>,
}

impl Workspace {
    /// The workspace that a manifest says; none where there is no manifest.
    pub(super) fn find(args: &SourceArgs) -> Result<Option<Self>, Error> {
        let manifest_path = match &args.manifest_path {
            Some(path) => path.clone(),
            None => match nearest_manifest() {
                Some(path) => path,
                None => return Ok(None),
            },
        };
        let metadata = MetadataCommand::new().manifest_path(&manifest_path).exec().map_err(|error| {
            Error::Metadata(match error {
                cargo_metadata::Error::CargoMetadata { stderr } => stderr.trim().to_owned(),
                other => other.to_string(),
            })
        })?;
        let manifest_path = manifest_path.canonicalize().unwrap_or(manifest_path);
        Ok(Some(Workspace { metadata, manifest_path }))
    }

    /// Where its root manifest lies.
    pub(super) fn folder(&self) -> PathBuf {
        self.metadata.workspace_root.clone().into_std_path_buf()
    }

    /// What a package of that name configures; of several with the name, the one of that version.
    pub(super) fn config(&self, name: &str, version: &str) -> Result<Option<(&Package, Config)>, Error> {
        let named = || self.metadata.packages.iter().filter(|package| package.name == name);
        let package =
            named().find(|package| package.version.to_string() == version).or_else(|| named().next());
        let Some(package) = package else { return Ok(None) };
        let config = Config::parse(name, &package.metadata).map_err(|reason| Error::Config {
            manifest: package.manifest_path.clone().into_std_path_buf(),
            reason,
        })?;
        Ok(Some((package, config)))
    }

    /// The packages that the command line names, each by `NAME` or `NAME@VERSION`.
    pub(super) fn named_packages(&self, specs: &[String]) -> Result<Vec<&Package>, Error> {
        specs.iter().map(|spec| self.named_package(spec)).collect()
    }

    fn named_package(&self, spec: &str) -> Result<&Package, Error> {
        let spec_parts = Spec::parse(spec);
        let found: Vec<&Package> = self
            .metadata
            .packages
            .iter()
            .filter(|package| spec_parts.matches(&package.name, &package.version.to_string()))
            .collect();
        let members: Vec<&Package> = found
            .iter()
            .copied()
            .filter(|package| self.metadata.workspace_members.contains(&package.id))
            .collect();
        match (found.as_slice(), members.as_slice()) {
            ([package], _) | (_, [package]) => Ok(package),
            ([], _) => {
                let mut names: Vec<&str> =
                    self.metadata.packages.iter().map(|package| package.name.as_str()).collect();
                names.sort_unstable();
                names.dedup();
                let near = similar::get_close_matches(spec_parts.name, &names, 3, 0.6);
                let near = near.into_iter().map(str::to_owned).collect();
                Err(Error::NoSuchPackage { name: spec.to_owned(), near })
            }
            _ => Err(Error::AmbiguousPackage {
                spec: spec.to_owned(),
                found: found.iter().map(|package| format!("{}@{}", package.name, package.version)).collect(),
            }),
        }
    }

    /// The package of the current folder; in a virtual workspace those that configure something.
    pub(super) fn default_packages(&self) -> Result<Vec<&Package>, Error> {
        let is_current = |package: &&Package| {
            let manifest = package.manifest_path.as_std_path();
            manifest.canonicalize().is_ok_and(|manifest| manifest == self.manifest_path)
        };
        let members = self.metadata.workspace_packages();
        if let Some(package) = members.iter().copied().find(is_current) {
            return Ok(vec![package]);
        }
        let configured: Vec<&Package> =
            members.into_iter().filter(|package| package.metadata.get("wirecontract").is_some()).collect();
        if configured.is_empty() { Err(Error::NoDefaultPackage) } else { Ok(configured) }
    }

    /// The members among these packages, of each name one.
    pub(super) fn members_of(&self, packages: &BTreeSet<(String, String)>) -> Vec<&Package> {
        let members = self.metadata.workspace_packages();
        members.into_iter().filter(|member| packages.iter().any(|(name, _)| *name == *member.name)).collect()
    }

    /// The other members that write into a folder of these packages, of a target one of whose files names the contracts of
    /// all that do.
    pub(super) fn companions(
        &self,
        place: &PlaceArgs,
        packages: &[&Package],
    ) -> Result<Vec<&Package>, Error> {
        if place.out.is_some() {
            return Ok(Vec::new());
        }
        let mut shared = Vec::new();
        for package in packages.iter().filter(|package| package.source.is_none()) {
            shared.extend(self.indexed(package, &place.targets)?);
        }
        if shared.is_empty() {
            return Ok(Vec::new());
        }
        let mut companions = Vec::new();
        for member in self.metadata.workspace_packages() {
            let is_asked = packages.iter().any(|package| package.id == member.id);
            if !is_asked && self.indexed(member, &[])?.iter().any(|folder| shared.contains(folder)) {
                companions.push(member);
            }
        }
        Ok(companions)
    }

    /// Where a package writes a file that names all contracts: of the targets that it configures, or of those that are
    /// asked for.
    fn indexed(&self, package: &Package, asked: &[Target]) -> Result<Vec<(Target, PathBuf)>, Error> {
        let Some((_, config)) = self.config(&package.name, &package.version.to_string())? else {
            return Ok(Vec::new());
        };
        let targets = if asked.is_empty() { &config.targets[..] } else { asked };
        let indexed = targets.iter().copied().filter(|target| target.has_index());
        let of = |target: Target| {
            Some((target, plan::normal(&folder(package).join(config.out.tree(target.tree())?))))
        };
        Ok(indexed.filter_map(of).collect())
    }

    /// Builds the libraries of these packages.
    pub(super) fn build(
        &self,
        args: &SourceArgs,
        place: &PlaceArgs,
        packages: &[&Package],
    ) -> Result<Built, Error> {
        for package in packages {
            let has_library = |target: &cargo_metadata::Target| {
                !target.is_proc_macro() && target.crate_types.iter().any(cargo::is_library)
            };
            if !package.targets.iter().any(has_library) {
                return Err(Error::NoLibraryTarget { package: package.name.to_string() });
            }
        }
        let Libraries { files: mut libraries, order } = self.libraries(args, place, packages)?;
        let mut selected = Vec::new();
        for package in packages {
            let library = libraries
                .remove(&package.id)
                .ok_or_else(|| Error::NothingBuilt { package: package.name.to_string() })?;
            selected.push((package.id.clone(), library));
        }
        let dependencies = order.iter().filter_map(|id| libraries.remove(id)).collect();
        Ok(Built { selected, dependencies })
    }

    /// Where libraries among these and what they depend on include generated Rust, it may be what does not compile, and
    /// is out of the way of a second build.
    fn libraries(
        &self,
        args: &SourceArgs,
        place: &PlaceArgs,
        packages: &[&Package],
    ) -> Result<Libraries, Error> {
        let documents = self.documents(place, packages);
        if documents.is_empty() {
            return cargo::build(self.build_command(args, packages));
        }
        documents.iter().for_each(|path| aside::put_back(path));
        let failed = match cargo::try_build(self.build_command(args, packages))? {
            Ok(libraries) => return Ok(libraries),
            Err(failed) => failed,
        };
        let is_local = |package: &&Package| package.source.is_none() && failed.packages.contains(&package.id);
        let names: Vec<&str> =
            self.metadata.packages.iter().filter(is_local).map(|package| package.name.as_str()).collect();
        if names.is_empty() {
            failed.show();
            return Err(Error::BuildFailed { status: failed.status.to_string() });
        }
        let held = Held::new();
        let aside = Aside::put(&documents).inspect_err(|_| failed.show())?;
        eprintln!(
            "note: {} does not compile, and {aside} may be why: generated from earlier declarations, or not at all yet; \
             building again with nothing there",
            names.join(" and ")
        );
        let built = cargo::build(self.build_command(args, packages));
        drop(aside);
        if held.was_asked() { Err(Error::Interrupted) } else { built }
    }

    /// The generated Rust that the libraries of these packages, and of what they depend on, may include. What lies in
    /// the folder of a package that is not built is not theirs: another build may be reading it.
    fn documents(&self, place: &PlaceArgs, packages: &[&Package]) -> Vec<PathBuf> {
        let built = self.with_dependencies(packages);
        let mut documents = Vec::new();
        for &package in &built {
            // One from a registry is as it was published; what is wrong with a configuration is said later.
            let Ok(config) = Config::parse(&package.name, &package.metadata) else { continue };
            let targets = [&config.targets, &place.targets];
            if package.source.is_some() || !targets.iter().any(|targets| targets.contains(&Target::CJson)) {
                continue;
            }
            let trees = [
                config.out.tree("rust").map(|tree| folder(package).join(tree)),
                place.out.as_ref().map(|out| out.join("rust")),
            ];
            let trees = trees.into_iter().flatten().map(|tree| plan::normal(&tree));
            documents.extend(
                trees.filter(|tree| self.is_read(tree, package, &built)).map(|tree| tree.join("mod.rs")),
            );
        }
        documents.sort();
        documents.dedup();
        documents
    }

    /// Whether a build of these packages may read a tree that one of them configures.
    fn is_read(&self, tree: &Path, configures: &Package, built: &[&Package]) -> bool {
        if built.iter().any(|package| tree.starts_with(folder(package))) {
            return true;
        }
        let is_owned = self.metadata.packages.iter().any(|package| tree.starts_with(folder(package)));
        !is_owned && self.metadata.workspace_members.contains(&configures.id)
    }

    fn with_dependencies(&self, packages: &[&Package]) -> Vec<&Package> {
        let mut ids: Vec<&PackageId> = packages.iter().map(|package| &package.id).collect();
        let nodes = self.metadata.resolve.as_ref().map_or(&[][..], |resolve| &resolve.nodes);
        let mut next = 0;
        while let Some(&id) = ids.get(next) {
            let node = nodes.iter().find(|node| node.id == *id);
            for dependency in node.into_iter().flat_map(|node| &node.dependencies) {
                if !ids.contains(&dependency) {
                    ids.push(dependency);
                }
            }
            next += 1;
        }
        self.metadata.packages.iter().filter(|package| ids.contains(&&package.id)).collect()
    }

    fn build_command(&self, args: &SourceArgs, packages: &[&Package]) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .args(["build", "--lib", "--manifest-path"])
            .arg(&self.manifest_path)
            // Of its own: the settings below would otherwise have the user's build and this one undo each other.
            .arg("--target-dir")
            .arg(self.metadata.target_directory.join("wirecontract"))
            .env("CARGO_PROFILE_DEV_LTO", "off");
        for package in packages {
            command.args(["-p", &package.id.repr]);
        }
        for features in &args.features {
            command.args(["--features", features]);
        }
        if args.all_features {
            command.arg("--all-features");
        }
        if args.no_default_features {
            command.arg("--no-default-features");
        }
        if let Some(triple) = &args.cargo_target {
            command.args(["--target", triple]);
        }
        command
    }
}

/// A package as the command line names it.
pub(super) struct Spec<'spec> {
    name: &'spec str,
    version: Option<&'spec str>,
}

impl<'spec> Spec<'spec> {
    pub(super) fn parse(spec: &'spec str) -> Self {
        match spec.split_once('@') {
            Some((name, version)) => Spec { name, version: Some(version) },
            None => Spec { name: spec, version: None },
        }
    }

    /// As in cargo, `1.2` is any 1.2.x.
    pub(super) fn matches(&self, name: &str, version: &str) -> bool {
        self.name == name
            && self.version.is_none_or(|wanted| {
                version.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
    }
}

fn folder(package: &Package) -> &Path {
    package.manifest_path.as_std_path().parent().unwrap_or(Path::new(""))
}

fn nearest_manifest() -> Option<PathBuf> {
    let current = env::current_dir().ok()?;
    current.ancestors().map(|folder| folder.join("Cargo.toml")).find(|manifest| manifest.is_file())
}
